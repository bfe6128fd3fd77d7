"""Freeze, waive, build twice, publish, verify offline; what a set does afterwards does not matter."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

from django.core.management import call_command
from django.test import override_settings

from adjudication.audits.models import Finding, Repair
from adjudication.releases.actions.freeze_release import (
    BadRelease,
    freeze_again,
    freeze_release,
)
from adjudication.releases.actions.publish_release import (
    publish_release,
    retract_release,
)
from adjudication.releases.actions.waive_blocker import waive
from adjudication.releases.building import Built, NotKept, archives, keep, place_of
from adjudication.releases.bundle import verify
from adjudication.releases.changes import compare
from adjudication.releases.gate import gate, standing
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


class GateTest(ReleaseCase):
    def test_open_blockers_keep_it_from_being_published(self) -> None:
        release = self.freeze()
        self.assertTrue(standing(release))
        keep(release, self.build(release))
        self.badge()
        with self.assertRaisesMessage(BadRelease, "blockers are open"):
            publish_release(self.maintainer.user, release)

    def test_a_signed_waiver_lets_it_pass_and_is_printed(self) -> None:
        release = self.published()
        self.assertEqual(release.state, "published")
        self.assertFalse(standing(release))
        self.assertTrue(gate(release))
        manifest = json.loads(release.manifest)
        self.assertEqual(manifest["waivers"][0]["reason"], "seen, harmless")
        self.assertEqual(manifest["waivers"][0]["by"], "maintainer")

    def test_a_waiver_needs_a_right_a_reason_and_an_open_blocker(self) -> None:
        release = self.freeze()
        one = standing(release)[0]
        only = [one.revision.pk]
        with self.assertRaises(AccessDenied):
            waive(self.curator.user, release, one.key, only, "please")
        with self.assertRaisesMessage(BadRelease, "Say why"):
            waive(self.maintainer.user, release, one.key, only, " \0")
        with self.assertRaisesMessage(BadRelease, "Tick the instances"):
            waive(self.maintainer.user, release, one.key, [], "x")
        for key, revisions in (("0" * 64, only), (one.key, [*only, 999_999])):
            with self.assertRaisesMessage(BadRelease, "no longer open"):
                waive(self.maintainer.user, release, key, revisions, "x")
        waive(self.maintainer.user, release, one.key, only, "harmless")
        event = self.assertEvent("release.waived", by=self.maintainer.user)
        self.assertEqual(event.reason, "harmless")

    def test_signed_after_the_build_it_must_be_built_again(self) -> None:
        release = self.freeze()
        first = self.build(release)
        keep(release, first)
        one = standing(release)[0]
        waive(self.maintainer.user, release, one.key, [one.revision.pk], "harmless")
        release.refresh_from_db()
        self.assertEqual((release.state, release.archive_digest), ("draft", ""))
        self.assertNotEqual(self.build(release).digest, first.digest)

    def test_a_waiver_that_is_signed_while_it_is_built_is_not_lost(self) -> None:
        release = self.freeze()
        built = self.build(release)
        one = standing(release)[0]
        waive(self.maintainer.user, release, one.key, [one.revision.pk], "harmless")
        with self.assertRaisesMessage(NotKept, "while it was built"):
            keep(Release.objects.get(pk=release.pk), built)
        self.assertFalse(place_of(release).exists())

    def test_a_fault_that_only_a_newer_revision_mends_blocks_the_older_one(
        self,
    ) -> None:
        release = self.freeze()
        newer = import_tiny(
            self.users["curator"], self.team, tiny(spec=SPEC.replace("+ 1", "+ 2"))
        ).revision
        finding = self.finding(Finding.VERIFIED)
        Repair.objects.create(
            finding=finding, revision=newer, by=self.users["curator"], holds=True
        )
        said = [one.blocker.what for one in standing(release)]
        self.assertIn("F-1 is repaired in r2 only: spec_push_size: refuted", said)
        again = freeze_again(self.maintainer.user, release)
        said = [one.blocker.what for one in standing(again)]
        self.assertFalse([words for words in said if words.startswith("F-1")])

    def test_a_refuted_spec_that_nobody_ruled_on_blocks(self) -> None:
        release = self.freeze()
        for state in (Finding.NEW, Finding.TRIAGED, Finding.NEEDS_EVIDENCE):
            finding = self.finding(state)
            self.assertIn(
                "F-1 waits for a decision: spec_push_size: refuted",
                [one.blocker.what for one in standing(release)],
            )
            finding.delete()
        self.finding(Finding.REJECTED)
        said = [one.blocker.what for one in standing(release)]
        self.assertFalse([words for words in said if words.startswith("F-1")])

    def test_a_repaired_finding_is_released_with_it(self) -> None:
        newer = import_tiny(
            self.users["curator"],
            self.team,
            tiny(spec=SPEC.replace("+ 1", "+ 2")),
        ).revision
        finding = self.finding(Finding.VERIFIED)
        Repair.objects.create(
            finding=finding, revision=newer, by=self.users["curator"], holds=True
        )
        release = self.published()
        finding.refresh_from_db()
        self.assertEqual(finding.state, Finding.RELEASED)
        self.assertIn("spec_push_size: refuted", release.changelog)

    def test_only_a_published_one_can_be_retracted_and_says_why(self) -> None:
        draft = self.freeze("0.9")
        with self.assertRaises(BadRelease):
            retract_release(self.maintainer.user, draft, "wrong")
        release = self.published()
        with self.assertRaisesMessage(BadRelease, "Say why"):
            retract_release(self.maintainer.user, release, "")
        retract_release(self.maintainer.user, release, "spec_push_size is wrong")
        self.assertEvent("release.retracted", about=release)


class CanariesTest(ReleaseCase):
    def built(self) -> Release:
        release = self.freeze()
        self.waive_all(release)
        return keep(release, self.build(release))

    def refused(self, release: Release, *words: str) -> None:
        with self.assertRaises(BadRelease) as refused, self.assertNoEvent():
            publish_release(self.maintainer.user, release)
        for said in words:
            self.assertIn(said, str(refused.exception))

    def test_without_a_badge_it_says_what_to_run(self) -> None:
        self.refused(
            self.built(),
            "no canaries were tried with this grader on elan 4.29.1",
            "bin/workbench canaries --lean leanprover/lean4:v4.29.1 --record",
        )

    def test_a_red_badge_and_one_of_another_grader_or_lean_do_not_do(self) -> None:
        release = self.built()
        self.badge(grader="0" * 64)
        self.badge(toolchain="elan 4.30.0")
        self.refused(release, "no canaries were tried")
        self.badge(ok=False)
        self.refused(release, "failed with this grader", "not to be believed")
        self.badge()
        self.assertEqual(
            publish_release(self.maintainer.user, release).state, "published"
        )

    def test_each_grader_behind_a_run_needs_its_own(self) -> None:
        make_run(
            make_submission(self.revision, make_configuration(self.team)),
            {"spec_push_size": "passed"},
        )
        release = self.built()
        self.badge()
        self.refused(
            release, "an older grader on pocket 4.35.0", "Grade its runs again"
        )
        self.badge(toolchain="pocket 4.35.0", digest="", grader="0" * 64)
        publish_release(self.maintainer.user, release)

    def test_a_trial_verdict_is_in_the_archive_and_no_score(self) -> None:
        run = make_run(
            make_submission(self.revision, make_configuration(self.team)),
            {"spec_push_size": "passed"},
        )
        release = self.freeze()
        built = self.build(release)
        self.assertEqual(built.manifest["runs"]["scores"], 0)
        files = unpacked(built.path)
        self.assertEqual(files["outcomes.jsonl"], b"")
        row = json.loads(files["trials.jsonl"])
        self.assertIn("a trial Lean", row["no_score"])
        type(run).objects.filter(pk=run.pk).update(publishable=True)
        files = unpacked(self.build(release).path)
        self.assertEqual(files["trials.jsonl"], b"")
        self.assertNotIn("no_score", json.loads(files["outcomes.jsonl"]))

    def test_an_archive_that_went_or_changed_is_not_published(self) -> None:
        release = self.built()
        self.badge()
        whole = place_of(release).read_bytes()
        place_of(release).write_bytes(whole[:-1])
        self.refused(release, "is not what was built")
        place_of(release).unlink()
        self.refused(release, "is not in the data folder")
        self.assertEqual(archives()[0], 1)
        self.assertIn("is not in the data folder", archives()[1][0])
        keep(release, self.build(release))
        self.assertEqual(place_of(release).read_bytes(), whole)
        self.assertEqual(archives(), (1, []))
        publish_release(self.maintainer.user, release)


class ArchiveTest(ReleaseCase):
    def test_built_twice_the_bytes_are_equal(self) -> None:
        release = self.freeze()
        first, second = self.build(release, "a.tar.gz"), self.build(release, "b.tar.gz")
        self.assertEqual(first.path.read_bytes(), second.path.read_bytes())
        self.assertEqual(first.digest, second.digest)
        keep(release, first)
        self.assertEqual(keep(release, second).builds, 2)

    def test_other_bytes_never_replace_what_was_built(self) -> None:
        release = self.freeze()
        keep(release, self.build(release))
        whole = place_of(release).read_bytes()
        Release.objects.filter(pk=release.pk).update(note="put in by hand")
        with self.assertRaisesMessage(NotKept, "came out differently"):
            keep(release, self.build(Release.objects.get(pk=release.pk), "b.tar.gz"))
        self.assertEqual(place_of(release).read_bytes(), whole)

    def test_two_releases_whose_names_run_together_keep_their_own_archives(
        self,
    ) -> None:
        other = make_set(self.maintainer.user, self.team, "Small b", [self.instance])
        first = keep(*self.built(self.freeze("b-1.0")))
        whole = place_of(first).read_bytes()
        second = keep(
            *self.built(freeze_release(self.maintainer.user, other, "1.0"), "b.tar.gz")
        )
        self.assertEqual(place_of(first).name, place_of(second).name)
        self.assertEqual(place_of(first).read_bytes(), whole)
        self.assertEqual(archives(), (2, []))

    def built(self, release: Release, name: str = "a.tar.gz") -> tuple[Release, Built]:
        return release, self.build(release, name)

    def test_it_verifies_and_holds_both_views(self) -> None:
        built = self.build(self.freeze())
        self.assertEqual(verify(built.path).wrong, ())
        with tarfile.open(built.path) as tar:
            names = {name.split("/", 1)[1] for name in tar.getnames()}
            modes = {entry.mode for entry in tar}
        self.assertIn("instances/tiny/Tiny/Impl/Stack.lean", names)
        self.assertIn("solver/proof/tiny/Tiny/Spec/Stack.lean", names)
        self.assertIn("solver/codeproof/tiny/Tiny/Impl/Stack.lean", names)
        self.assertEqual(modes, {0o644})

    def test_the_code_view_leaks_no_reference(self) -> None:
        built = self.build(self.freeze())
        with tarfile.open(built.path) as tar:
            handle = tar.extractfile(
                "small-1.0/solver/codeproof/tiny/Tiny/Impl/Stack.lean"
            )
            assert handle is not None
            self.assertNotIn(b"cons n s.items", handle.read())

    def test_a_changed_a_missing_and_a_foreign_file_are_found(self) -> None:
        built = self.build(self.freeze())
        cases: list[tuple[dict[str, bytes | None], str]] = [
            ({"specs.jsonl": b"{}\n"}, "specs.jsonl was changed"),
            ({"README.md": None}, "README.md is missing"),
            ({"more.txt": b"x"}, "more.txt is not in the manifest"),
            (
                {"instances/tiny/Tiny.lean": b"import Nothing\n"},
                "the tree of tiny is not the one that was released",
            ),
        ]
        for change, said in cases:
            path = self.folder / "changed.tar.gz"
            repack(built.path, path, change)
            self.assertIn(said, verify(path).wrong)

    def test_rubbish_is_no_release(self) -> None:
        path = self.folder / "x.tar.gz"
        for data in (b"", b"rubbish", gzip.compress(b"rubbish")):
            path.write_bytes(data)
            self.assertTrue(verify(path).wrong)

    def test_a_release_that_is_cut_damaged_or_shaped_otherwise_is_told_not_raised(
        self,
    ) -> None:
        built = self.build(self.freeze())
        path, whole = self.folder / "x.tar.gz", built.path.read_bytes()
        for at in range(20, len(whole), len(whole) // 25):
            path.write_bytes(whole[:at])
            self.assertTrue(verify(path).wrong, f"cut at {at}")
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
            self.assertTrue(verify(path).wrong, f"damaged at {at}")
        for manifest in (b"[]", b"{", b"[" * 100_000, b'{"format": "proofroom release 1", "files": 3}', b'{"format": "proofroom release 1", "instances": [{}]}'):  # fmt: skip
            repack(built.path, path, {"MANIFEST.json": manifest})
            self.assertTrue(verify(path).wrong, manifest[:60])
        for row in (b"[]\n", b"{}\n", b"3\n", b"\xff\n"):
            repack(built.path, path, {"outcomes.jsonl": row, "receipts/x.json": b"[]"})
            self.assertTrue(verify(path).wrong, row)

    def test_what_claims_to_be_huge_is_refused_before_it_is_read(self) -> None:
        path = self.folder / "x.tar.gz"
        for name, kind, size, said in (
            ("small-1.0/outcomes.jsonl", tarfile.REGTYPE, 1 << 30, "would be parsed"),
            ("small-1.0/more.txt", tarfile.REGTYPE, 5 << 30, "more than 4 GB"),
            ("small-1.0/pax", tarfile.XHDTYPE, 1 << 30, "a name of"),
        ):
            entry = tarfile.TarInfo(name)
            entry.type, entry.size = kind, size
            path.write_bytes(gzip.compress(entry.tobuf(tarfile.GNU_FORMAT) + b"x"))
            self.assertIn(said, "".join(verify(path).wrong))

    def test_the_changelog_tells_of_what_was_retracted_since(self) -> None:
        first = self.published("1.0")
        retract_release(self.maintainer.user, first, "spec_push_size\nis wrong")
        second = self.freeze("1.1")
        self.assertIsNone(second.previous)
        self.assertIn("- 1.0: spec_push_size is wrong", second.changelog)

    def test_comparing_names_the_specs_that_changed(self) -> None:
        first = self.published("1.0")
        import_tiny(
            self.users["curator"], self.team, tiny(spec=SPEC.replace("+ 1", "+ 2"))
        )
        second = self.freeze("1.1")
        change = compare(first, second)[0]
        self.assertEqual(change.changed, ("spec_push_size",))
        self.assertEqual(second.previous, first)
        self.assertIn("changed in meaning (spec_push_size)", second.changelog)


class CommandTest(ReleaseCase):
    def test_build_stops_at_blockers_and_verify_says_what_it_checked(self) -> None:
        with override_settings(DATA_DIR=self.folder):
            out = io.StringIO()
            with self.assertRaises(SystemExit) as stopped:
                call_command(
                    "release",
                    "build",
                    "--set",
                    "small",
                    "--number",
                    "1.0",
                    "--json",
                    stdout=out,
                    stderr=io.StringIO(),
                )
            self.assertEqual(stopped.exception.code, 1)
            self.assertTrue(json.loads(out.getvalue())["blockers"])
            release = Release.objects.get()
            self.waive_all(release)
            target = self.folder / "out.tar.gz"
            call_command(
                "release",
                "build",
                "--set",
                "small",
                "--number",
                "1.0",
                "--out",
                str(target),
                stdout=io.StringIO(),
            )
            out = io.StringIO()
            call_command("release", "verify", str(target), "--json", stdout=out)
            self.assertTrue(json.loads(out.getvalue())["ok"])
            target.write_bytes(target.read_bytes()[:-200])
            with self.assertRaises(SystemExit) as stopped:
                call_command(
                    "release",
                    "verify",
                    str(target),
                    stdout=io.StringIO(),
                    stderr=io.StringIO(),
                )
            self.assertEqual(stopped.exception.code, 1)


def unpacked(archive: Path) -> dict[str, bytes]:
    """Return the files of a release by their path below its top folder."""
    with tarfile.open(archive) as tar:
        return {
            entry.name.partition("/")[2]: handle.read()
            for entry in tar
            if (handle := tar.extractfile(entry))
        }


def repack(old_path: Path, target: Path, change: dict[str, bytes | None]) -> None:
    """Write `old_path` to `target` with files replaced, added, or (None) left out."""
    with tarfile.open(old_path) as old, tarfile.open(target, "w:gz") as new:
        top = ""
        left = dict(change)
        for entry in old:
            top, _, inner = entry.name.partition("/")
            handle = old.extractfile(entry)
            data: bytes | None = handle.read() if handle else b""
            if inner in left:
                data = left.pop(inner)
            if data is None:
                continue
            entry.size = len(data)
            new.addfile(entry, io.BytesIO(data))
        for inner, more in left.items():
            assert more is not None
            entry = tarfile.TarInfo(f"{top}/{inner}")
            entry.size = len(more)
            new.addfile(entry, io.BytesIO(more))
