"""What one was told: who hears what, how it is grouped, read and muted."""

from __future__ import annotations

import uuid

from django.urls import reverse

from curation.reviews.actions.inbox import mark_read, mute, unmute
from curation.reviews.models import Mute, Notification
from curation.reviews.notify import tell
from tests.curation.reviews.made import CONS, PUSH, SIZE, ReviewCase
from workbench.access.models import User
from workbench.events.correlation import correlated


class TellTest(ReviewCase):
    def tell(self, kind: str = Notification.MENTION, **more: object) -> int:
        return tell(
            [self.reviewer.user, self.curator.user],
            kind,
            self.definition(PUSH),
            "look",
            **more,  # type: ignore[arg-type]  # by or anchor
        )

    def test_who_did_it_is_not_told(self) -> None:
        self.assertEqual(self.tell(by=self.curator.user), 1)
        self.assertEqual(Notification.objects.get().person, self.reviewer.user)

    def test_the_same_person_twice_is_told_once(self) -> None:
        people: list[User | int] = [self.reviewer.user, self.reviewer.user.pk]
        told = tell(people, Notification.DROP, self.definition(PUSH), "fell")
        self.assertEqual(told, 1)

    def test_an_unknown_kind_is_refused(self) -> None:
        with self.assertRaisesMessage(ValueError, "expected one of mention"):
            self.tell("shout")

    def test_a_mute_keeps_away_its_kind_in_its_instance_only(self) -> None:
        mute(self.reviewer.user, Notification.MENTION, self.instance)
        self.assertEqual(self.tell(Notification.MENTION), 1)
        self.assertEqual(self.tell(Notification.DROP), 2)

    def test_a_mute_of_everything_keeps_everything_away_until_it_ends(self) -> None:
        muted = mute(self.reviewer.user, "", None)
        self.assertEqual(self.tell(Notification.DROP), 1)
        unmute(self.reviewer.user, muted)
        self.assertEqual(self.tell(Notification.DROP), 2)

    def test_muting_twice_is_one_mute_and_one_event(self) -> None:
        mute(self.reviewer.user, "", None)
        self.assertEvent("notifications.muted", by=self.reviewer.user)
        with self.assertNoEvent():
            mute(self.reviewer.user, "", None)
        self.assertEqual(Mute.objects.count(), 1)


class InboxTest(ReviewCase):
    def setUp(self) -> None:
        super().setUp()
        self.url = reverse("inbox:list")
        with correlated(uuid.uuid4()):
            for name in (PUSH, PUSH, SIZE):
                self.tell(name)

    def tell(self, name: str) -> None:
        tell(
            [self.reviewer.user],
            Notification.DROP,
            self.definition(name),
            f"{name} fell",
            by=self.curator.user,
            anchor="decisions",
        )

    def test_it_shows_what_one_act_did_as_one_and_says_how_much_of_that_there_is(
        self,
    ) -> None:
        with correlated(uuid.uuid4()):
            for name in (CONS, SIZE):
                self.tell(name)
        page = self.reviewer.get(self.url)
        groups = page.context["groups"]
        self.assertEqual([len(group.rows) for group in groups], [2, 3])
        self.assertEqual(groups[1].people, ["curator"])
        self.assertEqual(groups[1].others, 1)
        self.assertContains(page, 'Inbox<span class="count">2</span>')
        (facet,) = page.context["facets"]
        self.assertEqual([choice.count for choice in facet.choices], [2])

    def test_what_was_said_in_one_conversation_is_one_whoever_said_it_when(
        self,
    ) -> None:
        for anchor in ("thread-1", "thread-2", "thread-1"):
            with correlated(uuid.uuid4()):
                tell(
                    [self.reviewer.user],
                    Notification.REPLY,
                    self.definition(PUSH),
                    "Use `::`, <b>all</b>.",
                    anchor=anchor,
                )
        page = self.reviewer.get(self.url, {"kind": "reply"})
        self.assertEqual([len(one.rows) for one in page.context["groups"]], [2, 1])
        self.assertContains(page, "Use <code>::</code>, &lt;b&gt;all&lt;/b&gt;.")

    def test_opening_one_reads_it_and_its_like_and_leads_there(self) -> None:
        newest = Notification.objects.filter(definition=self.definition(PUSH))
        answer = self.reviewer.get(reverse("inbox:open", args=[newest.latest("pk").pk]))
        page = reverse("instances:definition", args=["tiny", self.definition(PUSH).pk])
        self.assertRedirects(answer, f"{page}#decisions", fetch_redirect_response=False)
        left = Notification.objects.filter(read_at=None)
        self.assertEqual(
            list(left.values_list("definition__lean_name", flat=True)), [SIZE]
        )

    def test_another_persons_notification_does_not_exist(self) -> None:
        one = Notification.objects.latest("pk")
        self.assertHidden(self.curator.get(reverse("inbox:open", args=[one.pk])))
        ids = {"ids": str(one.pk)}
        self.curator.post(reverse("inbox:read"), ids)
        self.assertTrue(Notification.objects.filter(pk=one.pk, read_at=None).exists())

    def test_a_group_is_marked_as_read(self) -> None:
        with correlated(uuid.uuid4()):
            self.tell(CONS)
        group = self.reviewer.get(self.url).context["groups"][1]
        self.reviewer.post(reverse("inbox:read"), {"ids": group.ids})
        self.assertEqual(Notification.objects.filter(read_at=None).count(), 1)

    def test_marking_all_leaves_what_came_after_the_page(self) -> None:
        up_to = self.reviewer.get(self.url).context["newest"]
        tell([self.reviewer.user], Notification.DROP, self.definition(CONS), "later")
        self.reviewer.post(reverse("inbox:read"), {"up_to": str(up_to)})
        left = Notification.objects.get(read_at=None)
        self.assertEqual(left.words, "later")

    def test_what_was_read_is_under_all(self) -> None:
        mark_read(self.reviewer.user)
        self.assertContains(self.reviewer.get(self.url), "Nothing that you have not")
        self.assertContains(self.reviewer.get(self.url, {"show": "all"}), "size fell")

    def test_a_kind_is_a_filter_of_the_address(self) -> None:
        tell([self.reviewer.user], Notification.MENTION, self.definition(PUSH), "you")
        groups = self.reviewer.get(self.url, {"kind": "mention"}).context["groups"]
        self.assertEqual([group.newest.words for group in groups], ["you"])

    def test_who_lost_sight_of_the_instance_sees_nothing_of_it(self) -> None:
        self.reviewer.user.memberships.all().delete()
        self.assertEqual(self.reviewer.get(self.url).context["groups"], [])

    def test_muting_and_its_end_are_plain_forms(self) -> None:
        self.reviewer.post(reverse("inbox:mute"), {"kind": "drop", "instance": "tiny"})
        muted = Mute.objects.get(person=self.reviewer.user)
        self.assertEqual((muted.kind, muted.instance), ("drop", self.instance))
        self.assertHidden(self.curator.post(reverse("inbox:unmute", args=[muted.pk])))
        self.reviewer.post(reverse("inbox:unmute", args=[muted.pk]))
        self.assertFalse(Mute.objects.exists())

    def test_an_instance_that_one_does_not_see_cannot_be_muted(self) -> None:
        answer = self.outsider.post(reverse("inbox:mute"), {"instance": "tiny"})
        self.assertHidden(answer)

    def test_it_costs_the_same_however_much_one_was_told(self) -> None:
        self.reviewer.get(self.url)
        with self.assertMostQueries(16) as few:
            self.reviewer.get(self.url)
        for name in (PUSH, SIZE, CONS) * 10:
            tell([self.reviewer.user], Notification.REPLY, self.definition(name), "x")
        with self.assertMostQueries(len(few)):
            self.reviewer.get(self.url)
