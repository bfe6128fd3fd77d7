"""What the commands of grading share: the instance that is meant, the Lean and the sandbox of this machine, the chain of receipts."""

from __future__ import annotations

import fcntl
import json
import os
import re
from pathlib import Path
from typing import Any

from django.conf import settings

from adjudication.grading.boxes import boxed
from adjudication.grading.decide import Verdict
from adjudication.grading.grader import Case, Grader
from adjudication.grading.judge import HttpJudge
from adjudication.grading.lean import wanted_by
from adjudication.grading.pristine import NotGradable
from adjudication.grading.receipt import make
from adjudication.runs.models import Adaptation
from curation.format.findings import FormatError
from curation.format.instance import Instance, load, load_files
from curation.format.packed import read_tree
from curation.instances.selectors.instances import NoSuchInstance, named_instance
from workbench.commands import WrongUse
from workbench.content.trees import read_tree as read_snapshot
from workbench.lean.command_kernel import BadCommand, command_kernel
from workbench.lean.pocket.toolchain import PocketToolchain
from workbench.lean.sandbox.box import NoSandbox
from workbench.lean.sandbox.choose import choose
from workbench.lean.toolchain import ToolchainMissing
from workbench.leans import machine_leans

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def asked_instance(text: str) -> tuple[Instance, str]:
    """Return the instance that `text` names and its revision: a folder or archive, or the name of an imported one. Raises WrongUse."""
    try:
        if os.path.exists(
            text
        ):  # unlike Path's: "" is no folder, and no name is too long
            return load(read_tree(text)), ""
        row = named_instance(text)
        revision = row.revisions.select_related("snapshot").get(is_current=True)
        files = read_snapshot(revision.snapshot)
        return load_files(files, row.slug), str(revision.number)
    except NoSuchInstance as error:
        raise WrongUse(f"{text} is no folder, and {error}") from None
    except FormatError as error:
        raise WrongUse(f"{text}: {error}") from None


def kept_adaptation(text: str) -> Instance | None:
    """Return what `adapt` kept of the current revision of the imported instance that `text` names; None without one."""
    if os.path.exists(text):
        return None
    row = named_instance(text)
    kept = Adaptation.objects.filter(
        revision__instance=row, revision__is_current=True
    ).select_related("snapshot")
    found = kept.first()
    return load_files(read_snapshot(found.snapshot), row.slug) if found else None


def meant_instance(text: str) -> tuple[Instance, str, str]:
    """Return the instance that a command works on, its revision, and why it is an adaptation (empty if it is the instance itself).

    It is the adaptation that was kept of an imported instance's current revision where this machine lacks the Lean of the instance.
    Commands that prepare, grade or explain a submission all choose by this. Raises WrongUse.
    """
    instance, revision = asked_instance(text)
    try:
        machine_leans().toolchain(wanted_by(instance))
    except (ToolchainMissing, NotGradable) as missing:
        adapted = kept_adaptation(text)
        if adapted is not None:
            return adapted, revision, str(missing)
    return instance, revision, ""


def machine_grader(
    instance: Instance | None = None, *, thorough: bool = True
) -> Grader:
    """Return the grader of this machine with the Lean that `instance` asks for, pocket Lean without one.

    Raises WrongUse, with the remedy, where this machine lacks that Lean, or a sandbox.
    """
    leans = machine_leans()
    try:
        toolchain = (
            PocketToolchain(leans.cache)
            if instance is None
            else leans.toolchain(wanted_by(instance))
        )
        sandbox = choose(settings.SANDBOX, thorough=thorough)
        run = boxed(sandbox.sandbox)
        kernels = [*toolchain.kernels(run)]
        if settings.SECOND_KERNEL and kernels:
            kernels.append(command_kernel(settings.SECOND_KERNEL, run))
    except (ToolchainMissing, NoSandbox, NotGradable) as error:
        raise WrongUse(str(error)) from None
    except BadCommand as error:
        raise WrongUse(f"WORKBENCH_SECOND_KERNEL: {error}") from None
    cache = leans.cache.parent / "grading"
    return Grader(toolchain, sandbox, kernels, cache, judge=machine_judge())


def machine_judge() -> HttpJudge | None:
    """Return the judge that an operator has configured, if there is one."""
    if not settings.JUDGE_URL:
        return None
    return HttpJudge(
        settings.JUDGE_URL,
        settings.JUDGE_MODEL,
        settings.JUDGE_KEY,
        settings.JUDGE_SECONDS,
    )


def keep_receipt(
    case: Case, verdict: Verdict, revision: str, file: Path | None = None
) -> tuple[dict[str, Any], Path]:
    """Return the receipt of a grading and where it was written, chained to the last one about the same instance.

    It is kept in the data folder, and in `file` too if that is given.
    """
    name = (
        _UNSAFE.sub("-", case.checked.instance.manifest.benchmark_id).strip(".-")
        or "instance"
    )
    folder = Path(settings.DATA_DIR) / "receipts" / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        earlier = sorted(folder.glob("[0-9]*.json"))
        previous = json.loads(earlier[-1].read_text())["hash"] if earlier else ""
        document = make(case, verdict, previous=previous, revision=revision)
        number = int(earlier[-1].stem) + 1 if earlier else 1
        kept = folder / f"{number:06}.json"
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        draft = kept.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8")
        draft.rename(kept)
    if file is not None:
        file.write_text(text, encoding="utf-8")
    return document, file or kept
