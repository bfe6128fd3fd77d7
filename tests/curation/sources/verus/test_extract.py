from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources.language import BY_CONTENT, BY_NAME
from curation.sources.verus import detect
from tests.curation.sources.sound import check, extract, only, outline

SOURCE = """\
#![allow(unused)]
//! The crate.
use vstd::prelude::*;

pub struct Plain(u8);

verus! {

/// Doubles.
pub open spec fn double(x: int) -> int {
    x + x
}

pub closed spec(checked) fn hidden<T>(s: Seq<T>) -> bool
    recommends s.len() > 0,
{
    s.len() > 0
}

pub uninterp spec fn unknown() -> nat;

/* plain comment */
pub broadcast proof fn lemma_double(x: int)
    by (nonlinear_arith)
    requires
        x >= 0,
    ensures
        #[trigger] double(x) >= x,
        match x { 0 => true, _ => if x > 1 { double(x) > 1 } else { true } },
{
    assert("{" != "}");
}

#[verifier::external_body]
pub proof fn trusted() ensures true { }

pub axiom fn assumed() ensures true;

#[derive(Clone)]
pub enum Shape<const N: usize> where u8: Copy { Dot, Line { from: u8, to: u8 } }

pub trait View2 { type V; spec fn view2(&self) -> Self::V; fn get(&self) -> (r: u8) ensures r == 1, { 1 } }

impl<T: Clone + Into<u8>> View2 for std::vec::Vec<T> where T: Copy {
    type V = Seq<T>;
    closed spec fn view2(&self) -> Seq<T> { self@ }
}

impl Plain {
    pub const LIMIT: u8 = { 1 + 2 };
    pub exec fn new(v: u8) -> (result: Self)
        ensures result.0 == v, result == (Plain { 0: v }),
    { Plain(v) }
    fn callback(f: fn(u8) -> u8) -> impl Fn(u8) -> u8 { move |x| { f(x) } }
}

pub mod inner {
    pub(crate) unsafe extern "C" fn raw() { }
    static mut COUNT: u8 = 0;
}

} // verus!

#[cfg(test)]
mod tests {
    #[test]
    fn works() { assert!(true); }
    fn helper() { }
}
"""


class TestItems:
    def test_it_finds_items_inside_and_outside_the_macro(self) -> None:
        found = extract("verus", SOURCE)
        assert found.problems == ()
        assert outline(found) == [
            ("struct", "Plain", 5, 5),
            ("spec fn", "double", 10, 12),
            ("spec fn", "hidden", 14, 18),
            ("spec fn", "unknown", 20, 20),
            ("proof fn", "lemma_double", 23, 32),
            ("proof fn", "trusted", 34, 35),
            ("axiom fn", "assumed", 37, 37),
            ("enum", "Shape", 39, 40),
            ("trait", "View2", 42, 42),
            ("type", "View2::V", 42, 42),
            ("spec fn", "View2::view2", 42, 42),
            ("fn", "View2::get", 42, 42),
            ("impl", "impl View2 for Vec", 44, 47),
            ("type", "Vec::V", 45, 45),
            ("spec fn", "Vec::view2", 46, 46),
            ("impl", "impl Plain", 49, 55),
            ("const", "Plain::LIMIT", 50, 50),
            ("exec fn", "Plain::new", 51, 53),
            ("fn", "Plain::callback", 54, 54),
            ("mod", "inner", 57, 60),
            ("fn", "inner::raw", 58, 58),
            ("static", "inner::COUNT", 59, 59),
            ("mod", "tests", 64, 69),
            ("fn", "tests::works", 66, 67),
            ("fn", "tests::helper", 68, 68),
        ]

    def test_a_contract_is_taken_apart_and_is_not_taken_for_a_body(self) -> None:
        lemma = only(extract("verus", SOURCE), "lemma_double")
        assert (
            lemma.signature
            == "pub broadcast proof fn lemma_double(x: int) by (nonlinear_arith)"
        )
        assert [clause.split()[0] for clause in lemma.clauses] == [
            "requires",
            "ensures",
        ]
        assert lemma.clauses[1].endswith("else { true } },")
        assert lemma.doc == "plain comment"
        assert only(extract("verus", SOURCE), "Plain::new").clauses == (
            "ensures result.0 == v, result == (Plain { 0: v }),",
        )

    def test_categories_say_what_a_thing_is(self) -> None:
        categories = {
            item.name: item.category for item in extract("verus", SOURCE).items
        }
        assert categories["double"] == "spec"
        assert categories["unknown"] == "opaque"
        assert categories["lemma_double"] == "proof"
        assert categories["trusted"] == "axiom"
        assert categories["assumed"] == "axiom"
        assert categories["new"] == "fn"
        assert categories["Shape"] == "type"
        assert categories["LIMIT"] == "const"

    def test_a_proof_that_admits_is_an_axiom(self) -> None:
        found = extract("verus", "proof fn l() ensures false { admit(); }")
        assert only(found, "l").category == "axiom"

    def test_members_say_which_trait_they_serve(self) -> None:
        found = extract("verus", SOURCE)
        assert "impl View2 for Vec" in only(found, "Vec::view2").modifiers
        assert only(found, "Plain::new").parent == "Plain"

    def test_tests_are_known_by_attribute_and_module(self) -> None:
        found = extract("verus", SOURCE)
        assert only(found, "works").is_test
        assert only(found, "helper").is_test
        assert not only(found, "raw").is_test

    def test_documentation_stands_with_its_item(self) -> None:
        assert only(extract("verus", SOURCE), "double").doc == "Doubles."
        assert only(extract("verus", SOURCE), "Plain").doc == ""


class TestMacros:
    def test_a_macro_is_an_item_and_so_is_what_it_defines(self) -> None:
        text = (
            "macro_rules! gen {\n"
            "    ($t:ty, $name:ident) => {\n"
            "        verus! {\n"
            "            pub struct $name { v: $t }\n"
            "            impl $name {\n"
            "                pub exec fn new(v: $t) -> (r: Self) ensures r.v == v { $name { v } }\n"
            "            }\n"
            "            $(impl Clone for $t { fn clone(&self) -> Self { *self } })*\n"
            "        }\n"
            "    };\n"
            "}\n"
            "gen!(u8, Checked);\n"
        )
        assert [one[:2] for one in outline(extract("verus", text))] == [
            ("macro", "gen"),
            ("struct", "gen::$name"),
            ("impl", "gen::impl $name"),
            ("exec fn", "gen::$name::new"),
            ("impl", "gen::impl Clone for $t"),
            ("fn", "gen::$t::clone"),
        ]

    def test_a_body_that_is_a_macro_variable_does_not_swallow_the_next_function(
        self,
    ) -> None:
        text = "impl A for B {\n proof fn one() $p\n proof fn two() $q\n}\n"
        assert [
            item.name
            for item in extract("verus", text).items
            if item.category == "proof"
        ] == ["one", "two"]


class TestNastyTexts:
    @pytest.mark.parametrize(
        "clause",
        [
            "ensures r == 1",
            "ensures r == 1,",
            "ensures a, b,",
            "ensures ({ let x = 1; x == r }),",
            "ensures match r { Some(x) => x == 1, None => true }",
            "ensures match r { Some(x) => { x == 1 }, None => true },",
            "ensures if a { b } else { c }",
            "ensures if a { b } else if d { c } else { e },",
            "ensures a ==> { b },",
            "ensures forall|x: int| #![trigger f(x)] f(x) ==> g(x)",
            "ensures a == b >= c",
            "ensures r matches Some(x) ==> x == 1",
            "ensures s =~= seq![1, 2]",
            "ensures s@ == old(s)@.push(1)",
            "requires a, ensures b, decreases n",
            "decreases n, 1",
            "returns x + 1",
            "opens_invariants none",
            "no_unwind",
            "where T: Into<u8>, U: Copy",
            "recommends a&&b||c",
            "ensures x is Foo",
            'ensures c == \'{\' && s == "}{" && r == r#"{"#',
            "ensures x as nat == y as nat",
        ],
    )
    def test_the_body_begins_behind_the_contract(self, clause: str) -> None:
        text = f"verus! {{\nfn f<'a, T>(s: &'a T) -> (r: u8)\n  {clause}\n{{\n  if a {{ }}\n}}\nfn after() {{ }}\n}}\n"
        assert outline(extract("verus", text)) == [
            ("fn", "f", 2, 6),
            ("fn", "after", 7, 7),
        ]

    def test_lifetimes_are_no_characters(self) -> None:
        text = "fn f<'a>(x: &'a str, c: char) -> bool { c == 'a' || c == '{' || c == '\\'' }\nfn g() { }\n"
        assert [item.name for item in extract("verus", text).items] == ["f", "g"]

    def test_raw_identifiers_and_unicode_are_names(self) -> None:
        assert [
            item.name
            for item in extract("verus", "fn r#type() {}\nfn größe() {}\n").items
        ] == ["r#type", "größe"]

    def test_what_is_commented_out_or_quoted_is_no_item(self) -> None:
        text = '/* fn a() {} /* fn b() {} */ */\n// fn c() {}\nconst D: &str = "fn e() {}";\n'
        assert [item.name for item in extract("verus", text).items] == ["D"]

    def test_unbalanced_braces_are_named_and_cost_little(self) -> None:
        found = extract("verus", "fn a() { (; }\nfn b() { }\n}\n")
        assert [(p.code, p.line) for p in found.problems] == [
            ("unbalanced", 1),
            ("unbalanced", 3),
        ]
        assert [item.name for item in found.items] == ["a", "b"]

    def test_slices_and_references_have_a_name(self) -> None:
        text = "impl A for &'a [u8] { fn f() {} }\nimpl B for &mut Foo<T> { fn g() {} }\nimpl C for (u8, T) { fn h() {} }\n"
        names = [
            item.qualified_name
            for item in extract("verus", text).items
            if item.kind == "fn"
        ]
        assert names == ["[u8]::f", "Foo::g", "(u8, T)::h"]

    def test_a_very_long_file_is_read(self) -> None:
        text = (
            "verus! {\n" + "proof fn l(x: int)\n  ensures x == x,\n{ }\n" * 3000 + "}\n"
        )
        found = extract("verus", text)
        assert len(found.items) == 3000
        assert found.items[-1].line_end == 9001


class TestDetect:
    def test_content_tells_verus_from_rust(self) -> None:
        assert detect("a.rs", "verus! { }") == BY_CONTENT
        assert detect("a.rs", "use vstd::prelude::*;") == BY_CONTENT
        assert detect("a.rs", "fn main() {}") == BY_NAME


PIECES = [
    "fn f", "spec fn", "proof", "pub", "impl T for", "impl", "trait A", "struct S",
    "enum", "mod m", "const C", "type", "requires", "ensures", "where", "decreases",
    "{", "}", "(", ")", "[", "]", "<", ">", ";", "=", "==>", ",", "|", "/*", "*/",
    "//", '"', "'", "'a", "'a'", "\n", "#[test]", "#![a]", "#", "macro_rules!",
    "verus!", "m!", "=>", "$(", "match x", "if", "else", "r#", "::", "$x", "∀",
    "\r\n", "for", "!",
]  # fmt: skip
fragments = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)


class TestProperties:
    @given(fragments)
    def test_it_never_raises_and_items_are_nested_or_apart(self, text: str) -> None:
        check(extract("verus", text), text)

    @given(st.text(max_size=60))
    def test_it_takes_any_text(self, text: str) -> None:
        check(extract("verus", text), text)

    @given(fragments)
    def test_it_gives_the_same_answer_twice(self, text: str) -> None:
        assert extract("verus", text) == extract("verus", text)
