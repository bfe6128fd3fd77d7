from __future__ import annotations

import uuid

from curation.instances.models import Link, Revision, Translation
from curation.instances.rewriting import BadText
from curation.reviews.actions.keep_draft import save_draft
from curation.reviews.actions.write_translation import (
    Overtaken,
    revert_translation,
)
from curation.reviews.models import Draft, Review, ReviewEnd
from tests.curation.instances.made import IMPL, import_tiny, tiny
from tests.curation.reviews.made import CONS, CONS_LINE, PUSH, SIZE, ReviewCase
from workbench.access.rights import AccessDenied
from workbench.content.trees import read_file
from workbench.events.correlation import correlated
from workbench.events.models import Event

PATH = "Tiny/Impl/Stack.lean"
CHANGED = CONS_LINE.replace("n :: xs", "xs ++ [n]")
PUSH_TEXT = """\
/-- Put one on top. -/
def push : PushSig :=
-- !benchmark @start code def=push
  fun s n => ⟨cons n s.items⟩"""


class WriteTranslationTest(ReviewCase):
    def test_a_saved_edit_is_a_revision_in_which_only_its_lines_differ(self) -> None:
        written = self.write(CONS, CHANGED, words="At the end.")
        revision = self.now()
        self.assertEqual((revision.number, revision.reason_class), (2, "edit"))
        self.assertEqual(
            (revision.author, revision.note), (self.curator.user, "At the end.")
        )
        data = read_file(revision.snapshot, PATH)
        self.assertEqual(data, IMPL.replace(CONS_LINE, CHANGED).encode())
        self.assertEqual((written.number, written.origin), (2, "person"))
        self.assertEqual(written.author, self.curator.user)
        self.assertEqual(
            Translation.objects.filter(created_at__gte=revision.created_at).count(), 1
        )
        self.assertEqual(
            (revision.changed, revision.added, revision.removed), (1, 0, 0)
        )
        self.assertEvent(
            "translation.written", by=self.curator.user, version=2, base=1, revision=2
        )

    def test_source_and_links_stay(self) -> None:
        before = self.now()
        links = set(Link.objects.values_list("pk", flat=True))
        self.assertTrue(links)
        self.write(CONS, CHANGED)
        after = self.now()
        self.assertEqual(
            (after.source_id, after.item_count), (before.source_id, before.item_count)
        )
        self.assertEqual(set(Link.objects.values_list("pk", flat=True)), links)

    def test_what_is_between_markers_is_edited_and_the_markers_stay(self) -> None:
        self.write(PUSH, PUSH_TEXT.replace("cons n s", "cons (n + 1) s"))
        data = read_file(self.now().snapshot, PATH) or b""
        self.assertIn(
            b"cons (n + 1) s.items\xe2\x9f\xa9\n-- !benchmark @end code", data
        )

    def test_a_file_with_crlf_keeps_its_line_ends(self) -> None:
        self.import_again(impl=IMPL.replace("\n", "\r\n"))
        self.write(PUSH, PUSH_TEXT.replace("on top", "on the top"))
        data = read_file(self.now().snapshot, PATH) or b""
        self.assertEqual(data.count(b"\n"), data.count(b"\r\n"))
        self.assertIn(b"on the top. -/\r\ndef push", data)

    def test_a_comment_keeps_every_approval(self) -> None:
        for name in (CONS, PUSH, SIZE):
            self.approve(name)
        self.write(CONS, f"/-- In front. -/\n{CONS_LINE}")
        self.assertEqual(Review.objects.filter(standing=True).count(), 3)
        self.assertEqual(self.placement(CONS).translation.number, 2)
        self.assertFalse(ReviewEnd.objects.exists())

    def test_two_places_with_one_name_are_told_apart(self) -> None:
        twice = IMPL.replace(
            CONS_LINE,
            "namespace A\ndef cons (n : Nat) := n\nend A\n" + CONS_LINE,
        )
        self.import_again(impl=twice)
        self.write("A.cons", "def cons (n : Nat) := n + 1")
        self.assertEqual(self.text(CONS), CONS_LINE)
        self.assertEqual(self.text("A.cons"), "def cons (n : Nat) := n + 1")

    def test_what_is_no_such_definition_is_refused_by_line(self) -> None:
        for text, said in (
            ("theorem t : True := trivial", "has to declare cons.*declares t"),
            (f"{CHANGED}\n\n\ndef more := 1", "Line 4: more is declared here"),
            (f"{CHANGED}\n\n{CHANGED}", "Line 3: cons is declared here as well"),
            (f"{CHANGED}\nopen Nat", "Line 2: 'open' is no part"),
            (f"{CHANGED}\nnamespace B", "Line 2: 'namespace' is no part"),
            (f"open Nat\n{CHANGED}", "Line 1: .*in front of the declaration"),
            (f"{CHANGED} /-", "Line 1: comment is never closed"),
            (f'{CHANGED}\n  "', "Line 2: string is never closed"),
            (f"namespace B\n{CHANGED}\nend B", "has to declare cons"),
            ("def cons :=\n  (1", None),
            (
                f"{CHANGED}\n-- !benchmark @start code def=x",
                "Line 2: .*marker.*remove it",
            ),
            (f"{CHANGED}\n--  !solution @start def=x", "Line 2: .*marker"),
            (" \n ", "There is no text"),
            ("a\0", "Line 1: there is a NUL"),
            ('def cons := "\ud800"', "half a character"),
        ):
            if said is None:
                self.write(CONS, text)
                continue
            before = self.now()
            with self.assertRaisesRegex(BadText, said):
                self.write(CONS, text)
            self.assertEqual(self.now(), before, text)

    def test_a_marker_that_is_gone_or_another_is_refused(self) -> None:
        gone = PUSH_TEXT.replace("-- !benchmark @start code def=push\n", "")
        other = PUSH_TEXT.replace("code def=push", "code def=size")
        for text, said in (
            (gone, "marker '-- !benchmark @start code def=push' is missing"),
            (other, "Line 3: .*expected '-- !benchmark @start code def=push'"),
        ):
            with self.assertRaisesRegex(BadText, said):
                self.write(PUSH, text)

    def test_the_second_of_two_writers_is_told(self) -> None:
        base = self.placement(CONS).translation
        self.write(CONS, CHANGED, by=self.maintainer.user)
        with self.assertRaises(Overtaken) as overtaken:
            self.write(CONS, CONS_LINE + " ++ []", base=base)
        assert overtaken.exception.current is not None
        self.assertEqual(overtaken.exception.current.translation.text, CHANGED)
        # The same text by somebody else is no double click.
        with self.assertRaises(Overtaken):
            self.write(CONS, CHANGED, base=base)
        again = self.write(CONS, CHANGED, base=base, by=self.maintainer.user)
        self.assertEqual(again.number, 2)

    def test_an_unchanged_text_makes_no_version(self) -> None:
        with self.assertNoEvent():
            self.assertEqual(self.write(CONS, f"\r\n{CONS_LINE}\r\n").number, 1)
        self.assertEqual(Revision.objects.count(), 1)

    def test_an_agent_writes_under_the_name_of_a_person(self) -> None:
        written = self.write(CONS, CHANGED, origin="agent")
        self.assertEqual((written.origin, written.author), ("agent", self.curator.user))

    def test_it_takes_a_curator(self) -> None:
        for who in (self.reviewer, self.reader, self.outsider):
            with self.assertRaises(AccessDenied):
                self.write(CONS, CHANGED, by=who.user)

    def test_everything_that_it_does_has_one_correlation_id(self) -> None:
        self.approve(PUSH)
        request = self.send_back(CONS)
        with correlated(uuid.uuid4()) as correlation:
            self.write(CONS, CHANGED)
        verbs = Event.objects.filter(correlation=correlation).order_by("number")
        self.assertEqual(
            list(verbs.values_list("verb", "implicit")),
            [("review.dropped", True), ("translation.written", False)],
        )
        request.refresh_from_db()
        self.assertEqual(request.state, "answered")

    def test_an_import_of_what_was_exported_changes_nothing(self) -> None:
        self.write(CONS, CHANGED)
        files = tiny(impl=IMPL.replace(CONS_LINE, CHANGED))
        self.assertFalse(import_tiny(self.curator.user, self.team, files).changed)


class RevertTest(ReviewCase):
    def test_it_brings_the_old_text_as_a_new_version(self) -> None:
        first = self.placement(CONS).translation
        second = self.write(CONS, CHANGED)
        third = revert_translation(
            self.curator.user, self.definition(CONS), to=first, base=second
        )
        self.assertEqual((third.number, third.text), (3, CONS_LINE))
        self.assertEqual(self.now().note, "Back to the text of version 1.")
        with self.assertRaises(Overtaken):
            revert_translation(
                self.curator.user, self.definition(CONS), to=second, base=second
            )

    def test_an_approval_does_not_come_back_by_itself(self) -> None:
        first = self.placement(CONS).translation
        review = self.approve(CONS)
        second = self.write(CONS, CHANGED)
        revert_translation(
            self.curator.user, self.definition(CONS), to=first, base=second
        )
        review.refresh_from_db()
        self.assertFalse(review.standing)
        self.assertTrue(self.entry(CONS).dropped)

    def test_a_version_of_another_definition_is_refused(self) -> None:
        other = self.placement(PUSH).translation
        now = self.placement(CONS)
        with self.assertRaises(ValueError):
            revert_translation(
                self.curator.user, now.definition, to=other, base=now.translation
            )


class DraftTest(ReviewCase):
    def test_each_person_has_one(self) -> None:
        now = self.placement(CONS)
        for who in (self.curator.user, self.maintainer.user):
            for text in ("def c", "def co\r\n"):
                save_draft(who, now.definition, text, base=now.translation)
        self.assertEqual(
            list(Draft.objects.values_list("text", flat=True)), ["def co\n"] * 2
        )

    def test_the_version_of_somebody_else_leaves_it_alone(self) -> None:
        now = self.placement(CONS)
        save_draft(self.curator.user, now.definition, "def c", base=now.translation)
        self.write(CONS, CHANGED, by=self.maintainer.user)
        self.assertEqual(Draft.objects.get().base, now.translation)
        self.write(CONS, CONS_LINE + " ++ []")
        self.assertFalse(Draft.objects.exists())

    def test_it_takes_a_curator_and_a_version_of_this_definition(self) -> None:
        now, other = self.placement(CONS), self.placement(PUSH)
        with self.assertRaises(AccessDenied):
            save_draft(self.reviewer.user, now.definition, "x", base=now.translation)
        with self.assertRaises(ValueError):
            save_draft(self.curator.user, now.definition, "x", base=other.translation)
        with self.assertRaisesRegex(BadText, "Line 2"):
            save_draft(self.curator.user, now.definition, "x\n\0", base=now.translation)
