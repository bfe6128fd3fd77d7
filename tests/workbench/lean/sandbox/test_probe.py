"""The probe: it says that each kind holds, it notices everything that no box does, and each layer that is taken away."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from workbench.lean.sandbox import probe as probes
from workbench.lean.sandbox.box import (
    Box,
    BoxBroken,
    Ended,
    NoSandbox,
    Sandbox,
)
from workbench.lean.sandbox.bubblewrap import Bubblewrap
from workbench.lean.sandbox.landlocked import Landlocked
from workbench.lean.sandbox.orders import order_for
from workbench.lean.sandbox.probe import ACCESS, EXCESS, MEANING, possible, probe
from workbench.lean.sandbox.run import run
from workbench.lean.sandbox.unboxed import Unboxed


def test_each_kind_holds(sandbox: Sandbox) -> None:
    result = probe(sandbox)
    assert (result.failures, result.blind) == ((), ())
    assert result.proven
    assert result.attacks == (*ACCESS, *EXCESS)
    assert (result.name, result.words) == (sandbox.name, sandbox.words)
    assert result.versions["kernel"]


def test_every_attack_succeeds_without_a_box() -> None:
    assert set(possible()) == {*ACCESS, *EXCESS}


def not_stopped(sandbox: Sandbox, *, thorough: bool = False) -> set[str]:
    """The attacks that the probe says were not stopped."""
    result = probe(sandbox, thorough=thorough)
    assert result.proven == (not result.failures)
    names = {f"not stopped: {text.lower()}": name for name, text in MEANING.items()}
    return {names[failure] for failure in result.failures}


def test_it_notices_everything_that_no_box_stops() -> None:
    # Without a box the limits still hold, and nothing else does.
    assert not_stopped(Unboxed(), thorough=True) == set(ACCESS) - {"big_file"}


class Bare(Landlocked):
    """A box with layers taken away."""

    def __init__(self, *, landlock: bool, filter: bool, namespaces: bool) -> None:
        super().__init__(namespaces=namespaces)
        self.layers = landlock, filter

    def run(self, box: Box, cancel: Callable[[], bool] | None = None) -> Ended:
        order = order_for(
            box,
            role="maker" if self._namespaces else "self",
            landlock=self._landlock if self.layers[0] else 0,
            filter=self._filter if self.layers[1] else b"",
        )
        return run(box, order, cancel=cancel)


class TestLayers:
    """What each layer alone stops; a change of these sets is a change of what the sandbox is."""

    def test_the_filter_alone_leaves_files(self) -> None:
        bare = Bare(landlock=False, filter=True, namespaces=False)
        # Root without its capabilities cannot look into the other process of root.
        assert not_stopped(bare) - {"environment"} == {
            "read_outside",
            "write_outside",
            "write_shared",
            "write_given",
        }

    def test_landlock_alone_leaves_processes_and_modes(self) -> None:
        bare = Bare(landlock=True, filter=False, namespaces=False)
        if bare._landlock < 6:
            pytest.skip(f"version {bare._landlock} of Landlock stops less")
        found = not_stopped(bare)
        assert found >= {"udp", "unix_named", "change_outside", "fork", "outlive"}
        assert not found & {
            "tcp", "unix_abstract", "read_outside", "write_outside", "write_shared", "write_given", "environment", "trace",
            "signal", "signal_by_file",
        }  # fmt: skip

    def test_namespaces_alone_leave_files_and_their_own_processes(self) -> None:
        bare = Bare(landlock=False, filter=False, namespaces=True)
        try:
            found = not_stopped(bare)
        except KeyError as reason:
            pytest.skip(f"no namespaces here: {reason}")
        assert found >= {"read_outside", "write_outside", "change_outside", "fork"}
        assert not found & {
            "tcp", "udp", "unix_abstract", "signal", "signal_by_file", "environment", "trace", "outlive",
        }  # fmt: skip

    def test_bubblewrap_alone_leaves_forks_and_what_is_in_its_folder(self) -> None:
        try:
            bare = Bubblewrap()
        except NoSandbox as reason:
            pytest.skip(str(reason))
        bare._landlock, bare._filter = 0, b""
        try:
            found = not_stopped(bare)
        except KeyError as reason:
            pytest.skip(f"no namespaces here: {reason}")
        assert found == {"fork", "link_inside"}


class Double:
    """Stands in for a sandbox: answers as told."""

    name, words = "double", "a double"
    versions = {"kernel": "1"}

    def __init__(self, answer: Ended | Exception) -> None:
        self.answer = answer

    def run(self, box: Box, cancel: Callable[[], bool] | None = None) -> Ended:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


SILENT = Ended(0, b"", "", 0.1, 0.1, 100)


def test_a_box_that_cannot_be_made_does_not_hold() -> None:
    result = probe(Double(BoxBroken("no kernel")), thorough=False)
    assert (result.proven, result.failures) == (False, ("no kernel",))


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (SILENT, "the probe got no answer about tcp, udp"),
        (dataclasses.replace(SILENT, code=1, output=b"boom"), "ended with code 1 : b'boom'"),
        (dataclasses.replace(SILENT, limit="time"), "ended with code 0 time"),
        (dataclasses.replace(SILENT, output=b'{"attack": 1}\n{"x\nnull'), "the probe got no answer"),
    ],
)  # fmt: skip
def test_a_box_that_does_not_answer_does_not_hold(ended: Ended, words: str) -> None:
    result = probe(Double(ended), thorough=False)
    assert not result.proven
    assert words in result.failures[0]


class TestBlindness:
    def without(self, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
        able = frozenset({*ACCESS, *EXCESS} - set(names))
        monkeypatch.setattr(probes, "possible", lambda *, thorough: able)

    def test_an_attack_that_fails_everywhere_proves_nothing(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.without(monkeypatch, "tcp")
        result = probe(sandbox, thorough=False)
        assert (result.proven, result.blind) == (False, ("tcp",))
        assert (
            "the probe proves nothing about this: reach a server" in result.failures[0]
        )

    def test_tracing_may_be_forbidden_to_everybody(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.without(monkeypatch, "trace")
        result = probe(sandbox, thorough=False)
        assert (result.proven, result.blind) == (True, ("trace",))
