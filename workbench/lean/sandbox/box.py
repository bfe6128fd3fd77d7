"""The words of the sandbox: what goes into a box, what comes out, and what a sandbox promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from workbench.lean.sandbox.probe import ProbeResult

Hit = Literal[
    "", "time", "cpu", "memory", "threads", "file", "disk", "output", "cancelled"
]
MIB = 1 << 20


class BadBox(ValueError):
    """A box that nobody can run as it was asked for. Names the field and what was expected."""


class BoxBroken(Exception):
    """The box could not be made, or not be shown to have ended. Nothing that it left may be believed."""


class NoSandbox(Exception):
    """This machine has no sandbox that was proven to hold. Says why, for each kind."""


@dataclass(frozen=True)
class Limits:
    """Limits of one box; none can be switched off.

    `seconds` is wall clock, `cpu_seconds` the processor time of all threads together. `memory_mib` counts memory that is
    the box's own (not files that it maps). `file_bytes` holds for each file, `folder_bytes` and `folder_files` for all in
    the writable folder, `output_bytes` for standard output and error together.
    """

    seconds: float = 120.0
    cpu_seconds: int = 600
    memory_mib: int = 5120
    threads: int = 64
    file_bytes: int = 512 * MIB
    folder_bytes: int = 1024 * MIB
    folder_files: int = 256
    output_bytes: int = 4 * MIB

    def __post_init__(self) -> None:
        """Raise BadBox for a limit that is not above 0."""
        for name, value in asdict(self).items():
            if not value > 0:
                raise BadBox(f"limit {name} is {value!r}; expected a number above 0")


@dataclass(frozen=True)
class Box:
    """One program to run. `name` is for messages; `argv[0]` is an absolute path; `env` is all that it sees of one, and no place
    for secrets: it travels in a command line.

    `readable` are files and folders that exist; `writable` is a folder that exists, where it may make, change and rename
    files but neither remove them nor make folders or links. It starts in `start`, the writable folder unless said otherwise, with
    an empty standard input. `start` has to be, or to be above, something that it may read.
    """

    name: str
    argv: Sequence[str]
    readable: Sequence[Path]
    writable: Path
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    start: Path | None = None

    def check(self) -> None:
        """Raise BadBox, naming the field, if no sandbox can run this."""
        if not self.argv or not self.argv[0].startswith("/"):
            raise BadBox(
                f"box {self.name}: argv starts with {self.argv[:1]!r}; expected an absolute path"
            )
        for text in (*self.argv, *self.env, *self.env.values()):
            if "\0" in text:
                raise BadBox(
                    f"box {self.name}: {text!r} holds a NUL, which no program can be given"
                )
        for name in self.env:
            if not name or "=" in name:
                raise BadBox(f"box {self.name}: {name!r} is no name of a variable")
        for path in (*self.readable, self.writable):
            if not path.is_absolute():
                raise BadBox(f"box {self.name}: {path}: expected an absolute path")
        for path in self.readable:
            if not path.exists():
                raise BadBox(f"box {self.name}: {path}, to be read, does not exist")
        if self.writable.is_symlink() or not self.writable.is_dir():
            raise BadBox(
                f"box {self.name}: {self.writable}, to be written, is no folder"
            )


@dataclass(frozen=True)
class Ended:
    """How a box ended.

    `code` is the program's exit code, negative for a signal. `limit` is the one that was hit, empty for none: then the
    program ended by itself. A program that met a limit and went on (`file`, `disk`, `threads` where the kernel counts them) has hit
    it all the same. `peak_kib` is its largest resident set.
    """

    code: int
    output: bytes
    limit: Hit
    seconds: float
    cpu_seconds: float
    peak_kib: int


class Sandbox(Protocol):
    """One way to run boxes on this machine."""

    @property
    def name(self) -> str:
        """Return the kind: `bubblewrap`, `landlock` or `none`."""

    @property
    def words(self) -> str:
        """Return what it is made of, in words for a verdict."""

    @property
    def versions(self) -> Mapping[str, str]:
        """Return the versions of what it is made of: kernel, bubblewrap, Landlock, Python."""

    def run(self, box: Box, cancel: Callable[[], bool] | None = None) -> Ended:
        """Return how `box` ended, when nothing of it is left. `cancel` is asked several times a second.

        Raises BadBox, BoxBroken. Call it from a thread that lives as long as the box: the kernel ends the box with it.
        """


@dataclass(frozen=True)
class Chosen:
    """A sandbox with what the probe found out about it (nothing for `none`)."""

    sandbox: Sandbox
    proof: ProbeResult | None

    @property
    def proven(self) -> bool:
        """Whether the probe showed that it holds."""
        return self.proof is not None and self.proof.proven

    def record(self, limits: Limits) -> dict[str, object]:
        """Return what a verdict says about it, as JSON: kind, words, versions, limits and what was probed."""
        return {
            "kind": self.sandbox.name,
            "words": self.sandbox.words,
            "proven": self.proven,
            "failures": list(self.proof.failures) if self.proof else [],
            "probed": list(self.proof.attacks) if self.proof else [],
            "versions": dict(self.sandbox.versions),
            "limits": asdict(limits),
        }
