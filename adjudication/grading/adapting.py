"""Adapt an instance written for Lean's own library to pocket Lean, by mechanical edits that are all listed.

Source: docs/developer/pocket-lean.md, "Adapting an instance". The result is another instance: its definitions rest on another
library, so verdicts about it are labelled `pocket` and never published as scores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from curation.format.instance import Instance
from curation.format.manifest import MANIFEST_NAME
from curation.format.markers import read_markers
from curation.format.render import FileTree
from workbench.lean import lexer
from workbench.lean.declarations import name_parts, scan_file
from workbench.lean.headers import header

LIBRARY = "Pocket"
LEAN_VERSION = "4.35.0"
DERIVED = frozenset(("DecidableEq", "BEq", "Inhabited"))
RESERVED, INSTEAD = "Aux", "Auxiliary"
_MACROS = frozenset(["syntax", "macro", "macro_rules", "elab", "elab_rules", "notation", "declare_syntax_cat"])  # fmt: skip
_DERIVING = re.compile(
    rf"\bderiving\s+(?P<instance>instance\s+)?(?P<names>{lexer.NAME}(?:\s*,\s*{lexer.NAME})*)(?P<for>\s+for\s+{lexer.NAME}(?:\s*,\s*{lexer.NAME})*)?"
)

# What pocket Lean lacks or has otherwise, so that no mechanical edit helps: where it shows in the code, and why it is refused.
_OBSTACLES = (
    (re.compile(r"^[ \t]*import\s+(?P<found>Mathlib\b[\w.]*)", re.M), "Mathlib has no counterpart"),
    (re.compile(r"(?<![\w.])(?P<found>Rat|Real|ℝ|ℚ|Float)(?![\w'])"), "this kind of number is not there"),
    (re.compile(r"(?<![\w.])(?P<found>grind|native_decide)(?![\w'])"), "this tactic is not there"),
    (re.compile(r"(?<=[\w)])(?P<found>\.val\.toNat)\b"), "the `val` of a Char is a Nat there, not a UInt32"),
)  # fmt: skip
_DEFINED = re.compile(r"\b(?:structure|inductive|class|def|abbrev)\s+([^\s:({\[]+)")
_TEXT = re.compile(r"\b(Char|String)\b")


# Every kind of edit, in one line; docs/adaptation has a page for each.
KINDS: Mapping[str, str] = {
    "deriving": "A `deriving` clause is shortened",
    "frozen": "A `global_aux` slot became frozen text",
    "head": "A file begins with `prelude` and `import Pocket`",
    "import": "An import is left out or renamed",
    "macro": "The harness is cut at its joint macro",
    "rename": "A file or module is called otherwise",
    "test": "The test file is left out",
    "toolchain": "The adaptation asks for pocket Lean",
}


def page_of(kind: str) -> str:
    """Return the path of the page that explains a kind of edit, from the root of the repository."""
    return f"docs/adaptation/{kind}.md"


class CannotAdapt(Exception):
    """The instance needs no adaptation, or no mechanical edit helps. The text says why."""


class Edit(NamedTuple):
    """One edit: the file as it was called before, the line there (1-based, 0 for the whole file), its kind and what was done."""

    path: str
    line: int
    kind: str
    what: str


@dataclass(frozen=True)
class Adapted:
    """The adapted files, and every edit by which they differ from the original."""

    files: FileTree
    edits: tuple[Edit, ...]


def adapt(instance: Instance) -> Adapted:
    """Return `instance` for pocket Lean. Whether it builds there only a build can say.

    Raises CannotAdapt, naming file and line, where its text shows that it cannot.
    """
    found = obstacles(instance)
    if found:
        more = f" (and {len(found) - 1} more places)" if len(found) > 1 else ""
        raise CannotAdapt(
            f"{instance.name} cannot be adapted to pocket Lean: {found[0]}{more}"
        )
    return _Adapting(instance).run()


def obstacles(instance: Instance) -> list[str]:
    """Return where the code of an instance shows that pocket Lean cannot build it, one sentence a line of code."""
    found = []
    codes = {
        path: lexer.mask(text)
        for path, text in sorted(instance.texts.items())
        if path not in (instance.manifest.files.test, "lakefile.lean")
    }
    own = {match[1] for code in codes.values() for match in _DEFINED.finditer(code)}
    for pattern, why in _OBSTACLES:
        for path, code in codes.items():
            for match in pattern.finditer(code):
                word = match["found"]
                if word in own:
                    continue
                if word.startswith(".val") and not _TEXT.search(code):
                    continue
                line = code.count("\n", 0, match.start("found")) + 1
                found.append(f"{path}:{line}: `{word}`: {why}")
    return found


class _Adapting:
    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.edits: list[Edit] = []
        self.tests = self._test_files()
        self.needed = self._needed_slots()

    def run(self) -> Adapted:
        files: FileTree = {}
        for path, data in self.instance.files.items():
            if path in self.tests:
                self._note(
                    path, 0, "test", "left out: its guards need the other library"
                )
            elif path == MANIFEST_NAME:
                files[path] = self._manifest()
            elif path in self.instance.texts and path != "lakefile.lean":
                files[renamed_path(path)] = self._lean(path).encode()
                if renamed_path(path) != path:
                    self._note(
                        path,
                        0,
                        "rename",
                        f"called {renamed_path(path)}: {RESERVED} is a reserved name",
                    )
            elif path == "lean-toolchain":
                files[path] = f"leanprover/lean4:v{LEAN_VERSION}\n".encode()
                self._note(path, 1, "toolchain", f"Lean {LEAN_VERSION}")
            else:
                files[path] = data
        return Adapted(files, tuple(sorted(self.edits)))

    def _note(self, path: str, line: int, kind: str, what: str) -> None:
        self.edits.append(Edit(path, line, kind, what))

    def _test_files(self) -> frozenset[str]:
        """Return the test file and what only it would import of the kind: files called Test."""
        test = self.instance.manifest.files.test
        return frozenset({test} & self.instance.texts.keys())

    def _needed_slots(self) -> frozenset[tuple[str, int]]:
        """Return the `global_aux` slots (file and line) that frozen text needs."""
        found = set()
        for finding in self.instance.findings:
            if finding.id != "slot-frozen-needs" or finding.line is None:
                continue
            for slot in self.instance.slots:
                if (
                    slot.path == finding.path
                    and slot.key == "global_aux"
                    and slot.start_line < finding.line < slot.end_line
                ):
                    found.add((slot.path, slot.start_line))
        return frozenset(found)

    # Manifest

    def _manifest(self) -> bytes:
        document: dict[str, Any] = json.loads(
            self.instance.files[MANIFEST_NAME].decode("utf-8-sig")
        )
        document["lean_version"] = LEAN_VERSION
        document["toolchain"] = {"kind": "pocket"}
        self._note(
            MANIFEST_NAME,
            0,
            "toolchain",
            f"lean_version {LEAN_VERSION}, toolchain.kind pocket",
        )
        for package in document.get("packages", []):
            for module in package.get("modules", []):
                self._rename_module(module)
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()

    def _rename_module(self, module: dict[str, Any]) -> None:
        for key in ("impl", "spec"):
            if isinstance(module.get(key), str):
                module[key] = renamed_path(module[key])
        parts = str(module["name"]).split("/")
        if RESERVED in parts:
            name = "/".join(INSTEAD if part == RESERVED else part for part in parts)
            self._note(
                MANIFEST_NAME, 0, "rename", f"module {module['name']} is called {name}"
            )
            module["name"] = name

    # Lean files

    def _lean(self, path: str) -> str:
        text = self.instance.texts[path]
        if path == self.instance.manifest.files.harness:
            text = self._without_macro(path, text)
        text = self._with_needed_text(path, text)
        text = self._with_derived(path, text)
        return self._with_head(path, text)

    def _without_macro(self, path: str, text: str) -> str:
        """Cut a harness where its joint macro begins; namespaces that are open there are closed."""
        scan = scan_file(text)
        first = next((c for c in scan.commands if c.word in _MACROS), None)
        if first is None:
            return text
        start = _with_prefixes(text, first.start)
        self._note(
            path,
            text.count("\n", 0, start) + 1,
            "macro",
            f"cut from the joint macro (`{first.word}`) to the end",
        )
        return (
            text[:start].rstrip()
            + "\n"
            + "".join(f"\nend {name}\n" for name in _open_scopes(text[:start]))
        )

    def _with_needed_text(self, path: str, text: str) -> str:
        """Take the markers off slots whose text frozen definitions need, so that it stays in `codeproof` too."""
        for slot in reversed(read_markers(path, text).slots):
            if (path, slot.start_line) in self.needed and slot.key == "global_aux":
                self._note(
                    path,
                    slot.start_line,
                    "frozen",
                    "the global_aux slot became frozen text: specs need it",
                )
                text = (
                    text[: slot.start]
                    + text[slot.body_start : slot.body_end]
                    + text[slot.end :]
                )
        return text

    def _with_derived(self, path: str, text: str) -> str:
        code = lexer.mask(text)
        for match in reversed(list(_DERIVING.finditer(code))):
            names = [name.strip() for name in match["names"].split(",")]
            kept = [name for name in names if name in DERIVED]
            if kept == names:
                continue
            dropped = ", ".join(name for name in names if name not in DERIVED)
            self._note(
                path,
                code.count("\n", 0, match.start()) + 1,
                "deriving",
                f"without {dropped}",
            )
            replacement = (
                f"deriving {match['instance'] or ''}{', '.join(kept)}{match['for'] or ''}"
                if kept
                else ""
            )
            text = text[: match.start()] + replacement + text[match.end() :]
        return text

    def _with_head(self, path: str, text: str) -> str:
        found = header(text)
        lines = text.split("\n")
        own = {_module(other) for other in self.instance.texts}
        tests = {_module(other) for other in self.tests}
        for line in reversed(found.imports):
            name = ".".join(name_parts(line.module))
            if name in tests or (name not in own and name != LIBRARY):
                self._note(path, line.line, "import", f"without `import {line.module}`")
                lines[line.line - 1] = ""
            elif RESERVED in name_parts(line.module):
                renamed = ".".join(
                    INSTEAD if part == RESERVED else part
                    for part in name_parts(line.module)
                )
                self._note(
                    path,
                    line.line,
                    "import",
                    f"`import {renamed}` for `import {line.module}`",
                )
                lines[line.line - 1] = lines[line.line - 1].replace(
                    line.module, renamed
                )
        head = [] if found.prelude else ["prelude"]
        if LIBRARY not in (line.module for line in found.imports) and not found.prelude:
            head.append(f"import {LIBRARY}")
        if head:
            self._note(
                path,
                1,
                "head",
                "begins with " + " and ".join(f"`{line}`" for line in head),
            )
        return "\n".join([*head, *lines]).replace("\ufeff", "")


def _module(path: str) -> str:
    return path.removesuffix(".lean").replace("/", ".")


def renamed_path(path: str) -> str:
    """Return a path with the reserved name replaced in its parts."""
    parts = path.split("/")
    return "/".join(
        INSTEAD + part.removeprefix(RESERVED)
        if part in (RESERVED, f"{RESERVED}.lean")
        else part
        for part in parts
    )


def _with_prefixes(text: str, start: int) -> int:
    """Return where the command at `start` really begins: with the `open … in` and the documentation comment before it."""
    before = text[:start].rstrip()
    if before.endswith(" in"):
        start = before.rfind("\n") + 1
        before = text[:start].rstrip()
    for kind, begin, end in lexer.spans(text[:start]):
        if kind == lexer.DOC_COMMENT and end == len(before):
            return begin
    return start


def _open_scopes(text: str) -> list[str]:
    """Return the namespaces and sections that are open at the end of a text, innermost first."""
    scan = scan_file(text)
    stack: list[str] = []
    for command in scan.commands:
        if command.word in ("namespace", "section", "end"):
            rest = scan.code[command.start :].split("\n", 1)[0].split()
            name = rest[1] if len(rest) > 1 else ""
            if command.word != "end":
                stack.append(name)
            elif stack:
                stack.pop()
    return stack[::-1]


def report(edits: Mapping[str, int]) -> str:
    """Return how many edits of each kind there were, in one line."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(edits.items()))
