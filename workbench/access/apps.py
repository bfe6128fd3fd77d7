from __future__ import annotations

from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "workbench.access"

    def ready(self) -> None:
        from workbench.events.telling import Telling, tellings

        tellings.add(
            Telling("role.given", "gave {person} the role {role} in {object}"),
            Telling("role.taken", "took the role {role} in {object} from {person}"),
            Telling(
                "account.created", "created the account {person}, {role} in {object}"
            ),
            Telling("team.created", "created the team {object}"),
            Telling("preferences.changed", "changed their preferences"),
            Telling("password.changed", "changed their password"),
        )
