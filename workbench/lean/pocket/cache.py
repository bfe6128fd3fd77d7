"""The compiled core on disk: made once for its content, shared by every process of the machine."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.lean.toolchain import Build, CoreBroken

LISTING = "files.json"


class CompiledCore:
    """The core below `cache`, in a directory named by the hash of compiler and sources.

    A directory appears by one rename when it is complete, so a reader never sees half of it; a lock file makes
    other processes wait rather than compile the same thing. The listing in it has the hash of every file; a
    directory that does not match (cut disk, stray hands) is set aside and made again.
    """

    def __init__(
        self,
        cache: Path,
        source: Path,
        compiler: str,
        compile_core: Callable[[Path, Path], Build],
    ) -> None:
        self.cache = cache
        self.source = source
        self.compiler = compiler
        self._compile = compile_core
        self._checked: Path | None = None
        self._guard = threading.Lock()

    def path(self) -> Path:
        """Return the directory with the compiled files, making it first if needed. Raises CoreBroken, OSError."""
        with self._guard:
            if self._checked is None:
                self._checked = self._find_or_make()
            return self._checked

    def key(self) -> str:
        """Return the SHA-256 (hex) of compiler and sources, which names the directory."""
        total = hashlib.sha256(self.compiler.encode())
        for file in sorted(self.source.rglob("*.lean")):
            total.update(file.relative_to(self.source).as_posix().encode() + b"\0")
            total.update(hashlib.sha256(file.read_bytes()).digest())
        return total.hexdigest()

    def _find_or_make(self) -> Path:
        target = (self.cache / f"pocket-core-{self.key()[:32]}").resolve()
        if is_complete(target):
            return target
        self.cache.mkdir(parents=True, exist_ok=True)
        with locked(target.with_suffix(".lock")):
            if not is_complete(target):
                self._make(target)
        return target

    def _make(self, target: Path) -> None:
        work = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=self.cache))
        try:
            build = self._compile(self.source, work)
            for result in build.modules.values():
                if result.outcome not in ("built", "blocked"):
                    first = (
                        result.errors[0].message if result.errors else result.outcome
                    )
                    raise CoreBroken(
                        f"the pocket core does not compile: {result.module}: {first}"
                    )
            (work / LISTING).write_text(
                json.dumps(_hashes(work), indent=1, sort_keys=True), encoding="utf-8"
            )
            work.chmod(0o755)
            if target.exists():
                shutil.rmtree(target)
            work.rename(target)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def is_complete(directory: Path) -> bool:
    """Return whether `directory` holds exactly the files, with the hashes, that its listing names."""
    try:
        listing = json.loads((directory / LISTING).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(listing) and listing == _hashes(directory)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on the file `path`, made when needed; the system drops it when the process ends."""
    with path.open("w") as file:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _hashes(directory: Path) -> dict[str, str]:
    return {
        file.relative_to(directory).as_posix(): hashlib.sha256(
            file.read_bytes()
        ).hexdigest()
        for file in sorted(directory.rglob("*"))
        if file.is_file() and file.name != LISTING
    }
