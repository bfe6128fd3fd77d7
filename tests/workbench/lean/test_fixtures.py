"""What fixtures/README.md and the manifests say about the fixtures, without Lean."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
NAMES = ("ivalset", "ringbuf", "kvlog", "abacus")
#: Modules and specs, at least and at most.
SIZES = {
    "ivalset": (2, 3, 6, 12),
    "ringbuf": (2, 3, 6, 12),
    "kvlog": (3, 4, 25, 30),
    "abacus": (6, 8, 60, 94),
}
DEFECT = re.compile(
    r"^\| ([IRKA]\d+) \| `([^`:]+):(\d+)` \| `([^`]+)` \|", re.MULTILINE
)
#: What a line of an `ensures` clause has in it, where the word itself stands above.
VERUS_CLAUSE = ("==", "<=", "wf()", "no_duplicates()")
DOC_REFERENCE = re.compile(r"`((?:ivalset|tests|src|test)/[^`:]+):(\d+)`")


def manifest(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        (FIXTURES / "instances" / name / "manifest.json").read_text()
    )
    return document


def entries(name: str) -> Iterator[dict[str, Any]]:
    """Everything in the manifest that claims to come from a place in the source."""
    for module in manifest(name)["packages"][0]["modules"]:
        for key in ("types", "api_helpers", "spec_helpers", "apis", "specs"):
            yield from (entry for entry in module[key] if "source_id" in entry)


def git_tree_hash(folder: Path) -> str:
    """The hash that Git gives to a folder of plain files (`git rev-parse HEAD:folder`)."""
    found: list[tuple[str, bytes]] = []
    for path in folder.iterdir():
        if path.name == "__pycache__":
            continue
        if path.is_dir():
            raw = (
                b"40000 "
                + path.name.encode()
                + b"\0"
                + bytes.fromhex(git_tree_hash(path))
            )
            found.append((path.name + "/", raw))
        else:
            data = path.read_bytes()
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).digest()
            found.append((path.name, b"100644 " + path.name.encode() + b"\0" + blob))
    body = b"".join(raw for _, raw in sorted(found))
    return hashlib.sha1(b"tree %d\0" % len(body) + body).hexdigest()


def test_every_listed_defect_is_on_the_line_named() -> None:
    defects = DEFECT.findall((FIXTURES / "README.md").read_text())
    assert len(defects) == 35
    for name, path, line, words in defects:
        assert words in (FIXTURES / path).read_text().splitlines()[int(line) - 1], name


def test_the_confusable_characters_are_what_the_page_says_and_the_only_ones() -> None:
    found = {}
    for path in sorted((FIXTURES / "instances").rglob("*.lean")):
        letters = re.findall(r"[\u0370-\u03ff\u0400-\u04ff]", path.read_text())
        if letters:
            found[path.name] = letters
    assert found == {"Core.lean": ["\u043e"], "Batch.lean": ["\u03bf"] * 3}


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_points_at_the_source_by_file_line_and_offset(name: str) -> None:
    seen = 0
    for entry in entries(name):
        file, item, offset = entry["source_id"].split(":")
        text = (FIXTURES / "sources" / name / file).read_text()
        assert (entry["source_file"], entry["source_line"]) == (
            file,
            text.count("\n", 0, int(offset)) + 1,
        )
        assert text[int(offset) :].startswith(entry["source_signature"])
        assert item.rpartition(".")[2] in entry["source_signature"]
        seen += 1
    assert seen > 20


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_pins_the_sources_beside_it(name: str) -> None:
    assert manifest(name)["source"]["commit_hash"] == git_tree_hash(
        FIXTURES / "sources" / name
    )


@pytest.mark.parametrize("name", NAMES)
def test_references_in_lean_comments_point_at_lines_of_the_source(name: str) -> None:
    lines = {}
    for path in (FIXTURES / "sources" / name).rglob("*"):
        if path.suffix in (".py", ".dfy", ".rs", ".v"):
            lines[path.relative_to(FIXTURES / "sources" / name).as_posix()] = (
                path.read_text().splitlines()
            )
    seen = 0
    for path in (FIXTURES / "instances" / name).rglob("*.lean"):
        for file, line in DOC_REFERENCE.findall(path.read_text()):
            words = (
                "def ",
                "class ",
                "function",
                "predicate",
                "datatype",
                "lemma",
                "ensures",
                "requires",
                "fn ",
                "enum ",
                "struct ",
                "Definition ",
                "Fixpoint ",
                "Inductive ",
                "Lemma ",
                "Theorem ",
                *VERUS_CLAUSE,
            )
            assert any(word in lines[file][int(line) - 1] for word in words), (
                path.name,
                file,
                line,
            )
            seen += 1
    assert seen > 12


@pytest.mark.parametrize("name", NAMES)
def test_it_has_the_size_that_it_is_meant_to_have_and_a_licence(name: str) -> None:
    modules = manifest(name)["packages"][0]["modules"]
    fewest_modules, most_modules, fewest, most = SIZES[name]
    assert fewest <= sum(len(module["specs"]) for module in modules) <= most
    assert fewest_modules <= len(modules) <= most_modules
    licences = [FIXTURES / kind / name / "LICENSE" for kind in ("instances", "sources")]
    assert licences[0].read_bytes() == licences[1].read_bytes()


def test_the_python_source_passes_its_own_tests(tmp_path: Path) -> None:
    source = FIXTURES / "sources" / "ivalset"
    environment = {
        **os.environ,
        "PYTHONPATH": str(source),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-c",
            os.devnull,
            f"--rootdir={source}",
            "tests",
        ],
        cwd=source,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    assert "20 passed" in ended.stdout
