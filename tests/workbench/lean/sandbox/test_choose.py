"""Which sandbox is taken. `Double` stands in for kinds that this machine may or may not have; the last tests use the real ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import pytest

from workbench.environment import VARIABLES
from workbench.lean.sandbox import __main__ as command
from workbench.lean.sandbox import choose as choosing
from workbench.lean.sandbox.box import Box, Ended, NoSandbox, Sandbox
from workbench.lean.sandbox.choose import KINDS, SETTINGS, choose
from workbench.lean.sandbox.probe import ProbeResult


class Double:
    words = "a double"
    versions: Mapping[str, str] = {}

    def __init__(self, name: str) -> None:
        self.name = name

    def run(self, box: Box, cancel: Callable[[], bool] | None = None) -> Ended:
        raise AssertionError


def kind(name: str, reason: str = "") -> tuple[str, Callable[[], Sandbox]]:
    def make() -> Sandbox:
        if reason:
            raise NoSandbox(reason)
        return Double(name)

    return name, make


def broken_probe(
    names: set[str], sandbox: Sandbox, *, thorough: bool = True
) -> ProbeResult:
    failures = ("not stopped: fork",) if sandbox.name in names else ()
    return ProbeResult(sandbox.name, sandbox.words, not failures, failures)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of kinds that the probe says do not hold."""
    names: set[str] = set()
    monkeypatch.setattr(choosing, "probe", functools.partial(broken_probe, names))
    return names


BOTH = (kind("bubblewrap"), kind("landlock"))


def test_the_best_one_that_holds_is_taken(broken: set[str]) -> None:
    assert choose("auto", kinds=BOTH).sandbox.name == "bubblewrap"
    broken.add("bubblewrap")
    chosen = choose("auto", kinds=BOTH)
    assert (chosen.sandbox.name, chosen.proven) == ("landlock", True)


def test_one_that_is_missing_gives_way(broken: set[str]) -> None:
    kinds = (kind("bubblewrap", "not installed"), kind("landlock"))
    assert choose("auto", kinds=kinds).sandbox.name == "landlock"


def test_a_name_is_taken_alone(broken: set[str]) -> None:
    assert choose("landlock", kinds=BOTH).sandbox.name == "landlock"
    broken.add("landlock")
    with pytest.raises(NoSandbox, match=r"a double: not stopped: fork"):
        choose("landlock", kinds=BOTH)


def test_without_any_it_refuses_and_says_why_for_each(broken: set[str]) -> None:
    broken.add("landlock")
    kinds = (kind("bubblewrap", "it is not installed"), kind("landlock"))
    with pytest.raises(NoSandbox) as refusal:
        choose("auto", kinds=kinds)
    text = str(refusal.value)
    assert "bubblewrap: it is not installed · a double: not stopped: fork" in text
    assert "WORKBENCH_SANDBOX=none" in text


def test_none_is_taken_by_that_wish_only(broken: set[str]) -> None:
    chosen = choose("none", kinds=())
    assert (chosen.sandbox.name, chosen.proven, chosen.proof) == ("none", False, None)


def test_another_word_is_refused() -> None:
    with pytest.raises(
        ValueError, match="sandbox 'docker'; expected one of auto, bubblewrap"
    ):
        choose("docker")


def test_the_setting_has_the_same_words() -> None:
    (variable,) = (each for each in VARIABLES if each.name == "WORKBENCH_SANDBOX")
    assert (variable.choices, variable.default) == (SETTINGS, "auto")


def test_this_machine_gets_one_that_holds() -> None:
    chosen = choose("auto", thorough=False)
    assert chosen.proven
    assert chosen.sandbox.name in {name for name, _ in KINDS}


class TestCommand:
    def test_it_prints_a_line_for_each_kind(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, broken: set[str]
    ) -> None:  # fmt: skip
        monkeypatch.setattr(command, "KINDS", (*BOTH, kind("third", "missing")))
        monkeypatch.setattr(command, "probe", functools.partial(broken_probe, broken))
        assert command.main([]) == 0
        assert capsys.readouterr().out.count("\n") == 3
        broken.update(("bubblewrap", "landlock"))
        assert command.main([]) == 1
        assert '"failures": ["missing"]' in capsys.readouterr().out
        assert command.main(["docker"]) == 2
