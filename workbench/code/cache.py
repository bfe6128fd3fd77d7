"""Highlighted text, kept by what it depends on: the text, the language and the version of the highlighter."""

from __future__ import annotations

import hashlib
import logging

from django.core.cache import caches

from workbench.code.highlight import VERSION, Highlighted, highlight
from workbench.code.lexers import language_of

log = logging.getLogger(__name__)


def highlighted(text: str, language: str = "", path: str = "") -> Highlighted:
    """Return `text` highlighted, from the cache `code` where it is there.

    Never raises because of the cache: a page without cache is slower, not broken.
    """
    key = _key(text, language_of(language, path))
    try:
        found = caches["code"].get(key)
    except (
        Exception
    ):  # whatever a cache backend can raise, the reader must still see the code
        log.warning("The cache `code` could not be read", exc_info=True)
        found = None
    if isinstance(found, Highlighted):
        return found
    made = highlight(text, language, path)
    if not made.settled:
        return made
    try:
        caches["code"].set(key, made)
    except Exception:  # as above
        log.warning("The cache `code` could not be written", exc_info=True)
    return made


def _key(text: str, language: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"highlight:{VERSION}:{language}:{digest}"
