"""What commands about one revision share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from curation.instances.models import Revision
from curation.instances.selectors.instances import NoSuchInstance, named_instance
from curation.instances.writing import FolderInTheWay, write_tree
from workbench.commands import WrongUse


def add_revision_arguments(parser: CommandParser) -> None:
    """Let the command ask for an instance and, if not the current one, a revision."""
    parser.add_argument(
        "instance", metavar="ID", help="the instance's name, or its benchmark_id"
    )
    parser.add_argument(
        "--revision",
        type=int,
        metavar="N",
        help="number of the revision (default: the current one)",
    )


def asked_revision(options: dict[str, Any]) -> Revision:
    """Return the revision that the arguments name. Raises `WrongUse`."""
    try:
        instance = named_instance(options["instance"])
    except NoSuchInstance as error:
        raise WrongUse(str(error)) from None
    rows = instance.revisions.select_related("instance", "snapshot")
    number = options["revision"]
    found = (
        rows.filter(number=number).first()
        if number is not None
        else rows.get(is_current=True)
    )
    if found is None:
        raise WrongUse(
            f"{instance.slug} has no revision {number}; the newest is {rows.get(is_current=True).number}"
        )
    return found


def write_or_explain(files: Mapping[str, bytes], folder: Path) -> None:
    """Write `files` to `folder`. Raises `WrongUse` when that cannot be."""
    try:
        write_tree(files, folder)
    except FolderInTheWay as error:
        raise WrongUse(str(error)) from None
    except OSError as error:
        raise WrongUse(f"cannot write {folder}: {error.strerror}") from None
