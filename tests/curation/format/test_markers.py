from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.format.markers import (
    KEYS,
    MarkerFile,
    Slot,
    body,
    read_markers,
    read_markers_closely,
    rewrite,
    write_slot,
)

from . import small


def read(text: str) -> MarkerFile:
    found = read_markers("F.lean", text)
    assert found == read_markers_closely("F.lean", text), (
        "the quick way and the close one agree"
    )
    return found


def problems(text: str) -> list[tuple[str, int, str]]:
    return [(p.id, p.line, p.message) for p in read(text).problems]


def test_a_slot_is_known_by_key_and_def_and_holds_the_lines_between() -> None:
    found = read(small.IMPL)
    assert [slot.label for slot in found.slots] == [
        "imports", "global_aux", "code_aux def=put", "code def=put", "code_aux def=total", "code def=total",
    ]  # fmt: skip
    code = found.slots[3]
    assert body(small.IMPL, code) == "  fun amount book => amount :: book\n"
    lines = small.IMPL.splitlines()
    assert lines[code.start_line - 1] == "-- !benchmark @start code def=put"
    assert lines[code.end_line - 1] == "-- !benchmark @end code def=put"
    assert code.identity == ("benchmark", "code", "put")
    assert body(small.IMPL, found.slots[2]) == ""
    assert found.problems == ()


def test_curation_lines_are_notes_of_one_line() -> None:
    (note,) = read(small.IMPL).curation
    assert (note.kind, note.text) == ("review", "v1 [ ] put")
    assert small.IMPL[note.start : note.end] == "-- !curation @review v1 [ ] put\n"


def test_solution_markers_have_no_key() -> None:
    (slot,) = read(
        "-- !solution @start def=j kind=joint_unsat\n-- specs=[a, b]\n-- !solution @end def=j kind=joint_unsat\n"
    ).slots
    assert (slot.prefix, slot.key, slot.def_name, slot.kind) == (
        "solution",
        "solution",
        "j",
        "joint_unsat",
    )


def test_kind_and_target_are_fields_of_the_start() -> None:
    (slot,) = read(
        "-- !benchmark @start proof def=p kind=prove target=spec_p\n-- !benchmark @end proof def=p"
    ).slots
    assert (slot.kind, slot.target) == ("prove", "spec_p")
    (slot,) = read(
        "-- !benchmark @start proof target=t other=1 def=p\n-- !benchmark @end proof def=p\n"
    ).slots
    assert (slot.def_name, slot.target) == ("p", "t")


@pytest.mark.parametrize(
    "text",
    [
        "/- The `!benchmark code` slots. -/\n",
        "-- a solver fills every !benchmark @start code def=x\n",
        "-- !benchmark markers are lines\n",
        "-- see !solution\n",
        "/-\n-- !benchmark @start code def=x\n-- !benchmark @end code def=x\n-/\n",
        "/- /- -/\n-- !benchmark @start code def=x\n-/\n",
        'def a := "\n-- !benchmark @start code def=x\n"\n',
        'def a := r#"\n-- !benchmark @start code def=x\n"#\n',
        'def a := s!"{b}\n-- !benchmark @start code def=x\n"\n',
        "/-\n-- !curation @review x\n-/\n",
        "def x := 1 -- !benchmark @start code def=x\n",
    ],
)
def test_prose_comments_and_strings_are_no_markers(text: str) -> None:
    found = read(text)
    assert (found.slots, found.curation, found.problems) == ((), (), ())


def test_a_marker_behind_a_comment_or_string_is_one() -> None:
    text = '/- "/-" -/ -/\n-- a "\ndef c := \'"\'\n-- !benchmark @start imports\n-- !benchmark @end imports\n'
    text = text.replace('/- "/-" -/ -/', '/- "x" /- -/ -/ -- /-')
    assert len(read(text).slots) == 1


@pytest.mark.parametrize("indent", ["", "  ", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_indentation_and_line_ends_do_not_matter(indent: str, end: str) -> None:
    text = end.join(
        [
            f"{indent}-- !benchmark @start code def=a'?",
            "  1",
            f"{indent}-- !benchmark @end code def=a'?",
            "",
        ]
    )
    (slot,) = read(text).slots
    assert slot.def_name == "a'?"
    assert body(text, slot) == f"  1{end}"


START, END = "-- !benchmark @start", "-- !benchmark @end"


@pytest.mark.parametrize(
    ("lines", "id", "line", "message"),
    [
        ([f"{START} code def=a"], "marker-unbalanced", 1, "!benchmark code def=a is never closed"),
        (["", f"{END} code def=a"], "marker-unbalanced", 2, "!benchmark code def=a closes nothing"),
        ([f"{START} code def=a", f"{END} code def=b"], "marker-unbalanced", 2, "!benchmark code def=b where !benchmark code def=a of line 1 is open"),
        ([f"{START} code def=a", f"{END} code_aux def=a"], "marker-unbalanced", 2, "!benchmark code_aux def=a where !benchmark code def=a of line 1 is open"),
        ([f"{START} code def=a", f"{END} code def=ab"], "marker-unbalanced", 2, "!benchmark code def=ab where !benchmark code def=a of line 1 is open"),
        ([f"{START} imports", "-- !solution @end def=x"], "marker-unbalanced", 2, "!solution def=x where !benchmark imports of line 1 is open"),
        ([f"{START} code def=a", f"{START} code def=b", f"{END} code def=b"], "marker-nested", 2, "!benchmark code def=b opens inside !benchmark code def=a of line 1"),
        ([f"{START} imports", f"{END} imports", f"{START} imports", f"{END} imports"], "slot-duplicate", 3, "!benchmark imports was there before, in line 1"),
        ([f"{START} code"], "marker-malformed", 1, "a code slot needs a def= field"),
        ([f"{START} cod def=a"], "marker-malformed", 1, "unknown key 'cod'; expected one of " + ", ".join(KEYS)),
        ([START], "marker-malformed", 1, "unknown key ''; expected one of " + ", ".join(KEYS)),
        ([f"{START} code def=a regions"], "marker-malformed", 1, "cannot read 'regions'; expected field=value"),
        ([f"{START} code def=a def=b"], "marker-malformed", 1, "cannot read 'def=b'; expected the field def once"),
        (["-- !benchmark @begin code def=a"], "marker-malformed", 1, "cannot read this marker; expected `-- !benchmark @start|@end <key> [field=value …]`"),
        (["--!benchmark @start code def=a"], "marker-malformed", 1, "cannot read this marker; expected `-- !benchmark @start|@end <key> [field=value …]`"),
        (["--  !solution @start def=a"], "marker-malformed", 1, "cannot read this marker; expected `-- !solution @start|@end [field=value …]`"),
        (["-- !benchmark  @start code def=a"], "marker-malformed", 1, "cannot read this marker; expected `-- !benchmark @start|@end <key> [field=value …]`"),
    ],
)  # fmt: skip
def test_markers_that_do_not_fit_are_reported_with_their_line(
    lines: list[str], id: str, line: int, message: str
) -> None:
    assert problems("\n".join(lines) + "\n") == [(id, line, message)]


def test_after_a_problem_the_rest_is_still_read() -> None:
    text = f"{END} code def=x\n{START} code def=a\n1\n{END} code def=a\n"
    found = read(text)
    assert [slot.def_name for slot in found.slots] == ["a"]
    assert len(found.problems) == 1


LINES = st.sampled_from(
    [
        f"{START} imports", f"{END} imports", f"{START} code def=a", f"{END} code def=a", f"{START} code def=ab",
        f"{END} code def=ab", f"{START} code_aux def=a", f"{END} code_aux def=a", f"{START} proof def=a kind=prove target=s",
        f"{END} proof def=a", "-- !solution @start def=j", "-- !solution @end def=j", "-- !curation @x y", "/-", "-/", '"',
        "def x := 1", "", "-- !benchmark @start", "--!benchmark @end imports", "x -- !benchmark @end imports", "/- -/", "-/-",
        "  " + f"{START} imports", f"{END} imports ", "-- comment /-", "-- comment -/", "-- !benchmark",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_quick_way_never_differs_from_the_close_one(
    lines: list[str], newline: str, last: bool
) -> None:
    found = read(newline.join(lines) + (newline if last else ""))
    for before, after in zip(found.slots, found.slots[1:], strict=False):
        assert before.end <= after.start
        assert before.start_line < before.end_line < after.start_line


BODIES = st.lists(
    st.sampled_from(["  x", "", "-- c", "  fun y => y", "déjà"]), max_size=4
).map(lambda lines: "".join(f"{line}\n" for line in lines))
NAMES = st.lists(
    st.sampled_from(["a", "b'", "c.d", "«e»", "f?"]), min_size=1, unique=True
)


@given(
    NAMES,
    st.lists(BODIES, min_size=5, max_size=5),
    st.lists(BODIES, min_size=5, max_size=5),
)
def test_what_is_written_is_read_and_what_is_replaced_replaces_only_bodies(
    names: list[str], old: list[str], new: list[str]
) -> None:
    text = "def x := 1\n"
    for name, content in zip(names, old, strict=False):
        text += write_slot("code", content, def_name=name) + "-- between\n"
    slots = read(text).slots
    assert [(slot.def_name, body(text, slot)) for slot in slots] == list(
        zip(names, old, strict=False)
    )
    wanted = {slot.identity: content for slot, content in zip(slots, new, strict=False)}
    changed = rewrite(text, wanted, slots)
    assert [body(changed, slot) for slot in read(changed).slots] == list(
        new[: len(names)]
    )
    back = {slot.identity: body(text, slot) for slot in slots}
    assert rewrite(changed, back, read(changed).slots) == text
    assert rewrite(text, {}, slots) == text


def test_a_new_body_ends_its_line() -> None:
    text = "-- !benchmark @start imports\r\n-- !benchmark @end imports\r\n"
    (slot,) = read(text).slots
    assert rewrite(text, {slot.identity: "import X"}, [slot]) == text.replace(
        "imports\r\n--", "imports\r\nimport X\r\n--", 1
    )


def test_dropped_curation_lines_leave_no_trace_even_inside_a_replaced_slot() -> None:
    text = f"a\n-- !curation @x\n{START} code def=a\n-- !curation @y\n1\n{END} code def=a\n"
    found = read(text)
    slots: tuple[Slot, ...] = found.slots
    assert (
        rewrite(text, {}, slots, found.curation)
        == f"a\n{START} code def=a\n1\n{END} code def=a\n"
    )
    assert (
        rewrite(text, {slots[0].identity: "2"}, slots, found.curation)
        == f"a\n{START} code def=a\n2\n{END} code def=a\n"
    )
