"""A set of the tiny instance, and what tests do with its releases."""

from __future__ import annotations

import io
import tarfile
import tempfile
from pathlib import Path

from django.test import override_settings

from adjudication.audits.models import Finding
from adjudication.grading.version import grader_digest
from adjudication.releases.actions.freeze_release import freeze_release
from adjudication.releases.actions.publish_release import publish_release
from adjudication.releases.actions.waive_blocker import waive
from adjudication.releases.building import Built, build_archive, keep
from adjudication.releases.gate import standing
from adjudication.releases.models import Release
from adjudication.runs.models import CanaryBadge
from adjudication.standings.actions.make_set import make_set
from tests.curation.instances.made import InstanceCase
from workbench.events.correlation import correlated


class ReleaseCase(InstanceCase):
    """The set Small with the tiny instance; archives go to a data folder of the test's own."""

    def setUp(self) -> None:
        super().setUp()
        self.enterContext(correlated())
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(override_settings(DATA_DIR=self.folder))
        self.revision = self.instance.revisions.get(is_current=True)
        self.set = make_set(self.maintainer.user, self.team, "Small", [self.instance])

    def freeze(self, version: str = "1.0") -> Release:
        return freeze_release(self.maintainer.user, self.set, version)

    def build(self, release: Release, name: str = "a.tar.gz") -> Built:
        return build_archive(release, self.folder / name, lambda *_: None)

    def waive_all(self, release: Release) -> None:
        for one in standing(release):
            waive(
                self.maintainer.user,
                release,
                one.key,
                [one.revision.pk],
                "seen, harmless",
            )

    def badge(
        self,
        *,
        ok: bool = True,
        toolchain: str = "elan 4.29.1",
        digest: str = "t" * 64,
        grader: str = "",
    ) -> CanaryBadge:
        """Record canaries of the Lean that the tiny instance asks for, or of another."""
        return CanaryBadge.objects.create(
            toolchain=toolchain,
            toolchain_digest=digest,
            grader_digest=grader or grader_digest(),
            ok=ok,
            cheats=2,
            honest=2,
            document="{}",
        )

    def published(self, version: str = "1.0") -> Release:
        release = self.freeze(version)
        self.waive_all(release)
        self.badge()
        return publish_release(self.maintainer.user, keep(release, self.build(release)))

    def finding(self, state: str) -> Finding:
        """Return a finding of the tiny instance in `state`, without closures."""
        return Finding.objects.create(
            instance=self.instance,
            number=1,
            state=state,
            route="disprove",
            title="spec_push_size: refuted",
            rule="r",
            group_key="k",
        )


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
