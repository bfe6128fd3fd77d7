"""Who may do what, where."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from tests.case import WorkbenchTestCase, make_user
from workbench.access.models import Grant, Membership, Team
from workbench.access.rights import (
    AccessDenied,
    Person,
    allowed,
    get_visible_or_404,
    require,
    rights_of,
    sight,
    teams_with,
)
from workbench.access.roles import (
    ADJUDICATE,
    ADMINISTER,
    CURATE,
    MAINTAIN,
    REVIEW,
    RIGHTS,
    ROLES,
    SUBMIT,
    VIEW,
)


class Box:
    """Something that belongs to a team and can carry grants. Stands in for a model of an app."""

    access_kind = "box"

    def __init__(self, pk: int, team: Team) -> None:
        self.pk = pk
        self.team_id = team.pk


class AllowedTest(WorkbenchTestCase):
    EXPECTED = {
        "reader": {VIEW},
        "submitter": {VIEW, SUBMIT},
        "curator": {VIEW, SUBMIT, CURATE, REVIEW},
        "reviewer": {VIEW, REVIEW},
        "adjudicator": {VIEW, ADJUDICATE},
        "maintainer": {VIEW, SUBMIT, CURATE, REVIEW, ADJUDICATE, MAINTAIN},
        "admin": set(RIGHTS),
    }  # fmt: skip

    def test_each_role_has_its_rights_and_no_other(self) -> None:
        self.assertEqual(set(self.EXPECTED), set(ROLES))
        for role, expected in self.EXPECTED.items():
            held = {
                right for right in RIGHTS if allowed(self.users[role], right, self.team)
            }
            self.assertEqual(held, expected, role)

    def test_nobody_has_any_right_in_another_team(self) -> None:
        for right in RIGHTS:
            self.assertFalse(allowed(self.outsider.user, right, self.team), right)
            self.assertFalse(allowed(self.admin.user, right, self.other_team), right)

    def test_a_visitor_has_no_right(self) -> None:
        self.assertFalse(allowed(AnonymousUser(), VIEW, self.team))

    def test_a_closed_account_has_no_right(self) -> None:
        self.admin.user.is_active = False
        self.assertFalse(allowed(self.admin.user, VIEW, self.team))
        self.assertFalse(teams_with(self.admin.user, VIEW).exists())

    def test_the_operator_has_every_right(self) -> None:
        operator = make_user("operator", is_superuser=True)
        self.assertTrue(all(allowed(operator, right, self.team) for right in RIGHTS))

    def test_roles_add_up(self) -> None:
        Membership.objects.create(
            user=self.reader.user, team=self.team, role="adjudicator"
        )
        self.assertTrue(allowed(self.reader.user, ADJUDICATE, self.team))
        self.assertFalse(allowed(self.reader.user, CURATE, self.team))

    def test_a_grant_holds_on_its_object_alone(self) -> None:
        box, neighbour = Box(1, self.team), Box(2, self.team)
        Grant.objects.create(
            user=self.outsider.user, role="reviewer", object_kind="box", object_id=1
        )
        self.assertTrue(allowed(self.outsider.user, REVIEW, box))
        self.assertFalse(allowed(self.outsider.user, CURATE, box))
        self.assertFalse(allowed(self.outsider.user, REVIEW, neighbour))
        self.assertFalse(allowed(self.outsider.user, REVIEW, self.team))

    def test_a_grant_on_another_kind_with_the_same_number_does_not_count(self) -> None:
        Grant.objects.create(
            user=self.outsider.user, role="reviewer", object_kind="crate", object_id=1
        )
        self.assertFalse(allowed(self.outsider.user, REVIEW, Box(1, self.team)))

    def test_it_costs_two_queries_at_most(self) -> None:
        with self.assertMostQueries(2):
            allowed(self.outsider.user, REVIEW, Box(1, self.team))
        with self.assertMostQueries(1):
            allowed(self.reviewer.user, REVIEW, Box(1, self.team))

    def test_all_rights_at_once_are_those_asked_one_by_one(self) -> None:
        Grant.objects.create(
            user=self.outsider.user, role="reviewer", object_kind="box", object_id=1
        )
        closed = make_user("closed", is_active=False)
        operator = make_user("operator", is_superuser=True)
        people: list[Person] = [*self.users.values(), closed, operator]
        people.append(AnonymousUser())
        for scope in (self.team, self.other_team, Box(1, self.team), Box(2, self.team)):
            for person in people:
                one_by_one = {
                    right for right in RIGHTS if allowed(person, right, scope)
                }
                self.assertEqual(rights_of(person, scope), one_by_one, person)

    def test_require_says_in_words_what_is_missing(self) -> None:
        with self.assertRaisesRegex(AccessDenied, "You may not rule on findings here"):
            require(self.curator.user, ADJUDICATE, self.team)
        require(self.adjudicator.user, ADJUDICATE, self.team)


class SightTest(WorkbenchTestCase):
    def seen(self, user: Person) -> set[str]:
        return set(
            Team.objects.filter(sight(user, team="pk", kind="box")).values_list(
                "slug", flat=True
            )
        )

    def test_it_cuts_to_the_teams_of_the_person(self) -> None:
        self.assertEqual(self.seen(self.reader.user), {"logicians"})
        self.assertEqual(self.seen(self.outsider.user), {"strangers"})

    def test_a_visitor_sees_nothing(self) -> None:
        self.assertEqual(self.seen(AnonymousUser()), set())

    def test_the_operator_sees_everything(self) -> None:
        self.assertEqual(
            self.seen(make_user("operator", is_superuser=True)),
            {"logicians", "strangers"},
        )

    def test_a_grant_adds_its_object(self) -> None:
        Grant.objects.create(
            user=self.outsider.user,
            role="reader",
            object_kind="box",
            object_id=self.team.pk,
        )
        self.assertEqual(self.seen(self.outsider.user), {"logicians", "strangers"})

    def test_it_asks_for_the_right_that_was_named(self) -> None:
        teams = Team.objects.filter(sight(self.reader.user, team="pk", right=CURATE))
        self.assertFalse(teams.exists())
        self.assertTrue(
            Team.objects.filter(
                sight(self.curator.user, team="pk", right=CURATE)
            ).exists()
        )

    def test_what_may_not_be_seen_is_not_there(self) -> None:
        visible = Team.objects.filter(sight(self.reader.user, team="pk"))
        self.assertEqual(get_visible_or_404(visible, slug="logicians"), self.team)
        for slug in ("strangers", "never-was"):
            with self.assertRaisesRegex(Http404, "nothing here under that name"):
                get_visible_or_404(visible, slug=slug)

    def test_teams_with_a_right(self) -> None:
        self.assertEqual(list(teams_with(self.admin.user, ADMINISTER)), [self.team])
        self.assertEqual(list(teams_with(self.curator.user, ADMINISTER)), [])
