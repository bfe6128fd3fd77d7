"""Audit: closures, findings, rulings, repairs."""

from __future__ import annotations

from adjudication.audits.models.finding import (
    Closure,
    Finding,
    Merge,
    NotSame,
    Repair,
    Ruling,
    TurningPoint,
)

__all__ = ["Closure", "Finding", "Merge", "NotSame", "Repair", "Ruling", "TurningPoint"]
