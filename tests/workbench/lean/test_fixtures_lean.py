"""The fixture instances against a real Lean: they build, their stubs build, their submissions prove what they claim."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from curation.format.entries import module_of
from curation.format.instance import Instance, load_directory
from curation.format.markers import read_markers, rewrite
from curation.format.render import render
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.toolchain import Build

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
#: The large one, `abacus`, is built and solved in `tests/adjudication/grading/test_grader.py`, once a mode.
NAMES = ("ivalset", "ringbuf", "kvlog")
MODES = ("proof", "codeproof")
LINE_OF_SPEC_SLOT_BOUND = 46
ROUTES = {
    "ivalset": {
        "proof": {"disprove": {"add_count", "overlaps_iff"}},
        "codeproof": {"sat": {"add_mem", "add_count"}},
    },
    "ringbuf": {
        "proof": {"disprove": {"empty_capacity", "overwrite_keeps"}},
        "codeproof": {
            "unsat": {"empty_capacity"},
            "sat": {"overwrite_full", "overwrite_keeps"},
        },
    },
    "kvlog": {
        "proof": {
            "disprove": {
                "room_append",
                "usage_full",
                "delete_appends",
                "compact_shrinks",
            }
        },
        "codeproof": {
            "unsat": {"compact_shrinks"},
            "sat": {"delete_appends", "delete_absent"},
        },
    },
}

pytestmark = pytest.mark.lean


@pytest.fixture(scope="module", params=NAMES)
def instance(request: pytest.FixtureRequest) -> Instance:
    return load_directory(FIXTURES / "instances" / request.param)


def name_of(instance: Instance) -> str:
    return instance.manifest.benchmark_id


def write(root: Path, tree: dict[str, bytes]) -> Path:
    for path, data in tree.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return root


def filled(instance: Instance, mode: str) -> dict[str, bytes]:
    """What a solver sees in a mode, with the slots of the fixture submission in it."""
    tree = render(instance, mode)
    for path in (FIXTURES / "submissions" / name_of(instance) / mode).rglob("*.lean"):
        file = path.relative_to(
            FIXTURES / "submissions" / name_of(instance) / mode
        ).as_posix()
        submitted, text = path.read_text(), tree[file].decode()
        bodies = {
            slot.identity: submitted[slot.body_start : slot.body_end]
            for slot in read_markers(file, submitted).slots
        }
        tree[file] = rewrite(text, bodies, read_markers(file, text).slots).encode()
    return tree


def errors(build: Build) -> list[str]:
    return [
        f"{d.file}:{d.line}:{d.column} {d.message}"
        for d in build.diagnostics
        if d.severity == "error"
    ]


def without_sorry(root: Path, build: Build, suffix: str = "") -> dict[str, set[str]]:
    """Kind → bare specs of the theorems in Proof files in which Lean saw no `sorry`."""
    with_sorry = {(d.file, d.line) for d in build.diagnostics if d.has_sorry}
    found: dict[str, set[str]] = {}
    for path in root.rglob("Proof/*.lean"):
        file = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r"theorem (prove|disprove|sat|unsat)_(\w+) : ", line)
            if match and (file, number) not in with_sorry:
                found.setdefault(match.group(1), set()).add(match.group(2))
    return found


def test_it_builds_and_lean_says_nothing_but_the_vacuous_spec(
    pocket: PocketToolchain, instance: Instance, tmp_path: Path
) -> None:
    root = FIXTURES / "instances" / name_of(instance)
    build = pocket.build(
        root, tmp_path / "out", options={"autoImplicit": "false"}, jobs=2
    )
    said = {(d.file, d.line, d.kind) for d in build.diagnostics}
    vacuous = {
        ("Ringbuf/Spec/Ring.lean", LINE_OF_SPEC_SLOT_BOUND, "linter.unusedVariables")
    }
    assert said == (vacuous if name_of(instance) == "ringbuf" else set())
    assert build.ok
    # An Impl and a Spec a module; bundle, harness, tests and root.
    assert len(build.modules) == 4 + 2 * instance.counts.modules


@pytest.mark.parametrize("mode", MODES)
def test_the_stubs_of_both_modes_build_and_are_all_open(
    pocket: PocketToolchain, instance: Instance, tmp_path: Path, mode: str
) -> None:
    tree = render(instance, mode)
    root = write(tmp_path / "tree", tree)
    # The frozen tests run the implementations, so in `codeproof` they wait for a submission.
    modules = [module_of(path) for path in tree if "/Proof/" in path]
    build = pocket.build(root, tmp_path / "out", modules=modules, jobs=2)
    assert errors(build) == []
    assert without_sorry(root, build) == {}
    impl_with_sorry = {
        name
        for name, result in build.modules.items()
        if ".Impl." in name and result.has_sorry
    }
    assert len(impl_with_sorry) == (0 if mode == "proof" else instance.counts.modules)
    stubs = {"proof": 2, "codeproof": 3}[mode] * len(instance.specs)
    in_proofs = [d for d in build.diagnostics if d.has_sorry and "/Proof/" in d.file]
    assert len(in_proofs) == stubs


@pytest.mark.parametrize("mode", MODES)
def test_its_submission_settles_every_spec_by_the_route_that_the_page_names(
    pocket: PocketToolchain, instance: Instance, tmp_path: Path, mode: str
) -> None:
    root = write(tmp_path / "tree", filled(instance, mode))
    build = pocket.build(root, tmp_path / "out", jobs=2)
    assert errors(build) == []
    expected = ROUTES[name_of(instance)][mode]
    others = set().union(*expected.values())
    proved = {spec.name.removeprefix("spec_") for spec in instance.specs} - others
    assert without_sorry(root, build) == {"prove": proved, **expected}
    assert not any(
        result.has_sorry for name, result in build.modules.items() if ".Impl." in name
    )
    if mode == "codeproof":
        joint = (root / instance.joint_path).read_text()
        listed = re.search(r"(?m)^-- specs=\[(.*)\]", joint)
        assert listed is not None
        assert {
            name.removeprefix("spec_") for name in listed.group(1).split(", ")
        } == expected["sat"]
        claimed = build.modules[f"{instance.manifest.root_package}.Proof.Joint"]
        assert claimed.ok
        assert not claimed.has_sorry


def test_the_missing_guard_of_the_mistranslation_would_fail(
    pocket: PocketToolchain, tmp_path: Path
) -> None:
    """Defect I2 and I3: the upstream assertion that has no counterpart in Test.lean."""
    root = FIXTURES / "instances" / "ivalset"
    tree = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*.lean")
    }
    tree["Ivalset/Test.lean"] += b"#guard !overlaps (set [(0, 3), (10, 12)]) 3 10\n"
    build = pocket.build(
        write(tmp_path / "tree", tree),
        tmp_path / "out",
        modules=["Ivalset.Test"],
        jobs=2,
    )
    (error,) = build.modules["Ivalset.Test"].errors
    assert "overlaps" in error.message
    assert error.line == tree["Ivalset/Test.lean"].count(b"\n")
