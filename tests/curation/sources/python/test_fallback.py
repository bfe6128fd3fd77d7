from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curation.sources.items import Extraction
from curation.sources.python.fallback import extract_tokens
from tests.curation.sources.sound import check, extract, outline


def read(text: str) -> Extraction:
    return Extraction(extract_tokens("a.py", text)[0])


class TestExtractTokens:
    def test_it_finds_functions_classes_and_methods_by_indentation(self) -> None:
        text = (
            "class Old:\n"
            "    '''Doc.'''\n"
            "    def method(self,\n"
            "               x=')'):\n"
            "        print x\n"
            "\n"
            "    @staticmethod\n"
            "    def other(): pass\n"
            "def function(a): # class No:\n"
            "    '''def no(): pass'''\n"
            "    def inner(): return 1\n"
        )
        found = read(text)
        assert outline(found) == [
            ("class", "Old", 1, 8),
            ("method", "Old.method", 3, 5),
            ("method", "Old.other", 7, 8),
            ("function", "function", 9, 11),
            ("function", "function.inner", 11, 11),
        ]
        assert found.items[0].doc == "Doc."
        assert found.items[1].signature == "def method(self, x=')')"

    def test_it_agrees_with_the_parser_on_what_both_read(self) -> None:
        text = (
            "import a\n@d\nclass C(a.B):\n    x = (1,\n2)\n    async def f(self):\n        if x:\n            y = '''\n"
            "def no(): pass\n'''\n        return y\n\n    def g(self): pass\n\ndef h(): return {\n}\n"
        )
        exact = [
            one
            for one in outline(extract("python", text))
            if one[0] in ("class", "method", "function")
        ]
        assert outline(read(text)) == exact

    def test_an_unclosed_bracket_does_not_hide_the_rest(self) -> None:
        assert [
            item.name
            for item in read("x = (\ndef f():\n    pass\ndef g(): pass\n").items
        ] == ["f", "g"]


class TestPython2:
    def test_it_is_told_by_its_statements(self) -> None:
        for text in (
            "print 'x'\n",
            "print >>f, x\n",
            "exec code\n",
            "try: pass\nexcept E, e: pass\n",
            "raise E, 'no'\n",
            "if a <> b: pass\n",
            "x = `y`\n",
        ):
            assert extract_tokens("a.py", text)[1], text

    def test_python_3_is_not_taken_for_it(self) -> None:
        for text in (
            "print('x')\n",
            "print = 1\n",
            "'print x'\n",
            "# print x\n",
            "exec(code)\n",
            "except (E, F): pass\n",
        ):
            assert not extract_tokens("a.py", text)[1], text


class TestProperties:
    @given(st.text(alphabet="def clasx():\n\t '\"#@\\[]é", max_size=80))
    def test_it_never_raises_and_stays_in_the_file(self, text: str) -> None:
        check(read(text), text)
