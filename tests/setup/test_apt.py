from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.setup import apt, chromium, services


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a double of apt-get in the PATH that notes its arguments, and fails while the file `stale` is there."""
    (tmp_path / "apt-get").write_text(
        f"""#!/bin/sh
echo "$*" >>{tmp_path}/calls
case "$1" in
update) rm -f {tmp_path}/stale ;;
*) if [ -e {tmp_path}/stale ]; then echo "E: Unable to locate package" >&2; exit 100; fi ;;
esac
"""
    )
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path / "calls"


INSTALL = "install --yes --no-install-recommends redis-server"


def test_packages_are_installed_without_asking(calls: Path) -> None:
    assert apt.install("redis-server") == ""
    assert calls.read_text().splitlines() == [INSTALL]


def test_an_old_list_of_packages_is_renewed_once(calls: Path) -> None:
    (calls.parent / "stale").touch()
    assert apt.install("redis-server") == ""
    assert calls.read_text().splitlines() == [INSTALL, "update", INSTALL]


def test_what_cannot_be_installed_is_said_with_apts_own_words(calls: Path) -> None:
    (calls.parent / "apt-get").write_text(
        "#!/bin/sh\necho 'E: nothing of that name' >&2\nexit 100\n"
    )
    assert (
        apt.install("redis-server")
        == "apt-get could not install redis-server: E: nothing of that name"
    )


def test_who_is_not_root_is_told_the_command(
    calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert (
        apt.install("chromium")
        == "not root, or no apt-get; as root: apt install chromium"
    )
    assert not calls.exists()


@pytest.mark.parametrize("obstacle", [chromium.obstacle, services.redis_obstacle])
def test_nothing_is_installed_unasked(
    obstacle, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(calls.parent))
    assert "not installed (apt install" in obstacle()
    assert not calls.exists()


def test_only_root_gives_up_chromiums_own_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for user, given_up in ((0, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert ("--no-sandbox" in chromium.arguments()) is given_up
