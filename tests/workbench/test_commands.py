"""What commands say: nothing that a stranger's file holds plays tricks on the terminal."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from workbench.commands import NegativeResult, ProductCommand, WrongUse, visible

TRICK = "\x1b[1A\x1b[2Kspec_never  passed\r\x9b2K\u202eabc\u2028\ud800"
SHOWN = "<1B>[1A<1B>[2Kspec_never  passed<0D><9B>2K<202E>abc<2028><D800>"


def test_line_ends_tabs_and_letters_of_all_scripts_stay() -> None:
    assert visible(TRICK) == SHOWN
    assert visible("a\n\tλ → 𝕏 «é»") == "a\n\tλ → 𝕏 «é»"


@pytest.mark.parametrize("end", [None, NegativeResult(TRICK), WrongUse(TRICK)])
def test_all_that_is_said_is_visible(end: Exception | None) -> None:
    class Command(ProductCommand):
        def run(self, options: dict[str, Any]) -> Any:
            self.say(TRICK)
            if end:
                raise end

    out, err = StringIO(), StringIO()
    try:
        call_command(Command(), stdout=out, stderr=err)
    except SystemExit:
        pass
    assert out.getvalue().startswith(SHOWN)
    assert "\x1b" not in err.getvalue()
    assert (SHOWN in err.getvalue()) is (end is not None)
