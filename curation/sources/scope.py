"""Which files of a tree the manifest's `source.path` means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from posixpath import basename, normpath

from curation.sources.items import Problem, unique


def preferred_files(
    paths: Sequence[str], source_path: str | Sequence[str] | None
) -> tuple[list[str], list[Problem]]:
    """Return the files that `source_path` names, in its order, and a problem a miss.

    An entry is a file or a folder; it is looked up from the root of the tree, then as the end
    of a path, since the tree may have been taken from a folder above or below.
    """
    if source_path is None:
        return [], []
    wanted = [source_path] if isinstance(source_path, str) else list(source_path)
    chosen: list[str] = []
    problems: list[Problem] = []
    for entry in wanted:
        found = _named(paths, entry)
        if not found:
            same = [
                path for path in paths if basename(path) == basename(entry.rstrip("/"))
            ]
            hint = f"; there is {', '.join(same[:3])}" if same else ""
            message = f"source.path names {entry!r}, which holds no file of this language{hint}"
            problems.append(Problem("source-path", "", 0, message))
        chosen += found
    return list(unique(chosen)), problems


def files_called(paths: Iterable[str], cited: str) -> list[str]:
    """Return those of `paths` that `cited` may mean: the very path, else paths that end in it."""
    wanted = _clean(cited)
    if not wanted:
        return []
    every = list(paths)
    exact = [path for path in every if path == wanted]
    if exact:
        return exact
    ending = [path for path in every if path.endswith("/" + wanted)]
    if ending:
        return ending
    # The tree may begin below the folder that the citation begins with.
    below = [path for path in every if wanted.endswith("/" + path)]
    return [max(below, key=len)] if below else []


def _named(paths: Sequence[str], entry: str) -> list[str]:
    wanted = _clean(entry)
    if wanted == "":
        return list(paths)
    direct = [path for path in paths if path == wanted or path.startswith(wanted + "/")]
    if direct:
        return direct
    ending = [
        path for path in paths if path.endswith("/" + wanted) or f"/{wanted}/" in path
    ]
    return ending or files_called(paths, entry)


def _clean(entry: str) -> str:
    cleaned = normpath(entry.strip().replace("\\", "/")) if entry.strip() else ""
    return "" if cleaned == "." else cleaned.lstrip("/")
