"""Review marks in files: read at the import, written at the export, nothing lost, disagreement shown."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from django.core.management import call_command

from curation.instances.models import Revision, Translation
from curation.reviews.actions.approve_translation import approve_translation
from curation.reviews.file_marks import files_with_marks
from curation.reviews.models import FileMark, Review
from tests.curation.instances.made import IMPL, InstanceCase, import_tiny, tiny

MARK = "-- !curation @review v{} [{}] {} — Impl/Stack, exec-fn (API), see the note"


class FileMarksTest(InstanceCase):
    def revision(self) -> Revision:
        return self.instance.revisions.get(is_current=True)

    def marked(self, version: int = 1, tick: str = " ", name: str = "push") -> Revision:
        line = MARK.format(version, tick, name)
        impl = IMPL.replace("/-- Put one on top. -/", f"{line}\n/-- Put one on top. -/")
        done = import_tiny(self.users["curator"], self.team, tiny(impl=impl))
        return done.revision

    def approve(self, name: str) -> None:
        placement = self.placement(name)
        approve_translation(
            self.reviewer.user,
            placement.definition,
            number=placement.translation.number,
            read_hash=placement.meaning_hash,
        )

    def test_an_import_reads_them_and_approves_nothing(self) -> None:
        self.marked(tick="x")
        mark = FileMark.objects.get()
        self.assertEqual(mark.definition, self.definition("push"))
        self.assertTrue(mark.ticked)
        self.assertEqual(mark.text, "Impl/Stack, exec-fn (API), see the note")
        self.assertEqual(mark.conflict, "")
        self.assertFalse(Review.objects.exists())

    def test_a_mark_makes_no_new_version_and_drops_no_approval(self) -> None:
        self.approve("push")
        self.marked(tick="x")
        self.assertEqual(self.placement("push").translation.number, 1)
        self.assertTrue(Review.objects.get().standing)

    def test_it_says_where_they_disagree(self) -> None:
        self.approve("push")
        self.marked(version=3)
        self.assertEqual(
            FileMark.objects.get().conflict,
            "the file says version 3, here it is version 1; the file says not reviewed, here it is approved",
        )

    def test_a_mark_of_nothing_is_kept_and_said(self) -> None:
        self.marked(name="pop")
        mark = FileMark.objects.get()
        self.assertIsNone(mark.definition)
        self.assertIn("no definition pop", mark.conflict)

    def test_an_export_with_marks_comes_back_as_it_went(self) -> None:
        self.approve("push")
        self.marked(tick="x")
        versions = Translation.objects.count()
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            call_command(
                "export_instance",
                "tiny",
                "--out",
                str(out),
                "--marks",
                stdout=io.StringIO(),
            )
            files = {
                str(path.relative_to(out)): path.read_bytes()
                for path in out.rglob("*")
                if path.is_file()
            }
        text = files["Tiny/Impl/Stack.lean"].decode()
        self.assertIn(MARK.format(1, "x", "push"), text)
        self.assertEqual(text.count("@review v1 [x] push"), 1)
        self.assertIn("-- !curation @review v1 [ ] size", text)
        again = import_tiny(self.users["curator"], self.team, files)
        self.assertEqual(Translation.objects.count(), versions)
        self.assertTrue(Review.objects.get().standing)
        marks = FileMark.objects.filter(revision=again.revision)
        self.assertGreater(marks.count(), 3)
        self.assertFalse(marks.exclude(conflict="").exists())
        self.assertEqual(files_with_marks(self.revision()), files)

    def test_a_mark_between_words_and_keyword_stays_there_and_does_not_disagree_with_itself(
        self,
    ) -> None:
        line = MARK.format(1, " ", "push")
        impl = IMPL.replace("def push :", f"{line}\ndef push :")
        import_tiny(self.users["curator"], self.team, tiny(impl=impl))
        self.assertEqual(self.placement("push").translation.number, 2)
        self.assertEqual(FileMark.objects.get().conflict, "")
        self.approve("push")
        files = files_with_marks(self.revision())
        text = files["Tiny/Impl/Stack.lean"].decode()
        self.assertIn(f"-/\n{MARK.format(2, 'x', 'push')}\ndef push", text)
        again = import_tiny(self.users["curator"], self.team, files)
        conflicts = FileMark.objects.filter(revision=again.revision).exclude(
            conflict=""
        )
        self.assertFalse(conflicts.exists())
        self.assertTrue(Review.objects.get().standing)

    def test_the_page_lists_them_and_offers_the_ticks_that_agree(self) -> None:
        self.marked(tick="x")
        url = "/review/tiny/marks/"
        page = self.reviewer.get(url)
        self.assertContains(page, "Approve 1 ticked definition…")
        self.assertContains(page, f"item={self.definition('push').pk}")
        self.assertNotContains(self.reader.get(url), "Approve 1")
        self.assertHidden(self.outsider.get(url))
        self.assertEqual(self.reviewer.post(url).status_code, 405)

    def test_the_page_compares_with_now_and_counts_each_mark_once(self) -> None:
        line = MARK.format(1, "x", "push")
        bad, of_harness = "-- !curation @review push", MARK.format(1, "x", "RepoImpl")
        marks = f"{line}\n{line}\n{bad}\n{of_harness}\n"
        impl = IMPL.replace("/-- Put one on top. -/", f"{marks}/-- Put one on top. -/")
        import_tiny(self.users["curator"], self.team, tiny(impl=impl))
        shown = self.reviewer.get("/review/tiny/marks/").context
        self.assertEqual(
            (shown["unreadable"], shown["disagree"], shown["agree"], shown["ticked"]),
            (1, 0, 3, 1),
        )
        self.approve("push")
        shown = self.reviewer.get("/review/tiny/marks/").context
        self.assertEqual((shown["agree"], shown["ticked"]), (3, 0))

    def test_marks_of_an_older_revision_are_refused(self) -> None:
        self.marked()
        with (
            self.assertRaises(SystemExit) as stopped,
            tempfile.TemporaryDirectory() as folder,
        ):
            call_command(
                "export_instance", "tiny", "--revision", "1", "--marks", "--out", f"{folder}/x",
                stdout=io.StringIO(), stderr=io.StringIO(),
            )  # fmt: skip
        self.assertEqual(stopped.exception.code, 2)
