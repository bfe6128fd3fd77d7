"""A lexer for Lean 4 text, without Lean.

Two doors onto one scan. `tokens` (and the faster `scan`) cut a text into tokens that join to the same text
again; `mask` blanks comments, strings and character literals so that ordinary searches see only code.

The rules follow Lean's own tokeniser (`Lean/Parser/Basic.lean`): block comments nest; a quote after an
identifier character is a prime; `r"…"` and `r#"…"#` have no escapes; the braces of `s!"…"`, `m!"…"` and
`f!"…"` hold code; `«…»` quotes a name part. What Lean would refuse becomes a token of kind `open_comment`,
`open_string` or `unknown`; nothing raises, and the time is linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

WHITESPACE = "whitespace"
LINE_COMMENT = "line_comment"
BLOCK_COMMENT = "block_comment"
DOC_COMMENT = "doc_comment"
MODULE_DOC = "module_doc"
STRING = "string"
RAW_STRING = "raw_string"
CHAR = "char"
NUMBER = "number"
IDENTIFIER = "identifier"
KEYWORD = "keyword"
COMMAND = "command"
ATTRIBUTE = "attribute"
OPERATOR = "operator"
UNKNOWN = "unknown"
OPEN_COMMENT = "open_comment"
OPEN_STRING = "open_string"

KINDS: tuple[str, ...] = (
    WHITESPACE,
    LINE_COMMENT,
    BLOCK_COMMENT,
    DOC_COMMENT,
    MODULE_DOC,
    STRING,
    RAW_STRING,
    CHAR,
    NUMBER,
    IDENTIFIER,
    KEYWORD,
    COMMAND,
    ATTRIBUTE,
    OPERATOR,
    UNKNOWN,
    OPEN_COMMENT,
    OPEN_STRING,
)
COMMENTS = frozenset(
    (LINE_COMMENT, BLOCK_COMMENT, DOC_COMMENT, MODULE_DOC, OPEN_COMMENT)
)


def words(text: str) -> frozenset[str]:
    """Return the words of a text, for word lists that read as a paragraph."""
    return frozenset(text.split())


COMMANDS = words(
    """abbrev alias attribute axiom builtin_initialize class coinductive declare_config_elab declare_simp_like_tactic
    declare_syntax_cat def deriving elab elab_rules end example export include import inductive infix infixl infixr
    initialize instance lemma local macro macro_rules module mutual namespace noncomputable notation omit opaque open
    partial postfix prefix prelude private protected public register_option run_cmd run_elab run_meta scoped section
    set_option simproc structure syntax theorem unif_hint universe unsafe variable nonrec meta"""
)
KEYWORDS = words(
    """at break by calc catch continue decreasing_by do else exists extends finally for forall from fun have haveI
    hiding if in infer_instance let letI match mut nomatch nofun obtain renaming return show sorry suffices termination_by
    then this throw try unless until using where while with Prop Sort Type"""
)

# Lean's `isIdFirst`, `isIdRest`, `isLetterLike` and `isSubScriptAlnum`.
_LETTER_LIKE = "α-κμ-ωΑ-ΟΡΤ-Ωϊ-ϻἀ-῾℀-⅏\U0001d49c-\U0001d59fÀ-ÖØ-öø-ÿĀ-ſ"  # no λ, Π, Σ: they are notation
_SUBSCRIPT = "₀-₉ₐ-ₜᵢ-ᵪⱼ"
ID_FIRST = f"A-Za-z_{_LETTER_LIKE}"
ID_REST = f"A-Za-z0-9_'!?{_LETTER_LIKE}{_SUBSCRIPT}"
NAME_PART = rf"(?:[{ID_FIRST}][{ID_REST}]*|«[^«»\n]*»)"
NAME = rf"{NAME_PART}(?:\.{NAME_PART})*"

Span = tuple[str, int, int]
"""Kind, start and end: offsets into the text, end exclusive."""


class Token(NamedTuple):
    """A token of a text: `text[start:end]` is its spelling."""

    kind: str
    start: int
    end: int
    text: str


_POINT = re.compile(r"--[^\n]*|/-|\"|'|«[^«»\n]*»")
_POINT_OR_BRACE = re.compile(r"--[^\n]*|/-|\"|'|«[^«»\n]*»|[{}]")
_NEST = re.compile(r"/-|-/")
_STRING = re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL)
_STRING_PIECE = re.compile(r'(?:[^"\\{]|\\.)*+(["{])', re.DOTALL)
_CHAR = re.compile(
    r"'(?:[^\\']|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^xu]))'", re.DOTALL
)
_NUMBER_BEFORE = re.compile(rf"(?<![{ID_REST}.])[0-9][0-9a-fA-Fxob_]*\Z")
_RAW_HEAD = re.compile(rf"(?<![{ID_REST}])r(#*)\Z")
_ID_REST_CHARACTER = re.compile(rf"[{ID_REST}\]⁻¹]")
_INTERPOLATION_HEAD = re.compile(rf"(?<![{ID_REST}])[smf]!\Z")


def block_end(text: str, start: int) -> tuple[int, bool]:
    """Return where the block comment that opens at `start` ends, and whether it is closed."""
    position = start + 3 if text[start + 2 : start + 3] in ("-", "!") else start + 2
    end = text.find("-/", position)
    if end >= 0 and text.find("/-", position, end + 1) < 0:
        return end + 2, True  # the usual case, without nesting
    depth = 1
    while True:
        match = _NEST.search(text, position)
        if match is None:
            return len(text), False
        position = match.end()
        depth += 1 if text[match.start()] == "/" else -1
        if depth == 0:
            return position, True


_BLOCK_KINDS = {"-": DOC_COMMENT, "!": MODULE_DOC}


class _Spans:
    """The scan for everything that is not plain code, in order of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[Span] = []
        # One entry an interpolated string being read: depth of braces, index of its first span.
        self.holes: list[list[int]] = []

    def run(self) -> list[Span]:
        text, position, append = self.text, 0, self.spans.append
        while True:
            pattern = _POINT_OR_BRACE if self.holes else _POINT
            match = pattern.search(text, position)
            if match is None:
                break
            start, position = match.span()
            first = text[start]
            if first == "-":
                append((LINE_COMMENT, start, position))
            elif first == "/":
                position = self.block(start)
            elif first == '"':
                position = self.string(start)
            elif first == "'":
                position = self.quote(start)
            elif first in "{}":
                position = self.brace(start, first)
        for hole in self.holes:
            _, start, end = self.spans[hole[1]]
            self.spans[hole[1]] = (OPEN_STRING, start, end)
        return self.spans

    def block(self, start: int) -> int:
        end, closed = block_end(self.text, start)
        third = self.text[start + 2 : start + 3]
        kind = _BLOCK_KINDS.get(third, BLOCK_COMMENT) if closed else OPEN_COMMENT
        self.spans.append((kind, start, end))
        return end

    def quote(self, start: int) -> int:
        text = self.text
        if (
            start
            and _ID_REST_CHARACTER.match(text, start - 1)
            and not _NUMBER_BEFORE.search(text, max(0, start - 24), start)
        ):
            return start + 1
        match = _CHAR.match(text, start)
        if match is None:
            return start + 1
        self.spans.append((CHAR, start, match.end()))
        return match.end()

    def string(self, start: int) -> int:
        text = self.text
        before = text[start - 1 : start]
        if before == "!" and _INTERPOLATION_HEAD.search(text, max(0, start - 3), start):
            return self.piece(start - 2, start + 1, None)
        head = None
        if before in ("r", "#"):
            low = start - 1
            while low > 0 and text[low] == "#":
                low -= 1
            head = _RAW_HEAD.search(text, max(0, low - 1), start)
        if head is not None:
            closing = '"' + head.group(1)
            end = text.find(closing, start + 1)
            kind, end = (
                (RAW_STRING, end + len(closing))
                if end >= 0
                else (OPEN_STRING, len(text))
            )
            self.spans.append((kind, head.start(), end))
            return end
        match = _STRING.match(text, start + 1)
        kind, end = (STRING, match.end()) if match else (OPEN_STRING, len(text))
        self.spans.append((kind, start, end))
        return end

    def piece(self, start: int, position: int, hole: list[int] | None) -> int:
        """Read the part of an interpolated string up to its end or its next brace."""
        match = _STRING_PIECE.match(self.text, position)
        if match is None:
            if hole is not None:
                self.holes.remove(hole)
            self.spans.append((OPEN_STRING, start, len(self.text)))
            return len(self.text)
        self.spans.append((STRING, start, match.end()))
        if match.group(1) == "{":
            if hole is None:
                self.holes.append([0, len(self.spans) - 1])
        elif hole is not None:
            self.holes.pop()
        return match.end()

    def brace(self, start: int, brace: str) -> int:
        hole = self.holes[-1]
        if brace == "{":
            hole[0] += 1
        elif hole[0]:
            hole[0] -= 1
        else:
            return self.piece(start, start + 1, hole)
        return start + 1


def spans(text: str) -> list[Span]:
    """Return comments, strings and character literals in order; what lies between them is code."""
    return _Spans(text).run()


_BLANK = re.compile(r"[^\n]+")


def _blank(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())


def mask(text: str, found: Sequence[Span] | None = None) -> str:
    """Return `text` with comments, strings and characters as blanks: same length, same lines.

    `found` may hold the result of `spans(text)`, to save a second scan.
    """
    pieces: list[str] = []
    position = 0
    for _, start, end in spans(text) if found is None else found:
        pieces.append(text[position:start])
        piece = text[start:end]
        pieces.append(
            _BLANK.sub(_blank, piece) if "\n" in piece else " " * (end - start)
        )
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def inside(text: str, line_starts: Sequence[int]) -> list[bool]:
    """Return for each offset (ascending, each the start of a line) whether a comment or string covers it.

    Stretches that hold neither `/-` nor a double quote are not scanned: this is on the path of every import.
    """
    previous = 0
    for offset in line_starts:
        # A stretch begins at the start of a line outside everything, so it can be read on its own.
        doubtful = (
            text.find("/-", previous, offset) >= 0
            or text.find('"', previous, offset) >= 0
        )
        if doubtful and any(
            kind in _OPEN for kind, _, _ in spans(text[previous:offset])
        ):
            return _inside(spans(text), line_starts)
        previous = offset
    return [False] * len(line_starts)


_OPEN = frozenset((OPEN_COMMENT, OPEN_STRING))


def _inside(found: Sequence[Span], offsets: Sequence[int]) -> list[bool]:
    starts = [start for _, start, _ in found]
    answers: list[bool] = []
    for offset in offsets:
        index = bisect_right(starts, offset) - 1
        answers.append(index >= 0 and found[index][1] < offset < found[index][2])
    return answers


_OPERATORS = (
    r"@\[|#\[|\]'|⁻¹'|''|:=|=>|->|<-|<\|>|<\$>|<\*>|<\*|\*>|<&>|<;>|<\|\||\|>\.|<\|\|>|<\||\|>|>>=|>=>|>>|<<<|>>>|&&&"
    r"|\|\|\||\^\^\^|==|!=|<=|>=|&&|\|\||\+\+|::|\.\.\.|\.\.=|\.\.<|\.\.|``|\$\[|\[\[|[!-/:-@\[-`{-~]"
)
_TOKEN = re.compile(
    rf"(?P<whitespace>[ \t\r\n]+)"
    rf"|(?P<identifier>{NAME})"
    rf"|(?P<command>\#[A-Za-z_][A-Za-z_]*)"
    rf"|(?P<number>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<operator>{_OPERATORS}|[^\x00-\x7f])"
    rf"|(?P<unknown>.)",
    re.DOTALL,
)
_WORDS: dict[str, str] = {
    **dict.fromkeys(KEYWORDS, KEYWORD),
    **dict.fromkeys(COMMANDS, COMMAND),
    "@[": ATTRIBUTE,
}


def scan(text: str) -> list[Span]:
    """Return the tokens of `text` as plain triples; each starts where the one before ends."""
    result: list[Span] = []
    position = 0
    word = _WORDS.get
    for span in (*spans(text), ("", len(text), len(text))):
        if position < span[1]:
            result += [
                (word(match.group(), match.lastgroup or ""), match.start(), match.end())
                for match in _TOKEN.finditer(text, position, span[1])
            ]
        if span[0]:
            result.append(span)
        position = span[2]
    return result


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of `text`. Their spellings join to `text` exactly."""
    for kind, start, end in scan(text):
        yield Token(kind, start, end, text[start:end])


class Problem(NamedTuple):
    """Something in a text that Lean would refuse to read. `line` is 1-based."""

    line: int
    message: str


def problems(text: str, found: Sequence[Span] | None = None) -> list[Problem]:
    """Return what is opened and never closed: comments and strings, with the line of the opening."""
    result: list[Problem] = []
    line, counted = 1, 0
    for kind, start, _ in spans(text) if found is None else found:
        if kind in (OPEN_COMMENT, OPEN_STRING):
            line, counted = line + text.count("\n", counted, start), start
            what = "comment" if kind == OPEN_COMMENT else "string"
            result.append(Problem(line, f"{what} is never closed"))
    return result
