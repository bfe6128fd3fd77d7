from __future__ import annotations

import pytest

from curation.sources.scope import files_called, preferred_files

PATHS = ["src/JSON/API.dfy", "src/JSON/Utils/Str.dfy", "src/Seq.dfy", "test/Seq.dfy"]


class TestPreferredFiles:
    def test_nothing_asked_nothing_preferred(self) -> None:
        assert preferred_files(PATHS, None) == ([], [])

    def test_a_folder_means_what_is_below_it(self) -> None:
        assert preferred_files(PATHS, "src/JSON/") == (PATHS[:2], [])

    def test_a_list_keeps_its_order_and_names_nothing_twice(self) -> None:
        chosen, problems = preferred_files(PATHS, ["src/Seq.dfy", "src"])
        assert chosen == ["src/Seq.dfy", "src/JSON/API.dfy", "src/JSON/Utils/Str.dfy"]
        assert problems == []

    @pytest.mark.parametrize("whole", [".", "", "./"])
    def test_the_root_means_everything(self, whole: str) -> None:
        assert preferred_files(PATHS, whole) == (PATHS, [])

    def test_a_tree_taken_from_below_is_recognised(self) -> None:
        assert preferred_files(["API.dfy", "Other.dfy"], "src/JSON/API.dfy")[0] == [
            "API.dfy"
        ]

    def test_a_tree_taken_from_above_is_recognised(self) -> None:
        assert preferred_files(["repo/src/JSON/API.dfy"], "src/JSON")[0] == [
            "repo/src/JSON/API.dfy"
        ]

    def test_a_miss_is_a_problem_that_shows_files_of_that_name(self) -> None:
        chosen, problems = preferred_files(PATHS, "lib/Seq.dfy")
        assert chosen == []
        assert [problem.code for problem in problems] == ["source-path"]
        assert "'lib/Seq.dfy'" in problems[0].message
        assert "src/Seq.dfy" in problems[0].message


class TestFilesCalled:
    def test_the_very_path_wins(self) -> None:
        assert files_called(PATHS, "src/Seq.dfy") == ["src/Seq.dfy"]

    def test_else_whole_parts_at_the_end_count(self) -> None:
        assert files_called(PATHS, "Utils/Str.dfy") == ["src/JSON/Utils/Str.dfy"]
        assert files_called(PATHS, "Seq.dfy") == ["src/Seq.dfy", "test/Seq.dfy"]
        assert files_called(PATHS, "eq.dfy") == []

    def test_an_empty_citation_means_nothing(self) -> None:
        assert files_called(PATHS, " ") == []
