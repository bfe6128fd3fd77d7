"""Keys that a person moved."""

from __future__ import annotations

import json
import re

from django.urls import reverse

from tests.case import WorkbenchTestCase
from workbench.ui.keymap import (
    LISTS,
    Key,
    Refused,
    bound,
    for_script,
    keymap,
    moved_keys,
)

NEXT, PREVIOUS, HOME = "Lists: j", "Lists: k", "Go to: g h"
PAGE, OTHER = "A page", "Another page"


class MovedKeysTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        keymap.add(
            Key("a", "approve", PAGE), Key("b", "bounce", PAGE), Key("b", "bake", OTHER)
        )
        for name in (f"{PAGE}: a", f"{PAGE}: b", f"{OTHER}: b"):
            self.addCleanup(keymap.remove, name)

    def refused(self, **wanted: str) -> dict[str, str]:
        with self.assertRaises(Refused) as caught:
            moved_keys({f"{PAGE}: {key}": strokes for key, strokes in wanted.items()})
        return caught.exception.problems

    def test_what_is_as_it_was_made_is_not_kept(self) -> None:
        self.assertEqual(moved_keys({key.name: key.keys for key in keymap}), {})

    def test_a_moved_key_presses_what_it_pressed_before(self) -> None:
        moved = moved_keys({f"{PAGE}: a": "A"})
        entry = next(one for one in for_script(moved) if one["words"] == "approve")
        self.assertEqual((entry["keys"], entry["carries"]), ("A", "a"))

    def test_two_keys_of_one_page_do_not_meet(self) -> None:
        self.assertEqual(
            self.refused(a="b"),
            {f"{PAGE}: a": "“b” is already “bounce” (A page)."},
        )

    def test_two_keys_may_change_places(self) -> None:
        moved = moved_keys({f"{PAGE}: a": "b", f"{PAGE}: b": "a"})
        self.assertEqual(moved, {f"{PAGE}: a": "b", f"{PAGE}: b": "a"})

    def test_keys_of_different_pages_may_be_the_same(self) -> None:
        self.assertEqual(moved_keys({f"{OTHER}: b": "a"}), {f"{OTHER}: b": "a"})

    def test_a_key_of_every_page_meets_all(self) -> None:
        self.assertIn("already", self.refused(a="x")[f"{PAGE}: a"])

    def test_no_key_is_the_beginning_of_another(self) -> None:
        self.assertIn("begin alike", self.refused(a="g")[f"{PAGE}: a"])

    def test_a_key_can_be_taken_away(self) -> None:
        moved = moved_keys({f"{PAGE}: a": ""})
        key = next(one for one in bound(moved) if one.words == "approve")
        self.assertEqual(key.strokes, [])

    def test_what_is_no_key_is_refused_in_words(self) -> None:
        for strokes in ("Ctrl+A", "a b c", "\t\x07"):
            with self.subTest(strokes):
                self.assertTrue(self.refused(a=strokes))

    def test_escape_stays(self) -> None:
        self.assertEqual(moved_keys({"Everywhere: Escape": "q"}), {})

    def test_next_stays_next_on_pages_that_have_their_own(self) -> None:
        keymap.add(Key("j", "next thing", PAGE))
        self.addCleanup(keymap.remove, f"{PAGE}: j")
        self.assertEqual(moved_keys({}), {})
        self.assertEqual(bound({"no such key": "y"}), list(keymap))
        self.assertIn(LISTS, self.refused(j="k")[f"{PAGE}: j"])


class OwnKeysPageTest(WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.url = reverse("own_keys")

    def keys_of_page(self) -> dict[str, str]:
        text = self.reader.get("/").content.decode()
        found = re.search(r'<script id="keymap"[^>]*>(.*?)</script>', text)
        assert found
        return {
            f"{one['scope']}: {one['carries']}": one["keys"]
            for one in json.loads(found.group(1))
        }

    def test_a_moved_key_is_in_force_on_every_page_and_in_the_list(self) -> None:
        answer = self.reader.post(self.url, {NEXT: "y"}, follow=True)
        self.assertContains(answer, "Your keys are saved.")
        self.assertEqual(self.keys_of_page()[NEXT], "y")
        self.assertContains(self.reader.get("/keys/"), "<kbd>y</kbd>")
        self.assertEvent("keys.moved", by=self.reader.user, number=1)

    def test_a_conflict_changes_nothing_and_keeps_what_was_typed(self) -> None:
        answer = self.reader.post(self.url, {NEXT: "k", HOME: "g y"})
        self.assertEqual(answer.status_code, 422)
        self.assertContains(answer, "is already “previous row”", status_code=422)
        self.assertContains(answer, 'value="g y"', status_code=422)
        self.assertEqual(self.keys_of_page()[NEXT], "j")

    def test_all_go_back_to_how_they_were_made(self) -> None:
        self.reader.post(self.url, {NEXT: "y"})
        self.reader.post(self.url, {"defaults": "1"})
        self.assertEqual(self.keys_of_page()[NEXT], "j")

    def test_saving_what_is_so_already_is_no_event(self) -> None:
        with self.assertNoEvent():
            self.reader.post(self.url, {})

    def test_it_is_for_who_is_logged_in(self) -> None:
        self.assertAsksForLogin(self.visitor.get(self.url))
