"""The demo: a team, one account a role, and the fixture instances with a little history."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction

from curation.format.archive import read_directory
from curation.format.instance import load_files
from curation.instances.actions.import_revision import import_revision
from curation.instances.models import Instance, Revision
from workbench.access.models import Membership, Team, User
from workbench.events.log import record

TEAM = "demo"
PEOPLE = (
    ("mira", "Mira Okonjo", "curator"),
    ("tomas", "Tomas Lindqvist", "reviewer"),
    ("ines", "Ines Albrecht", "adjudicator"),
    ("noor", "Noor Haddad", "maintainer"),
    ("sol", "Sol Varga", "submitter"),
    ("rhea", "Rhea Duarte", "reader"),
    ("admin", "Ada Min", "admin"),
)
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"

# The first revision of a demo instance is the fixture with this text put in: the history has a true change to show.
_EARLIER = {
    "ivalset": (
        "Ivalset/Impl/Core.lean",
        b"if iv.hi < new.lo then iv :: insertMerged new rest",
        b"if iv.hi \xe2\x89\xa4 new.lo then iv :: insertMerged new rest",
        "touching intervals are merged, as in Python",
    ),
}


# What the team did with an instance while a revision of it was the current one; what is graded for it, on request.
scenes: list[Callable[[Instance, int], None]] = []
runs: list[Callable[[Team], None]] = []


@dataclass(frozen=True)
class Account:
    """A demo log-in. `password` is empty where it is no longer known."""

    name: str
    role: str
    password: str


def accounts_file() -> Path:
    """Return where the passwords of the demo are kept, readable by the owner of the installation only."""
    return Path(settings.DATA_DIR) / "demo-accounts.json"


def is_seeded() -> bool:
    """Return whether this database holds the demo team."""
    return Team.objects.filter(slug=TEAM).exists()


def known_accounts() -> list[Account]:
    """Return the demo accounts of this database, with the passwords that were kept and still fit."""
    try:
        kept = json.loads(accounts_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        kept = {}
    accounts = []
    for name, _, role in PEOPLE:
        user = User.objects.filter(username=name, memberships__team__slug=TEAM).first()
        if user is not None:
            password = str(kept.get(name, "")) if isinstance(kept, dict) else ""
            accounts.append(
                Account(
                    name,
                    role,
                    password if password and user.check_password(password) else "",
                )
            )
    return accounts


def seed(*, with_runs: bool = False) -> list[Account]:
    """Make the demo team, its people and its instances; return the accounts. All or nothing.

    `with_runs` hands in submissions too, which a worker then grades for some minutes.
    """
    with transaction.atomic():
        team = Team.objects.create(slug=TEAM, name="Demo team")
        password = "-".join(
            "".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(4)
        )
        accounts = [_person(team, password, *person) for person in PEOPLE]
        record("demo.seeded", None, team, accounts=len(accounts))
        curator = User.objects.get(username=PEOPLE[0][0])
        for folder in sorted(
            (Path(settings.BASE_DIR) / "fixtures" / "instances").iterdir()
        ):
            if folder.is_dir():
                _instance(curator, team, folder)
        if with_runs:
            for add in runs:
                add(team)
    _keep(accounts)
    return accounts


def _person(team: Team, password: str, name: str, full_name: str, role: str) -> Account:
    first, _, last = full_name.partition(" ")
    user = User.objects.create_user(
        name, password=password, first_name=first, last_name=last
    )
    Membership.objects.create(user=user, team=team, role=role)
    return Account(name, role, password)


def _instance(curator: User, team: Team, folder: Path) -> Instance:
    files = dict(read_directory(folder).files)
    upstream = folder.parent.parent / "sources" / folder.name
    source: Mapping[str, bytes] | None = (
        read_directory(upstream).files if upstream.is_dir() else None
    )
    note = ""
    if folder.name in _EARLIER:
        path, now, before, note = _EARLIER[folder.name]
        earlier = {**files, path: files[path].replace(now, before)}
        first = import_revision(
            curator, team, load_files(earlier, folder.name), source_files=source
        )
        _play(first.revision)
    done = import_revision(
        curator, team, load_files(files, folder.name), source_files=source, note=note
    )
    _play(done.revision)
    return done.revision.instance


def _play(revision: Revision) -> None:
    for scene in scenes:
        scene(revision.instance, revision.number)


def _keep(accounts: list[Account]) -> None:
    text = json.dumps({account.name: account.password for account in accounts})
    draft = accounts_file().with_suffix(".draft")
    draft.unlink(missing_ok=True)
    with os.fdopen(
        os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w"
    ) as file:
        file.write(text)
    draft.rename(accounts_file())
