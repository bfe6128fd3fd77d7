"""Who may do what. Every action asks `require`; every list starts from `in_sight`."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404

from workbench.access.models import Grant, Membership, User
from workbench.access.roles import RIGHTS, ROLES, VIEW, roles_with

Person = User | AnonymousUser
M = TypeVar("M", bound=models.Model)


class Scoped(Protocol):
    """An object with rights: it belongs to a team and may carry grants of its own (`access_kind`)."""

    @property
    def pk(self) -> Any: ...

    @property
    def team_id(self) -> Any: ...


class AccessDenied(PermissionDenied):
    """The person lacks the right. The text says which, in words."""


def allowed(user: Person, right: str, scope: Scoped) -> bool:
    """Return whether `user` holds `right` on `scope`, through a team or a grant. One query, at most two."""
    if not isinstance(user, User) or not user.is_active:
        return False
    if user.is_superuser:
        return True
    roles = roles_with(right)
    if Membership.objects.filter(
        user=user, team_id=scope.team_id, role__in=roles
    ).exists():
        return True
    kind = getattr(scope, "access_kind", None)
    return (
        kind is not None
        and Grant.objects.filter(
            user=user, role__in=roles, object_kind=kind, object_id=scope.pk
        ).exists()
    )


def rights_of(user: Person, scope: Scoped) -> frozenset[str]:
    """Return all that `user` may do on `scope`: for pages that ask about several rights. At most two queries."""
    if not isinstance(user, User) or not user.is_active:
        return frozenset()
    if user.is_superuser:
        return frozenset(RIGHTS)
    held = Membership.objects.filter(user=user, team_id=scope.team_id)
    roles = set(held.values_list("role", flat=True))
    kind = getattr(scope, "access_kind", None)
    if kind is not None:
        granted = Grant.objects.filter(user=user, object_kind=kind, object_id=scope.pk)
        roles |= set(granted.values_list("role", flat=True))
    return frozenset().union(*(ROLES.get(role, frozenset()) for role in roles))


def require(user: Person, right: str, scope: Scoped) -> None:
    """Raise `AccessDenied` unless `user` holds `right` on `scope`."""
    if not allowed(user, right, scope):
        raise AccessDenied(
            f"You may not {RIGHTS[right]} here. Ask an admin of the team for a role that may."
        )


def teams_with(user: Person, right: str) -> models.QuerySet[Any]:
    """Return the teams in which `user` holds `right`."""
    from workbench.access.models import Team

    if not isinstance(user, User) or not user.is_active:
        return Team.objects.none()
    if user.is_superuser:
        return Team.objects.all()
    return Team.objects.filter(
        pk__in=Membership.objects.filter(user=user, role__in=roles_with(right)).values(
            "team_id"
        )
    )


def sight(
    user: Person,
    *,
    team: str = "team",
    kind: str | None = None,
    pk: str = "pk",
    right: str = VIEW,
) -> models.Q:
    """Return the filter for rows on which `user` holds `right`.

    `team` is the lookup path to the team, `kind` the access kind whose grants count, `pk` the path to its id.
    """
    if not isinstance(user, User) or not user.is_active:
        return models.Q(pk__in=[])
    if user.is_superuser:
        return models.Q()
    roles = roles_with(right)
    seen = models.Q(
        **{
            f"{team}__in": Membership.objects.filter(user=user, role__in=roles).values(
                "team_id"
            )
        }
    )
    if kind is not None:
        granted = Grant.objects.filter(
            user=user, role__in=roles, object_kind=kind
        ).values("object_id")
        seen |= models.Q(**{f"{pk}__in": granted})
    return seen


def get_visible_or_404(queryset: models.QuerySet[M], **lookup: Any) -> M:
    """Return the one row of `queryset` (already cut to what the person may see), or raise `Http404`.

    What a person may not see does not exist for them: never a 403 that confirms a name.
    """
    found = queryset.filter(**lookup).first()
    if found is None:
        raise Http404(
            "There is nothing here under that name, or it is not yours to see."
        )
    return found
