"""Conversations on lines: opened, answered, changed, hidden, settled; and where they stand after a change."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from curation.reviews.actions.add_comment import (
    LONGEST,
    About,
    Unsaid,
    add_comment,
    open_thread,
)
from curation.reviews.actions.resolve_thread import resolve_thread
from curation.reviews.models import Comment, CommentText, Notification, Thread
from tests.curation.instances.made import IMPL, SOURCE, import_tiny, source
from tests.curation.reviews.made import PUSH, SIZE, ReviewCase
from workbench.access.models import Membership

BIDI = "a \u202e b </script><b>bold</b>"


class ThreadCase(ReviewCase):
    def setUp(self) -> None:
        super().setUp()
        self.push = self.definition(PUSH)
        self.new = reverse("reviews:thread_new", args=[self.push.pk])
        self.page = reverse("instances:definition", args=["tiny", self.push.pk])

    def form(self, **changes: str) -> dict[str, str]:
        """Return the form on the last line of `push`: `fun s n => …`."""
        line = str(self.placement(PUSH).line_end)
        fields = {
            "side": "lean", "version": str(self.placement(PUSH).translation.number),
            "first": line, "last": "", "text": "Why not `::`?", "key": "k1",
        }  # fmt: skip
        return fields | changes

    def say(self, **changes: str) -> Thread:
        answer = self.reviewer.post(self.new, self.form(**changes))
        self.assertEqual(answer.status_code, 302)
        return Thread.objects.latest("pk")


class OpenThreadTest(ThreadCase):
    def test_it_is_anchored_to_the_lines_of_the_version_that_was_read(self) -> None:
        thread = self.say()
        self.assertEqual(thread.translation, self.placement(PUSH).translation)
        self.assertEqual((thread.line_start, thread.line_end), (4, 4))
        self.assertEqual(thread.quote, "  fun s n => ⟨cons n s.items⟩")
        self.assertEvent(
            "comment.added", by=self.reviewer.user, about=self.push, line=4
        )

    def test_it_stands_below_its_line(self) -> None:
        thread = self.say()
        page = self.curator.get(self.page)
        line = self.placement(PUSH).line_end
        text = page.content.decode()
        below = text.index(f'id="lean-{line}"')
        self.assertLess(below, text.index(f'id="thread-{thread.pk}"'))
        self.assertLess(
            text.index(f'id="thread-{thread.pk}"'), text.index(f'id="lean-{line + 1}"')
        )

    def test_a_double_click_says_it_once(self) -> None:
        self.say()
        self.reviewer.post(self.new, self.form())
        self.assertEqual(Comment.objects.count(), 1)
        self.assertEqual(Thread.objects.count(), 1)

    def test_the_same_key_of_another_person_is_another_comment(self) -> None:
        self.say()
        self.curator.post(self.new, self.form())
        self.assertEqual(Comment.objects.count(), 2)

    def test_lines_outside_the_definition_are_refused_and_the_text_is_kept(
        self,
    ) -> None:
        answer = self.reviewer.post(self.new, self.form(first="1"))
        self.assertEqual(answer.status_code, 422)
        self.assertContains(answer, "expected lines from", status_code=422)
        self.assertContains(answer, "Why not `::`?", status_code=422)
        self.assertFalse(Thread.objects.exists())

    def test_bad_input_is_refused_in_words(self) -> None:
        line = str(self.placement(PUSH).line_end)
        for changes, words in (
            ({"text": "  "}, "Write something first."),
            ({"text": "x" * (LONGEST + 1)}, "at most 50,000"),
            ({"version": "77"}, "There is no version 77"),
            ({"first": line, "last": "3"}, "expected lines from"),
            ({"first": "x"}, "expected lines from"),
            ({"key": ""}, "The form is not whole"),
            ({"side": "src", "item": "999999"}, "not in the current source"),
        ):
            with self.subTest(words):
                answer = self.reviewer.post(self.new, self.form(**changes), htmx=True)
                self.assertContains(answer, words, status_code=422)

    def test_a_megabyte_is_refused_and_given_back(self) -> None:
        text = "word " * 200_000
        answer = self.reviewer.post(self.new, self.form(text=text), htmx=True)
        self.assertContains(answer, text.strip()[-500:], status_code=422)

    def test_a_nul_is_refused_and_the_rest_is_given_back(self) -> None:
        answer = self.reviewer.post(self.new, self.form(text="kept\0text"))
        self.assertContains(answer, "text: contains a null character", status_code=400)
        self.assertContains(answer, "kept", status_code=400)

    def test_markdown_is_shown_safely(self) -> None:
        self.say(text=BIDI)
        page = self.curator.get(self.page)
        self.assertNotContains(page, "<b>bold</b>")
        self.assertContains(page, "&lt;/script&gt;")

    def test_a_reader_may_not_but_sees_it(self) -> None:
        self.say()
        self.assertForbidden(self.reader.post(self.new, self.form()))
        self.assertForbidden(self.reader.get(self.new))
        self.assertContains(self.reader.get(self.page), "Why not")
        self.assertNotContains(self.reader.get(self.page), "Reply")

    def test_for_another_team_nothing_of_it_exists(self) -> None:
        thread = self.say()
        comment = thread.comments.get()
        self.assertHidden(self.outsider.post(self.new, self.form()))
        for name, pk in (
            ("thread", thread.pk), ("comment_history", comment.pk), ("edit_comment", comment.pk),
        ):  # fmt: skip
            self.assertHidden(self.outsider.get(reverse(f"reviews:{name}", args=[pk])))
        for name, pk in (
            ("reply", thread.pk), ("resolve", thread.pk), ("hide_comment", comment.pk),
        ):  # fmt: skip
            self.assertHidden(self.outsider.post(reverse(f"reviews:{name}", args=[pk])))

    def test_a_role_that_was_taken_away_keeps_the_text_on_the_error_page(self) -> None:
        Membership.objects.filter(user=self.reviewer.user).update(role="reader")
        answer = self.reviewer.post(self.new, self.form())
        self.assertContains(answer, "Why not `::`?", status_code=403)

    def test_a_session_that_ended_keeps_the_text_on_the_error_page(self) -> None:
        answer = self.visitor.post(
            self.new, self.form(), headers={"Sec-Fetch-Site": "same-origin"}
        )
        self.assertContains(answer, "Why not `::`?", status_code=401)

    def test_the_form_is_a_fragment_of_its_own(self) -> None:
        fragment = self.reviewer.get(self.new, {"line": "26"}, htmx=True)
        self.assertTemplateUsed(fragment, "reviews/thread_form.html")
        self.assertNotContains(fragment, "<html")
        self.assertContains(self.reviewer.get(self.new, {"line": "26"}), "<html")


class SourceThreadTest(ThreadCase):
    def item_form(self, **changes: str) -> dict[str, str]:
        item = self.push.links.get().item
        line = str(item.line_end)
        fields = {
            "side": "src",
            "item": str(item.pk),
            "first": line,
            "text": "appends at the end",
        }
        return self.form(**fields | changes)

    def test_it_stands_on_the_source_item(self) -> None:
        self.reviewer.post(self.new, self.item_form())
        each = self.curator.get(self.page).context["threads"][0]
        self.assertEqual((each.side, each.words), ("src", "open"))
        self.assertEqual(each.where, f"Line {self.push.links.get().item.line_end}")

    def test_it_is_found_again_in_a_new_source(self) -> None:
        self.reviewer.post(self.new, self.item_form())
        import_tiny(
            self.curator.user, self.team, upstream=source("# one more line\n" + SOURCE)
        )
        item = self.push.links.filter(item__source__revisions__is_current=True)
        each = self.curator.get(self.page).context["threads"][0]
        self.assertFalse(each.outdated, each.was)
        self.assertEqual(each.where, f"Line {item.get().item.line_end}")

    def test_it_is_outdated_where_its_lines_are_gone(self) -> None:
        self.reviewer.post(self.new, self.item_form())
        import_tiny(
            self.curator.user,
            self.team,
            upstream=source(
                SOURCE.replace("self.items.append(n)", "self.items += [n]")
            ),
        )
        page = self.curator.get(self.page)
        each = page.context["threads"][0]
        self.assertTrue(each.outdated)
        self.assertContains(page, "self.items.append(n)")


class StandTest(ThreadCase):
    def test_after_a_change_elsewhere_it_says_where_it_was(self) -> None:
        line = self.placement(PUSH).line_end
        self.say()
        self.import_again(
            impl="-- one\n-- two\n"
            + IMPL.replace("Put one on top.", "Put one on top of it.")
        )
        each = self.curator.get(self.page).context["threads"][0]
        self.assertEqual(each.where, f"Line {line + 2}")
        self.assertEqual(each.was, f"v1, line {line}")
        self.assertContains(
            self.curator.get(self.page), f"re-anchored from v1, line {line}"
        )

    def test_when_its_line_changes_it_is_outdated_with_its_quote_and_not_lost(
        self,
    ) -> None:
        self.say()
        self.write(PUSH, self.text(PUSH).replace("cons n s.items", "n :: s.items"))
        page = self.curator.get(f"{self.page}?view=now")
        each = page.context["threads"][0]
        self.assertTrue(each.outdated)
        self.assertContains(page, "  fun s n =&gt; ⟨cons n s.items⟩</pre>")
        self.assertContains(page, "was on v1")

    def test_a_comment_on_the_older_version_still_lands_there(self) -> None:
        form = self.form()
        self.write(PUSH, self.text(PUSH).replace("Put one", "Put a number"))
        answer = self.reviewer.post(self.new, form)
        self.assertEqual(answer.status_code, 302)
        thread = Thread.objects.filter(translation__number=1).get()
        self.assertEqual(thread.line_start, 4)

    def test_in_the_difference_it_stands_on_its_line_too(self) -> None:
        thread = self.say()
        self.write(PUSH, self.text(PUSH).replace("Put one", "Put a number"))
        page = self.curator.get(f"{self.page}?against=1").content.decode()
        line = self.placement(PUSH).line_end
        self.assertLess(
            page.index(f'id="lean-{line}"'), page.index(f'id="thread-{thread.pk}"')
        )


class TalkTest(ThreadCase):
    def setUp(self) -> None:
        super().setUp()
        self.thread = self.say()
        self.comment = self.thread.comments.get()

    def post(self, name: str, pk: int, by: Any = None, **data: str) -> Any:
        address = reverse(f"reviews:{name}", args=[pk])
        return (by or self.curator).post(address, data, htmx=True)

    def test_a_reply_is_said_once_and_who_opened_the_thread_is_told(self) -> None:
        for _ in range(2):
            answer = self.post("reply", self.thread.pk, text="Because.", key="r1")
            self.assertContains(answer, "Because.")
        self.assertEqual(self.thread.comments.count(), 2)
        told = Notification.objects.get()
        self.assertEqual((told.person, told.kind), (self.reviewer.user, "reply"))
        self.assertEqual(told.anchor, f"thread-{self.thread.pk}")

    def test_an_empty_reply_keeps_the_form_open(self) -> None:
        answer = self.post("reply", self.thread.pk, text=" ", key="r1")
        self.assertContains(answer, "Write something first.", status_code=422)

    def test_a_mention_tells_who_may_see_it_and_nobody_else(self) -> None:
        text = (
            "@maintainer and @outsider, not `@admin`, nor mail@reader. Thanks, @reader."
        )
        self.post("reply", self.thread.pk, text=text, key="r1")
        told = {
            row.person.username for row in Notification.objects.filter(kind="mention")
        }
        self.assertEqual(told, {"maintainer", "reader"})

    def test_who_is_mentioned_is_not_told_of_the_reply_as_well(self) -> None:
        self.post("reply", self.thread.pk, text="@reviewer see", key="r1")
        self.assertEqual(Notification.objects.get().kind, "mention")

    def test_its_author_changes_it_and_its_history_stays(self) -> None:
        self.post(
            "edit_comment", self.comment.pk, self.reviewer, text="Better so. @reader"
        )
        self.assertEqual(
            [row.text for row in self.comment.texts.all()],
            ["Why not `::`?", "Better so. @reader"],
        )
        page = self.reader.get(
            reverse("reviews:comment_history", args=[self.comment.pk])
        )
        self.assertContains(page, "Why not `::`?")
        self.assertEqual(Notification.objects.get().person, self.reader.user)
        self.assertContains(self.reader.get(self.page), ">edited<")

    def test_changing_it_again_mentions_nobody_twice(self) -> None:
        self.post("edit_comment", self.comment.pk, self.reviewer, text="@reader a")
        self.post("edit_comment", self.comment.pk, self.reviewer, text="@reader b")
        self.assertEqual(Notification.objects.count(), 1)

    def test_the_same_text_again_is_no_change(self) -> None:
        with self.assertNoEvent():
            self.post(
                "edit_comment", self.comment.pk, self.reviewer, text="Why not `::`?"
            )
        self.assertEqual(CommentText.objects.count(), 1)

    def test_nobody_else_changes_it(self) -> None:
        answer = self.post("edit_comment", self.comment.pk, self.maintainer, text="no")
        self.assertForbidden(answer)

    def test_it_is_hidden_by_its_author_or_a_maintainer_and_keeps_its_place(
        self,
    ) -> None:
        self.assertForbidden(self.post("hide_comment", self.comment.pk, hidden="1"))
        self.post("hide_comment", self.comment.pk, self.maintainer, hidden="1")
        page = self.reader.get(self.page)
        self.assertContains(page, "This comment was hidden.")
        self.assertNotContains(page, "Why not")
        history = reverse("reviews:comment_history", args=[self.comment.pk])
        self.assertNotContains(self.reader.get(history), "Why not")
        self.assertContains(self.maintainer.get(history), "Why not")
        self.post("hide_comment", self.comment.pk, self.maintainer, hidden="0")
        self.assertContains(self.reader.get(self.page), "Why not")

    def test_its_author_shows_again_what_they_hid_but_not_what_a_maintainer_hid(
        self,
    ) -> None:
        button = f'action="{reverse("reviews:hide_comment", args=[self.comment.pk])}"'
        self.post("hide_comment", self.comment.pk, self.reviewer, hidden="1")
        self.assertContains(self.reviewer.get(self.page), button)
        history = reverse("reviews:comment_history", args=[self.comment.pk])
        self.assertContains(self.reviewer.get(history), "Why not")
        self.post("hide_comment", self.comment.pk, self.reviewer, hidden="0")
        self.comment.refresh_from_db()
        self.assertFalse(self.comment.hidden)
        self.post("hide_comment", self.comment.pk, self.maintainer, hidden="1")
        # Hidden already: to hide it once more does not make it the author's act.
        self.post("hide_comment", self.comment.pk, self.reviewer, hidden="1")
        self.assertNotContains(self.reviewer.get(self.page), button)
        self.assertNotContains(self.reviewer.get(history), "Why not")
        self.assertForbidden(
            self.post("hide_comment", self.comment.pk, self.reviewer, hidden="0")
        )
        self.comment.refresh_from_db()
        self.assertTrue(self.comment.hidden)

    def test_a_thread_is_settled_once_and_opened_again(self) -> None:
        self.post("resolve", self.thread.pk, resolved="1")
        self.assertEvent("thread.resolved", by=self.curator.user)
        with self.assertNoEvent():
            self.post("resolve", self.thread.pk, self.reviewer, resolved="1")
        self.thread.refresh_from_db()
        self.assertEqual(self.thread.resolved_by, self.curator.user)
        self.post("resolve", self.thread.pk, resolved="0")
        self.assertEvent("thread.reopened")

    def test_a_plain_form_leads_back_to_the_thread(self) -> None:
        answer = self.curator.post(
            reverse("reviews:reply", args=[self.thread.pk]),
            {"text": "plain", "key": "p"},
        )
        self.assertRedirects(
            answer,
            f"{self.page}?view=now#thread-{self.thread.pk}",
            fetch_redirect_response=False,
        )

    def test_a_reader_may_do_none_of_it(self) -> None:
        self.assertForbidden(
            self.post("reply", self.thread.pk, self.reader, text="x", key="k")
        )
        self.assertForbidden(
            self.post("resolve", self.thread.pk, self.reader, resolved="1")
        )

    def test_actions_ask_for_the_right_themselves(self) -> None:
        about = About(self.thread.translation, None, "a\nb", 1, 1)
        for act in (
            lambda: open_thread(self.reader.user, self.push, about, "x", "k"),
            lambda: add_comment(self.reader.user, self.thread, "x", "k"),
            lambda: resolve_thread(self.reader.user, self.thread),
        ):
            with self.assertRaisesMessage(Exception, "You may not"):
                act()
        with self.assertRaises(Unsaid):
            far = About(self.thread.translation, None, "a\nb", 1, 9)
            open_thread(self.reviewer.user, self.push, far, "x", "k")

    def test_open_ones_go_along_with_a_request(self) -> None:
        page = self.reviewer.get(self.page)
        self.assertContains(page, f'name="thread" value="{self.thread.pk}"')
        other = self.reviewer.get(
            reverse("instances:definition", args=["tiny", self.definition(SIZE).pk])
        )
        self.assertNotContains(other, 'name="thread"')
