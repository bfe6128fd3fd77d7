from __future__ import annotations

from unittest.mock import patch

import psycopg
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.test import SimpleTestCase, TestCase

from workbench import databases
from workbench.databases import Place, obstacle


class WordsTest(SimpleTestCase):
    def say(self, kind: str, error: Exception) -> str:
        with patch.object(databases, "place", lambda: Place(kind, "here")):
            return obstacle(error)

    def test_missing_tables_ask_for_an_upgrade(self) -> None:
        for kind, error in (
            ("SQLite", OperationalError("no such table: access_user")),
            ("SQLite", OperationalError("no such column: x.y")),
            ("PostgreSQL", ProgrammingError('relation "access_user" does not exist')),
        ):
            self.assertIn("Run: bin/workbench upgrade-database", self.say(kind, error))

    def test_a_missing_database_is_not_a_missing_table(self) -> None:
        for what in ('database "x" does not exist', 'role "x" does not exist'):
            words = self.say(
                "PostgreSQL", OperationalError(f"connection failed: FATAL:  {what}")
            )
            self.assertIn(what, words)
            self.assertIn("Check DATABASE_URL", words)

    def test_a_deadlock_is_not_told_as_a_server_that_is_away(self) -> None:
        error = OperationalError("deadlock detected")
        error.__cause__ = psycopg.errors.DeadlockDetected("deadlock detected")
        self.assertEqual(self.say("PostgreSQL", error), "")
        error.__cause__ = psycopg.errors.AdminShutdown("terminating connection")
        self.assertIn("cannot reach PostgreSQL", self.say("PostgreSQL", error))

    def test_each_trouble_of_sqlite_has_its_words(self) -> None:
        for text, words in (
            ("unable to open database file", "cannot open the database here"),
            ("attempt to write a readonly database", "cannot write the database here"),
            ("database is locked", "stayed locked"),
            ("database disk image is malformed", "Restore it from a backup"),
            ("file is not a database", "here is not a SQLite database"),
            ("database or disk is full", "disk of here is full"),
        ):
            self.assertIn(words, self.say("SQLite", OperationalError(text)))

    def test_a_fault_of_the_program_is_not_blamed_on_the_operator(self) -> None:
        self.assertEqual(
            self.say("SQLite", DatabaseError("near SELEKT: syntax error")), ""
        )
        self.assertEqual(
            self.say("PostgreSQL", ProgrammingError("syntax error at SELEKT")), ""
        )


class HereTest(TestCase):
    def test_this_database_is_reachable_and_of_this_version(self) -> None:
        databases.demand_reachable()
        self.assertEqual(databases.unapplied(), [])
        self.assertRegex(databases.version(), r"^\d+\.\d+")

    def test_the_place_never_holds_the_password(self) -> None:
        where = databases.place()
        self.assertEqual(
            where.kind,
            {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[connection.vendor],
        )
        password = connection.settings_dict.get("PASSWORD")
        self.assertFalse(password and str(password) in where.name)
