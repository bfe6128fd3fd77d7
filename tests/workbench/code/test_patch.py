from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.code.diff import DiffLine, FileDiff, Gap, Hunk, Row, compare, show
from workbench.code.patch import FilePatch, PatchError, parse_patch
from workbench.code.trees import Change

GIT = """\
From 1234 Mon Sep 17 00:00:00 2001
Subject: prose is skipped

diff --git a/Core.lean b/Core.lean
index 1111111..2222222 100644
--- a/Core.lean
+++ b/Core.lean
@@ -3,4 +3,4 @@ def add : AddSig :=
 three
-let x := 1
+let y := 1
 five
 six
@@ -20 +20,2 @@
 twenty
+more
"""


def only(text: str) -> FilePatch:
    (file,) = parse_patch(text)
    return file


def rows_of(file: FilePatch) -> tuple[Row, ...]:
    """Return the rows of the one hunk of `file`."""
    (hunk,) = file.diff.segments
    assert isinstance(hunk, Hunk)
    return hunk.rows


class TestParse:
    def test_it_reads_hunks_as_rows_with_words(self) -> None:
        file = only(GIT)
        assert (file.path, file.change, file.diff.added, file.diff.removed) == (
            "Core.lean",
            Change.CHANGED,
            2,
            1,
        )
        first, gap, second = file.diff.segments
        assert isinstance(first, Hunk)
        assert isinstance(gap, Gap)
        assert isinstance(second, Hunk)
        assert first.heading == "def add : AddSig :="
        assert (gap.old, gap.new, gap.openings) == ((7, 19), (7, 19), ())
        old, new = first.rows[1].old, first.rows[1].new
        assert old
        assert new
        assert (old.number, old.text, old.words) == (4, "let x := 1", ((4, 5),))
        assert (new.number, new.text, new.words) == (4, "let y := 1", ((4, 5),))

    @pytest.mark.parametrize(
        ("head", "path", "old_path", "change"),
        [
            ("--- /dev/null\n+++ b/n.lean\n@@ -0,0 +1 @@\n+a\n", "n.lean", "", Change.ADDED),
            ("--- a/n.lean\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "n.lean", "", Change.REMOVED),
            ("--- a/n.lean\n+++ b/m.lean\n@@ -1 +1 @@\n-a\n+b\n", "m.lean", "n.lean", Change.RENAMED),
            ("--- n.lean\t2026-01-01\n+++ n.lean\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n", "n.lean", "", Change.CHANGED),
            ('--- "a/caf\\303\\251 x.lean"\n+++ "b/caf\\303\\251 x.lean"\n@@ -1 +1 @@\n-a\n+b\n', "café x.lean", "", Change.CHANGED),
        ],
    )  # fmt: skip
    def test_it_tells_what_happened_to_the_file(
        self, head: str, path: str, old_path: str, change: Change
    ) -> None:
        file = only(head)
        assert (file.path, file.old_path, file.change) == (path, old_path, change)

    def test_a_pure_rename_and_a_binary_file_have_no_hunks(self) -> None:
        rename, binary = parse_patch(
            "diff --git a/a.lean b/b.lean\nsimilarity index 100%\nrename from a.lean\nrename to b.lean\n"
            "diff --git a/x.olean b/x.olean\nindex 1..2 100644\nBinary files a/x.olean and b/x.olean differ\n"
        )
        assert (rename.change, rename.old_path, rename.diff.segments) == (
            Change.RENAMED,
            "a.lean",
            (),
        )
        assert binary.binary
        assert binary.diff.segments == ()

    def test_a_missing_final_newline_is_kept_apart_on_each_side(self) -> None:
        file = only(
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a b c\n\\ No newline at end of file\n+a b d\n"
        )
        (row,) = rows_of(file)
        assert row.old
        assert row.new
        assert (row.old.end, row.new.end) == ("", "\n")

    def test_crlf_lines_keep_their_ends(self) -> None:
        file = only("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a b c\r\n+a b d\n")
        (row,) = rows_of(file)
        assert row.old
        assert row.new
        assert (row.old.text, row.old.end, row.new.end) == ("a b c", "\r\n", "\n")

    def test_text_without_a_patch_gives_nothing(self) -> None:
        assert parse_patch("") == []
        assert parse_patch("just prose\nover two lines\n") == []


class TestBadInput:
    @pytest.mark.parametrize(
        ("text", "line", "problem"),
        [
            ("@@ -1 +1 @@\n-a\n+b\n", 1, "Unexpected hunk"),
            ("--- a/f\n+++ b/f\n@@ -1,5 +1 @@\n-a\n+b\n", 5, "shorter"),
            ("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n-b\n-c\n", 6, "longer"),
            ("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n?what\n c\n", 5, "line expected"),
            ("+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", 1, "without source"),
        ],
    )
    def test_the_error_names_line_and_problem(
        self, text: str, line: int, problem: str
    ) -> None:
        with pytest.raises(PatchError, match=problem) as caught:
            parse_patch(text)
        assert caught.value.line == line
        assert f"patch, line {line}" in str(caught.value)

    @given(
        st.lists(
            st.sampled_from(
                [*GIT.splitlines(keepends=True), "\\ No newline at end of file\n", "\n"]
            ),
            max_size=20,
        )
    )
    def test_a_shuffled_patch_is_read_or_refused(self, parts: list[str]) -> None:
        try:
            files = parse_patch("".join(parts))
        except PatchError:
            return
        assert all(isinstance(file, FilePatch) for file in files)


LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "let x := 1\n", "let x := 2\n", "\n"]), max_size=14
)


@given(LINES, LINES)
def test_a_patch_and_a_comparison_show_the_same_lines(
    old: list[str], new: list[str]
) -> None:
    text = "".join(difflib.unified_diff(old, new, "a/f", "b/f"))
    theirs = [line for file in parse_patch(text) for line in _changes(file.diff)]
    ours = _changes(show(compare("".join(old), "".join(new))))
    assert (
        _applied(old, theirs)
        == _applied(old, ours)
        == [line.rstrip("\n") for line in new]
    )


def _changes(shown: FileDiff) -> list[DiffLine]:
    rows = [
        row
        for segment in shown.segments
        if isinstance(segment, Hunk)
        for row in segment.rows
    ]
    return [line for row in rows if not row.same for line in (row.old, row.new) if line]


def _applied(old: list[str], changes: list[DiffLine]) -> list[str]:
    removed = {line.number for line in changes if line.kind == "del"}
    added = {line.number: line.text for line in changes if line.kind == "add"}
    kept = [
        line.rstrip("\n") for number, line in enumerate(old, 1) if number not in removed
    ]
    out: list[str] = []
    while kept or len(out) + 1 in added:
        out.append(added.pop(len(out) + 1) if len(out) + 1 in added else kept.pop(0))
    return out
