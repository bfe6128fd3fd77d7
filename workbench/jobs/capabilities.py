"""What a worker can do beyond running Python: a job that needs `lean:4.29.1` is claimed by workers that offer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Probe = Callable[[], Iterable[str]]

_probes: list[Probe] = []


def offers(probe: Probe) -> Probe:
    """Register the decorated function, which returns the capabilities it finds on this machine."""
    if probe not in _probes:
        _probes.append(probe)
    return probe


def found_here() -> frozenset[str]:
    """Return every capability that the registered probes find on this machine."""
    return frozenset(capability for probe in _probes for capability in probe())


def written(capabilities: Iterable[str]) -> str:
    """Return `capabilities` in the one form in which they are stored: sorted, separated by blanks."""
    names = sorted(set(capabilities))
    for name in names:
        if not name or any(character.isspace() for character in name):
            raise ValueError(f"A capability is a word without blanks, not {name!r}.")
    return " ".join(names)


def read(text: str) -> frozenset[str]:
    """Return the capabilities that `written` wrote."""
    return frozenset(text.split())
