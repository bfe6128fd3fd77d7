from __future__ import annotations

from typing import Any

from curation.sources.definitions import GUESS, LIKELY, DefinitionRef
from curation.sources.item_index import ItemIndex
from curation.sources.matching import Match, NameMatcher
from curation.sources.registry import extract_tree


def match(
    files: dict[str, str],
    name: str,
    *,
    kind: str = "api",
    module: str = "M",
    lean_name: str = "",
    others: tuple[str, ...] = (),
    source_path: str | None = None,
    **more: Any,
) -> Match:
    """Return what the names say about one definition among `others`."""
    wanted = DefinitionRef(kind, lean_name or f"Pkg.{name}", name, module, **more)
    rest = [DefinitionRef("api", f"Pkg.{other}", other, module) for other in others]
    tree = {path: text.encode() for path, text in files.items()}
    index = ItemIndex(extract_tree(tree, source_path=source_path))
    return NameMatcher(index, [wanted, *rest]).match(wanted)


def found(result: Match) -> tuple[str, str, str]:
    """Return qualified name, basis and confidence of a match."""
    assert result.item is not None, result
    return result.item.qualified_name, result.basis, result.confidence


class TestSameName:
    def test_case_and_underscores_do_not_matter(self) -> None:
        assert found(match({"a.py": "def find_path(): ..."}, "findPath")) == (
            "find_path",
            "same_name",
            LIKELY,
        )
        assert found(match({"a.py": "def _is_leap(): ..."}, "isLeap")) == (
            "_is_leap",
            "same_name",
            LIKELY,
        )

    def test_the_very_spelling_goes_first(self) -> None:
        assert (
            found(match({"a.py": "def getIt(): ...\ndef get_it(): ..."}, "get_it"))[0]
            == "get_it"
        )

    def test_a_public_name_goes_before_private_and_special_ones(self) -> None:
        text = "class C:\n def add(self): ...\n def _add(self): ...\n def __add__(self): ..."
        assert found(match({"a.py": text}, "add"))[0] == "C.add"

    def test_several_are_candidates_and_no_link(self) -> None:
        text = "class A:\n def get(self): ...\nclass B:\n def get(self): ..."
        result = match({"a.py": text}, "get")
        assert result.item is None
        assert result.ambiguous
        assert [item.qualified_name for item in result.candidates] == ["A.get", "B.get"]
        assert "'get'" in result.note

    def test_a_function_beside_methods_of_its_name_is_a_guess_that_says_so(
        self,
    ) -> None:
        text = "class A:\n def wrap(self): ...\ndef wrap(): ..."
        result = match({"a.py": text}, "wrap")
        assert found(result) == ("wrap", "same_name", GUESS)
        assert "A.wrap" in result.note

    def test_a_property_and_its_setter_are_one(self) -> None:
        text = "class A:\n @property\n def size(self): ...\n @size.setter\n def size(self, x): ..."
        assert found(match({"a.py": text}, "size"))[0] == "A.size"

    def test_tests_are_no_counterparts(self) -> None:
        assert match({"tests/a.py": "def f(): ..."}, "f") == Match()


class TestQualifiedName:
    FILES = {
        "a.py": "class SortedList:\n def add(self): ...\nclass SortedSet:\n def add(self): ..."
    }

    def test_class_and_method_run_together(self) -> None:
        assert found(match(self.FILES, "sortedSetAdd")) == (
            "SortedSet.add",
            "qualified_name",
            LIKELY,
        )

    def test_method_and_class_run_together(self) -> None:
        assert found(match(self.FILES, "addSortedSet")) == (
            "SortedSet.add",
            "qualified_name",
            LIKELY,
        )

    def test_the_lean_namespace_tells_equal_names_apart(self) -> None:
        result = match(self.FILES, "add", lean_name="Pkg.SortedSet.add")
        assert found(result)[0] == "SortedSet.add"

    def test_the_outermost_namespace_is_the_package_and_says_nothing(self) -> None:
        assert match(self.FILES, "add", lean_name="SortedSet.add").ambiguous

    def test_the_module_tells_equal_names_apart(self) -> None:
        assert found(match(self.FILES, "add", module="SortedSet"))[0] == "SortedSet.add"

    def test_the_file_is_part_of_the_name(self) -> None:
        files = {
            "policy/chrome.rs": "fn valid_chain() {}",
            "policy/firefox.rs": "fn valid_chain() {}",
        }
        assert found(match(files, "chromeValidChain"))[1:] == ("qualified_name", LIKELY)

    def test_a_macro_does_not_make_a_second_candidate(self) -> None:
        text = "macro_rules! m { () => { impl Tag { fn parse() {} } } }\nimpl Tag { fn parse() {} }\n"
        assert found(match({"a.rs": text}, "tagParse"))[0] == "Tag::parse"


class TestAffix:
    def test_a_prefix_of_the_file_comes_off_as_a_guess(self) -> None:
        text = "def b58encode(): ...\ndef b58decode(): ...\ndef b58check(): ..."
        assert found(match({"a.py": text}, "encode")) == (
            "b58encode",
            "name_affix",
            GUESS,
        )

    def test_in_the_modules_own_file_it_is_likely(self) -> None:
        files = {
            "singly.py": "class L:\n def insert_head(self): ...",
            "other.py": "def insert_head(): ...",
        }
        result = match(files, "sll_insertHead", module="Singly", others=("sll_delete",))
        assert found(result) == ("L.insert_head", "name_affix", LIKELY)

    def test_what_an_underscore_sets_off_is_a_namespace(self) -> None:
        result = match({"a.py": "def make_list(): ..."}, "fromSeq_makeList")
        assert found(result) == ("make_list", "name_affix", GUESS)

    def test_an_api_does_not_become_the_type_that_its_prefix_leaves(self) -> None:
        result = match(
            {"a.rs": "struct U8;"}, "cloneU8", others=("cloneU16", "cloneU32")
        )
        assert result.item is None

    def test_lemma_and_spec_say_nothing(self) -> None:
        result = match({"a.dfy": "lemma LemmaFoo() {}"}, "spec_foo", kind="spec")
        assert found(result) == ("LemmaFoo", "name_affix", GUESS)


class TestScopes:
    FILES = {"lib/a.py": "def f(): ...", "other/b.py": "def f(): ...\ndef g(): ..."}

    def test_the_source_path_narrows(self) -> None:
        result = match(self.FILES, "f", source_path="lib")
        assert result.item is not None
        assert result.item.path == "lib/a.py"

    def test_a_name_outside_of_the_source_path_says_nothing(self) -> None:
        assert match(self.FILES, "g", source_path="lib") == Match()

    def test_upstream_files_narrow(self) -> None:
        result = match(self.FILES, "f", module_manifest={"upstream_files": ["b.py"]})
        assert result.item is not None
        assert result.item.path == "other/b.py"

    def test_a_file_named_in_the_modules_comment_narrows(self) -> None:
        result = match(self.FILES, "f", module_doc="Translated from `other/b.py`.")
        assert result.item is not None
        assert result.item.path == "other/b.py"


class TestSimilarName:
    def test_it_is_always_a_guess_with_a_share(self) -> None:
        result = match({"a.py": "def find_path(): ..."}, "findPathCost")
        assert found(result) == ("find_path", "similar_name", GUESS)
        assert "67%" in result.note

    def test_two_that_are_equally_near_are_suggestions_only(self) -> None:
        result = match(
            {"a.py": "def find_path_a(): ...\ndef find_path_b(): ..."}, "findPathC"
        )
        assert result.item is None
        assert not result.ambiguous
        assert len(result.candidates) == 2

    def test_abbreviations_alone_make_no_link(self) -> None:
        assert (
            match({"a.py": "class Version:\n def minor(self): ..."}, "minVer").item
            is None
        )

    def test_what_encloses_an_item_cannot_stand_for_its_name(self) -> None:
        result = match(
            {"a.py": "class Address:\n def view(self): ..."}, "address", kind="helper"
        )
        assert result.item is None or result.item.name == "Address"
        assert "view" not in [item.name for item in result.candidates]

    def test_a_spec_is_only_like_a_statement(self) -> None:
        text = "function AddCommutes(): int { 1 }\nlemma AddCommutesAlways() {}\n"
        result = match({"a.dfy": text}, "spec_add_commutes_always_so", kind="spec")
        assert [item.name for item in result.candidates] == ["AddCommutesAlways"]

    def test_a_leading_is_says_nothing(self) -> None:
        assert (
            found(
                match(
                    {"a.py": "class I:\n @property\n def empty(self): ..."}, "isEmpty"
                )
            )[0]
            == "I.empty"
        )


class TestFitting:
    TEXT = "lemma Foo() {}\npredicate foo() { true }\ndatatype FOO = A\n"

    def test_a_kind_prefers_what_is_natural_for_it(self) -> None:
        kinds = {"api": "foo", "helper": "foo", "type": "FOO", "spec": "Foo"}
        for kind, expected in kinds.items():
            assert found(match({"a.dfy": self.TEXT}, "f_oo", kind=kind))[0] == expected

    def test_a_helper_called_spec_is_a_spec(self) -> None:
        assert (
            found(match({"a.dfy": self.TEXT}, "spec_f_oo", kind="helper"))[0] == "Foo"
        )

    def test_an_unknown_kind_is_treated_as_a_helper(self) -> None:
        assert found(match({"a.dfy": self.TEXT}, "f_oo", kind="macro"))[0] == "foo"
