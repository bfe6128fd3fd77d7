"""Whether the graders behind a release have green canaries. Rule: without a green badge nothing publishes.

Asked for are the badges of every grader and toolchain that a run of the release was graded with, and, for each Lean that its
revisions ask for and nothing in it was graded with, the badge of the present grader on that Lean: who gets the release
will be graded so.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from adjudication.grading.version import grader_digest
from adjudication.releases.models import Release
from adjudication.runs.machine import needs_of
from adjudication.runs.models import CanaryBadge
from adjudication.runs.selectors.badges import badges_of

_POCKET = "pocket"


@dataclass(frozen=True)
class Tried:
    """A grader on a toolchain, with its newest badge (None: never tried) and how many runs of the release it graded."""

    toolchain: str
    grader: str
    badge: CanaryBadge | None
    runs: int

    @property
    def green(self) -> bool:
        """Whether its canaries got what they must."""
        return self.badge is not None and self.badge.ok

    @property
    def present(self) -> bool:
        """Whether it is the grader of this version of the workbench."""
        return self.grader == grader_digest()

    @property
    def command(self) -> str:
        """The command that tries them; "" where this version no longer has that grader."""
        if not self.present or not self.toolchain:
            return ""
        kind, _, version = self.toolchain.partition(" ")
        lean = "" if kind == _POCKET else f" --lean leanprover/lean4:v{version}"
        return f"bin/workbench canaries{lean} --record"

    @property
    def why_not(self) -> str:
        """Why it lets nothing be published, and what to do; "" where it is green."""
        if self.green:
            return ""
        if not self.toolchain:
            return "a revision does not say which Lean it wants, so nobody can grade it. Name it in its lean-toolchain."
        on = f"{'this' if self.present else 'an older'} grader on {self.toolchain}"
        if self.badge is None:
            said = f"no canaries were tried with {on}"
        else:
            said = f"the canaries of {self.badge.ran_at:%d %b %Y} failed with {on}, which is not to be believed"
        if self.command:
            return f"{said}. Run: {self.command}"
        return f"{said}. Grade its runs again as a set, and freeze again."


def tried(release: Release) -> list[Tried]:
    """Return the graders behind `release`, most runs first."""
    rows = (
        release.runs.order_by()
        .values("toolchain", "toolchain_digest", "grader_digest")
        .annotate(number=Count("pk", distinct=True))
    )
    pairs = [(row["toolchain_digest"], row["grader_digest"]) for row in rows]
    badges = badges_of(pairs)
    found = [
        Tried(row["toolchain"], row["grader_digest"], badges.get(pair), row["number"])
        for row, pair in zip(rows, pairs, strict=True)
    ]
    used = {one.toolchain for one in found}
    present = grader_digest()
    for lean in sorted(_leans(release) - used):
        known = CanaryBadge.objects.filter(toolchain=lean, grader_digest=present)
        newest = known.defer("document").order_by("-pk").first()
        found.append(Tried(lean, present, newest, 0))
    return sorted(found, key=lambda one: (-one.runs, one.toolchain, one.grader))


def obstacles(release: Release) -> list[str]:
    """Return a sentence for each grader behind `release` without green canaries: why, and what to run."""
    return [
        f"Without green canaries nothing is published: {one.why_not}"
        for one in tried(release)
        if not one.green
    ]


def _leans(release: Release) -> set[str]:
    """Return the Leans that the revisions ask for, as a badge names them ("pocket 4.35.0"); "" where one asks for none."""
    members = release.members.select_related("revision__snapshot")
    return {
        need.replace(":", " ", 1)
        for member in members
        for need in needs_of(member.revision) or ("",)
    }
