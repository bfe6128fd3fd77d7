from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from workbench.lean.declarations import Declaration, name_parts, scan_file


def names(text: str) -> list[str]:
    return [item.name for item in scan_file(text).declarations]


def only(text: str) -> Declaration:
    (item,) = scan_file(text).declarations
    return item


def test_it_names_declarations_by_namespace() -> None:
    text = """
namespace A.B
def x := 1
section
theorem y : True := trivial
end
namespace C
def z := 1
end C
end A.B
def w := 1
"""
    assert names(text) == ["A.B.x", "A.B.y", "A.B.C.z", "w"]
    assert scan_file(text).problems == ()
    assert scan_file(text).namespaces == {"A", "A.B", "A.B.C"}


def test_root_and_dotted_names_are_resolved() -> None:
    text = "namespace A\ndef _root_.B.x := 1\ndef C.y := 2\nend A"
    assert names(text) == ["B.x", "A.C.y"]
    assert [item.short_name for item in scan_file(text).declarations] == ["x", "y"]


def test_quoted_names_keep_their_dots() -> None:
    item = only("namespace N\ndef «a.b c».d := 1")
    assert item.name == "N.«a.b c».d"
    assert name_parts(item.name) == ("N", "«a.b c»", "d")


def test_a_name_has_at_least_one_part() -> None:
    assert name_parts("«") == ("«",)
    assert name_parts("") == ("",)
    assert name_parts("a.«b.c».d") == ("a", "«b.c»", "d")


def test_namespaces_may_be_closed_in_pieces() -> None:
    assert names("namespace A.B\nend B\ndef x := 1\nend A\ndef y := 1") == ["A.x", "y"]


def test_every_kind_is_told() -> None:
    text = "\n".join(
        [
            "def a := 1", "abbrev b := 1", "theorem c : True := trivial", "lemma d : True := trivial",
            "structure E where", "class F where", "inductive G", "instance h : Inhabited Nat := ⟨1⟩", "axiom i : True",
            "opaque j : Nat", "example : True := trivial", "class inductive K", "  | mk",
        ]
    )  # fmt: skip
    found = scan_file(text).declarations
    assert [item.kind for item in found] == [
        "def", "abbrev", "theorem", "lemma", "structure", "class", "inductive", "instance", "axiom", "opaque", "example", "class",
    ]  # fmt: skip
    assert [item.name for item in found][-2:] == ["", "K"]
    assert [member.name for member in found[-1].members] == ["mk"]


def test_anonymous_instances_have_no_name() -> None:
    text = "instance : Inhabited Nat := ⟨1⟩\ninstance {α : Type} [Inhabited α] : Inhabited (List α) := ⟨[]⟩\ninstance (priority := low) named : Inhabited Int := ⟨1⟩"
    assert names(text) == ["", "", "named"]


def test_modifiers_attributes_and_doc_belong_to_the_declaration() -> None:
    item = only(
        "/-- What it is. -/\n@[simp, reducible]\n@[inline] private noncomputable def x : Nat := 1\n"
    )
    assert item.doc == "What it is."
    assert item.attributes == ("simp, reducible", "inline")
    assert item.modifiers == ("private", "noncomputable")
    assert item.private
    assert (item.start_line, item.line, item.end_line) == (1, 3, 3)
    assert item.text.startswith("/-- What it is. -/")
    assert item.text.endswith(":= 1")


def test_a_doc_comment_behind_other_text_is_not_taken() -> None:
    found = scan_file("/-- of a -/\ndef a := 1\ndef b := 2").declarations
    assert [item.doc for item in found] == ["of a", ""]


def test_a_declaration_ends_before_the_comments_of_the_next() -> None:
    found = scan_file(
        "def a :=\n  1\n\n-- about b\n/- and more -/\ndef b := 2\n\n-- end"
    ).declarations
    assert [(item.start_line, item.end_line) for item in found] == [(1, 2), (6, 6)]


def test_the_signature_ends_where_the_value_begins() -> None:
    cases = {
        "def f (x : Nat := 3) : Nat := x": "def f (x : Nat := 3) : Nat",
        "def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => n": "def f : Nat → Nat",
        "structure S (α : Type) where\n  x : α": "structure S (α : Type)",
        "axiom a :\n  True": "axiom a :\n  True",
        "theorem t : ∃ x, x = 1 := by\n  simp": "theorem t : ∃ x, x = 1",
        "inductive J | null | bool (b : Bool)": "inductive J",
        "def g.{u} (α : Type u) {x : α} : α := x": "def g.{u} (α : Type u) {x : α} : α",
    }
    for text, expected in cases.items():
        assert only(text).signature == expected


def test_fields_belong_to_their_structure() -> None:
    text = """structure S (α : Type) extends T where
  make ::
  /-- doc : with colon -/
  first : Nat
  -- comment : line
  second third : List (Nat → Nat)
  fourth (x : Nat) :
    x = first := by simp
  longName
      : Nat
  (fifth : Nat)
  «odd name» : Nat
  deriving Repr
"""
    item = only(text)
    assert [(m.name, m.kind) for m in item.members] == [
        ("make", "constructor"), ("first", "field"), ("second", "field"), ("third", "field"), ("fourth", "field"),
        ("longName", "field"), ("fifth", "field"), ("«odd name»", "field"),
    ]  # fmt: skip
    assert item.members[1].full_name == "S.first"
    assert item.members[1].line == 4


def test_constructors_belong_to_their_inductive_type() -> None:
    text = "namespace N\ninductive T : Nat → Type where\n  | a (x : Nat) : T x\n  /-- | no -/\n  | b : (∀ y : Nat, (y || true) = true → T y) → T 0\n  | c' | d?\nderiving Repr"
    assert [m.full_name for m in only(text).members] == [
        "N.T.a",
        "N.T.b",
        "N.T.c'",
        "N.T.d?",
    ]
    assert [m.name for m in only("inductive Json | null | num (i : Int)").members] == [
        "null",
        "num",
    ]


def test_mutual_blocks_are_numbered_and_closed() -> None:
    text = "mutual\ndef a := 1\ndef b := 2\nend\ndef c := 3\nmutual\ndef d := 4\nend"
    assert [item.mutual for item in scan_file(text).declarations] == [1, 1, None, 2]
    assert scan_file(text).problems == ()


def test_opens_reach_to_the_end_of_their_scope() -> None:
    text = "open A\nsection\nopen B C\ndef x := 1\nend\ndef y := 1\nopen D (foo) in\ndef z := 1\nopen scoped E hiding f\ndef w := 1"
    found = {item.name: item.opens for item in scan_file(text).declarations}
    assert found == {
        "x": ("A", "B", "C"),
        "y": ("A",),
        "z": ("A", "D"),
        "w": ("A", "E"),
    }


def test_open_in_belongs_to_the_declaration_behind_it() -> None:
    found = scan_file(
        "def a := 1\n\nopen Classical in\nset_option x 1 in\n/-- doc -/\nnoncomputable def b := 2"
    ).declarations
    assert [(item.name, item.start_line, item.end_line) for item in found] == [
        ("a", 1, 1),
        ("b", 3, 6),
    ]
    assert found[1].opens == ("Classical",)
    assert found[1].doc == "doc"


def test_open_in_inside_a_proof_ends_nothing() -> None:
    found = scan_file(
        "theorem a : True := by\n  open Classical in\n  trivial\ndef b := 1"
    ).declarations
    assert [(item.name, item.end_line) for item in found] == [("a", 3), ("b", 4)]


def test_quotations_comments_and_strings_declare_nothing() -> None:
    text = """
open Lean in
macro_rules
  | `(make $x) => `(theorem $(mkIdent x) : True := trivial)
/- def hidden := 1 -/
-- def hidden := 1
def real := "
def hidden := 1
"
def other (f : Nat → Nat := fun x => x) := (f 1)
"""
    assert names(text) == ["real", "other"]


def test_words_that_only_look_like_commands_are_none() -> None:
    assert names(
        "def a := x.def + end'.class\nattribute [local instance] foo\nderiving instance BEq for T\ndef b := 1"
    ) == ["a", "b"]


def test_two_commands_on_a_line_are_two() -> None:
    assert names("namespace A def x := 1 end A def y := 2") == ["A.x", "y"]


def test_commands_are_listed_with_their_lines() -> None:
    found = scan_file(
        'import A\n\ndef x := 1\n#guard x == 1\n#eval x\nset_option a true\nnotation "x" => y\n'
    ).commands
    assert [(command.word, command.line) for command in found] == [
        ("def", 3), ("#guard", 4), ("#eval", 5), ("set_option", 6), ("notation", 7),
    ]  # fmt: skip


def test_scopes_that_do_not_fit_are_reported_with_their_line() -> None:
    found = scan_file("namespace A\nend B\nend").problems
    assert [(problem.line, problem.message) for problem in found] == [
        (2, "`end B` where `end A` was expected"),
        (3, "`end` closes nothing"),
    ]


def test_the_header_holds_prelude_and_imports() -> None:
    text = "/- licence -/\nprelude\n-- why\nimport A.B\nimport «C-d».E -- x\npublic meta import all F\n\n/-! import G -/\nimport H"
    found = scan_file(text).header
    assert found.prelude
    assert [(item.module, item.line) for item in found.imports] == [
        ("A.B", 4),
        ("«C-d».E", 5),
        ("F", 6),
    ]
    assert found.imports[2].modifiers == ("public", "meta", "all")


def test_a_byte_order_mark_and_cr_lf_change_nothing() -> None:
    text = "\ufeffimport A\r\nnamespace N\r\n/-- d -/\r\ndef x : Nat :=\r\n  1\r\nend N\r\n"
    found = scan_file(text)
    assert [item.module for item in found.header.imports] == ["A"]
    assert [
        (item.name, item.doc, item.start_line, item.end_line)
        for item in found.declarations
    ] == [("N.x", "d", 3, 5)]


SOUP = st.lists(
    st.sampled_from(
        ["def x := 1", "namespace A", "end A", "end", "section", "mutual", "/-- d -/", "@[simp]", "private ", "open B in", "(", ")",
         "`(def y := 1)", "structure S where", "  f : Nat", "| c", "where", "\n", " ", "-- c", "/-", "-/", '"', "instance", "class "]
    ),
    max_size=30,
).map("\n".join)  # fmt: skip


@given(st.one_of(SOUP, st.text()))
def test_any_text_gives_ordered_ranges_that_do_not_overlap(text: str) -> None:
    found = scan_file(text).declarations
    for item in found:
        assert item.text == text[item.start : item.end]
        assert item.start_line <= item.line <= item.end_line
        assert text.count("\n", 0, item.start) + 1 == item.start_line
    for before, after in itertools.pairwise(found):
        assert before.end <= after.start


def test_long_rows_of_modifiers_and_brackets_take_linear_time() -> None:
    for text in (
        "private " * 40_000,
        "( def " * 40_000,
        "@[a " * 40_000,
        "open " * 40_000,
        "end\n" * 40_000,
        "|\n" * 40_000,
    ):
        scan_file("inductive T\n" + text)


def test_scopes_beyond_the_limit_are_left_out_and_said_once() -> None:
    text = "namespace A\n" * 500 + "def f := 1\n" + "end A\n" * 500 + "def g := 1\n"
    scan = scan_file(text)
    assert [problem.message for problem in scan.problems] == [
        "more than 200 scopes are open; deeper ones are not told apart"
    ]
    assert scan.declarations[-1].name == "g"


def test_a_hostile_file_takes_time_in_step_with_its_size() -> None:
    # Quadratic, this took minutes; no clock is asserted, the run itself would not end.
    scan = scan_file("namespace A\n" * 40_000 + "namespace " + "B." * 40_000 + "C\n")
    assert "scopes are open" in scan.problems[0].message


def test_a_remark_behind_the_last_word_belongs_to_the_text() -> None:
    scan = scan_file("def f := 1 -- changed\n\n-- about g\ndef g := 2\n")
    assert [item.text for item in scan.declarations] == [
        "def f := 1 -- changed",
        "def g := 2",
    ]
