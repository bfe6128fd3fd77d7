"""What the pages of an instance put first, leave out, and show of a change."""

from __future__ import annotations

from curation.instances.models import RevisionFinding
from tests.curation.instances.made import InstanceCase


class FindingsPageTest(InstanceCase):
    url = "/instances/tiny/findings/"

    def setUp(self) -> None:
        super().setUp()
        revision = self.instance.revisions.get()
        revision.findings.all().delete()
        for severity in ("info", "warning", "error"):
            for code in ("b-code", "a-code"):
                RevisionFinding.objects.create(
                    revision=revision, severity=severity, code=code, message="said"
                )

    def test_the_worst_come_first(self) -> None:
        rows = self.reader.get(self.url).context["page"].rows
        self.assertEqual(
            [(row.severity, row.code) for row in rows[:3]],
            [("error", "a-code"), ("error", "b-code"), ("warning", "a-code")],
        )

    def test_the_worst_come_first_on_the_instance_page_too(self) -> None:
        codes = self.reader.get("/instances/tiny/").context["codes"]
        self.assertEqual(
            [row["severity"] for _, row in codes],
            ["error", "error", "warning", "warning", "info", "info"],
        )


class DefinitionListTest(InstanceCase):
    url = "/instances/tiny/definitions/"

    def names(self, **query: str) -> list[str]:
        page = self.reader.get(self.url, query)
        return [row.definition.lean_name for row, _ in page.context["rows"]]

    def test_it_lists_as_many_as_the_tab_says(self) -> None:
        page = self.reader.get(self.url)
        tab = next(tab for tab in page.context["tabs"] if tab.current)
        self.assertEqual(str(page.context["total"]), str(tab.count))

    def test_the_harness_is_left_out_until_somebody_asks_for_it(self) -> None:
        self.assertNotIn("canonical", self.names())
        self.assertIn("canonical", self.names(kind="harness"))
        self.assertIn("canonical", self.names(q="canon"))


class HistoryPageTest(InstanceCase):
    def test_what_happened_is_told_in_sentences(self) -> None:
        page = self.reader.get("/instances/tiny/history/")
        self.assertContains(page, "<b>curator</b> imported")
        self.assertNotContains(page, ">revision.imported")
