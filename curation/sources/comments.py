"""Which comment documents which declaration, and its words without the delimiters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from curation.sources.tokens import COMMENT, DOC, Token

_OPENING = re.compile(r"^(?:/\*(?:[*!](?!/))?|\(\*+|/-[-!]?|//[/!]?|--|#+)[ \t]?")
_CLOSING = re.compile(r"[ \t]*(?:\*+/|\*+\)|-/)$")
_LINE = re.compile(r"^[ \t]*(?:\*(?!\*)|//[/!]?|--)?[ \t]?", re.M)


def leading_comments(text: str, tokens: Sequence[Token]) -> dict[int, str]:
    """Return the words of the comments that stand directly above a token, by its offset.

    Directly above means: no blank line between, and not behind other code on its line. A
    documentation comment counts across blank lines.
    """
    found: dict[int, str] = {}
    run: list[Token] = []
    previous_end = 0
    for token in tokens:
        if token.kind in (COMMENT, DOC):
            if (
                _between(text, run[-1].end if run else previous_end, token.start) == 0
                and previous_end
            ):
                continue  # behind code, on the same line
            if (
                run
                and run[-1].kind != DOC
                and _between(text, run[-1].end, token.start) > 1
            ):
                run.clear()
            run.append(token)
            continue
        if run and (
            run[-1].kind == DOC or _between(text, run[-1].end, token.start) <= 1
        ):
            found[token.start] = "\n".join(
                words(comment.text) for comment in run
            ).strip()
        run.clear()
        previous_end = token.end
    return found


def words(comment: str) -> str:
    """Return the text of one comment without its delimiters and line decoration."""
    inner = _CLOSING.sub("", _OPENING.sub("", comment.strip()))
    first, newline, rest = inner.partition("\n")
    return (first + newline + _LINE.sub("", rest)).strip()


def _between(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end)
