"""What a revision's definitions compile to, as hashes, where somebody built it."""

from __future__ import annotations

from django.db import models

from curation.instances.meaning import Under
from curation.instances.models.definition import Definition
from curation.instances.models.instance import Revision


class TermBuild(models.Model):
    """A toolchain compiled the files of a revision, unedited, and a grader read what came out.

    Only what is new is kept: definitions whose term another build of the revision told under the same toolchain and
    scheme have a row here again only if this one told otherwise (then neither is believed).
    """

    revision = models.ForeignKey(Revision, models.CASCADE, related_name="term_builds")
    toolchain_kind = models.CharField(max_length=16, help_text="pocket or elan")
    toolchain = models.CharField(max_length=100, help_text="kind and version, in words")
    toolchain_digest = models.CharField(max_length=64)
    grader_digest = models.CharField(max_length=64, help_text="which grader read it")
    scheme = models.CharField(max_length=40, help_text="what went into the hashes")
    failed = models.TextField(
        blank=True,
        default="",
        help_text="paths of files that were not built when all were tried last, a line each",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("revision", "toolchain_digest", "scheme", "grader_digest"),
                name="one_term_build_a_grader",
            ),
        )

    def __str__(self) -> str:
        return f"{self.revision} on {self.toolchain}"

    @property
    def under(self) -> Under:
        """By what its hashes were made: only those of equal ones are compared."""
        return self.toolchain_digest, self.scheme


class DefinitionTerm(models.Model):
    """What a definition compiles to in one build: a Merkle hash, "" where its term does not say what it means.

    There is a row only where the compiled file holds the definition under its name: a row means that it compiled. One that was told again and otherwise has a second row; then neither is believed.
    """

    build = models.ForeignKey(TermBuild, models.CASCADE, related_name="terms")
    definition = models.ForeignKey(Definition, models.CASCADE, related_name="terms")
    term_hash = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("build", "definition", "term_hash"), name="a_term_told_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.definition} in {self.build}"
