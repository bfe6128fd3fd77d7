from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources.items import CATEGORIES, Extraction, Problem
from curation.sources.language import Language
from curation.sources.registry import (
    detect_language,
    extract_tree,
    language,
    languages,
    main_language,
)

TREE = {
    "src/b.dfy": b"function F(): int { G() }\nfunction G(): int { 1 }\n",
    "src/a.dfy": b"lemma L() { F(); H(); }\n",
    "tools/run.py": b"def main(): pass\n",
    "README.md": b"# nothing\n",
}


class TestLanguages:
    def test_every_folder_is_a_language(self) -> None:
        assert [one.id for one in languages()] == [
            "coq",
            "dafny",
            "lean4",
            "python",
            "verus",
        ]

    def test_every_language_is_found_by_its_names_whatever_their_case(self) -> None:
        for one in languages():
            for name in (one.id, *one.aliases):
                assert language(name.upper()) is one
        assert language("cobol") is None

    def test_no_two_languages_answer_to_one_name(self) -> None:
        names = [name for one in languages() for name in (one.id, *one.aliases)]
        assert len(names) == len(set(names))

    def test_every_language_has_rules_and_pitfalls(self) -> None:
        for one in languages():
            assert "## Rules" in one.rules()
            assert "## Pitfalls" in one.rules()

    def test_formal_languages_are_of_the_first_track(self) -> None:
        assert {one.id for one in languages() if one.track == 2} == {"python"}


class TestDetectLanguage:
    @pytest.mark.parametrize(
        ("path", "text", "expected"),
        [
            ("a.py", "", "python"),
            ("a.dfy", "", "dafny"),
            ("a.rs", "verus! {}", "verus"),
            ("a.v", "Require Import List.", "coq"),
            ("a.v", "module m (input a);\nendmodule", None),
            ("a.lean", "", "lean4"),
            ("a.txt", "def f(): ...", None),
            ("py", "", None),
        ],
    )
    def test_name_and_content_decide(
        self, path: str, text: str, expected: str | None
    ) -> None:
        found = detect_language(path, text)
        assert (found.id if found else None) == expected


class TestExtractTree:
    def test_it_reads_every_file_in_its_own_language(self) -> None:
        inventory = extract_tree(TREE)
        assert inventory.languages == (
            ("src/a.dfy", "dafny"),
            ("src/b.dfy", "dafny"),
            ("tools/run.py", "python"),
        )
        assert [item.name for item in inventory.items] == ["L", "F", "G", "main"]
        found = main_language(inventory)
        assert found is not None
        assert found.id == "dafny"

    def test_it_reads_one_language_when_asked(self) -> None:
        assert extract_tree(TREE, "Dafny").paths == ("src/a.dfy", "src/b.dfy")

    def test_a_language_without_an_extractor_is_a_problem(self) -> None:
        inventory = extract_tree(TREE, "cobol")
        assert inventory.items == ()
        assert [problem.code for problem in inventory.problems] == ["unknown-language"]
        assert "dafny" in inventory.problems[0].message

    def test_mentions_are_those_of_other_items_of_the_tree(self) -> None:
        mentions = {item.name: item.mentions for item in extract_tree(TREE).items}
        assert mentions == {"L": ("F",), "F": ("G",), "G": (), "main": ()}

    def test_files_of_the_source_path_come_first(self) -> None:
        inventory = extract_tree(TREE, source_path=["tools/run.py", "src/b.dfy"])
        assert inventory.paths == ("tools/run.py", "src/b.dfy", "src/a.dfy")
        assert inventory.preferred == ("tools/run.py", "src/b.dfy")

    def test_only_they_are_read_when_asked(self) -> None:
        inventory = extract_tree(TREE, source_path="tools", only_source_path=True)
        assert inventory.paths == ("tools/run.py",)

    def test_a_source_path_that_names_nothing_is_a_problem_and_everything_is_read(
        self,
    ) -> None:
        inventory = extract_tree(TREE, source_path="lib", only_source_path=True)
        assert [problem.code for problem in inventory.problems] == ["source-path"]
        assert len(inventory.paths) == 3

    def test_an_empty_tree_is_a_problem(self) -> None:
        assert [problem.code for problem in extract_tree({}).problems] == ["empty-tree"]
        assert [
            problem.code for problem in extract_tree({"a.md": b""}, "python").problems
        ] == ["empty-tree"]

    def test_one_bad_file_does_not_stop_the_others(self) -> None:
        files = {
            "a.py": b"def f(:\n",
            "b.py": b"\0",
            "c.py": b"def g(): ...\n",
            "d.py": b"x = '\xff'\n",
        }
        inventory = extract_tree(files)
        assert [(p.path, p.code, p.line) for p in inventory.problems] == [
            ("a.py", "syntax", 1),
            ("b.py", "binary", 1),
            ("d.py", "not-utf-8", 1),
        ]
        assert [item.name for item in inventory.items] == ["f", "g", "x"]

    def test_an_extractor_that_runs_out_of_stack_costs_one_file(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def exhausted(path: str, text: str) -> Extraction:
            raise RecursionError

        def only_this(*_: object) -> tuple[Language, ...]:
            return (broken,)

        real = language("python")
        assert real is not None
        broken = Language(
            "python", "Python", 2, (".py",), real.detect, exhausted, real.folder
        )
        monkeypatch.setattr("curation.sources.registry.languages", only_this)
        assert extract_tree({"a.py": b""}).problems == (
            Problem(
                "extractor", "a.py", 0, "too deeply nested to be read (RecursionError)"
            ),
        )

    @given(
        st.dictionaries(
            st.sampled_from(["a.py", "b/c.dfy", "d.rs", "e.v", "f.lean", "g.md"]),
            st.binary(max_size=80) | st.text(max_size=80).map(str.encode),
            max_size=6,
        )
    )
    def test_it_never_raises_and_gives_the_same_answer_twice(
        self, files: dict[str, bytes]
    ) -> None:
        inventory = extract_tree(files)
        assert inventory == extract_tree(dict(reversed(files.items())))
        assert {item.path for item in inventory.items} <= set(inventory.paths)
        assert {item.category for item in inventory.items} <= set(CATEGORIES)
