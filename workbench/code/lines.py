"""What a line is: the same answer for highlighting, panes, diffs and findings."""

from __future__ import annotations

from dataclasses import dataclass

BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class TextLines:
    """The lines of a text, without their line ends.

    `ends` holds the line end of each line: `"\\n"`, `"\\r\\n"`, or `""` for a last line without one.
    `bom` is true if the text began with a byte order mark, which is in no line.
    """

    lines: tuple[str, ...]
    ends: tuple[str, ...]
    bom: bool = False

    @property
    def style(self) -> str:
        """Return `"LF"`, `"CRLF"`, `"mixed"` or `"none"` (no line end at all)."""
        kinds = set(self.ends) - {""}
        if len(kinds) > 1:
            return "mixed"
        if not kinds:
            return "none"
        return "CRLF" if kinds == {"\r\n"} else "LF"

    @property
    def final_newline(self) -> bool:
        """Return whether the text is empty or ends with a line end."""
        return not self.ends or self.ends[-1] != ""

    def text(self) -> str:
        """Return the text that was split."""
        body = "".join(
            line + end for line, end in zip(self.lines, self.ends, strict=True)
        )
        return (BOM if self.bom else "") + body


def split_lines(text: str) -> TextLines:
    """Return the lines of `text` as an editor numbers them.

    Only `\\n` and `\\r\\n` end a line: `str.splitlines` would also split at form feeds and U+2028, and every
    number after that would be off.
    """
    bom = text.startswith(BOM)
    parts = text.removeprefix(BOM).split("\n")
    last = parts.pop()
    lines: list[str] = []
    ends: list[str] = []
    for part in parts:
        if part.endswith("\r"):
            lines.append(part[:-1])
            ends.append("\r\n")
        else:
            lines.append(part)
            ends.append("\n")
    if last:
        lines.append(last)
        ends.append("")
    return TextLines(tuple(lines), tuple(ends), bom)
