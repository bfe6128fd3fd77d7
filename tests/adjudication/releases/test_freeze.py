"""What a release holds from the moment it is frozen."""

from __future__ import annotations

from adjudication.releases.actions.freeze_release import (
    BadRelease,
    freeze_again,
    freeze_release,
)
from adjudication.releases.building import keep
from adjudication.releases.gate import standing
from adjudication.releases.models import Release
from adjudication.standings.actions.make_set import (
    make_set,
    put_into_set,
    set_policy,
    take_out_of_set,
)
from curation.instances.models import Instance
from tests.adjudication.releases.made import ReleaseCase
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import (
    IMPL,
    SPEC,
    import_tiny,
    source,
    tiny,
)
from workbench.access.rights import AccessDenied


class FreezeTest(ReleaseCase):
    def test_it_holds_what_was_there(self) -> None:
        run = make_run(
            make_submission(self.revision, make_configuration(self.team)),
            {"spec_push_size": "passed"},
        )
        release = self.freeze()
        self.assertEqual([m.revision for m in release.members.all()], [self.revision])
        self.assertEqual(list(release.runs.all()), [run])
        self.assertEvent("release.frozen", by=self.maintainer.user, about=release)

    def test_a_later_revision_does_not_change_it(self) -> None:
        release = self.freeze()
        first = self.build(release, "a.tar.gz")
        files = tiny(impl=IMPL.replace("n :: xs", "n :: (xs)"))
        import_tiny(self.users["curator"], self.team, files)
        make_run(
            make_submission(self.revision, make_configuration(self.team)),
            {"spec_push_size": "passed"},
        )
        self.assertEqual(self.build(release, "b.tar.gz").digest, first.digest)

    def test_what_is_told_of_the_set_and_the_source_later_does_not_change_it(
        self,
    ) -> None:
        import_tiny(self.users["curator"], self.team, tiny("other"))
        other = Instance.objects.get(slug="other")
        put_into_set(None, self.set, [other])
        release = self.freeze()
        first = self.build(release, "a.tar.gz")
        set_policy(
            self.maintainer.user,
            self.set,
            name="Called otherwise",
            description="",
            choice="latest",
            needs_sandbox=False,
        )
        done = import_tiny(self.users["curator"], self.team, tiny("other"), source())
        self.assertIsNotNone(other.sources.get().snapshot, done)
        take_out_of_set(None, self.set, self.set.members.get(instance=other))
        again = Release.objects.get(pk=release.pk)
        self.assertEqual(self.build(again, "b.tar.gz").digest, first.digest)

    def test_frozen_again_it_takes_what_the_set_holds_now(self) -> None:
        release = self.freeze()
        self.waive_all(release)
        keep(release, self.build(release))
        newer = import_tiny(
            self.users["curator"], self.team, tiny(spec=SPEC.replace("+ 1", "+ 2"))
        ).revision
        again = freeze_again(self.maintainer.user, release)
        self.assertEqual([m.revision for m in again.members.all()], [newer])
        self.assertEqual((again.state, again.archive_digest), ("draft", ""))
        self.assertTrue(standing(again), "a waiver is for one revision")
        self.assertEvent("release.frozen_again", about=release)

    def test_what_is_published_is_not_frozen_again(self) -> None:
        with self.assertRaisesMessage(BadRelease, "stays as it is"):
            freeze_again(self.maintainer.user, self.published())

    def test_versions_rights_and_empty_sets_are_checked(self) -> None:
        self.freeze()
        with self.assertRaisesMessage(BadRelease, "has a release 1.0 already"):
            self.freeze()
        for version in ("", "../up", "a b", "x" * 41):
            with self.assertRaisesMessage(BadRelease, "is no version"):
                self.freeze(version)
        empty = make_set(self.maintainer.user, self.team, "Empty")
        with self.assertRaisesMessage(BadRelease, "holds no instance"):
            freeze_release(self.maintainer.user, empty, "1.0")
        with self.assertRaises(AccessDenied):
            freeze_release(self.curator.user, self.set, "2.0")
