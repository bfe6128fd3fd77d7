"""Importing: everything or nothing, again and again."""

from __future__ import annotations

import threading

from django.db import connection

from curation.format.findings import FormatError
from curation.instances.actions.link_item import link_item, unlink_item
from curation.instances.models import (
    Definition,
    Instance,
    Item,
    Link,
    Placement,
    Revision,
    Translation,
    Use,
)
from tests.case import CommittedTestCase, WorkbenchTestCase
from tests.curation.instances.made import (
    IMPL,
    SOURCE,
    SPEC,
    InstanceCase,
    import_tiny,
    source,
    tiny,
)
from workbench.access.rights import AccessDenied
from workbench.content.trees import read_tree
from workbench.events.models import Event


class FirstImportTest(WorkbenchTestCase):
    def test_it_writes_revision_one_with_all_that_was_read(self) -> None:
        done = import_tiny(self.curator.user, self.team)
        revision = done.revision
        self.assertTrue(done.changed)
        self.assertEqual(
            (revision.number, revision.is_current, revision.parent), (1, True, None)
        )
        self.assertEqual(
            (revision.module_count, revision.api_count, revision.spec_count), (1, 2, 1)
        )
        self.assertEqual(read_tree(revision.snapshot), tiny())
        kinds = dict(revision.placements.values_list("definition__lean_name", "kind"))
        self.assertEqual(
            kinds,
            {
                "Stack": Definition.TYPE,
                "PushSig": Definition.SIGNATURE,
                "SizeSig": Definition.SIGNATURE,
                "size": Definition.API,
                "cons": Definition.HELPER,
                "push": Definition.API,
                "spec_push_size": Definition.SPEC,
                "TinyBundle": Definition.HARNESS,
                "RepoImpl": Definition.HARNESS,
                "canonical": Definition.HARNESS,
            },
        )
        self.assertEvent(
            "revision.imported", by=self.curator.user, about=revision, added=7
        )

    def test_text_and_lines_are_those_of_the_file(self) -> None:
        import_tiny(self.curator.user, self.team)
        lines = IMPL.split("\n")
        for placement in Placement.objects.filter(
            definition__path="Tiny/Impl/Stack.lean"
        ):
            text = "\n".join(lines[placement.line_start - 1 : placement.line_end])
            self.assertIn(placement.translation.text.strip(), text)

    def test_uses_are_drawn_directly_and_through_impl(self) -> None:
        import_tiny(self.curator.user, self.team)
        edges = set(
            Use.objects.values_list(
                "user__lean_name", "used__lean_name", "through_impl"
            )
        )
        self.assertIn(("push", "cons", False), edges)
        self.assertIn(("spec_push_size", "push", True), edges)
        self.assertIn(("spec_push_size", "size", True), edges)
        self.assertNotIn(("push", "size", False), edges)

    def test_a_spec_is_about_what_its_helpers_mention(self) -> None:
        spec = SPEC + (
            "\ndef Grows (impl : RepoImpl) (s : Stack) : Prop := impl.tiny.size s < impl.tiny.size (impl.tiny.push s 1)\n"
            "\ndef spec_grows (impl : RepoImpl) : Prop := ∀ s, Grows impl s\n"
        )
        files = tiny(spec=spec)
        files["manifest.json"] = files["manifest.json"].replace(
            b'"spec_push_size"', b'"spec_push_size", "spec_grows"'
        )
        import_tiny(self.curator.user, self.team, files)
        rows = Use.objects.filter(user__lean_name="spec_grows").values_list(
            "used__lean_name", "indirect"
        )
        self.assertEqual(
            set(rows),
            {
                ("RepoImpl", False),
                ("Grows", False),
                ("push", True),
                ("size", True),
            },
        )

    def test_who_may_not_curate_imports_nothing(self) -> None:
        for persona in (self.reader, self.reviewer, self.submitter, self.outsider):
            with self.assertRaises(AccessDenied):
                import_tiny(persona.user, self.team)
        self.assertFalse(Instance.objects.exists())

    def test_what_cannot_be_read_leaves_nothing_behind(self) -> None:
        with self.assertRaises(FormatError) as refused:
            import_tiny(
                self.curator.user,
                self.team,
                {**tiny(), "manifest.json": b'{"benchmark_id": 3'},
            )
        self.assertIn("manifest.json:1", str(refused.exception))
        self.assertFalse(Instance.objects.exists())
        self.assertFalse(Event.objects.exists())

    def test_two_teams_may_have_the_same_benchmark(self) -> None:
        ours = import_tiny(self.curator.user, self.team).revision.instance
        theirs = import_tiny(self.outsider.user, self.other_team).revision.instance
        self.assertNotEqual(ours.pk, theirs.pk)
        self.assertEqual((ours.slug, theirs.slug), ("tiny", "tiny-2"))

    def test_names_of_our_own_addresses_are_not_taken(self) -> None:
        done = import_tiny(self.curator.user, self.team, tiny("import"))
        self.assertEqual(done.revision.instance.slug, "import-2")

    def test_slashes_and_dots_in_the_id_become_dashes(self) -> None:
        done = import_tiny(self.curator.user, self.team, tiny("sorted.containers/core"))
        self.assertEqual(done.revision.instance.slug, "sorted-containers-core")


class SecondImportTest(InstanceCase):
    def test_the_same_tree_changes_nothing_and_says_so(self) -> None:
        with self.assertNoEvent():
            done = import_tiny(self.curator.user, self.team)
        self.assertFalse(done.changed)
        self.assertEqual(Revision.objects.count(), 1)

    def test_a_changed_tree_is_the_next_revision_with_a_report(self) -> None:
        impl = IMPL.replace("def cons (n : Nat)", "def put (n : Nat)").replace(
            "⟨cons n", "⟨put n"
        )
        done = import_tiny(self.curator.user, self.team, tiny(impl=impl))
        self.assertEqual(done.revision.number, 2)
        self.assertEqual(done.revision.parent, self.instance.revisions.get(number=1))
        change = done.differences
        self.assertEqual((change.added, change.changed, change.removed), (1, 1, 1))
        self.assertEqual(
            list(self.instance.revisions.filter(is_current=True)), [done.revision]
        )

    def test_an_unchanged_definition_keeps_its_version(self) -> None:
        before = self.placement("size").translation
        import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("n :: xs", "[n] ++ xs")),
        )
        self.assertEqual(self.placement("size").translation, before)
        self.assertEqual(self.placement("cons").translation.number, 2)
        old = Translation.objects.get(definition=self.definition("cons"), number=1)
        self.assertFalse(old.is_current)
        self.assertIn("n :: xs", old.text)

    def test_a_text_that_comes_back_is_a_new_version(self) -> None:
        import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("n :: xs", "[n] ++ xs")),
        )
        import_tiny(self.curator.user, self.team)
        self.assertEqual(self.placement("cons").translation.number, 3)
        self.assertEqual(Revision.objects.count(), 3)

    def test_a_removed_definition_that_returns_is_the_same_definition(self) -> None:
        before = self.definition("spec_push_size")
        import_tiny(
            self.curator.user,
            self.team,
            tiny(spec=SPEC.replace("spec_push_size", "spec_other")),
        )
        import_tiny(self.curator.user, self.team)
        self.assertEqual(self.placement("spec_push_size").definition, before)


class SourceTest(InstanceCase):
    def links(self, name: str) -> list[str]:
        found = Link.objects.filter(definition=self.definition(name), rejected=False)
        return [link.item.qualified_name for link in found]

    def test_definitions_are_linked_to_items(self) -> None:
        self.assertEqual(self.links("push"), ["Stack.push"])
        self.assertEqual(self.links("size"), ["Stack.size"])
        self.assertEqual(
            Link.objects.get(definition=self.definition("push")).basis, "upstream_name"
        )

    def test_a_source_given_later_fills_the_revision_that_is_there(self) -> None:
        late = import_tiny(self.curator.user, self.team, tiny("late"))
        self.assertIsNone(late.revision.source and late.revision.source.snapshot)
        given = import_tiny(self.curator.user, self.team, tiny("late"), source())
        self.assertTrue(given.changed)
        self.assertEqual(given.revision, late.revision)
        self.assertEqual(
            given.revision.item_count,
            Item.objects.filter(source=given.revision.source).count(),
        )
        self.assertEvent("source.given", about=late.revision)

    def test_a_changed_tree_without_source_files_keeps_the_source(self) -> None:
        done = import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("n :: xs", "[n] ++ xs")),
        )
        self.assertEqual(
            done.revision.source, self.instance.revisions.get(number=1).source
        )
        self.assertEqual(self.links("push"), ["Stack.push"])

    def test_what_people_decided_survives_every_import(self) -> None:
        helper = Item.objects.get(name="helper")
        push = Item.objects.get(qualified_name="Stack.push")
        link_item(self.curator.user, self.definition("cons"), helper)
        unlink_item(self.curator.user, self.definition("push"), push)
        import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("n :: xs", "[n] ++ xs")),
            source(),
        )
        self.assertEqual(self.links("cons"), ["helper"])
        self.assertEqual(self.links("push"), [])

    def test_what_people_decided_is_carried_to_a_new_version_of_the_source(
        self,
    ) -> None:
        helper = Item.objects.get(name="helper")
        push = Item.objects.get(qualified_name="Stack.push")
        link_item(self.curator.user, self.definition("cons"), helper)
        unlink_item(self.curator.user, self.definition("push"), push)
        newer = import_tiny(
            self.curator.user,
            self.team,
            upstream=source("# moved by a line\n" + SOURCE),
        )
        standing = Link.objects.filter(item__source=newer.revision.source)
        self.assertEqual(
            standing.get(definition=self.definition("cons")).item.line_start,
            helper.line_start + 1,
        )
        self.assertTrue(standing.get(definition=self.definition("push")).rejected)


class OldPageTest(InstanceCase):
    def test_a_decision_on_an_item_of_the_source_before_counts_for_the_same_item_now(
        self,
    ) -> None:
        push = Item.objects.get(qualified_name="Stack.push")
        newer = import_tiny(
            self.curator.user,
            self.team,
            upstream=source("# moved by a line\n" + SOURCE),
        )
        link = unlink_item(self.curator.user, self.definition("push"), push)
        self.assertEqual(link.item.source, newer.revision.source)
        standing = Link.objects.filter(
            definition=self.definition("push"), item__source=newer.revision.source
        )
        self.assertTrue(standing.get().rejected)


class RaceTest(CommittedTestCase):
    def test_many_imports_at_once_make_one_instance_with_one_current_revision(
        self,
    ) -> None:
        errors: list[Exception] = []
        gate = threading.Barrier(6)

        def work(number: int) -> None:
            try:
                gate.wait()
                files = tiny(impl=IMPL.replace("n :: xs", f"{number} :: n :: xs"))
                import_tiny(self.curator.user, self.team, files)
            except Exception as error:
                errors.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        instance = Instance.objects.get()
        self.assertEqual(
            sorted(instance.revisions.values_list("number", flat=True)),
            [1, 2, 3, 4, 5, 6],
        )
        self.assertEqual(instance.revisions.filter(is_current=True).count(), 1)
        self.assertEqual(
            Translation.objects.filter(
                definition__lean_name="cons", is_current=True
            ).count(),
            1,
        )

    def test_benchmarks_whose_names_give_one_address_do_not_get_in_each_others_way(
        self,
    ) -> None:
        errors: list[Exception] = []
        names = ["a.b", "a-b", "a/b", "A b"]
        gate = threading.Barrier(len(names))

        def work(name: str) -> None:
            try:
                gate.wait()
                import_tiny(self.curator.user, self.team, tiny(name))
            except Exception as error:
                errors.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=work, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(
            sorted(Instance.objects.values_list("slug", flat=True)),
            ["a-b", "a-b-2", "a-b-3", "a-b-4"],
        )


class LargeSourceTest(WorkbenchTestCase):
    def test_of_a_large_repository_only_the_named_files_are_read(self) -> None:
        upstream = {
            **source(),
            "other.py": b"def far():\n    pass\n" + b"# filler\n" * 500_000,
        }
        done = import_tiny(self.curator.user, self.team, upstream=upstream)
        assert done.revision.source is not None
        self.assertTrue(done.revision.source.partly_read)
        self.assertEqual(set(Item.objects.values_list("path", flat=True)), {"stack.py"})

    def test_of_a_small_one_all_are_read_and_the_named_ones_are_in_scope(self) -> None:
        upstream = {**source(), "other.py": b"def far():\n    pass\n"}
        done = import_tiny(self.curator.user, self.team, upstream=upstream)
        assert done.revision.source is not None
        self.assertFalse(done.revision.source.partly_read)
        scopes = dict(Item.objects.values_list("name", "in_scope"))
        self.assertEqual((scopes["far"], scopes["push"]), (False, True))
