"""The archive of a release: its bytes, what it holds, and what a check of it finds."""

from __future__ import annotations

import gzip
import tarfile

from adjudication.releases.actions.freeze_release import (
    freeze_release,
)
from adjudication.releases.actions.publish_release import (
    retract_release,
)
from adjudication.releases.building import Built, NotKept, archives, keep, place_of
from adjudication.releases.bundle import verify
from adjudication.releases.changes import compare
from adjudication.releases.models import Release
from adjudication.standings.actions.make_set import (
    make_set,
)
from tests.adjudication.releases.made import ReleaseCase, repack
from tests.curation.instances.made import (
    SPEC,
    import_tiny,
    tiny,
)


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
