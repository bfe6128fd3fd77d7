"""The pages of boards: what they show, to whom, and what can be downloaded."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from adjudication.runs.models import GradingRun
from adjudication.standings.actions.import_results import import_results
from adjudication.standings.cells import follow_revision, rebuild_cells
from adjudication.standings.charts.picture import Picture
from adjudication.standings.models import Cell, InstanceSet
from adjudication.standings.results_csv import read_results
from tests.adjudication.runs.made import (
    make_configuration,
    make_run,
    make_submission,
)
from tests.adjudication.standings.made import (
    SPEC,
    BoardCase,
    make_badge,
    publishable,
)
from tests.curation.instances.made import import_tiny, tiny
from workbench.events.models import Event
from workbench.live.sight import may_follow

URL = "/boards/small/"


class ListTest(BoardCase):
    def test_it_lists_sets_with_their_denominators(self) -> None:
        self.told()
        page = self.reader.get(reverse("boards:list"))
        rows = {
            row.slug: (row.instances, row.specs) for row, _ in page.context["listed"]
        }
        self.assertEqual(rows, {"small": (1, 1), "told": (3, 60)})
        self.assertContains(page, "Leaderboard")
        self.assertEqual(self.reader.post(reverse("boards:list")).status_code, 405)

    def test_others_and_visitors_see_none(self) -> None:
        page = self.outsider.get(reverse("boards:list"))
        self.assertEqual(list(page.context["listed"]), [])
        self.assertContains(page, "No set yet")
        self.assertAsksForLogin(self.visitor.get(reverse("boards:list")))

    def test_only_a_maintainer_is_offered_to_make_one(self) -> None:
        make = reverse("boards:make")
        self.assertNotContains(self.curator.get(reverse("boards:list")), make)
        self.assertContains(self.maintainer.get(reverse("boards:list")), make)


class BoardPageTest(BoardCase):
    def test_ties_share_a_place_and_missing_is_never_zero(self) -> None:
        told = self.told({"a_cp": Decimal(60)})
        page = self.reader.get(told.get_absolute_url())
        lines = [line for _, group in page.context["groups"] for line in group]
        self.assertEqual([line.place for line in lines], ["1=", "1=", "3=", "3="])
        self.assertContains(page, '"faint">not recorded', 3)
        self.assertContains(page, "2 of 3 handed in")
        self.assertContains(page, "Reported, not graded here")
        self.assertEqual(lines[0].row.cost_per_solve, Decimal(30))

    def test_verified_rows_come_before_reported_ones_and_are_ranked_apart(self) -> None:
        self.run_of("weak", "sorry")
        table = f"track,instance,specs,x_po\n2,{self.instance.slug},1,1\n"
        self.maintainer.post(
            reverse("boards:import"),
            {
                "results": io.BytesIO(table.encode()),
                "name": "small",
                "team": self.team.slug,
            },
        )
        page = self.reader.get(URL)
        self.assertEqual(
            [
                (name, [line.place for line in group])
                for name, group in page.context["groups"]
            ],
            [("verified", ["1"]), ("reported", ["1"])],
        )

    def test_mode_and_basis_are_in_the_address(self) -> None:
        self.run_of()
        self.run_of(mode="codeproof")
        page = self.reader.get(URL, {"mode": "proof", "basis": "verified"})
        self.assertEqual([row.mode for row in page.context["board"].rows], ["proof"])
        self.assertContains(page, "mode=proof&amp;basis=verified")
        nothing = self.reader.get(URL, {"basis": "reported"})
        self.assertContains(nothing, "No result of this mode and basis")
        for query in ({"mode": "x"}, {"basis": "x"}):
            self.assertEqual(self.reader.get(URL, query).status_code, 400)

    def test_other_settings_have_rows_of_their_own(self) -> None:
        run = self.run_of()
        self.run_of("other")
        Cell.objects.filter(run=run).update(settings_digest="2" * 64)
        page = self.reader.get(URL)
        self.assertEqual(
            len({line.row.settings for line in page.context["groups"][0][1]}), 2
        )
        self.assertContains(page, "2 different settings")

    def test_what_may_not_be_published_says_why(self) -> None:
        run = self.run_of()
        self.assertContains(self.reader.get(URL), "a trial toolchain")
        publishable(run)
        self.assertContains(self.reader.get(URL), "No canaries were tried")
        make_badge(ok=False)
        page = self.reader.get(URL)
        self.assertContains(page, "canaries failed")
        self.assertContains(page, "not publishable")
        make_badge()
        page = self.reader.get(URL)
        self.assertContains(page, "canaries passed")
        self.assertNotContains(page, "not publishable")

    def test_a_sandbox_is_asked_for_unless_the_set_does_without(self) -> None:
        run = publishable(self.run_of())
        make_badge()
        GradingRun.objects.filter(pk=run.pk).update(sandbox="none, not proven")
        self.assertContains(self.reader.get(URL), "sandbox was not shown to hold")
        InstanceSet.objects.update(needs_sandbox=False)
        self.assertNotContains(self.reader.get(URL), "not publishable")

    def test_cells_lead_to_what_is_behind_them(self) -> None:
        run = self.run_of()
        self.assertContains(self.reader.get(URL), f'href="{run.get_absolute_url()}"')
        told = self.told()
        page = self.reader.get(told.get_absolute_url())
        self.assertContains(page, "/boards/configurations/a/?set=told")

    def test_plain_and_htmx_get_the_same_and_others_nothing(self) -> None:
        self.run_of()
        for htmx in (False, True):
            self.assertContains(self.reader.get(URL, htmx=htmx), 'id="board-live"')
        self.assertHidden(self.outsider.get(URL))
        self.assertAsksForLogin(self.visitor.get(URL))
        self.assertEqual(self.reader.post(URL).status_code, 405)

    def test_a_hidden_set_is_not_there(self) -> None:
        InstanceSet.objects.update(hidden=True)
        self.assertHidden(self.reader.get(URL))

    def test_an_empty_set_says_what_would_be_here(self) -> None:
        self.assertContains(self.reader.get(URL), "Nothing was graded or reported")

    def test_queries_do_not_grow_with_the_rows(self) -> None:
        def asked() -> int:
            with CaptureQueriesContext(connection) as captured:
                self.reader.get(URL)
            return len(captured)

        self.run_of("first")
        few = asked()
        for number in range(6):
            self.run_of(f"more-{number}", "sorry")
            self.run_of(f"more-{number}", mode="codeproof")
        self.assertEqual(asked(), few)

    def test_a_cost_of_some_is_told_and_compared_with_nothing(self) -> None:
        told = self.told({"a_cp": Decimal(60)})
        cell = told.cells.filter(configuration__slug="b", mode="codeproof").first()
        assert cell is not None
        Cell.objects.filter(pk=cell.pk).update(cost_usd=Decimal(5))
        page = self.reader.get(told.get_absolute_url())
        row = next(
            row
            for row in page.context["board"].rows
            if (str(row.configuration), row.mode) == ("b", "codeproof")
        )
        self.assertEqual((row.cost_usd, row.costed, row.covered), (Decimal(5), 1, 2))
        self.assertIsNone(row.cost_per_solve)
        self.assertContains(page, "for 1 of 2")


class PicturesTest(BoardCase):
    def picture(self, slug: str, name: str, **query: str) -> Picture:
        found = self.reader.get(f"/boards/{slug}/", query).context["pictures"]
        return next(one for one in found.all if one.name == name)

    def test_outcome_by_mode_counts_what_both_modes_solve(self) -> None:
        self.told()
        self.assertEqual(
            set(self.picture("told", "modes").rows),
            {("a", 1, 1, 1, 0), ("b", 1, 0, 0, 2)},
        )

    def test_a_breakdown_adds_the_reasons_of_every_row(self) -> None:
        self.run_of("one", "sorry")
        self.run_of("two", "unfilled")
        picture = self.picture("small", "failures")
        self.assertEqual(picture.head[3:], ("sorry", "unfilled"))
        self.assertEqual(
            set(picture.rows), {("one", "proof", 1, 1, 0), ("two", "proof", 1, 0, 1)}
        )

    def test_reported_rows_are_drawn_only_where_nothing_is_verified(self) -> None:
        table = f"track,instance,specs,x_po\n2,{self.instance.slug},1,1\n"
        results = read_results(table.encode())
        import_results(self.maintainer.user, self.team, "small", results)
        self.assertEqual(self.picture("small", "solvers").rows, ((1, 1),))
        self.run_of("weak", "sorry")
        self.assertEqual(self.picture("small", "solvers").rows, ((0, 1),))
        self.assertIn(
            "1 reported row is not counted", self.picture("small", "matrix").sentence
        )
        self.assertEqual(
            self.picture("small", "solvers", basis="reported").rows, ((1, 1),)
        )
        document = self.reader.get(reverse("boards:json", args=["small"])).json()
        self.assertEqual(
            (document["counted_basis"], document["union_full_solves"]), ("verified", 0)
        )

    def test_a_row_is_named_by_model_and_effort_and_by_its_harness_where_it_must(
        self,
    ) -> None:
        for slug, harness, model in (("a", "H", "m"), ("b", "I", "m"), ("c", "H", "n")):
            agent = make_configuration(self.team, slug)
            type(agent).objects.filter(pk=agent.pk).update(harness=harness, model=model)
            self.run_of(slug)
        names = {row[0] for row in self.picture("small", "failures").rows}
        self.assertEqual(names, set())  # nothing failed
        heads = self.picture("small", "matrix").head[2:]
        self.assertEqual(set(heads), {"H / m, proof", "I / m, proof", "n, proof"})

    def test_specs_of_open_findings_are_marked(self) -> None:
        self.run_of("agent")
        self.assertNotContains(self.reader.get(URL), "◆")
        self.run_of("other", "passed:disprove")  # opens a finding
        page = self.reader.get(URL)
        self.assertContains(page, "1 spec in 1 instance")
        self.assertContains(page, f"{self.instance.slug} ◆")

    def test_what_is_kept_of_a_board_follows_every_change(self) -> None:
        def shown() -> tuple[int, int]:
            board = self.reader.get(URL).context["board"]
            return (len(board.rows), board.rows[0].specs_passed)

        run = self.run_of("one", "sorry")
        self.assertEqual(shown(), (1, 0))
        self.run_of("two")
        self.assertEqual(shown(), (2, 1))
        Cell.objects.exclude(run=run).delete()  # by hand, without an event
        self.assertEqual(shown(), (1, 0))


class DownloadTest(BoardCase):
    def test_the_table_comes_as_csv_and_json(self) -> None:
        told = self.told({"a_cp": Decimal(60)})
        answer = self.reader.get(reverse("boards:csv", args=[told.slug]))
        rows = list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))
        self.assertEqual((rows[0]["full_solves"], rows[0]["specs"]), ("2", "60"))
        self.assertEqual({row["cost_usd"] for row in rows}, {"60.0", ""})
        document = self.reader.get(reverse("boards:json", args=[told.slug])).json()
        self.assertEqual(document["denominators"], {"instances": 3, "specs": 60})

    def test_every_picture_comes_as_svg_and_csv(self) -> None:
        self.run_of()
        self.run_of(mode="codeproof", outcome="sorry")
        for name in ("matrix", "modes", "failures"):
            for kind in ("svg", "csv"):
                url = reverse("boards:download", args=["small", name, kind])
                answer = self.reader.get(url)
                self.assertEqual(answer.status_code, 200, url)
                self.assertIn("attachment", answer["Content-Disposition"])
                self.assertHidden(self.outsider.get(url))
        for name, kind in (("nothing", "csv"), ("matrix", "png"), ("solvers", "svg")):
            url = reverse("boards:download", args=["small", name, kind])
            self.assertEqual(self.reader.get(url).status_code, 404)

    def test_names_in_a_csv_are_no_formulas(self) -> None:
        self.run_of("=cmd()|x")
        answer = self.reader.get(reverse("boards:csv", args=["small"]))
        self.assertIn("'=cmd()|x", answer.content.decode())


class MovesTest(BoardCase):
    def moves(self) -> int:
        return Event.objects.filter(verb="board.moved").count()

    def test_a_run_that_counts_is_told_to_who_follows_the_set(self) -> None:
        self.run_of()
        event = Event.objects.get(verb="board.moved")
        self.assertEqual(
            (event.object_kind, event.object_id), ("instanceset", str(self.set.pk))
        )
        page = self.reader.get(URL)
        topic = f"instanceset:{self.set.pk}"
        self.assertContains(page, f'data-live="{topic}"')
        self.assertTrue(may_follow(self.reader.user, topic))
        self.assertFalse(may_follow(self.outsider.user, topic))

    def test_a_run_that_changes_no_cell_moves_nothing(self) -> None:
        self.run_of()
        self.run_of(outcome="sorry")
        self.assertEqual(self.moves(), 1)

    def test_what_was_graded_on_an_older_revision_says_so_until_it_is_graded_again(
        self,
    ) -> None:
        self.run_of()
        self.assertNotContains(self.reader.get(URL), "on an older revision")
        files = tiny()
        files["README.md"] = b"another text"
        newer = import_tiny(self.curator.user, self.team, files).revision
        self.assertContains(self.reader.get(URL), "1 on an older revision")
        rebuild_cells(self.set)
        self.assertContains(self.reader.get(URL), "1 on an older revision")
        agent = Cell.objects.get().configuration
        make_run(make_submission(newer, agent), {SPEC: "passed"})
        self.assertNotContains(self.reader.get(URL), "on an older revision")

    def test_another_number_of_specs_is_told_too(self) -> None:
        revision = self.instance.revisions.get(is_current=True)
        revision.spec_count = 5
        follow_revision(self.curator.user, revision)
        self.assertEqual(self.set.members.get().specs, 5)
        self.assertEvent("board.resized", by=self.curator.user, after=5)
        follow_revision(self.curator.user, revision)
        self.assertEqual(Event.objects.filter(verb="board.resized").count(), 1)
