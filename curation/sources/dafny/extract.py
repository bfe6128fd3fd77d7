"""The inventory of a Dafny file: modules, types, members, with contract and body.

The one hard question is which `{` opens a body and which one a set in a contract: after
something that can end an expression it is the body, after an operator it is a set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from curation.sources.dafny.lexer import (
    CLAUSES,
    DECLARING,
    EXPECTING,
    LEXER,
    MODIFIERS,
    PASSED_OVER,
)
from curation.sources.items import Extraction, SourceItem, in_order
from curation.sources.reading import MAX_DEPTH, Reading
from curation.sources.tokens import NAME, NUMBER, STRING

_MOST_MODIFIERS = 10
_CONTAINERS = frozenset(
    {
        "module",
        "class",
        "trait",
        "datatype",
        "codatatype",
        "newtype",
        "type",
        "iterator",
    }
)


def extract(path: str, text: str) -> Extraction:
    """Return the items of the file and what is unterminated or unbalanced in it."""
    reading = Reading(path, text, LEXER)
    return Extraction(
        tuple(in_order(_Declarations(reading).items())), tuple(reading.problems)
    )


@dataclass
class _Header:
    """What stands before the body of a declaration; all positions are token indices."""

    first: int
    word: int
    name_at: int
    name: str
    attributes: list[str] = field(default_factory=list)
    clauses: list[tuple[int, int]] = field(default_factory=list)
    signature_end: int = 0
    body: int | None = None
    end: int = 0


class _Declarations:
    """Reads the declarations of one file, from the outside in."""

    def __init__(self, reading: Reading) -> None:
        self.read = reading
        self.tokens = reading.tokens

    def items(self) -> Iterator[SourceItem]:
        # (first token, token after the last, qualified name, depth)
        pending: list[tuple[int, int, str, int]] = [(0, len(self.tokens), "", 0)]
        while pending:
            index, stop, scope, depth = pending.pop()
            while index < stop:
                start = self._declaration_at(index, stop)
                if start is None:
                    index = self.read.skip(index)
                    continue
                first, word = start
                if self.tokens[word].text in PASSED_OVER:
                    index = word + 1
                    continue
                header = self._header(first, word, stop)
                item = self._item(header, scope)
                yield item
                if self.tokens[word].text in _CONTAINERS and header.body is not None:
                    close = self.read.close(header.body)
                    inside = (header.body + 1, close, item.qualified_name, depth + 1)
                    if depth < MAX_DEPTH:
                        pending.append(inside)
                    else:
                        self.read.too_deep(header.body)
                index = max(header.end, word + 1)

    def _declaration_at(self, index: int, stop: int) -> tuple[int, int] | None:
        """Return (first modifier, declaring word) if a declaration begins at `index`."""
        word = index
        last = min(stop, index + _MOST_MODIFIERS)
        while word < last and self.tokens[word].text in MODIFIERS:
            word += 1
        if word >= stop or self.tokens[word].kind != NAME:
            return None
        text = self.tokens[word].text
        if text not in DECLARING and text not in PASSED_OVER:
            return None
        opens = self.read.word(word - 1) in ("{", "")  # the first field of a class
        if text == "var" and not opens and self._expects_more(word - 1):
            return None  # `var x := e; …` within an expression
        return index, word

    def _expects_more(self, index: int) -> bool:
        """Return whether an expression is to come after the token at `index`."""
        token = self.tokens[index]
        if token.kind in (STRING, NUMBER):
            return False
        if token.kind == NAME:
            return token.text in EXPECTING
        if token.text == "*":  # `decreases *` is complete, `a *` is not
            return index == 0 or self.tokens[index - 1].text not in CLAUSES
        if token.text == ">" and self._ends_type(index):
            return False
        return token.text not in (")", "]", "}", ";")

    def _ends_type(self, index: int) -> bool:
        """Return whether the `>` at `index` closes type arguments and is not a comparison."""
        depth = 0
        for back in range(index, max(-1, index - 60), -1):
            token = self.tokens[back]
            if token.kind == NAME or token.text in (
                ",",
                "(",
                ")",
                ".",
                "->",
                "~>",
                "==",
                "!",
            ):
                continue
            depth += (token.text == ">") - (token.text == "<")
            if token.text not in ("<", ">"):
                return False
            if depth == 0:
                return True
        return False

    def _header(self, first: int, word: int, stop: int) -> _Header:
        header = _Header(first, word, word, "")
        kind = self.tokens[word].text
        index = word + 1
        if (
            kind in ("function", "predicate", "copredicate")
            and self.read.word(index) == "method"
        ):
            index += 1
        index = self._name(header, index, kind)
        clause: int | None = None
        awaiting_match = 0
        after_equals = False
        while index < stop:
            token = self.tokens[index]
            if token.text == "{" and self.read.word(index + 1) == ":":
                header.attributes.append(self.read.slice(index, self.read.close(index)))
                index = self.read.skip(index)
                continue
            if (
                token.kind == NAME
                and token.text in CLAUSES
                and kind not in _CONTAINERS - {"iterator"}
            ):
                if clause is not None:
                    header.clauses.append((clause, index - 1))
                elif not header.signature_end:
                    header.signature_end = index - 1
                clause = index
            elif token.text == "match" and clause is not None:
                awaiting_match += 1
            elif token.text == "{":
                if awaiting_match:
                    awaiting_match -= 1
                elif not self._expects_more(self._before(index)) or kind in (
                    "module",
                    "class",
                    "trait",
                ):
                    header.body = index
                    break
            elif token.text in ("=", ":=", ":|"):
                after_equals = True
            elif token.text == ";" and not after_equals:
                index += 1
                break
            elif (
                index > header.name_at and self._declaration_at(index, stop) is not None
            ):
                break
            index = self.read.skip(index)
        self._finish(header, clause, index, kind, stop)
        return header

    def _name(self, header: _Header, index: int, kind: str) -> int:
        """Set the name of `header`; return the index behind it."""
        while self.read.word(index) == "{" and self.read.word(index + 1) == ":":
            header.attributes.append(self.read.slice(index, self.read.close(index)))
            index = self.read.skip(index)
        if index < len(self.tokens) and self.tokens[index].kind in (NAME, NUMBER):
            header.name_at, header.name = index, self.tokens[index].text
            while (
                kind == "module"
                and self.read.word(index + 1) == "."
                and index + 2 < len(self.tokens)
            ):
                header.name += "." + self.tokens[index + 2].text
                index += 2
            return index + 1
        header.name_at = header.word
        header.name = "_ctor" if kind == "constructor" else ""
        return index

    def _finish(
        self, header: _Header, clause: int | None, index: int, kind: str, stop: int
    ) -> None:
        last = index - 1
        if clause is not None:
            header.clauses.append((clause, last))
        elif not header.signature_end:
            header.signature_end = last
        header.end = index
        if header.body is None:
            return
        header.end = self.read.close(header.body) + 1
        if (
            self.read.word(header.end) == "by"
            and self.read.word(header.end + 1) == "method"
        ):
            header.end = self.read.skip(header.end + 2)

    def _before(self, index: int) -> int:
        """Return the index of the token before `index`, attributes passed over."""
        before = index - 1
        while before > 0 and self.tokens[before].text == "}":
            opening = self.read.opening.get(before)
            if opening is None or self.read.word(opening + 1) != ":":
                break
            before = opening - 1
        return before

    def _item(self, header: _Header, scope: str) -> SourceItem:
        tokens = self.tokens
        last = min(max(header.end - 1, header.word), len(tokens) - 1)
        word = tokens[header.word].text
        words = [token.text for token in tokens[header.first : header.word]]
        if (
            word in ("function", "predicate")
            and self.read.word(header.word + 1) == "method"
        ):
            words.append("method")
        kind = "field" if word == "var" else word
        name = header.name or f"_{word}_{self.read.line(header.word)}"
        start, end = tokens[header.first].start, tokens[last].end
        return SourceItem(
            kind=kind,
            category=self._category(word, words, header),
            name=name,
            qualified_name=f"{scope}.{name}" if scope else name,
            path=self.read.path,
            line_start=self.read.line(header.first),
            line_end=self.read.last_line(last),
            signature=self.read.slice(header.first, header.signature_end),
            doc=self.read.docs.get(start, ""),
            parent=scope,
            mentions=self.read.mentions(header.name_at + 1, last),
            is_test=self.read.tests
            or any(one.startswith("{:test") for one in header.attributes),
            char_start=start,
            char_end=end,
            modifiers=(*words, *header.attributes),
            clauses=tuple(self.read.slice(*clause) for clause in header.clauses),
        )

    def _category(self, word: str, words: list[str], header: _Header) -> str:
        if any(one.startswith("{:axiom") for one in header.attributes):
            return "axiom"
        defined = any(
            self.read.word(at) == "=" for at in range(header.word, header.end)
        )
        if word == "type" and header.body is None and not defined:
            return "opaque"
        if word in ("function", "method") and "ghost" in words:
            return "spec"
        return DECLARING[word]
