from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.curation.sources.sound import check, extract, only, outline

SOURCE = """\
include "other.dfy"

/** The outer module. */
module {:options "-functionSyntax:4"} A.B refines C {
  import opened D
  export provides f reveals g
  newtype uint8 = x: int | 0 <= x < 256
  type Abstract(==)
  type Pair<T> = (T, T)
  datatype Tree<T> =
    | Leaf
    | Node(left: Tree<T>, value: T) {
      predicate Empty?() { this.Leaf? }
    }
  const LIMIT: nat := 7

  // Adds.
  ghost function {:opaque} Add(x: int, y: int): (r: int)
    requires {x, y} != {0}
    requires x in {1, 2} && match x { case 1 => true case _ => false }
    ensures r == x + y
    decreases *
  {
    var z := x; z + y
  } by method {
    return x + y;
  }

  lemma {:axiom} Trusted(x: int) ensures x == x

  lemma L'(x: int)
    ensures var y := Add(x, 0); y == x
  {
    assert "} lemma no() {" != "";
    /* lemma no() { /* nested */ } */
  }

  class Box extends T {
    var contents: seq<int>
    ghost var Repr: set<object>
    constructor ()
      ensures fresh(this)
    { }
    constructor Named(x: int) { contents := [x]; }
    method Put(x: int) returns (old_: int)
      modifies this
      ensures contents == old(contents) + [x]
    {
      var f := x => x + 1;
      while x > 0 invariant x >= 0 { }
    }
    static predicate method Valid() reads {}
    method {:test} Check() { }
  }
}
method Main() { }
"""


class TestItems:
    def test_it_finds_modules_types_and_members(self) -> None:
        found = extract("dafny", SOURCE)
        assert found.problems == ()
        assert outline(found) == [
            ("module", "A.B", 4, 55),
            ("newtype", "A.B.uint8", 7, 7),
            ("type", "A.B.Abstract", 8, 8),
            ("type", "A.B.Pair", 9, 9),
            ("datatype", "A.B.Tree", 10, 14),
            ("predicate", "A.B.Tree.Empty?", 13, 13),
            ("const", "A.B.LIMIT", 15, 15),
            ("function", "A.B.Add", 18, 27),
            ("lemma", "A.B.Trusted", 29, 29),
            ("lemma", "A.B.L'", 31, 36),
            ("class", "A.B.Box", 38, 54),
            ("field", "A.B.Box.contents", 39, 39),
            ("field", "A.B.Box.Repr", 40, 40),
            ("constructor", "A.B.Box._ctor", 41, 43),
            ("constructor", "A.B.Box.Named", 44, 44),
            ("method", "A.B.Box.Put", 45, 51),
            ("predicate", "A.B.Box.Valid", 52, 52),
            ("method", "A.B.Box.Check", 53, 53),
            ("method", "Main", 56, 56),
        ]

    def test_a_contract_is_taken_apart_and_is_not_taken_for_a_body(self) -> None:
        add = only(extract("dafny", SOURCE), "Add")
        assert add.signature == "ghost function {:opaque} Add(x: int, y: int): (r: int)"
        assert add.clauses == (
            "requires {x, y} != {0}",
            "requires x in {1, 2} && match x { case 1 => true case _ => false }",
            "ensures r == x + y",
            "decreases *",
        )
        assert add.doc == "Adds."
        assert add.modifiers == ("ghost", "{:opaque}")

    def test_categories_say_what_a_thing_is(self) -> None:
        found = extract("dafny", SOURCE)
        categories = {item.name: item.category for item in found.items}
        assert categories["Add"] == "spec"
        assert categories["Trusted"] == "axiom"
        assert categories["L'"] == "proof"
        assert categories["Abstract"] == "opaque"
        assert categories["Pair"] == "type"
        assert categories["Put"] == "fn"
        assert categories["LIMIT"] == "const"

    def test_a_local_variable_in_a_contract_is_no_field(self) -> None:
        lemma = only(extract("dafny", SOURCE), "L'")
        assert lemma.clauses == ("ensures var y := Add(x, 0); y == x",)
        assert "Add" in lemma.mentions

    def test_tests_are_known_by_their_attribute(self) -> None:
        found = extract("dafny", SOURCE)
        assert only(found, "Check").is_test
        assert not only(found, "Put").is_test


class TestNastyTexts:
    @pytest.mark.parametrize(
        "clause",
        [
            "ensures s == {}",
            "ensures s == {1} + {2}",
            "ensures forall x :: x in {1} ==> x in {2, 3}",
            "ensures multiset{1} == multiset{1}",
            "ensures m == map[1 := {2}]",
            "ensures (if b then {1} else {2}) == {}",
            "ensures if b then s == {1} else s == {2}",
            "ensures match d { case A => s == {} case B => true }",
            "ensures var x := {1}; x == s",
            "ensures {:trigger f(x)} s == {}",
            "ensures s == iset{}",
            "reads {}",
            "reads a, {b}",
            "modifies {a} + {b}",
            "decreases *",
            "decreases {1}, 2",
            'ensures "{" == s',
            "ensures '{' == c",
            "ensures s' == {x'}",
            "ensures |s| > 0 && s[0] == {1}",
            "ensures x is T<U>",
        ],
    )
    def test_the_body_begins_behind_the_contract(self, clause: str) -> None:
        text = f"method M(s: set<int>)\n  {clause}\n{{\n  var inner := 1;\n}}\nlemma After() {{ }}\n"
        assert outline(extract("dafny", text)) == [
            ("method", "M", 1, 5),
            ("lemma", "After", 6, 6),
        ]
        assert only(extract("dafny", text), "M").clauses == (clause,)

    def test_declarations_without_a_body_end_where_the_next_begins(self) -> None:
        text = "trait T {\n  function F(): int\n  method M()\n    ensures F() == 1\n  ghost predicate P()\n}\n"
        assert outline(extract("dafny", text)) == [
            ("trait", "T", 1, 6),
            ("function", "T.F", 2, 2),
            ("method", "T.M", 3, 4),
            ("predicate", "T.P", 5, 5),
        ]

    def test_old_and_new_words_are_both_known(self) -> None:
        text = "function method F(): int { 1 }\npredicate method P() { true }\ninductive predicate I()\nleast lemma J()\n"
        found = extract("dafny", text)
        assert [item.name for item in found.items] == ["F", "P", "I", "J"]
        assert only(found, "F").category == "fn"
        assert "method" in only(found, "F").modifiers

    def test_unbalanced_braces_are_named_and_cost_little(self) -> None:
        found = extract(
            "dafny",
            "module A {\n  method M() {\n    x := (1;\n  }\n  lemma L() { }\n}\n",
            "src/a.dfy",
        )
        assert [(p.code, p.path, p.line) for p in found.problems] == [
            ("unbalanced", "src/a.dfy", 3)
        ]
        assert [item.name for item in found.items] == ["A", "M", "L"]

    def test_a_comment_that_does_not_end_is_named(self) -> None:
        found = extract("dafny", "lemma A() { }\n/* oh\nlemma B() { }\n")
        assert [(p.code, p.line) for p in found.problems] == [("unterminated", 2)]
        assert [item.name for item in found.items] == ["A", "B"]

    def test_unicode_and_crlf_keep_lines_right(self) -> None:
        found = extract("dafny", '// ∀\r\nconst s := "é∀𝔸"\r\n\r\nlemma L() { }\r\n')
        assert outline(found) == [("const", "s", 2, 2), ("lemma", "L", 4, 4)]

    def test_a_very_long_file_is_read(self) -> None:
        text = "".join(
            f"lemma L{n}(x: int)\n  ensures x == {n}\n{{ }}\n" for n in range(3000)
        )
        found = extract("dafny", text)
        assert len(found.items) == 3000
        assert found.items[-1].line_end == 9000


PIECES = [
    "module M", "class C", "function F()", "lemma L()", "method", "var x", "const",
    "datatype D =", "type T", "requires", "ensures", "decreases *", "{", "}", "(",
    ")", "{:a}", "[", "]", "<", ">", ";", ":=", "==", "=", "in", "/*", "*/", "//",
    '"', "'", "'a'", "\n", " ", "\r\n", "match x", "by method", "ghost", "static",
    "x'", "∀", ".",
]  # fmt: skip
fragments = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)


class TestProperties:
    @given(fragments)
    def test_it_never_raises_and_items_are_nested_or_apart(self, text: str) -> None:
        check(extract("dafny", text), text)

    @given(st.text(max_size=60))
    def test_it_takes_any_text(self, text: str) -> None:
        check(extract("dafny", text), text)

    @given(fragments)
    def test_it_gives_the_same_answer_twice(self, text: str) -> None:
        assert extract("dafny", text) == extract("dafny", text)
