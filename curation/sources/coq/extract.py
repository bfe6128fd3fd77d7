"""The inventory of a Coq file: definitions, statements with their proofs, types, modules.

Whether a sentence is followed by its proof is read off what follows: `Proof`, or a tactic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from curation.sources.coq.lexer import (
    ASSUMPTIONS,
    DEFINITIONS,
    LEXER,
    NEVER_IN_PROOFS,
    NOTATIONS,
    PROOF_ENDS,
    SCOPES,
    STATEMENTS,
    TYPES,
)
from curation.sources.coq.sentences import Sentence, sentences
from curation.sources.items import Extraction, SourceItem, in_order
from curation.sources.reading import MAX_DEPTH, Reading
from curation.sources.tokens import NAME, STRING

_DECLARING = STATEMENTS | DEFINITIONS | ASSUMPTIONS | TYPES | NOTATIONS | SCOPES
_PROOF_STARTS = ("Proof", "Next", "Final", "Obligation", "Obligations")
_TO_PROP = re.compile(r"(?:->|:|,)\s*Prop\s*\.?$")


def extract(path: str, text: str) -> Extraction:
    """Return the items of the file and what is unterminated in it.

    Brackets are left alone: a notation may hold a single one.
    """
    reading = Reading(path, text, LEXER, unbalanced=False)
    file = _File(reading)
    items = tuple(in_order(file.items()))
    return Extraction(items, tuple(reading.problems))


class _File:
    """Reads the sentences of one file and keeps track of sections, modules and proofs."""

    def __init__(self, reading: Reading) -> None:
        self.read = reading
        self.sentences = list(sentences(reading))
        # (name, word, number of the opening sentence, number of the item in `found`)
        self.scopes: list[tuple[str, str, int]] = []
        self.found: list[SourceItem] = []

    def items(self) -> Iterator[SourceItem]:
        number = 0
        while number < len(self.sentences):
            sentence = self.sentences[number]
            if not sentence.ended:
                line = self.read.line(sentence.first)
                self.read.problem(
                    "unterminated", line, "a sentence without a full stop"
                )
            if sentence.command == "End":
                self._close_scope(sentence)
            elif sentence.command in _DECLARING:
                number = self._declaration(number)
                continue
            elif sentence.command in _PROOF_STARTS:
                number = self._proof_end(number, "an obligation") + 1
                continue
            number += 1
        self._close_everything()
        yield from self.found

    # -- scopes -------------------------------------------------------------------------------

    @property
    def scope(self) -> str:
        return ".".join(name for name, _, _ in self.scopes)

    def _open_scope(self, sentence: Sentence, number: int) -> None:
        index = sentence.word + 1
        kind = sentence.command
        if self.read.word(index) == "Type":
            kind, index = "Module Type", index + 1
        elif self.read.word(index) in ("Import", "Export"):
            index += 1
        name = self.read.word(index)
        if self.read.kind(index) != NAME:
            name = f"_{sentence.command}_{self.read.line(sentence.first)}"
        closed = "Declare" in sentence.prefixes or any(
            self.read.word(at) == ":=" for at in range(index, sentence.last)
        )
        self.found.append(
            self._item(sentence, sentence.last, kind, "module", name, index)
        )
        if not closed and len(self.scopes) >= MAX_DEPTH:
            self.read.too_deep(sentence.first)
        elif not closed:
            self.scopes.append((name, kind, len(self.found) - 1))

    def _close_scope(self, sentence: Sentence) -> None:
        name = self.read.word(sentence.word + 1)
        if name not in [scope for scope, _, _ in self.scopes]:
            line = self.read.line(sentence.first)
            message = f"`End {name}` closes nothing that is open"
            self.read.problem("unbalanced", line, message)
            return
        while self.scopes:
            scope, _, at = self.scopes.pop()
            self._stretch(at, sentence.last)
            if scope == name:
                return
            self._complain_open(scope, at)

    def _close_everything(self) -> None:
        while self.scopes:
            scope, _, at = self.scopes.pop()
            self._stretch(at, len(self.read.tokens) - 1)
            self._complain_open(scope, at)

    def _complain_open(self, scope: str, at: int) -> None:
        message = f"{self.found[at].kind} {scope} has no `End {scope}.`"
        self.read.problem("unbalanced", self.found[at].line_start, message)

    def _stretch(self, at: int, last: int) -> None:
        item = self.found[at]
        self.found[at] = replace(
            item,
            line_end=self.read.last_line(last),
            char_end=self.read.tokens[last].end,
        )

    # -- declarations -------------------------------------------------------------------------

    def _declaration(self, number: int) -> int:
        """Read the declaration that is sentence `number`; return the sentence behind it."""
        sentence = self.sentences[number]
        if sentence.command in SCOPES:
            self._open_scope(sentence, number)
            return number + 1
        end, closing = number, ""
        if sentence.command in STATEMENTS | DEFINITIONS and self._proof_follows(number):
            end = self._proof_end(number + 1, self.read.word(sentence.word + 1))
            closing = self.sentences[end].command
        last = self.sentences[end].last
        for kind, name, name_at, first, stop in self._names(sentence):
            stop = last if stop == sentence.last else stop
            category = self._category(sentence, closing)
            modifiers = (closing,) if closing in ("Admitted", "Abort") else ()
            item = self._item(
                sentence,
                stop,
                kind,
                category,
                name,
                name_at,
                first=first,
                closing=modifiers,
            )
            self.found.append(item)
        return end + 1

    def _names(self, sentence: Sentence) -> Iterator[tuple[str, str, int, int, int]]:
        """Yield (kind, name, its index, first token, last token) of what a sentence declares."""
        kind = sentence.command
        if kind in ASSUMPTIONS:
            for index in self._assumed(sentence):
                yield kind, self.read.word(index), index, sentence.first, sentence.last
            return
        parts = (
            self._mutual(sentence) if kind in TYPES | DEFINITIONS | STATEMENTS else []
        )
        starts = [sentence.word + 1, *parts]
        for number, start in enumerate(starts):
            index = self._name_at(start, sentence)
            stop = starts[number + 1] - 2 if number + 1 < len(starts) else sentence.last
            first = sentence.first if number == 0 else start - 1
            name = self.read.word(index)
            if self.read.kind(index) == STRING:
                name = name.strip('"').strip()
            elif self.read.kind(index) != NAME:
                name = ""
            name = name or f"_{kind}_{self.read.line(sentence.first)}"
            yield kind, name, index, first, stop

    def _name_at(self, start: int, sentence: Sentence) -> int:
        """Return where the name stands: `Definition f`, `Instance : C`, `Notation "x + y"`."""
        index = start
        skipped = (
            "Structure",
            "Fixpoint",
            "rec",
            "mutable",
            "Notation",
            "Instance",
            "Coercion",
        )
        while index < sentence.last and self.read.word(index) in (
            *skipped,
            "{",
            "}",
            ">",
        ):
            index += 1
        return min(index, sentence.last)

    def _assumed(self, sentence: Sentence) -> list[int]:
        """Return the indices of the names in `Parameters (a b : nat) (c : Z)` or `Axiom a : P`."""
        index = sentence.word + 1
        found: list[int] = []
        if self.read.word(index) != "(":
            while index <= sentence.last and self.read.kind(index) == NAME:
                found.append(index)
                index += 1
            return found
        while self.read.word(index) == "(" and index < sentence.last:
            inside = index + 1
            while self.read.kind(inside) == NAME:
                found.append(inside)
                inside += 1
            index = self.read.skip(index)
        return found

    def _mutual(self, sentence: Sentence) -> list[int]:
        """Return where the names behind `with` stand; the `with` of a `match` is not meant."""
        matches, found = 0, []
        index = sentence.word + 1
        while index < sentence.last:
            word = self.read.word(index)
            matches += word in ("match", "rewrite", "using")
            if word == "with" and matches:
                matches -= 1
            elif word == "with" and self.read.kind(index + 1) == NAME:
                found.append(index + 1)
            index = self.read.skip(index)
        return found

    # -- proofs -------------------------------------------------------------------------------

    def _proof_follows(self, number: int) -> bool:
        if number + 1 >= len(self.sentences) or not self.sentences[number].ended:
            return False
        following = self.sentences[number + 1]
        if following.command in ("Proof", *PROOF_ENDS):
            return True
        if (
            following.prefixes
            or following.command in _DECLARING
            or following.command == "End"
        ):
            return False
        return following.command == "" or following.command[:1].islower()

    def _proof_end(self, number: int, name: str) -> int:
        """Return the sentence that ends the proof which begins with sentence `number`."""
        opening = self.sentences[number]
        given = opening.command == "Proof" and opening.last > opening.word + 1
        if given and self.read.word(opening.word + 1) not in ("using", "with", "Mode"):
            return number  # `Proof term.`
        begin = number
        while number < len(self.sentences):
            sentence = self.sentences[number]
            if sentence.command in PROOF_ENDS:
                return number
            if (
                number > begin
                and sentence.command in NEVER_IN_PROOFS
                and not sentence.prefixes
            ):
                break
            number += 1
        line = self.read.line(opening.first)
        message = f"the proof of {name} has no Qed, Defined, Admitted or Abort"
        self.read.problem("unterminated", line, message)
        return max(begin, number - 1)

    # -- items --------------------------------------------------------------------------------

    def _category(self, sentence: Sentence, closing: str) -> str:
        command = sentence.command
        if command in NOTATIONS:
            return "notation"
        if command in TYPES:
            return "type"
        if command in ASSUMPTIONS:
            return (
                "opaque" if command.startswith(("Parameter", "Variable")) else "axiom"
            )
        if command in STATEMENTS:
            return "axiom" if closing == "Admitted" else "proof"
        head = self._head(sentence)
        return (
            "spec" if _TO_PROP.search(self.read.slice(sentence.first, head)) else "fn"
        )

    def _head(self, sentence: Sentence) -> int:
        """Return the last token before `:=`, of the sentence if it has none."""
        index = sentence.word
        while index < sentence.last:
            if self.read.word(index) == ":=":
                return index - 1
            index = self.read.skip(index)
        return sentence.last

    def _item(
        self,
        sentence: Sentence,
        last: int,
        kind: str,
        category: str,
        name: str,
        name_at: int,
        *,
        first: int | None = None,
        closing: tuple[str, ...] = (),
    ) -> SourceItem:
        first = sentence.first if first is None else first
        last = min(max(last, first), len(self.read.tokens) - 1)
        head = (
            sentence.last
            if category in ("proof", "axiom", "opaque")
            else self._head(sentence)
        )
        head = last if first != sentence.first else head
        begin = self.read.tokens[first]
        scope = self.scope
        return SourceItem(
            kind=kind,
            category=category,
            name=name,
            qualified_name=f"{scope}.{name}" if scope else name,
            path=self.read.path,
            line_start=self.read.line(first),
            line_end=self.read.last_line(last),
            signature=self.read.slice(first, head).removesuffix(".").strip(),
            doc=self.read.docs.get(begin.start, ""),
            parent=scope,
            mentions=self.read.mentions(min(name_at + 1, last), last, ()),
            is_test=self.read.tests or kind == "Example",
            char_start=begin.start,
            char_end=self.read.tokens[last].end,
            modifiers=(*sentence.prefixes, *closing),
        )
