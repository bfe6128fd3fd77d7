"""Every page of an instance: it works, and for whom."""

from __future__ import annotations

import io
import tarfile
from typing import Any

from django.urls import reverse

from curation.instances.models import Item, Link, Revision
from tests.curation.instances.made import (
    IMPL,
    SPEC,
    InstanceCase,
    import_tiny,
    source,
    tiny,
)
from workbench.access.models import Grant

PAGES = {
    "detail": (),
    "definitions": (),
    "specs": (),
    "findings": (),
    "files": (),
    "file": ("Tiny/Impl/Stack.lean",),
    "raw": ("Tiny/Impl/Stack.lean",),
    "links": (),
    "source_file": ("stack.py",),
    "source_raw": ("stack.py",),
    "history": (),
    "revision": (1,),
    "file_change": (1, "Tiny/Impl/Stack.lean"),
    "export": (),
}


class EveryPageTest(InstanceCase):
    def addresses(self) -> dict[str, str]:
        found = {
            name: reverse(f"instances:{name}", args=[self.instance.slug, *args])
            for name, args in PAGES.items()
        }
        push = self.definition("push").pk
        for name in ("definition", "candidates"):
            found[name] = reverse(f"instances:{name}", args=[self.instance.slug, push])
        return found

    def test_a_reader_of_the_team_sees_each(self) -> None:
        for name, address in self.addresses().items():
            with self.subTest(name):
                self.assertEqual(self.reader.get(address).status_code, 200)

    def test_for_another_team_none_exists(self) -> None:
        for name, address in self.addresses().items():
            with self.subTest(name):
                self.assertHidden(self.outsider.get(address))

    def test_a_visitor_is_asked_to_log_in(self) -> None:
        for name, address in self.addresses().items():
            with self.subTest(name):
                self.assertAsksForLogin(self.visitor.get(address))

    def test_none_takes_a_post(self) -> None:
        for name, address in self.addresses().items():
            with self.subTest(name):
                self.assertEqual(self.curator.post(address).status_code, 405)

    def test_a_hidden_instance_has_no_page(self) -> None:
        self.instance.hidden = True
        self.instance.save()
        for name, address in self.addresses().items():
            with self.subTest(name):
                self.assertHidden(self.maintainer.get(address))

    def test_a_grant_on_the_instance_opens_each(self) -> None:
        Grant.objects.create(
            user=self.outsider.user,
            role="reader",
            object_kind="instance",
            object_id=self.instance.pk,
        )
        for name, address in self.addresses().items():
            with self.subTest(name):
                self.assertEqual(self.outsider.get(address).status_code, 200)

    def test_the_cost_of_none_grows_with_the_instance(self) -> None:
        before = self.costs()
        self.assertLessEqual(max(before.values()), 34, before)
        more = "\n".join(
            f"def spec_more_{number} (impl : RepoImpl) : Prop := impl.tiny.size ⟨[]⟩ = {number}"
            for number in range(30)
        )
        import_tiny(self.curator.user, self.team, tiny(spec=f"{SPEC}\n{more}\n"))
        after = self.costs()
        for name, cost in after.items():
            with self.subTest(name):
                self.assertLessEqual(
                    cost, before[name] + 1
                )  # one for the older revision's parent

    def costs(self) -> dict[str, int]:
        found = {}
        for name, address in self.addresses().items():
            self.reader.get(address)
            with self.assertMostQueries(60) as captured:
                self.reader.get(address)
            found[name] = len(captured)
        return found


class ListTest(InstanceCase):
    url = "/instances/"

    def test_it_lists_what_the_person_may_see(self) -> None:
        self.assertContains(self.reader.get(self.url), "tiny")
        self.assertNotContains(self.outsider.get(self.url), "/instances/tiny/")
        self.assertContains(self.outsider.get(self.url), "No instance yet")

    def test_filters_live_in_the_url(self) -> None:
        self.assertContains(
            self.reader.get(self.url, {"language": "python"}), "/instances/tiny/"
        )
        self.assertNotContains(
            self.reader.get(self.url, {"language": "coq"}), "/instances/tiny/"
        )
        self.assertContains(
            self.reader.get(self.url, {"q": "stack"}), "/instances/tiny/"
        )
        self.assertContains(
            self.reader.get(self.url, {"q": "nothing like it"}), "No instance matches"
        )

    def test_the_cost_does_not_grow_with_the_list(self) -> None:
        self.reader.get(self.url)
        with self.assertMostQueries(60) as few:
            self.reader.get(self.url)
        for number in range(5):
            import_tiny(self.curator.user, self.team, tiny(f"tiny-{number}"))
        with self.assertMostQueries(len(few)):
            self.reader.get(self.url)

    def test_only_curators_are_offered_the_import(self) -> None:
        self.assertContains(self.curator.get(self.url), reverse("instances:import"))
        self.assertNotContains(self.reader.get(self.url), reverse("instances:import"))

    def test_by_id_leads_to_the_page_or_nowhere(self) -> None:
        address = reverse("instances:by_id", args=["instance", str(self.instance.pk)])
        self.assertRedirects(self.reader.get(address), "/instances/tiny/")
        self.assertHidden(self.outsider.get(address))
        revision = Revision.objects.get()
        address = reverse("instances:by_id", args=["revision", str(revision.pk)])
        self.assertRedirects(self.reader.get(address), "/instances/tiny/revisions/1/")


class DefinitionPageTest(InstanceCase):
    def page(self, name: str, **query: Any) -> Any:
        address = reverse(
            "instances:definition", args=[self.instance.slug, self.definition(name).pk]
        )
        return self.curator.get(address, query)

    def test_source_and_lean_stand_side_by_side(self) -> None:
        page = self.page("push")
        self.assertContains(page, 'id="lean-26"')
        self.assertContains(page, 'id="src-5"')
        self.assertContains(page, "linked by upstream_name")

    def test_names_of_both_sides_are_given_as_counterparts(self) -> None:
        page = self.page("push")
        self.assertEqual(page.context["names"], '[["push", "push"]]')
        self.assertContains(
            page, 'data-counterparts="[[&quot;push&quot;, &quot;push&quot;]]"'
        )

    def test_it_says_what_it_uses_and_what_uses_it(self) -> None:
        around = self.page("push").context["neighbours"]
        self.assertEqual(
            [row.definition.lean_name for row in around.uses], ["PushSig", "cons"]
        )
        self.assertEqual(
            [row.definition.lean_name for row in around.used_by], ["canonical"]
        )
        self.assertEqual(
            [row.definition.lean_name for row in around.specs], ["spec_push_size"]
        )

    def test_without_a_link_it_says_why_there_is_no_source(self) -> None:
        self.assertContains(self.page("cons"), "No source item is linked")

    def test_where_several_items_fit_it_says_so_and_offers_them(self) -> None:
        upstream = source(
            "class A:\n    def far(self): pass\n\nclass B:\n    def far(self): pass\n"
        )
        files = tiny("other", impl=IMPL + "\ndef far : Nat := 1\n")
        other = import_tiny(
            self.curator.user, self.team, files, upstream
        ).revision.instance
        far = other.definitions.get(lean_name="far")
        page = self.curator.get(
            reverse("instances:definition", args=[other.slug, far.pk])
        )
        self.assertEqual(
            sorted(
                item.qualified_name for item in page.context["gap"].candidates.all()
            ),
            ["A.far", "B.far"],
        )
        self.assertContains(page, "does not choose between them")

    def test_an_older_version_is_shown_as_a_diff(self) -> None:
        import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("n :: xs", "[n] ++ xs")),
        )
        page = self.page("cons", against=1)
        self.assertContains(page, "<del>")
        self.assertContains(page, "<ins>")

    def test_a_definition_that_is_gone_is_shown_as_it_last_was(self) -> None:
        gone = self.definition("cons")
        import_tiny(
            self.curator.user, self.team, tiny(impl=IMPL.replace("cons", "put"))
        )
        page = self.curator.get(
            reverse("instances:definition", args=[self.instance.slug, gone.pk])
        )
        self.assertContains(page, "not in the current revision")
        self.assertContains(page, "last in r1")

    def test_unknown_numbers_in_the_address_do_no_harm(self) -> None:
        for query in (
            {"against": "x"},
            {"against": "99"},
            {"item": "0"},
            {"against": "²"},
        ):
            with self.subTest(query):
                self.assertEqual(self.page("push", **query).status_code, 200)


class WindowTest(InstanceCase):
    url = "/instances/tiny/files/Tiny/Impl/Stack.lean"

    def test_htmx_gets_the_lines_alone(self) -> None:
        page = self.reader.get(self.url, {"lines": "1-3", "within": "1-6"}, htmx=True)
        self.assertContains(page, 'id="lean-3"')
        self.assertNotContains(page, "<html")

    def test_without_htmx_the_whole_page_opens_them(self) -> None:
        page = self.reader.get(self.url, {"lines": "1-3", "within": "1-6"})
        self.assertContains(page, "<html")
        self.assertContains(page, 'id="lean-3"')

    def test_a_range_that_makes_no_sense_is_refused_in_words(self) -> None:
        page = self.reader.get(self.url, {"lines": "3-1", "within": "1-6"})
        self.assertContains(page, "expected two line numbers", status_code=400)

    def test_a_file_that_is_not_there_does_not_exist(self) -> None:
        self.assertHidden(self.reader.get("/instances/tiny/files/Tiny/Nothing.lean"))
        self.assertHidden(self.reader.get("/instances/tiny/files/../../etc/passwd"))

    def test_raw_bytes_cannot_run_in_the_browser(self) -> None:
        page = self.reader.get("/instances/tiny/raw/Tiny/Impl/Stack.lean")
        self.assertEqual(page.content, IMPL.encode())
        self.assertEqual(page["Content-Type"], "text/plain; charset=utf-8")
        self.assertEqual(page["X-Content-Type-Options"], "nosniff")
        self.assertIn("sandbox", page["Content-Security-Policy"])

    def test_an_older_revision_shows_its_own_text(self) -> None:
        import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("n :: xs", "[n] ++ xs")),
        )
        self.assertContains(
            self.reader.get("/instances/tiny/raw/Tiny/Impl/Stack.lean", {"r": 1}),
            "n :: xs",
        )
        self.assertContains(
            self.reader.get("/instances/tiny/raw/Tiny/Impl/Stack.lean"), "[n] ++ xs"
        )
        self.assertHidden(self.reader.get(self.url, {"r": 7}))
        self.assertEqual(self.reader.get(self.url, {"r": "one"}).status_code, 400)


class LinkByHandTest(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.cons = self.definition("cons")
        self.helper = Item.objects.get(name="helper")
        self.url = reverse("instances:link", args=[self.instance.slug, self.cons.pk])

    def test_a_curator_links(self) -> None:
        response = self.curator.post(self.url, {"item": self.helper.pk})
        self.assertRedirects(
            response, reverse("instances:definition", args=["tiny", self.cons.pk])
        )
        link = Link.objects.get(definition=self.cons)
        self.assertEqual(
            (link.item, link.basis, link.by), (self.helper, "hand", self.curator.user)
        )
        self.assertEvent(
            "item.linked", by=self.curator.user, about=self.cons, item="helper"
        )

    def test_a_curator_rejects(self) -> None:
        push = self.definition("push")
        item = Item.objects.get(qualified_name="Stack.push")
        url = reverse("instances:link", args=["tiny", push.pk])
        self.curator.post(url, {"item": item.pk, "reject": "1"})
        self.assertTrue(Link.objects.get(definition=push).rejected)
        self.assertEvent("item.unlinked", by=self.curator.user, about=push)

    def test_others_may_not(self) -> None:
        for persona in (self.reader, self.reviewer, self.submitter, self.adjudicator):
            with self.subTest(persona.user.username):
                self.assertForbidden(persona.post(self.url, {"item": self.helper.pk}))
        self.assertHidden(self.outsider.post(self.url, {"item": self.helper.pk}))
        self.assertFalse(Link.objects.filter(definition=self.cons).exists())

    def test_an_item_of_another_instance_does_not_exist(self) -> None:
        other = import_tiny(
            self.curator.user,
            self.team,
            tiny("other"),
            {"stack.py": b"def far(): pass\n"},
        )
        far = Item.objects.get(source=other.revision.source)
        self.assertHidden(self.curator.post(self.url, {"item": far.pk}))

    def test_nonsense_for_an_item_does_not_exist(self) -> None:
        for item in ("", "x", "-1", "99999999999999999999", "9" * 5000):
            with self.subTest(item):
                self.assertHidden(self.curator.post(self.url, {"item": item}))

    def test_items_to_choose_from_are_found_by_name(self) -> None:
        url = reverse("instances:candidates", args=["tiny", self.cons.pk])
        self.assertContains(
            self.curator.get(url, {"words": "help"}, htmx=True), "helper"
        )
        self.assertNotContains(
            self.curator.get(url, {"words": "help"}, htmx=True), "<html"
        )
        self.assertContains(self.curator.get(url, {"words": "help"}), "<html")


class RevisionPageTest(InstanceCase):
    def test_it_lists_what_changed_against_any_other(self) -> None:
        import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("def cons", "def put").replace("⟨cons", "⟨put")),
        )
        page = self.reader.get("/instances/tiny/revisions/2/")
        changes = page.context["changes"]
        self.assertEqual([row.definition.lean_name for row in changes.added], ["put"])
        self.assertEqual(
            [row.definition.lean_name for row in changes.removed], ["cons"]
        )
        self.assertEqual(
            [row.definition.lean_name for row in changes.changed], ["push"]
        )
        self.assertEqual(changes.files_changed, ["Tiny/Impl/Stack.lean"])
        back = self.reader.get("/instances/tiny/revisions/1/", {"against": 2}).context[
            "changes"
        ]
        self.assertEqual([row.definition.lean_name for row in back.added], ["cons"])

    def test_a_changed_file_is_shown_line_by_line(self) -> None:
        import_tiny(
            self.curator.user,
            self.team,
            tiny(impl=IMPL.replace("n :: xs", "[n] ++ xs")),
        )
        page = self.reader.get("/instances/tiny/revisions/2/files/Tiny/Impl/Stack.lean")
        self.assertContains(page, "<ins>")


class FileChangeTest(InstanceCase):
    url = "/instances/tiny/revisions/2/files/Tiny/Impl/Stack.lean"

    def setUp(self) -> None:
        super().setUp()
        changed = IMPL.replace("n :: xs", "[n] ++ xs").replace(
            "  items :", "    items :"
        )
        import_tiny(self.curator.user, self.team, tiny(impl=changed))

    def test_side_by_side_and_unified_are_links(self) -> None:
        for mode in ("unified", "split", "nonsense"):
            with self.subTest(mode):
                self.assertContains(
                    self.reader.get(self.url, {"mode": mode}), "mode=split"
                )

    def test_white_space_can_be_ignored_and_the_page_says_so(self) -> None:
        self.assertEqual(self.reader.get(self.url).context["diff"].diff.added, 2)
        ignored = self.reader.get(self.url, {"space": "ignore"})
        self.assertContains(ignored, "Show changes of white space")
        self.assertEqual(ignored.context["diff"].diff.added, 1)

    def test_a_gap_opens_by_itself_under_htmx_and_on_the_page_without(self) -> None:
        window = {"lines": "12-16", "within": "10-20"}
        piece = self.reader.get(self.url, window, htmx=True)
        self.assertNotContains(piece, "<html")
        self.assertContains(piece, "global_aux")
        self.assertContains(self.reader.get(self.url, window), "<html")

    def test_a_query_that_makes_no_sense_is_refused_in_words(self) -> None:
        self.assertEqual(self.reader.get(self.url, {"start": "x"}).status_code, 400)
        self.assertEqual(self.reader.get(self.url, {"lines": "x"}).status_code, 400)

    def test_a_file_in_neither_revision_does_not_exist(self) -> None:
        self.assertHidden(
            self.reader.get("/instances/tiny/revisions/2/files/Tiny/Nothing.lean")
        )


class ExportTest(InstanceCase):
    def test_the_archive_depends_on_the_files_alone(self) -> None:
        first = self.reader.get("/instances/tiny/export/").content
        self.assertEqual(self.reader.get("/instances/tiny/export/").content, first)

    def test_it_holds_the_bytes_that_were_imported(self) -> None:
        packed = self.reader.get("/instances/tiny/export/").content
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            found = {
                member.name.removeprefix("tiny-r1/"): archive.extractfile(member).read()  # type: ignore[union-attr]  # files only
                for member in archive.getmembers()
            }
        self.assertEqual(found, tiny())


class SolverViewTest(InstanceCase):
    def names(self, mode: str) -> list[str]:
        packed = self.reader.get(f"/instances/tiny/solver/{mode}/").content
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            return sorted(archive.getnames())

    def test_it_holds_stubs_and_no_manifest(self) -> None:
        names = self.names("codeproof")
        self.assertIn("tiny-r1-codeproof/Tiny/Proof/Joint.lean", names)
        self.assertNotIn("tiny-r1-codeproof/manifest.json", names)
        self.assertNotIn("tiny-r1-proof/Tiny/Proof/Joint.lean", self.names("proof"))

    def test_another_mode_or_team_has_none(self) -> None:
        self.assertHidden(self.reader.get("/instances/tiny/solver/other/"))
        self.assertHidden(self.outsider.get("/instances/tiny/solver/proof/"))

    def test_what_cannot_be_rendered_is_said_on_the_page_of_files(self) -> None:
        files = tiny("broken")
        del files["Tiny/Harness.lean"]
        import_tiny(self.curator.user, self.team, files)
        response = self.reader.client.get(
            "/instances/broken/solver/proof/", follow=True
        )
        self.assertContains(response, "cannot be rendered")
        self.assertContains(response, "Tiny/Harness.lean")


class WalkTest(InstanceCase):
    def test_the_next_definition_is_the_next_of_the_filtered_list(self) -> None:
        listed = self.reader.get("/instances/tiny/definitions/", {"kind": "api"})
        push, size = self.definition("push").pk, self.definition("size").pk
        self.assertContains(listed, f"/instances/tiny/definitions/{size}/?kind=api")
        page = self.reader.get(f"/instances/tiny/definitions/{size}/", {"kind": "api"})
        self.assertEqual(page.context["after"].definition_id, push)
        self.assertContains(page, f"/instances/tiny/definitions/{push}/?kind=api")
        unfiltered = self.reader.get(f"/instances/tiny/definitions/{size}/")
        self.assertEqual(unfiltered.context["after"].definition.lean_name, "cons")


class RejectedTest(InstanceCase):
    def test_a_rejection_is_shown_with_who_and_can_be_taken_back(self) -> None:
        push = self.definition("push")
        item = Item.objects.get(qualified_name="Stack.push")
        url = reverse("instances:link", args=["tiny", push.pk])
        self.curator.post(
            url, {"item": item.pk, "reject": "1", "reason": "another stack"}
        )
        self.assertEqual(self.assertEvent("item.unlinked").reason, "another stack")
        page = self.curator.get(reverse("instances:definition", args=["tiny", push.pk]))
        self.assertContains(page, "Said to be no counterpart")
        self.assertContains(page, "Link it after all")
        self.curator.post(url, {"item": item.pk})
        self.assertFalse(Link.objects.get(definition=push).rejected)


class SourceGivenLaterTest(InstanceCase):
    def test_the_event_log_tells_it(self) -> None:
        import_tiny(self.curator.user, self.team, tiny("late"))
        import_tiny(self.curator.user, self.team, tiny("late"), source())
        self.assertContains(self.reader.get("/events/"), "gave the source files of")

    def test_a_search_finds_source_items(self) -> None:
        self.assertContains(
            self.reader.get("/search/", {"q": "Stack.pu"}), "stack.py:5"
        )
        self.assertNotContains(
            self.outsider.get("/search/", {"q": "Stack.pu"}), "stack.py:5"
        )


class ExplainTest(InstanceCase):
    def test_every_finding_has_its_page(self) -> None:
        from curation.format.findings import KINDS

        self.assertTrue(KINDS)
        for code in KINDS:
            with self.subTest(code):
                self.assertContains(
                    self.reader.get(reverse("instances:explain", args=[code])), code
                )

    def test_a_finding_that_is_none_does_not_exist(self) -> None:
        self.assertHidden(self.reader.get("/instances/explain/nothing-like-it/"))
