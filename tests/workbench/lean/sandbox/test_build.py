"""Trees compiled in boxes: by a stand-in for a Lean that a submission has taken over, and by the real pocket Lean.

`TAKEN_OVER` is a double at the process boundary. It writes its module as Lean does, and then whatever the source tells it.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from workbench.lean.build import Compiler, box_limits, build_tree
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.sandbox.box import Sandbox
from workbench.lean.sandbox.system import interpreter, system_paths
from workbench.lean.toolchain import Build, Limits

REPOSITORY = Path(__file__).resolve().parents[4]
TAKEN_OVER = r"""
import json, os, pathlib, sys
source = sys.argv[-1]
flags = {a[:2]: a[2:] for a in sys.argv[1:-1]}
text = pathlib.Path(source).read_text()
print(json.dumps({"severity": "information", "data": os.getcwd(), "fileName": source, "pos": {"line": 1, "column": 0}}), flush=True)
made = pathlib.Path(flags["-o"])
made.write_text("honest")
pathlib.Path(flags["-i"]).write_text("names")
for line in text.splitlines():
    if line.startswith("--! "):
        try: exec(line[4:])
        except OSError as error: print("refused", flush=True)
"""


@pytest.fixture
def compiler(tmp_path: Path) -> Compiler:
    double = tmp_path / "double.py"
    double.write_text(TAKEN_OVER)
    return Compiler(
        lambda limits: [str(interpreter()), "-I", "-S", str(double)],
        readable=[*system_paths(), double],
    )


def build(
    compiler: Compiler,
    sandbox: Sandbox,
    tmp_path: Path,
    limits: Limits | None = None,
    **files: str,
) -> Build:
    root = tmp_path / "tree"
    root.mkdir()
    for name, text in files.items():
        (root / f"{name}.lean").write_text(text)
    return build_tree(compiler, root, tmp_path / "out", limits=limits, sandbox=sandbox)


def test_a_module_is_taken_out_read_only_with_its_hash(
    sandbox: Sandbox, compiler: Compiler, tmp_path: Path
) -> None:
    made = build(compiler, sandbox, tmp_path, A="", B="import A")
    assert made.ok
    assert made.modules["A"].sha256 == hashlib.sha256(b"honest").hexdigest()
    # Named and started as without a box.
    said = made.modules["A"].diagnostics[0]
    assert (said.file, said.message) == ("A.lean", str(tmp_path / "tree"))
    assert sorted(path.name for path in made.out.iterdir()) == [
        "A.ilean", "A.olean", "B.ilean", "B.olean",
    ]  # fmt: skip
    assert {path.stat().st_mode & 0o777 for path in made.out.iterdir()} == {0o444}
    # Nothing is left beside.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["double.py", "out", "tree"]  # fmt: skip


def test_a_second_build_replaces_the_first(
    sandbox: Sandbox, compiler: Compiler, tmp_path: Path
) -> None:
    assert build(compiler, sandbox, tmp_path, A="").ok
    again = build_tree(compiler, tmp_path / "tree", tmp_path / "out", sandbox=sandbox)
    assert again.ok


def test_a_module_cannot_touch_another_one_nor_the_sources(
    sandbox: Sandbox, compiler: Compiler, tmp_path: Path
) -> None:
    other = tmp_path / "out" / "A.olean"
    attack = (
        f"--! pathlib.Path({str(other)!r}).write_text('forged')\n"
        f"--! os.chmod({str(other)!r}, 0o666)\n"
        f"--! os.rename(made, {str(other)!r})\n"
        f"--! pathlib.Path('A.lean').write_text('forged')\n"
        f"--! pathlib.Path({str(tmp_path / 'out' / 'New.olean')!r}).write_text('forged')\n"
    )
    made = build(compiler, sandbox, tmp_path, A="", B="import A\n" + attack)
    assert made.ok
    assert other.read_text() == "honest"
    assert other.stat().st_mode & 0o777 == 0o444
    assert (tmp_path / "tree" / "A.lean").read_text() == ""
    assert not (tmp_path / "out" / "New.olean").exists()
    assert made.modules["B"].diagnostics[-1].message.count("refused") == 5


def test_a_module_reads_neither_other_sources_nor_the_machine(
    sandbox: Sandbox, compiler: Compiler, tmp_path: Path
) -> None:
    (tmp_path / "hidden").write_text("secret")
    attack = (
        "--! print(open('A.lean').read())\n"
        f"--! print(open({str(tmp_path / 'hidden')!r}).read())\n"
        "--! print(open('/etc/hostname').read())\n"
    )
    made = build(compiler, sandbox, tmp_path, A="-- secret", B="import A\n" + attack)
    assert made.modules["B"].diagnostics[-1].message == "refused\nrefused\nrefused"


@pytest.mark.parametrize(
    ("attack", "outcome", "words"),
    [
        ("import time; time.sleep(300)", "time", "stopped after 2 s"),
        ("[print('x' * 999) for _ in range(9999)]", "output", "bytes of output"),
        ("kept = [b'x' * (1 << 20) for _ in range(4000)]; import time; time.sleep(300)", "memory", "too much memory"),
        ("open(made, 'wb').write(bytes(9 << 20))", "file", "size of a file"),
        ("[open(f'{made}{n}', 'w') for n in range(999)]", "disk", "filling its folder"),
        ("os._exit(3)", "crashed", "ended with code 3"),
        ("os.rename(made, str(made) + '.x'); os._exit(0)", "failed", "wrote no module"),
        ("os.rename(flags['-i'], made); os.remove(made)", "built", ""),
    ],
)  # fmt: skip
def test_excess_has_its_outcome_and_leaves_no_module(
    sandbox: Sandbox,
    compiler: Compiler,
    tmp_path: Path,
    attack: str,
    outcome: str,
    words: str,
) -> None:
    seconds = 2 if outcome == "time" else 60
    limits = Limits(
        seconds=seconds, memory_mib=100, file_bytes=8 << 20, output_bytes=1 << 16
    )
    made = build(compiler, sandbox, tmp_path, limits, A=f"--! {attack}\n", B="import A")
    result = made.modules["A"]
    assert result.outcome == outcome
    if outcome == "built":
        # Removing is refused, so the other file is the module; it is nothing that a reader would take for one.
        assert result.sha256 == hashlib.sha256(b"names").hexdigest()
        return
    assert words in result.errors[-1].message
    assert (result.sha256, made.modules["B"].outcome) == ("", "blocked")
    assert not list(made.out.rglob("*.olean"))


def test_the_box_has_the_limits_of_the_module() -> None:
    limits = box_limits(Limits(seconds=7, output_bytes=5, file_bytes=9, memory_mib=100))
    assert (limits.seconds, limits.output_bytes, limits.file_bytes) == (7, 5, 9)
    assert limits.memory_mib > 100


@pytest.mark.lean
class TestPocketLean:
    def test_a_tree_is_compiled_to_the_same_bytes(
        self, sandbox: Sandbox, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        root = REPOSITORY / "fixtures" / "instances" / "ivalset"
        options = {"autoImplicit": "false"}
        modules = ["Ivalset.Spec.Core"]
        plain = pocket.build(root, tmp_path / "plain", modules=modules, options=options)
        boxed = pocket.build(
            root, tmp_path / "boxed", modules=modules, options=options, sandbox=sandbox
        )
        assert plain.ok
        assert boxed.ok
        for name, result in boxed.modules.items():
            path = Path(*name.split(".")).with_suffix(".olean")
            assert (boxed.out / path).read_bytes() == (plain.out / path).read_bytes()
            assert result.sha256 == hashlib.sha256((boxed.out / path).read_bytes()).hexdigest()  # fmt: skip
            assert result.diagnostics == plain.modules[name].diagnostics
            assert result.peak_kib > 50 << 10

    def test_errors_are_told_as_without_a_box(
        self, sandbox: Sandbox, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        (tmp_path / "A.lean").write_text(
            "prelude\nimport Pocket\ntheorem a : 1 = 2 := rfl\n"
        )
        plain = pocket.build(tmp_path, tmp_path / "plain")
        boxed = pocket.build(tmp_path, tmp_path / "boxed", sandbox=sandbox)
        assert boxed.modules["A"].outcome == "failed"
        assert boxed.modules["A"].errors == plain.modules["A"].errors

    def test_an_elaboration_that_never_ends_is_ended(
        self, sandbox: Sandbox, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        text = (
            "prelude\nimport Pocket\nset_option maxHeartbeats 0\nset_option maxRecDepth 1000000\n"
            "partial def spin (n : Nat) : Bool := spin (n + 1)\n#guard spin 0\n"
        )
        (tmp_path / "A.lean").write_text(text)
        built = pocket.build(
            tmp_path, tmp_path / "out", limits=Limits(seconds=3), sandbox=sandbox
        )
        assert built.modules["A"].outcome == "time"
        assert not list((tmp_path / "out").rglob("*.olean"))


@pytest.mark.lean
def test_the_compiled_core_is_not_changed_by_a_boxed_build(
    pocket: PocketToolchain, sandbox: Sandbox, tmp_path: Path
) -> None:
    core = pocket.library()[0]
    before = {path: path.stat().st_mtime_ns for path in core.rglob("*")}
    (tmp_path / "A.lean").write_text("prelude\nimport Pocket\n")
    assert pocket.build(tmp_path, tmp_path / "out", sandbox=sandbox).ok
    assert {path: path.stat().st_mtime_ns for path in core.rglob("*")} == before
    shutil.rmtree(tmp_path / "out")


@pytest.mark.lean
def test_a_module_that_lean_writes_in_three_parts_is_not_taken_out(
    pocket: PocketToolchain, sandbox: Sandbox, tmp_path: Path
) -> None:
    root, out = tmp_path / "src", tmp_path / "out"
    root.mkdir()
    (root / "A.lean").write_text("module\nprelude\npublic inductive N where | z\n")
    (root / "B.lean").write_text("prelude\nimport A\n")
    built = pocket.build(root, out, sandbox=sandbox)
    assert {name: r.outcome for name, r in built.modules.items()} == {
        "A": "failed",
        "B": "blocked",
    }
    assert "begins with `module`" in built.modules["A"].errors[-1].message
    assert not list(out.rglob("*.olean*"))
