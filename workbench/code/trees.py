"""Which files changed between two trees. Pure: a tree is a mapping from path to the identity of its content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RENAMED = "renamed"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A path that differs. `old` and `new` identify the contents, `""` where there is none.

    A renamed file has the same content at `old_path`, which is `""` for everything else.
    """

    path: str
    change: Change
    old: str = ""
    new: str = ""
    old_path: str = ""


def diff_trees(old: Mapping[str, str], new: Mapping[str, str]) -> list[ChangedFile]:
    """Return the changed files sorted by path; renames stand at their new path.

    Values may be digests, object names or the texts themselves. A file that went and one that came with the same
    content are one rename; among several, the same file name wins, then the order of the paths.
    """
    gone = {path for path in old if path not in new}
    come = [path for path in sorted(new) if path not in old]
    by_content: dict[str, list[str]] = {}
    for path in sorted(gone):
        by_content.setdefault(old[path], []).append(path)
    changes: list[ChangedFile] = []
    for same_name in (True, False):
        for path in list(come):
            source = _pick(path, by_content.get(new[path], ()), same_name)
            if source:
                by_content[new[path]].remove(source)
                gone.remove(source)
                come.remove(path)
                changes.append(
                    ChangedFile(path, Change.RENAMED, old[source], new[path], source)
                )
    changes += [ChangedFile(path, Change.ADDED, new=new[path]) for path in come]
    changes += [ChangedFile(path, Change.REMOVED, old=old[path]) for path in gone]
    changes += [
        ChangedFile(path, Change.CHANGED, old[path], new[path])
        for path in old.keys() & new.keys()
        if old[path] != new[path]
    ]
    return sorted(changes, key=lambda change: change.path)


def _pick(path: str, sources: Iterable[str], same_name: bool) -> str:
    name = path.rpartition("/")[2]
    for source in sources:
        if not same_name or source.rpartition("/")[2] == name:
            return source
    return ""
