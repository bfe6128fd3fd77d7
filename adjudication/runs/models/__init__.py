"""Submissions, runs and outcomes."""

from __future__ import annotations

from adjudication.runs.models.adaptation import Adaptation, AdaptationEdit
from adjudication.runs.models.run import (
    CanaryBadge,
    GradingRun,
    Outcome,
    RegradeSet,
)
from adjudication.runs.models.submission import (
    MODES,
    Configuration,
    Refusal,
    Submission,
)

__all__ = [
    "MODES",
    "Adaptation",
    "AdaptationEdit",
    "CanaryBadge",
    "Configuration",
    "GradingRun",
    "Outcome",
    "Refusal",
    "RegradeSet",
    "Submission",
]
