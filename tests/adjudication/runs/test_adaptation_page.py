"""Adapting to pocket Lean: kept beside the revision, each edit listed, nothing else touched."""

from __future__ import annotations

import io
import json

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from adjudication.audits.models import Finding
from adjudication.grading.adapting import CannotAdapt
from adjudication.runs.actions.adapt_revision import adapt_revision
from adjudication.runs.actions.publish_run import _is_second_best
from adjudication.runs.actions.queue_run import queue_run
from adjudication.runs.models import Adaptation, GradingRun
from adjudication.standings.actions.make_set import make_set
from adjudication.standings.cells import rebuild_cells
from curation.format.artifact import Artifact, FilledSlot, write_artifact
from curation.format.instance import load_files
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import SPEC, InstanceCase, import_tiny, tiny
from workbench.access.rights import AccessDenied

PAGE, MAKE = "/runs/adaptation/tiny/", "/runs/adaptation/tiny/make/"


class AdaptationTest(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.revision = self.instance.revisions.get(is_current=True)

    def test_it_is_made_once_and_the_revision_stays(self) -> None:
        made = adapt_revision(self.curator.user, self.revision)
        self.assertEvent("revision.adapted", by=self.curator.user, about=made)
        self.assertEqual(adapt_revision(self.curator.user, self.revision), made)
        self.assertNotEqual(made.snapshot, self.revision.snapshot)
        self.assertTrue(made.edits.filter(kind="toolchain").exists())
        self.assertEqual(self.instance.revisions.get(is_current=True), self.revision)

    def test_who_may_not_curate_may_not_adapt(self) -> None:
        for person in (self.reader, self.reviewer, self.outsider):
            with self.assertRaises(AccessDenied):
                adapt_revision(person.user, self.revision)

    def test_what_is_written_for_pocket_lean_needs_none(self) -> None:
        files = tiny()
        manifest = json.loads(files["manifest.json"]) | {
            "toolchain": {"kind": "pocket"}
        }
        files["manifest.json"] = json.dumps(manifest).encode()
        revision = import_tiny(self.users["curator"], self.team, files).revision
        with self.assertRaisesMessage(CannotAdapt, "written for pocket Lean already"):
            adapt_revision(self.curator.user, revision)
        self.assertNotContains(self.curator.get("/instances/tiny/"), "Adapt to pocket")

    def test_what_no_edit_helps_is_refused_with_the_place(self) -> None:
        files = tiny(spec=SPEC.replace("∀ s n,", "∀ s n, ∀ q : Rat, q = q →"))
        import_tiny(self.users["curator"], self.team, files)
        page = self.curator.post(MAKE, follow=True)
        self.assertContains(page, "Nothing was adapted. tiny cannot be adapted")
        self.assertContains(page, "Tiny/Spec/Stack.lean:5")
        self.assertFalse(Adaptation.objects.exists())
        err = io.StringIO()
        with self.assertRaises(SystemExit) as stopped:
            call_command("adapt", "tiny", "--to", "pocket", stderr=err)
        self.assertEqual(stopped.exception.code, 2)
        self.assertIn("this kind of number is not there", err.getvalue())

    def test_what_it_shows_reaches_no_board_and_opens_no_finding(self) -> None:
        made = adapt_revision(self.curator.user, self.revision)
        board = make_set(self.maintainer.user, self.team, "All", [self.instance])
        agent = make_configuration(self.team)
        outcomes = {"spec_push_size": "passed:disprove"}
        make_run(make_submission(self.revision, agent), outcomes, adaptation=made)
        rebuild_cells(board)
        self.assertFalse(board.cells.exists())
        self.assertFalse(Finding.objects.exists())
        make_run(make_submission(self.revision, agent), outcomes)
        self.assertTrue(board.cells.exists())
        self.assertTrue(Finding.objects.exists())

    def test_a_run_on_it_needs_a_worker_with_pocket_lean(self) -> None:
        made = adapt_revision(self.curator.user, self.revision)
        submission = make_submission(self.revision, make_configuration(self.team))
        run = queue_run(self.submitter.user, submission, adaptation=made)
        assert run.job is not None
        self.assertEqual(run.job.needs, "pocket:4.35.0")
        plain = queue_run(self.submitter.user, submission)
        assert plain.job is not None
        self.assertEqual(plain.job.needs, "elan:4.29.1")

    def test_the_button_adapts_and_the_page_lists_the_edits(self) -> None:
        self.assertContains(self.curator.get("/instances/tiny/"), MAKE)
        self.assertNotContains(self.reader.get("/instances/tiny/"), "Adapt to pocket")
        self.assertRedirects(self.curator.post(MAKE), PAGE)
        page = self.reader.get(PAGE)
        self.assertContains(page, "toolchain.kind pocket")
        self.assertContains(
            self.reader.get("/instances/tiny/"), "adapted to pocket Lean"
        )

    def test_each_edit_leads_to_its_file_and_to_what_its_kind_means(self) -> None:
        adapt_revision(self.curator.user, self.revision)
        page = self.reader.get(PAGE)
        self.assertContains(page, "lean-toolchain#lean-1")
        self.assertContains(page, "/runs/edits/toolchain/")
        self.assertContains(self.reader.get("/runs/edits/head/"), "import Pocket")
        self.assertEqual(self.reader.get("/runs/edits/nothing/").status_code, 404)

    def test_who_hands_in_may_choose_it_once_it_is_there(self) -> None:
        self.assertNotContains(self.submitter.get("/runs/submit/"), "On pocket Lean")
        made = adapt_revision(self.curator.user, self.revision)
        self.assertContains(self.submitter.get(PAGE), "adapted=on")
        page = self.submitter.get("/runs/submit/?instance=tiny&adapted=on")
        self.assertRegex(page.content.decode(), r'name="adapted"[^>]* checked')
        for adapted, expected in ((False, [None]), (True, [None, made])):
            answer = self.submitter.post("/runs/submit/", self.handed_in(adapted))
            self.assertContains(answer, "run ")
            runs = GradingRun.objects.order_by("pk")
            self.assertEqual([run.adaptation for run in runs], expected)
        self.assertContains(answer, "on pocket Lean, never published")
        # There is one already: it is not graded on the adaptation twice.
        self.submitter.post("/runs/submit/", self.handed_in(True))
        self.assertEqual(GradingRun.objects.count(), 2)

    def test_what_was_not_adapted_cannot_be_chosen(self) -> None:
        adapt_revision(self.curator.user, self.revision)
        import_tiny(self.users["curator"], self.team, tiny(spec=SPEC + "\n"))
        answer = self.submitter.post("/runs/submit/", self.handed_in(True))
        self.assertContains(answer, "newest revision was not adapted", status_code=422)

    def test_a_verdict_on_it_takes_no_place_from_one_on_the_revision(self) -> None:
        made = adapt_revision(self.curator.user, self.revision)
        submission = make_submission(self.revision, make_configuration(self.team))
        passed = {"spec_push_size": "passed:prove"}
        first = make_run(submission, passed, adaptation=made)
        self.assertFalse(_is_second_best(first))
        own = make_run(submission, passed)
        self.assertFalse(_is_second_best(own))
        self.assertTrue(_is_second_best(queue_run(None, submission, adaptation=made)))

    def handed_in(self, adapted: bool) -> dict[str, object]:
        loaded = load_files(tiny(), "tiny")
        slots = tuple(
            FilledSlot(slot, True, ("  rfl",)) for slot in loaded.schedule("proof")
        )
        data = write_artifact(Artifact(loaded.manifest.benchmark_id, "proof", slots))
        fields: dict[str, object] = {
            "submissions": SimpleUploadedFile("artifact.json", data),
            "instance": "tiny",
            "mode": "proof",
            "harness": "Codex",
        }
        return {**fields, "adapted": "on"} if adapted else fields

    def test_method_right_and_team_are_checked(self) -> None:
        self.assertEqual(self.curator.get(MAKE).status_code, 302)
        self.assertEqual(self.reader.post(MAKE).status_code, 403)
        self.assertHidden(self.outsider.post(MAKE))
        self.assertHidden(self.outsider.get(PAGE))
        self.assertFalse(Adaptation.objects.exists())

    def test_the_command_keeps_it_and_lists_the_edits(self) -> None:
        out = io.StringIO()
        call_command("adapt", "tiny", "--to", "pocket", "--json", stdout=out)
        document = json.loads(out.getvalue())
        self.assertEqual(document["instance"], "tiny")
        self.assertEqual(len(document["edits"]), Adaptation.objects.get().edits.count())
        with self.assertRaises(SystemExit) as stopped:
            call_command("adapt", "nothing", "--to", "pocket", stderr=io.StringIO())
        self.assertEqual(stopped.exception.code, 2)
