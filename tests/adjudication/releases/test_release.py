"""Freeze, waive, build twice, publish, verify offline; what a set does afterwards does not matter."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.test import override_settings

from adjudication.audits.models import Finding, Repair
from adjudication.releases.actions.freeze_release import BadRelease, freeze_release
from adjudication.releases.actions.publish_release import (
    publish_release,
    retract_release,
    waive,
)
from adjudication.releases.building import build_archive, keep
from adjudication.releases.bundle import verify
from adjudication.releases.changes import compare
from adjudication.releases.gate import gate, standing
from adjudication.releases.models import Release
from adjudication.standings.actions.make_set import make_set
from tests.adjudication.runs.made import make_configuration, make_run, make_submission
from tests.curation.instances.made import IMPL, SPEC, InstanceCase, import_tiny, tiny
from workbench.access.rights import AccessDenied
from workbench.events.correlation import correlated


class ReleaseCase(InstanceCase):
    def setUp(self) -> None:
        super().setUp()
        self.enterContext(correlated())
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.revision = self.instance.revisions.get(is_current=True)
        self.set = make_set(self.maintainer.user, self.team, "Small", [self.instance])

    def freeze(self, version: str = "1.0") -> Release:
        return freeze_release(self.maintainer.user, self.set, version)

    def build(self, release: Release, name: str = "a.tar.gz") -> Any:
        return build_archive(release, self.folder / name, lambda *_: None)

    def waive_all(self, release: Release) -> None:
        for one in standing(release):
            waive(
                self.maintainer.user, release, one.revision, one.key, "seen, harmless"
            )

    def published(self, version: str = "1.0") -> Release:
        release = self.freeze(version)
        self.waive_all(release)
        keep(release, self.build(release))
        return publish_release(self.maintainer.user, release)


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
        with self.assertRaises(AccessDenied):
            waive(self.curator.user, release, one.revision, one.key, "please")
        with self.assertRaisesMessage(BadRelease, "Say why"):
            waive(self.maintainer.user, release, one.revision, one.key, " \0")
        with self.assertRaisesMessage(BadRelease, "no longer open"):
            waive(self.maintainer.user, release, one.revision, "0" * 64, "x")

    def test_a_repaired_finding_is_released_with_it(self) -> None:
        newer = import_tiny(
            self.users["curator"],
            self.team,
            tiny(spec=SPEC.replace("+ 1", "+ 2")),
        ).revision
        finding = Finding.objects.create(
            instance=self.instance,
            number=1,
            state=Finding.VERIFIED,
            route="disprove",
            title="spec_push_size: refuted",
            rule="r",
            group_key="k",
        )
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


class ArchiveTest(ReleaseCase):
    def test_built_twice_the_bytes_are_equal(self) -> None:
        release = self.freeze()
        first, second = self.build(release, "a.tar.gz"), self.build(release, "b.tar.gz")
        self.assertEqual(first.path.read_bytes(), second.path.read_bytes())
        self.assertEqual(first.digest, second.digest)

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


def repack(source: Path, target: Path, change: dict[str, bytes | None]) -> None:
    """Write `source` to `target` with files replaced, added, or (None) left out."""
    with tarfile.open(source) as old, tarfile.open(target, "w:gz") as new:
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
