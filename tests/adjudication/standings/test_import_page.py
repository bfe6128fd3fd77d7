"""Results of others, taken in by the page."""

from __future__ import annotations

import html
import io
from typing import Any

from django.urls import reverse

from adjudication.runs.actions.name_configuration import name_configuration
from adjudication.standings.actions.import_results import import_results
from adjudication.standings.models import Cell, InstanceSet
from adjudication.standings.results_csv import read_results
from tests.adjudication.standings.made import (
    BoardCase,
)


class ImportPageTest(BoardCase):
    def send(self, table: str, costs: str = "", who: Any = None) -> Any:
        data: dict[str, Any] = {
            "results": io.BytesIO(table.encode()),
            "name": "Paper",
            "team": self.team.slug,
        }
        if costs:
            data["costs"] = io.BytesIO(costs.encode())
        return (who or self.maintainer).post(reverse("boards:import"), data)

    def test_a_table_and_its_costs_become_a_board(self) -> None:
        answer = self.send(
            "track,instance,specs,a_cp\n1,one,10,10\n", "column,cost_usd\na_cp,60\n"
        )
        self.assertRedirects(answer, "/boards/paper/")
        page = self.reader.get("/boards/paper/")
        self.assertContains(page, "60")
        self.assertEvent("results.imported", by=self.maintainer.user)

    def test_errors_name_their_line_and_nothing_is_taken(self) -> None:
        answer = self.send("track,instance,specs,a_cp\n1,one,10,11\n")
        self.assertContains(answer, "line 2, column a_cp", status_code=422)
        answer = self.send(
            "track,instance,specs,a_cp\n1,one,10,1\n", "column,cost_usd\nb_cp,1\n"
        )
        self.assertContains(answer, "no column of the results", status_code=422)
        self.assertEqual(Cell.objects.count(), 0)

    def test_what_is_wrong_is_said_with_its_place_and_nothing_of_the_table_is_taken(
        self,
    ) -> None:
        head = "track,instance,specs,a_cp\n"
        for table, said in (
            (head + "1,one,10,=9+1\n", "line 2, column a_cp: expected a whole number such as 1234, found '=9+1'"),
            (head + "1,=cmd|x,10,1\n", "line 2, column instance: expected a name"),
            ("track,instance,specs,=a_cp\n1,one,10,1\n", "line 1: '=a_cp' is no column of results"),
            (head + "1,one,10,11\n", "line 2, column a_cp: 11 passed of 10 specs"),
            (head + "1,one,10,1\n1,one,10,2\n", "line 3, column instance: one is in line 2 already"),
            (head + "1,Tiny,1,1\n1,tiny,1,1\n", "line 3, column instance: tiny is the instance tiny, which is in line 2 as Tiny"),
            ("track,instance,specs,a  b_cp,a b_cp\n1,one,10,1,2\n", "line 1: the column a b_cp is there twice"),
            (head + '1,one,10,"9,5"\n', "expected a whole number such as 1234, found '9,5'"),
            (head + "1,one,10,9.5\n", "found '9.5'"),
            (head + "1,one,1.000,9\n", "line 2, column specs: expected a whole number such as 1234, found '1.000'"),
            (head + "1,one,1,000,9\n", "expected 4 cells, found 5; a comma ends a cell"),
            ("track;instance;specs;a_cp\n1;one;10;9\n", "separated by semicolons"),
            ("track,instance,specs,a / b / c / d_cp\n1,one,1,1\n", "expected at most harness / model / effort"),
        ):  # fmt: skip
            with self.subTest(table=table):
                answer = self.send(table)
                self.assertEqual(answer.status_code, 422)
                self.assertIn(said, html.unescape(answer.content.decode()))
        for costs, said in (
            ("column,cost_usd\na_cp,2865,50\n", "line 2: expected 2 cells, found 3; a comma ends a cell"),
            ('column,cost_usd\na_cp,"2.865,50"\n', "expected dollars such as 2865 or 2865.50, found '2.865,50'"),
            ("column,cost_usd\na_cp,=1\n", "expected dollars"),
            ("column,cost_usd\na_cp,1\na_cp,2\n", "a_cp is in the table twice"),
        ):  # fmt: skip
            with self.subTest(costs=costs):
                answer = self.send(head + "1,one,10,1\n", costs)
                self.assertIn(said, html.unescape(answer.content.decode()))
        self.assertEqual((Cell.objects.count(), InstanceSet.objects.count()), (0, 1))

    def test_a_table_that_does_not_fit_the_set_names_the_line(self) -> None:
        head = "track,instance,specs,a_cp\n"
        self.send(head + "1,one,10,9\n")
        for row, said in (
            ("1,two,10,9", "line 3, column instance: two is no instance of the set paper"),
            ("1,one,11,9", "line 3, column specs: one has 11 specs in the table, 10 in the set paper"),
        ):  # fmt: skip
            answer = self.send(head + "\n" + row + "\n")
            self.assertIn(said, html.unescape(answer.content.decode()))
        self.assertEqual([cell.passed for cell in Cell.objects.all()], [9])

    def test_instances_of_a_new_set_bring_what_was_graded_if_they_have_as_many_specs(
        self,
    ) -> None:
        self.run_of()
        name = self.instance.slug
        self.send(f"track,instance,specs,a_cp\n1,{name},1,1\n")
        paper = InstanceSet.objects.get(slug="paper")
        self.assertEqual(paper.cells.filter(basis=Cell.VERIFIED).count(), 1)
        self.assertEqual(paper.members.get().instance, self.instance)
        other = read_results(f"track,instance,specs,a_cp\n1,{name},7,1\n".encode())
        made = import_results(self.maintainer.user, self.team, "Other", other).set
        self.assertIsNone(made.members.get().instance)
        self.assertEqual(made.members.get().specs, 7)

    def test_a_heading_as_boards_print_it_is_the_configuration_that_is_graded(
        self,
    ) -> None:
        name_configuration(None, self.team, "Lathe", "Orla 3", "high")
        self.send("track,instance,specs,Lathe / Orla 3 / high_po\n1,one,10,9\n")
        agent = Cell.objects.get().configuration
        self.assertEqual(
            (agent.harness, agent.model, agent.effort), ("Lathe", "Orla 3", "high")
        )
        self.assertEqual(type(agent).objects.count(), 1)

    def test_only_who_maintains_a_team_imports(self) -> None:
        table = "track,instance,specs,a_cp\n1,one,10,1\n"
        self.assertForbidden(self.send(table, who=self.curator))
        self.assertEqual(self.send(table, who=self.outsider).status_code, 422)
        self.assertForbidden(self.curator.get(reverse("boards:import")))
        self.assertContains(self.maintainer.get(reverse("boards:import")), "Results")
        answer = self.maintainer.client.delete(reverse("boards:import"))
        self.assertEqual(answer.status_code, 405)
