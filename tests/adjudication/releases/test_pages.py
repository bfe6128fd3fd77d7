"""The pages of releases: what they show, to whom, and what their forms take."""

from __future__ import annotations

import hashlib
from typing import Any

from django.urls import reverse
from django.utils.html import escape

from adjudication.releases.actions.freeze_release import freeze_again
from adjudication.releases.actions.hold_as_seen import mark_of
from adjudication.releases.actions.publish_release import retract_release
from adjudication.releases.building import keep, place_of
from adjudication.releases.gate import standing
from adjudication.releases.models import Release
from adjudication.releases.selectors.releases import next_version
from adjudication.runs.selectors.compare import LOST
from adjudication.standings.actions.make_set import put_into_set
from curation.instances.models import Instance
from tests.adjudication.releases.made import ReleaseCase
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import SPEC, import_tiny, tiny
from workbench.jobs.models import Job
from workbench.jobs.perform import run_waiting


class PagesCase(ReleaseCase):
    def act(self, release: Release, act: str, who: Any = None, **fields: Any) -> Any:
        fields.setdefault("mark", mark_of(Release.objects.get(pk=release.pk)))
        address = reverse("releases:act", args=["small", release.version, act])
        return (who or self.maintainer).post(address, fields)

    def page(self, release: Release, who: Any = None) -> Any:
        return (who or self.reader).get(release.get_absolute_url())


class ListTest(PagesCase):
    def test_a_release_is_listed_and_found_by_set_state_and_instance(self) -> None:
        release = self.freeze()
        address = reverse("releases:list")
        for query in ("", "?set=small", "?state=draft", "?instance=tiny"):
            response = self.reader.get(address + query)
            self.assertContains(response, release.get_absolute_url(), msg_prefix=query)
        for query in ("?set=x", "?state=published", "?instance=x"):
            response = self.reader.get(address + query)
            self.assertNotContains(response, f'href="{release.get_absolute_url()}"')

    def test_another_team_sees_none_of_it(self) -> None:
        release = self.freeze()
        response = self.outsider.get(reverse("releases:list"))
        self.assertNotContains(response, release.get_absolute_url())
        self.assertHidden(self.page(release, self.outsider))
        self.assertHidden(self.act(release, "build", self.outsider))
        self.assertHidden(self.outsider.get(reverse("releases:of_set", args=["small"])))
        self.assertHidden(
            self.outsider.post(reverse("releases:freeze", args=["small"]))
        )
        self.assertAsksForLogin(self.visitor.get(release.get_absolute_url()))

    def test_it_asks_as_much_for_many_as_for_one(self) -> None:
        address = reverse("releases:list")
        self.freeze()
        self.reader.get(address)
        with self.assertMostQueries(22) as one:
            self.reader.get(address)
        for number in range(1, 5):
            self.freeze(f"1.{number}")
        with self.assertMostQueries(len(one)):
            self.reader.get(address)

    def test_the_next_version_is_one_higher(self) -> None:
        for version, following in (
            ("1.9", "1.10"),
            ("2026-12-01", "2026-12-2"),
            ("v2-rc", "v3-rc"),
            ("first", "first"),
        ):
            self.freeze(version)
            self.assertEqual(next_version(self.set), following)

    def test_the_page_of_a_set_freezes_the_next(self) -> None:
        address = reverse("releases:freeze", args=["small"])
        response = self.maintainer.post(address, {"version": "1.0", "note": "first"})
        release = Release.objects.get()
        self.assertRedirects(response, release.get_absolute_url())
        self.assertEqual(release.note, "first")
        self.assertEvent("release.frozen", by=self.maintainer.user, about=release)
        self.assertForbidden(self.curator.post(address, {"version": "2.0"}))
        self.assertEqual(self.maintainer.get(address).status_code, 302)

    def test_what_cannot_be_frozen_keeps_what_was_typed(self) -> None:
        address = reverse("releases:freeze", args=["small"])
        response = self.maintainer.post(
            address, {"version": "../up", "note": "my words"}
        )
        self.assertContains(response, "is no version", status_code=422)
        self.assertContains(response, "my words", status_code=422)

    def test_an_instance_leads_to_its_releases_and_search_finds_them(self) -> None:
        release = self.published()
        response = self.reader.get(reverse("instances:detail", args=["tiny"]))
        self.assertContains(response, f"{reverse('releases:list')}?instance=tiny")
        self.assertContains(response, release.get_absolute_url())
        response = self.reader.get(reverse("search"), {"q": "small"})
        self.assertContains(response, release.get_absolute_url())


class GatePageTest(PagesCase):
    def test_open_blockers_are_listed_with_the_way_out(self) -> None:
        release = self.freeze()
        for one in standing(release):
            self.assertContains(self.page(release), one.blocker.what)
            self.assertContains(self.page(release), escape(one.blocker.url))

    def test_one_signature_is_for_all_ticked_and_shows_who_and_why(self) -> None:
        import_tiny(self.users["curator"], self.team, tiny("other"))
        put_into_set(None, self.set, [Instance.objects.get(slug="other")])
        release = self.freeze()
        key = next(
            one.key for one in standing(release) if one.blocker.kind == "not built"
        )
        ids = [one.revision.pk for one in standing(release) if one.key == key]
        self.assertEqual(len(ids), 2)
        keys = {one.key for one in standing(release)}
        self.assertLess(len(keys), len(standing(release)))
        page = self.page(release)
        gate = page.content.decode().partition('id="gate"')[2]
        self.assertContains(page, f"{len(keys)} blockers open")
        self.assertIn(f">{len(keys)}</span>", gate.partition("</header>")[0])
        response = self.act(
            release, "waive", key=key, revision=ids, reason="fixtures are text"
        )
        self.assertRedirects(response, release.get_absolute_url())
        self.assertEqual(release.waivers.filter(blocker=key).count(), 2)
        event = self.assertEvent("release.waived", by=self.maintainer.user)
        self.assertEqual(event.reason, "fixtures are text")
        self.assertContains(self.page(release), "fixtures are text", count=1)

    def test_a_signature_without_a_reason_or_right_is_none(self) -> None:
        release = self.freeze()
        one = standing(release)[0]
        fields = {"key": one.key, "revision": one.revision.pk, "reason": " "}
        response = self.act(release, "waive", **fields)
        self.assertContains(response, "Say why this may pass", status_code=422)
        self.assertForbidden(self.act(release, "waive", self.curator, **fields))
        self.assertFalse(release.waivers.exists())

    def test_whoever_signs_for_something_else_is_told_and_keeps_the_words(
        self,
    ) -> None:
        release = self.freeze()
        seen, one = mark_of(release), standing(release)[0]
        freeze_again(self.maintainer.user, release)
        fields = {"key": one.key, "revision": one.revision.pk, "reason": "my words"}
        with self.assertNoEvent():
            response = self.act(release, "waive", mark=seen, **fields)
        self.assertContains(response, "changed since you opened", status_code=409)
        self.assertContains(response, "my words", status_code=409)


class BuildPageTest(PagesCase):
    def test_two_builds_are_byte_equal_and_the_page_says_so(self) -> None:
        release = self.freeze()
        response = self.act(release, "build")
        self.assertContains(response, "settle or sign for them first", status_code=422)
        self.waive_all(release)
        self.act(release, "build")
        self.act(release, "build")
        self.assertEqual(Job.objects.filter(name="build-release").count(), 1)
        self.assertContains(self.page(release), "Being built")
        run_waiting()
        self.assertEvent("job.finished")
        whole = place_of(release).read_bytes()
        self.assertContains(self.page(release), "built once")
        self.assertContains(
            self.page(release),
            "bin/workbench release verify small-1.0.tar.gz --sha256 "
            + hashlib.sha256(whole).hexdigest(),
        )
        self.act(release, "build")
        run_waiting()
        self.assertContains(self.page(release), "byte for byte the same")
        self.assertEqual(place_of(release).read_bytes(), whole)
        self.assertForbidden(self.act(release, "build", self.adjudicator))

    def test_a_build_that_comes_out_otherwise_says_so_and_changes_nothing(self) -> None:
        release = self.published()
        whole = place_of(release).read_bytes()
        Release.objects.filter(pk=release.pk).update(note="put in by hand")
        self.act(release, "build")
        run_waiting()
        self.assertContains(self.page(release), "came out differently")
        self.assertEqual(place_of(release).read_bytes(), whole)

    def test_what_would_not_verify_is_not_kept(self) -> None:
        make_run(
            make_submission(self.revision, make_configuration(self.team)),
            {"spec_push_size": "passed"},
        )
        release = self.freeze()
        self.waive_all(release)
        self.act(release, "build")
        run_waiting()
        self.assertContains(
            self.page(release), "the outcome is not that of its receipt"
        )
        self.assertFalse(place_of(release).exists())

    def test_archive_and_manifest_are_taken_away_by_whoever_sees_it(self) -> None:
        release = self.freeze()
        address = reverse("releases:archive", args=["small", "1.0"])
        self.assertHidden(self.reader.get(address))
        release = self.published("2.0")
        address = reverse("releases:archive", args=["small", "2.0"])
        response = self.reader.get(address)
        self.assertEqual(response.getvalue(), place_of(release).read_bytes())
        self.assertIn("small-2.0.tar.gz", response["Content-Disposition"])
        self.assertHidden(self.outsider.get(address))
        response = self.reader.get(reverse("releases:manifest", args=["small", "2.0"]))
        self.assertEqual(response.json()["instances"][0]["name"], "tiny")
        place_of(release).unlink()
        self.assertContains(self.reader.get(address), "build it again", status_code=404)


class PublishPageTest(PagesCase):
    def built(self) -> Release:
        release = self.freeze()
        self.waive_all(release)
        return keep(release, self.build(release))

    def test_without_green_canaries_the_page_says_what_to_run(self) -> None:
        release = self.built()
        said = "bin/workbench canaries --lean leanprover/lean4:v4.29.1 --record"
        self.assertContains(self.page(release, self.maintainer), said)
        response = self.act(release, "publish")
        self.assertContains(response, said, status_code=422)
        release.refresh_from_db()
        self.assertEqual(release.state, "built")

    def test_it_is_published_and_retracted_with_a_reason(self) -> None:
        release = self.built()
        self.badge()
        self.assertForbidden(self.act(release, "publish", self.curator))
        self.act(release, "publish")
        self.assertEvent("release.published", by=self.maintainer.user, about=release)
        self.assertContains(self.page(release), "seen, harmless")
        response = self.act(release, "retract", reason="")
        self.assertContains(response, "Say why it is retracted", status_code=422)
        self.act(release, "retract", reason="spec_push_size is wrong")
        event = self.assertEvent("release.retracted", by=self.maintainer.user)
        self.assertEqual(event.reason, "spec_push_size is wrong")
        self.assertContains(self.page(release), "Retracted: do not use it.")
        self.assertContains(self.page(release), "spec_push_size is wrong")

    def test_what_was_frozen_again_meanwhile_is_not_published(self) -> None:
        release = self.built()
        self.badge()
        seen = mark_of(release)
        freeze_again(self.maintainer.user, release)
        response = self.act(release, "publish", mark=seen)
        self.assertEqual(response.status_code, 409)
        release.refresh_from_db()
        self.assertEqual(release.state, "draft")

    def test_forms_stand_only_where_they_are_of_use(self) -> None:
        release = self.published()
        retract = reverse("releases:act", args=["small", "1.0", "retract"])
        self.assertContains(self.page(release, self.maintainer), retract)
        self.assertNotContains(self.page(release, self.reader), retract)
        self.assertHidden(self.act(release, "eat"))
        address = reverse("releases:act", args=["small", "1.0", "publish"])
        self.assertEqual(self.maintainer.get(address).status_code, 302)
        retract_release(self.maintainer.user, release, "wrong")
        self.assertNotContains(self.page(release, self.maintainer), retract)


class ComparePageTest(PagesCase):
    def test_it_shows_instances_specs_and_outcomes_that_changed(self) -> None:
        agent = make_configuration(self.team)
        make_run(make_submission(self.revision, agent), {"spec_push_size": "passed"})
        self.freeze("1.0")
        newer = import_tiny(
            self.users["curator"], self.team, tiny(spec=SPEC.replace("+ 1", "+ 2"))
        ).revision
        make_run(make_submission(newer, agent), {"spec_push_size": "sorry"})
        other = make_submission(newer, make_configuration(self.team, "other"))
        make_run(other, {"spec_push_size": "passed"})
        second = self.freeze("1.1")
        address = reverse("releases:compare", args=["small", "1.1", "1.0"])
        response = self.reader.get(address)
        self.assertContains(response, "r1 → r2")
        self.assertContains(response, "passes no longer")
        self.assertContains(response, "-1 passed")
        self.assertContains(response, '<th class="mono wrap">spec_push_size', count=1)
        self.assertContains(
            self.reader.get(f"{address}?change={LOST}"), "spec_push_size</th>"
        )
        self.assertNotContains(
            self.reader.get(f"{address}?change=gained"), "spec_push_size</th>"
        )
        same = reverse("releases:compare", args=["small", "1.1", "1.1"])
        self.assertContains(self.reader.get(same), "No outcome is another one.")
        self.assertHidden(self.outsider.get(address))
        self.assertEqual(second.runs.count(), 2)
