from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from workbench.lean.sandbox.box import BadBox, Box, Chosen, Limits
from workbench.lean.sandbox.probe import ProbeResult
from workbench.lean.sandbox.unboxed import Unboxed


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Limits)])
@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_no_limit_can_be_switched_off(name: str, value: Any) -> None:
    with pytest.raises(BadBox, match=f"limit {name} is .*; expected a number above 0"):
        dataclasses.replace(Limits(), **{name: value})


class TestCheck:
    def box(self, tmp_path: Path) -> Box:
        return Box("ledger", ["/bin/true"], [tmp_path], tmp_path)

    def test_it_accepts_what_is_there(self, tmp_path: Path) -> None:
        self.box(tmp_path).check()

    def test_a_program_without_a_place_is_refused(self, tmp_path: Path) -> None:
        for argv in ([], ["true"], ["./true"]):
            with pytest.raises(
                BadBox, match=r"box ledger: argv starts with .*absolute path"
            ):
                dataclasses.replace(self.box(tmp_path), argv=argv).check()

    def test_what_no_program_can_be_given_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BadBox, match="holds a NUL"):
            dataclasses.replace(self.box(tmp_path), argv=["/bin/true", "a\0b"]).check()
        with pytest.raises(BadBox, match="holds a NUL"):
            dataclasses.replace(self.box(tmp_path), env={"A": "a\0b"}).check()
        for name in ("", "A=B"):
            with pytest.raises(BadBox, match="is no name of a variable"):
                dataclasses.replace(self.box(tmp_path), env={name: "x"}).check()

    def test_paths_are_absolute_and_there(self, tmp_path: Path) -> None:
        box = self.box(tmp_path)
        with pytest.raises(BadBox, match="here: expected an absolute path"):
            dataclasses.replace(box, readable=[Path("here")]).check()
        with pytest.raises(BadBox, match="gone, to be read, does not exist"):
            dataclasses.replace(box, readable=[tmp_path / "gone"]).check()
        with pytest.raises(BadBox, match="gone, to be written, is no folder"):
            dataclasses.replace(box, writable=tmp_path / "gone").check()

    def test_a_link_is_no_folder_to_write(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "real")
        with pytest.raises(BadBox, match="link, to be written, is no folder"):
            dataclasses.replace(self.box(tmp_path), writable=tmp_path / "link").check()


def test_a_verdict_s_record_is_json_and_says_what_holds() -> None:
    proof = ProbeResult("none", "w", True, (), attacks=("tcp",))
    record = json.loads(json.dumps(Chosen(Unboxed(), proof).record(Limits(seconds=7))))
    assert (record["kind"], record["proven"], record["probed"]) == (
        "none",
        True,
        ["tcp"],
    )
    assert record["limits"]["seconds"] == 7
    assert "kernel" in record["versions"]
    unproven = Chosen(Unboxed(), None)
    assert not unproven.proven
    assert unproven.record(Limits())["proven"] is False
