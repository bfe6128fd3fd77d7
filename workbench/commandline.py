"""bin/workbench: finds a product command by its dashed name, runs it, and turns whatever happens into words.

Exit codes: 0 fine, 1 a negative result, 2 wrong use, bad input or a failure of the program; 130 after Ctrl-C.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.setup.places import data_folder

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

    from workbench.commands import ProductCommand

FINE, WRONG = 0, 2
_OURS = ("workbench", "curation", "adjudication")
INTERRUPTED = 130
_PLAIN_OPTIONS = {
    "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color", "--force-color",
    "--skip-checks",
}  # fmt: skip


class Unknown(Exception):
    """There is no such command. The text names the nearest ones."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line `arguments` and return the exit code."""
    try:
        code = _main(list(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; what is still buffered has nowhere to go either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 128 + 13
    return code


def _main(arguments: list[str]) -> int:
    try:
        with _settings_in_words():
            _start_django()
        if not arguments or arguments[0] in ("help", "--help", "-h"):
            return _help(arguments[1:])
        name, rest = arguments[0], arguments[1:]
        return _run(name, command_named(name), rest)
    except (Unknown, _BadSettings) as refusal:
        return _refuse(str(refusal), arguments)
    except BrokenPipeError:
        raise
    except Exception as error:
        return _refuse(_unexpected("workbench", error), arguments)


class _BadSettings(Exception):
    """The environment does not let the product start."""


@contextlib.contextmanager
def _settings_in_words() -> Iterator[None]:
    """Settings end the program with a sentence; as a command's wrong use that is exit code 2, not 1."""
    try:
        yield
    except SystemExit as refusal:
        raise _BadSettings(str(refusal.code).removeprefix("workbench: ")) from None
    except ModuleNotFoundError as missing:
        raise _BadSettings(
            f"the Python package {missing.name} is missing. bin/up installs what is needed."
            if not str(missing.name).startswith(_OURS)
            else _unexpected("start", missing)
        ) from None
    except Exception as error:
        raise _BadSettings(_unexpected("start", error)) from None


def _start_django() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    import django

    django.setup()
    # An unreachable database is told in one sentence, not by the pool's warnings for every attempt.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


def _refuse(text: str, arguments: Sequence[str]) -> int:
    if "--json" in arguments:
        sys.stdout.write(
            json.dumps({"error": text}, ensure_ascii=False, indent=1) + "\n"
        )
    sys.stderr.write(f"workbench: {text}\n")
    return WRONG


def product_commands() -> dict[str, ProductCommand]:
    """Return every product command by its dashed name, sorted."""
    from django.core.management import get_commands

    from workbench.commands import ProductCommand

    found: dict[str, ProductCommand] = {}
    for name, app in sorted(get_commands().items()):
        if app.startswith(_OURS):
            command = importlib.import_module(
                f"{app}.management.commands.{name}"
            ).Command()
            if isinstance(command, ProductCommand):
                found[name.replace("_", "-")] = command
    return found


def command_named(name: str) -> ProductCommand:
    """Return the product command with the dashed `name`. Raises Unknown, with the nearest names."""
    from django.core.management import get_commands

    from workbench.commands import ProductCommand

    app = get_commands().get(name.replace("-", "_"), "") if "_" not in name else ""
    if app.startswith(_OURS):
        module = importlib.import_module(
            f"{app}.management.commands.{name.replace('-', '_')}"
        )
        command = module.Command()
        if isinstance(command, ProductCommand):
            return command
    near = difflib.get_close_matches(name, product_commands(), n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise Unknown(
        f"there is no command {name!r}.{hint} `bin/workbench help` lists them all."
    )


def _help(names: list[str]) -> int:
    if names:
        _parser(names[0], command_named(names[0])).print_help()
        return FINE
    commands = product_commands()
    width = max((len(name) for name in commands), default=0)
    sys.stdout.write("usage: bin/workbench COMMAND [ARGUMENT]...\n\ncommands:\n")
    for name, command in commands.items():
        sys.stdout.write(f"  {name:{width}}  {_first_sentence(command)}\n")
    sys.stdout.write(
        "\n`bin/workbench help COMMAND` tells the arguments of one. Most take --json.\n"
        "Exit codes: 0 fine, 1 a negative result, 2 wrong use or bad input.\n"
    )
    return FINE


def _first_sentence(command: ProductCommand) -> str:
    return " ".join(command.help.split()).split(". ")[0].rstrip(".")


def _parser(name: str, command: ProductCommand) -> CommandParser:
    command.suppressed_base_arguments = _PLAIN_OPTIONS
    # Without it argparse's complaints become exceptions of Django's.
    vars(command)["_called_from_command_line"] = True
    return command.create_parser("workbench", name)


def _run(name: str, command: ProductCommand, arguments: list[str]) -> int:
    from django.db import DatabaseError, connections

    parser = _parser(name, command)
    try:
        options = vars(parser.parse_args(arguments))
        positional = options.pop("args", ())
        if command.needs_database(options):
            _prepare_database(name)
        command.execute(*positional, **options)
        return FINE
    except SystemExit as ended:
        return (
            ended.code
            if isinstance(ended.code, int)
            else FINE
            if ended.code is None
            else WRONG
        )
    except DatabaseError as error:
        return _refuse(_database_words(error) or _unexpected(name, error), arguments)
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as error:
        return _refuse(_unexpected(name, error), arguments)
    finally:
        with contextlib.suppress(Exception):
            connections.close_all()


def _prepare_database(name: str) -> None:
    """Find out at once whether PostgreSQL answers; make the embedded database where this is the first command of all."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    from workbench.databases import demand_reachable

    if name == "doctor":
        return
    demand_reachable()
    if (
        name in ("upgrade-database", "restore")
        or connection.vendor != "sqlite"
        or os.path.exists(settings.DATABASES["default"]["NAME"])
    ):
        return
    sys.stderr.write("workbench: making the database …\n")
    call_command("migrate", interactive=False, verbosity=0)


def _database_words(error: Exception) -> str:
    """Return what is wrong with the database, or "" when the error is our own."""
    from workbench.databases import obstacle

    return obstacle(error)


def _unexpected(name: str, error: Exception) -> str:
    """Write the traceback into the data folder's logs; return the sentence that says so."""
    text = f"{name} failed: {type(error).__name__}: {error}".splitlines()[0][:300]
    path = (
        data_folder(os.environ)
        / "logs"
        / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{name}-{os.getpid()}.log"
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            " ".join(sys.argv) + "\n" + "".join(traceback.format_exception(error)),
            encoding="utf-8",
        )
    except OSError as unwritten:
        return f"{text}. The details could not be kept in {path}: {unwritten.strerror}."
    return f"{text}. This is a fault of the program; the details are in {path}"
