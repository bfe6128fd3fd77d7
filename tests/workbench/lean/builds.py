"""Modules compiled by pocket Lean for tests of the reader. The core is read once a session."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from workbench.lean.library import Environment, Library
from workbench.lean.names import Name, parse
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.terms import Bank

HEAD = "prelude\nimport Pocket\n"


@cache
def core_library(pocket: PocketToolchain) -> Library:
    """The pocket core, read into a bank that all libraries of the session share."""
    library = Library(Bank())
    for root in pocket.library():
        library.load_tree(root)
    return library


def compile_tree(
    pocket: PocketToolchain, sources: Mapping[str, str], out: Path
) -> Path:
    """Compile modules given by name and text (`prelude` and `import Pocket` are put before them) into `out`."""
    with tempfile.TemporaryDirectory() as folder:
        for module, text in sources.items():
            path = Path(folder, *module.split(".")).with_suffix(".lean")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                text if text.startswith(("prelude", "module")) else HEAD + text
            )
        build = pocket.build(Path(folder), out, limits=None)
    assert build.ok, [str(d) for d in build.diagnostics if d.severity == "error"]
    return out


def library_of(
    pocket: PocketToolchain, sources: Mapping[str, str], out: Path
) -> Library:
    """Compile `sources` as above and read them over the core."""
    library = Library(core_library(pocket).bank, core_library(pocket))
    library.load_tree(compile_tree(pocket, sources, out))
    return library


def environment_of(
    pocket: PocketToolchain, sources: Mapping[str, str], out: Path, target: str = ""
) -> Environment:
    """Compile and read `sources`; return what module `target` (by default the last one) sees."""
    library = library_of(pocket, sources, out)
    return library.environment(name_of(target or list(sources)[-1]))


def name_of(text: str) -> Name:
    return parse(text)
