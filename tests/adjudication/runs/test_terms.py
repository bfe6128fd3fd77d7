"""What gradings tell of compiled terms, and what approvals make of it: with a real Lean, on a fixture whose helper is edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudication.grading.intake import from_tree
from adjudication.runs import machine
from adjudication.runs.actions.compile_revision import compile_revision
from adjudication.runs.actions.name_configuration import name_configuration
from adjudication.runs.actions.submit_artifact import submit_artifact
from adjudication.runs.models import Adaptation, GradingRun
from adjudication.runs.terms import untold_terms
from curation.format.archive import Tree
from curation.format.instance import load_files
from curation.format.packed import read_tree
from curation.format.render import render
from curation.format.slots import PROOF
from curation.instances.actions.import_revision import import_revision
from curation.instances.models import DefinitionTerm, Revision, TermBuild
from curation.instances.selectors.overview import blockers
from curation.reviews.actions.settle_revision import why
from curation.reviews.models import Review
from tests.adjudication.runs.made import grading_here
from tests.case import WorkbenchTestCase
from tests.curation.reviews.made import Acts
from workbench.content.trees import read_tree as stored
from workbench.jobs.capabilities import found_here
from workbench.jobs.models import Job
from workbench.jobs.perform import run_waiting

ROOT = Path(__file__).parents[3]
ALGEBRA, TEST = "Ivalset/Impl/Algebra.lean", "Ivalset/Test.lean"
HELPER = """\
def between (left : Int) : List Interval → List Interval
  | [] => []
  | iv :: rest => ⟨left, iv.lo⟩ :: between iv.hi rest
"""
RENAMED = """\
def between (from' : Int) : List Interval → List Interval
  | [] => []
  | head :: others => ⟨from', head.lo⟩ :: between head.hi others
"""
OTHER = HELPER.replace("⟨left, iv.lo⟩", "⟨left, iv.hi⟩")
GAPS, UNION, BETWEEN = "Ivalset.gaps", "Ivalset.union", "Ivalset.between"


@pytest.mark.lean
class TermsOfRunsTest(Acts, WorkbenchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(grading_here())
        self.files = dict(read_tree(ROOT / "fixtures" / "instances" / "ivalset").files)
        self.agent = name_configuration(
            self.submitter.user, self.team, "Codex", "m", "high"
        )
        self.instance = self.revise(HELPER).instance

    def revise(self, helper: str) -> Revision:
        """Import the fixture with another text of its helper."""
        files = dict(self.files)
        text = files[ALGEBRA].decode()
        assert HELPER in text
        files[ALGEBRA] = text.replace(HELPER, helper).encode()
        return import_revision(None, self.team, load_files(files, "ivalset")).revision

    def grade(self, revision: Revision) -> GradingRun:
        """Grade an unfilled submission against `revision`: its own files are built for that."""
        loaded = load_files(stored(revision.snapshot), "ivalset")
        taken = from_tree(loaded, PROOF, Tree("unfilled", render(loaded, PROOF)))
        run = submit_artifact(self.submitter.user, self.agent, revision, taken).run
        run_waiting(found_here())
        run.refresh_from_db()
        self.assertEqual(run.state, "done", run.job.error if run.job else "")
        return run

    def compile_by_button(self) -> None:
        """Compile the current revision without any submission, from its page."""
        address = f"/runs/compile/{self.instance.slug}/"
        page = self.curator.get(f"/instances/{self.instance.slug}/")
        self.assertContains(page, f"Compile r{self.now().number}")
        self.assertIn("not built", self.blocking())
        self.assertEqual(self.reader.post(address).status_code, 403)
        for _ in range(2):
            self.assertEqual(self.curator.post(address).status_code, 302)
        run_waiting(found_here())
        job = Job.objects.get(name="compile")
        self.assertEqual(job.state, Job.DONE, job.error)
        page = self.curator.get(f"/instances/{self.instance.slug}/")
        self.assertNotContains(page, f"Compile r{self.now().number}")
        self.assertNotIn("not built", self.blocking())

    def blocking(self) -> dict[str, str]:
        """What blocks the current revision, by kind."""
        return {one.kind: one.words for one in blockers(self.now())}

    def standing(self) -> set[str]:
        rows = Review.objects.filter(standing=True)
        return set(rows.values_list("definition__lean_name", flat=True))

    def test_approvals_follow_what_a_helper_compiles_to(self) -> None:
        before = self.approve(GAPS)
        self.approve(UNION)
        run = self.grade(self.now())
        build = TermBuild.objects.get()
        self.assertEqual(build.toolchain_digest, run.toolchain_digest)
        self.assertEqual((build.toolchain_kind, build.toolchain), ("pocket", run.toolchain))  # fmt: skip
        told = dict(build.terms.values_list("definition__lean_name", "term_hash"))
        self.assertEqual(len(told), self.now().placements.count())
        self.assertEqual([name for name, term in told.items() if not term], [])
        self.assertEqual(before.term_bases.get().term.term_hash, told[GAPS])

        # Other names for its variables: text drops what uses it, the build brings it back.
        self.revise(RENAMED)
        self.assertEqual(self.standing(), {UNION})
        self.compile_by_button()
        self.assertEqual(self.standing(), {UNION, GAPS})
        again = Review.objects.get(standing=True, definition=self.definition(GAPS))

        # Something else: it drops, and no build helps.
        self.revise(OTHER)
        self.grade(self.now())
        self.assertEqual(self.standing(), {UNION})
        again.refresh_from_db()
        self.assertEqual(why(again.end), "gaps → between: between changed")
        newest = DefinitionTerm.objects.filter(build__revision=self.now())
        differ = {
            row.definition.lean_name
            for row in newest.select_related("definition")
            if row.term_hash != told.get(row.definition.lean_name)
        }
        self.assertLessEqual({BETWEEN, GAPS}, differ)
        self.assertNotIn(UNION, differ)

        self.ask_for_an_adaptation(run)

    def test_what_lean_refuses_or_never_reads_is_told_of_by_no_build(self) -> None:
        read = self.now().placements.count()
        self.files[TEST] += b"\n#guard (1 : Nat) == 2\n"
        self.files[ALGEBRA] += b"\n#exit\n\ndef Ivalset.unread : Nat := 1\n"
        self.revise(HELPER)
        self.assertEqual(self.now().placements.count(), read + 1)
        job = compile_revision(self.curator.user, self.now())
        run_waiting(found_here())
        job.refresh_from_db()
        self.assertIn(f"2 files not built: Ivalset.lean, {TEST}", job.summary)
        self.assertIn(TEST, self.blocking()["build"])
        self.assertIn(f": 1 of {read + 1}", self.blocking()["not built"])

    def ask_for_an_adaptation(self, run: GradingRun) -> None:
        """Its files are not those of the revision: it is neither asked nor believed."""
        grader = next(iter(machine._graders.values()))
        DefinitionTerm.objects.all().delete()
        self.assertTrue(untold_terms(run, grader))
        run.adaptation = Adaptation(revision=run.revision)
        run.adaptation_id = 1
        self.assertEqual(untold_terms(run, grader), set())
