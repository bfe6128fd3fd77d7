"""Marks of other tools in the files: read them at each import, say where they disagree, write ours on request.

A mark is what somebody else's tool recorded. It is shown beside our decisions and never becomes one by itself: we do
not know who ticked it, nor what they read. A person can take ticks over as approvals, in bulk and under their name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from curation.format.review_marks import (
    BadMark,
    ReviewMark,
    read_review_marks,
    with_marks,
    written,
)
from curation.instances.meaning import own_hash
from curation.instances.models import Definition, Placement, Revision
from curation.reviews.models import FileMark, QueueEntry
from workbench.access.models import User
from workbench.content.trees import read_tree

_KINDS = dict(Definition.KINDS)
_STATES = dict(QueueEntry.STATES)
_BATCH = 500


def read_marks(_user: User | None, revision: Revision) -> None:
    """Keep the marks in the files of `revision`, each with what it contradicts. Follows each new revision."""
    rows: list[FileMark] = []
    marked = _marks(revision)
    if not marked:
        return
    places = _places(revision)
    entries = {
        entry.definition_id: entry
        for entry in QueueEntry.objects.filter(instance=revision.instance_id)
    }
    for path, (marks, bad) in marked.items():
        for mark in marks:
            placement = _meant(mark, path, places)
            rows.append(
                FileMark(
                    revision=revision,
                    definition_id=placement.definition_id if placement else None,
                    path=path,
                    line=mark.line,
                    version=mark.version,
                    ticked=mark.ticked,
                    name=mark.name[:400],
                    text=mark.text,
                    raw=mark.raw,
                    conflict=_conflict(mark, placement, entries),
                )
            )
        rows += [
            FileMark(
                revision=revision,
                path=path,
                line=line.line,
                version=0,
                ticked=False,
                name="",
                raw=line.raw,
                conflict="this line cannot be read; expected: v1 [ ] name — words",
            )
            for line in bad
        ]
    FileMark.objects.bulk_create(rows, batch_size=_BATCH)


def _marks(revision: Revision) -> dict[str, tuple[list[ReviewMark], list[BadMark]]]:
    found = {}
    for path, data in read_tree(revision.snapshot).items():
        if path.endswith(".lean") and b"!curation" in data:
            marks = read_review_marks(path, data.decode("utf-8", "replace"))
            if any(marks):
                found[path] = marks
    return found


def _places(revision: Revision) -> dict[str, list[Placement]]:
    """Return the placements of a revision by the last part of their definition's name."""
    found: dict[str, list[Placement]] = defaultdict(list)
    rows = Placement.objects.filter(revision=revision).select_related(
        "definition", "translation"
    )
    for placement in rows.order_by("position"):
        found[placement.definition.short_name].append(placement)
    return found


def _meant(
    mark: ReviewMark, path: str, places: Mapping[str, list[Placement]]
) -> Placement | None:
    """Return the definition that a mark means: of that name, the next one below it in its file; else the only one."""
    named = places.get(mark.name.rsplit(".", 1)[-1], [])
    if "." in mark.name:
        named = [one for one in named if one.definition.lean_name.endswith(mark.name)]
    here = [one for one in named if one.definition.path == path]
    below = [one for one in here if one.line_end >= mark.line]
    if below:
        return below[0]
    candidates = here or named
    return candidates[0] if len(candidates) == 1 else None


@dataclass(frozen=True)
class Told:
    """A mark of the current revision beside what is recorded here now. `state` is None for what is in no queue."""

    mark: FileMark
    state: str | None
    conflict: str

    @property
    def state_words(self) -> str:
        return _STATES[self.state] if self.state else "in no queue"

    @property
    def unreadable(self) -> bool:
        return self.mark.version == 0

    @property
    def disagrees(self) -> bool:
        return bool(self.conflict) and not self.unreadable

    @property
    def waits(self) -> bool:
        """Whether its tick can be taken over: it says nothing else than we do, and a review is still to come."""
        return self.mark.ticked and not self.conflict and self.state == QueueEntry.OPEN


def marks_of(revision: Revision) -> list[Told]:
    """Return the marks of `revision`, the current one, compared with what is recorded now: unreadable ones first, then
    those that disagree, then by place. Three queries, and one for each mark of another version."""
    rows = FileMark.objects.filter(revision=revision).select_related("definition")
    entries = {
        entry.definition_id: entry
        for entry in QueueEntry.objects.filter(instance=revision.instance_id)
    }
    marked = Placement.objects.filter(
        revision=revision, definition__file_marks__revision=revision
    )
    placements = {
        row.definition_id: row
        for row in marked.select_related("definition", "translation")
    }
    found = []
    for mark in rows.order_by("path", "line"):
        entry = entries.get(mark.definition_id or 0)
        placement = placements.get(mark.definition_id or 0)
        conflict = _conflict(mark, placement, entries) if placement else mark.conflict
        found.append(Told(mark, entry.state if entry else None, conflict))
    return sorted(found, key=lambda one: (not one.unreadable, not one.conflict))


def _conflict(
    mark: ReviewMark | FileMark,
    placement: Placement | None,
    entries: Mapping[int, QueueEntry],
) -> str:
    if placement is None:
        return f"there is no definition {mark.name}, or more than one"
    words = []
    number = placement.translation.number
    if mark.version != number and not _reads_the_same(mark.version, placement):
        words.append(
            f"the file says version {mark.version}, here it is version {number}"
        )
    entry = entries.get(placement.definition_id)
    if mark.ticked and entry is not None and entry.state == QueueEntry.SENT_BACK:
        words.append("the file says reviewed, here it was sent back")
    if not mark.ticked and entry is not None and entry.state == QueueEntry.APPROVED:
        words.append("the file says not reviewed, here it is approved")
    return "; ".join(words)


def _reads_the_same(version: int, placement: Placement) -> bool:
    """Return whether that version differs from the current one in comments and whitespace only, as a mark itself does."""
    older = placement.definition.translations.filter(number=version).first()
    return older is not None and own_hash(older.text) == placement.own_hash


def files_with_marks(revision: Revision) -> dict[str, bytes]:
    """Return the files of `revision` with our state of each definition written above it.

    A mark that the file has already for a definition is replaced and keeps its words; marks of nothing that we know
    stay as they stand. Nothing else changes.
    """
    files = dict(read_tree(revision.snapshot))
    entries = {
        entry.definition_id: entry
        for entry in QueueEntry.objects.filter(instance=revision.instance_id)
    }
    known = {
        mark.definition_id: mark
        for mark in FileMark.objects.filter(revision=revision).exclude(definition=None)
    }
    by_path: dict[str, list[Placement]] = defaultdict(list)
    rows = Placement.objects.filter(revision=revision).select_related(
        "definition", "translation"
    )
    for placement in rows.order_by("position"):
        by_path[placement.definition.path].append(placement)
    for path, placements in by_path.items():
        if path not in files or not path.endswith(".lean"):
            continue
        lines: dict[int, str] = {}
        gone: list[int] = []
        for placement in placements:
            entry = entries.get(placement.definition_id)
            if entry is None or entry.state == QueueEntry.EXEMPT:
                continue
            mark = known.get(placement.definition_id)
            if mark is not None:
                gone.append(mark.line)
            if mark is not None and mark.line > placement.line_start:
                # Between its words and its keyword: there it stays, a line above would not be the same line.
                lines[mark.line] = _line(placement, entry, mark)
                continue
            lines[placement.line_start] = _line(placement, entry, mark)
        text = files[path].decode()
        files[path] = with_marks(text, lines, gone).encode()
    return files


def _line(placement: Placement, entry: QueueEntry, mark: FileMark | None) -> str:
    words = mark.text if mark is not None else ""
    if not words:
        words = f"{placement.module}, {_KINDS[placement.kind]}, {_STATES[entry.state]}"
    return written(
        placement.translation.number,
        entry.state == QueueEntry.APPROVED,
        placement.definition.short_name,
        words,
    )
