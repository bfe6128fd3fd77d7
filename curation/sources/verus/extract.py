"""The inventory of a Verus or Rust file, inside `verus! { … }` and other macros too.

Macro bodies that hold functions are read in place; names with `$` stay as the macro writes
them, since nothing is expanded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from curation.sources.items import Extraction, SourceItem, in_order
from curation.sources.reading import MAX_DEPTH, Reading
from curation.sources.tokens import NAME
from curation.sources.verus.header import Header, impl_target, read_header
from curation.sources.verus.lexer import DECLARING, LEXER, MODIFIERS

_SCOPES = frozenset({"impl", "trait", "mod"})
_CATEGORIES = {
    "struct": "type",
    "enum": "type",
    "union": "type",
    "trait": "type",
    "type": "type",
    "impl": "module",
    "mod": "module",
    "const": "const",
    "static": "const",
    "macro": "notation",
}


def extract(path: str, text: str) -> Extraction:
    """Return the items of the file and what is unterminated or unbalanced in it."""
    reading = Reading(path, text, LEXER)
    return Extraction(tuple(in_order(_Items(reading).items())), tuple(reading.problems))


@dataclass(frozen=True)
class _Region:
    """Tokens from `start` up to `stop`, exclusive, and what encloses them."""

    start: int
    stop: int
    scope: str
    is_test: bool
    member_of: str = ""  # "trait", "impl Clone for U8", …
    depth: int = 0


class _Items:
    """Reads the items of one file, from the outside in."""

    def __init__(self, reading: Reading) -> None:
        self.read = reading
        self.pending: list[_Region] = []

    def items(self) -> Iterator[SourceItem]:
        self.pending.append(_Region(0, len(self.read.tokens), "", self.read.tests))
        while self.pending:
            region = self.pending.pop()
            index = region.start
            while index < region.stop:
                index, item = self._next(index, region)
                if item is not None:
                    yield item

    def _next(self, index: int, region: _Region) -> tuple[int, SourceItem | None]:
        """Return where to go on, and the item at `index` if there is one."""
        first = index
        attributes: list[str] = []
        while self.read.word(index) == "#" and index < region.stop:
            bracket = index + 2 if self.read.word(index + 1) == "!" else index + 1
            if self.read.word(bracket) != "[":
                return index + 1, None
            if bracket == index + 2:  # `#![…]` belongs to what encloses it
                return self.read.skip(bracket), None
            attributes.append(self.read.slice(index, self.read.close(bracket)))
            index = self.read.skip(bracket)
        if self.read.word(index) == "$" and self.read.word(index + 1) == "(":
            self._read_inside(index + 1, region)  # a repetition in a macro
            return self.read.skip(index + 1), None
        word, modifiers = self._modifiers(index, region.stop)
        text = self.read.word(word)
        if word >= region.stop or self.read.kind(word) != NAME:
            return (word if word > index else self.read.skip(index)), None
        if text == "macro_rules" and self.read.word(word + 1) == "!":
            return self._macro_rules(first, word, region, attributes)
        if self.read.word(word + 1) == "!":
            return self._invocation(word, region), None
        if text in DECLARING and not (
            text == "type" and self.read.kind(word + 1) != NAME
        ):
            return self._declaration(first, word, text, modifiers, attributes, region)
        words = [one.partition(" ")[0] for one in modifiers]
        constant = next((one for one in ("const", "static") if one in words), None)
        if constant is not None:
            return self._declaration(
                first, word - 1, constant, modifiers, attributes, region
            )
        return self._behind_statement(word, region.stop), None

    def _modifiers(self, index: int, stop: int) -> tuple[int, list[str]]:
        """Return the index behind the modifiers at `index`, and the modifiers."""
        found: list[str] = []
        while index < stop and self.read.word(index) in MODIFIERS:
            begin, word = index, self.read.word(index)
            index += 1
            if self.read.word(index) == "(" and word in (
                "pub",
                "open",
                "spec",
                "closed",
            ):
                index = self.read.skip(index)
            elif (word == "extern" and self.read.word(index).startswith('"')) or (
                word == "static" and self.read.word(index) == "mut"
            ):
                index += 1
            found.append(self.read.slice(begin, index - 1))
        return index, found

    def _behind_statement(self, index: int, stop: int) -> int:
        """Return the index behind `use …;`, `broadcast use …`, an enum variant, or one token."""
        if self.read.word(index) not in ("use", "global", "crate"):
            return self.read.skip(index)
        while index < stop and self.read.word(index) != ";":
            index = self.read.skip(index)
        return index + 1

    def _macro_rules(
        self, first: int, word: int, region: _Region, attributes: list[str]
    ) -> tuple[int, SourceItem | None]:
        name_at = word + 2
        body = name_at + 1
        if self.read.word(body) not in ("{", "(", "["):
            return body, None
        end = self.read.skip(body)
        inside = replace(region, scope=_joined(region.scope, self.read.word(name_at)))
        index = body + 1
        while index < self.read.close(body):
            arm = self.read.word(index + 1) in ("{", "(", "[")
            if self.read.word(index) == "=>" and arm:
                self._read_inside(index + 1, inside)
            index = self.read.skip(index)
        header = Header(
            name=self.read.word(name_at),
            name_at=name_at,
            signature_end=name_at,
            end=end,
        )
        return end, self._item(first, word, "macro", header, [], attributes, region)

    def _invocation(self, word: int, region: _Region) -> int:
        """Read a macro's argument as items if it holds a declaration; return where it ends."""
        body = word + 2
        if self.read.kind(body) == NAME:  # `name! ident { … }`
            body += 1
        if self.read.word(body) not in ("{", "(", "["):
            return word + 2
        self._read_inside(body, region)
        return self.read.skip(body)

    def _read_inside(self, opening: int, region: _Region) -> None:
        if region.depth >= MAX_DEPTH:
            self.read.too_deep(opening)
            return
        start, stop = opening + 1, self.read.close(opening)
        words = self.read.tokens[start:stop]
        if any(
            token.text in DECLARING and follower.kind == NAME
            for token, follower in itertools.pairwise(words)
        ):
            inside = replace(region, start=start, stop=stop, depth=region.depth + 1)
            self.pending.append(inside)

    def _declaration(
        self,
        first: int,
        word: int,
        kind: str,
        modifiers: list[str],
        attributes: list[str],
        region: _Region,
    ) -> tuple[int, SourceItem | None]:
        header = read_header(self.read, word, kind, region.stop)
        if kind == "impl":
            trait, target = impl_target(self.read, word, header.signature_end)
            label = f"impl {trait} for {target}" if trait else f"impl {target}"
            header.name = label
        item = self._item(first, word, kind, header, modifiers, attributes, region)
        if kind in _SCOPES and header.body is not None:
            scope = item.qualified_name
            member_of = kind
            if kind == "impl":
                scope, member_of = _joined(region.scope, target), label
            inside = _Region(
                header.body + 1,
                self.read.close(header.body),
                scope,
                item.is_test,
                member_of,
                region.depth + 1,
            )
            if region.depth < MAX_DEPTH:
                self.pending.append(inside)
            else:
                self.read.too_deep(header.body)
        return max(header.end, word + 1), item

    def _item(
        self,
        first: int,
        word: int,
        kind: str,
        header: Header,
        modifiers: list[str],
        attributes: list[str],
        region: _Region,
    ) -> SourceItem:
        last = min(max(header.end - 1, word), len(self.read.tokens) - 1)
        begin = self.read.tokens[first]
        is_test = region.is_test or any(_is_test(one) for one in attributes)
        start_of_signature = first
        while self.read.word(start_of_signature) == "#":
            bracket = start_of_signature + (
                2 if self.read.word(start_of_signature + 1) == "!" else 1
            )
            start_of_signature = self.read.skip(bracket)
        member = (region.member_of,) if region.member_of.startswith("impl ") else ()
        return SourceItem(
            kind=_kind(kind, modifiers),
            category=self._category(kind, modifiers, attributes, header, last),
            name=header.name or f"_{kind}_{self.read.line(word)}",
            qualified_name=_joined(
                region.scope, header.name or f"_{kind}_{self.read.line(word)}"
            ),
            path=self.read.path,
            line_start=self.read.line(first),
            line_end=self.read.last_line(last),
            signature=self.read.slice(start_of_signature, header.signature_end),
            doc=self.read.docs.get(begin.start, ""),
            parent=region.scope,
            mentions=self.read.mentions(header.name_at + 1, last, (".", "::")),
            is_test=is_test,
            char_start=begin.start,
            char_end=self.read.tokens[last].end,
            modifiers=(*modifiers, *attributes, *member),
            clauses=tuple(self.read.slice(*clause) for clause in header.clauses),
        )

    def _category(
        self,
        kind: str,
        modifiers: list[str],
        attributes: list[str],
        header: Header,
        last: int,
    ) -> str:
        if kind != "fn":
            return _CATEGORIES[kind]
        mode = {one.partition("(")[0] for one in modifiers}
        external = any("external_body" in one or "admit" in one for one in attributes)
        if "axiom" in mode or ("proof" in mode and external):
            return "axiom"
        if "uninterp" in mode or ("spec" in mode and external):
            return "opaque"
        if "proof" in mode:
            inside = {
                token.text for token in self.read.tokens[header.body or last : last]
            }
            return (
                "axiom"
                if "admit" in inside and "assume" not in header.name
                else "proof"
            )
        return "spec" if "spec" in mode else "fn"


def _kind(kind: str, modifiers: list[str]) -> str:
    if kind != "fn":
        return kind
    mode = [one.partition("(")[0] for one in modifiers]
    return next(
        (f"{one} fn" for one in ("spec", "proof", "axiom", "exec") if one in mode), "fn"
    )


def _is_test(attribute: str) -> bool:
    inner = attribute.replace(" ", "")
    return (
        inner == "#[test]"
        or inner.startswith("#[cfg(test")
        or inner.endswith("::test]")
    )


def _joined(scope: str, name: str) -> str:
    return f"{scope}::{name}" if scope else name
