"""Template tags: what they give, and that nothing unescaped gets through."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.template import Context, RequestContext, Template
from django.test import RequestFactory, SimpleTestCase
from django.utils import timezone

from workbench.ui.parts import Step, Tab, facet

NASTY = "<script>\"'&"


def render(source: str, path: str = "/", **context: Any) -> str:
    request = RequestFactory().get(path)
    request.user = AnonymousUser()
    return Template(source).render(RequestContext(request, context))


class WordsTest(SimpleTestCase):
    def test_status_has_tone_and_word(self) -> None:
        self.assertHTMLEqual(
            render("{% status 'ok' 'passed' %}"),
            '<span class="status" data-tone="ok">passed</span>',
        )
        self.assertHTMLEqual(
            render("{% pill 'bad' 'failed' %}"),
            '<span class="status pill" data-tone="bad">failed</span>',
        )

    def test_a_tone_that_is_not_there_is_an_error(self) -> None:
        with self.assertRaisesMessage(ValueError, "There is no tone 'green'"):
            render("{% status 'green' 'passed' %}")

    def test_nothing_unescaped_gets_through(self) -> None:
        for source in (
            "{% status 'ok' x %}", "{% pill 'ok' x %}", "{% tag x %}", "{% count x %}", "{% facts x %}", "{% hash x %}",
            "{% crumbs x x x %}", "{% empty x x x x %}", "{% notice 'ok' x href=x link=x %}{{ x }}{% endnotice %}",
            "{% panel x note=x href=x link=x name=x %}{{ x }}{% endpanel %}", "{{ x|short }}", "{{ 2|plural:x }}",
            "{% confirm x x button=x key=x %}{{ x }}{% endconfirm %}", "{% wait x %}", "{% conflict x x x x %}",
        ):  # fmt: skip
            with self.subTest(source):
                self.assertNotIn("<script>", render(source, x=NASTY))

    def test_count_is_nothing_for_none_and_has_separators(self) -> None:
        self.assertEqual(render("{% count x %}", x=None), "")
        self.assertHTMLEqual(
            render("{% count x %}", x=2705), '<span class="count">2,705</span>'
        )
        self.assertHTMLEqual(
            render("{% count x %}", x=0), '<span class="count">0</span>'
        )

    def test_facts_leave_out_what_is_empty(self) -> None:
        self.assertHTMLEqual(
            render("{% facts 'a' x y 0 %}", x="", y=None),
            '<p class="facts"><span>a</span><span>0</span></p>',
        )

    def test_plural(self) -> None:
        for number, words, expected in (
            (0, "spec", "0 specs"), (1, "spec", "1 spec"), (2705, "spec", "2,705 specs"), (1, "person,people", "1 person"),
            (2, "person,people", "2 people"), ("more than 10", "spec", "more than 10 specs"),
        ):  # fmt: skip
            self.assertEqual(render("{{ x|plural:w }}", x=number, w=words), expected)

    def test_bytes(self) -> None:
        for value, words in (
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (12_345, "12 kB"),
            (3_400_000, "3.4 MB"),
            (64 * 10**6, "64 MB"),
            (5 * 10**15, "5000 TB"),
        ):
            self.assertEqual(render("{{ x|bytes }}", x=value), words)

    def test_a_hash_is_short_and_whole_at_once(self) -> None:
        digest = "91c0" + "ab" * 28 + "7d13"
        html = render("{% hash x %}", x=digest)
        self.assertIn(f'title="{digest}"', html)
        self.assertEqual(
            "".join(
                html.split("<code")[1]
                .split(">", 1)[1]
                .replace("<i>", "")
                .replace("</i>", "")
                .split("<")[0]
            ),
            digest,
        )
        self.assertEqual(render("{{ x|short }}", x=digest), "91c0…7d13")
        self.assertIn("–", render("{% hash x %}", x=""))

    def test_times_carry_the_whole_time(self) -> None:
        moment = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)
        with timezone.override(UTC):
            self.assertHTMLEqual(
                render("{% when x %}", x=moment),
                '<time datetime="2025-03-01T12:00:00+00:00" title="2025-03-01 12:00:00 UTC">1 Mar 2025</time>',
            )
        self.assertIn(
            ">3 d<",
            render("{% age x %}", x=timezone.now() - timedelta(days=3, minutes=1)),
        )
        self.assertIn("–", render("{% when x %}{% age x %}", x=None))
        self.assertEqual(
            render("{{ x|duration }} {{ y|duration }}", x=None, y=75), "– 1 min"
        )


class QueryTest(SimpleTestCase):
    def test_it_changes_what_is_named_and_keeps_the_rest(self) -> None:
        self.assertEqual(
            render("{% query kind='api' %}", "/?kind=spec&q=x"), "?kind=api&amp;q=x"
        )

    def test_none_takes_a_key_away(self) -> None:
        self.assertEqual(render("{% query kind=None %}", "/?kind=spec"), "?")

    def test_a_change_returns_to_the_first_page(self) -> None:
        self.assertEqual(
            render("{% query kind='api' %}", "/?after=abc&before=x"), "?kind=api"
        )
        self.assertEqual(
            render("{% query after='next' %}", "/?after=abc&q=x"), "?after=next&amp;q=x"
        )

    def test_values_are_encoded(self) -> None:
        self.assertEqual(
            render("{% query q=x %}", x="a&b=c d∣"), "?q=a%26b%3Dc+d%E2%88%A3"
        )

    def test_a_choice_of_a_facet_is_put_on_and_taken_off(self) -> None:
        one = facet("kind", "Kind", [("api", 1), ("spec", 1)], ["api"])
        self.assertEqual(
            render("{% toggled f 'spec' %}", "/?kind=api", f=one), "?kind=spec"
        )
        self.assertEqual(render("{% toggled f 'api' %}", "/?kind=api", f=one), "?")
        several = facet(
            "kind", "Kind", [("api", 1), ("spec", 1)], ["api"], several=True
        )
        self.assertEqual(
            render("{% toggled f 'spec' %}", "/?kind=api", f=several),
            "?kind=api&amp;kind=spec",
        )


class RegionsTest(SimpleTestCase):
    def test_a_panel_has_title_count_and_way_on(self) -> None:
        html = render(
            "{% panel 'Jobs' count=5 href='/jobs/' link='All jobs' %}<p>body</p>{% endpanel %}"
        )
        self.assertInHTML("<h2>Jobs</h2>", html)
        self.assertInHTML('<a class="push small" href="/jobs/">All jobs</a>', html)
        self.assertInHTML("<p>body</p>", html)

    def test_a_confirmation_is_a_form_with_a_token_and_one_button_that_names_the_consequence(
        self,
    ) -> None:
        html = render(
            "{% confirm 'Cancel' '/jobs/3/cancel/' button='Cancel and kill it' tone='bad' %}The upload is kept.{% endconfirm %}"
        )
        self.assertInHTML("<summary class='btn'>Cancel</summary>", html)
        self.assertIn('action="/jobs/3/cancel/"', html)
        self.assertRegex(html, r'name="csrfmiddlewaretoken" value="\w{64}"')
        self.assertInHTML(
            '<button class="btn primary" data-tone="bad">Cancel and kill it</button>',
            html,
        )
        self.assertIn("The upload is kept.", html)

    def test_facets_are_links_and_say_what_is_chosen(self) -> None:
        html = render(
            "{% facets f %}",
            "/?kind=api&q=x",
            f=[facet("kind", "Kind", [("api", 3), ("spec", 5)], ["api"])],
        )
        self.assertIn('href="?q=x" aria-current="true"', html)
        self.assertIn('href="?kind=spec&amp;q=x"', html)
        self.assertInHTML('<a class="push small" href="?q=x">Clear all</a>', html)
        self.assertNotIn(
            "Clear all",
            render("{% facets f %}", f=[facet("kind", "Kind", [("api", 3)], [])]),
        )

    def test_tabs_and_switches_mark_the_current_one(self) -> None:
        tabs = [Tab("Overview", "/a", True), Tab("Specs", "/b", count=47)]
        for tag in ("tabs", "switch"):
            html = render("{% " + tag + " t 'Instance' %}", t=tabs)
            self.assertEqual(html.count("aria-current"), 1)
            self.assertIn("47", html)

    def test_steps_mark_the_present_one(self) -> None:
        html = render(
            "{% steps s 'Stages' %}",
            s=[
                Step("init", "ok", "mira"),
                Step("plan", "run", current=True, url="/plan"),
            ],
        )
        self.assertInHTML(
            '<a class="status" data-tone="run" href="/plan"><b>plan</b></a>', html
        )
        self.assertEqual(html.count('aria-current="step"'), 1)

    def test_the_tags_need_no_load(self) -> None:
        self.assertIn("status", Template("{% status 'ok' 'x' %}").render(Context()))
