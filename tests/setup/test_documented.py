"""A setting or a command that is not documented fails the run; so does one that is documented and gone."""

from __future__ import annotations

import re

import pytest

from workbench.commandline import product_commands
from workbench.environment import VARIABLES, Variable
from workbench.setup.places import ROOT

SETTINGS = (ROOT / "docs" / "operator" / "settings.md").read_text()
COMMANDS = (ROOT / "docs" / "operator" / "commands.md").read_text()


def rows() -> dict[str, list[str]]:
    """Return variable → cells of its row in the table of settings."""
    found = re.findall(r"^\| `(\w+)` \|(.*)\|$", SETTINGS, re.MULTILINE)
    return {
        name: [cell.strip() for cell in cells.split(" | ")] for name, cells in found
    }


def sections() -> dict[str, str]:
    """Return command → text of its section."""
    parts = re.split(r"^### `([\w-]+)[^`\n]*`$", COMMANDS, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("variable", VARIABLES, ids=lambda variable: variable.name)
def test_a_setting_is_documented_with_its_kind_and_default(variable: Variable) -> None:
    assert variable.name in rows(), (
        f"{variable.name} has no row in docs/operator/settings.md"
    )
    kind, default, meaning = rows()[variable.name][:3]
    assert kind == variable.kind + (", secret" if variable.secret else "")
    assert default == (f"`{variable.default}`" if variable.default else "(empty)")
    assert len(meaning) > 20
    for choice in variable.choices:
        assert f"`{choice}`" in meaning


def test_no_setting_is_documented_that_does_not_exist() -> None:
    assert set(rows()) == {variable.name for variable in VARIABLES}


@pytest.mark.parametrize("name", product_commands())
def test_a_command_is_documented_with_its_options(name: str) -> None:
    assert name in sections(), f"{name} has no section in docs/operator/commands.md"
    command = product_commands()[name]
    assert command.help, f"{name} has no help"
    parser = command.create_parser("workbench", name)
    standard = {
        "--help",
        "--json",
        "--version",
        "--verbosity",
        "--settings",
        "--pythonpath",
        "--traceback",
    }
    standard |= {"--no-color", "--force-color", "--skip-checks"}
    options = {
        text
        for action in parser._actions
        for text in action.option_strings
        if text.startswith("--")
    }
    for option in sorted(options - standard):
        assert option in sections()[name], (
            f"{name} {option} is not in docs/operator/commands.md"
        )


def test_no_command_is_documented_that_does_not_exist() -> None:
    assert set(sections()) == set(product_commands())


def test_no_link_between_documents_leads_nowhere() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), (
                f"{page.relative_to(ROOT)} links to {target}, which is not there"
            )


def test_every_page_for_a_reader_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    for folder in ("curator", "operator", "developer"):
        for page in sorted((ROOT / "docs" / folder).glob("*.md")):
            assert f"({folder}/{page.name})" in index, (
                f"docs/README.md does not name {folder}/{page.name}"
            )
