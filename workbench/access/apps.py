from __future__ import annotations

from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "workbench.access"

    def ready(self) -> None:
        from django.urls import reverse

        from workbench.access.objects import Kind, kinds
        from workbench.access.rights import teams_with
        from workbench.access.roles import VIEW
        from workbench.events.telling import Telling, tellings

        kinds.add(
            Kind(
                "team",
                lambda pk: reverse("team_by_id", args=[pk]),
                lambda user: teams_with(user, VIEW),
            )
        )
        tellings.add(
            Telling("role.given", "gave {person} the role {role} in {object}"),
            Telling("role.taken", "took the role {role} in {object} from {person}"),
            Telling(
                "account.created", "created the account {person}, {role} in {object}"
            ),
            Telling("team.created", "created the team {object}"),
            Telling("preferences.changed", "changed their preferences"),
            Telling("keys.moved", "moved keys ({number} now)"),
            Telling("password.changed", "changed their password"),
            Telling("password.reset", "set a new password for {object}"),
        )
