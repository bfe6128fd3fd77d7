"""Write `core/Pocket/Tactics.lean`: bind the native parsers, macros and printers of Lean's Init library by name.

    python -m workbench.lean.pocket.generate_tactics LIBRARY OUT

LIBRARY is the wheel's `libleanshared.so`. Which parsers, and in which category, is said in `tactics_table.py`;
the text before them in `tactics_head.lean`. Exit code 1, and nothing written, if the library lacks one of them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.lean.pocket.elf import exported_symbols
from workbench.lean.pocket.tactics_table import (
    GROUPS,
    PRINTED,
    TRAILING,
    UNEXPANDERS,
    Group,
)

HEAD = Path(__file__).parent / "tactics_head.lean"
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_']*")
MACRO = re.compile(r"macroRules__(.*?)(?:__\d+)+$")
PRINTER = re.compile(r"l___aux__Init__(.*)___unexpand__(.*?)__\d+")
# Helpers that the compiler splits off a macro have its name and one of these.
SPLIT_OFF = re.compile(r"___(boxed|closed|lam|redArg|elam)|_spec_|__spec$")
ESCAPE = re.compile(r"_x([0-9a-f]{2})|_u([0-9a-f]{4})|__")

Name = tuple[str, ...]


def mangle(name: Name) -> str:
    """Return the C name that Lean's compiler gives a declaration (Lean's `Name.mangle`)."""
    return "l_" + "_".join(mangle_component(component) for component in name)


def mangle_component(component: str) -> str:
    return "".join(_mangle_character(character) for character in component)


def _mangle_character(character: str) -> str:
    if character == "_":
        return "__"
    if character.isascii() and character.isalnum():
        return character
    code = ord(character)
    if code < 0x100:
        return f"_x{code:02x}"
    return f"_u{code:04x}" if code < 0x10000 else f"_U{code:08x}"


def unmangle_component(text: str) -> str:
    """Return the component that `mangle_component` turned into `text`."""

    def one(found: re.Match[str]) -> str:
        code = found.group(1) or found.group(2)
        return chr(int(code, 16)) if code else "_"

    return ESCAPE.sub(one, text)


def show(name: Name) -> str:
    """Return a name as Lean reads it, with `«»` where needed."""
    return ".".join(part if PLAIN.fullmatch(part) else f"«{part}»" for part in name)


def macros_by_parser(symbols: set[str]) -> dict[str, list[str]]:
    """Return mangled parser → symbols of the macros that Init declares for it by `macro_rules`, sorted."""
    found: dict[str, list[str]] = {}
    for symbol in sorted(symbols):
        if "___aux__Init__" in symbol and not SPLIT_OFF.search(symbol):
            match = MACRO.search(symbol)
            if match:
                found.setdefault(match.group(1), []).append(symbol)
    return found


@dataclass
class Writer:
    """The lines written so far, and the parsers that the library lacks."""

    symbols: set[str]
    macros: dict[str, list[str]]
    lines: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def group(self, group: Group) -> None:
        if group.title:
            self.lines.append(f"/-! ## {group.title} -/")
        for last in group.names.split():
            name = (*group.prefix, last)
            if self.parser(name, group) and group.macros:
                self.macro_rules(name)

    def parser(self, name: Name, group: Group) -> bool:
        if mangle(name) not in self.symbols:
            self.missing.append(show(name))
            return False
        attribute = f"{group.category}_parser 1000, " if group.category else ""
        trailing = name[-1] in TRAILING or (
            group.category == "term" and name[-1].startswith("term_")
        )
        kind = "Lean.TrailingParserDescr" if trailing else "Lean.ParserDescr"
        self.lines.append(
            f'@[{attribute}extern "native"] def {show(name)} : {kind} := .symbol ""'
        )
        return True

    def macro_rules(self, name: Name) -> None:
        for symbol in self.macros.get(mangle_component("_".join(name)), []):
            start = symbol.index("___aux__Init__")
            namespace = symbol[2:start].split("_") if start > 1 else []
            full = (*namespace, unmangle_component(symbol[max(start, 1) + 1 :]))
            if mangle(full) != symbol:
                self.missing.append(symbol)
                continue
            self.lines.append(
                f'@[extern "native"] def {show(full)} (a b c : Obj) : Obj := a'
            )
            self.lines.append(
                f"@[macro {show(name)}] def Pocket.m{len(self.lines)} : Lean.Macro := fun a b c => {show(full)} a b c"
            )

    def printers(self) -> None:
        self.lines.append("/-! ## printing -/")
        for symbol in sorted(self.symbols):
            match = PRINTER.fullmatch(symbol)
            if match is None or any(
                part in symbol for part in ("_spec", "__lam", "__closed")
            ):
                continue
            constant = match.group(2).replace("__", ".")
            if constant not in PRINTED.split():
                continue
            name = ("_" + unmangle_component(symbol[4:]),)
            if mangle(name) != symbol:
                self.missing.append(symbol)
                continue
            self.lines.append(
                f'@[extern "native"] def {show(name)} (a b c : Obj) : Obj := a'
            )
            self.lines.append(
                f"@[app_unexpander {constant}] def Pocket.u{len(self.lines)} : Lean.PrettyPrinter.Unexpander"
                f" := fun a b c => {show(name)} a b c"
            )
        for function, constant in UNEXPANDERS:
            if mangle((function,)) in self.symbols:
                self.lines.append(
                    f'@[app_unexpander {constant}, extern "native"] def {function}'
                    " : Lean.PrettyPrinter.Unexpander := fun a _ _ => a"
                )


def tactics(symbols: set[str]) -> tuple[str, list[str]]:
    """Return the text of the module for a library with these symbols, and the names that it lacks."""
    writer = Writer(symbols, macros_by_parser(symbols))
    for group in GROUPS:
        writer.group(group)
    writer.printers()
    head = HEAD.read_text(encoding="utf-8").rstrip("\n").split("\n")
    return "\n".join([*head, *writer.lines]) + "\n", writer.missing


def main(arguments: Sequence[str]) -> int:
    """Return the exit code for the command line `arguments`."""
    if len(arguments) != 2:
        sys.stderr.write(
            "usage: python -m workbench.lean.pocket.generate_tactics LIBRARY OUT\n"
        )
        return 2
    text, missing = tactics(exported_symbols(Path(arguments[0])))
    if missing:
        sys.stderr.write(f"{arguments[0]} lacks {', '.join(missing)}\n")
        return 1
    Path(arguments[1]).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
