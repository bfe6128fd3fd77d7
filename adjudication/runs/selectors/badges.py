"""The canary badge of a grader, and whether a run may be published now."""

from __future__ import annotations

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


def publishable_now(run: GradingRun) -> tuple[bool, str]:
    """Return whether a score of `run` may be published, and why not in words ("" where it may). At most one query."""
    if not run.done:
        return False, "It has no verdict yet."
    if not run.publishable:
        return (
            False,
            f"It was graded with {run.toolchain}, a trial toolchain whose library is ours.",
        )
    if not run.sandbox_holds:
        return False, f"The sandbox was not shown to hold: {run.sandbox or 'none'}."
    badge = badge_for(run.toolchain_digest, run.grader_digest)
    if badge is None:
        return (
            False,
            "No canaries were tried with this grader on this toolchain: bin/workbench canaries --record.",
        )
    if not badge.ok:
        return (
            False,
            f"The canaries of {badge.ran_at:%d %b %Y} failed: this grader is not to be believed.",
        )
    return True, ""
