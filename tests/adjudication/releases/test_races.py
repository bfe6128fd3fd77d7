"""A set that changes while its release is built, and two people at one release, with real threads and commits."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from django.db import connection, transaction
from django.test import override_settings

from adjudication.audits.models import Finding
from adjudication.grading.version import grader_digest
from adjudication.releases.actions.freeze_release import freeze_again, freeze_release
from adjudication.releases.actions.hold_as_seen import mark_of
from adjudication.releases.actions.waive_blocker import waive
from adjudication.releases.building import (
    NotKept,
    archive_fault,
    build_archive,
    keep,
)
from adjudication.releases.gate import standing
from adjudication.releases.models import Release
from adjudication.runs.models import CanaryBadge
from adjudication.standings.actions.make_set import (
    make_set,
    put_into_set,
    set_policy,
    take_out_of_set,
)
from curation.instances.models import Instance
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.case import CommittedTestCase, Persona
from tests.curation.instances.made import SPEC, import_tiny, source, tiny
from workbench.events.correlation import correlated
from workbench.events.models import Event


class RaceCase(CommittedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(correlated())
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(override_settings(DATA_DIR=self.folder))
        curator = self.curator.user
        for name in ("tiny", "other", "later"):
            import_tiny(curator, self.team, tiny(name))
        tinies = Instance.objects.exclude(slug="later")
        self.set = make_set(self.maintainer.user, self.team, "Small", tinies)

    def in_a_thread(self, *acts: Callable[[], object]) -> None:
        """Do all of `acts` at once, each in a thread with a connection of its own, and wait for them."""
        failed: list[BaseException] = []
        start = threading.Barrier(len(acts))

        def run(act: Callable[[], object]) -> None:
            try:
                start.wait(30)
                with correlated():
                    act()
            except BaseException as error:
                failed.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=run, args=(act,)) for act in acts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(failed, [])


class RaceTest(RaceCase):
    def change_everything(self) -> None:
        """Change the set, its name, its policy, its instances, their sources and their runs."""
        curator, maintainer = self.curator.user, self.maintainer.user
        other = Instance.objects.get(slug="other")
        run = make_submission(
            other.revisions.get(is_current=True), make_configuration(self.team)
        )
        with transaction.atomic():  # as a grading publishes
            make_run(run, {"spec_push_size": "sorry"})
        import_tiny(curator, self.team, tiny("other"), source())
        import_tiny(curator, self.team, tiny("tiny", spec=SPEC.replace("+ 1", "+ 2")))
        put_into_set(maintainer, self.set, [Instance.objects.get(slug="later")])
        take_out_of_set(
            maintainer, self.set, self.set.members.get(instance__slug="other")
        )
        set_policy(
            maintainer,
            self.set,
            name="Called otherwise",
            description="",
            choice="latest",
            needs_sandbox=False,
        )

    def test_what_is_changed_while_it_is_built_stays_out(self) -> None:
        revision = Instance.objects.get(slug="other").revisions.get(is_current=True)
        agent = make_configuration(self.team)
        with transaction.atomic():
            make_run(make_submission(revision, agent), {"spec_push_size": "passed"})
        release = freeze_release(self.maintainer.user, self.set, "1.0")
        quiet = build_archive(release, self.folder / "quiet", lambda *_: None)
        steps: list[int] = []

        def watch(done: int, total: int, words: str) -> None:
            steps.append(done)
            if done == 1:  # one instance is written, the rest is not
                self.in_a_thread(self.change_everything)

        built = build_archive(release, self.folder / "busy", watch)
        self.assertEqual(steps, [0, 1, 2])
        self.set.refresh_from_db()
        self.assertEqual(self.set.name, "Called otherwise")
        self.assertEqual(built.path.read_bytes(), quiet.path.read_bytes())
        self.assertEqual(keep(release, built).members.count(), 2)
        again = Release.objects.get(pk=release.pk)
        later = build_archive(again, self.folder / "later", lambda *_: None)
        self.assertEqual(later.digest, quiet.digest)

    def test_of_two_who_act_at_once_on_what_they_saw_one_is_told(self) -> None:
        release = freeze_release(self.maintainer.user, self.set, "1.0")
        one, seen = standing(release)[0], mark_of(release)
        address = f"{release.get_absolute_url()}act/"
        fields = {"key": one.key, "revision": one.revision.pk, "reason": "harmless"}
        statuses = []

        def sign() -> None:
            response = self.maintainer.post(f"{address}waive/", fields | {"mark": seen})
            statuses.append(response.status_code)

        def freeze() -> None:
            response = self.admin.post(f"{address}freeze/", {"mark": seen})
            statuses.append(response.status_code)

        self.in_a_thread(sign, freeze)
        self.assertEqual(sorted(statuses), [302, 409])

    def test_frozen_again_while_it_is_built_the_older_archive_is_not_kept(self) -> None:
        release = freeze_release(self.maintainer.user, self.set, "1.0")
        for one in standing(release):
            waive(self.maintainer.user, release, one.key, [one.revision.pk], "harmless")

        def watch(done: int, total: int, words: str) -> None:
            if done == 1:
                self.in_a_thread(lambda: freeze_again(self.maintainer.user, release))

        built = build_archive(release, self.folder / "busy", watch)
        found = Release.objects.get(pk=release.pk)
        with self.assertRaisesMessage(NotKept, "Build it again"):
            keep(found, built)
        found.refresh_from_db()
        self.assertEqual(found.state, "draft")


class PublishRaceTest(RaceCase):
    """A release that could go out, two people at it at once, over their pages."""

    def setUp(self) -> None:
        super().setUp()
        self.release = freeze_release(self.maintainer.user, self.set, "1.0")
        for one in standing(self.release):
            waive(self.maintainer.user, self.release, one.key, [one.revision.pk], "x")
        CanaryBadge.objects.create(
            toolchain="elan 4.29.1",
            toolchain_digest="t" * 64,
            grader_digest=grader_digest(),
            ok=True,
            cheats=1,
            honest=1,
            document="{}",
        )
        built = build_archive(self.release, self.folder / "a", lambda *_: None)
        with transaction.atomic():
            keep(self.release, built)
        self.seen = mark_of(self.release)
        self.statuses: dict[str, int] = {}

    def post(self, who: Persona, act: str, **fields: object) -> Callable[[], None]:
        """Return the sending of the form `act`, which keeps its answer's status under the name of who sends it."""
        address = f"{self.release.get_absolute_url()}act/{act}/"

        def send() -> None:
            response = who.post(address, {"mark": self.seen, **fields})
            self.statuses[f"{who.user.username} {act}"] = response.status_code

        return send

    def published(self) -> int:
        return Event.objects.filter(verb="release.published").count()

    def finding(self) -> Finding:
        """Return a finding of the released instance on which nobody decided."""
        return Finding.objects.create(
            instance=Instance.objects.get(slug="tiny"),
            number=1,
            state=Finding.NEW,
            route="disprove",
            title="spec_push_size: refuted",
            rule="r",
            group_key="k",
        )

    def test_of_two_who_publish_at_once_one_does(self) -> None:
        self.in_a_thread(self.post(self.maintainer, "publish"), self.post(self.admin, "publish"))  # fmt: skip
        self.assertEqual(sorted(self.statuses.values()), [302, 409])
        self.assertEqual(self.published(), 1)

    def test_what_is_signed_for_while_somebody_publishes_does_not_go_out_unsigned(
        self,
    ) -> None:
        self.finding()
        one = standing(self.release)[0]
        fields = {"key": one.key, "revision": one.revision.pk, "reason": "harmless"}
        self.in_a_thread(self.post(self.maintainer, "waive", **fields), self.post(self.admin, "publish"))  # fmt: skip
        self.assertEqual(self.statuses.pop("maintainer waive"), 302)
        self.assertIn(self.statuses.pop("admin publish"), (409, 422))
        self.release.refresh_from_db()
        self.assertEqual((self.release.state, self.published()), ("draft", 0))

    def test_what_somebody_does_to_the_set_while_it_is_published_stays_out(
        self,
    ) -> None:
        member = self.set.members.get(instance__slug="other")
        later = Instance.objects.get(slug="later")

        def change() -> None:
            take_out_of_set(self.maintainer.user, self.set, member)
            put_into_set(self.maintainer.user, self.set, [later])

        self.in_a_thread(self.post(self.admin, "publish"), change)
        self.assertEqual(self.statuses, {"admin publish": 302})
        self.assertEqual(self.release.members.count(), 2)
        self.assertEqual(archive_fault(Release.objects.get()), [])

    def test_published_or_frozen_again_never_both(self) -> None:
        self.in_a_thread(self.post(self.maintainer, "freeze"), self.post(self.admin, "publish"))  # fmt: skip
        self.assertEqual(sorted(self.statuses.values()), [302, 409])
        self.release.refresh_from_db()
        out = self.statuses["admin publish"] == 302
        self.assertEqual(self.release.state, "published" if out else "draft")
        self.assertEqual(self.published(), int(out))
