"""People, teams, and the roles that people hold in a team or on one object."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models

from workbench.access.roles import ROLES

ROLE_CHOICES = [(role, role) for role in ROLES]


class User(AbstractUser):
    """A person (or an agent's account) with the preferences that every page needs."""

    THEMES = (("system", "like the system"), ("light", "light"), ("dark", "dark"))

    theme = models.CharField(max_length=8, choices=THEMES, default="system")
    single_keys = models.BooleanField("single-letter keys", default=True)
    time_zone = models.CharField(max_length=64, blank=True)
    keys = models.JSONField(
        default=dict, blank=True, help_text="keys that the person moved: name → strokes"
    )

    @property
    def display_name(self) -> str:
        """The full name, or the log-in name where none was given."""
        return self.get_full_name() or self.username


class Team(models.Model):
    """A group of people who own instances together."""

    slug = models.CharField(
        max_length=50,
        unique=True,
        validators=[
            RegexValidator(
                r"^[a-z0-9][a-z0-9-]*$", "lower-case letters, digits, dashes"
            )
        ],
    )
    name = models.CharField(max_length=100)

    class Meta:
        ordering = ("slug",)

    def __str__(self) -> str:
        return self.name

    @property
    def team_id(self) -> int:
        """A team is its own scope, so rights can be asked on it."""
        return self.pk


class Membership(models.Model):
    """One role of one person in one team; a person may hold several."""

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, models.CASCADE, related_name="members")
    role = models.CharField(max_length=16, choices=ROLE_CHOICES)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "team", "role"), name="one_membership_a_role"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} is {self.role} in {self.team}"


class Grant(models.Model):
    """One role of one person on one object (for example an instance), whatever team it belongs to."""

    user = models.ForeignKey(User, models.CASCADE, related_name="grants")
    role = models.CharField(max_length=16, choices=ROLE_CHOICES)
    object_kind = models.CharField(max_length=32)
    object_id = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "role", "object_kind", "object_id"),
                name="one_grant_a_role",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} is {self.role} on {self.object_kind} {self.object_id}"
