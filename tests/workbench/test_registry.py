"""Contribution points."""

from __future__ import annotations

from dataclasses import dataclass
from unittest import TestCase

from workbench.registry import Registry


@dataclass(frozen=True)
class Thing:
    name: str
    order: int = 50


class RegistryTest(TestCase):
    def setUp(self) -> None:
        self.things: Registry[Thing] = Registry("things")

    def test_it_lists_by_order_and_then_by_name(self) -> None:
        self.things.add(Thing("b"), Thing("a"), Thing("last", 90), Thing("first", 10))
        self.assertEqual(
            [thing.name for thing in self.things], ["first", "a", "b", "last"]
        )

    def test_it_refuses_two_different_things_of_one_name(self) -> None:
        self.things.add(Thing("a", 1))
        with self.assertRaisesRegex(ValueError, "two things named 'a'"):
            self.things.add(Thing("a", 2))

    def test_it_takes_the_same_thing_twice_as_once(self) -> None:
        self.things.add(Thing("a"))
        self.things.add(Thing("a"))
        self.assertEqual(len(self.things), 1)

    def test_what_is_removed_is_gone(self) -> None:
        self.things.add(Thing("a"))
        self.things.remove("a")
        self.things.remove("never there")
        self.assertIsNone(self.things.get("a"))
