"""The commands of grading: exit codes, documents, and what is kept."""

from __future__ import annotations

import json
import os
import socket
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import submission
from adjudication.grading.canaries.run import ALL
from adjudication.grading.receipt import verify
from adjudication.management.grading import machine_judge
from curation.format.artifact import write_artifact
from curation.format.instance import Instance
from workbench.access.models import Team

REPOSITORY = Path(__file__).resolve().parents[3]
IVALSET = REPOSITORY / "fixtures" / "instances" / "ivalset"
CANARIES = {canary.id: canary for canary in ALL}


def run(*words: str) -> tuple[int, Any, str]:
    """Return exit code, JSON document and what was said to people on standard error."""
    out, err = StringIO(), StringIO()
    try:
        call_command(*words, json=True, stdout=out, stderr=err)
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, json.loads(out.getvalue()), err.getvalue()


@pytest.fixture
def data(tmp_path: Path, settings: Any) -> Path:
    """A data folder of the test's own, with the caches of the repository."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "cache").symlink_to(REPOSITORY / "var" / "cache")
    settings.DATA_DIR = folder
    return folder


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The canaries' instance as a folder."""
    root = tmp_path / "tiny"
    write_tree(root, ground.instance())
    return root


def write_tree(root: Path, instance: Instance) -> None:
    for path, content in instance.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def handed_in(tmp_path: Path, canary: str) -> str:
    path = tmp_path / f"{canary}.json"
    path.write_bytes(write_artifact(submission(CANARIES[canary]).artifact))
    return str(path)


@pytest.mark.lean
class TestGrade:
    def test_a_full_solve_ends_with_0_and_a_receipt_that_verifies(
        self, data: Path, tiny: Path, tmp_path: Path
    ) -> None:
        artifact = handed_in(tmp_path, "full-proof")
        code, document, _ = run(
            "grade",
            str(tiny),
            "--mode=proof",
            f"--artifact={artifact}",
            f"--receipt={tmp_path / 'r.json'}",
        )
        assert code == 0
        assert document["verdict"]["full_solve"] is True
        assert document["toolchain"]["publishable"] is False
        assert document["sandbox"]["proven"] is True
        lights = {
            light["state"]
            for spec in document["specs"]
            for light in spec["lights"].values()
        }
        assert lights == {"green"}
        assert run("verify_receipt", str(tmp_path / "r.json"))[:2] == (
            0,
            {"receipt": str(tmp_path / "r.json"), "ok": True, "wrong": []},
        )

    def test_a_cheat_ends_with_1_and_the_reason_and_receipts_are_a_chain(
        self, data: Path, tiny: Path, tmp_path: Path
    ) -> None:
        for canary in ("unsafe", "admit"):
            mode = CANARIES[canary].mode
            code, document, said = run(
                "grade",
                str(tiny),
                f"--mode={mode}",
                f"--artifact={handed_in(tmp_path, canary)}",
            )
            assert code == 1
            assert "0 of 8 specs passed" in said
        assert document["specs"][4]["outcome"] == "tainted"
        assert document["specs"][4]["vero"] == {
            "outcome": "slot_body_tainted",
            "detail": "",
        }
        first, second = sorted((data / "receipts" / "canaries").glob("*.json"))
        assert (
            verify(json.loads(second.read_text()), json.loads(first.read_text())) == []
        )
        assert run("verify_receipt", str(second), f"--previous={first}")[0] == 0
        assert run("verify_receipt", str(first), f"--previous={second}")[0] == 1

    @pytest.mark.django_db
    def test_where_the_lean_is_missing_it_grades_the_adaptation_that_was_kept(
        self, data: Path, tmp_path: Path
    ) -> None:
        lean = "leanprover/lean4:v4.29.1"
        original = ground.instance(lean)
        write_tree(tmp_path / "ordinary", original)
        Team.objects.create(slug="main", name="Main")
        assert run("import_instance", str(tmp_path / "ordinary"))[0] == 0
        path = tmp_path / "full.json"
        taken = submission(CANARIES["full-proof"], original)
        path.write_bytes(write_artifact(taken.artifact))
        words = ("grade", "canaries", "--mode=proof", f"--artifact={path}")
        code, document, _ = run(*words)
        assert code == 2
        assert "bin/workbench adapt canaries --to pocket" in document["error"]
        code, document, _ = run("adapt", "canaries", "--to=pocket")
        assert code == 0
        assert {"docs/adaptation/head.md"} <= {e["page"] for e in document["edits"]}
        out = tmp_path / "out.json"
        taken_out = ("extract", "canaries", "--mode=proof", f"--artifact={path}", f"--out={out}")  # fmt: skip
        code, document, _ = run(*taken_out)
        assert (code, document["adapted"], document["revision"]) == (0, True, "1")
        code, document, _ = run("term", "canaries", "spec_double")
        assert code == 0, document
        assert (document["adapted"], document["revision"]) == (True, "1")
        code, document, _ = run(*words)
        assert code == 0
        assert document["adapted"] is True
        assert document["verdict"]["full_solve"] is True
        assert document["toolchain"]["kind"] == "pocket"
        assert document["toolchain"]["publishable"] is False
        assert verify(json.loads(Path(document["receipt"]).read_text())) == []
        assert not list((data / "scratch").iterdir())

    def test_an_instance_that_cannot_be_graded_ends_with_2(
        self, data: Path, tiny: Path, tmp_path: Path
    ) -> None:
        spec = tiny / "Tiny" / "Spec" / "More.lean"
        spec.write_text(spec.read_text().replace("∃ k", "∃ k : Nonsense"))
        code, document, _ = run(
            "grade",
            str(tiny),
            "--mode=proof",
            f"--artifact={handed_in(tmp_path, 'full-proof')}",
        )
        assert code == 2
        assert "own Tiny.Spec.More does not build" in document["error"]


class TestJudge:
    def test_there_is_none_until_an_operator_says_where(self, settings: Any) -> None:
        settings.JUDGE_URL = ""
        assert machine_judge() is None
        settings.JUDGE_URL = "https://judge.example/v1/chat/completions"
        settings.JUDGE_MODEL, settings.JUDGE_KEY = "some-model", "k"
        judge = machine_judge()
        assert judge is not None
        assert (judge.url, judge.model, judge.key, judge.seconds) == (
            settings.JUDGE_URL,
            "some-model",
            "k",
            60,
        )


@pytest.mark.lean
class TestTerm:
    def test_it_tells_what_a_spec_states(self, data: Path, tiny: Path) -> None:
        code, document, _ = run("term", str(tiny), "spec_double")
        assert code == 0
        assert document["name"] == "Tiny.Spec.spec_double"
        value = " ".join(document["value"].split())
        assert value == "fun impl => ∀ (n : Nat), impl.tiny.double n = n + n"
        assert len(document["hash"]) == 64
        assert document["axioms"] == []
        code, implicit, _ = run("term", str(tiny), "spec_double", "--implicits")
        assert "instHAdd" in implicit["value"]
        assert implicit["hash"] == document["hash"]

    def test_it_speaks_to_people_too(self, data: Path, tiny: Path) -> None:
        out = StringIO()
        call_command("term", str(tiny), "prove_double", stdout=out)
        assert "theorem prove_double : Tiny.Spec.spec_double canonical" in (
            out.getvalue()
        )
        assert "axioms  sorryAx" in out.getvalue()

    def test_a_name_that_is_not_there_ends_with_2(self, data: Path, tiny: Path) -> None:
        code, document, _ = run("term", str(tiny), "spec_doubt")
        assert code == 2
        assert (
            "no declaration of the instance is called spec_doubt" in document["error"]
        )


class TestWrongUse:
    @pytest.mark.django_db
    def test_an_instance_that_is_not_there(self, data: Path) -> None:
        code, document, _ = run("grade", "nowhere", "--mode=proof", "--artifact=x")
        assert code == 2
        assert "nowhere is no folder" in document["error"]

    def test_a_submission_that_is_not_there(self, data: Path) -> None:
        code, document, _ = run(
            "grade", str(IVALSET), "--mode=proof", "--artifact=/nowhere/x"
        )
        assert (code, document) == (2, {"error": "/nowhere/x is not there"})

    def test_a_submission_to_another_instance(self, data: Path, tmp_path: Path) -> None:
        artifact = handed_in(tmp_path, "full-proof")
        code, document, _ = run(
            "grade", str(IVALSET), "--mode=proof", f"--artifact={artifact}"
        )
        assert code == 2
        assert "expected 'ivalset', found 'canaries'" in document["error"]

    def test_a_receipt_that_is_not_json(self, tmp_path: Path) -> None:
        (tmp_path / "r").write_text("{")
        assert run("verify_receipt", str(tmp_path / "r"))[0] == 2

    def test_what_grade_prints_is_more_than_a_receipt(self, tmp_path: Path) -> None:
        (tmp_path / "printed").write_text('{"receipt": "/there/1.json", "apis": []}')
        _, document, _ = run("verify_receipt", str(tmp_path / "printed"))
        assert "the file that it names: /there/1.json" in document["wrong"][-1]

    def test_a_receipt_that_cannot_be_written_is_refused_before_grading(
        self, tiny: Path, tmp_path: Path
    ) -> None:
        for place in (tmp_path, tmp_path / "no" / "r.json"):
            words = ("grade", str(tiny), "--mode=proof", f"--artifact={tiny}")
            code, document, _ = run(*words, f"--receipt={place}")
            assert code == 2
            assert "no file can be written there" in document["error"]

    def test_a_receipt_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "r").write_text("{}")
        code, document, _ = run("verify_receipt", str(tmp_path / "r"))
        assert code == 1
        assert document["ok"] is False

    def test_a_receipt_that_is_no_json_or_never_ends(self, tmp_path: Path) -> None:
        (tmp_path / "deep").write_text("[" * 100_000)
        with (tmp_path / "huge").open("wb") as stream:
            stream.truncate(1 << 40)
        os.mkfifo(tmp_path / "pipe")  # nobody will ever write into it
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(tmp_path / "s"))
        for path, said in (
            (tmp_path / "deep", "recursion"),
            (tmp_path / "huge", "more than 67,108,864 bytes"),
            ("/dev/zero", "expected a file"),
            (tmp_path, "irectory"),
            (tmp_path / "pipe", "expected a file"),
            (tmp_path / "s", "No such device"),
            ("x" * 5000, "File name too long"),
            ("a\0b", "null byte"),
        ):
            code, document, _ = run("verify_receipt", str(path))
            assert code == 2
            assert said in document["error"]

    @pytest.mark.parametrize("name", ["", "x" * 5000, "a\0b", "no such"])
    def test_what_is_no_path_is_no_instance_and_no_artifact(
        self, db: None, tiny: Path, name: str
    ) -> None:
        code, document, _ = run("grade", name, "--mode=proof", f"--artifact={tiny}")
        assert code == 2
        assert "is no folder, and there is no instance" in document["error"]
        if name:
            words = ("grade", str(tiny), "--mode=proof", f"--artifact={name}")
            code, document, _ = run(*words)
            assert code == 2
            assert "is not there" in document["error"]

    def test_a_canary_that_does_not_exist(self) -> None:
        code, document, _ = run("canaries", "--only=exit,phoenix")
        assert (code, document) == (2, {"error": "there is no canary phoenix"})


class TestFiles:
    def test_extract_writes_what_was_handed_in(
        self, tiny: Path, tmp_path: Path
    ) -> None:
        artifact = handed_in(tmp_path, "full-proof")
        code, document, _ = run(
            "extract",
            str(tiny),
            "--mode=proof",
            f"--artifact={artifact}",
            f"--out={tmp_path / 'out.json'}",
        )
        assert (code, document["slots"]) == (0, 8)
        assert (
            json.loads((tmp_path / "out.json").read_text())["benchmark_id"]
            == "canaries"
        )

    def test_adapt_writes_a_copy_and_lists_its_edits(
        self, tiny: Path, tmp_path: Path
    ) -> None:
        code, document, _ = run(
            "adapt", str(tiny), "--to=pocket", f"--out={tmp_path / 'copy'}"
        )
        assert code == 0
        assert {edit["kind"] for edit in document["edits"]} == {
            "toolchain",
            "test",
            "import",
        }
        assert not (tmp_path / "copy" / "Tiny" / "Test.lean").exists()
        assert (
            run("adapt", str(tiny), "--to=pocket", f"--out={tmp_path / 'copy'}")[0] == 2
        )
