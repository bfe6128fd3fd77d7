"""The median as an aggregate of queries, on PostgreSQL and on SQLite. What is NULL is left out; of nothing it is NULL."""

from __future__ import annotations

import statistics
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.models import Aggregate, FloatField


class Median(Aggregate):
    """The median of a number."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        return self.as_sql(
            compiler,
            connection,
            function="proofroom_median",
            template="%(function)s(%(expressions)s)",
            **more,
        )


class _OfSqlite:
    """What SQLite calls once a row, and once at the end."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def step(self, value: float | None) -> None:
        if value is not None:
            self.values.append(value)

    def finalize(self) -> float | None:
        return statistics.median(self.values) if self.values else None


def teach(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Teach a new connection to SQLite the function."""
    if connection.vendor == "sqlite":
        connection.connection.create_aggregate("proofroom_median", 1, _OfSqlite)


def register() -> None:
    """Let every connection know it. Called once, when the app starts."""
    connection_created.connect(teach, dispatch_uid="standings.median")
