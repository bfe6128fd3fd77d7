"""Environment variables: declared, read, refused with their names."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import TestCase

from hypothesis import given
from hypothesis import strategies as st

from workbench.environment import VARIABLES, BadEnvironment, Environment


class EnvironmentTest(TestCase):
    def test_an_empty_environment_gives_every_default(self) -> None:
        env = Environment({})
        for variable in VARIABLES:
            self.assertEqual(env.text(variable.name), variable.default)

    def test_a_value_wins_over_the_default(self) -> None:
        self.assertEqual(
            Environment({"WORKBENCH_TIME_ZONE": "Europe/Berlin"}).text(
                "WORKBENCH_TIME_ZONE"
            ),
            "Europe/Berlin",
        )

    def test_an_unknown_variable_is_refused_by_name(self) -> None:
        with self.assertRaisesRegex(BadEnvironment, "WORKBENCH_DEBGU is not a setting"):
            Environment({"WORKBENCH_DEBGU": "1"})

    def test_an_unknown_variable_with_file_ending_is_refused_too(self) -> None:
        with self.assertRaisesRegex(BadEnvironment, "WORKBENCH_NOTHING_FILE"):
            Environment({"WORKBENCH_NOTHING_FILE": "/etc/hostname"})

    def test_variables_of_others_are_no_business_of_ours(self) -> None:
        Environment({"PATH": "/bin", "WORKBENCHES": "3"})

    def test_a_value_can_come_from_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "key"
            path.write_text("s3cret\n", encoding="utf-8")
            env = Environment({"WORKBENCH_SECRET_KEY_FILE": str(path)})
            self.assertEqual(env.text("WORKBENCH_SECRET_KEY"), "s3cret")

    def test_the_variable_itself_wins_over_its_file(self) -> None:
        env = Environment(
            {
                "WORKBENCH_SECRET_KEY": "direct",
                "WORKBENCH_SECRET_KEY_FILE": "/does/not/exist",
            }
        )
        self.assertEqual(env.text("WORKBENCH_SECRET_KEY"), "direct")

    def test_a_file_that_is_not_there_is_named(self) -> None:
        env = Environment({"WORKBENCH_SECRET_KEY_FILE": "/does/not/exist"})
        with self.assertRaisesRegex(
            BadEnvironment, "WORKBENCH_SECRET_KEY_FILE: cannot read /does/not/exist"
        ):
            env.text("WORKBENCH_SECRET_KEY")

    def test_a_file_that_is_not_text_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "key"
            path.write_bytes(b"\xff\xfe\x00")
            with self.assertRaisesRegex(BadEnvironment, "not UTF-8"):
                Environment({"WORKBENCH_SECRET_KEY_FILE": str(path)}).text(
                    "WORKBENCH_SECRET_KEY"
                )

    def test_flags_know_yes_and_no(self) -> None:
        for value, expected in (
            ("1", True),
            ("Yes", True),
            ("on", True),
            ("0", False),
            ("FALSE", False),
            ("", False),
        ):
            self.assertIs(
                Environment({"WORKBENCH_DEBUG": value}).flag("WORKBENCH_DEBUG"),
                expected,
            )

    def test_a_flag_that_is_neither_is_refused(self) -> None:
        with self.assertRaisesRegex(
            BadEnvironment, "WORKBENCH_DEBUG is 'maybe'; expected 1 or 0"
        ):
            Environment({"WORKBENCH_DEBUG": "maybe"}).flag("WORKBENCH_DEBUG")

    def test_numbers_are_whole_and_above_zero(self) -> None:
        self.assertEqual(
            Environment({"WORKBENCH_LOGIN_FAILURES": "7"}).number(
                "WORKBENCH_LOGIN_FAILURES"
            ),
            7,
        )
        for value in ("0", "-1", "1.5", "five", "", " 3", "٣"):
            with (
                self.subTest(value),
                self.assertRaisesRegex(BadEnvironment, "WORKBENCH_LOGIN_FAILURES"),
            ):
                Environment({"WORKBENCH_LOGIN_FAILURES": value}).number(
                    "WORKBENCH_LOGIN_FAILURES"
                )

    def test_a_choice_must_be_one_of_those_offered(self) -> None:
        with self.assertRaisesRegex(
            BadEnvironment, "WORKBENCH_LOG_LEVEL is 'LOUD'; expected one of DEBUG, INFO"
        ):
            Environment({"WORKBENCH_LOG_LEVEL": "LOUD"}).text("WORKBENCH_LOG_LEVEL")

    def test_lists_are_split_at_commas(self) -> None:
        env = Environment({"WORKBENCH_ALLOWED_HOSTS": " a.example, ,b.example "})
        self.assertEqual(
            env.items("WORKBENCH_ALLOWED_HOSTS"), ["a.example", "b.example"]
        )

    @given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00")))
    def test_no_text_makes_a_flag_break_otherwise_than_by_name(
        self, value: str
    ) -> None:
        try:
            Environment({"WORKBENCH_HTTPS": value}).flag("WORKBENCH_HTTPS")
        except BadEnvironment as error:
            self.assertIn("WORKBENCH_HTTPS", str(error))
