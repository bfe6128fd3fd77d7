"""Declarations of a Lean 4 file, read off its text.

Nothing is elaborated. Names come from namespaces as written, members from the shape of the lines. Commands
count where Lean's grammar puts them (outside brackets), so declarations inside quotations of macros are not
taken for real ones. What macros declare is not seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.lean import lexer
from workbench.lean.headers import Header, Import, header
from workbench.lean.lexer import DOC_COMMENT, ID_REST, NAME, NAME_PART
from workbench.lean.members import BRACKET, WITH_MEMBERS, Member, constructors, fields

__all__ = [
    "Command",
    "Declaration",
    "FileScan",
    "Header",
    "Import",
    "Member",
    "header",
    "name_parts",
    "scan_file",
]

DECLARATION_KINDS = (
    "def",
    "abbrev",
    "theorem",
    "lemma",
    "structure",
    "class",
    "inductive",
    "coinductive",
    "instance",
    "axiom",
    "opaque",
    "example",
)
MODIFIERS = (
    "private",
    "protected",
    "public",
    "noncomputable",
    "unsafe",
    "partial",
    "nonrec",
    "meta",
    "scoped",
    "local",
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration as written. Lines are 1-based and inclusive, offsets are into the text of the file.

    `name` is fully qualified without `_root_`; anonymous instances and examples have an empty name.
    The range starts with the doc comment, attributes and `open … in`; `line` is that of the keyword.
    """

    name: str
    short_name: str
    namespace: str
    kind: str
    modifiers: tuple[str, ...]
    attributes: tuple[str, ...]
    doc: str
    start_line: int
    line: int
    end_line: int
    start: int
    code_start: int
    end: int
    signature: str
    text: str
    opens: tuple[str, ...]
    members: tuple[Member, ...] = ()
    mutual: int | None = None

    @property
    def private(self) -> bool:
        """Return whether other files cannot name it."""
        return "private" in self.modifiers


class Command(NamedTuple):
    """A command of any kind: its keyword, offset and line."""

    word: str
    start: int
    line: int


@dataclass(frozen=True, slots=True)
class FileScan:
    """What the text of one file says. `code` is the text with comments and strings blanked."""

    header: Header
    declarations: tuple[Declaration, ...]
    commands: tuple[Command, ...]
    namespaces: frozenset[str]
    problems: tuple[lexer.Problem, ...]
    code: str = field(repr=False)


_HARD = (
    *DECLARATION_KINDS,
    "namespace",
    "section",
    "end",
    "mutual",
    "open",
    "export",
    "variable",
    "universe",
    "attribute",
    "set_option",
    r"deriving\s+instance",
    r"class\s+(?:inductive|abbrev)",
    "macro_rules",
    "elab_rules",
    "declare_syntax_cat",
    "run_cmd",
    "run_elab",
    "run_meta",
)
_SOFT = lexer.words(
    """lemma include omit notation infix infixl infixr prefix postfix macro syntax elab initialize builtin_initialize
    register_option simproc unif_hint alias import prelude module"""
)
_ATTRIBUTES = r"@\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
_COMMAND = re.compile(
    rf"\s(?=[@\#a-z])(?P<prefix>(?:{_ATTRIBUTES}\s*|(?:{'|'.join(MODIFIERS)})\s+){{0,12}})"
    rf"(?:(?P<word>{'|'.join(sorted({*_HARD, *_SOFT}, key=len, reverse=True))})(?![{ID_REST}])|(?P<hash>\#[a-z_]+))"
)
_NAME_AFTER = re.compile(rf"\s*(?:\(\s*priority[^)]*\)\s*)?({NAME})?")
_REST_OF_LINE_NAME = re.compile(rf"[ \t]+({NAME})")
_IN = re.compile(rf"[^\n]{{0,2000}}?\s(in)(?![{ID_REST}])")
# Names may go on in the next line when that is indented.
_OPEN_NAMES = re.compile(rf"\s+({NAME}(?:(?:[ \t]|\n[ \t])+{NAME}){{0,200}})")
_NOT_OPENED = frozenset(
    ("in", "hiding", "renaming", *DECLARATION_KINDS, *lexer.COMMANDS)
) - {"scoped"}
_SIGNATURE_STOP = re.compile(
    rf"[(\[{{⟨⦃]|[)\]}}⟩⦄]|:=|(?<![{ID_REST}.])(?:where|deriving)(?![{ID_REST}])|(?<=\s)\|(?=\s)"
)
_ATTRIBUTE_LIST = re.compile(_ATTRIBUTES)
_NAME_PARTS = re.compile(NAME_PART)
_NAME = re.compile(NAME)


def name_parts(name: str) -> tuple[str, ...]:
    """Return the components of a dotted name, at least one; a dot inside `«…»` separates nothing."""
    if "«" not in name:
        return tuple(name.split("."))
    return tuple(_NAME_PARTS.findall(name)) or (name,)


class _Scope(NamedTuple):
    kind: str
    name: str
    opens: list[str]


class _Context(NamedTuple):
    """What the scopes around a declaration mean for it."""

    namespace: str
    opens: tuple[str, ...]
    mutual: int | None


#: What is said behind the last word of a declaration, on its line, belongs to its text.
_REMARK = re.compile(r"[ \t]+--[^\n]*[^\s]")
#: No file that people write nests deeper; the limit keeps hostile files linear.
MAX_SCOPES = 200


class _Scan:
    """One pass over the commands of a file."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = lexer.spans(text)
        self.code = lexer.mask(text, found)
        self.docs = [(start, end) for kind, start, end in found if kind == DOC_COMMENT]
        self.doc_ends = [end for _, end in self.docs]
        self.newlines = [match.start() for match in re.finditer("\n", text)]
        self.header = header(text)
        self.scopes: list[_Scope] = [_Scope("file", "", [])]
        self.problems = lexer.problems(text, found)
        self.commands: list[Command] = []
        self.namespaces: set[str] = set()
        self.mutuals = 0
        self.left_out = 0
        self.said_too_deep = False
        self.pending_start: int | None = None
        self.pending_opens: list[str] = []
        self.known: _Context | None = None

    def line(self, offset: int) -> int:
        return bisect_right(self.newlines, offset - 1) + 1

    def positions(self) -> Iterator[tuple[int, int, re.Match[str]]]:
        """Yield start, start of the keyword and match of each command that counts."""
        depth, counted = 0, 0
        # The pattern wants white space in front, so offsets in its subject are one too high.
        for match in _COMMAND.finditer("\n" + self.code, self.header.end):
            start = match.start("prefix") - 1
            word = match["word"]
            if start > 0 and self.code[start - 1] != "\n":
                depth, counted = depth + self.depth(counted, start), start
                if word in _SOFT or depth > 0:
                    continue
            depth, counted = 0, start
            yield (
                start,
                (match.start("word") if word else match.start("hash")) - 1,
                match,
            )

    def depth(self, start: int, end: int) -> int:
        depth = 0
        for match in BRACKET.finditer(self.code, start, end):
            depth += 1 if match.group() in "([{⟨⦃" else -1
        return depth

    def run(self) -> FileScan:
        declarations: list[tuple[int, int, re.Match[str], _Context]] = []
        starts: list[int] = []
        for start, keyword, match in self.positions():
            word = " ".join((match["word"] or match["hash"]).split())
            if self.is_prefix(start, keyword, word):
                continue
            self.commands.append(Command(word, start, self.line(keyword)))
            first = start if self.pending_start is None else self.pending_start
            starts.append(first)
            if word.split()[0] in DECLARATION_KINDS:
                declarations.append((len(starts) - 1, keyword, match, self.context()))
            else:
                self.scope(word, keyword, match.end() - 1)
            self.pending_start, self.pending_opens = None, []
        starts.append(len(self.code))
        return FileScan(
            header=self.header,
            declarations=tuple(
                self.declaration(
                    starts[index], starts[index + 1], keyword, match, context
                )
                for index, keyword, match, context in declarations
            ),
            commands=tuple(self.commands),
            namespaces=frozenset(self.namespaces),
            problems=tuple(self.problems),
            code=self.code,
        )

    def is_prefix(self, start: int, keyword: int, word: str) -> bool:
        """Return whether `open … in` or the like stands here, and keep it for the command it belongs to."""
        if word not in (
            "open",
            "set_option",
            "variable",
            "include",
            "omit",
            "attribute",
        ):
            return False
        match = _IN.match(self.code, keyword)
        if match is None:
            return False
        if (
            _COMMAND.match(" " + self.code[match.end(1) : match.end(1) + 2000].lstrip())
            is None
        ):
            return True  # inside a term or a proof: part of the declaration around it
        if self.pending_start is None:
            self.pending_start = start
        if word == "open":
            self.pending_opens += self.open_names(keyword + 4)
        return True

    def open_names(self, position: int) -> list[str]:
        match = _OPEN_NAMES.match(self.code, position)
        names = _NAME.findall(match[1]) if match else []
        end = next(
            (i for i, name in enumerate(names) if name in _NOT_OPENED), len(names)
        )
        return [name for name in names[:end] if name != "scoped"]

    def context(self) -> _Context:
        if self.known is None:
            mutual = next(
                (int(s.name) for s in reversed(self.scopes) if s.kind == "mutual"), None
            )
            opens = tuple(name for scope in self.scopes for name in scope.opens)
            self.known = _Context(self.namespace(), opens, mutual)
        if self.pending_opens:
            return self.known._replace(opens=(*self.known.opens, *self.pending_opens))
        return self.known

    def namespace(self) -> str:
        return ".".join(
            scope.name for scope in self.scopes if scope.kind == "namespace"
        )

    def scope(self, word: str, keyword: int, end: int) -> None:
        self.known = None
        if word != "open" and self.beyond_depth(word, keyword):
            return
        if word == "namespace":
            match = _NAME_AFTER.match(self.code, end)
            name = match[1] if match and match[1] else ""
            for part in name_parts(name.removeprefix("_root_."))[:MAX_SCOPES]:
                self.scopes.append(_Scope("namespace", part, []))
                self.namespaces.add(self.namespace())
        elif word == "section":
            match = _REST_OF_LINE_NAME.match(self.code, end)
            for part in name_parts(match[1])[:MAX_SCOPES] if match else ("",):
                self.scopes.append(_Scope("section", part, []))
        elif word == "mutual":
            self.mutuals += 1
            self.scopes.append(_Scope("mutual", str(self.mutuals), []))
        elif word == "end":
            match = _REST_OF_LINE_NAME.match(self.code, end)
            self.close(match[1] if match else "", self.line(keyword))
        elif word == "open":
            self.scopes[-1].opens.extend(self.open_names(end))

    def beyond_depth(self, word: str, keyword: int) -> bool:
        """Return whether a scope is left out because too many are open: the time would grow with their square."""
        if word == "end":
            inside = self.left_out > 0
            self.left_out -= inside
            return inside
        if len(self.scopes) <= MAX_SCOPES:
            return False
        if not self.said_too_deep:
            self.said_too_deep = True
            words = f"more than {MAX_SCOPES} scopes are open; deeper ones are not told apart"
            self.problems.append(lexer.Problem(self.line(keyword), words))
        self.left_out += 1
        return True

    def close(self, name: str, line: int) -> None:
        said = f"`end {name}`" if name else "`end`"
        for part in reversed(name_parts(name)):
            top = self.scopes[-1]
            if top.kind == "file":
                self.problems.append(lexer.Problem(line, f"{said} closes nothing"))
                return
            if top.kind in ("namespace", "section") and top.name != part:
                expected = f"`end {top.name}`" if top.name else "`end`"
                self.problems.append(
                    lexer.Problem(line, f"{said} where {expected} was expected")
                )
            self.scopes.pop()

    def declaration(
        self,
        start: int,
        limit: int,
        keyword: int,
        match: re.Match[str],
        context: _Context,
    ) -> Declaration:
        namespace, opens, mutual = context
        code, text = self.code, self.text
        words = match["word"].split()
        kind, shape, after = words[0], words[-1], match.end() - 1
        named = _NAME_AFTER.match(code, after)
        short = named[1] if named and named[1] and kind != "example" else ""
        name = (
            short.removeprefix("_root_.")
            if short.startswith("_root_.")
            else f"{namespace}.{short}".lstrip(".")
        )
        name = name if short else ""
        end = start + len(code[start:limit].rstrip())
        remark = _REMARK.match(text, end)
        end = remark.end() if remark else end
        code_start, doc = start, ""
        index = bisect_right(self.doc_ends, match.start("prefix") - 1) - 1
        if (
            index >= 0
            and code[self.docs[index][1] : match.start("prefix") - 1].isspace()
        ):
            doc_start, doc_end = self.docs[index]
            doc = text[doc_start + 3 : doc_end - 2].strip()
            start = min(start, doc_start)
        prefix = match["prefix"]
        return Declaration(
            name=name,
            short_name=name_parts(short)[-1] if short else "",
            namespace=namespace,
            kind=kind,
            modifiers=tuple(_ATTRIBUTE_LIST.sub(" ", prefix).split()) if prefix else (),
            attributes=tuple(a[2:-1].strip() for a in _ATTRIBUTE_LIST.findall(prefix))
            if prefix
            else (),
            doc=doc,
            start_line=self.line(start),
            line=self.line(keyword),
            end_line=self.line(end - 1),
            start=start,
            code_start=code_start,
            end=end,
            signature=text[keyword : self.signature_end(after, end)].rstrip(),
            text=text[start:end],
            opens=opens,
            members=self.members(shape, name, after, end)
            if kind in WITH_MEMBERS
            else (),
            mutual=mutual,
        )

    def signature_end(self, start: int, end: int) -> int:
        depth = 0
        for match in _SIGNATURE_STOP.finditer(self.code, start, end):
            sign = match.group()
            if sign in "([{⟨⦃":
                depth += 1
            elif sign in ")]}⟩⦄":
                depth -= 1
            elif depth <= 0:
                return match.start()
        return end

    def members(
        self, kind: str, parent: str, start: int, end: int
    ) -> tuple[Member, ...]:
        found = constructors if kind in ("inductive", "coinductive") else fields
        start = self.signature_end(start, end)
        return tuple(
            Member(name, f"{parent}.{name}", what, self.line(at))
            for name, what, at in found(self.code, start, end)
        )


def scan_file(text: str) -> FileScan:
    """Return declarations, imports, commands and unbalanced scopes of a Lean file."""
    return _Scan(text).run()
