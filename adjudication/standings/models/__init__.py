"""Sets, their members, the cells of boards."""

from __future__ import annotations

from adjudication.standings.models.board import (
    RESERVED,
    Cell,
    InstanceSet,
    ReportedSpend,
    SetMember,
)

__all__ = ["RESERVED", "Cell", "InstanceSet", "ReportedSpend", "SetMember"]
