from __future__ import annotations

import unittest

from tests.workbench.jobs.samples import jobs as samples
from workbench.jobs.declared import (
    UnknownJob,
    WrongArguments,
    declaration,
    declare,
    declared_names,
    title_of,
)


class DeclareTest(unittest.TestCase):
    def test_it_keeps_what_was_said(self) -> None:
        kind = declaration("sample-needy")
        self.assertEqual(
            (kind.title, kind.queue, kind.attempts), ("Needy", "interactive", 3)
        )
        self.assertEqual(kind.needs, {"lean:4.29.1"})
        self.assertIs(kind.perform, samples.needy)
        self.assertIn("sample-needy", declared_names())

    def test_it_refuses_a_second_job_of_the_same_name(self) -> None:
        with self.assertRaisesMessage("two jobs named 'sample-add'"):
            declare("sample-add", title="Other")(lambda run: None)

    def test_declaring_the_same_function_again_is_fine(self) -> None:
        self.assertIs(
            declare("sample-nothing", title="Nothing")(samples.nothing), samples.nothing
        )

    def test_it_refuses_an_unknown_queue(self) -> None:
        with self.assertRaisesMessage(
            "there is no queue 'fast'; there are interactive, grading, exports, agents"
        ):
            declare("sample-other", title="Other", queue="fast")
        self.assertNotIn("sample-other", declared_names())

    def test_it_names_what_is_missing_or_too_much_in_arguments(self) -> None:
        kind = declaration("sample-add")
        kind.check({"a": 1, "b": 2})
        for args, word in (({"a": 1}, "'b'"), ({"a": 1, "b": 2, "c": 3}, "'c'")):
            with self.subTest(args=args), self.assertRaises(WrongArguments) as caught:
                kind.check(args)
            self.assertIn("sample-add", str(caught.exception))
            self.assertIn(word, str(caught.exception))

    def test_an_unknown_job_is_said_with_those_that_are_known(self) -> None:
        with self.assertRaises(UnknownJob) as caught:
            declaration("sample-ad")
        self.assertIn("'sample-ad'", str(caught.exception))
        self.assertIn("sample-add", str(caught.exception))

    def test_a_job_that_is_no_longer_declared_goes_by_its_name(self) -> None:
        self.assertEqual(title_of("gone"), "gone")
        self.assertEqual(title_of("sample-add"), "Add")

    def assertRaisesMessage(
        self, words: str
    ) -> unittest.case._AssertRaisesContext[ValueError]:
        return self.assertRaisesRegex(ValueError, words)
