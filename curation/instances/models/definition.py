"""Definitions and the versions of their text."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from curation.instances.models.instance import Instance, Revision


class Definition(models.Model):
    """A Lean declaration that the curator answers for. It keeps its identity from revision to revision.

    What kind it is and which module it belongs to is said by its placement in a revision.
    """

    API, TYPE, SIGNATURE, HELPER, SPEC, SPEC_HELPER, HARNESS = (
        "api", "type", "signature", "helper", "spec", "spec_helper", "harness",
    )  # fmt: skip
    KINDS = (
        (API, "API"),
        (TYPE, "type"),
        (SIGNATURE, "signature"),
        (HELPER, "helper"),
        (SPEC, "spec"),
        (SPEC_HELPER, "spec helper"),
        (HARNESS, "harness"),
    )

    instance = models.ForeignKey(Instance, models.CASCADE, related_name="definitions")
    lean_name = models.CharField(max_length=400)
    ordinal = models.PositiveSmallIntegerField(
        default=0, help_text="tells apart equal names in one file"
    )
    path = models.CharField(max_length=1000)

    class Meta:
        ordering = ("path", "lean_name", "ordinal")
        constraints = (
            models.UniqueConstraint(
                fields=("instance", "path", "lean_name", "ordinal"),
                name="one_definition_a_name",
            ),
        )

    def __str__(self) -> str:
        return self.lean_name

    @property
    def team_id(self) -> int:
        return self.instance.team_id

    @property
    def short_name(self) -> str:
        """The last component of the Lean name."""
        return self.lean_name.rsplit(".", 1)[-1]


class Translation(models.Model):
    """One version of a definition's Lean text. Never changed, only superseded."""

    ORIGINS = (("import", "import"), ("person", "person"), ("agent", "agent"))

    definition = models.ForeignKey(
        Definition, models.CASCADE, related_name="translations"
    )
    number = models.PositiveIntegerField()
    lean_keyword = models.CharField(max_length=16)
    text = models.TextField()
    text_hash = models.CharField(max_length=64)
    doc = models.TextField(blank=True)
    signature = models.TextField(blank=True)
    origin = models.CharField(max_length=8, choices=ORIGINS, default="import")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    is_current = models.BooleanField(default=True)

    class Meta:
        ordering = ("definition", "-number")
        constraints = (
            models.UniqueConstraint(
                fields=("definition", "number"), name="one_translation_a_number"
            ),
            models.UniqueConstraint(
                fields=("definition",),
                condition=models.Q(is_current=True),
                name="one_current_translation",
            ),
        )

    def __str__(self) -> str:
        return f"{self.definition} v{self.number}"


class Placement(models.Model):
    """Where a revision holds a translation. Lines are 1-based, inclusive."""

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="placements")
    definition = models.ForeignKey(
        Definition, models.CASCADE, related_name="placements"
    )
    translation = models.ForeignKey(
        Translation, models.CASCADE, related_name="placements"
    )
    kind = models.CharField(max_length=16, choices=Definition.KINDS)
    module = models.CharField(max_length=200, blank=True)
    line_start = models.PositiveIntegerField()
    line_end = models.PositiveIntegerField()
    position = models.PositiveIntegerField(
        help_text="order in the revision: modules as in the manifest, then lines"
    )
    own_hash = models.CharField(
        max_length=64,
        default="",
        help_text="of the text without comments and whitespace",
    )
    meaning_hash = models.CharField(
        max_length=64,
        default="",
        help_text="of that and of all it uses, see meaning.py",
    )
    unseen_hash = models.CharField(
        max_length=64,
        default="",
        help_text="of what that and all it uses say beside their compiled terms",
    )

    class Meta:
        ordering = ("revision", "position")
        constraints = (
            models.UniqueConstraint(
                fields=("revision", "definition"), name="one_placement_a_definition"
            ),
            models.UniqueConstraint(
                fields=("revision", "position"), name="one_placement_a_position"
            ),
        )

    def __str__(self) -> str:
        return f"{self.definition.path}:{self.line_start}"


class Use(models.Model):
    """In a revision, the text of `user` mentions `used`; `through_impl` when it does so by `impl.<package>.<field>`.

    `indirect`: a spec reaches an API only through its helpers. Such a row tells what the spec is about, and is no
    step of a path of dependencies.
    """

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="uses")
    user = models.ForeignKey(Definition, models.CASCADE, related_name="uses")
    used = models.ForeignKey(Definition, models.CASCADE, related_name="used_by")
    through_impl = models.BooleanField(default=False)
    indirect = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("revision", "user", "used"), name="one_use_a_pair"
            ),
        )
        indexes = (models.Index(fields=("revision", "used"), name="use_used"),)

    def __str__(self) -> str:
        return f"{self.user} uses {self.used}"


class Reliance(models.Model):
    """In a revision, `user` may rely on `used` without naming it: an instance found by search, a method of some type.

    Told apart from uses, since a reader would not find them; what a change reaches goes by both.
    """

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="reliances")
    user = models.ForeignKey(Definition, models.CASCADE, related_name="+")
    used = models.ForeignKey(Definition, models.CASCADE, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("revision", "user", "used"), name="one_reliance_a_pair"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} may rely on {self.used}"
