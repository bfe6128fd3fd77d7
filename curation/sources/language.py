"""What a language folder has to provide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from curation.sources.items import Extraction

#: Answers of `Language.detect`: not this language, by the name alone, by name and content.
NO, BY_NAME, BY_CONTENT = 0, 1, 2


@dataclass(frozen=True)
class Language:
    """One source language; each folder of this package defines one as `LANGUAGE`.

    `suffixes` are the endings of its files, `aliases` other names that manifests use.
    `detect(path, text)` says how sure it is that a file with such an ending is in this
    language. `extract(path, text)` never raises: it returns what it found and names the rest.
    `track` is 1 for formal languages and 2 for others.
    """

    id: str
    title: str
    track: int
    suffixes: tuple[str, ...]
    detect: Callable[[str, str], int]
    extract: Callable[[str, str], Extraction]
    folder: Path
    aliases: tuple[str, ...] = ()

    def rules(self) -> str:
        """Return the translation rules and pitfalls of this language, as Markdown."""
        return (self.folder / "rules.md").read_text(encoding="utf-8")

    def owns(self, path: str) -> bool:
        """Return whether the name of `path` ends like a file of this language."""
        return path.endswith(self.suffixes)
