"""Releases and what they froze."""

from __future__ import annotations

from adjudication.releases.models.release import Release, ReleaseMember, Waiver

__all__ = ["Release", "ReleaseMember", "Waiver"]
