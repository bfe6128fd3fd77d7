from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.code.trees import Change, ChangedFile, diff_trees

TREE = st.dictionaries(
    st.sampled_from(["a", "b", "d/a", "d/b", "e/c"]), st.sampled_from("xyz")
)


def test_it_tells_added_removed_and_changed() -> None:
    assert diff_trees(
        {"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}
    ) == [
        ChangedFile("b", Change.CHANGED, "2", "9"),
        ChangedFile("c", Change.REMOVED, old="3"),
        ChangedFile("d", Change.ADDED, new="4"),
    ]


def test_the_same_content_at_another_path_is_a_rename() -> None:
    assert diff_trees({"old.lean": "1"}, {"new.lean": "1"}) == [
        ChangedFile("new.lean", Change.RENAMED, "1", "1", "old.lean")
    ]


def test_among_several_sources_the_same_file_name_wins() -> None:
    changes = diff_trees({"a/x": "1", "b/y": "1"}, {"c/y": "1", "d/z": "1"})
    assert {change.path: change.old_path for change in changes} == {
        "c/y": "b/y",
        "d/z": "a/x",
    }


def test_a_copy_is_an_addition() -> None:
    assert diff_trees({"a": "1"}, {"a": "1", "b": "1"}) == [
        ChangedFile("b", Change.ADDED, new="1")
    ]


def test_equal_trees_give_nothing() -> None:
    assert diff_trees({"a": "1"}, {"a": "1"}) == []


@given(TREE, TREE)
def test_applying_the_changes_gives_the_new_tree(
    old: dict[str, str], new: dict[str, str]
) -> None:
    tree = dict(old)
    changes = diff_trees(old, new)
    for change in changes:
        if change.change is Change.RENAMED:
            assert tree.pop(change.old_path) == change.old
        elif change.change is Change.REMOVED:
            assert tree.pop(change.path) == change.old
    for change in changes:
        if change.change is not Change.REMOVED:
            tree[change.path] = change.new
    assert tree == new
    assert [change.path for change in changes] == sorted(
        change.path for change in changes
    )
