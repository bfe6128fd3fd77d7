"""Instances: what was imported, and what was read in it."""

from __future__ import annotations

from curation.instances.models.definition import (
    Definition,
    Placement,
    Reliance,
    Translation,
    Use,
)
from curation.instances.models.instance import (
    Instance,
    Module,
    Revision,
    RevisionFinding,
)
from curation.instances.models.source import Item, Link, LinkGap, Source
from curation.instances.models.term import DefinitionTerm, TermBuild
from curation.instances.models.upload import Upload

__all__ = [
    "Definition",
    "DefinitionTerm",
    "Instance",
    "Item",
    "Link",
    "LinkGap",
    "Module",
    "Placement",
    "Reliance",
    "Revision",
    "RevisionFinding",
    "Source",
    "TermBuild",
    "Translation",
    "Upload",
    "Use",
]
