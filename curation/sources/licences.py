"""Which licence a text is, as an SPDX identifier. Source of the identifiers: spdx.org/licenses."""

from __future__ import annotations

import re
from collections.abc import Mapping

_MARK = re.compile(r"SPDX-License-Identifier:\s*([A-Za-z0-9.+() -]{1,64})")
_FILE = re.compile(
    r"(?:^|/)(?:LICEN[CS]E|COPYING|UNLICENSE)(?:[-._][^/]*)?$", re.IGNORECASE
)

# Phrases that a text must hold, all of them, folded to one line and lower case; the first that fits is taken.
_PHRASES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("AGPL-3.0", ("gnu affero general public license", "version 3")),
    ("LGPL-3.0", ("gnu lesser general public license", "version 3")),
    ("LGPL-2.1", ("gnu lesser general public license", "version 2.1")),
    ("GPL-3.0", ("gnu general public license", "version 3")),
    ("GPL-2.0", ("gnu general public license", "version 2")),
    ("MPL-2.0", ("mozilla public license", "2.0")),
    ("CECILL-B", ("cecill-b",)),
    ("BSL-1.0", ("boost software license", "version 1.0")),
    ("PSF-2.0", ("python software foundation license version 2",)),
    ("Unlicense", ("this is free and unencumbered software released into the public domain",)),
    ("ISC", ("permission to use, copy, modify, and", "distribute this software for any purpose with or without fee")),
    ("BSD-3-Clause", ("redistribution and use in source and binary forms", "neither the name")),
    ("BSD-2-Clause", ("redistribution and use in source and binary forms",)),
    ("MIT", ("permission is hereby granted, free of charge", "without restriction")),
)  # fmt: skip


def licence_of(text: str) -> str:
    """Return the SPDX identifier that `text` names or is the text of; "" where it is none of those known here."""
    named = _MARK.search(text)
    if named:
        return named[1].strip()
    folded = " ".join(text.split()).lower()
    for identifier, phrases in _PHRASES:
        if all(phrase in folded for phrase in phrases):
            return identifier
    return ""


def licence_in(files: Mapping[str, bytes]) -> str:
    """Return the identifier of the licence file nearest to the top of the tree `files`; "" where none is known."""
    paths = sorted(
        (path for path in files if _FILE.search(path)),
        key=lambda path: (path.count("/"), path),
    )
    for path in paths:
        found = licence_of(files[path][:40_000].decode("utf-8", errors="replace"))
        if found:
            return found
    return ""
