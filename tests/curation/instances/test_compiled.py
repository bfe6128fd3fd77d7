"""What the page of an instance makes of builds: Lean is not said to have read what no build told of."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from curation.instances.actions.publish_terms import Compiled, publish_terms
from curation.instances.contributions import Blocker
from curation.instances.models import Revision
from curation.instances.selectors.overview import blockers, stage_rail
from curation.instances.selectors.terms import compilation, untold
from tests.curation.instances.made import IMPL, InstanceCase, import_tiny, tiny
from workbench.events.models import Event

TEST = "Tiny/Test.lean"


class CompiledTest(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.revision = self.now()
        rows = self.revision.placements.select_related("definition")
        self.keys = [(row.definition.path, row.definition.lean_name) for row in rows]

    def now(self) -> Revision:
        return self.instance.revisions.get(is_current=True)

    def build(
        self,
        terms: Mapping[tuple[str, str], str],
        failed: tuple[str, ...] | None = None,
        toolchain: str = "t",
        grader: str = "g",
    ) -> None:
        compiled = Compiled(
            "elan", "4.29.1", toolchain, grader, "scheme", terms, failed
        )
        with transaction.atomic():
            publish_terms(self.revision, compiled)

    def found(self) -> dict[str, Blocker]:
        return {one.kind: one for one in blockers(self.revision)}

    def validate(self) -> str:
        steps = stage_rail(self.revision, compilation(self.revision))
        return next(step.note for step in steps if step.name == "validate")

    def all(self) -> dict[tuple[str, str], str]:
        return dict.fromkeys(self.keys, "a hash")

    def test_what_no_build_told_of_blocks_with_its_number_and_the_way_to_the_button(
        self,
    ) -> None:
        total = len(self.keys)
        blocker = self.found()["not built"]
        self.assertIn(f"{total} of {total}", blocker.words)
        page = self.curator.get(blocker.url)
        self.assertContains(page, blocker.words)
        self.assertContains(page, 'id="compiled"')
        self.assertContains(page, "files read, not built")
        self.build(dict(list(self.all().items())[1:]))
        self.assertIn(f"1 of {total}", self.found()["not built"].words)
        self.assertEqual(self.validate(), f"{total - 1} of {total} compiled")

    def test_it_goes_when_every_definition_has_compiled_also_without_a_hash(
        self,
    ) -> None:
        self.build(self.all() | {self.keys[0]: ""})
        self.assertNotIn("not built", self.found())
        self.assertEqual(self.validate(), "all compiled")
        self.assertEqual(untold(self.revision, ("t", "scheme")), set())

    def test_two_toolchains_that_compiled_a_part_each_have_not_compiled_it(
        self,
    ) -> None:
        first, *others = self.all().items()
        self.build(dict([first]), toolchain="one")
        self.build(dict(others), toolchain="another")
        total = len(self.keys)
        self.assertIn(f"1 of {total}", self.found()["not built"].words)

    def test_a_build_of_another_revision_tells_nothing_of_this_one(self) -> None:
        self.build(self.all())
        files = tiny(impl=IMPL.replace("n :: xs", "xs ++ [n]"))
        import_tiny(self.users["curator"], self.team, files)
        self.revision = self.now()
        self.assertIn("not built", self.found())

    def test_an_anonymous_instance_is_told_of_by_no_build(self) -> None:
        nameless = IMPL + "\ninstance : Inhabited Stack := ⟨⟨[]⟩⟩\n"
        import_tiny(self.users["curator"], self.team, tiny(impl=nameless))
        self.revision = self.now()
        self.build(self.all())
        total = len(self.keys) + 1
        self.assertIn(f"1 of {total}", self.found()["not built"].words)

    def test_files_that_were_not_built_block_until_all_are(self) -> None:
        self.build(self.all(), failed=(TEST,))
        self.assertEqual(self.found()["build"].tone, "bad")
        self.assertIn(TEST, self.found()["build"].what)
        self.assertEqual(self.validate(), "1 file not built")
        page = self.curator.get(self.found()["build"].url)
        self.assertContains(page, f"Compile r{self.revision.number}")
        # Said again, it stays, and is no news; a build that tried not all of them says nothing about it.
        events = Event.objects.count()
        self.build(self.all(), failed=(TEST,))
        self.build(self.all())
        self.assertIn("build", self.found())
        self.assertEqual(Event.objects.count(), events)
        self.build({}, failed=(), toolchain="another", grader="newer")
        self.assertNotIn("build", self.found())
        self.assertEqual(self.validate(), "all compiled")
        self.assertEqual(Event.objects.count(), events + 1)
