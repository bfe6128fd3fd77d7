"""Instances of any size with text like that of real ones, and rows for long lists. Made for measuring, deterministic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.speed.texts import (
    LEAN_BLOCK,
    LEAN_HEAD,
    PYTHON_BLOCK,
    PYTHON_HEAD,
    SPEC_BLOCK,
    giant_lean,
    giant_python,
)

Files = dict[str, bytes]
LINES_A_BLOCK = LEAN_BLOCK.count("\n")


def long_files(benchmark_id: str, lines: int) -> tuple[Files, Files]:
    """Return an instance of one module, and its source, whose files have about `lines` lines and many definitions."""
    blocks = max(2, lines // LINES_A_BLOCK)
    return _instance(benchmark_id, [("Core", range(blocks))])


def giant(benchmark_id: str, lines: int) -> tuple[Files, Files]:
    """Return an instance of one module in which one definition fills both files, of `lines` lines each."""
    files, source = _instance(benchmark_id, [("Core", range(1))])
    lean = files["Big/Impl/Core.lean"].decode().replace("end Big\n", "")
    files["Big/Impl/Core.lean"] = f"{lean}{giant_lean(lines)}\nend Big\n".encode()
    source["big/core.py"] += giant_python(lines).encode()
    manifest = json.loads(files["manifest.json"])
    module = manifest["packages"][0]["modules"][0]
    module["apis"].append(
        {"name": "giant", "sig": "GiantSig", "upstream_name": "giant"}
    )
    return files | {"manifest.json": _json(manifest)}, source


def wide(benchmark_id: str, modules: int, blocks: int) -> tuple[Files, Files]:
    """Return an instance of `modules` modules with `blocks` APIs, as many helpers and some specs each."""
    named = [
        (f"Part{number:03}", range(number * blocks, (number + 1) * blocks))
        for number in range(modules)
    ]
    return _instance(benchmark_id, named)


def _instance(
    benchmark_id: str, modules: Sequence[tuple[str, range]]
) -> tuple[Files, Files]:
    files: Files = {
        "lean-toolchain": b"leanprover/lean4:v4.29.1\n",
        "lakefile.toml": b'name = "big"\n',
        "Big.lean": "".join(
            f"import Big.Spec.{name}\n" for name, _ in modules
        ).encode(),
        "Big/Bundle.lean": "".join(_bundle(modules)).encode(),
        "Big/Harness.lean": b"import Big.Bundle\n\nstructure RepoImpl where\n  big : BigBundle\n",
    }
    source: Files = {}
    for name, numbers in modules:
        blocks = [
            LEAN_BLOCK.replace("007", f"{n:03}").replace("006", f"{max(n - 1, 0):03}")
            for n in numbers
        ]
        files[f"Big/Impl/{name}.lean"] = (
            LEAN_HEAD.replace("Core", name) + "\n".join(blocks) + "\nend Big\n"
        ).encode()
        specs = [SPEC_BLOCK.replace("007", f"{n:03}") for n in numbers if n % 3 == 0]
        files[f"Big/Spec/{name}.lean"] = (
            "import Big.Harness\n\n" + "\n".join(specs)
        ).encode()
        functions = [
            PYTHON_BLOCK.replace("007", f"{n:03}").replace("006", f"{max(n - 1, 0):03}")
            for n in numbers
        ]
        source[f"big/{name.lower()}.py"] = (PYTHON_HEAD + "".join(functions)).encode()
    files["manifest.json"] = _json(_manifest(benchmark_id, modules))
    return files, source


def _bundle(modules: Sequence[tuple[str, range]]) -> Iterator[str]:
    yield from (f"import Big.Impl.{name}\n" for name, _ in modules)
    yield "\nstructure BigBundle where\n"
    yield from (f"  op{n:03} : OpSig\n" for _, numbers in modules for n in numbers)


def _manifest(
    benchmark_id: str, modules: Sequence[tuple[str, range]]
) -> dict[str, Any]:
    return {
        "benchmark_id": benchmark_id,
        "description": "Made for measuring.",
        "root_package": "Big",
        "lean_version": "4.29.1",
        "modes_supported": ["proof", "codeproof"],
        "source": {
            "language": "python",
            "repo_url": "https://example.org/acme/big",
            "commit_hash": "b" * 40,
            "path": "big",
        },
        "packages": [
            {
                "name": "Big",
                "bundle": "Big/Bundle.lean",
                "bundle_type": "BigBundle",
                "repo_impl_field": "big",
                "modules": [
                    {
                        "name": name,
                        "impl": f"Big/Impl/{name}.lean",
                        "spec": f"Big/Spec/{name}.lean",
                        "apis": [
                            {
                                "name": f"op{n:03}",
                                "sig": "OpSig",
                                "upstream_name": f"op_{n:03}",
                            }
                            for n in numbers
                        ],
                        "specs": [f"spec_op{n:03}" for n in numbers if n % 3 == 0],
                    }
                    for name, numbers in modules
                ],
            }
        ],
    }


def _json(document: dict[str, Any]) -> bytes:
    return json.dumps(document, indent=1).encode()
