"""The key map."""

from __future__ import annotations

from unittest import TestCase

from tests.case import WorkbenchTestCase
from workbench.ui.keymap import EVERYWHERE, GO, Key, for_script, keymap, scopes

ACTIONS = {
    "press",
    "go",
    "keys",
    "search",
    "close",
    "next",
    "previous",
    "open",
    "select",
    "bulk",
}


class KeymapTest(TestCase):
    def test_no_key_means_two_things_in_one_scope(self) -> None:
        with self.assertRaisesRegex(ValueError, "two keys named 'Everywhere: \\?'"):
            keymap.add(Key("?", "something else", EVERYWHERE))

    def test_every_key_has_words_and_an_action_that_the_script_knows(self) -> None:
        for key in keymap:
            self.assertTrue(key.words, key.keys)
            self.assertIn(key.action, ACTIONS)

    def test_going_somewhere_starts_with_g(self) -> None:
        for key in keymap:
            self.assertEqual(key.action == "go", key.keys.startswith("g "), key.keys)

    def test_the_script_gets_addresses(self) -> None:
        urls = {entry["keys"]: entry["url"] for entry in for_script()}
        self.assertEqual((urls["g h"], urls["g e"], urls["j"]), ("/", "/events/", ""))

    def test_a_place_that_this_installation_lacks_is_left_out(self) -> None:
        keymap.add(Key("g z", "nowhere", GO, "go", "nowhere:list"))
        self.addCleanup(keymap.remove, "Go to: g z")
        self.assertNotIn("g z", {entry["keys"] for entry in for_script()})

    def test_scopes_come_in_the_order_of_their_first_key(self) -> None:
        self.assertEqual([scope for scope, _ in scopes()][:2], ["Everywhere", "Lists"])


class KeysPageTest(WorkbenchTestCase):
    def test_it_lists_every_key_also_for_a_visitor(self) -> None:
        response = self.visitor.get("/keys/")
        for key in keymap:
            self.assertContains(response, f"<dd>{key.words}</dd>")

    def test_every_page_carries_the_map_and_the_switch(self) -> None:
        self.assertContains(self.reader.get("/"), 'id="keymap" type="application/json"')
        self.assertNotContains(self.reader.get("/"), "data-single-keys")
        self.reader.user.single_keys = False
        self.reader.user.save()
        self.assertContains(self.reader.get("/"), 'data-single-keys="off"')

    def test_it_is_not_for_posting(self) -> None:
        self.assertEqual(self.reader.post("/keys/").status_code, 405)
