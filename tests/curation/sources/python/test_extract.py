from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.curation.sources.sound import check, extract, only, outline

SOURCE = '''\
"""The module."""
import os

LIMIT: int = 3
a, b = 1, 2

@os.cache
@other(
    1,
)
def outer(x, *, y=1) -> int:
    """Add.

    Twice.
    """
    def inner():
        return helper(x)
    return inner() + LIMIT

def helper(x): return x

class Thing(Base, metaclass=Meta):
    """A thing."""

    size = 0

    @property
    def area(self) -> int:
        return self.size

    async def run(self):
        await self.area

    class Part:
        def work(self): ...

if os.name:
    def conditional(): ...
else:
    try:
        def other(): ...
    except ImportError:
        class Fallback: ...
'''


class TestItems:
    def test_it_finds_what_is_defined_wherever_it_stands(self) -> None:
        assert outline(extract("python", SOURCE)) == [
            ("constant", "LIMIT", 4, 4),
            ("variable", "a", 5, 5),
            ("variable", "b", 5, 5),
            ("function", "outer", 7, 18),
            ("function", "outer.inner", 16, 17),
            ("function", "helper", 20, 20),
            ("class", "Thing", 22, 35),
            ("attribute", "Thing.size", 25, 25),
            ("property", "Thing.area", 27, 29),
            ("method", "Thing.run", 31, 32),
            ("class", "Thing.Part", 34, 35),
            ("method", "Thing.Part.work", 35, 35),
            ("function", "conditional", 38, 38),
            ("function", "other", 41, 41),
            ("class", "Fallback", 43, 43),
        ]

    def test_it_gives_signature_documentation_decorators_and_parent(self) -> None:
        outer = only(extract("python", SOURCE), "outer")
        assert outer.signature == "def outer(x, *, y=1) -> int"
        assert outer.doc == "Add.\n\nTwice."
        assert outer.modifiers == ("os.cache", "other(1)")
        assert outer.category == "fn"
        assert SOURCE[outer.char_start :].startswith("@os.cache")
        assert (
            only(extract("python", SOURCE), "Thing").signature
            == "class Thing(Base, metaclass=Meta)"
        )
        assert only(extract("python", SOURCE), "Thing.Part.work").parent == "Thing.Part"
        assert (
            only(extract("python", SOURCE), "Thing.run").signature
            == "async def run(self)"
        )

    def test_it_lists_the_names_that_are_read(self) -> None:
        mentions = only(extract("python", SOURCE), "outer").mentions
        assert {"helper", "LIMIT", "inner", "os.cache"} <= set(mentions)
        assert only(extract("python", SOURCE), "Thing.area").mentions == (
            "property",
            "int",
            "self.size",
        )

    def test_it_counts_columns_in_characters_and_not_in_bytes(self) -> None:
        text = "é = 'ü'; name = 1\n"
        item = only(extract("python", text), "name")
        assert text[item.char_start : item.char_end] == "name = 1"

    def test_it_knows_tests_by_file_class_and_name(self) -> None:
        assert only(extract("python", "def test_it(): ..."), "test_it").is_test
        assert only(
            extract("python", "class A(unittest.TestCase):\n def helper(self): ..."),
            "A.helper",
        ).is_test
        assert only(
            extract("python", "def helper(): ...", "tests/a.py"), "helper"
        ).is_test
        assert not only(extract("python", "def helper(): ..."), "helper").is_test

    def test_it_reads_crlf_and_lone_cr(self) -> None:
        for end in ("\r\n", "\r"):
            text = f"x = 1{end}def f():{end}    return x{end}"
            assert outline(extract("python", text)) == [
                ("variable", "x", 1, 1),
                ("function", "f", 2, 3),
            ]

    def test_strings_and_comments_hold_no_definitions(self) -> None:
        text = 'A = """\ndef no(): ...\n"""\n# def no(): ...\n'
        assert [item.name for item in extract("python", text).items] == ["A"]

    def test_an_empty_file_has_no_items_and_no_problems(self) -> None:
        for text in ("", "\n", "# nothing\n"):
            assert extract("python", text) == extract("python", "")

    def test_invalid_escapes_make_no_noise(self, recwarn: object) -> None:
        assert len(extract("python", "x = '\\d'\n").items) == 1
        assert list(recwarn) == []  # type: ignore[call-overload]  # pytest's recorder is a sequence


class TestWhatDoesNotParse:
    def test_it_names_file_and_line_and_still_finds_the_definitions(self) -> None:
        found = extract(
            "python", "def good():\n    return 1\n\ndef bad(:\n    pass\n", "src/a.py"
        )
        assert [(p.code, p.path, p.line) for p in found.problems] == [
            ("syntax", "src/a.py", 4)
        ]
        assert [item.name for item in found.items] == ["good", "bad"]

    def test_python_2_is_called_by_its_name(self) -> None:
        found = extract("python", "def f(x):\n    print x\n    exec 'y'\n")
        assert [p.code for p in found.problems] == ["old-syntax"]
        assert "Python 2" in found.problems[0].message
        assert outline(found) == [("function", "f", 1, 3)]

    def test_nesting_too_deep_for_the_parser_is_a_problem(self) -> None:
        found = extract("python", "def f(): ...\nx = " + "(" * 5000 + ")" * 5000 + "\n")
        assert len(found.problems) == 1
        assert "f" in [item.name for item in found.items]

    def test_a_very_long_expression_is_read(self) -> None:
        found = extract(
            "python", "def f():\n    return " + " + ".join(["1"] * 20000) + "\n"
        )
        assert "f" in [item.name for item in found.items]

    def test_many_definitions_are_all_found(self) -> None:
        text = "".join(
            f"def f{number}(): return f{number - 1}()\n" for number in range(5000)
        )
        assert len(extract("python", text).items) == 5000


PIECES = [
    "def f():", "class C:", "async def g(a=", "@d", "'", '"""', "#", "x = 1",
    "if x:", "else:", "try:", "return", "    ", "  ", "\t", "\n", "\r\n", "\r",
    '\\', "(", ")", "[", "]", "{", "}", ":", ",", "print x", "é", "lambda",
    "match x:", "case _:", "\x0c", "\u2028", "0777", "`a`", "<>", "with a as b:",
    "\ufeff",
]  # fmt: skip
fragments = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


class TestProperties:
    @given(fragments)
    def test_it_never_raises_and_stays_in_the_file(self, text: str) -> None:
        check(extract("python", text), text)

    @given(fragments)
    def test_it_gives_the_same_answer_twice(self, text: str) -> None:
        assert extract("python", text) == extract("python", text)
