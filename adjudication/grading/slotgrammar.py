"""Is a slot complete in itself? Source: grading.md, step 3.

A slot's body stands between frozen lines. It must be balanced and end where a command or a term ends, so that nothing in it
attaches to frozen text, and it must not end the file or look like a marker. Decided on tokens; what Lean makes of the text is
checked later, on compiled terms.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from collections.abc import Sequence

from curation.format.markers import SOLUTION
from workbench.lean import lexer
from workbench.lean.declarations import name_parts
from workbench.lean.lexer import Token

MODIFIERS = lexer.words(
    """private protected public noncomputable unsafe partial nonrec meta scoped local"""
)
_OPENERS = frozenset("[({⟨⟦⦃‹⟪")
_CLOSER = {
    "(": ")",
    "[": "]",
    "{": "}",
    "⟨": "⟩",
    "⟦": "⟧",
    "⦃": "⦄",
    "‹": "›",
    "⟪": "⟫",
}
_CLOSERS = frozenset(_CLOSER.values())
_MARKER = re.compile(r"!(?:benchmark|solution|curation)\b")
_ARTICLES = ("section", "namespace", "mutual", "end")
# Words that end no command and no term: something has to follow.
_UNFINISHED = lexer.words(
    """:= by => → -> ← <- , fun λ ∀ ∃ let have show from where with then else if match do at | ; + - / = ≠ < > ≤ ≥ ∧ ∨ ¬ ↔ ∘
    :: ++ |> <| $ : calc suffices using extends deriving open export namespace variable universe attribute set_option include omit
    def theorem lemma abbrev instance structure class inductive axiom opaque example"""
)
_IMPORT = re.compile(rf"\s*import\s+({lexer.NAME})\s*")


def significant(body: str) -> list[Token]:
    """Return the tokens of a body without white space and ordinary comments; a word behind a dot is a name."""
    skipped = (lexer.WHITESPACE, lexer.LINE_COMMENT, lexer.BLOCK_COMMENT)
    found: list[Token] = []
    for token in lexer.tokens(body):
        if token.kind in skipped:
            continue
        if token.kind in (lexer.COMMAND, lexer.KEYWORD) and _behind_dot(found, token):
            token = token._replace(kind=lexer.IDENTIFIER)
        found.append(token)
    return found


def _behind_dot(found: Sequence[Token], token: Token) -> bool:
    """Return whether a word is a name behind a dot, as in `.open`; in `1.open` the dot belongs to the number."""
    if not found or found[-1].text != "." or found[-1].end != token.start:
        return False
    return not (
        len(found) > 1
        and found[-2].kind == lexer.NUMBER
        and found[-2].end == found[-1].start
    )


def check_slot(
    key: str, body: str, *, imports: frozenset[str] = frozenset()
) -> list[str]:
    """Return what is wrong with the body of a slot, in words; nothing for a good one.

    `key` is that of the slot; `imports` are the modules that an `imports` slot may name.
    """
    found = [
        f"line {line_of(body, match.start())}: looks like a marker"
        for match in _MARKER.finditer(body)
    ]
    found += [
        f"line {problem.line}: {problem.message}" for problem in lexer.problems(body)
    ]
    if "\0" in body:
        found.append("holds a NUL character")
    if found:
        return found
    if key == SOLUTION:
        return _check_solution(body)
    tokens = significant(body)
    if not tokens:
        return []
    if key == "imports":
        return _check_imports(body, imports)
    if key == "claim":
        return []  # written anew
    found = _check_words(body, tokens)
    found += _check_brackets(body, tokens)
    found += _check_scopes(body, tokens)
    if key in ("global_aux", "code_aux", "proof_aux"):
        found += _check_start(tokens)
    found += _check_end(tokens)
    return found


@functools.lru_cache(maxsize=4)
def _line_ends(body: str) -> list[int]:
    return [match.start() for match in re.finditer("\n", body)]


def line_of(body: str, at: int) -> int:
    """Return the line (1-based) of a place in a body. Asked about every word of a long body, it stays quick."""
    return bisect_left(_line_ends(body), at) + 1


def _line(body: str, token: Token) -> int:
    return line_of(body, token.start)


def _check_solution(body: str) -> list[str]:
    code = lexer.mask(body)
    return ["holds more than comments"] if code.strip() else []


def _check_imports(body: str, allowed: frozenset[str]) -> list[str]:
    if any(kind not in lexer.COMMENTS for kind, _, _ in lexer.spans(body)):
        return ["holds a string, where only imports can stand"]
    found = []
    for number, line in enumerate(lexer.mask(body).split("\n"), 1):
        if not line.strip():
            continue
        match = _IMPORT.fullmatch(line)
        if match is None:
            found.append(
                f"line {number}: expected `import` and one module, without `public`, `meta` or `all`"
            )
        elif match[1] not in allowed:
            found.append(
                f"line {number}: {match[1]} is neither a module of this instance nor allowed"
            )
    return found


def _check_words(body: str, tokens: Sequence[Token]) -> list[str]:
    found = []
    for token in tokens:
        if token.kind == lexer.COMMAND and token.text == "#exit":
            found.append(f"line {_line(body, token)}: `#exit` ends the file")
        elif token.kind == lexer.COMMAND and token.text == "import":
            found.append(
                f"line {_line(body, token)}: `{token.text}` belongs to the head of a file"
            )
        elif token.text in ("«", "»"):
            # Lean takes such a name; where it ends, our lexer and Lean's might disagree.
            found.append(f"line {_line(body, token)}: a name in « » ends in its line")
        elif token.kind == lexer.UNKNOWN:
            found.append(
                f"line {_line(body, token)}: {token.text!r} is no character of Lean"
            )
    return found


def _check_brackets(body: str, tokens: Sequence[Token]) -> list[str]:
    stack: list[tuple[str, Token]] = []
    for token in tokens:
        if token.kind not in (lexer.OPERATOR, lexer.ATTRIBUTE):
            continue
        for sign in token.text:
            if sign in _OPENERS:
                stack.append((sign, token))
            elif sign in _CLOSERS:
                if not stack or _CLOSER[stack[-1][0]] != sign:
                    return [f"line {_line(body, token)}: `{sign}` closes nothing"]
                stack.pop()
    if stack:
        sign, token = stack[-1]
        return [f"line {_line(body, token)}: `{sign}` is never closed"]
    return []


def _check_scopes(body: str, tokens: Sequence[Token]) -> list[str]:
    """Check that `namespace`, `section` and `mutual` are closed in the slot, by `end` with their names."""
    scopes: list[tuple[str, str, int]] = []
    depth = 0
    for position, token in enumerate(tokens):
        if token.kind in (lexer.OPERATOR, lexer.ATTRIBUTE):
            depth += sum((sign in _OPENERS) - (sign in _CLOSERS) for sign in token.text)
        if token.kind != lexer.COMMAND or token.text not in _ARTICLES or depth:
            continue
        name = _name_behind(body, tokens, position)
        line = _line(body, token)
        if token.text == "namespace" and not name:
            return [f"line {line}: `namespace` without a name"]
        if token.text != "end":
            parts = name_parts(name) if token.text != "mutual" and name else ("",)
            scopes += [(token.text, part, line) for part in parts]
            continue
        for part in reversed(name_parts(name) if name else ("",)):
            if not scopes:
                return [f"line {line}: `end` closes nothing of this slot"]
            kind, opened, _ = scopes.pop()
            if kind == "namespace" and opened != part:
                return [
                    f"line {line}: `end {name}`".rstrip()
                    + f" where `end {opened}` was expected"
                ]
            if kind == "section" and part != opened:
                return [f"line {line}: `end {name}` closes a section of another name"]
            if kind == "mutual" and part:
                return [f"line {line}: `end {name}` closes `mutual`"]
    if scopes:
        kind, name, line = scopes[-1]
        return [f"line {line}: `{f'{kind} {name}'.strip()}` is never closed"]
    return []


def _name_behind(body: str, tokens: Sequence[Token], position: int) -> str:
    """Return the name in the same line as a scope's word; `namespace` may have it in the next one."""
    if position + 1 >= len(tokens):
        return ""
    token, after = tokens[position], tokens[position + 1]
    same_line = "\n" not in body[token.end : after.start]
    if after.kind != lexer.IDENTIFIER or not (same_line or token.text == "namespace"):
        return ""
    return after.text


def _starts_command(token: Token) -> bool:
    return token.kind in (
        lexer.COMMAND,
        lexer.ATTRIBUTE,
        lexer.MODULE_DOC,
        lexer.DOC_COMMENT,
    )


def _check_start(tokens: Sequence[Token]) -> list[str]:
    """What does not start a command would go on with the frozen command above."""
    first = tokens[0]
    if not _starts_command(first) or first.text == "end":
        return [f"starts with {first.text[:20]!r}, which starts no command"]
    if first.text == "deriving" and not (
        len(tokens) > 1 and tokens[1].text == "instance"
    ):
        return ["starts with `deriving`, which would go on with the command above"]
    if first.text in ("extends", "where", "with"):
        return [f"starts with `{first.text}`, which would go on with the command above"]
    return []


def _check_end(tokens: Sequence[Token]) -> list[str]:
    """What is left open at the end would attach to the frozen text below."""
    last = tokens[-1]
    if last.kind == lexer.MODULE_DOC:
        return []
    if last.kind == lexer.DOC_COMMENT:
        return [
            "ends with a documentation comment, which would attach to the text below"
        ]
    if last.kind == lexer.COMMAND and last.text in MODIFIERS:
        return [f"ends with `{last.text}`, which would attach to the text below"]
    if last.text == "in" and last.kind == lexer.KEYWORD:
        return ["ends with `in`, so that what it opens would hold for the text below"]
    if last.text == "]" and _opens_attribute(tokens):
        return ["ends with an attribute, which would attach to the text below"]
    unfinished = (
        last.kind in (lexer.KEYWORD, lexer.COMMAND, lexer.OPERATOR)
        and last.text in _UNFINISHED
    )
    if unfinished:
        return [f"ends with `{last.text}`, after which something has to follow"]
    return []


def _opens_attribute(tokens: Sequence[Token]) -> bool:
    """Return whether the bracket that the last token closes was opened by `@[`."""
    depth = 0
    for token in reversed(tokens):
        if token.kind not in (lexer.OPERATOR, lexer.ATTRIBUTE):
            continue
        for sign in reversed(token.text):
            depth += (sign in _CLOSERS) - (sign in _OPENERS)
        if depth <= 0:
            return token.kind == lexer.ATTRIBUTE
    return False


def auxiliary_commands(key: str, body: str) -> list[str]:
    """Return the first words of the commands that follow the term or proof of a `code` or `proof` slot.

    They are auxiliary code: allowed, recorded, and screened like everything else.
    """
    if key not in ("code", "proof"):
        return []
    found = []
    depth = 0
    for token in significant(body):
        if token.kind in (lexer.OPERATOR, lexer.ATTRIBUTE):
            depth += sum((s in _OPENERS) - (s in _CLOSERS) for s in token.text)
        at_margin = body[token.start - 1 : token.start] in ("", "\n")
        if token.kind == lexer.COMMAND and at_margin and depth == 0:
            found.append(token.text)
    return found
