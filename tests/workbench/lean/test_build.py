"""The order, the processes and the reading of messages, against a stand-in for Lean.

`FAKE_LEAN` is a double at the process boundary: it takes Lean's arguments, does what a line `--! word` of the
source tells it, and otherwise writes an `.olean` that names the `.olean` files of its imports which it found.
The real Lean is met in test_pocket_toolchain.py.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest

from workbench.lean.build import Compiler, build_tree, read_diagnostics
from workbench.lean.imports import TreeError
from workbench.lean.toolchain import Build, Limits, ModuleResult

FAKE_LEAN = r"""
import json, os, pathlib, re, signal, sys, time
source = pathlib.Path(sys.argv[-1])
flags = {a[:2]: a[2:] for a in sys.argv[1:-1]}
text = source.read_text()
orders = re.findall(r"--! (.*)", text)
began = time.time()
def say(severity, kind, data):
    print(json.dumps({"severity": severity, "kind": kind, "data": data, "fileName": str(source), "pos": {"line": 2, "column": 4}}))
for order in orders:
    if order == "sorry": say("warning", "hasSorry", "declaration uses `sorry`")
    if order == "options": say("information", "[anonymous]", " ".join(a for a in sys.argv if a.startswith(("-D", "-M", "--json"))))
    if order == "sleep": time.sleep(300)
    if order == "meet":
        pathlib.Path(flags["-o"] + ".here").write_text("")
        while len(list(pathlib.Path(flags["-o"]).parent.glob("*.here"))) < 2: time.sleep(0.01)
    if order == "wait": time.sleep(0.2)
    if order == "print": print("hello from elaboration")
    if order == "flood":
        while True: print("x" * 1000)
    if order == "crash": os.kill(os.getpid(), signal.SIGSEGV)
    if order == "abort": sys.exit(134)
    if order == "vanish": sys.exit(0)
    if order == "error":
        say("error", "Tactic.unsolvedGoals", "unsolved goals")
        sys.exit(1)
found = []
for name in re.findall(r"import (\S+)", text):
    for place in os.environ["LEAN_PATH"].split(os.pathsep):
        if pathlib.Path(place, *name.split(".")).with_suffix(".olean").exists():
            found.append(name)
            break
    else:
        say("error", "", f"unknown module {name}")
        sys.exit(1)
pathlib.Path(flags["-o"]).write_text(json.dumps({"imports": found, "began": began, "ended": time.time()}))
pathlib.Path(flags["-i"]).write_text("")
"""


@pytest.fixture
def compiler(tmp_path: Path) -> Compiler:
    fake = tmp_path / "fake_lean.py"
    fake.write_text(FAKE_LEAN)
    return Compiler(lambda limits: [sys.executable, "-I", "-S", str(fake)])


def tree(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root.joinpath(*name.split("__")).with_suffix(".lean")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def written(build: Build, module: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        build.out.joinpath(*module.split(".")).with_suffix(".olean").read_text()
    )
    return found


def test_it_compiles_in_import_order(tmp_path: Path, compiler: Compiler) -> None:
    root = tree(tmp_path / "t", R="import R.B\nimport R.A", R__A="import R.B", R__B="")
    build = build_tree(compiler, root, tmp_path / "out")
    assert build.ok
    assert list(build.modules) == ["R.B", "R.A", "R"]
    assert written(build, "R")["imports"] == ["R.B", "R.A"]
    assert build.modules["R.A"].file == "R/A.lean"
    assert 0 < build.modules["R.A"].seconds <= build.seconds


def test_independent_modules_are_compiled_at_the_same_time(
    tmp_path: Path, compiler: Compiler
) -> None:
    # Each of A and B waits until the other has started; one after the other, they would hit the time limit.
    root = tree(tmp_path / "t", A="--! meet", B="--! meet", C="import A\nimport B")
    assert build_tree(compiler, root, tmp_path / "out", jobs=2).ok


def test_one_job_compiles_one_module_at_a_time(
    tmp_path: Path, compiler: Compiler
) -> None:
    root = tree(tmp_path / "t", A="--! wait", B="--! wait")
    build = build_tree(compiler, root, tmp_path / "out", jobs=1)
    spans = sorted(
        (float(str(w["began"])), float(str(w["ended"])))
        for w in (written(build, n) for n in "AB")
    )
    assert spans[0][1] <= spans[1][0]


def test_an_error_blocks_what_imports_it_and_nothing_else(
    tmp_path: Path, compiler: Compiler
) -> None:
    root = tree(tmp_path / "t", A="--! error", B="import A", C="import B", D="")
    build = build_tree(compiler, root, tmp_path / "out", jobs=2)
    assert {name: result.outcome for name, result in build.modules.items()} == {
        "A": "failed", "B": "blocked", "C": "blocked", "D": "built",
    }  # fmt: skip
    assert build.modules["C"].blocked_by == ("B",)
    assert not build.ok
    error = build.modules["A"].errors[0]
    assert (error.file, error.line, error.column, error.kind) == (
        "A.lean",
        2,
        4,
        "Tactic.unsolvedGoals",
    )


def test_a_sorry_is_built_and_said(tmp_path: Path, compiler: Compiler) -> None:
    build = build_tree(
        compiler, tree(tmp_path / "t", A="--! sorry", B=""), tmp_path / "out"
    )
    assert build.ok
    assert (build.modules["A"].has_sorry, build.modules["B"].has_sorry) == (True, False)


def test_compiled_files_of_an_earlier_build_do_not_stand_in_for_failed_ones(
    tmp_path: Path, compiler: Compiler
) -> None:
    root = tree(tmp_path / "t", A="", B="import A")
    out = tmp_path / "out"
    assert build_tree(compiler, root, out).ok
    tree(root, A="--! error")
    build = build_tree(compiler, root, out)
    assert build.modules["B"].outcome == "blocked"
    assert not list(out.rglob("*.olean"))


def test_a_module_that_ends_well_and_writes_nothing_has_failed(
    tmp_path: Path, compiler: Compiler
) -> None:
    build = build_tree(compiler, tree(tmp_path / "t", A="--! vanish"), tmp_path / "out")
    assert build.modules["A"].outcome == "failed"
    assert "wrote no module" in build.modules["A"].errors[0].message


@pytest.mark.parametrize(
    ("order", "outcome", "message"),
    [
        ("sleep", "time", "stopped after 1 s"),
        ("flood", "output", "stopped after 10000 bytes of output"),
        ("crash", "crashed", "SIGSEGV"),
        ("abort", "crashed", "code 134"),
    ],
)
def test_a_module_that_misbehaves_is_stopped_and_the_rest_goes_on(
    tmp_path: Path, compiler: Compiler, order: str, outcome: str, message: str
) -> None:
    root = tree(tmp_path / "t", A=f"--! {order}", B="import A", C="")
    build = build_tree(
        compiler, root, tmp_path / "out", limits=Limits(seconds=1, output_bytes=10000)
    )
    assert build.modules["A"].outcome == outcome
    assert message in build.modules["A"].errors[-1].message
    assert (build.modules["B"].outcome, build.modules["C"].outcome) == (
        "blocked",
        "built",
    )


def test_cancelling_ends_the_running_module_and_starts_no_other(
    tmp_path: Path, compiler: Compiler
) -> None:
    cancel = threading.Event()
    root = tree(tmp_path / "t", A="--! sleep", B="")
    threading.Timer(0.4, cancel.set).start()
    build = build_tree(compiler, root, tmp_path / "out", cancel=cancel)
    assert {result.outcome for result in build.modules.values()} == {"cancelled"}


def test_it_reports_every_module_as_it_ends(tmp_path: Path, compiler: Compiler) -> None:
    seen: list[ModuleResult] = []
    root = tree(tmp_path / "t", A="--! error", B="import A", C="")
    build = build_tree(compiler, root, tmp_path / "out", report=seen.append)
    assert sorted(result.module for result in seen) == ["A", "B", "C"]
    assert all(build.modules[result.module] is result for result in seen)


def test_a_report_that_raises_stops_what_is_running(
    tmp_path: Path, compiler: Compiler
) -> None:
    # B would sleep for five minutes, and the time limit of the build is longer than that of a test run.
    root = tree(tmp_path / "t", A="", B="--! sleep")

    def refuse(result: ModuleResult) -> None:
        raise RuntimeError(result.module)

    with pytest.raises(RuntimeError, match="A"):
        build_tree(
            compiler,
            root,
            tmp_path / "out",
            jobs=2,
            report=refuse,
            limits=Limits(seconds=3600),
        )


def test_a_directory_that_lean_cannot_search_is_refused(
    tmp_path: Path, compiler: Compiler
) -> None:
    root = tree(tmp_path / "t", A="")
    with pytest.raises(TreeError, match="a:b"):
        build_tree(compiler, root, tmp_path / "a:b")


def test_it_compiles_only_what_the_wanted_modules_need(
    tmp_path: Path, compiler: Compiler
) -> None:
    root = tree(tmp_path / "t", A="", B="import A", C="--! error")
    build = build_tree(compiler, root, tmp_path / "out", modules=["B"])
    assert build.ok
    assert list(build.modules) == ["A", "B"]


def test_other_directories_with_compiled_modules_are_found(
    tmp_path: Path, compiler: Compiler
) -> None:
    library = build_tree(compiler, tree(tmp_path / "lib", Lib=""), tmp_path / "lib-out")
    root = tree(tmp_path / "t", A="import Lib")
    assert not build_tree(compiler, root, tmp_path / "out").ok
    assert build_tree(compiler, root, tmp_path / "out", path=[library.out]).ok


def test_options_reach_lean(tmp_path: Path, compiler: Compiler) -> None:
    root = tree(tmp_path / "t", A="--! options")
    build = build_tree(
        compiler,
        root,
        tmp_path / "out",
        options={"autoImplicit": "false"},
        limits=Limits(memory_mib=7),
    )
    assert build.diagnostics[0].message == "--json -M7 -DautoImplicit=false"
    assert build.diagnostics[0].kind == ""


def test_a_cycle_is_refused_before_anything_runs(
    tmp_path: Path, compiler: Compiler
) -> None:
    root = tree(tmp_path / "t", A="import B", B="import A")
    with pytest.raises(TreeError, match="A -> B -> A"):
        build_tree(compiler, root, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_is_no_message_becomes_one_diagnostic_of_its_own(
    tmp_path: Path, compiler: Compiler
) -> None:
    build = build_tree(compiler, tree(tmp_path / "t", A="--! print"), tmp_path / "out")
    (diagnostic,) = build.diagnostics
    assert (diagnostic.kind, diagnostic.severity, diagnostic.line) == (
        "output",
        "information",
        0,
    )
    assert diagnostic.message == "hello from elaboration"


@pytest.mark.parametrize(
    "line",
    [b"[]", b"null", b'"x"', b"{}", b"\xff\xfe", b'{"severity": "fatal", "data": "", "fileName": "A"}',
     b'{"severity": "error", "data": "x", "fileName": "A", "pos": 3}', b"[" * 100000],
)  # fmt: skip
def test_no_line_breaks_the_reading_of_messages(line: bytes) -> None:
    (diagnostic,) = read_diagnostics(line, "A.lean", failed=True)
    assert (diagnostic.kind, diagnostic.severity, diagnostic.file) == (
        "output",
        "error",
        "A.lean",
    )


def test_a_message_may_quote_any_separator_of_lines() -> None:
    quoted = "Unknown identifier `«a\u2028b\x85c\x0bd»`"
    line = json.dumps({"severity": "error", "fileName": "A.lean", "data": quoted}, ensure_ascii=False)  # fmt: skip
    (diagnostic,) = read_diagnostics(f"{line}\n".encode(), "A.lean", failed=True)
    assert diagnostic.message == quoted
