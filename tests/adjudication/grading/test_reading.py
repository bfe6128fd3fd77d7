"""Files that a box left behind, on their way to the reader."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from adjudication.grading import reading
from adjudication.grading.canaries import ground
from adjudication.grading.canaries.canary import submission
from adjudication.grading.canaries.honest import HONEST
from adjudication.grading.grader import Grader, grade
from adjudication.grading.reading import CheckedFiles, CheckedModules, load_frozen
from workbench.lean.library import READER, Library
from workbench.lean.terms import Bank

pytestmark = pytest.mark.lean


@pytest.fixture
def frozen(grader: Grader, tmp_path: Path) -> Path:
    """A compiled module of the canaries' instance."""

    case = grade(grader, ground.instance(), "proof", submission(HONEST[0]))
    assert case.pristine is not None
    digest = case.pristine.digests["Tiny.Bundle"]
    kept = (grader.cache / "modules").rglob("module.olean")
    found = next(
        file for file in kept if hashlib.sha256(file.read_bytes()).hexdigest() == digest
    )
    target = tmp_path / "Bundle.olean"
    target.write_bytes(found.read_bytes())
    return target


def test_what_a_compiler_wrote_is_read(frozen: Path) -> None:
    digest = hashlib.sha256(frozen.read_bytes()).hexdigest()
    assert load_frozen(Library(Bank()), "Tiny.Bundle", frozen, digest) == ""


def test_a_file_that_changed_after_its_box_was_closed_is_refused(frozen: Path) -> None:
    found = load_frozen(Library(Bank()), "Tiny.Bundle", frozen, "0" * 64)
    assert found == "the file changed after its box was closed"


@pytest.mark.parametrize("cut", [0, 7, 200, 5000])
def test_what_no_compiler_writes_is_refused(frozen: Path, cut: int) -> None:
    frozen.write_bytes(frozen.read_bytes()[:cut])
    found = load_frozen(Library(Bank()), "Tiny.Bundle", frozen, "")
    assert found.startswith("no compiler writes such a file")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert load_frozen(Library(Bank()), "M", tmp_path / "gone", "")


def test_digests_of_another_reader_are_not_believed(tmp_path: Path) -> None:
    known = CheckedFiles(tmp_path / "checked.json")
    assert known.load() == set()
    known.save({"a", "b"})
    assert known.load() == {"a", "b"}
    text = known.file.read_text().replace(READER, "reader 0")
    known.file.write_text(text)
    assert known.load() == set()


class TestCheckedModules:
    """A module whose bytes passed every check is spared the next time; nothing else is."""

    NAME = ("Tiny", "Bundle")

    @pytest.fixture
    def known(self, tmp_path: Path) -> CheckedModules:
        return CheckedModules(tmp_path / "checked")

    def load(self, known: CheckedModules, path: Path, digest: str) -> bool:
        """Return whether the checks were spared."""
        library = Library(Bank())
        return known.load(library, self.NAME, path, digest).image.trusted

    def test_the_same_bytes_are_checked_once(
        self, known: CheckedModules, frozen: Path
    ) -> None:
        digest = hashlib.sha256(frozen.read_bytes()).hexdigest()
        assert self.load(known, frozen, digest) is False
        assert self.load(known, frozen, digest) is True

    def test_other_bytes_under_a_known_digest_are_checked_and_refused(
        self, known: CheckedModules, frozen: Path
    ) -> None:
        data = frozen.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        self.load(known, frozen, digest)
        at = len(data) // 2 & ~7
        frozen.write_bytes(data[:at] + b"\xff" * 8 + data[at + 8 :])
        library = Library(Bank())
        assert load_frozen(library, "Tiny.Bundle", frozen, digest, known)
        assert not list(library)

    def test_a_file_that_was_refused_is_not_known_afterwards(
        self, known: CheckedModules, frozen: Path
    ) -> None:
        frozen.write_bytes(frozen.read_bytes()[:-64])
        digest = hashlib.sha256(frozen.read_bytes()).hexdigest()
        for _ in range(2):
            said = load_frozen(Library(Bank()), "Tiny.Bundle", frozen, digest, known)
            assert said.startswith("no compiler writes such a file")

    def test_what_another_reader_checked_is_checked_again(
        self, known: CheckedModules, frozen: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        digest = hashlib.sha256(frozen.read_bytes()).hexdigest()
        self.load(known, frozen, digest)
        monkeypatch.setattr(reading, "grader_digest", lambda: "another")
        assert self.load(known, frozen, digest) is False
