"""`bin/workbench release`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from django.core.management import call_command

from adjudication.releases.bundle import Bundle
from adjudication.releases.models import Release
from tests.adjudication.releases.made import ReleaseCase, unpacked
from workbench.jobs.scratch import own_scratch


def told(*words: str) -> tuple[int, Any]:
    """Return the exit code of the command, and the document that it prints."""
    out = io.StringIO()
    try:
        call_command("release", *words, "--json", stdout=out, stderr=io.StringIO())
    except SystemExit as stopped:
        text = out.getvalue()
        return int(stopped.code or 0), json.loads(text) if text else None
    return 0, json.loads(out.getvalue())


class CommandTest(ReleaseCase):
    def built(self) -> Path:
        """Freeze, sign, build; return the archive outside of the data folder."""
        target = self.folder / "out.tar.gz"
        words = ("build", "--set", "small", "--number", "1.0")
        code, document = told(*words)
        self.assertEqual(code, 1)
        self.assertTrue(document["blockers"])
        self.waive_all(Release.objects.get())
        code, document = told(*words, "--out", str(target))
        self.assertEqual(code, 0, document)
        return target

    def test_build_stops_at_blockers_and_verify_says_what_it_checked(self) -> None:
        target = self.built()
        self.assertTrue(told("verify", str(target))[1]["ok"])
        target.write_bytes(target.read_bytes()[:-200])
        self.assertEqual(told("verify", str(target))[0], 1)

    def test_who_has_the_digest_from_elsewhere_finds_what_was_forged_consistently(
        self,
    ) -> None:
        target = self.built()
        digest = Release.objects.get().archive_digest
        self.assertEqual(told("verify", str(target), "--sha256", digest.upper())[0], 0)
        # Another README, another manifest that says so: inside, all is as it should be.
        files = unpacked(target)
        manifest = json.loads(files.pop("MANIFEST.json"))
        with target.open("wb") as file:
            bundle = Bundle(file, "small-1.0", 0)
            bundle.add_tree("instances/tiny", {p.removeprefix("instances/tiny/"): data for p, data in files.items() if p.startswith("instances/tiny/")})  # fmt: skip
            for path in sorted(set(files) - set(bundle.written.files)):
                data = b"forged" if path == "README.md" else files[path]
                bundle.add(path, data)
            bundle.close(manifest)
        self.assertEqual(told("verify", str(target))[0], 0)
        code, document = told("verify", str(target), "--sha256", digest)
        self.assertEqual(code, 1)
        self.assertFalse(document["ok"])
        self.assertIn(f"expected {digest}", document["wrong"][0])
        self.assertEqual(told("verify", str(target), "--sha256", digest[:12])[0], 2)

    def test_a_build_leaves_nothing_and_takes_what_a_killed_one_left(self) -> None:
        killed = self.folder / "scratch" / "process-killed"
        killed.mkdir(parents=True)
        (killed / "lock").touch()
        (killed / "release").write_bytes(b"half")
        with own_scratch() as held:
            self.built()
            self.assertTrue(held.exists())
            self.assertEqual(list((self.folder / "scratch").iterdir()), [held])
        archives = self.folder / "releases"
        self.assertEqual([path.name for path in archives.iterdir()], ["small"])
