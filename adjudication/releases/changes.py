"""What a release changes since the last one of its set: in words, and as rows for the page that compares two."""

from __future__ import annotations

from dataclasses import dataclass

from adjudication.audits.models import Finding
from adjudication.audits.selectors.findings import mended_in
from adjudication.releases.models import Release
from curation.instances.models import Definition, Placement, Revision
from workbench.ui.templatetags.ui import plural


@dataclass(frozen=True)
class Change:
    """One instance in two releases; None where it is not in one of them. Names are Lean names of specs."""

    name: str
    before: Revision | None
    after: Revision | None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether the files are the same."""
        return (
            self.before is not None
            and self.after is not None
            and self.before.snapshot_id == self.after.snapshot_id
        )


def compare(before: Release | None, after: Release) -> list[Change]:
    """Return the changes of every instance from one release to another, by name."""
    old, new = _revisions(before), _revisions(after)
    return [_change(name, old.get(name), new.get(name)) for name in sorted(old | new)]


def _revisions(release: Release | None) -> dict[str, Revision]:
    if release is None:
        return {}
    members = release.members.select_related("revision__instance")
    return {member.revision.instance.slug: member.revision for member in members}


def _change(name: str, before: Revision | None, after: Revision | None) -> Change:
    if before is None or after is None or before.snapshot_id == after.snapshot_id:
        return Change(name, before, after)
    old, new = _meanings(before), _meanings(after)
    return Change(
        name,
        before,
        after,
        tuple(sorted(new.keys() - old.keys())),
        tuple(sorted(old.keys() - new.keys())),
        tuple(
            sorted(spec for spec in old.keys() & new.keys() if old[spec] != new[spec])
        ),
    )


def _meanings(revision: Revision) -> dict[str, str]:
    placed = Placement.objects.filter(revision=revision, kind=Definition.SPEC)
    return dict(placed.values_list("definition__lean_name", "meaning_hash"))


def repaired(release: Release) -> list[Finding]:
    """Return the findings that the revisions of a release repair: their repair is that revision or an earlier one."""
    found: list[Finding] = []
    for member in release.members.select_related("revision"):
        revision = member.revision
        findings = Finding.objects.annotate(mended=mended_in()).filter(
            instance=revision.instance_id,
            state__in=(Finding.REPAIRED, Finding.VERIFIED),
            mended__lte=revision.number,
        )
        found.extend(findings.order_by("number"))
    return found


def changelog(release: Release) -> str:
    """Return the changelog since the release before it, as Markdown. Repaired findings are named as such."""
    since = f"since {release.previous.version}" if release.previous else "first release"
    lines = [f"# {release.title} {release.version}, {since}", ""]
    for change in compare(release.previous, release):
        lines += _lines(change)
    if len(lines) == 2:
        lines.append("- no instance changed")
    withdrawn = _withdrawn(release)
    if withdrawn:
        lines += ["", "## Retracted since", ""]
        lines += [f"- {one.version}: {_line_of(one.retraction)}" for one in withdrawn]
    fixed = repaired(release)
    if fixed:
        lines += ["", "## Findings repaired", ""]
        lines += [f"- {finding}: {finding.title}" for finding in fixed]
    return "\n".join(lines)


def _withdrawn(release: Release) -> list[Release]:
    """Return the releases of the set that were retracted since the one before `release`, oldest first."""
    rows = release.set.releases.filter(state=Release.RETRACTED).exclude(pk=release.pk)
    if release.previous_id:
        rows = rows.filter(pk__gt=release.previous_id)
    return list(rows.order_by("pk"))


def _line_of(words: str) -> str:
    return " ".join(words.split())


def _lines(change: Change) -> list[str]:
    if change.before is None and change.after is not None:
        return [
            f"- {change.name}: new, r{change.after.number}, {plural(change.after.spec_count, 'spec')}"
        ]
    if change.after is None:
        return [f"- {change.name}: no longer in the set"]
    assert change.before is not None
    if change.same:
        return []
    parts = [
        f"{plural(len(names), 'spec')} {word} ({', '.join(name.rsplit('.', 1)[-1] for name in names[:8])}{', …' if len(names) > 8 else ''})"
        for word, names in (
            ("added", change.added),
            ("removed", change.removed),
            ("changed in meaning", change.changed),
        )
        if names
    ]
    what = "; ".join(parts) or "no spec changed in meaning"
    return [
        f"- {change.name}: r{change.before.number} → r{change.after.number}: {what}"
    ]
