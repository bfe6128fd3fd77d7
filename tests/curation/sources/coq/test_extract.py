from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources.coq import detect
from curation.sources.language import BY_CONTENT, BY_NAME, NO
from tests.curation.sources.sound import check, extract, only, outline

SOURCE = """\
From Coq Require Import List.
Require Export Other.
(** The outer section. *)
Section Outer.
Variables (A B : Type) (eqb : A -> A -> bool).
Hypothesis eqb_ok : forall x, eqb x x = true.

(** Counts. (* nested "*)" *) *)
Fixpoint count (x : A) (l : list A) {struct l} : nat :=
  match l with
  | nil => 0
  | cons y l' => if eqb x y then S (count x l') else count x l'
  end.

Lemma count_nil x : count x nil = 0.
Proof. reflexivity. Qed.

#[local] Lemma count' : forall x l, 0 <= count x l.
  intros x l.
  - apply le_0_n.
Qed.

Definition related : A -> A -> Prop.
exact (fun x y => x = y).
Defined.

Definition holds (x : A) : Prop := eqb x x = true.
Inductive tree : Set :=
  | leaf
  | node (f : forest)
with forest : Set := fnil | fcons (t : tree) (f : forest).

Fixpoint size (t : tree) : nat := match t with leaf => 1 | node f => fsize f end
with fsize (f : forest) : nat := match f with fnil => 0 | fcons t f' => size t + fsize f' end.

Record point := mkPoint { px : nat; py : nat }.
Class Eq (T : Type) := { eq1 : T -> T -> bool }.
Instance nat_eq : Eq nat := { eq1 := Nat.eqb }.
Instance other_eq : Eq bool.
Proof. constructor. exact xorb. Defined.
End Outer.

Module Inner <: Sig.
  Axiom choice : False.
  Parameters (a b : nat) (c : Z).
  Theorem open_one : True. Admitted.
  Module Type Deep. Parameter t : Type. End Deep.
  Module Alias := Other.
  Notation "x +++ y" := (plus x y) (at level 50).
  Infix "<<" := lt (at level 70).
  Ltac crush := intros; auto.
  Program Definition half (n : nat) : {m | m <= n} := n.
  Next Obligation. auto. Qed.
  Example two : 1 + 1 = 2. Proof eq_refl.
End Inner.
Corollary last : 1 = 1. Proof with auto. now auto. Qed.
"""


class TestItems:
    def test_it_finds_sentences_with_their_proofs(self) -> None:
        found = extract("coq", SOURCE)
        assert found.problems == ()
        assert outline(found) == [
            ("Section", "Outer", 4, 41),
            ("Variables", "Outer.A", 5, 5),
            ("Variables", "Outer.B", 5, 5),
            ("Variables", "Outer.eqb", 5, 5),
            ("Hypothesis", "Outer.eqb_ok", 6, 6),
            ("Fixpoint", "Outer.count", 9, 13),
            ("Lemma", "Outer.count_nil", 15, 16),
            ("Lemma", "Outer.count'", 18, 21),
            ("Definition", "Outer.related", 23, 25),
            ("Definition", "Outer.holds", 27, 27),
            ("Inductive", "Outer.tree", 28, 30),
            ("Inductive", "Outer.forest", 31, 31),
            ("Fixpoint", "Outer.size", 33, 33),
            ("Fixpoint", "Outer.fsize", 34, 34),
            ("Record", "Outer.point", 36, 36),
            ("Class", "Outer.Eq", 37, 37),
            ("Instance", "Outer.nat_eq", 38, 38),
            ("Instance", "Outer.other_eq", 39, 40),
            ("Module", "Inner", 43, 55),
            ("Axiom", "Inner.choice", 44, 44),
            ("Parameters", "Inner.a", 45, 45),
            ("Parameters", "Inner.b", 45, 45),
            ("Parameters", "Inner.c", 45, 45),
            ("Theorem", "Inner.open_one", 46, 46),
            ("Module Type", "Inner.Deep", 47, 47),
            ("Parameter", "Inner.Deep.t", 47, 47),
            ("Module", "Inner.Alias", 48, 48),
            ("Notation", "Inner.x +++ y", 49, 49),
            ("Infix", "Inner.<<", 50, 50),
            ("Ltac", "Inner.crush", 51, 51),
            ("Definition", "Inner.half", 52, 52),
            ("Example", "Inner.two", 54, 54),
            ("Corollary", "last", 56, 56),
        ]

    def test_signature_ends_before_the_body_or_the_proof(self) -> None:
        found = extract("coq", SOURCE)
        assert (
            only(found, "Outer.count").signature
            == "Fixpoint count (x : A) (l : list A) {struct l} : nat"
        )
        assert (
            only(found, "Outer.count_nil").signature
            == "Lemma count_nil x : count x nil = 0"
        )
        assert only(found, "Outer.point").signature == "Record point"

    def test_categories_say_what_a_thing_is(self) -> None:
        categories = {item.name: item.category for item in extract("coq", SOURCE).items}
        assert categories["count"] == "fn"
        assert categories["holds"] == "spec"
        assert categories["related"] == "spec"
        assert categories["count_nil"] == "proof"
        assert categories["choice"] == "axiom"
        assert categories["a"] == "opaque"
        assert categories["tree"] == "type"
        assert categories["x +++ y"] == "notation"
        assert categories["Outer"] == "module"

    def test_what_is_admitted_is_an_assumption(self) -> None:
        admitted = only(extract("coq", SOURCE), "open_one")
        assert admitted.category == "axiom"
        assert "Admitted" in admitted.modifiers

    def test_documentation_keeps_nested_comments(self) -> None:
        assert (
            only(extract("coq", SOURCE), "Outer.count").doc
            == 'Counts. (* nested "*)" *)'
        )

    def test_mentions_reach_into_the_proof(self) -> None:
        text = "Definition f := 1.\nLemma l : f = 1.\nProof. rewrite Mod.helper. auto. Qed.\n"
        assert {"f", "Mod.helper"} <= set(only(extract("coq", text), "l").mentions)


class TestNastyTexts:
    @pytest.mark.parametrize(
        "sentence",
        [
            'Definition f := "a. Lemma no : True.".',
            "Definition f := 1 (* Lemma no : True. *).",
            "Definition f := (a.b, x.(proj1_sig), 1.5).",
            "Definition f := let 'x := 1 in x.",
            "Definition f := {| a := 1; b := fun x => match x with _ => 2 end |}.",
            "Definition f (x y : nat) : nat := match x with O => y | S x' => match y with _ => x' end end.",
            "#[global, program] Definition f := 1.",
            "Local Program Definition f := 1.",
            "Polymorphic Definition f@{u} := 1.",
            "Definition f := fun '(a, b) => a.. .",
            "Time Definition f := 1.",
        ],
    )
    def test_one_sentence_is_one_item(self, sentence: str) -> None:
        text = f"{sentence}\nLemma after : True. Proof. exact I. Qed.\n"
        assert outline(extract("coq", text)) == [
            ("Definition", "f", 1, 1),
            ("Lemma", "after", 2, 2),
        ]

    @pytest.mark.parametrize(
        "proof",
        [
            "Proof. auto. Qed.",
            "auto. Qed.",
            "Proof using A. auto. Defined.",
            "Proof with eauto. now auto. Qed.",
            "- auto. - { auto. } Qed.",
            "{ auto. } Qed.",
            "intros. assert (Lemma = 1). auto. Admitted.",
            'idtac "Qed. Lemma". Qed.',
            "Proof. (* Qed. *) auto. Qed.",
            "Proof fun x => x.",
            "1: auto. all: auto. Save f.",
            "Proof. Abort.",
        ],
    )
    def test_a_proof_belongs_to_its_statement(self, proof: str) -> None:
        text = f"Lemma f : True.\n{proof}\nDefinition after := 1.\n"
        assert outline(extract("coq", text)) == [
            ("Lemma", "f", 1, 2),
            ("Definition", "after", 3, 3),
        ]

    def test_a_proof_that_does_not_end_is_named_and_costs_itself(self) -> None:
        found = extract(
            "coq",
            "Lemma f : True.\nProof.\nauto.\nLemma g : True. Proof. auto. Qed.\n",
            "a/b.v",
        )
        assert [(p.code, p.path, p.line) for p in found.problems] == [
            ("unterminated", "a/b.v", 2)
        ]
        assert [item.name for item in found.items] == ["f", "g"]

    def test_sections_that_do_not_match_are_named(self) -> None:
        found = extract(
            "coq",
            "Section A.\nSection B.\nDefinition x := 1.\nEnd A.\nEnd C.\nModule D.\n",
        )
        assert sorted((p.code, p.line) for p in found.problems) == [
            ("unbalanced", 2),
            ("unbalanced", 5),
            ("unbalanced", 6),
        ]
        assert [item.qualified_name for item in found.items] == [
            "A",
            "A.B",
            "A.B.x",
            "D",
        ]

    def test_a_missing_full_stop_is_named(self) -> None:
        found = extract("coq", "Definition x := 1.\nDefinition y := 2")
        assert [(p.code, p.line) for p in found.problems] == [("unterminated", 2)]
        assert [item.name for item in found.items] == ["x", "y"]

    def test_unicode_and_crlf_keep_lines_right(self) -> None:
        found = extract(
            "coq",
            "(* ∀ *)\r\nDefinition α' := 1.\r\n\r\nLemma β : True.\r\nProof.\r\nQed.\r\n",
        )
        assert outline(found) == [("Definition", "α'", 2, 2), ("Lemma", "β", 4, 6)]

    def test_a_very_long_file_is_read(self) -> None:
        found = extract("coq", "Lemma l : True.\nProof. auto. Qed.\n" * 3000)
        assert len(found.items) == 3000
        assert found.items[-1].line_end == 6000


class TestDetect:
    def test_coq_is_told_from_verilog(self) -> None:
        assert detect("a.v", "Require Import List.\n") == BY_CONTENT
        assert detect("a.v", "module adder(input a);\nendmodule\n") == NO
        assert detect("a.v", "(* nothing *)") == BY_NAME


PIECES = [
    "Lemma f", "Theorem", "Definition g", ":=", ":", "Proof.", "Qed.", "Admitted.",
    "auto.", "Section S.", "End S.", "Module M.", "Module Type", "Inductive t",
    "with u", "match x with", "end", ".", "...", "(*", "*)", '"', "(", ")", "{",
    "}", "{|", "|}", "-", "\n", " ", "#[a]", "Local", "Program", "Next Obligation.",
    "Parameters (a b : T)", "'", "Notation", "Instance :", "∀", "x'", "\r\n", "End",
    "Fixpoint h", "Variables",
]  # fmt: skip
fragments = st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)


class TestProperties:
    @given(fragments)
    def test_it_never_raises_and_items_are_nested_or_apart(self, text: str) -> None:
        check(extract("coq", text), text)

    @given(st.text(max_size=60))
    def test_it_takes_any_text(self, text: str) -> None:
        check(extract("coq", text), text)

    @given(fragments)
    def test_it_gives_the_same_answer_twice(self, text: str) -> None:
        assert extract("coq", text) == extract("coq", text)
