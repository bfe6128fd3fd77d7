from __future__ import annotations

from django.urls import path

from workbench.access.views import objects, people, session, team

urlpatterns = [
    path("login/", session.log_in, name="login"),
    path("logout/", session.log_out, name="logout"),
    path("people/", people.people, name="people"),
    path("people/teams/", people.new_team, name="new_team"),
    path("people/team-number/<int:pk>/", team.team_by_id, name="team_by_id"),
    path("people/teams/<slug:slug>/", team.team, name="team"),
    path("people/teams/<slug:slug>/give/", team.give, name="team_give"),
    path("people/teams/<slug:slug>/take/", team.take, name="team_take"),
    path("people/teams/<slug:slug>/accounts/", team.new_account, name="team_account"),
    path("people/on/<slug:kind>/<int:pk>/", objects.roles_on, name="roles_on"),
    path("people/on/<slug:kind>/<int:pk>/give/", objects.give_on, name="give_on"),
    path("people/on/<slug:kind>/<int:pk>/take/", objects.take_on, name="take_on"),
]
