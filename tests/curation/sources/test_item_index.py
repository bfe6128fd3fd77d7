from __future__ import annotations

from curation.sources.item_index import ItemIndex, Scope, at_line, at_offset, named
from curation.sources.items import Inventory, SourceItem
from curation.sources.registry import extract_tree

FILES = {
    "src/fsm.py": b"class Fsm:\n    def union(self): ...\n    def add(self): ...\n\ndef union(): ...\n",
    "src/policy/chrome.py": b"\n\ndef valid_chain(): ...\n",
    "src/pkg/__init__.py": b"def gf_add(): ...\ndef gf_sub(): ...\ndef gf_mul(): ...\ndef lemma_x(): ...\n",
    "tests/test_fsm.py": b"def union(): ...\n",
}


def names(items: list[SourceItem]) -> list[str]:
    return [f"{item.path}:{item.qualified_name}" for item in items]


class TestItemIndex:
    def test_tests_are_left_out(self) -> None:
        index = ItemIndex(extract_tree(FILES))
        assert "tests/test_fsm.py" in index.paths
        assert not any(item.path.startswith("tests/") for item in index.everything)

    def test_a_module_finds_its_file_by_name_and_folder(self) -> None:
        index = ItemIndex(extract_tree(FILES))
        assert index.files_like("PolicyChrome") == ["src/policy/chrome.py"]
        assert index.files_like("Area/Chrome") == ["src/policy/chrome.py"]
        assert index.files_like("Pkg") == ["src/pkg/__init__.py"]
        assert index.files_like("PkgInit") == ["src/pkg/__init__.py"]
        assert index.files_like("Other") == []

    def test_preferred_files_go_before_others_of_the_same_name(self) -> None:
        files = {"a/x.py": b"", "b/x.py": b""}
        assert ItemIndex(extract_tree(files)).files("x.py") == ["a/x.py", "b/x.py"]
        assert ItemIndex(extract_tree(files, source_path="b")).files("x.py") == [
            "b/x.py"
        ]
        assert ItemIndex(extract_tree(files, source_path="b")).files_like("X") == [
            "b/x.py"
        ]

    def test_an_empty_inventory_answers_with_nothing(self) -> None:
        index = ItemIndex(Inventory((), ()))
        assert index.everything == []
        assert index.files("a.py") == []


class TestNamed:
    def test_the_very_spelling_goes_before_a_normalised_one(self) -> None:
        items = list(
            extract_tree({"a.py": b"def getIt(): ...\ndef get_it(): ...\n"}).items
        )
        assert names(named(items, "get_it")) == ["a.py:get_it"]
        assert names(named(items, "GetIt")) == ["a.py:getIt", "a.py:get_it"]

    def test_qualified_names_must_agree_in_all_their_parts(self) -> None:
        items = list(extract_tree(FILES).items)
        assert names(named(items, "Fsm.union")) == ["src/fsm.py:Fsm.union"]
        assert names(named(items, "Fsm::union")) == ["src/fsm.py:Fsm.union"]
        assert named(items, "Other.add") == []

    def test_loosely_the_last_parts_suffice(self) -> None:
        items = list(extract_tree(FILES).items)
        assert names(named(items, "Module.Fsm.union", loosely=True)) == [
            "src/fsm.py:Fsm.union"
        ]
        assert names(named(items, "Other.add", loosely=True)) == ["src/fsm.py:Fsm.add"]
        assert named(items, "", loosely=True) == []


class TestPlaces:
    def test_an_offset_means_the_innermost_item_or_the_next(self) -> None:
        items = [
            item for item in extract_tree(FILES).items if item.path == "src/fsm.py"
        ]
        text = FILES["src/fsm.py"].decode()
        inner = at_offset(items, text.index("self"))
        assert inner is not None
        assert inner.qualified_name == "Fsm.union"
        before = at_offset(items, text.index("\n\ndef"))
        assert before is not None
        assert before.qualified_name == "union"
        assert at_offset(items, len(text) + 1) is None

    def test_a_line_means_the_innermost_item_or_the_next_close_by(self) -> None:
        items = [
            item
            for item in extract_tree(FILES).items
            if item.path == "src/policy/chrome.py"
        ]
        for line in (1, 2, 3):
            found = at_line(items, line)
            assert found is not None
            assert found.name == "valid_chain"
        assert at_line(items, 4) is None
        far = list(extract_tree({"a.py": b"\n\n\n\n\ndef f(): ...\n"}).items)
        assert at_line(far, 1) is None


class TestScope:
    def test_members_are_found_with_what_encloses_them(self) -> None:
        scope = Scope(
            list(extract_tree(FILES, source_path="src", only_source_path=True).items)
        )
        assert names(scope.by_member["fsmunion"]) == ["src/fsm.py:Fsm.union"]
        assert names(scope.by_member["unionfsm"]) == ["src/fsm.py:Fsm.union"]
        assert names(scope.by_file["fsmunion"]) == [
            "src/fsm.py:Fsm.union",
            "src/fsm.py:union",
        ]
        assert names(scope.by_file["policychromevalidchain"]) == [
            "src/policy/chrome.py:valid_chain"
        ]

    def test_a_trait_argument_tells_conversions_apart(self) -> None:
        text = b"impl From<ParseError> for Error { fn from(e: ParseError) -> Self { E } }\n"
        scope = Scope(list(extract_tree({"a.rs": text}).items))
        assert names(scope.by_member["fromparseerror"]) == ["a.rs:Error::from"]

    def test_prefixes_of_a_file_and_words_for_statements_come_off(self) -> None:
        scope = Scope(list(extract_tree(FILES).items))
        assert names(scope.by_bare_name["add"]) == ["src/pkg/__init__.py:gf_add"]
        assert names(scope.by_bare_name["x"]) == ["src/pkg/__init__.py:lemma_x"]
