from __future__ import annotations

import pickle
from typing import Any

import pytest
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache

from workbench.code import cache as module
from workbench.code.cache import highlighted
from workbench.code.highlight import VERSION, Highlighted, highlight


class FakeCache(BaseCache):
    """A double of the cache backend: a dict, or a disk that fails."""

    def __init__(self, broken: str = "") -> None:
        super().__init__({})
        self.broken = broken
        self.kept: dict[str, bytes] = {}

    def get(self, key: str, default: Any = None, version: Any = None) -> Any:
        if self.broken == "get":
            raise OSError("disk gone")
        return pickle.loads(self.kept[key]) if key in self.kept else default

    def set(
        self, key: str, value: Any, timeout: Any = None, version: Any = None
    ) -> None:
        if self.broken == "set":
            raise OSError("disk full")
        self.kept[key] = pickle.dumps(value)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeCache:
    fake = FakeCache()
    monkeypatch.setattr(module, "caches", {"code": fake})
    return fake


def count_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    calls: list[str] = []

    def counted(text: str, language: str = "", path: str = "") -> Highlighted:
        calls.append(text)
        return highlight(text, language, path)

    monkeypatch.setattr(module, "highlight", counted)
    return calls


def test_the_second_reader_gets_what_the_first_made(
    fake: FakeCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = count_calls(monkeypatch)
    first = highlighted("def f := 1 \u202e", path="A.lean")
    assert highlighted("def f := 1 \u202e", path="B.lean") == first
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("text", "language", "path"),
    [("def g", "lean", ""), ("def f", "python", ""), ("def f", "", "a.py")],
)
def test_other_text_or_language_is_another_entry(
    text: str,
    language: str,
    path: str,
    fake: FakeCache,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = count_calls(monkeypatch)
    highlighted("def f", "lean")
    highlighted(text, language, path)
    assert len(calls) == 2


def test_a_new_version_of_the_highlighter_reads_no_old_entry(
    fake: FakeCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = count_calls(monkeypatch)
    highlighted("def f", "lean")
    monkeypatch.setattr(module, "VERSION", VERSION + 1)
    highlighted("def f", "lean")
    assert len(calls) == 2


@pytest.mark.parametrize("broken", ["get", "set"])
def test_a_broken_cache_costs_time_only(broken: str, fake: FakeCache) -> None:
    fake.broken = broken
    assert highlighted("def f", "lean").lines == highlight("def f", "lean").lines


def test_what_is_not_a_highlighted_text_is_made_anew(fake: FakeCache) -> None:
    highlighted("def f", "lean")
    (key,) = fake.kept
    fake.kept[key] = pickle.dumps({"lines": ["old"]})
    assert highlighted("def f", "lean").lines == highlight("def f", "lean").lines


def test_what_ran_out_of_time_is_not_kept(
    fake: FakeCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.code.highlight.MAX_SECONDS", -1.0)
    highlighted("def f\n" * 40, "lean")
    assert not fake.kept


def test_text_with_lone_surrogates_has_a_key(fake: FakeCache) -> None:
    highlighted("a\ud800")
    assert len(fake.kept) == 1


def test_the_product_has_the_cache_and_it_holds_what_is_put_in() -> None:
    made = highlight("def f := \u202e 1\n" * 3, "lean")
    caches["code"].set("test-code-cache", made)
    assert caches["code"].get("test-code-cache") == made
