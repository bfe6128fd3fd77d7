from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path

import pytest

from workbench.lean.pocket.cache import CompiledCore, is_complete
from workbench.lean.toolchain import Build, CoreBroken, Diagnostic, ModuleResult


class Compilation:
    """Stands in for the compilation of the core: writes one file and counts how often it was asked."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.count = 0
        self.guard = threading.Lock()

    def __call__(self, source: Path, out: Path) -> Build:
        with self.guard:
            self.count += 1
        if self.fails:
            error = Diagnostic("A.lean", 1, 0, "error", "", "unknown identifier")
            return Build(out, {"A": ModuleResult("A", "A.lean", "failed", (error,))})
        (out / "A.olean").write_text((source / "A.lean").read_text())
        return Build(out, {"A": ModuleResult("A", "A.lean", "built")})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "core"
    path.mkdir()
    (path / "A.lean").write_text("def a := 1")
    return path


def test_it_compiles_once_and_finds_it_again(tmp_path: Path, source: Path) -> None:
    compilation = Compilation()
    first = CompiledCore(tmp_path / "cache", source, "compiler", compilation)
    assert (first.path() / "A.olean").read_text() == "def a := 1"
    assert (
        first.path()
        == CompiledCore(tmp_path / "cache", source, "compiler", compilation).path()
    )
    assert compilation.count == 1


def test_another_text_or_another_compiler_is_another_directory(
    tmp_path: Path, source: Path
) -> None:
    compilation = Compilation()
    paths = {
        CompiledCore(tmp_path / "cache", source, name, compilation).path()
        for name in ("one", "two")
    }
    (source / "A.lean").write_text("def a := 2")
    paths.add(CompiledCore(tmp_path / "cache", source, "one", compilation).path())
    (source / "A.lean").rename(source / "B.lean")
    paths.add(
        tmp_path / CompiledCore(tmp_path / "cache", source, "one", compilation).key()
    )
    assert len(paths) == 4


def test_threads_wait_for_one_compilation(tmp_path: Path, source: Path) -> None:
    compilation = Compilation()
    cores = [
        CompiledCore(tmp_path / "cache", source, "compiler", compilation)
        for _ in range(6)
    ]
    threads = [threading.Thread(target=core.path) for core in cores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert compilation.count == 1


def compile_and_leave_a_mark(cache: Path, source: Path, marks: Path) -> None:
    def compilation(source: Path, out: Path) -> Build:
        (marks / f"{multiprocessing.current_process().pid}").write_text("")
        return Compilation()(source, out)

    CompiledCore(cache, source, "compiler", compilation).path()


def test_processes_wait_for_one_compilation(tmp_path: Path, source: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    context = multiprocessing.get_context("spawn")
    arguments = (tmp_path / "cache", source, marks)
    processes = [
        context.Process(target=compile_and_leave_a_mark, args=arguments)
        for _ in range(3)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(list(marks.iterdir())) == 1


@pytest.mark.parametrize("damage", ["cut", "extra", "gone", "listing"])
def test_a_damaged_directory_is_made_again(
    tmp_path: Path, source: Path, damage: str
) -> None:
    compilation = Compilation()
    path = CompiledCore(tmp_path / "cache", source, "compiler", compilation).path()
    if damage == "cut":
        (path / "A.olean").write_text("def")
    if damage == "extra":
        (path / "B.olean").write_text("")
    if damage == "gone":
        (path / "A.olean").unlink()
    if damage == "listing":
        (path / "files.json").write_text("{")
    assert not is_complete(path)
    assert (
        CompiledCore(tmp_path / "cache", source, "compiler", compilation).path() == path
    )
    assert is_complete(path)
    assert (path / "A.olean").read_text() == "def a := 1"
    assert compilation.count == 2


def test_a_core_that_does_not_compile_leaves_nothing_and_names_the_module(
    tmp_path: Path, source: Path
) -> None:
    core = CompiledCore(tmp_path / "cache", source, "compiler", Compilation(fails=True))
    with pytest.raises(CoreBroken, match="A: unknown identifier"):
        core.path()
    assert not [path for path in (tmp_path / "cache").iterdir() if path.is_dir()]
    with pytest.raises(CoreBroken):
        core.path()
