"""A tiny instance and its source, made in memory, and a test case in which both are imported."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any, ClassVar

from curation.format.instance import load_files
from curation.instances.actions.import_revision import Imported, import_revision
from curation.instances.models import Definition, Instance, Placement
from tests.case import WorkbenchTestCase
from workbench.access.models import Team, User

IMPL = """\
-- !benchmark @start imports
-- !benchmark @end imports

/-- A stack of numbers. -/
structure Stack where
  items : List Nat

abbrev PushSig := Stack → Nat → Stack
abbrev SizeSig := Stack → Nat

-- !benchmark @start global_aux
-- !benchmark @end global_aux

/-- How many there are. `stack.py:9` -/
-- !benchmark @start code_aux def=size
-- !benchmark @end code_aux def=size
def size : SizeSig :=
-- !benchmark @start code def=size
  fun s => s.items.length
-- !benchmark @end code def=size

-- !benchmark @start code_aux def=push
def cons (n : Nat) (xs : List Nat) : List Nat := n :: xs
-- !benchmark @end code_aux def=push

/-- Put one on top. -/
def push : PushSig :=
-- !benchmark @start code def=push
  fun s n => ⟨cons n s.items⟩
-- !benchmark @end code def=push
"""
SPEC = """\
import Tiny.Harness

/-- Pushing makes it one larger. -/
def spec_push_size (impl : RepoImpl) : Prop :=
  ∀ s n, impl.tiny.size (impl.tiny.push s n) = impl.tiny.size s + 1
"""
SOURCE = '''\
"""A stack."""


class Stack:
    def push(self, n):
        """Put one on top."""
        self.items.append(n)

    def size(self):
        """How many there are."""
        return len(self.items)


def helper():
    return 1
'''
MANIFEST: dict[str, Any] = {
    "benchmark_id": "tiny",
    "description": "A stack.",
    "root_package": "Tiny",
    "lean_version": "4.29.1",
    "modes_supported": ["proof", "codeproof"],
    "source": {
        "language": "python",
        "repo_url": "https://example.org/acme/stack",
        "commit_hash": "a" * 40,
        "path": "stack.py",
    },
    "packages": [
        {
            "name": "Tiny",
            "bundle": "Tiny/Bundle.lean",
            "bundle_type": "TinyBundle",
            "repo_impl_field": "tiny",
            "modules": [
                {
                    "name": "Stack",
                    "impl": "Tiny/Impl/Stack.lean",
                    "spec": "Tiny/Spec/Stack.lean",
                    "apis": [
                        {
                            "name": "push",
                            "sig": "PushSig",
                            "upstream_name": "Stack.push",
                        },
                        {"name": "size", "sig": "SizeSig"},
                    ],
                    "specs": ["spec_push_size"],
                }
            ],
        }
    ],
}


def tiny(benchmark_id: str = "tiny", **changes: str) -> dict[str, bytes]:
    """Return the files of the instance; `impl` and `spec` replace those texts."""
    return {
        "manifest.json": json.dumps(
            {**MANIFEST, "benchmark_id": benchmark_id}, indent=1
        ).encode(),
        "lean-toolchain": b"leanprover/lean4:v4.29.1\n",
        "lakefile.toml": b'name = "tiny"\n',
        "Tiny.lean": b"import Tiny.Spec.Stack\n",
        "Tiny/Bundle.lean": b"import Tiny.Impl.Stack\n\nstructure TinyBundle where\n  push : PushSig\n  size : SizeSig\n",
        "Tiny/Harness.lean": b"import Tiny.Bundle\n\nstructure RepoImpl where\n  tiny : TinyBundle\n\n"
        b"def canonical : RepoImpl where\n  tiny := { push := push, size := size }\n",
        "Tiny/Impl/Stack.lean": changes.get("impl", IMPL).encode(),
        "Tiny/Spec/Stack.lean": changes.get("spec", SPEC).encode(),
        "Tiny/Test.lean": b"import Tiny.Harness\n\n#guard size (push \xe2\x9f\xa8[]\xe2\x9f\xa9 1) == 1\n",
    }


def source(text: str = SOURCE) -> dict[str, bytes]:
    """Return the upstream files."""
    return {"stack.py": text.encode(), "LICENSE": b"MIT\n"}


def zipped(files: Mapping[str, bytes], folder: str = "") -> bytes:
    """Return `files` as a zip, below `folder`."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path, data in files.items():
            archive.writestr(
                zipfile.ZipInfo(f"{folder}/{path}" if folder else path), data
            )
    return stream.getvalue()


def import_tiny(
    user: User | None,
    team: Team,
    files: Mapping[str, bytes] | None = None,
    upstream: Mapping[str, bytes] | None = None,
) -> Imported:
    """Import the tiny instance, or `files`, into `team`."""
    return import_revision(
        user, team, load_files(files or tiny(), "tiny"), source_files=upstream
    )


class InstanceCase(WorkbenchTestCase):
    """The tiny instance with its source, imported by the curator."""

    instance: ClassVar[Instance]

    @classmethod
    def setUpTestData(cls) -> None:
        super().setUpTestData()
        done = import_tiny(cls.users["curator"], cls.team, upstream=source())
        cls.instance = done.revision.instance

    def definition(self, name: str) -> Definition:
        """Return the definition called `name`."""
        return self.instance.definitions.get(lean_name=name)

    def placement(self, name: str) -> Placement:
        """Return where the current revision holds `name`."""
        return Placement.objects.get(
            revision__is_current=True, definition=self.definition(name)
        )
