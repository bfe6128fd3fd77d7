"""The upstream side: pinned sources, the items discovered in them, and links to definitions."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from curation.instances.models.instance import Instance


class Source(models.Model):
    """An upstream repository at a pinned commit, as one instance uses it. `snapshot` holds its files, where given."""

    TRACKS = ((1, "formal"), (2, "non-formal"))

    instance = models.ForeignKey(Instance, models.CASCADE, related_name="sources")
    language = models.CharField(max_length=32, blank=True)
    repository_url = models.CharField(max_length=500, blank=True)
    commit = models.CharField(max_length=64, blank=True)
    paths = models.TextField(blank=True, help_text="one path a line")
    licence = models.CharField(max_length=64, blank=True)
    track = models.PositiveSmallIntegerField(choices=TRACKS)
    snapshot = models.ForeignKey(
        "content.Snapshot", models.PROTECT, null=True, related_name="+"
    )
    partly_read = models.BooleanField(
        default=False, help_text="only the files that the manifest names were read"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    @property
    def short_url(self) -> str:
        """The repository's name: the last two parts of its address."""
        return "/".join(
            self.repository_url.removesuffix(".git").rstrip("/").split("/")[-2:]
        )

    def __str__(self) -> str:
        return f"{self.short_url or 'source'} @ {self.commit[:7] or 'no commit'}"


class Item(models.Model):
    """Something discovered in the source: a function, type, spec, theorem or test. Lines are 1-based, inclusive."""

    source = models.ForeignKey(Source, models.CASCADE, related_name="items")
    kind = models.CharField(max_length=32, help_text="the language's own word")
    category = models.CharField(max_length=16, help_text="fn, type, spec, proof, …")
    name = models.CharField(max_length=300)
    qualified_name = models.CharField(max_length=500)
    path = models.CharField(max_length=1000)
    line_start = models.PositiveIntegerField()
    line_end = models.PositiveIntegerField()
    signature = models.TextField(blank=True)
    doc = models.TextField(blank=True)
    is_test = models.BooleanField(default=False)
    in_scope = models.BooleanField(
        default=True, help_text="in a file that the manifest's source.path names"
    )

    class Meta:
        ordering = ("path", "line_start", "pk")
        indexes = (
            models.Index(fields=("source", "path", "line_start"), name="item_place"),
        )

    def __str__(self) -> str:
        return self.qualified_name


class Link(models.Model):
    """A definition translates an item. `rejected` keeps a person's "this is not it" for good."""

    RELATIONS = (
        ("counterpart", "counterpart"),
        ("split", "split"),
        ("merged", "merged"),
        ("about", "about"),
    )
    CONFIDENCES = (("certain", "certain"), ("likely", "likely"), ("guess", "guess"))
    BY_HAND = "hand"

    definition = models.ForeignKey(
        "instances.Definition", models.CASCADE, related_name="links"
    )
    item = models.ForeignKey(Item, models.CASCADE, related_name="links")
    relation = models.CharField(max_length=16, choices=RELATIONS, default="counterpart")
    basis = models.CharField(max_length=32)
    confidence = models.CharField(max_length=8, choices=CONFIDENCES)
    note = models.TextField(blank=True)
    rejected = models.BooleanField(default=False)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("definition", "item"), name="one_link_a_pair"
            ),
        )

    def __str__(self) -> str:
        return f"{self.definition} ↔ {self.item}"


class LinkGap(models.Model):
    """Why no item could be linked to a definition, with the items that a person may choose from."""

    definition = models.ForeignKey(
        "instances.Definition", models.CASCADE, related_name="gaps"
    )
    source = models.ForeignKey(Source, models.CASCADE, related_name="gaps")
    code = models.CharField(max_length=32)
    reason = models.TextField()
    candidates = models.ManyToManyField(Item, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("definition", "source"), name="one_gap_a_definition"
            ),
        )

    def __str__(self) -> str:
        return f"{self.definition}: {self.code}"
