"""Which Lean an instance is graded with: the one it asks for, and no other."""

from __future__ import annotations

from collections.abc import Mapping

from adjudication.grading.pristine import NotGradable
from curation.format.instance import Instance
from workbench.lean.machine import demand
from workbench.lean.toolchain import Toolchain, ToolchainMissing
from workbench.lean.wanted import Wanted, WantedError, wanted

TOOLCHAIN_FILE = "lean-toolchain"


def wanted_by(instance: Instance) -> Wanted:
    """Return the Lean that an instance asks for. Raises NotGradable where it does not say so in a way that is understood."""
    manifest = instance.manifest
    stated = manifest.document.get("toolchain")
    kind = stated.get("kind", "") if isinstance(stated, Mapping) else ""
    try:
        return wanted(
            instance.files.get(TOOLCHAIN_FILE), manifest.lean_version, str(kind)
        )
    except WantedError as error:
        raise NotGradable(str(error)) from None


def demand_lean(toolchain: Toolchain, instance: Instance) -> None:
    """Raise NotGradable unless `toolchain` is the Lean that `instance` asks for; the message names both."""
    try:
        demand(toolchain, wanted_by(instance))
    except ToolchainMissing as error:
        raise NotGradable(str(error)) from None
