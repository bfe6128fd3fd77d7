"""Preferences and passwords of one's own."""

from __future__ import annotations

import json

from tests.case import WorkbenchTestCase
from workbench.access.actions.change_password import change_password
from workbench.access.actions.set_preferences import set_preferences
from workbench.access.models import User
from workbench.events.models import Event


class SetPreferencesTest(WorkbenchTestCase):
    def test_it_changes_what_was_wished_and_nothing_else(self) -> None:
        set_preferences(self.reader.user, theme="dark", single_keys=False)
        user = User.objects.get(pk=self.reader.user.pk)
        self.assertEqual(
            (user.theme, user.single_keys, user.time_zone), ("dark", False, "")
        )

    def test_the_event_tells_what_changed_and_belongs_to_no_team(self) -> None:
        set_preferences(self.reader.user, theme="dark", single_keys=True)
        event = self.assertEvent(
            "preferences.changed", by=self.reader.user, about=self.reader.user
        )
        self.assertEqual(json.loads(event.data), {"theme": "dark"})
        self.assertIsNone(event.team)

    def test_what_is_so_already_is_no_event(self) -> None:
        with self.assertNoEvent():
            set_preferences(self.reader.user, theme="system", time_zone="")

    def test_themes_and_zones_that_are_not_there_are_refused(self) -> None:
        for wish, words in (
            ({"theme": "pink"}, "theme: expected one of system, light, dark"),
            ({"time_zone": "Mars/Olympus"}, "time_zone: expected a name"),
        ):
            with self.assertNoEvent(), self.assertRaisesRegex(ValueError, words):
                set_preferences(self.reader.user, **wish)  # type: ignore[arg-type]  # one of two
        self.assertEqual(User.objects.get(pk=self.reader.user.pk).theme, "system")

    def test_the_zone_can_be_given_back(self) -> None:
        set_preferences(self.reader.user, time_zone="Asia/Tokyo")
        set_preferences(self.reader.user, time_zone="")
        self.assertEqual(User.objects.get(pk=self.reader.user.pk).time_zone, "")


class ChangePasswordTest(WorkbenchTestCase):
    def test_the_new_one_opens_and_the_event_does_not_tell_it(self) -> None:
        change_password(self.reader.user, "correct-horse-1")
        self.assertTrue(
            User.objects.get(pk=self.reader.user.pk).check_password("correct-horse-1")
        )
        self.assertEvent(
            "password.changed", by=self.reader.user, about=self.reader.user
        )
        self.assertNotIn("horse", Event.objects.get().data)
