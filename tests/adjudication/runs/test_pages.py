"""Pages of runs and submissions: what they show, to whom, and what they take."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from adjudication.runs.actions.hand_in import hand_in
from adjudication.runs.jobs import plain
from adjudication.runs.models import (
    GradingRun,
    Refusal,
    RegradeSet,
    Submission,
)
from adjudication.runs.views import submissions
from curation.format.archive import Tree
from curation.format.artifact import extract, write_artifact
from curation.format.instance import load_files
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import InstanceCase, import_tiny, source, tiny
from workbench.content.models import Blob
from workbench.content.trees import store_blobs
from workbench.jobs.models import Job
from workbench.jobs.run import scratch_root
from workbench.jobs.scratch import abandoned_folders

SPEC = "spec_push_size"


def artifact(changes: str = "") -> bytes:
    """Return an artifact.json of the tiny instance in proof mode, in which nothing is filled; `changes` tells one from another."""
    loaded = load_files(tiny(), "tiny")
    document = json.loads(
        write_artifact(extract(loaded, "proof", Tree("", tiny()).files))
    )
    for slot in document["slots"]:
        if slot["key"] == "proof":
            slot |= {"found": True, "body_lines": [f"  by {changes or 'trivial'}"]}
    return json.dumps(document).encode()


def receipt(run: GradingRun, **parts: Any) -> None:
    """Give `run` a receipt that holds what its page reads, and `parts`."""
    document = {
        "submission": {"slots": "0" * 64, "tree": "0" * 64},
        "verdict": {"void_rule": ""},
        "modules": {"graded": {}},
        "specs": [],
        "statements": {},
        "kernels": [],
        "limits": {},
    } | parts
    text = json.dumps(document).encode()
    digest = hashlib.sha256(text).hexdigest()
    store_blobs({digest: text})
    run.receipt = Blob.objects.get(pk=digest)
    run.save()


class PageCase(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.revision = self.instance.revisions.get(is_current=True)
        self.agent = make_configuration(self.team)

    def run_with(self, outcome: str = "passed", **fields: Any) -> GradingRun:
        return make_run(
            make_submission(self.revision, self.agent), {SPEC: outcome}, **fields
        )

    def post(self, *files: tuple[str, bytes], who: Any = None, **more: Any) -> Any:
        data = {
            "instance": self.instance.slug,
            "mode": "proof",
            "configuration": self.agent.slug,
            "submissions": [SimpleUploadedFile(name, body) for name, body in files],
        }
        headers = more.pop("headers", {})
        return (who or self.submitter).post(
            reverse("runs:submit"), data | more, headers=headers
        )


class SubmitTest(PageCase):
    def test_many_files_are_taken_known_or_refused_each_with_its_reason(self) -> None:
        response = self.post(
            ("a.json", artifact()),
            ("b.json", artifact()),
            ("c.json", b"{"),
            ("d.txt", b"x"),
        )
        self.assertEqual(response.status_code, 200)
        for words in ("taken", "here already", "refused", "c.json", "d.txt"):
            self.assertContains(response, words)
        self.assertEqual(Submission.objects.count(), 1)
        self.assertEqual(GradingRun.objects.count(), 1)
        self.assertEqual(
            {one.file_name for one in Refusal.objects.all()}, {"c.json", "d.txt"}
        )
        self.assertNotContains(response, "/tmp")

    def test_of_five_files_one_with_a_bad_run_json_keeps_no_other_out(self) -> None:
        def packed(number: int, telemetry: bytes) -> tuple[str, bytes]:
            stream = io.BytesIO()
            with zipfile.ZipFile(stream, "w") as archive:
                archive.writestr("artifact.json", artifact(f"exact {number}"))
                archive.writestr("run.json", telemetry)
            return f"{number}.zip", stream.getvalue()

        telemetry = [
            b'{"cost_usd": 1.5, "attempt": 2, "of_attempts": 3}',
            b'{"cost_usd": "much"}',
            b'{"cost_usd": NaN, "tokens": 1e999, "attempt": -1, "elapsed_s": 9e99}',
            b'{"note": "\\ud800", "started_at": "yesterday", "snapshots": 3}',
            b"{}",
        ]
        response = self.post(*(packed(*one) for one in enumerate(telemetry)))
        self.assertEqual(response.status_code, 200)
        refused = Refusal.objects.get()
        self.assertEqual(refused.file_name, "1.zip")
        self.assertIn("cost_usd", refused.why)
        self.assertContains(response, "expected a number")
        told = Submission.objects.order_by("pk").values_list(
            "cost_usd", "attempt", "tokens", "elapsed_s", "started_at"
        )
        nothing = (None,) * 5
        self.assertEqual(
            list(told), [(Decimal("1.5"), 2, None, None, None), *[nothing] * 3]
        )
        for found in Submission.objects.all():
            self.assertEqual(self.reader.get(found.get_absolute_url()).status_code, 200)

    def test_uploads_wait_in_the_scratch_of_the_data_folder_and_go(self) -> None:
        seen: list[Path] = []

        def look(user: Any, agent: Any, revision: Any, mode: str, files: Any, *more: Any) -> Any:  # fmt: skip
            seen.extend(one.path for one in files)
            self.assertTrue(all(path.is_file() for path in seen))
            # While its process lives, nobody tidies it away.
            self.assertEqual(abandoned_folders(), [])
            return hand_in(user, agent, revision, mode, files, *more)

        with patch.object(submissions, "hand_in", side_effect=look):
            self.assertEqual(self.post(("a.json", artifact())).status_code, 200)
        self.assertEqual(len(seen), 1)
        self.assertTrue(seen[0].is_relative_to(scratch_root()))
        self.assertFalse(seen[0].parent.parent.exists())

    def test_a_script_gets_json(self) -> None:
        response = self.post(
            ("a.json", artifact()),
            ("c.json", b"{"),
            headers={"Accept": "application/json"},
        )
        first, second = response.json()["submissions"]
        self.assertEqual((first["state"], second["state"]), ("taken", "refused"))
        self.assertEqual(first["run"], GradingRun.objects.get().pk)
        self.assertTrue(second["error"])
        nothing = self.post(("c.json", b"{"), headers={"Accept": "application/json"})
        self.assertEqual(nothing.status_code, 422)
        wrong = self.post(headers={"Accept": "application/json"})
        self.assertEqual(wrong.status_code, 422)
        self.assertIn("submissions", wrong.json()["errors"])

    def test_a_new_configuration_is_named_on_the_way(self) -> None:
        response = self.post(
            ("a.json", artifact()), configuration="", harness="Codex", model="m"
        )
        self.assertEqual(response.status_code, 200)
        self.assertEqual(str(Submission.objects.get().configuration), "Codex / m")

    def test_without_a_configuration_it_says_what_is_missing(self) -> None:
        response = self.post(("a.json", artifact()), configuration="")
        self.assertContains(response, "name a harness", status_code=422)
        self.assertFalse(Submission.objects.exists())

    def test_who_may_not_submit_is_refused_and_sees_no_button(self) -> None:
        for person in (self.reader, self.reviewer, self.adjudicator):
            self.assertForbidden(person.get(reverse("runs:submit")))
            self.assertForbidden(self.post(("a.json", artifact()), who=person))
            self.assertNotContains(
                person.get(reverse("runs:list")), reverse("runs:submit")
            )
        self.assertContains(
            self.submitter.get(reverse("runs:list")), reverse("runs:submit")
        )
        self.assertAsksForLogin(self.visitor.get(reverse("runs:submit")))

    def test_an_instance_of_another_team_cannot_be_chosen(self) -> None:
        response = self.post(("a.json", artifact()), who=self.outsider)
        self.assertIn(response.status_code, (403, 422))
        self.assertFalse(Submission.objects.exists())

    def test_a_file_that_is_too_large_is_refused(self) -> None:
        with self.settings(UPLOAD_LIMIT_MB=0):
            response = self.post(("a.json", artifact()))
        self.assertContains(response, "is larger than 0 MB", status_code=422)
        self.assertTrue(Refusal.objects.filter(file_name="a.json").exists())


class SubmissionPagesTest(PageCase):
    def test_the_list_has_facets_in_the_address(self) -> None:
        make_submission(self.revision, self.agent, mode="codeproof")
        run = self.run_with()
        url = reverse("runs:submissions")
        page = self.submitter.get(url, {"mode": "proof", "state": "done"})
        self.assertContains(page, f"submission {run.submission.pk}")
        self.assertEqual(len(page.context["page"].rows), 1)
        self.assertEqual(len(self.submitter.get(url).context["page"].rows), 2)
        nothing = self.submitter.get(url, {"state": "gone"})
        self.assertContains(nothing, "No submission matches")

    def test_what_was_not_recorded_says_so(self) -> None:
        run = self.run_with()
        page = self.reader.get(run.submission.get_absolute_url())
        self.assertContains(page, "not recorded", 5)
        self.assertHidden(self.outsider.get(run.submission.get_absolute_url()))

    def test_a_revision_that_was_superseded_is_told_on_both_pages(self) -> None:
        run = self.run_with()
        changed = tiny(
            spec=tiny()["Tiny/Spec/Stack.lean"].decode().replace("larger", "taller")
        )
        import_tiny(self.curator.user, self.team, changed, source())
        for url in (run.get_absolute_url(), run.submission.get_absolute_url()):
            page = self.reader.get(url)
            self.assertContains(page, "no longer current")
        self.assertEqual(run.revision.number, 1)


class RunListTest(PageCase):
    def test_facets_cut_the_list_and_stay_in_the_address(self) -> None:
        good, bad = self.run_with(), self.run_with("sorry")
        url = reverse("runs:list")
        page = self.reader.get(url, {"solved": "full"})
        self.assertEqual([row.pk for row in page.context["page"].rows], [good.pk])
        page = self.reader.get(url, {"solved": "nothing", "which": "current"})
        self.assertEqual([row.pk for row in page.context["page"].rows], [bad.pk])
        self.assertEqual(self.reader.post(url).status_code, 405)

    def test_others_see_nothing_of_it(self) -> None:
        run = self.run_with()
        page = self.outsider.get(reverse("runs:list"))
        self.assertEqual(list(page.context["page"].rows), [])
        self.assertHidden(self.outsider.get(run.get_absolute_url()))
        for name in ("receipt", "recheck"):
            self.assertHidden(self.outsider.get(reverse(f"runs:{name}", args=[run.pk])))

    def test_runs_under_way_are_counted_in_the_top_bar(self) -> None:
        self.post(("a.json", artifact()))
        page = self.reader.get(reverse("runs:list"))
        place = (
            next(one for one in page.context["places"] if one.name == "Grading")
            if "places" in page.context
            else None
        )
        self.assertContains(page, "Grading")
        if place is not None:
            self.assertEqual(place.count, 1)
        self.assertContains(page, "queued")

    def test_a_void_run_is_void_wherever_its_state_is_named(self) -> None:
        run = self.run_with("void")
        other = self.run_with("sorry")
        told = '<span class="status" data-tone="bad">void</span>'
        for url in (
            reverse("runs:list"),
            reverse("runs:submissions"),
            reverse("home"),
            run.submission.get_absolute_url(),
            run.get_absolute_url(),
            reverse("runs:compare", args=[run.pk, other.pk]),
            reverse("boards:configuration", args=[self.agent.slug]),
        ):
            with self.subTest(url):
                self.assertContains(self.reader.get(url), told)
        for url in (reverse("runs:list"), reverse("runs:submissions"), reverse("home")):
            few = self.queries(url)
            self.run_with("void")
            self.assertEqual(self.queries(url), few)

    def queries(self, url: str) -> int:
        """Return how many queries reading a page takes about outcomes."""
        with CaptureQueriesContext(connection) as taken:
            self.reader.get(url)
        return len([one for one in taken if "runs_outcome" in one["sql"]])


class RunPageTest(PageCase):
    def test_it_shows_lights_and_specs_with_problems_first(self) -> None:
        run = make_run(
            make_submission(self.revision, self.agent),
            {"a": "passed", "b": "sorry", "c": "unfilled"},
        )
        page = self.reader.get(run.get_absolute_url())
        self.assertEqual(
            [row.outcome.spec for row in page.context["rows"]], ["b", "c", "a"]
        )
        lights = {light.name: light.word for light in page.context["lights"]}
        self.assertEqual(lights["statement"], "failed")
        self.assertEqual(lights["built"], "passed")

    def test_the_filter_and_the_opened_row_are_in_the_address(self) -> None:
        run = make_run(
            make_submission(self.revision, self.agent), {"a": "passed", "b": "sorry"}
        )
        page = self.reader.get(run.get_absolute_url(), {"outcome": "passed"})
        self.assertEqual([row.outcome.spec for row in page.context["rows"]], ["a"])
        page = self.reader.get(run.get_absolute_url(), {"open": "b"})
        self.assertContains(page, "prove_b")
        self.assertNotContains(page, "prove_a")
        nothing = self.reader.get(run.get_absolute_url(), {"outcome": "axiom"})
        self.assertContains(nothing, "No spec has this outcome")

    def test_a_run_that_no_worker_can_serve_says_so(self) -> None:
        self.post(("a.json", artifact()))
        run = GradingRun.objects.get()
        page = self.reader.get(run.get_absolute_url())
        self.assertContains(page, "No worker is up")

    def test_each_state_of_a_run_is_told_as_it_is(self) -> None:
        self.post(("a.json", artifact()))
        run = GradingRun.objects.get()
        assert run.job is not None
        coming = ("will be here", "written at the end")
        for state, light, told, untold in (
            (Job.QUEUED, "not begun", coming, ("ended without a verdict",)),
            (Job.RUNNING, "running", coming, ("ended without a verdict",)),
            *(
                (state, "no verdict", ("ended without a verdict",), coming)
                for state in (Job.FAILED, Job.CANCELLED, Job.DECLINED)
            ),
        ):
            with self.subTest(state):
                running, now = state == Job.RUNNING, timezone.now()
                Job.objects.filter(pk=run.job.pk).update(
                    state=state,
                    error="" if state == Job.CANCELLED else "no room",
                    lease="x" if running else "",
                    lease_until=now if running else None,
                    finished_at=None if state in Job.OPEN else now,
                )
                page = self.reader.get(run.get_absolute_url())
                words = {light.word for light in page.context["lights"]}
                self.assertEqual(words, {light})
                for text in told:
                    self.assertContains(page, text)
                for text in untold:
                    self.assertNotContains(page, text)

    def test_a_void_run_waits_for_nothing(self) -> None:
        run = self.run_with("void")
        receipt(run, verdict={"void_rule": "unsafe"})
        run.outcomes.update(lights="-----")
        page = self.reader.get(run.get_absolute_url())
        self.assertContains(page, "void by the rule “unsafe”")
        self.assertContains(page, "the run is void")
        for untrue in ("will be here", "so far", "no spec got this far"):
            self.assertNotContains(page, untrue)

    def test_a_module_that_was_built_only_without_slots_says_so(self) -> None:
        run = self.run_with("build_error")
        module = {"outcome": "built", "seconds": 1.0, "reused": False, "sha256": "1", "diagnostics": []}  # fmt: skip
        graded = {"T.Proof.A": module, "T.Proof.B": module | {"emptied": ["prove_a"]}}
        receipt(run, modules={"graded": graded})
        page = self.reader.get(run.get_absolute_url())
        self.assertEqual(
            [(row.name, row.outcome) for row in page.context["modules"]],
            [("T.Proof.B", "built without 1 slot"), ("T.Proof.A", "built")],
        )

    def test_the_opened_row_shows_what_was_found_and_what_it_uses(self) -> None:
        run = self.run_with("statement_changed")
        url = run.get_absolute_url()
        receipt(run, specs=[{"spec": SPEC, "detail": ""}])  # as once written
        old = self.reader.get(url, {"open": SPEC})
        self.assertContains(old, "not kept with this receipt")
        more = {"found": "0 < 2", "expected": "0 < 1", "uses": ["Nat.lt"], "more_uses": 3}  # fmt: skip
        receipt(run, specs=[{"spec": SPEC, **more}])
        page = self.reader.get(url, {"open": SPEC})
        for words in ("0 &lt; 2", "0 &lt; 1", "<code>Nat.lt</code> and 3 more"):
            self.assertContains(page, words)

    def test_a_run_under_way_can_be_cancelled_by_its_owner_only(self) -> None:
        self.post(("a.json", artifact()))
        run = GradingRun.objects.get()
        self.assertContains(self.submitter.get(run.get_absolute_url()), "Cancel run")
        self.assertNotContains(self.reader.get(run.get_absolute_url()), "Cancel run")
        assert run.job is not None
        self.submitter.post(
            reverse("jobs:cancel", args=[run.job.pk]), {"next": run.get_absolute_url()}
        )
        page = self.reader.get(run.get_absolute_url())
        self.assertContains(page, "No verdict came of it")
        self.assertFalse(GradingRun.objects.get().done)

    def test_the_log_is_followed_until_it_is_paused(self) -> None:
        self.post(("a.json", artifact()))
        run = GradingRun.objects.get()
        page = self.reader.get(run.get_absolute_url())
        self.assertContains(page, "data-follow")
        # The head says the state too, so it changes together with the rest.
        self.assertContains(page, 'hx-select-oob="#run-facts,#run-actions"')
        for name in ("run-facts", "run-actions", "run-live"):
            self.assertContains(page, f'id="{name}"', 1)
        paused = self.reader.get(run.get_absolute_url(), {"log": "paused"})
        self.assertNotContains(paused, "data-follow")

    def test_without_a_receipt_there_is_nothing_to_download(self) -> None:
        run = self.run_with()
        self.assertHidden(self.reader.get(reverse("runs:receipt", args=[run.pk])))
        self.assertHidden(self.reader.get(reverse("runs:recheck", args=[run.pk])))

    def test_a_page_with_300_specs_costs_no_more_queries_than_one_with_3(self) -> None:
        runs = [
            make_run(
                make_submission(self.revision, self.agent),
                {f"spec_{n}": "passed" for n in range(number)},
            )
            for number in (3, 300)
        ]
        for run in runs:
            with self.assertMostQueries(40) as found:
                self.reader.get(run.get_absolute_url())
            counts = len(found)
            self.assertLessEqual(counts, 40)

    def test_two_runs_are_compared_spec_by_spec(self) -> None:
        old = make_run(
            make_submission(self.revision, self.agent), {"a": "passed", "b": "sorry"}
        )
        new = make_run(
            make_submission(self.revision, self.agent),
            {"a": "axiom", "b": "sorry", "c": "passed"},
        )
        url = reverse("runs:compare", args=[new.pk, old.pk])
        page = self.reader.get(url)
        self.assertEqual(
            [(one.spec, one.kind) for one in page.context["rows"]],
            [("a", "lost"), ("c", "gained")],
        )
        everything = self.reader.get(url, {"change": "all"})
        self.assertEqual(len(everything.context["rows"]), 3)
        self.assertHidden(self.outsider.get(url))


class RegradePagesTest(PageCase):
    def make(self, who: Any, **fields: Any) -> Any:
        data = {
            "team": self.team.slug,
            "reason": "new reader",
            "query": f"instance={self.instance.slug}",
            "form_key": "k",
        }
        return who.post(reverse("runs:regrade_make"), data | fields)

    def test_a_maintainer_regrades_what_the_filter_shows(self) -> None:
        self.run_with()
        self.run_with("sorry")
        self.assertContains(self.maintainer.get(reverse("runs:list")), "these 2 runs")
        self.assertNotContains(
            self.submitter.get(reverse("runs:list")), "Grade these again"
        )
        self.make(self.maintainer)
        self.make(self.maintainer)
        made = RegradeSet.objects.get()
        self.assertEqual(made.runs.count(), 2)
        page = self.maintainer.get(made.get_absolute_url())
        self.assertContains(page, "ended")
        self.assertFalse(page.context["may_apply"])
        self.assertEqual(
            self.maintainer.get(reverse("runs:regrade_make")).status_code, 302
        )

    def test_the_page_of_a_set_lists_what_changed_first(self) -> None:
        old = make_run(
            make_submission(self.revision, self.agent),
            {"a": "passed", "b": "sorry", "c": "sorry", "d": "passed"},
        )
        self.make(self.maintainer)
        made = RegradeSet.objects.get()
        new = make_run(
            old.submission,
            {"a": "axiom", "b": "passed", "c": "axiom", "d": "passed"},
            current=False,
        )
        made.runs.all().delete()
        GradingRun.objects.filter(pk=new.pk).update(regrade_set=made, replaces=old)

        def listed(**query: str) -> list[tuple[str, str]]:
            page = self.maintainer.get(made.get_absolute_url(), query)
            return [(row.spec, change.kind) for row, change in page.context["rows"]]

        self.assertEqual(listed(), [("a", "lost"), ("b", "gained"), ("c", "other")])
        for kind, specs in (("lost", "a"), ("gained", "b"), ("other", "c"), ("same", "d"), ("all", "abcd")):  # fmt: skip
            self.assertEqual("".join(spec for spec, _ in listed(change=kind)), specs)
        self.assertEqual(listed(old="passed", new="passed"), [("d", "same")])

    def test_nobody_else_makes_one(self) -> None:
        self.run_with()
        for person in (self.reader, self.submitter, self.curator):
            self.assertForbidden(self.make(person))
        self.assertHidden(self.make(self.outsider))
        self.assertFalse(RegradeSet.objects.exists())

    def test_without_a_reason_or_a_run_nothing_is_made(self) -> None:
        self.make(self.maintainer, reason=" ")
        self.make(self.maintainer, query="mode=codeproof")
        self.assertFalse(RegradeSet.objects.exists())

    def test_the_matrix_leads_from_old_to_new_and_applying_makes_them_count(
        self,
    ) -> None:
        old = self.run_with()
        self.make(self.maintainer)
        made = RegradeSet.objects.get()
        new = made.runs.get()
        fresh = make_run(
            make_submission(self.revision, self.agent), {SPEC: "axiom"}, current=False
        )
        fresh.outcomes.update(run=new)
        GradingRun.objects.filter(pk=new.pk).update(
            receipt_hash="x" * 64, previous_receipt="y" * 64, spec_count=1
        )
        page = self.reader.get(made.get_absolute_url())
        crossing = page.context["matrix"].rows[0][1][0]
        self.assertEqual(
            (crossing.old, crossing.new, crossing.number), ("passed", "axiom", 1)
        )
        none = self.reader.get(made.get_absolute_url(), {"old": "sorry"})
        self.assertEqual(none.context["rows"], [])
        apply = reverse("runs:regrade_apply", args=[made.pk])
        self.assertForbidden(self.submitter.post(apply))
        self.assertHidden(self.outsider.post(apply))
        self.maintainer.post(apply)
        self.assertTrue(GradingRun.objects.get(pk=new.pk).is_current)
        self.assertFalse(GradingRun.objects.get(pk=old.pk).is_current)
        self.assertContains(self.reader.get(reverse("runs:regrade_sets")), "applied")

    def test_cancelling_keeps_the_current_results(self) -> None:
        old = self.run_with()
        self.make(self.maintainer)
        made = RegradeSet.objects.get()
        self.assertForbidden(
            self.curator.post(reverse("runs:regrade_cancel", args=[made.pk]))
        )
        self.maintainer.post(reverse("runs:regrade_cancel", args=[made.pk]))
        made.refresh_from_db()
        self.assertEqual(made.state, "cancelled")
        self.assertTrue(GradingRun.objects.get(pk=old.pk).is_current)


class FrameTest(PageCase):
    def test_home_search_and_operations_know_of_runs(self) -> None:
        run = self.run_with()
        self.assertContains(self.reader.get(reverse("home")), "Gradings")
        self.assertContains(self.reader.get(reverse("operations")), "Canaries")
        found = self.reader.get(reverse("search"), {"q": f"run {run.pk}"})
        self.assertContains(found, run.get_absolute_url())
        found = self.reader.get(reverse("search"), {"q": "agent"})
        self.assertContains(found, run.submission.get_absolute_url())

    def test_escapes_and_line_ends_are_taken_out_of_the_log(self) -> None:
        told = plain("a\x1b[31mred\x1b[0m\x1b]0;title\x07b\r\nc\x00\x9bd")
        self.assertEqual(told, "aredb ⏎ cd")
