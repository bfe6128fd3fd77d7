"""Findings and errors: what an instance on disk has to say about itself.

A `Finding` is something that loads but deserves a look; every id has a page at docs/findings/<id>.md.
A `FormatError` is something that cannot be loaded or rendered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class FormatError(ValueError):
    """An instance that cannot be read. Carries `path`, `line` (1-based) and `key`, where known."""

    def __init__(
        self,
        message: str,
        *,
        path: str = "",
        line: int | None = None,
        key: str | None = None,
    ) -> None:
        self.reason = message
        self.path = path
        self.line = line
        self.key = key
        place = path if line is None else f"{path}:{line}"
        parts = [part for part in (place, key, message) if part]
        super().__init__(": ".join(parts))

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross process borders, where the default would lose the keyword arguments."""
        return (_rebuild, (type(self), self.reason, self.path, self.line, self.key))


def _rebuild(
    kind: type[FormatError], reason: str, path: str, line: int | None, key: str | None
) -> FormatError:
    return kind(reason, path=path, line=line, key=key)


@dataclass(frozen=True, slots=True)
class FindingKind:
    """What all findings with one id have in common."""

    id: str
    severity: Severity
    title: str

    @property
    def page(self) -> str:
        """Return the path of the page that explains it, from the root of the repository."""
        return f"docs/findings/{self.id}.md"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at. `line` is 1-based, or None for the file or instance as a whole."""

    id: str
    severity: Severity
    path: str
    line: int | None
    message: str


def finding(id: str, path: str, message: str, line: int | None = None) -> Finding:
    """Return a finding of the registered kind `id`. Raises KeyError for an id without an entry."""
    return Finding(
        path=path, line=line, id=id, severity=KINDS[id].severity, message=message
    )


def sort_key(item: Finding) -> tuple[int, str, int, str, str]:
    """Return the order of lists of findings: worst first, then by place."""
    return (
        SEVERITIES.index(item.severity),
        item.path,
        item.line or 0,
        item.id,
        item.message,
    )


_REGISTRY: tuple[tuple[str, Severity, str], ...] = (
    ("marker-malformed", "error", "A marker line cannot be read"),
    ("marker-nested", "error", "A slot opens inside another"),
    ("marker-unbalanced", "error", "Markers do not pair up"),
    ("slot-duplicate", "error", "A file has the same slot twice"),
)

KINDS: dict[str, FindingKind] = {
    id: FindingKind(id, severity, title) for id, severity, title in _REGISTRY
}
