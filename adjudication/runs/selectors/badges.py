"""The canary badge of a grader, and whether a run may be published now."""

from __future__ import annotations

from collections.abc import Iterable

from adjudication.runs.models import CanaryBadge, GradingRun


def badge_for(toolchain_digest: str, grader_digest: str) -> CanaryBadge | None:
    """Return the newest badge of a grader (its digest) on a toolchain (its digest); None where none was ever recorded. One query."""
    return CanaryBadge.objects.filter(
        toolchain_digest=toolchain_digest, grader_digest=grader_digest
    ).first()


def newest_badges(limit: int = 8) -> list[CanaryBadge]:
    """Return the newest badge of each pair of toolchain and grader, newest first. One query."""
    found: dict[tuple[str, str], CanaryBadge] = {}
    for badge in CanaryBadge.objects.defer("document")[: limit * 8]:
        found.setdefault((badge.toolchain_digest, badge.grader_digest), badge)
    return list(found.values())[:limit]


def badges_of(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], CanaryBadge]:
    """Return the newest badge of each of `pairs` (toolchain digest, grader digest); what has none is not in it. One query."""
    pairs = set(pairs)
    rows = CanaryBadge.objects.filter(
        toolchain_digest__in={toolchain for toolchain, _ in pairs},
        grader_digest__in={grader for _, grader in pairs},
    ).defer("document")
    found: dict[tuple[str, str], CanaryBadge] = {}
    for badge in rows:  # newest first
        pair = (badge.toolchain_digest, badge.grader_digest)
        if pair in pairs:
            found.setdefault(pair, badge)
    return found


def publishable_now(run: GradingRun) -> tuple[bool, str]:
    """Return whether a score of `run` may be published, and why not in words ("" where it may). At most one query."""
    why = _own_reason(run, needs_sandbox=True) or badge_reason(
        badge_for(run.toolchain_digest, run.grader_digest)
    )
    return not why, why


def why_not(
    run: GradingRun, badge: CanaryBadge | None, *, needs_sandbox: bool = True
) -> str:
    """Return in words why a score of `run`, whose grader has `badge`, may not be published; "" where it may."""
    return _own_reason(run, needs_sandbox=needs_sandbox) or badge_reason(badge)


def _own_reason(run: GradingRun, *, needs_sandbox: bool) -> str:
    if not run.done:
        return "It has no verdict yet."
    if not run.publishable:
        return f"It was graded with {run.toolchain}, a trial toolchain whose library is ours."
    if needs_sandbox and not run.sandbox_holds:
        return f"The sandbox was not shown to hold: {run.sandbox or 'none'}."
    return ""


def badge_reason(badge: CanaryBadge | None) -> str:
    """Return in words why the badge of a grader lets nothing be published; "" where it is green."""
    if badge is None:
        return "No canaries were tried with this grader on this toolchain: bin/workbench canaries --record."
    if not badge.ok:
        return f"The canaries of {badge.ran_at:%d %b %Y} failed: this grader is not to be believed."
    return ""
