"""Definitions of a Python file that the parser refuses: Python 2, a merge conflict, half a file.

Works on tokens and indentation, so strings and brackets cannot mislead it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from curation.sources.items import LineIndex, SourceItem, fold, is_test_path, unique
from curation.sources.tokens import (
    COMMENT,
    NAME,
    NUMBER,
    STRING,
    SYMBOL,
    Lexer,
    Lexicon,
    Token,
    without_comments,
)

_TRIPLE_END = {
    quotes: re.compile(rf"(?:[^\\]|\\.)*?{quotes}", re.DOTALL)
    for quotes in ('"""', "'''")
}


def _triple_end(text: str, start: int, opened: int) -> int:
    match = _TRIPLE_END[text[opened - 3 : opened]].match(text, opened)
    return match.end() if match else -1


_LEXER = Lexer(
    Lexicon(
        atoms=(
            (STRING, r'[rRbBuUfF]{0,3}"(?:[^"\\\n\r]|\\.)*+"'),
            (STRING, r"[rRbBuUfF]{0,3}'(?:[^'\\\n\r]|\\.)*+'"),
            (COMMENT, r"#[^\n\r]*"),
            (NAME, r"[^\W\d]\w*"),
            (NUMBER, r"\d\w*(?:\.\d*\w*)?"),
            (SYMBOL, r"<>|>>|->|[-+*/%&|^=<>!:]="),
        ),
        comment_open="",
        comment_close="",
        doc=re.compile(r"(?!)"),
        long_string="[rRbBuUfF]{0,3}(?:\"\"\"|''')",
        long_string_end=_triple_end,
        quotes="\"'",
    )
)


def extract_tokens(path: str, text: str) -> tuple[tuple[SourceItem, ...], bool]:
    """Return the functions and classes of `text`, and whether it is written in Python 2."""
    tokens = without_comments(_LEXER.tokens(text)[0])
    lines = LineIndex(text)
    starts = list(_logical_lines(tokens, lines))
    reader = _Reader(path, text, tokens, lines, starts)
    return tuple(reader.items()), _is_python_2(tokens, starts)


def _logical_lines(
    tokens: Sequence[Token], lines: LineIndex
) -> Iterator[tuple[int, int]]:
    """Yield (index of the first token, its column) of every line that is not a continuation."""
    depth, last_line = 0, 0
    for index, token in enumerate(tokens):
        line = lines.line(token.start)
        continued = index > 0 and tokens[index - 1].text == "\\"
        # `def` and `class` cannot stand in brackets: an unclosed one before them is forgotten.
        if line != last_line and token.text in ("def", "class"):
            depth = 0
        if line != last_line and depth == 0 and not continued:
            yield index, token.start - lines.start(line)
        if token.kind == SYMBOL and token.text in "([{":
            depth += 1
        elif token.kind == SYMBOL and token.text in ")]}":
            depth = max(0, depth - 1)
        last_line = lines.line(max(token.start, token.end - 1))


class _Reader:
    def __init__(
        self,
        path: str,
        text: str,
        tokens: list[Token],
        lines: LineIndex,
        starts: list[tuple[int, int]],
    ) -> None:
        self.path, self.text, self.tokens, self.lines, self.starts = (
            path,
            text,
            tokens,
            lines,
            starts,
        )
        self.tests = is_test_path(path)

    def items(self) -> Iterator[SourceItem]:
        scopes: list[tuple[int, SourceItem]] = []  # with their columns
        decorated: int | None = None
        for number, (index, column) in enumerate(self.starts):
            while scopes and column <= scopes[-1][0]:
                scopes.pop()
            token = self.tokens[index]
            if token.text == "@":
                decorated = index if decorated is None else decorated
                continue
            word = index + 1 if token.text == "async" else index
            if self._text(word) in ("def", "class") and self._kind(word + 1) == NAME:
                outer = scopes[-1][1] if scopes else None
                item = self._item(number, word, column, outer, decorated)
                yield item
                scopes.append((column, item))
            decorated = None

    def _item(
        self,
        number: int,
        word: int,
        column: int,
        outer: SourceItem | None,
        decorated: int | None,
    ) -> SourceItem:
        name = self._text(word + 1)
        scope = outer.qualified_name if outer else ""
        in_class = outer is not None and outer.kind == "class"
        first = self.starts[number][0]
        begin = self.tokens[first if decorated is None else decorated].start
        colon = self._colon(word)
        last = self._last(number, column)
        is_class = self._text(word) == "class"
        has_doc = colon + 1 <= last and self._kind(colon + 1) == STRING
        return SourceItem(
            kind="class" if is_class else "method" if in_class else "function",
            category="type" if is_class else "fn",
            name=name,
            qualified_name=f"{scope}.{name}" if scope else name,
            path=self.path,
            line_start=self.lines.line(begin),
            line_end=self.lines.line(max(self.tokens[last].end - 1, begin)),
            signature=fold(
                self.text[self.tokens[first].start : self.tokens[colon].start]
            ),
            doc=self._text(colon + 1).lstrip("rRbBuU").strip("\"'").strip()
            if has_doc
            else "",
            parent=scope,
            mentions=unique(
                one.text for one in self.tokens[word + 2 : last + 1] if one.kind == NAME
            ),
            is_test=(outer is not None and outer.is_test) or self._is_test(name),
            char_start=begin,
            char_end=self.tokens[last].end,
        )

    def _is_test(self, name: str) -> bool:
        return self.tests or name.startswith(("test", "Test"))

    def _colon(self, word: int) -> int:
        depth = 0
        for index in range(word, len(self.tokens)):
            text = self.tokens[index].text
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if text == ":" and depth <= 0:
                return index
        return word + 1

    def _last(self, number: int, column: int) -> int:
        """Return the last token of the block that begins with logical line `number`."""
        for at in range(number + 1, len(self.starts)):
            if self.starts[at][1] <= column:
                # Decorators belong to what they decorate, however they are indented.
                while at - 1 > number and self._text(self.starts[at - 1][0]) == "@":
                    at -= 1
                return self.starts[at][0] - 1
        return len(self.tokens) - 1

    def _text(self, index: int) -> str:
        return self.tokens[index].text if index < len(self.tokens) else ""

    def _kind(self, index: int) -> str:
        return self.tokens[index].kind if index < len(self.tokens) else ""


def _is_python_2(tokens: Sequence[Token], starts: Sequence[tuple[int, int]]) -> bool:
    """Return whether statements of `tokens` have a form that only Python 2 has."""
    bounds = [*(index for index, _ in starts), len(tokens)]
    for index, end in pairwise(bounds):
        statement = tokens[index:end]
        texts = [token.text for token in statement]
        if len(texts) < 2:
            continue
        if texts[0] == "print" and (
            statement[1].kind in (NAME, STRING, NUMBER) or texts[1] == ">>"
        ):
            return True
        if texts[0] == "exec" and statement[1].kind in (NAME, STRING):
            return True
        if texts[0] == "except" and "," in texts and "(" not in texts:
            return True
        if texts[0] == "raise" and texts[2:3] == [","]:
            return True
        if "<>" in texts or "`" in texts:
            return True
    return False
