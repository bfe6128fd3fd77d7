"""What a person has seen, is writing, and said."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from curation.instances.models import Definition, Instance, Item, Revision, Translation


class Draft(models.Model):
    """The text that one person is writing for a definition, on top of version `base`. Kept until saved or dropped."""

    definition = models.ForeignKey(Definition, models.CASCADE, related_name="drafts")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="drafts"
    )
    base = models.ForeignKey(Translation, models.CASCADE, related_name="+")
    text = models.TextField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("definition", "author"), name="one_draft_a_person"
            ),
        )

    def __str__(self) -> str:
        return f"draft of {self.definition}"


class Look(models.Model):
    """What a person saw last of a definition, what they saw before that, and whether they ticked it as read.

    `before` moves on only when something else is seen, so that the page can be opened twice. The tick holds while
    the meaning hash of the definition equals `ticked_hash`.
    """

    definition = models.ForeignKey(Definition, models.CASCADE, related_name="looks")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="looks"
    )
    translation = models.ForeignKey(Translation, models.CASCADE, related_name="+")
    revision = models.ForeignKey(Revision, models.CASCADE, related_name="+")
    seen_hash = models.CharField(max_length=64, blank=True, default="")
    before = models.ForeignKey(
        Translation, models.SET_NULL, null=True, related_name="+"
    )
    before_revision = models.ForeignKey(
        Revision, models.SET_NULL, null=True, related_name="+"
    )
    ticked_hash = models.CharField(max_length=64, blank=True)
    seen_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("definition", "person"), name="one_look_a_person"
            ),
        )

    def __str__(self) -> str:
        return f"{self.person} saw {self.translation}"


class Thread(models.Model):
    """A conversation anchored to lines: of a translation (`translation` set) or of a source item (`item` set).

    `line_start` and `line_end` are 1-based, inclusive, counted in the text of the translation or of the item's lines;
    `quote` is what stood there. Where it stands today is computed, see anchors.py.
    """

    instance = models.ForeignKey(Instance, models.CASCADE, related_name="threads")
    definition = models.ForeignKey(Definition, models.CASCADE, related_name="threads")
    translation = models.ForeignKey(
        Translation, models.CASCADE, null=True, related_name="threads"
    )
    item = models.ForeignKey(Item, models.SET_NULL, null=True, related_name="threads")
    item_name = models.CharField(max_length=500, blank=True)
    line_start = models.PositiveIntegerField()
    line_end = models.PositiveIntegerField()
    quote = models.TextField()
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+"
    )
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    resolved_at = models.DateTimeField(null=True)
    sent_along = models.ManyToManyField("reviews.Retranslation", related_name="threads")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(fields=("definition", "resolved_at"), name="thread_open"),
        )

    def __str__(self) -> str:
        return f"line {self.line_start} of {self.definition}"

    @property
    def team_id(self) -> int:
        return self.instance.team_id


class Comment(models.Model):
    """One contribution to a thread. Its text is that of its latest `CommentText`; hidden ones keep their place."""

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="comments")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+"
    )
    key = models.CharField(
        max_length=64,
        help_text="of the form that was sent: a double click says it once",
    )
    hidden = models.BooleanField(default=False)
    hidden_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="who hid it; null while it is shown, and where it was hidden before this was kept",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("author", "key"), name="one_comment_a_form"
            ),
        )

    def __str__(self) -> str:
        return f"{self.author} on {self.thread}"


class CommentText(models.Model):
    """One state of a comment's text (Markdown), the newest last."""

    comment = models.ForeignKey(Comment, models.CASCADE, related_name="texts")
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.text[:80]


class FileMark(models.Model):
    """A line `-- !curation @review v<N> [ |x] name — text` of an imported file, as it stood there.

    It tells what another tool recorded; it is no decision of ours.
    """

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="file_marks")
    definition = models.ForeignKey(
        Definition, models.CASCADE, null=True, related_name="file_marks"
    )
    path = models.CharField(max_length=1000)
    line = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    ticked = models.BooleanField()
    name = models.CharField(max_length=400)
    text = models.TextField(blank=True)
    raw = models.TextField()
    conflict = models.TextField(
        blank=True, help_text="in words: where it disagrees with what is recorded here"
    )

    class Meta:
        ordering = ("revision", "path", "line")

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"
