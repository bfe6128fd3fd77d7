"""What kinds of job there are. Each app declares its own in its module `jobs`, which is imported at start-up."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec

if TYPE_CHECKING:
    from workbench.jobs.run import JobRun

P = ParamSpec("P")

# A job of a higher queue is claimed first.
QUEUES: Final = {"interactive": 40, "grading": 30, "exports": 20, "agents": 10}


class UnknownJob(LookupError):
    """No job is declared under that name."""


class WrongArguments(TypeError):
    """A job is submitted with arguments that it does not take."""


@dataclass(frozen=True)
class Declaration:
    """One kind of job. `attempts` counts lost workers, not errors of the job; `limit_s` is wall-clock seconds."""

    name: str
    title: str
    perform: Callable[..., None]
    queue: str
    needs: frozenset[str]
    attempts: int
    limit_s: int

    def check(self, args: Mapping[str, Any]) -> None:
        """Raise `WrongArguments` unless the job can be called with `args`."""
        try:
            inspect.signature(self.perform).bind(None, **args)
        except TypeError as error:
            raise WrongArguments(f"Job {self.name}: {error}") from None


_declared: dict[str, Declaration] = {}


def declare(
    name: str,
    *,
    title: str,
    queue: str = "interactive",
    needs: Iterable[str] = (),
    attempts: int = 3,
    limit_s: int = 900,
) -> Callable[
    [Callable[Concatenate[JobRun, P], None]], Callable[Concatenate[JobRun, P], None]
]:
    """Declare the decorated function as the job `name`. It takes a `JobRun` and keyword arguments that are JSON.

    `needs` are capabilities that a worker must offer. `attempts` is how often the job is begun if workers are lost
    under it; `limit_s` is after how many seconds of wall clock it is killed and declined.
    """
    if queue not in QUEUES:
        raise ValueError(
            f"Job {name}: there is no queue {queue!r}; there are {', '.join(QUEUES)}."
        )

    def register(
        perform: Callable[Concatenate[JobRun, P], None],
    ) -> Callable[Concatenate[JobRun, P], None]:
        taken = _declared.get(name)
        if taken is not None and _address(taken.perform) != _address(perform):
            raise ValueError(f"There are two jobs named {name!r}.")
        _declared[name] = Declaration(
            name, title, perform, queue, frozenset(needs), attempts, limit_s
        )
        return perform

    return register


def _address(perform: Callable[..., None]) -> tuple[str, str]:
    return perform.__module__, perform.__qualname__


def declaration(name: str) -> Declaration:
    """Return what was declared as `name`. Raises `UnknownJob`."""
    try:
        return _declared[name]
    except KeyError:
        raise UnknownJob(
            f"No job is declared as {name!r}; there are {', '.join(sorted(_declared))}."
        ) from None


def declared_names() -> list[str]:
    """Return the names of all declared jobs, sorted."""
    return sorted(_declared)


def title_of(name: str) -> str:
    """Return the title of the job `name`; the name itself where this version no longer declares it."""
    found = _declared.get(name)
    return found.title if found else name
