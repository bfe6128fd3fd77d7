"""Hand in many files at once: each is taken, known already, or refused with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from adjudication.grading.intake import take_in
from adjudication.runs.actions.submit_artifact import HandedIn, refuse, submit_artifact
from adjudication.runs.models import Adaptation, Configuration
from curation.format.findings import FormatError
from curation.format.instance import load_files
from curation.instances.models import Revision
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import SUBMIT
from workbench.content.trees import read_tree
from workbench.upkeep.disk import NoRoom


@dataclass(frozen=True)
class Handed:
    """One file as it was handed in: its name, size in bytes, and where it lies; `error` says why it was not even stored."""

    name: str
    size: int
    path: Path
    error: str = ""


@dataclass(frozen=True)
class Result:
    """What became of one file: `done`, or `error` says why it was not taken."""

    file: str
    done: HandedIn | None
    error: str = ""

    @property
    def state(self) -> str:
        """taken, known or refused."""
        if self.done is None:
            return "refused"
        return "taken" if self.done.new else "known"


def hand_in(
    user: User,
    configuration: Configuration,
    revision: Revision,
    mode: str,
    files: Iterable[Handed],
    adaptation: Adaptation | None = None,
) -> list[Result]:
    """Return what became of each of `files`, in their order; what is refused is kept with its reason.

    With an `adaptation` of the revision, that is what they are graded on.

    Each file is a transaction of its own, so that a bad one keeps no good one out. Raises `AccessDenied`, `NoRoom`.
    """
    require(user, SUBMIT, revision.instance)
    if configuration.team_id != revision.team_id:
        require(user, SUBMIT, configuration)
    built = adaptation.snapshot if adaptation else revision.snapshot
    loaded = load_files(read_tree(built), revision.instance.slug)
    results = []
    for file in files:
        try:
            if file.error:
                raise FormatError(file.error)
            taken = take_in(loaded, mode, file.path)
            done = submit_artifact(
                user,
                configuration,
                revision,
                taken,
                file_name=file.name,
                adaptation=adaptation,
            )
        except (FormatError, NoRoom) as error:
            words = str(error).replace(str(file.path.parent), "").strip("/ ")
            refuse(user, revision.instance.team, file.name, file.size, words)
            results.append(Result(file.name, None, words))
        else:
            results.append(Result(file.name, done))
    return results
