"""Short ways to extract from a text, and what must hold of every extraction."""

from __future__ import annotations

from curation.sources.items import Extraction, LineIndex, SourceItem
from curation.sources.registry import language


def extract(name: str, text: str, path: str | None = None) -> Extraction:
    """Return what the extractor of the language finds in `text`."""
    found = language(name)
    assert found is not None
    return found.extract(path or f"a{found.suffixes[0]}", text)


def only(extraction: Extraction, name: str) -> SourceItem:
    """Return the one item that is called `name`, plain or qualified."""
    found = [
        item for item in extraction.items if name in (item.name, item.qualified_name)
    ]
    assert len(found) == 1, [item.qualified_name for item in extraction.items]
    return found[0]


def outline(extraction: Extraction) -> list[tuple[str, str, int, int]]:
    """Return (kind, qualified name, first line, last line) from top to bottom."""
    items = sorted(extraction.items, key=lambda item: (item.char_start, -item.char_end))
    return [
        (item.kind, item.qualified_name, item.line_start, item.line_end)
        for item in items
    ]


def check(extraction: Extraction, text: str) -> None:
    """Fail unless every item lies in the text and items are nested or apart."""
    lines = LineIndex(text)
    for item in extraction.items:
        assert item.name
        assert 1 <= item.line_start <= item.line_end <= lines.last
        assert 0 <= item.char_start <= item.char_end <= len(text)
        assert lines.line(item.char_start) == item.line_start
        assert "\n" not in item.signature
    for problem in extraction.problems:
        assert 0 <= problem.line <= lines.last
        assert problem.message
    open_items: list[SourceItem] = []
    for item in sorted(
        extraction.items, key=lambda item: (item.char_start, -item.char_end)
    ):
        while open_items and open_items[-1].char_end <= item.char_start:
            open_items.pop()
        if open_items:
            assert item.char_end <= open_items[-1].char_end, (
                open_items[-1].qualified_name,
                item.qualified_name,
            )
        open_items.append(item)
