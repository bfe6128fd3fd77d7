"""Markdown that people write: what cannot be seen in it is marked, wherever it is shown."""

from __future__ import annotations

import pytest

from workbench.ui.markdown import rendered, rendered_line


@pytest.mark.parametrize("text", ["a \u202eb\u202c c", "- `a\u202e`\n- b\n\n> \u202ec"])
def test_what_reorders_a_text_is_marked(text: str) -> None:
    html = rendered(text)
    assert html.count('data-glyph="RLO"') == text.count("\u202e")
    assert "U+202E" in html


def test_a_line_is_marked_too() -> None:
    assert 'data-glyph="ZWSP"' in rendered_line("zero\u200bwidth")


def test_other_languages_and_pictographs_are_left_alone() -> None:
    text = "Grüße, это проза, 日本語 und 👩\u200d💻."
    assert "<span" not in rendered(text)


def test_attributes_are_left_alone() -> None:
    html = rendered("[a\u202e](https://example.org/\u202e>x)")
    assert html.count("<span") == 1
    assert html.index("<span") > html.index("<a href")
