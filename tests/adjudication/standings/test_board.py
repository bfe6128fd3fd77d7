"""Reported results become a board, and the board adds up."""

from __future__ import annotations

import io
import json
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from adjudication.standings.actions.import_results import import_results
from adjudication.standings.models import Cell
from adjudication.standings.results_csv import TableError, read_costs, read_results
from adjudication.standings.selectors.board import board, full_solves, pairs
from tests.case import WorkbenchTestCase
from workbench.access.rights import AccessDenied

HEAD = "track,instance,specs,a_cp,a_po,b_cp,b_po\n"
TABLE = (
    HEAD + "1,one,10,10,10,9,0\n" + "2,two,20,20,4,20,20\n" + "2,three,30,19,30,,0\n"
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("a;b;c\n1;2;3\n", "semicolons"),
        (HEAD, "no rows"),
        ("track,name,specs,a_cp\n", "expected the columns track, instance, specs"),
        ("track,instance,specs\n1,one,3\n", "no column of results"),
        ("track,instance,specs,a_xx\n1,one,3,1\n", "a_xx"),
        ("track,instance,specs,a_cp,a_cp\n1,one,3,1,1\n", "there twice"),
        (HEAD + "1,one,10,11,0,0,0\n", "line 2, column a_cp: 11 passed of 10"),
        (
            HEAD + "1,one,10,1,0,0,0\n1,one,10,1,0,0,0\n",
            "line 3, column instance: one is in line 2 already",
        ),
        (
            HEAD + '1,one,10,"1,5",0,0,0\n',
            "expected a whole number such as 1234, found '1,5'",
        ),
        (HEAD + "1,one,10,1.0,0,0,0\n", "expected a whole number"),
        (HEAD + "1,one,10,-1,0,0,0\n", "expected a whole number"),
        (HEAD + "1,one,10,=1+1,0,0,0\n", "expected a whole number"),
        (HEAD + "1,=cmd(),10,1,0,0,0\n", "column instance"),
        (HEAD + "1,one,0,0,0,0,0\n", "has no specs"),
        (HEAD + "3,one,10,0,0,0,0\n", "column track"),
        (HEAD + "1,one,10,0\n", "expected 7 cells, found 4"),
        (HEAD + "1,o\0ne,10,0,0,0,0\n", "NUL"),
    ],
)
def test_it_names_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(TableError, match=said.replace("(", r"\(").replace("+", r"\+")):
        read_results(text.encode())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("column;cost_usd\n", "expected the columns column,cost_usd"),
        ("column,cost_usd\nc_cp,1\n", "no column of the results"),
        ("column,cost_usd\na_cp,1\na_cp,1\n", "twice"),
        ('column,cost_usd\na_cp,"1,50"\n', "expected dollars"),
        ("column,cost_usd\na_cp,NaN\n", "expected dollars"),
    ],
)
def test_it_names_what_is_wrong_with_costs(text: str, said: str) -> None:
    columns = read_results(TABLE.encode()).columns
    with pytest.raises(TableError, match=said):
        read_costs(text.encode(), columns)


class BoardTest(WorkbenchTestCase):
    def take(self, text: str = TABLE, costs: dict[str, Decimal] | None = None) -> Any:
        results = read_results(text.encode())
        return import_results(self.maintainer.user, self.team, "Small", results, costs)

    def test_rows_add_up_with_their_denominators(self) -> None:
        done = self.take(costs={"a_cp": Decimal(60)})
        self.assertEvent("results.imported", by=self.maintainer.user, cells=11)
        found = board(done.set)
        self.assertEqual((found.instances, found.specs), (3, 60))
        rows = {(str(row.configuration), row.mode): row for row in found.rows}
        first = rows["a", "codeproof"]
        self.assertEqual(
            (first.rank, first.full_solves, first.specs_passed), (1, 2, 49)
        )
        self.assertEqual((first.near_misses, first.far, first.covered), (0, 1, 3))
        self.assertAlmostEqual(first.micro, 49 / 60)
        self.assertAlmostEqual(first.macro, (1 + 1 + 19 / 30) / 3)
        self.assertEqual(first.cost_per_solve, Decimal(30))
        self.assertIsNone(rows["b", "codeproof"].cost_usd)
        self.assertEqual(rows["b", "codeproof"].near_misses, 1)
        self.assertEqual(rows["b", "codeproof"].covered, 2)

    def test_ties_share_a_rank(self) -> None:
        done = self.take(HEAD + "1,one,10,10,3,10,4\n")
        self.assertEqual([row.rank for row in board(done.set).rows], [1, 1, 3, 3])
        self.assertEqual(
            [row.specs_passed for row in board(done.set).rows], [10, 10, 4, 3]
        )

    def test_pairs_count_configurations_and_instances(self) -> None:
        done = self.take()
        self.assertEqual(
            pairs(done.set, full_solves(done.set, "reported")),
            {"both": 2, "code_proof_only": 1, "proof_only": 1, "neither": 2},
        )

    def test_importing_again_changes_nothing(self) -> None:
        self.take()
        again = self.take()
        self.assertFalse(again.made)
        self.assertEqual(Cell.objects.count(), 11)

    def test_another_denominator_is_refused_and_nothing_changes(self) -> None:
        self.take()
        with self.assertRaisesMessage(
            TableError, "line 2, column specs: one has 11 specs in the table, 10"
        ):
            self.take(HEAD + "1,one,11,11,0,0,0\n")
        with self.assertRaisesMessage(TableError, "four is no instance of the set"):
            self.take(HEAD + "1,four,11,11,0,0,0\n")
        self.assertEqual(Cell.objects.count(), 11)

    def test_a_curator_may_not(self) -> None:
        with self.assertRaises(AccessDenied):
            import_results(
                self.curator.user, self.team, "Small", read_results(TABLE.encode())
            )

    def test_the_commands_say_the_same(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "t.csv").write_text(TABLE)
        (folder / "c.csv").write_text("column,cost_usd\na_cp,60\n")
        out = io.StringIO()
        call_command(
            "import_results",
            str(folder / "t.csv"),
            "--costs",
            str(folder / "c.csv"),
            "--set",
            "small",
            "--team",
            self.team.slug,
            "--json",
            stdout=out,
        )
        self.assertEqual(json.loads(out.getvalue())["cells"], 11)
        out = io.StringIO()
        call_command("standings", "--set", "small", "--json", stdout=out)
        document = json.loads(out.getvalue())
        self.assertEqual(document["denominators"], {"instances": 3, "specs": 60})
        self.assertEqual(document["rows"][0]["full_solves"], 2)
        self.assertEqual(document["rows"][0]["cost_per_solve"], 30.0)
        self.assertEqual(document["union_full_solves"], 3)

    def test_an_unknown_set_is_wrong_use(self) -> None:
        with self.assertRaises(SystemExit) as stopped:
            call_command("standings", "--set", "nothing", stderr=io.StringIO())
        self.assertEqual(stopped.exception.code, 2)
