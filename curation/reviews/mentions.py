"""Who is named in a text: `@name`. Pure."""

from __future__ import annotations

import re

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_NAME = re.compile(r"(?<![\w@.+/-])@(\w[\w.@+-]{0,149})")
_TAIL = ".@+-"

MOST = 50
"""Names of one text that are looked up at most."""


def mentioned(text: str) -> list[str]:
    """Return the log-in names that `text` may mean, in its order; code in backticks names nobody.

    A name may end in a dot or a dash, and so may a sentence: both readings are returned.
    """
    found: dict[str, None] = {}
    for match in _NAME.finditer(_CODE.sub(" ", text)):
        name = match.group(1)
        found[name] = None
        found[name.rstrip(_TAIL)] = None
        if len(found) > 2 * MOST:
            break
    found.pop("", None)
    return list(found)[:MOST]
