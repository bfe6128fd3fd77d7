"""What is too long for the tables is refused in words, on both databases alike, and leaves nothing behind."""

from __future__ import annotations

import json
from typing import Any

from curation.format.findings import FormatError
from curation.instances.models import Instance
from tests.case import WorkbenchTestCase
from tests.curation.instances.made import IMPL, MANIFEST, import_tiny, tiny
from workbench.content.models import Snapshot


def tiny_with(**keys: Any) -> dict[str, bytes]:
    """Return the tiny instance with other keys in its manifest."""
    manifest = json.dumps({**MANIFEST, **keys}, indent=1).encode()
    return {**tiny(), "manifest.json": manifest}


class LimitsTest(WorkbenchTestCase):
    def refused(self, files: dict[str, bytes]) -> FormatError:
        with self.assertRaises(FormatError) as caught:
            import_tiny(self.curator.user, self.team, files)
        self.assertFalse(Instance.objects.exists())
        self.assertFalse(Snapshot.objects.exists())
        return caught.exception

    def test_a_long_text_of_the_manifest_is_named_by_key_and_line(self) -> None:
        packages: Any = json.loads(json.dumps(MANIFEST["packages"]))
        packages[0]["modules"][0]["name"] = "M" * 201
        source: dict[str, Any] = MANIFEST["source"]
        for key, changed in (
            ("benchmark_id", {"benchmark_id": "x" * 201}),
            ("root_package", {"root_package": "T" * 201}),
            ("lean_version", {"lean_version": "v" * 101}),
            ("modes_supported", {"modes_supported": ["m" * 60, "n" * 60]}),
            ("source.language", {"source": {**source, "language": "l" * 33}}),
            ("source.repo_url", {"source": {**source, "repo_url": "u" * 501}}),
            ("source.commit_hash", {"source": {**source, "commit_hash": "c" * 65}}),
            ("packages[0].modules[0].name", {"packages": packages}),
        ):
            with self.subTest(key):
                error = self.refused(tiny_with(**changed))
                self.assertEqual((error.path, error.key), ("manifest.json", key))
                self.assertIsNotNone(error.line)
                self.assertIn("expected at most", str(error))

    def test_the_longest_that_fits_is_imported(self) -> None:
        import_tiny(self.curator.user, self.team, tiny_with(benchmark_id="x" * 200))
        self.assertEqual(Instance.objects.get().benchmark_id, "x" * 200)

    def test_a_long_name_in_lean_is_named_by_file_and_line(self) -> None:
        error = self.refused(tiny(impl=f"{IMPL}\ndef {'n' * 401} := 1\n"))
        line = IMPL.count("\n") + 2
        self.assertEqual((error.path, error.line), ("Tiny/Impl/Stack.lean", line))

    def test_more_equal_names_than_can_be_numbered_are_refused(self) -> None:
        error = self.refused(tiny(impl=IMPL + "\ndef same := 1" * 32_769))
        self.assertIn("declared more than 32,767 times", str(error))

    def test_packages_may_share_a_bundle(self) -> None:
        packages: Any = json.loads(json.dumps(MANIFEST["packages"]))
        packages.append({**packages[0], "name": "Other", "modules": []})
        done = import_tiny(self.curator.user, self.team, tiny_with(packages=packages))
        names = done.revision.placements.filter(definition__lean_name="TinyBundle")
        self.assertEqual(names.count(), 1)
