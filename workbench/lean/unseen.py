"""What the text of a declaration says that no compiled term shows.

A term has no names of bound variables, no notation, no layout and no proofs; those may change and it stays the same. It
has no attributes and modifiers either, no names of fields and no default values, and nothing of what a `partial` or
`opaque` declaration does. Who holds by a term has to hold by the text for these: see curation/instances/meaning.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.lean.essence import essence
from workbench.lean.lexer import ATTRIBUTE, COMMENTS, WHITESPACE, Token, tokens, words

#: Their terms say all but what stands before the keyword.
_IN_TERMS = frozenset(("def", "abbrev", "theorem", "lemma", "instance"))
#: Their terms say all but names, as long as nothing has a default value.
_TYPES = frozenset(("structure", "class", "inductive"))
#: With these, what runs or counts is another term than that of the declaration.
_OTHERWISE = words("partial unsafe attribute")
#: Attributes that guide elaboration and compilation, and let a term mean what it says.
_GUIDING = words(
    """simp ext symm refl trans congr inline always_inline noinline macro_inline specialize nospecialize reducible
    irreducible semireducible instance elab_as_elim default_instance deprecated grind match_pattern inherit_doc"""
)
_OPENING, _CLOSING = frozenset("([{⟨"), frozenset(")]}⟩")


def unseen(name: str, keyword: str, text: str) -> str | None:
    """Return what the text says beside its term, to be compared; "" for nothing, None where that is all of it.

    `keyword` is that of the declaration `name`; `text` begins with its doc comment, attributes and modifiers.
    """
    code = [
        token
        for token in tokens(text)
        if token.kind != WHITESPACE and token.kind not in COMMENTS
    ]
    if keyword in _TYPES:
        defaults = any(token.text == ":=" for token in code)
        return None if defaults else f"{name}\n{essence(text)}"
    if keyword not in _IN_TERMS:
        return None
    begin = next(_keyword(code, keyword), None)
    if begin is None:
        return None
    head, rest = code[:begin], code[begin + 1 :]
    if any(token.text in _OTHERWISE for token in head):
        return None
    if any(token.kind == ATTRIBUTE or token.text == "priority" for token in rest):
        return None
    if not _GUIDING.issuperset(_attributes(head)):
        return None
    if not head and keyword != "abbrev":
        return ""
    return f"{name}\n{essence(text[: code[begin].end])}"


def _keyword(code: list[Token], keyword: str) -> Iterator[int]:
    """Yield where the keyword stands outside brackets."""
    depth = 0
    for place, token in enumerate(code):
        if token.kind == ATTRIBUTE or token.text in _OPENING:
            depth += 1
        elif token.text in _CLOSING:
            depth -= 1
        elif not depth and token.text == keyword:
            yield place


def _attributes(head: list[Token]) -> Iterator[str]:
    """Yield the names of the attributes in the brackets of `@[…]`."""
    depth, expected = 0, False
    for token in head:
        if token.kind == ATTRIBUTE:
            depth, expected = depth + 1, True
        elif depth and token.text in _OPENING:
            depth += 1
        elif depth and token.text in _CLOSING:
            depth -= 1
        elif depth == 1 and token.text == ",":
            expected = True
        elif expected and token.text not in ("local", "scoped"):
            yield token.text
            expected = False
