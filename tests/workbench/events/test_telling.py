"""Events as sentences."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime

from django.test import SimpleTestCase

from workbench.access.objects import Kind, kinds
from workbench.events.models import Event
from workbench.events.telling import Telling, act, tell, tellings


def event(verb: str, **fields: object) -> Event:
    data = fields.pop("data", {})
    defaults: dict[str, object] = {
        "number": 1, "at": datetime(2026, 1, 1, tzinfo=UTC), "actor_name": "mira", "object_kind": "crate", "object_id": "7",
        "object_name": "the <crate>", "correlation": uuid.UUID(int=1), "data": json.dumps(data),
    }  # fmt: skip
    return Event(verb=verb, **defaults | fields)


class TellingTest(SimpleTestCase):
    def add(self, verb: str, words: str) -> None:
        tellings.add(Telling(verb, words))
        self.addCleanup(tellings.remove, verb)

    def test_a_verb_tells_itself(self) -> None:
        self.assertEqual(
            tell(event("lemma.approved")),
            "<b>mira</b> approved lemma the &lt;crate&gt;",
        )
        self.assertEqual(
            act(event("review_request.sent_back")),
            "sent back review request the &lt;crate&gt;",
        )
        self.assertEqual(act(event("imported")), "imported  the &lt;crate&gt;")

    def test_words_of_its_own_take_the_data_in(self) -> None:
        self.add(
            "crate.moved",
            "moved {object} to {place} ({boxes} boxes, {labels}, fragile: {fragile})",
        )
        made = event(
            "crate.moved",
            data={"place": "<b>", "boxes": 3, "labels": ["a", "b"], "fragile": True},
        )
        self.assertEqual(
            act(made),
            "moved the &lt;crate&gt; to &lt;b&gt; (3 boxes, a, b, fragile: yes)",
        )

    def test_a_number_is_told_with_its_noun(self) -> None:
        self.add("crate.filled", "put {boxes:jar of tea} and {nails:nail} into it")
        made = event("crate.filled", data={"boxes": 1, "nails": 20})
        self.assertEqual(act(made), "put 1 jar of tea and 20 nails into it")
        self.assertEqual(
            act(event("crate.filled", data={"nails": "<1>"})),
            "put – jar of teas and &lt;1&gt; nails into it",
        )

    def test_a_word_that_the_data_lacks_is_a_dash(self) -> None:
        self.add("crate.moved", "moved it to {place}")
        self.assertEqual(act(event("crate.moved")), "moved it to –")

    def test_data_cannot_reach_into_objects(self) -> None:
        self.add("crate.moved", "moved {place}")
        self.assertEqual(
            act(event("crate.moved", data={"place": "{object.__class__}"})),
            "moved {object.__class__}",
        )

    def test_a_known_kind_is_linked(self) -> None:
        kinds.add(Kind("crate", lambda pk: f"/crates/{pk}/"))
        self.addCleanup(kinds.remove, "crate")
        self.assertIn(
            '<a href="/crates/7/">the &lt;crate&gt;</a>', act(event("crate.opened"))
        )

    def test_names_of_actors_are_escaped(self) -> None:
        self.assertIn("&lt;i&gt;", tell(event("crate.opened", actor_name="<i>")))
