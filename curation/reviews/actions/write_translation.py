"""Write a new version of a translation: by hand, by an agent under somebody's name, or back to an older text.

A saved edit is a revision: the lines are replaced in the file, and the tree is read again. So what is stored, what is
shown and what is exported never disagree.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import transaction
from django.utils import timezone

from curation.format.findings import FormatError
from curation.instances.actions.store_revision import store_revision
from curation.instances.contributions import after_revision
from curation.instances.limits import require_storable
from curation.instances.models import (
    Definition,
    Instance,
    Placement,
    Revision,
    Translation,
)
from curation.instances.reading import read_instance
from curation.instances.rewriting import BadText, clean_text, rewritten
from curation.reviews.deciding import clean_words, current_placement, lock_instance
from curation.reviews.models import Draft, Retranslation
from workbench.access.models import User
from workbench.access.rights import AccessDenied, require
from workbench.access.roles import CURATE
from workbench.content.trees import read_tree
from workbench.events.log import record


class Overtaken(Exception):
    """Somebody else saved first. `current` is the placement now, None where the definition was removed."""

    def __init__(self, definition: Definition, current: Placement | None) -> None:
        said = (
            f"has moved on to version {current.translation.number}"
            if current is not None
            else "was removed"
        )
        super().__init__(f"{definition.lean_name} {said} while you were writing")
        self.current = current


@transaction.atomic
def write_translation(
    author: User,
    definition: Definition,
    text: str,
    *,
    base: Translation,
    words: str = "",
    answers: Retranslation | None = None,
    origin: str = "person",
) -> Translation:
    """Return the new version of `definition` with `text`, written on top of version `base`; sent twice, the same one.

    The next version answers every open request, with `words`; `answers` names the one that it was written for.
    `origin` is "person", or "agent" for what an agent wrote under `author`'s name. The author's draft is done with.
    A text that is the current one already makes no version. Raises `Overtaken` when `base` is no longer current,
    `BadText` naming the line, `BadWords`, `AccessDenied`.
    """
    if answers is not None and answers.definition_id != definition.pk:
        raise ValueError(f"{answers} is a request about another definition")
    cleaned, said = clean_text(text), clean_words(words)
    return _write(
        author, definition, cleaned, base, said, origin, "translation.written"
    )


@transaction.atomic
def revert_translation(
    author: User, definition: Definition, *, to: Translation, base: Translation
) -> Translation:
    """Return the new version with the text of the older version `to`. Raises as `write_translation`."""
    if to.definition_id != definition.pk:
        raise ValueError(f"{to} is a version of another definition")
    words = f"Back to the text of version {to.number}."
    cleaned = clean_text(to.text)
    verb = "translation.reverted"
    return _write(
        author, definition, cleaned, base, words, "person", verb, to=to.number
    )


def _write(
    author: User,
    definition: Definition,
    text: str,
    base: Translation,
    words: str,
    origin: str,
    verb: str,
    **data: Any,
) -> Translation:
    instance = lock_instance(definition)
    if instance.hidden:
        raise AccessDenied("This instance was hidden; nobody writes in it.")
    require(author, CURATE, instance)
    placement = current_placement(definition)
    if placement is None:
        raise Overtaken(definition, None)
    current = placement.translation
    same = (
        current.text_hash
        == hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    )
    if current.pk != base.pk and not (same and current.author_id == author.pk):
        raise Overtaken(definition, placement)
    if same:
        Draft.objects.filter(definition=definition, author=author).delete()
        return current
    revision = _store(author, instance, placement, text, words, origin)
    Draft.objects.filter(definition=definition, author=author).delete()
    translation = Translation.objects.get(definition=definition, is_current=True)
    translation.definition = definition
    record(
        verb,
        author,
        definition,
        reason=words,
        version=translation.number,
        base=current.number,
        origin=origin,
        revision=revision.number,
        **data,
    )
    return translation


def _store(
    author: User,
    instance: Instance,
    placement: Placement,
    text: str,
    words: str,
    origin: str,
) -> Revision:
    """Return the revision in which `text` stands in the place of the placement's text, everything settled by it."""
    parent = placement.revision
    parent.instance = instance
    files = read_tree(parent.snapshot)
    loaded = rewritten(files, instance.slug, placement.definition, text)
    reading = read_instance(loaded)
    try:
        require_storable(reading)
    except FormatError as error:
        raise BadText(str(error)) from error
    stored = store_revision(
        author, instance, parent, reading, note=words, reason="edit", origin=origin
    )
    revision = stored.revision
    # Source, items and links are those of the parent: an edit moves no upstream file.
    revision.source_id, revision.item_count = parent.source_id, parent.item_count
    revision.save(update_fields=["source", "item_count"])
    Instance.objects.filter(pk=instance.pk).update(changed_at=timezone.now())
    for follow in after_revision:
        follow(author, revision)
    return revision
