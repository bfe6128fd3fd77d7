"""The tiny instance, its definitions, and the usual acts on them in one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curation.instances.models import (
    Definition,
    Instance,
    Placement,
    Revision,
    Translation,
)
from curation.reviews.actions.approve_translation import approve_translation
from curation.reviews.actions.request_retranslation import request_retranslation
from curation.reviews.actions.skip_definition import skip_definition
from curation.reviews.actions.write_translation import write_translation
from curation.reviews.models import QueueEntry, Retranslation, Review
from tests.case import Persona
from tests.curation.instances.made import IMPL, InstanceCase, import_tiny, tiny
from workbench.access.models import Membership, Team, User

SIZE = "size"
PUSH = "push"
CONS = "cons"
SPEC_NAME = "spec_push_size"
#: `cons` is used by `push`, which is used by the spec.
CONS_LINE = "def cons (n : Nat) (xs : List Nat) : List Nat := n :: xs"


class Acts:
    """The usual acts on `self.instance`, in one line each. For a test case with people."""

    instance: Instance
    team: Team
    curator: Persona
    reviewer: Persona

    def definition(self, name: str) -> Definition:
        return self.instance.definitions.get(lean_name=name)

    def placement(self, name: str) -> Placement:
        """Return where the current revision holds `name`."""
        return Placement.objects.select_related("definition", "translation").get(
            revision__is_current=True, definition=self.definition(name)
        )

    def make_curator(self, user: User) -> None:
        Membership.objects.create(user=user, team=self.team, role="curator")

    def approve(self, name: str, by: User | None = None) -> Review:
        return self.approve_page(self.placement(name), by or self.reviewer.user)

    def approve_page(self, page: Placement, by: User) -> Review:
        return approve_translation(
            by,
            page.definition,
            number=page.translation.number,
            read_hash=page.meaning_hash,
        )

    def send_back(
        self, name: str, by: User | None = None, words: str = "It is wrong."
    ) -> Retranslation:
        now = self.placement(name)
        return request_retranslation(
            by or self.reviewer.user,
            now.definition,
            number=now.translation.number,
            read_hash=now.meaning_hash,
            reason="semantics",
            words=words,
        )

    def skip(self, name: str, by: User | None = None, words: str = "Hard.") -> Review:
        now = self.placement(name)
        return skip_definition(
            by or self.reviewer.user,
            now.definition,
            number=now.translation.number,
            words=words,
        )

    def write(
        self, name: str, text: str, by: User | None = None, **more: Any
    ) -> Translation:
        now = self.placement(name)
        return write_translation(
            by or self.curator.user,
            now.definition,
            text,
            base=more.pop("base", now.translation),
            **more,
        )

    def text(self, name: str) -> str:
        return self.placement(name).translation.text

    def entry(self, name: str) -> QueueEntry:
        return QueueEntry.objects.get(definition=self.definition(name))

    def now(self) -> Revision:
        return self.instance.revisions.get(is_current=True)


class ReviewCase(Acts, InstanceCase):
    """The tiny instance, imported by the curator; nothing is decided yet."""

    def import_again(self, **changes: str) -> Revision:
        """Import the tiny instance with other texts; `impl` and `spec` replace those files."""
        return import_tiny(self.curator.user, self.team, tiny(**changes)).revision


def impl(**replaced: str) -> str:
    """Return the text of the Impl file with `old=new` pairs of texts replaced: `impl(cons="def cons …")`."""
    text = IMPL
    if "cons" in replaced:
        text = text.replace(CONS_LINE, replaced["cons"])
    return text


def placements(revision: Revision) -> Mapping[str, Placement]:
    """Return the placements of a revision by name."""
    rows = revision.placements.select_related("definition", "translation")
    return {row.definition.lean_name: row for row in rows}
