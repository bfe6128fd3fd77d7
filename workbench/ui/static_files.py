"""Styles and scripts, served as they are on the disk now."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]
from whitenoise.responders import (  # type: ignore[import-untyped]
    MissingFileError,
    StaticFile,
)


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise, but the length and the tag of a file are read with each request instead of once at the start.

    Files are served from the tree of the installation. Where a new version is put there before the old server is
    stopped, the length that it knew would be wrong: a longer file breaks the answer, and pages come without styles.
    Which files there are is still what it was at the start.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        known = self.files.get(request.path_info)
        if self.autorefresh or not isinstance(known, StaticFile):
            return super().__call__(request)
        # Beside the file itself there may be packed ones, each with a pattern of its own.
        path = next(
            path for pattern, path, _ in known.alternatives if not pattern.pattern
        )
        try:
            now = self.get_static_file(path, request.path_info)
        except (MissingFileError, FileNotFoundError):
            return self.get_response(request)
        return self.serve(now, request)
