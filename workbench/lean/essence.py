"""What Lean makes of a text, as far as its tokens and their places can tell: the text without what Lean does not see.

Two texts with the same essence are read alike by Lean. The converse does not hold, on purpose: in doubt they differ.

Left out: comments of every kind (doc comments too), blank lines, white space at line ends, white space around
brackets, commas and the usual infix operators (`a+b`, `a + b`).

Kept, because Lean decides by it:
- the spelling of every token;
- white space between all other tokens: `f x`, `xs [0]`, `x .1`, `n !` are not `xs[0]`, `x.1`, `n!`;
- which token begins a line;
- how the column of a line compares with the columns at which a block can have begun: those of the lines before it, and
  of tokens inside a line behind `by`, `do`, `=>`, `:=`, `·`, `(` and the like. So a text that is indented deeper as a
  whole stays the same; one line that moves into or out of a block does not.

A block that has ended plays no part: it ends with its bracket, or at a line to its left that cannot go on with it.
Lean's own rules: `checkColGe`, `checkColGt`, `checkColEq`, `checkWsBefore`, `checkNoWsBefore`, `withPosition` and
`withoutPosition` of Lean/Parser/Basic.lean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.lean.lexer import (
    ATTRIBUTE,
    BLOCK_COMMENT,
    CHAR,
    COMMAND,
    DOC_COMMENT,
    IDENTIFIER,
    KEYWORD,
    LINE_COMMENT,
    MODULE_DOC,
    NUMBER,
    RAW_STRING,
    STRING,
    WHITESPACE,
    Span,
    scan,
    words,
)

#: A comment that is never closed is none: it stays.
_COMMENTS = frozenset((LINE_COMMENT, BLOCK_COMMENT, DOC_COMMENT, MODULE_DOC))
_UNSEEN = _COMMENTS | {WHITESPACE}
_LITERALS = frozenset((NUMBER, STRING, RAW_STRING, CHAR))
_WORDS = frozenset((IDENTIFIER, KEYWORD, COMMAND)) | _LITERALS
_OPENING, _CLOSING = frozenset("([{⟨⦃⟦"), frozenset(")]}⟩⦄⟧")
_BRACKETS = _OPENING | _CLOSING
#: White space on either side of these says nothing when a word or a bracket stands there.
_LOOSE = words(
    ", ; : := = ≠ == != < > ≤ ≥ <= >= => -> <- → ← ↔ ↦ ∧ ∨ && || ++ :: * / × ∘ ∈ ∉ ⊆ ⊂ ∪ ∩ ∣"
)
#: The same, where there is as much on the left as on the right: `simp +arith` is no sum.
_BALANCED = words("+ -")
#: Behind these, in the same line, a block can begin.
_BEFORE_BLOCK = words(
    """=> := · . <;> ; <| $ ← <- ( { [ ⟨ |> ↦ by do then else from calc try where catch finally return unless
    decreasing_by all_goals any_goals repeat repeat' repeat1 focus iterate case' next fail_if_success show_term"""
)
#: These remember where they stand.
_REMEMBERED = words(
    "let have letI haveI show suffices obtain match if fun do by calc for unless try return where |"
)
#: After these, names follow up to the arrow, wherever they stand.
_HEADS = words("fun λ ∀ ∃ Σ Π ∑ ∏ let have letI haveI")
_HEAD_ENDS = words("=> ↦ , := :")
#: At the start of a line these begin something; they never go on with the line before.
_STARTERS = words(
    "let have letI haveI show obtain suffices calc match for return try unless if |"
)
#: More columns than any layout that people write (the public instances have up to 19): such a text is compared as it stands.
_MOST_COLUMNS = 64


def essence(text: str) -> str:
    """Return what Lean sees of `text`, as a string that is good for nothing but comparing. Linear in the text."""
    return _Essence(text).run()


@dataclass(slots=True)
class _Frame:
    """The columns at which blocks can have begun inside one bracket, in order. `head`: binders are being listed."""

    columns: list[tuple[int, bool]] = field(default_factory=list)
    head: bool = False


class _Essence:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[str] = []
        self.frames = [_Frame()]
        self.columns = 0
        self.tries = (
            "first" in text
        )  # `first | simp | …`: there a block begins behind `|`

    def run(self) -> str:
        text, previous, before = self.text, None, ""
        gap_before = False
        line_start, on_first_line = 0, True
        for token in self.seen():
            kind, start, end = token
            spelling = text[start:end]
            between = text[previous[2] : start] if previous else text[:start]
            broken = "\n" in between
            if broken:
                line_start = text.rfind("\n", 0, start) + 1
                on_first_line = False
            column = start - line_start
            if previous is None:
                mark = ""
            elif broken:
                mark = self.new_line(column, before, previous[0], kind, spelling)
            else:
                mark = self.same_line(column, on_first_line, before, spelling) + _gap(
                    previous, before, token, spelling, gap_before, bool(between)
                )
            if self.columns > _MOST_COLUMNS:
                return self.exactly()
            self.pieces.append(f"{mark}{len(spelling)}:{spelling}")
            self.bracket(kind, spelling)
            previous, before, gap_before = token, spelling, bool(between)
        return "".join(self.pieces)

    def seen(self) -> list[Span]:
        """Return the tokens that count. A comment right behind an operator may be part of a notation: it counts."""
        found: list[Span] = []
        last: Span = ("", 0, 0)
        for token in scan(self.text):
            kind, start, _ = token
            glued = (
                kind in _COMMENTS
                and last[0] not in _UNSEEN
                and last[0] not in _WORDS
                and self.text[last[1] : last[2]] not in _BRACKETS
                and start > 0
                and self.text[last[1] : last[2]] != ","
            )
            if kind not in _UNSEEN or glued:
                found.append((kind, *token[1:]))
            last = token
        return found

    def exactly(self) -> str:
        """Return the tokens with their lines and columns: for texts that are laid out like no other."""
        text, line_start, pieces = self.text, 0, ["exactly"]
        position = 0
        for _, start, end in self.seen():
            lines = text.count("\n", position, start)
            if lines:
                line_start = text.rfind("\n", 0, start) + 1
            pieces.append(
                f"{'n' if lines else ''}{start - line_start},{end - start}:{text[start:end]}"
            )
            position = start
        return "".join(pieces)

    def new_line(
        self, column: int, before: str, kind_before: str, kind: str, spelling: str
    ) -> str:
        frame = self.frames[-1]
        if not frame.head and _ends(kind_before, before) and _begins(kind, spelling):
            while frame.columns and frame.columns[-1][0] > column:
                frame.columns.pop()
                self.columns -= 1
        signs = [
            _sign(column, other, first)
            for each in self.frames
            for other, first in each.columns
        ]
        self.add(column, False)
        return "\n" + "".join(signs)

    def same_line(
        self, column: int, on_first_line: bool, before: str, spelling: str
    ) -> str:
        """Note that a block can begin here; "n" for a new column, its place where it is known, "" for no block."""
        starts = before in _BEFORE_BLOCK or spelling in _REMEMBERED
        if not starts and not (before == "|" and self.tries):
            return ""
        return self.add(column, on_first_line)

    def add(self, column: int, first: bool) -> str:
        columns = self.frames[-1].columns
        if (column, first) in columns:
            return f"k{columns.index((column, first))} "
        columns.append((column, first))
        self.columns += 1
        return "n"

    def bracket(self, kind: str, spelling: str) -> None:
        frame = self.frames[-1]
        if kind in _LITERALS:
            return
        last = spelling[-1:]
        if last in _OPENING and kind not in _WORDS:
            self.frames.append(_Frame())
        elif spelling in _CLOSING and len(self.frames) > 1:
            self.columns -= len(self.frames.pop().columns)
        elif spelling in _HEADS:
            frame.head = True
        elif spelling in _HEAD_ENDS:
            frame.head = False


def _sign(column: int, other: int, on_first_line: bool) -> str:
    """Return how a line's column compares with another one.

    The first line of a declaration is cut at its first character, so its columns may be too small: then the
    difference itself is told.
    """
    if column > other:
        return f">{column - other} " if on_first_line else ">"
    return "=" if column == other else "<"


def _ends(kind: str, spelling: str) -> bool:
    """Return whether something can end with this token: nothing must follow it."""
    return kind == IDENTIFIER or kind in _LITERALS or spelling in _CLOSING


def _begins(kind: str, spelling: str) -> bool:
    """Return whether this token begins something, unless a block to its left still waits for more."""
    return kind in (IDENTIFIER, NUMBER) or spelling in _STARTERS


def _gap(
    left: Span, before: str, right: Span, spelling: str, gap_before: bool, gap: bool
) -> str:
    """Return " " or "" for white space that Lean may heed, "" where it does not."""
    if before in _BALANCED and _plain(right, spelling):
        return "" if gap == gap_before else ("~ " if gap else "~")
    if spelling in _BALANCED and _plain(left, before):
        return ""
    loose = (
        (before in _LOOSE and _plain(right, spelling))
        or (spelling in _LOOSE and _plain(left, before))
        or (before in _OPENING and right[0] in _WORDS)
        or (spelling in _CLOSING and (left[0] in _WORDS or before in _CLOSING))
        or (before in _OPENING and spelling in _OPENING)
        or (left[0] == ATTRIBUTE and right[0] in _WORDS)
    )
    return " " if gap and not loose else ""


def _plain(token: Span, spelling: str) -> bool:
    return token[0] in _WORDS or spelling in _BRACKETS
