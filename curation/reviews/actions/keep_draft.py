"""Keep what a person is writing, or let go of it. Saved every few seconds: no event tells of it."""

from __future__ import annotations

from curation.instances.models import Definition, Translation
from curation.instances.rewriting import LONGEST_TEXT, BadText
from curation.reviews.models import Draft
from workbench.access.models import User
from workbench.access.rights import require
from workbench.access.roles import CURATE


def save_draft(
    author: User, definition: Definition, text: str, *, base: Translation
) -> Draft:
    """Return the draft of `author` for `definition`, now `text` on top of version `base`; theirs alone, one each.

    Taken as it is, whatever Lean thinks of it. Raises `BadText` for what no table holds, `AccessDenied`.
    """
    require(author, CURATE, definition.instance)
    if base.definition_id != definition.pk:
        raise ValueError(f"{base} is a version of another definition")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise BadText("there is a NUL character, which cannot be kept", line)
    if len(text) > LONGEST_TEXT:
        raise BadText(
            f"The text has {len(text):,} characters; at most {LONGEST_TEXT:,} are kept."
        )
    draft, _ = Draft.objects.update_or_create(
        definition=definition,
        author=author,
        defaults={"text": text.replace("\r\n", "\n"), "base": base},
    )
    return draft


def drop_draft(author: User, definition: Definition) -> bool:
    """Return whether `author` had a draft for `definition`, which is gone now."""
    number, _ = Draft.objects.filter(definition=definition, author=author).delete()
    return number > 0
