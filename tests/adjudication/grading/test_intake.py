from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adjudication.grading.checking import check
from adjudication.grading.intake import idempotency_key, slot_digest, take_in
from adjudication.grading.screen import Policy
from curation.format.artifact import write_artifact
from curation.format.findings import FormatError
from curation.format.instance import Instance, load_directory

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
FULL = FIXTURES / "submissions" / "ivalset" / "proof"


@pytest.fixture(scope="module")
def document(ivalset: Instance) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        write_artifact(take_in(ivalset, "proof", FULL).artifact)
    )
    return found


def written(tmp_path: Path, document: Any) -> Path:
    path = tmp_path / "artifact.json"
    path.write_text(json.dumps(document))
    return path


def archived(tmp_path: Path, name: str, top: str = "") -> Path:
    path = tmp_path / name
    files = {
        p.relative_to(FULL).as_posix(): p.read_bytes() for p in FULL.rglob("*.lean")
    }
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as packed:
            for file, data in files.items():
                packed.writestr(top + file, data)
    else:
        with tarfile.open(path, "w:gz") as tar:
            for file, data in files.items():
                info = tarfile.TarInfo(top + file)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return path


class TestTakeIn:
    def test_a_folder_an_artifact_a_tar_and_a_zip_are_one_submission(
        self, ivalset: Instance, document: dict[str, Any], tmp_path: Path
    ) -> None:
        ways = [
            FULL,
            written(tmp_path, document),
            archived(tmp_path, "s.tar.gz"),
            archived(tmp_path, "s.zip"),
            archived(tmp_path, "top.zip", "submission/"),
        ]
        digests = {slot_digest(take_in(ivalset, "proof", way).artifact) for way in ways}
        assert len(digests) == 1

    def test_an_artifact_in_a_folder_is_read_with_its_telemetry(
        self, ivalset: Instance, document: dict[str, Any], tmp_path: Path
    ) -> None:
        written(tmp_path, document)
        (tmp_path / "run.json").write_text(
            '{"elapsed_s": 3.5, "cost_basis": "estimated", "model": "x"}'
        )
        found = take_in(ivalset, "proof", tmp_path)
        assert found.telemetry == {
            "elapsed_s": 3.5,
            "cost_basis": "estimated",
            "model": "x",
        }
        assert slot_digest(found.artifact) == slot_digest(
            take_in(ivalset, "proof", FULL).artifact
        )

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("[]", "expected an object"),
            ("{", "is not JSON"),
            ('{"tokens": "many"}', "tokens"),
            ('{"attempt": true}', "attempt"),
            ('{"cost_basis": "guessed"}', "telemetry or estimated"),
        ],
    )
    def test_bad_telemetry_is_named(
        self,
        ivalset: Instance,
        document: dict[str, Any],
        tmp_path: Path,
        text: str,
        said: str,
    ) -> None:
        written(tmp_path, document)
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(FormatError, match=said):
            take_in(ivalset, "proof", tmp_path)

    def test_another_instance_or_mode_is_refused(
        self, ivalset: Instance, document: dict[str, Any], tmp_path: Path
    ) -> None:
        with pytest.raises(FormatError, match="expected 'ivalset', found 'other'"):
            take_in(
                ivalset,
                "proof",
                written(tmp_path, {**document, "benchmark_id": "other"}),
            )
        with pytest.raises(FormatError, match="expected 'codeproof', found 'proof'"):
            take_in(ivalset, "codeproof", written(tmp_path, document))

    def test_a_slot_that_is_there_twice_is_refused(
        self, ivalset: Instance, document: dict[str, Any], tmp_path: Path
    ) -> None:
        slots = document["slots"]
        with pytest.raises(FormatError, match="this slot was there before"):
            take_in(
                ivalset,
                "proof",
                written(tmp_path, {**document, "slots": [*slots, slots[3]]}),
            )

    def test_a_stranger_is_noted_and_left_out(
        self, ivalset: Instance, document: dict[str, Any], tmp_path: Path
    ) -> None:
        stranger = {
            **document["slots"][0],
            "file": "Ivalset/Impl/Core.lean",
            "key": "code",
            "def_name": "add",
        }
        found = take_in(
            ivalset,
            "proof",
            written(tmp_path, {**document, "slots": [*document["slots"], stranger]}),
        )
        assert found.notes == (
            "Ivalset/Impl/Core.lean: code add: not a slot of this mode, left out",
        )
        assert slot_digest(found.artifact) == slot_digest(
            take_in(ivalset, "proof", FULL).artifact
        )

    def test_a_mismatch_of_kind_or_target_is_an_error_of_the_slot(
        self, ivalset: Instance, document: dict[str, Any], tmp_path: Path
    ) -> None:
        slots = [dict(slot) for slot in document["slots"]]
        proof = next(slot for slot in slots if slot["key"] == "proof")
        proof["expected_kind"] = "unsat"
        found = take_in(
            ivalset, "proof", written(tmp_path, {**document, "slots": slots})
        )
        errors = [item.error for item in found.artifact.slots if item.error]
        assert errors == ["kind is unsat, expected prove"]

    def test_a_tree_without_slots_says_what_it_looked_for(
        self, ivalset: Instance, tmp_path: Path
    ) -> None:
        (tmp_path / "README.md").write_text("nothing")
        with pytest.raises(
            FormatError, match=r"holds none of the files with slots \(Ivalset/Proof/"
        ):
            take_in(ivalset, "proof", tmp_path)

    def test_links_are_refused(self, ivalset: Instance, tmp_path: Path) -> None:
        folder = tmp_path / "Ivalset" / "Proof"
        folder.mkdir(parents=True)
        (folder / "Core.lean").symlink_to("/etc/passwd")
        with pytest.raises(FormatError, match=r"Core\.lean"):
            take_in(ivalset, "proof", tmp_path)

    def test_a_path_that_climbs_is_refused(
        self, ivalset: Instance, tmp_path: Path
    ) -> None:
        with pytest.raises(FormatError, match="refused"):
            take_in(ivalset, "proof", archived(tmp_path, "s.tar.gz", "../"))

    def test_a_bomb_is_refused(self, ivalset: Instance, tmp_path: Path) -> None:
        path = tmp_path / "bomb.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("Ivalset/Proof/Core.lean", b"\0" * (7 << 20))
        with pytest.raises(FormatError, match=r"Core\.lean"):
            take_in(ivalset, "proof", path)

    def test_a_gigantic_artifact_is_refused_before_it_is_read(
        self, ivalset: Instance, tmp_path: Path
    ) -> None:
        path = tmp_path / "artifact.json"
        with path.open("wb") as file:
            file.truncate(9 << 20)
        with pytest.raises(FormatError, match="has more than"):
            take_in(ivalset, "proof", path)

    @pytest.mark.parametrize(
        "text", ["", "{", "[" * 100_000, "[]", '{"mode": "proof"}']
    )
    def test_what_is_no_artifact_is_said_to_be_none(
        self, ivalset: Instance, tmp_path: Path, text: str
    ) -> None:
        path = tmp_path / "artifact.json"
        path.write_text(text)
        with pytest.raises(FormatError, match=r"artifact\.json"):
            take_in(ivalset, "proof", path)


class TestKeys:
    def test_the_digest_is_that_of_bodies_alone(
        self, ivalset: Instance, document: dict[str, Any], tmp_path: Path
    ) -> None:
        told = {
            **document,
            "slots": [
                {**slot, "body_hash": "0", "contains_sorry": True}
                for slot in document["slots"]
            ],
        }
        found = take_in(ivalset, "proof", written(tmp_path, told))
        assert slot_digest(found.artifact) == slot_digest(
            take_in(ivalset, "proof", FULL).artifact
        )
        changed = [dict(slot) for slot in document["slots"]]
        changed[2]["body_lines"] = ["-- another"]
        found = take_in(
            ivalset, "proof", written(tmp_path, {**document, "slots": changed})
        )
        assert slot_digest(found.artifact) != slot_digest(
            take_in(ivalset, "proof", FULL).artifact
        )

    def test_revision_mode_and_configuration_make_another_key(self) -> None:
        keys = {
            idempotency_key("s", "r", "proof"),
            idempotency_key("s", "r", "codeproof"),
            idempotency_key("s", "q", "proof"),
            idempotency_key("t", "r", "proof"),
            idempotency_key("s", "r", "proof", "model"),
        }
        assert len(keys) == 5
        assert idempotency_key("s", "r", "proof") in keys


class TestHalfDone:
    """The large fixture handed in half done. Grading it takes a while; what it fills is in its text."""

    @pytest.mark.parametrize(
        ("mode", "filled"),
        [
            ("proof", {"prove": 47, "disprove": 3}),
            ("codeproof", {"prove": 89, "sat": 1, "unsat": 1}),
        ],
    )
    def test_it_fills_the_proofs_that_the_page_tells(
        self, mode: str, filled: dict[str, int]
    ) -> None:
        instance = load_directory(FIXTURES / "instances" / "abacus")
        half = FIXTURES / "submissions" / "abacus" / "partial" / mode
        checked = check(instance, mode, take_in(instance, mode, half), Policy())
        reports = [report for report in checked.reports if report.slot.key == "proof"]
        found = Counter(report.item.slot.kind for report in reports if report.filled)
        assert found == filled
        assert not any(report.refused or report.hits for report in reports)
