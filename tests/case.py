"""The people of every test, and what a test says about them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection, models
from django.test import Client, TestCase, TransactionTestCase
from django.test.utils import CaptureQueriesContext
from django.utils.crypto import get_random_string

from workbench.access.models import Membership, Team, User
from workbench.events.models import Event

PASSWORD = "open-the-proofroom-1"
HTMX = {"HX-Request": "true"}


class Persona:
    """One person at a browser. `user` is None for the visitor, who is logged out."""

    def __init__(self, user: User | None = None, session_key: str = "") -> None:
        self._user = user
        self.client = Client()
        if session_key:
            self.client.cookies[settings.SESSION_COOKIE_NAME] = session_key

    @property
    def user(self) -> User:
        assert self._user is not None, "The visitor is nobody."
        return self._user

    def get(
        self, path: str, query: Any = None, *, htmx: bool = False, **extra: Any
    ) -> Any:
        return self.client.get(path, query, headers=self._headers(htmx, extra), **extra)

    def post(
        self, path: str, data: Any = None, *, htmx: bool = False, **extra: Any
    ) -> Any:
        return self.client.post(
            path, data or {}, headers=self._headers(htmx, extra), **extra
        )

    @staticmethod
    def _headers(htmx: bool, extra: dict[str, Any]) -> dict[str, str]:
        headers = dict(extra.pop("headers", {}))
        return headers | (HTMX if htmx else {})


class People:
    """Makes the people. `self.curator` … are personas of one team; `self.outsider` curates in another."""

    ROLES: ClassVar = (
        "reader",
        "submitter",
        "curator",
        "reviewer",
        "adjudicator",
        "maintainer",
        "admin",
    )

    team: Team
    other_team: Team
    reader: Persona
    submitter: Persona
    curator: Persona
    reviewer: Persona
    adjudicator: Persona
    maintainer: Persona
    admin: Persona
    outsider: Persona
    visitor: Persona
    users: dict[str, User]
    sessions: dict[str, str]

    @classmethod
    def make_people(cls) -> dict[str, User]:
        """Create both teams and everybody in them, each with an open session; return the users by persona."""
        cls.team = Team.objects.create(slug="logicians", name="Logicians")
        cls.other_team = Team.objects.create(slug="strangers", name="Strangers")
        users = {role: make_user(role) for role in cls.ROLES}
        users["outsider"] = make_user("outsider")
        Membership.objects.bulk_create(
            [
                *(
                    Membership(user=users[role], team=cls.team, role=role)
                    for role in cls.ROLES
                ),
                # Everything, but elsewhere: whatever an outsider is refused is refused for the team, not for a role.
                *(
                    Membership(user=users["outsider"], team=cls.other_team, role=role)
                    for role in ("maintainer", "admin")
                ),
            ]
        )
        cls.sessions = open_sessions(users)
        return users

    def give_browsers(self) -> None:
        """Give each persona a fresh browser; that of the visitor is logged out."""
        for name, user in self.users.items():
            setattr(self, name, Persona(user, self.sessions[name]))
        self.visitor = Persona()


def make_user(username: str, **fields: Any) -> User:
    """Return a new account with an unusable password (hashing one takes longer than most tests)."""
    user = User(username=username, **fields)
    user.set_unusable_password()
    user.save()
    return user


def open_sessions(users: dict[str, User]) -> dict[str, str]:
    """Return a session key for each of `users`; one query for all, and none of the bookkeeping of a log-in."""
    store = SessionStore()
    keys = {
        name: get_random_string(32, "abcdefghijklmnopqrstuvwxyz0123456789")
        for name in users
    }
    Session.objects.bulk_create(
        Session(
            session_key=keys[name],
            session_data=store.encode(
                {
                    SESSION_KEY: str(user.pk),
                    BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[-1],
                    HASH_SESSION_KEY: user.get_session_auth_hash(),
                }
            ),
            expire_date=store.get_expiry_date(),
        )
        for name, user in users.items()
    )
    return keys


class Sayings:
    """What tests say beside Django's assertions."""

    def assertEvent(
        self,
        verb: str,
        *,
        by: User | None = None,
        about: models.Model | None = None,
        **data: Any,
    ) -> Event:
        """The newest event is `verb`, by `by`, about `about`, with at least `data`. Returns it."""
        event = Event.objects.order_by("-number").first()
        assert event is not None, f"There is no event; expected {verb}."
        assert event.verb == verb, f"The newest event is {event.verb}; expected {verb}."
        if by is not None:
            assert event.actor_id == by.pk, (
                f"{event.verb} was done by {event.actor_name}; expected {by.username}."
            )
        if about is not None:
            found = (event.object_kind, event.object_id)
            expected = (about._meta.model_name, str(about.pk))
            assert found == expected, (
                f"{event.verb} is about {found}; expected {expected}."
            )
        kept = json.loads(event.data)
        for key, value in data.items():
            assert kept.get(key) == value, (
                f"{event.verb} has {key}={kept.get(key)!r}; expected {value!r}."
            )
        return event

    @contextmanager
    def assertNoEvent(self) -> Iterator[None]:
        """Nothing is recorded meanwhile."""
        before = Event.objects.count()
        yield
        after = Event.objects.count()
        assert after == before, f"{after - before} events were recorded; expected none."

    @contextmanager
    def assertMostQueries(self, limit: int) -> Iterator[CaptureQueriesContext]:
        """At most `limit` queries meanwhile; the queries are listed when there are more."""
        with CaptureQueriesContext(connection) as captured:
            yield captured
        listed = "\n".join(
            f"{number}. {query['sql']}"
            for number, query in enumerate(captured.captured_queries, 1)
        )
        assert len(captured) <= limit, (
            f"{len(captured)} queries; at most {limit} expected:\n{listed}"
        )

    def assertHidden(self, response: Any) -> None:
        """It does not exist for this person: 404, as for a name that was never there."""
        assert response.status_code == 404, (
            f"Status {response.status_code}; expected 404."
        )

    def assertForbidden(self, response: Any) -> None:
        """The person sees it and may not do this: 403."""
        assert response.status_code == 403, (
            f"Status {response.status_code}; expected 403."
        )

    def assertAsksForLogin(self, response: Any) -> None:
        """Nobody is logged in: a page sends to the log-in, a form or fragment is answered in place with 401."""
        if response.status_code == 302:
            assert response["Location"].startswith("/login/?next="), (
                f"Sent to {response['Location']}; expected the log-in."
            )
        else:
            assert response.status_code == 401, (
                f"Status {response.status_code}; expected a way to the log-in."
            )


class WorkbenchTestCase(Sayings, People, TestCase):
    """A test with the people of two teams, in a transaction that is taken back."""

    @classmethod
    def setUpTestData(cls) -> None:
        cls.users = cls.make_people()

    def setUp(self) -> None:
        self.give_browsers()


class CommittedTestCase(Sayings, People, TransactionTestCase):
    """The same with real commits: for threads, locks and what happens after a commit."""

    def setUp(self) -> None:
        type(self).users = self.make_people()
        self.give_browsers()
