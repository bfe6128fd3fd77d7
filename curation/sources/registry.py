"""The languages there are, and the extraction of a whole tree."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import curation.sources
from curation.sources.decoding import decode
from curation.sources.items import Extraction, Inventory, Problem, SourceItem
from curation.sources.language import NO, Language
from curation.sources.scope import preferred_files


@cache
def languages() -> tuple[Language, ...]:
    """Return every language that has a folder here, by identifier."""
    found = []
    for module in pkgutil.iter_modules(curation.sources.__path__):
        if module.ispkg:
            language = importlib.import_module(
                f"curation.sources.{module.name}"
            ).LANGUAGE
            found.append(language)
    return tuple(sorted(found, key=lambda language: language.id))


def language(name: str) -> Language | None:
    """Return the language a manifest calls `name`, whatever its case; None if there is none."""
    wanted = name.strip().lower()
    for candidate in languages():
        if wanted == candidate.id or wanted in candidate.aliases:
            return candidate
    return None


def detect_language(path: str, text: str) -> Language | None:
    """Return the language of one file by its name and content, None if it is not one of ours."""
    answers = [
        (candidate.detect(path, text), candidate)
        for candidate in languages()
        if candidate.owns(path)
    ]
    best = max(answers, key=lambda answer: answer[0], default=None)
    return best[1] if best is not None and best[0] != NO else None


def extract_tree(
    files: Mapping[str, bytes],
    language: str | None = None,
    *,
    source_path: str | Sequence[str] | None = None,
    only_source_path: bool = False,
) -> Inventory:
    """Return the inventory of a source tree; the same tree gives the same inventory.

    `files` maps paths with forward slashes to bytes. With `language` (an identifier or alias)
    only its files are read; without, each file in the language it is written in. Files that
    `source_path` (the manifest's `source.path`) names come first, in its order; with
    `only_source_path` the others are not read. Never raises on account of the files.
    """
    problems: list[Problem] = []
    wanted = _wanted(language, problems)
    readable = [path for path in sorted(files) if any(one.owns(path) for one in wanted)]
    preferred, missing = preferred_files(readable, source_path)
    problems += missing
    chosen = list(preferred)
    if not (only_source_path and preferred):
        first = set(preferred)
        chosen += [path for path in readable if path not in first]
    items: list[SourceItem] = []
    read: list[tuple[str, str]] = []
    for path in chosen:
        text, troubles = decode(path, files[path])
        problems += troubles
        if text is None:
            continue
        found = _language_of(path, text, wanted, asked=language is not None)
        if found is None:
            continue
        extraction = _extract(found, path, text)
        read.append((path, found.id))
        items += extraction.items
        problems += sorted(
            extraction.problems, key=lambda one: (one.line, one.code, one.message)
        )
    if not read and not problems:
        endings = ", ".join(ending for one in wanted for ending in one.suffixes)
        problems.append(
            Problem(
                "empty-tree",
                "",
                0,
                f"no source files; expected names ending in {endings}",
            )
        )
    return Inventory(
        _known_mentions(items), tuple(problems), tuple(read), tuple(preferred)
    )


def main_language(inventory: Inventory) -> Language | None:
    """Return the language most files of the tree are in, None for an empty tree."""
    counts = Counter(name for _, name in inventory.languages)
    best = min(counts, key=lambda name: (-counts[name], name), default=None)
    return language(best) if best is not None else None


def _wanted(name: str | None, problems: list[Problem]) -> tuple[Language, ...]:
    if name is None:
        return languages()
    found = language(name)
    if found is not None:
        return (found,)
    known = ", ".join(one.id for one in languages())
    problems.append(
        Problem(
            "unknown-language", "", 0, f"no extractor for {name!r}; there are {known}"
        )
    )
    return ()


def _language_of(
    path: str, text: str, wanted: Sequence[Language], *, asked: bool
) -> Language | None:
    if asked:
        return wanted[0]
    return detect_language(path, text)


def _extract(found: Language, path: str, text: str) -> Extraction:
    try:
        return found.extract(path, text)
    except (RecursionError, MemoryError) as error:
        message = f"too deeply nested to be read ({type(error).__name__})"
        return Extraction(problems=(Problem("extractor", path, 0, message),))


def _known_mentions(items: Sequence[SourceItem]) -> tuple[SourceItem, ...]:
    """Keep those mentions that name an item of the inventory other than the item itself."""
    known = {item.name for item in items}
    result = []
    for item in items:
        kept = tuple(
            name
            for name in item.mentions
            if last_part(name) in known and last_part(name) != item.name
        )
        result.append(replace(item, mentions=kept) if kept != item.mentions else item)
    return tuple(result)


def last_part(name: str) -> str:
    """Return what follows the last dot or double colon of `name`."""
    return name.rpartition(".")[2].rpartition("::")[2]
