"""The pages of a set: make it, change it, put in and take out; and of a configuration."""

from __future__ import annotations

import io

from django.urls import reverse

from adjudication.standings.models import Cell, InstanceSet
from tests.adjudication.standings.made import (
    BoardCase,
)


class SetPagesTest(BoardCase):
    def test_a_set_is_made_with_every_instance(self) -> None:
        data = {"name": "All of it", "team": self.team.slug, "everything": "on"}
        answer = self.maintainer.post(reverse("boards:make"), data)
        made = InstanceSet.objects.get(slug="all-of-it")
        self.assertRedirects(answer, reverse("boards:edit", args=[made.slug]))
        self.assertEqual(made.members.count(), 1)

    def test_a_bad_name_is_refused_with_words(self) -> None:
        for name in ("…", "small", "make"):
            data = {"name": name, "team": self.team.slug}
            answer = self.maintainer.post(reverse("boards:make"), data)
            self.assertContains(answer, name, status_code=422)

    def test_who_may_not_change_it_reads_it(self) -> None:
        page = self.reader.get(reverse("boards:edit", args=["small"]))
        self.assertContains(page, self.instance.slug)
        self.assertNotContains(page, "Put in")
        self.assertHidden(self.outsider.get(reverse("boards:edit", args=["small"])))
        self.assertForbidden(self.curator.get(reverse("boards:make")))
        for name in ("policy", "add", "remove"):
            url = reverse(f"boards:{name}", args=["small"])
            self.assertForbidden(self.curator.post(url))
            self.assertHidden(self.outsider.post(url))
            self.assertEqual(self.maintainer.get(url).status_code, 302)

    def test_instances_come_and_go(self) -> None:
        self.run_of()
        remove = reverse("boards:remove", args=["small"])
        self.maintainer.post(remove, {"member": self.instance.slug})
        self.assertEqual(self.set.members.count(), 0)
        self.assertEqual(Cell.objects.count(), 0)
        self.assertEvent("set.emptied", by=self.maintainer.user)
        again = self.maintainer.post(remove, {"member": self.instance.slug})
        self.assertContains(again, "no instance of that name", status_code=422)
        add = reverse("boards:add", args=["small"])
        self.assertEqual(self.maintainer.post(add).status_code, 422)
        self.maintainer.post(add, {"instance": [self.instance.slug]})
        self.assertEqual(Cell.objects.count(), 1)

    def test_reported_counts_keep_their_place(self) -> None:
        table = f"track,instance,specs,x_po\n2,{self.instance.slug},1,1\n"
        data = {
            "results": io.BytesIO(table.encode()),
            "name": "small",
            "team": self.team.slug,
        }
        self.maintainer.post(reverse("boards:import"), data)
        self.run_of()
        remove = reverse("boards:remove", args=["small"])
        self.maintainer.post(remove, {"member": self.instance.slug})
        self.assertIsNone(self.set.members.get().instance)
        self.assertEqual([cell.basis for cell in Cell.objects.all()], ["reported"])

    def test_another_policy_writes_the_board_anew(self) -> None:
        self.run_of()
        self.run_of(outcome="sorry")
        self.assertEqual(Cell.objects.get().passed, 1)
        data = {"name": "Small", "choice": "latest", "needs_sandbox": "on"}
        url = reverse("boards:policy", args=["small"])
        self.assertEqual(self.maintainer.post(url, data).status_code, 302)
        self.assertEqual(Cell.objects.get().passed, 0)
        self.assertEvent("set.changed", by=self.maintainer.user)
        bad = self.maintainer.post(url, data | {"choice": "worst"})
        self.assertEqual(bad.status_code, 422)


class ConfigurationPageTest(BoardCase):
    def test_it_shows_cells_by_set_and_runs(self) -> None:
        run = self.run_of("agent", "sorry")
        page = self.reader.get("/boards/configurations/agent/")
        self.assertContains(page, "sorry 1")
        self.assertContains(page, run.get_absolute_url())
        self.assertEqual(
            self.reader.post("/boards/configurations/agent/").status_code, 405
        )
        self.assertHidden(self.outsider.get("/boards/configurations/agent/"))
        by_id = reverse(
            "boards:configuration_by_id", args=[run.submission.configuration_id]
        )
        self.assertIn(
            "/boards/configurations/agent/", self.reader.get(by_id)["Location"]
        )
        self.assertHidden(self.outsider.get(by_id))

    def test_one_set_at_a_time_is_chosen_in_the_address(self) -> None:
        self.told()
        page = self.reader.get("/boards/configurations/a/", {"set": "told"})
        self.assertEqual(len(page.context["parts"]), 2)
        other = self.reader.get("/boards/configurations/a/", {"set": "small"})
        self.assertContains(other, "Nothing of this configuration stands")
