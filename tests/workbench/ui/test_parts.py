"""Facets."""

from __future__ import annotations

from unittest import TestCase

from workbench.ui.parts import facet


class FacetTest(TestCase):
    def test_what_is_chosen_comes_first(self) -> None:
        made = facet("kind", "Kind", [("api", 9), ("spec", 5)], ["spec"])
        self.assertEqual(
            [(choice.value, choice.chosen) for choice in made.choices],
            [("spec", True), ("api", False)],
        )

    def test_what_is_chosen_stays_when_nothing_is_left_of_it(self) -> None:
        made = facet("kind", "Kind", [("api", 9)], ["gone"])
        self.assertEqual(
            [(choice.value, choice.count) for choice in made.choices],
            [("gone", 0), ("api", 9)],
        )

    def test_long_lists_are_folded(self) -> None:
        made = facet("module", "Module", [(str(number), 1) for number in range(25)], [])
        self.assertEqual((len(made.first), len(made.rest)), (10, 15))

    def test_labels_and_tones_are_by_value(self) -> None:
        made = facet(
            "s",
            "S",
            [("error", 1)],
            [],
            labels={"error": "an error"},
            tones={"error": "bad"},
        )
        self.assertEqual(
            (made.choices[0].label, made.choices[0].tone), ("an error", "bad")
        )
