from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from curation.sources.definitions import (
    BASES,
    CERTAIN,
    GUESS,
    LIKELY,
    DefinitionRef,
    Link,
    Linking,
)
from curation.sources.linking import link_definitions
from curation.sources.registry import extract_tree

SEQ = """\
module Seq {
  // The first.
  function First(xs: seq<int>): int
    requires |xs| > 0
  { xs[0] }

  lemma LemmaFirst(xs: seq<int>) { }

  class A { method Get() { } }
  class B { method Get() { } }
  datatype T = X
}
"""
FILES = {
    "src/Seq.dfy": SEQ,
    "src/Other.dfy": "function First(): int { 1 }\nfunction Only(): int { 2 }\n",
}


def ref(kind: str, name: str, module: str = "M", **more: Any) -> DefinitionRef:
    entry = {key: more.pop(key) for key in list(more) if key in KEYS}
    return DefinitionRef(kind, f"Pkg.{name}", name, module, manifest=entry, **more)


KEYS = {
    "source_id", "upstream_name", "source_name", "source_file", "source_line",
    "qualified_name", "source_theorem", "nl_description",
}  # fmt: skip


def link(
    *definitions: DefinitionRef, files: dict[str, str] = FILES, **more: Any
) -> Linking:
    tree = {path: text.encode() for path, text in files.items()}
    return link_definitions(definitions, extract_tree(tree, **more))


def one(linking: Linking) -> Link:
    assert len(linking.links) == 1, linking
    return linking.links[0]


def said(linking: Linking) -> tuple[str, str, str, str]:
    """Return qualified name, basis, confidence and relation of the only link."""
    found = one(linking)
    return found.item.qualified_name, found.basis, found.confidence, found.relation


class TestByManifest:
    def test_a_source_id_is_certain(self) -> None:
        found = link(ref("api", "x", source_id="Seq.dfy:First:40"))
        assert said(found) == ("Seq.First", "source_id", CERTAIN, "counterpart")
        assert one(found).certain

    def test_its_number_tells_equal_names_apart_as_an_offset(self) -> None:
        for cls in ("A", "B"):
            offset = SEQ.index(f"class {cls}") + len("class A { ")
            found = link(ref("api", "x", source_id=f"Seq.dfy:Get:{offset}"))
            assert said(found)[0] == f"Seq.{cls}.Get"

    def test_its_number_tells_equal_names_apart_as_a_line(self) -> None:
        text = (
            "#" * 900 + "\nclass A:\n def f(self): ...\nclass B:\n def f(self): ...\n"
        )
        found = link(ref("api", "x", source_id="a.py:f:5"), files={"a.py": text})
        assert said(found)[0] == "B.f"

    def test_a_number_that_could_be_offset_and_line_leaves_the_choice_open(
        self,
    ) -> None:
        text = "class A:\n def f(self): ...\nclass B:\n def f(self): ...\n"
        found = link(ref("api", "x", source_id="a.py:f:4"), files={"a.py": text})
        assert found.links == ()
        assert len(found.ambiguous[0].candidates) == 2

    def test_equal_names_that_nothing_tells_apart_are_candidates(self) -> None:
        found = link(ref("api", "x", source_id="Seq.dfy:Get"))
        assert found.links == ()
        assert found.ambiguous[0].code == "ambiguous"
        assert [item.qualified_name for item in found.ambiguous[0].candidates] == [
            "Seq.A.Get",
            "Seq.B.Get",
        ]

    def test_a_file_that_is_not_there_leaves_a_likely_link_with_a_note(self) -> None:
        found = link(ref("api", "x", source_id="Gone.dfy:Only:1"))
        assert said(found) == ("Only", "source_id", LIKELY, "counterpart")
        assert "Gone.dfy" in one(found).note

    def test_a_name_that_is_not_there_is_said(self) -> None:
        found = link(ref("api", "zzz", source_id="Seq.dfy:Missing:1"))
        assert found.unlinked[0].code == "no-such-name"
        assert "Seq.dfy" in found.unlinked[0].reason
        assert "'Missing'" in found.unlinked[0].reason

    def test_a_file_and_name_that_are_not_there_are_said(self) -> None:
        found = link(ref("api", "zzz", source_id="Gone.dfy:Missing:1"))
        assert found.unlinked[0].code == "no-such-file"

    def test_what_was_made_here_is_not_looked_for(self) -> None:
        found = link(ref("helper", "Only", source_id="generated:Only:1"))
        assert found.links == ()
        assert found.unlinked[0].code == "made-here"

    def test_a_clause_of_an_item_is_split_from_it(self) -> None:
        found = link(
            ref("spec", "spec_x", source_id="synthetic:Seq.First.__ensures_spec")
        )
        assert said(found) == ("Seq.First", "source_id", LIKELY, "split")

    def test_upstream_name_and_file_are_certain(self) -> None:
        for key in ("upstream_name", "source_name", "source_theorem"):
            found = link(ref("api", "x", source_file="Other.dfy", **{key: "First"}))
            assert said(found) == ("First", "upstream_name", CERTAIN, "counterpart")

    def test_a_name_without_a_file_is_likely_at_most(self) -> None:
        assert said(link(ref("api", "x", upstream_name="Only")))[1:3] == (
            "upstream_name",
            LIKELY,
        )
        assert (
            link(ref("api", "x", upstream_name="First")).ambiguous[0].code
            == "ambiguous"
        )

    def test_the_files_of_the_module_narrow_a_name(self) -> None:
        found = link(
            ref(
                "api",
                "x",
                upstream_name="First",
                module_manifest={"upstream_files": ["Seq.dfy"]},
            )
        )
        assert said(found)[0] == "Seq.First"

    def test_file_and_line_alone_are_likely(self) -> None:
        found = link(ref("api", "x", source_file="Seq.dfy", source_line=4))
        assert said(found) == ("Seq.First", "file_line", LIKELY, "counterpart")

    def test_several_names_are_merged(self) -> None:
        found = link(ref("api", "x", upstream_name=["Only", "LemmaFirst"]))
        assert [(one.item.name, one.relation) for one in found.links] == [
            ("Only", "merged"),
            ("LemmaFirst", "merged"),
        ]

    def test_values_of_another_type_are_passed_over(self) -> None:
        found = link(
            ref(
                "api",
                "Only",
                source_id=7,
                upstream_name=None,
                source_file=["x"],
                source_line="4",
            )
        )
        assert said(found)[1] == "same_name"


class TestByComment:
    def test_name_and_file_in_a_comment_are_certain(self) -> None:
        found = link(ref("api", "x", doc="Dafny: `First` in `Seq.dfy`."))
        assert said(found) == ("Seq.First", "doc_citation", CERTAIN, "counterpart")

    def test_a_wrong_line_is_noted(self) -> None:
        found = link(ref("api", "x", doc="Dafny: `First` (Seq.dfy:999)"))
        assert said(found)[2] == CERTAIN
        assert "999" in one(found).note

    def test_a_line_without_a_known_name_is_likely_and_noted(self) -> None:
        found = link(ref("api", "x", doc="Dafny: `Seq.head(xs)` at `Seq.dfy:4`"))
        assert said(found)[:3] == ("Seq.First", "doc_citation", LIKELY)
        assert "Seq.head" in one(found).note

    def test_a_name_alone_is_likely(self) -> None:
        assert said(link(ref("api", "x", doc="Ported from `Only`.")))[:3] == (
            "Only",
            "doc_citation",
            LIKELY,
        )

    def test_a_name_in_passing_is_nothing(self) -> None:
        assert link(ref("api", "x", doc="uses `Only` twice")).links == ()

    def test_the_description_in_the_manifest_is_read_too(self) -> None:
        found = link(
            ref(
                "spec",
                "spec_x",
                nl_description="translation of the Dafny source item `LemmaFirst`",
            )
        )
        assert said(found)[:2] == ("Seq.LemmaFirst", "doc_citation")

    def test_two_cited_items_are_merged(self) -> None:
        found = link(
            ref("api", "x", doc="Dafny: `First` (Seq.dfy:3) and `Only` (Other.dfy:2)")
        )
        assert {(one.item.name, one.relation) for one in found.links} == {
            ("First", "merged"),
            ("Only", "merged"),
        }

    def test_a_list_of_references_is_no_link(self) -> None:
        files = {f"f{n}.dfy": f"function g{n}(): int {{ {n} }}\n" for n in range(6)}
        doc = " ".join(f"`g{n}` (f{n}.dfy:1)" for n in range(6))
        found = link(ref("api", "x", doc=doc), files=files)
        assert found.links == ()
        assert len(found.ambiguous[0].candidates) == 6

    def test_the_manifest_goes_before_the_comment(self) -> None:
        found = link(
            ref(
                "api",
                "x",
                source_id="Other.dfy:Only:1",
                doc="Dafny: `First` in `Seq.dfy`",
            )
        )
        assert said(found)[0] == "Only"

    def test_a_line_in_the_lean_name_tells_equal_names_apart(self) -> None:
        files = {"keys.rs": "impl A { fn get() {} }\nimpl B { fn get() {} }\n"}
        found = link(ref("api", "get_l2", module="Keys"), files=files)
        assert said(found)[:3] == ("B::get", "file_line", LIKELY)


class TestByName:
    def test_it_comes_last_and_says_so(self) -> None:
        assert said(link(ref("api", "only")))[1:3] == ("same_name", LIKELY)

    def test_similar_names_are_marked_as_guesses(self) -> None:
        files = {"a.py": "def find_path(): ...\n"}
        found = link(ref("api", "findPathCost"), files=files)
        assert said(found)[1:3] == ("similar_name", GUESS)

    def test_a_little_likeness_makes_candidates_and_no_link(self) -> None:
        found = link(ref("api", "onlyThis"))
        assert found.links == ()
        assert [item.name for item in found.unlinked[0].candidates] == ["Only"]

    def test_nothing_at_all_is_said(self) -> None:
        found = link(ref("api", "zzz"))
        assert found.unlinked[0].code == "no-provenance"
        assert found.unlinked[0].candidates == ()


class TestAbout:
    def test_a_spec_without_its_own_text_is_about_the_api_it_uses(self) -> None:
        found = link(ref("spec", "spec_zzz", uses=("only",)), ref("api", "only"))
        assert [(one.item.name, one.basis, one.relation) for one in found.about] == [
            ("Only", "through_api", "about")
        ]
        assert found.unlinked == ()

    def test_it_is_never_surer_than_likely_and_never_surer_than_the_api(self) -> None:
        sure = link(
            ref("spec", "spec_z", uses=("a",)),
            ref("api", "a", source_id="Seq.dfy:First:1"),
        )
        assert sure.about[0].confidence == LIKELY
        text = "def b58encode(): ...\ndef b58decode(): ...\ndef b58check(): ...\n"
        guess = link(
            ref("spec", "spec_z", uses=("encode",)),
            ref("api", "encode"),
            files={"a.py": text},
        )
        assert guess.about[0].confidence == GUESS

    def test_helpers_serve_where_no_api_is_used(self) -> None:
        found = link(
            ref("spec", "spec_z", uses=("only", "other")), ref("helper", "only")
        )
        assert [one.item.name for one in found.about] == ["Only"]

    def test_a_spec_about_nothing_keeps_its_reason(self) -> None:
        found = link(ref("spec", "spec_z", uses=("gone",)))
        assert found.about == ()
        assert found.unlinked[0].code == "no-provenance"

    def test_a_claim_of_its_own_text_that_fails_stays_in_the_note(self) -> None:
        spec = ref("spec", "spec_z", uses=("only",), source_id="Seq.dfy:Missing:1")
        found = link(spec, ref("api", "only"))
        assert "has nothing called 'Missing'" in found.about[0].note

    def test_a_spec_with_its_own_text_is_linked_to_that(self) -> None:
        found = link(
            ref("spec", "spec_lemma_first", uses=("only",)), ref("api", "only")
        )
        assert found.about == ()
        assert {one.item.name for one in found.links} == {"LemmaFirst", "Only"}


class TestRelations:
    def test_a_statement_with_one_spec_is_its_counterpart(self) -> None:
        assert said(link(ref("spec", "spec_lemma_first")))[3] == "counterpart"

    def test_a_statement_with_two_specs_is_split(self) -> None:
        both = [
            ref("spec", f"spec_{n}", source_id="Seq.dfy:LemmaFirst:1") for n in "ab"
        ]
        assert [one.relation for one in link(*both).links] == ["split", "split"]

    def test_a_spec_of_a_function_is_split_from_it_and_leaves_the_api_its_counterpart(
        self,
    ) -> None:
        found = link(
            ref("api", "first", source_id="Seq.dfy:First:1"),
            ref("spec", "spec_first", source_id="Seq.dfy:First:1"),
        )
        assert [one.relation for one in found.links] == ["counterpart", "split"]

    def test_an_item_that_became_two_definitions_is_split(self) -> None:
        both = [ref("api", name, source_id="Seq.dfy:First:1") for name in ("a", "b")]
        assert [one.relation for one in link(*both).links] == ["split", "split"]


definitions = st.lists(
    st.builds(
        ref,
        st.sampled_from(["api", "type", "helper", "spec", "other"]),
        st.sampled_from(
            [
                "first",
                "spec_lemma_first",
                "Only",
                "get",
                "T",
                "x_l4",
                "zzz",
                "a.b",
                "",
                "é'",
                "_",
            ]
        ),
        st.sampled_from(["Seq", "Other", "", "A/B"]),
        doc=st.sampled_from(
            [
                "",
                "Dafny: `First` in `Seq.dfy`",
                "Seq.dfy:4",
                "`Only` (Gone.dfy:1)",
                "Dafny: `Get`",
            ]
        ),
        uses=st.sampled_from([(), ("first",), ("Only", "first")]),
        source_id=st.sampled_from(
            [
                None,
                "",
                "Seq.dfy:First:40",
                "Seq.dfy:Get:1",
                "generated:x:1",
                ":::",
                "x.dfy:y",
            ]
        ),
        upstream_name=st.sampled_from(
            [None, "Only", "Seq.A.Get", ["First", "Only"], 3]
        ),
    ),
    max_size=6,
)


class TestProperties:
    @given(definitions)
    def test_every_definition_is_in_exactly_one_place(
        self, refs: list[DefinitionRef]
    ) -> None:
        found = link(*refs)
        linked = {id(one.definition) for one in found.links}
        about = {id(one.definition) for one in found.about}
        open_ones = [id(one.definition) for one in (*found.ambiguous, *found.unlinked)]
        assert not linked & about
        assert not (linked | about) & set(open_ones)
        assert len(open_ones) == len(set(open_ones))
        assert len(linked) + len(about) + len(open_ones) == len(refs)

    @given(definitions)
    def test_every_link_says_on_what_it_rests(self, refs: list[DefinitionRef]) -> None:
        found = link(*refs)
        for one_link in (*found.links, *found.about):
            assert one_link.basis in BASES
            assert one_link.confidence in (CERTAIN, LIKELY, GUESS)
            if one_link.basis in (
                "similar_name",
                "same_name",
                "qualified_name",
                "name_affix",
            ):
                assert not one_link.certain
        for open_one in (*found.ambiguous, *found.unlinked):
            assert open_one.reason
            assert open_one.code != "ambiguous" or len(open_one.candidates) > 1

    @given(definitions)
    def test_it_gives_the_same_answer_twice(self, refs: list[DefinitionRef]) -> None:
        assert link(*refs) == link(*refs)
