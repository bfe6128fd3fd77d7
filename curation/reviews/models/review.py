"""Decisions on translations, what ended them, and the requests that they opened."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models

from curation.instances.meaning import TERM, TEXT
from curation.instances.models import (
    Definition,
    DefinitionTerm,
    Instance,
    Revision,
    Translation,
)


class Review(models.Model):
    """A decision of one person on one translation, with the content that was read.

    Never changed. `standing` says whether it still counts; what ended it is its `ReviewEnd`. `read_hash` is the
    meaning hash of the page: the text without comments and whitespace, and that of all it uses. An approval is bound to
    compiled terms as well, where it has `term_bases`.
    """

    APPROVE, RETRANSLATE, SKIP = "approve", "retranslate", "skip"
    DECISIONS = (
        (APPROVE, "approved"),
        (RETRANSLATE, "sent back"),
        (SKIP, "skipped"),
    )
    REASONS = (
        ("semantics", "wrong semantics"),
        ("partial", "partial function"),
        ("missing_case", "missing case"),
        ("name_or_type", "name or type"),
        ("idiom", "not idiomatic"),
        ("build", "does not build"),
        ("other", "other"),
    )

    instance = models.ForeignKey(Instance, models.CASCADE, related_name="reviews")
    definition = models.ForeignKey(Definition, models.CASCADE, related_name="reviews")
    translation = models.ForeignKey(Translation, models.CASCADE, related_name="reviews")
    revision = models.ForeignKey(Revision, models.CASCADE, related_name="+")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="reviews"
    )
    decision = models.CharField(max_length=16, choices=DECISIONS)
    reason = models.CharField(max_length=16, choices=REASONS, blank=True)
    words = models.TextField(blank=True)
    read_hash = models.CharField(max_length=64)
    standing = models.BooleanField(default=True)
    continues = models.ForeignKey(
        "self",
        models.CASCADE,
        null=True,
        related_name="continued_by",
        help_text="the decision, no longer standing, that this one lets count again",
    )
    correlation = models.UUIDField(db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("definition", "reviewer"),
                condition=models.Q(standing=True),
                name="one_standing_review_a_reviewer",
            ),
        )
        indexes = (
            models.Index(
                fields=("instance", "standing", "decision"), name="review_standing"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_decision_display()}: {self.translation}"

    @property
    def team_id(self) -> int:
        return self.instance.team_id


class TermBasis(models.Model):
    """A compiled term that an approval is bound to, beside the text that was read. Never changed.

    Written when it is given on a revision that was built, when a revision that it holds on is built, and when it counts
    again since a revision compiles to the same. `meaning_hash` is that of the definition's text in that revision.
    """

    review = models.ForeignKey(Review, models.CASCADE, related_name="term_bases")
    term = models.ForeignKey(DefinitionTerm, models.CASCADE, related_name="+")
    meaning_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("review", "term"), name="one_basis_a_term"),
        )

    def __str__(self) -> str:
        return f"{self.review} on {self.term.build.toolchain}"


class ReviewEnd(models.Model):
    """What ended a review. `path` names the definitions from the reviewed one to the one that changed, by lines.

    `cause` is the definition that changed; `before` and `after` are its translations (None: it came or went). `basis`
    says whether its text or its compiled term did. What a text ended, a build may find to mean the same, and let count
    again, unless it is `final`: a person, `by`, took it back.
    """

    OWN, USED, SUPERSEDED, UNDONE, REMOVED = (
        "own", "used", "superseded", "undone", "removed",
    )  # fmt: skip
    CAUSES = (
        (OWN, "its own text changed"),
        (USED, "something that it uses changed"),
        (SUPERSEDED, "its reviewer decided anew"),
        (UNDONE, "it was undone"),
        (REMOVED, "the definition was removed"),
    )

    review = models.OneToOneField(Review, models.CASCADE, related_name="end")
    kind = models.CharField(max_length=16, choices=CAUSES)
    revision = models.ForeignKey(Revision, models.CASCADE, null=True, related_name="+")
    cause = models.ForeignKey(Definition, models.CASCADE, null=True, related_name="+")
    before = models.ForeignKey(Translation, models.CASCADE, null=True, related_name="+")
    after = models.ForeignKey(Translation, models.CASCADE, null=True, related_name="+")
    path = models.TextField(blank=True, help_text="one Lean name a line")
    basis = models.CharField(
        max_length=8, choices=((TEXT, "text"), (TERM, "compiled term")), default=TEXT
    )
    final = models.BooleanField(
        default=False, help_text="somebody took it back after it had ended"
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.review}: {self.get_kind_display()}"

    @property
    def steps(self) -> list[str]:
        """The names from the reviewed definition to the one that changed."""
        return self.path.split("\n") if self.path else []


class Retranslation(models.Model):
    """The work that a request for re-translation opens: one next version, that answers it."""

    OPEN, ANSWERED, WITHDRAWN = "open", "answered", "withdrawn"
    STATES = ((OPEN, "open"), (ANSWERED, "answered"), (WITHDRAWN, "withdrawn"))

    review = models.OneToOneField(Review, models.CASCADE, related_name="retranslation")
    definition = models.ForeignKey(
        Definition, models.CASCADE, related_name="retranslations"
    )
    state = models.CharField(max_length=16, choices=STATES, default=OPEN)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    answer = models.ForeignKey(
        Translation, models.PROTECT, null=True, related_name="answers"
    )
    answer_words = models.TextField(blank=True)
    closed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(fields=("state", "assignee"), name="retranslation_work"),
        )

    def __str__(self) -> str:
        return f"re-translate {self.definition}"

    @property
    def team_id(self) -> int:
        return self.definition.team_id

    @property
    def instance_id(self) -> int:
        return self.definition.instance_id


class ReviewPolicy(models.Model):
    """How many approvals a kind of definition needs in an instance: none, one or two. Without a row: one."""

    MOST: ClassVar = 2

    instance = models.ForeignKey(Instance, models.CASCADE, related_name="policies")
    kind = models.CharField(max_length=16, choices=Definition.KINDS)
    approvals = models.PositiveSmallIntegerField(default=1)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("instance", "kind"), name="one_policy_a_kind"
            ),
            models.CheckConstraint(
                condition=models.Q(approvals__lte=2), name="at_most_two_approvals"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.approvals}"
