"""Roles and what each may do. One table, used by every check."""

from __future__ import annotations

from typing import Final

VIEW: Final = "view"
SUBMIT: Final = "submit"
CURATE: Final = "curate"
REVIEW: Final = "review"
ADJUDICATE: Final = "adjudicate"
MAINTAIN: Final = "maintain"
ADMINISTER: Final = "administer"

RIGHTS: Final = {
    VIEW: "see instances, definitions, runs and findings",
    SUBMIT: "hand in submissions",
    CURATE: "import, edit and link",
    REVIEW: "approve or send back translations",
    ADJUDICATE: "rule on findings",
    MAINTAIN: "open gates, waive checks, publish releases, hide instances",
    ADMINISTER: "give and take roles",
}

ROLES: Final = {
    "reader": frozenset({VIEW}),
    "submitter": frozenset({VIEW, SUBMIT}),
    "curator": frozenset({VIEW, SUBMIT, CURATE, REVIEW}),
    "reviewer": frozenset({VIEW, REVIEW}),
    "adjudicator": frozenset({VIEW, ADJUDICATE}),
    "maintainer": frozenset({VIEW, SUBMIT, CURATE, REVIEW, ADJUDICATE, MAINTAIN}),
    "admin": frozenset(RIGHTS),
}


def roles_with(right: str) -> list[str]:
    """Return the names of the roles that hold `right`."""
    return [role for role, rights in ROLES.items() if right in rights]
