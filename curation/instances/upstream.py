"""Upstream files as an instance keeps them: text of a size that people read, whatever else the repository holds."""

from __future__ import annotations

from curation.format.archive import MEGABYTE, Limits, Tree

#: Repositories hold links, pictures and data beside their code: what is not code to read is left out, not refused.
UPSTREAM_LIMITS = Limits(file_bytes=2 * MEGABYTE, files=50_000, leave_out=True)


def text_files(tree: Tree) -> dict[str, bytes]:
    """Return the files of `tree` that are text: no NUL in their first 8 KiB."""
    return {path: data for path, data in tree.files.items() if b"\0" not in data[:8192]}
