"""A folder laid out as elan lays out a toolchain, whose `bin/lean` is a small wrapper of pocket Lean.

The compiler, its library and the kernel in it are real. Doubles, named as such: `leanchecker` (its words and exit codes are those of
Lean's own source, its verdict is that of Lean's own `replay`, called in the shared library) and `lake` (recorded words).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.lean import runner
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.sandbox.system import interpreter

NAME = "leanprover--lean4---v4.35.0"
CHECKER = Path(__file__).with_name("leanchecker_double.py")
LAKE = """#!/bin/sh
# Double of lake: the words of `lake env` in a workspace with two packages.
cat <<END
LAKE={root}/bin/lake
LEAN_SYSROOT={root}
LEAN_PATH={path}
LEAN_SRC_PATH=./.lake/packages/batteries:./.
END
"""


def toolchain_folder(
    pocket: PocketToolchain, folder: Path, *, checker: bool = False, name: str = NAME
) -> Path:
    """Make the toolchain `name` below `folder`; return it. With `checker` it has a `leanchecker`, the double."""
    root = folder / name
    library = root / "lib" / "lean"
    shutil.copytree(pocket.library()[0], library, copy_function=link)
    with TemporaryDirectory() as source:
        # What a file without `prelude` imports: ordinary Lean is then built on the pocket core.
        Path(source, "Init.lean").write_text("prelude\nimport Pocket\n")
        assert pocket.build(Path(source), library).ok
    for path in pocket.wheel.library.parent.glob("lib*.so"):
        link(str(path), str(library / path.name))
    shared = library / pocket.wheel.library.name
    (root / "bin").mkdir()
    wrapper = Path(runner.__file__).read_text(encoding="utf-8")
    last = "sys.exit(main(sys.argv[1:]))"
    assert wrapper.count(last) == 1
    wrapper = wrapper.replace(last, f"sys.exit(main([{str(shared)!r}, *sys.argv[1:]]))")
    program(root / "bin" / "lean", f"#!{interpreter()} -IS\n{wrapper}")
    if checker:
        text = CHECKER.read_text(encoding="utf-8")
        text = text.replace("LIBRARY = None", f"LIBRARY = {str(shared)!r}")
        program(root / "bin" / "leanchecker", f"#!{interpreter()} -IS\n{text}")
    return root


def program(path: Path, text: str) -> Path:
    """Write a program."""
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def lake(root: Path, path: str) -> None:
    """Give the toolchain a `lake`, the double, that says `path`."""
    program(root / "bin" / "lake", LAKE.format(root=root, path=path))


def real_root(program: str = "lean") -> Path | None:
    """Return the toolchain on the PATH if it has that program; the pocket kind's wrapper is none."""
    lean = shutil.which("lean")
    if lean is None:
        return None
    words = [lean, "--print-prefix"]
    said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    root = Path(said.stdout.strip())
    return root if (root / "bin" / program).is_file() else None


def present(program: str) -> list[str]:
    """Return which of them tests ask: always the double, and the real one where it is on the PATH."""
    return ["double", "real"] if real_root(program) else ["double"]


def toolchain_with(program: str, which: str, double: Path) -> Path:
    """Return the toolchain that `which` means, one of `present`."""
    found = double if which == "double" else real_root(program)
    assert found is not None
    return found


def link(source: str, target: str) -> str:
    """Link, and copy where the other folder is on another disk: the shared library has 230 MB."""
    try:
        os.link(os.path.realpath(source), target)
    except OSError:
        shutil.copyfile(source, target)
    return target
