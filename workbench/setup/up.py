"""bin/up: set up, seed the demo, start web and worker, print the address, stop everything at Ctrl-C."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.environment import Environment
from workbench.setup import demo, ports, processes, virtualenv
from workbench.setup.locks import Taken, sole
from workbench.setup.places import ROOT, data_folder, demand_writable, owner_name
from workbench.setup.words import Problem, complain, say

READY_WITHIN = 90.0  # seconds until the first page must have answered
QUICK_DEATH = (
    20.0  # a worker that lives shorter than this waits before it is started again
)
LONGEST_PAUSE = 30.0
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104  # compared with, not bound to
# WhiteNoise hands styles and scripts over as synchronous iterators; Django warns, and reads them whole.
_FILES_ARE_SMALL = "ignore:StreamingHttpResponse must consume synchronous iterators"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of bin/up. Ends the program, as argparse does, for wrong ones."""
    parser = argparse.ArgumentParser(
        prog="bin/up",
        description="Set up the workbench, seed the demo once, start web and worker. Ctrl-C stops everything.",
        epilog="Settings come from the environment: docs/operator/settings.md.",
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=8000,
        metavar="N",
        help="port of the web server (8000)",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS",
        help="address to listen on (127.0.0.1: this machine only; 0.0.0.0: everybody who reaches it)",
    )  # fmt: skip
    parser.add_argument("--no-demo", action="store_true", help="do not seed the demo")
    parser.add_argument(
        "--reset-demo",
        action="store_true",
        help="set the embedded database aside and seed anew",
    )
    parser.add_argument(
        "--yes", action="store_true", help="do not ask before --reset-demo"
    )
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a port; expected a number from 1 to 65535"
        )
    return int(text)


def main(arguments: Sequence[str]) -> int:
    """Run bin/up until it is stopped. Returns the exit code."""
    options = parse(arguments)
    processes.stop_on_signals()
    try:
        return _run(options)
    except Problem as problem:
        complain(problem)
        return 2
    except processes.Stopped as stopped:
        say("\nStopped.")
        return 0 if stopped.number == signal.SIGINT else 128 + stopped.number


def _run(options: argparse.Namespace) -> int:
    environ = dict(os.environ)
    data = data_folder(environ)
    demand_writable(
        data,
        f"It belongs to {owner_name(data)}. Run this as that user, or name another folder in WORKBENCH_DATA_DIR.",
    )
    address = address_of(options.host, options.port)
    try:
        with sole(
            data / "up.lock", json.dumps({"process": os.getpid(), "address": address})
        ):
            return _serve(options, environ, data, address)
    except Taken as taken:
        raise Problem(_already(str(taken), data)) from None


def _already(note: str, data: Path) -> str:
    try:
        other = json.loads(note)
        where = f"process {other['process']}, {other['address']}"
    except (ValueError, KeyError, TypeError):
        where = "its address is not known yet"
    return (
        f"bin/up already runs on {data} ({where}). Stop that one first, "
        "or give this one a data folder of its own in WORKBENCH_DATA_DIR."
    )


def address_of(host: str, port: int) -> str:
    """Return the address that a browser on this machine can open."""
    shown = "127.0.0.1" if host in EVERY_ADDRESS else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def _serve(
    options: argparse.Namespace, environ: dict[str, str], data: Path, address: str
) -> int:
    ports.demand_free(options.host, options.port)
    python = virtualenv.ensure("base.txt", with_pocket=True)
    if options.reset_demo:
        demo.set_aside(data, environ, agreed=options.yes)
    allow_host(environ, options.host)
    _migrate(python, environ)
    accounts = [] if options.no_demo else demo.seed(python, environ)
    site = Site(python, environ, options.host, options.port)
    try:
        site.start()
        _wait_for_page(site, address)
        _greet(address, accounts, options)
        return site.watch()
    finally:
        site.stop()


def allow_host(environ: dict[str, str], host: str) -> None:
    """Let the site answer to the address it listens on, unless the operator said which names it answers to."""
    if (
        host in LOOPBACK
        or {"WORKBENCH_ALLOWED_HOSTS", "WORKBENCH_ALLOWED_HOSTS_FILE"} & environ.keys()
    ):
        return
    names = [*LOOPBACK[:2], "[::1]"]
    if host in EVERY_ADDRESS:
        names += [socket.gethostname(), *_own_addresses()]
    else:
        names.append(f"[{host}]" if ":" in host else host)
    environ["WORKBENCH_ALLOWED_HOSTS"] = ",".join(dict.fromkeys(names))


def _own_addresses() -> list[str]:
    try:
        found = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [
        str(entry[4][0]) if ":" not in str(entry[4][0]) else f"[{entry[4][0]}]"
        for entry in found
    ]


def _migrate(python: Path, environ: dict[str, str]) -> None:
    say("Looking after the database …")
    done = subprocess.run(
        [python, ROOT / "bin" / "run.py", "workbench.commandline", "upgrade-database"],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    if done.returncode:
        raise Problem(
            "the database is not ready (the reason is above), so nothing was started."
        )


@dataclass
class Site:
    """The two processes of the site: the web server, and the worker, which is started again when it dies."""

    python: Path
    environ: dict[str, str]
    host: str
    port: int
    web: subprocess.Popen[bytes] | None = None
    worker: subprocess.Popen[bytes] | None = None
    worker_born: float = 0.0
    pauses: int = 0
    output: int | None = None  # file descriptor for what both say; None: the terminal
    children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        """Start both processes."""
        words = [
            self.python, "-W", _FILES_ARE_SMALL, "-m", "uvicorn", "workbench.asgi:application", "--host", self.host, "--port", str(self.port),
            "--log-level", "warning", "--no-access-log", "--no-server-header", "--timeout-graceful-shutdown", "3",
        ]  # fmt: skip
        if not Environment(self.environ).flag("WORKBENCH_BEHIND_PROXY"):
            words.append("--no-proxy-headers")
        self.web = processes.start(
            words,
            environ=self.environ,
            cwd=ROOT,
            stdout=self.output,
            stderr=self.output,
        )
        self.children.append(self.web)
        self._start_worker()

    def _start_worker(self) -> None:
        words = [
            self.python,
            ROOT / "bin" / "run.py",
            "workbench.commandline",
            "worker",
            "--grace",
            "5",
        ]
        self.worker = processes.start(
            words,
            environ=self.environ,
            cwd=ROOT,
            stdout=self.output,
            stderr=self.output,
        )
        self.worker_born = time.monotonic()
        self.children.append(self.worker)

    def watch(self) -> int:
        """Return an exit code when the web server ends; until then, start the worker again whenever it dies."""
        assert self.web
        assert self.worker
        while self.web.poll() is None:
            if self.worker.poll() is not None:
                self._replace_worker()
            time.sleep(0.2)
        complain(f"the web server {processes.ending(self.web)}; everything is stopped.")
        return 1

    def _replace_worker(self) -> None:
        assert self.worker
        assert self.web
        how = processes.ending(self.worker)
        processes.stop([self.worker], patience=0.0)
        self.children.remove(self.worker)
        short = time.monotonic() - self.worker_born < QUICK_DEATH
        self.pauses = self.pauses + 1 if short else 0
        pause = min(LONGEST_PAUSE, 2.0**self.pauses) if self.pauses else 0.0
        complain(
            f"the worker {how}; it is started again{f' in {pause:.0f} s' if pause else ''}."
        )
        until = time.monotonic() + pause
        while time.monotonic() < until and self.web.poll() is None:
            time.sleep(0.2)
        self._start_worker()

    def stop(self) -> None:
        """Stop both processes and what they started."""
        processes.stop(self.children)


def _wait_for_page(site: Site, address: str) -> None:
    assert site.web
    say("Starting …")
    deadline = time.monotonic() + READY_WITHIN
    while time.monotonic() < deadline:
        if site.web.poll() is not None:
            raise Problem(
                f"the web server {processes.ending(site.web)} (its own words are above)."
            )
        status = _first_answer(site)
        if status >= 500:
            raise Problem(
                f"the site answers, but with an error ({status}); its own words are above."
            )
        if status:
            return
        time.sleep(0.1)
    raise Problem(f"the site did not answer at {address} within {READY_WITHIN:.0f} s.")


def _first_answer(site: Site) -> int:
    """Return the status of the first page, 0 while nobody answers. A redirect is an answer, wherever it leads."""
    host = "127.0.0.1" if site.host in EVERY_ADDRESS else site.host
    connection = http.client.HTTPConnection(host, site.port, timeout=10)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def _greet(
    address: str, accounts: list[dict[str, str]], options: argparse.Namespace
) -> None:
    say()
    say(f"Proofroom is up: {address}   (Ctrl-C stops it)")
    for line in ["", *demo.table_of(accounts)] if accounts else []:
        say(line)
    if accounts and options.host not in LOOPBACK:
        say()
        say(
            f"Careful: whoever reaches {options.host} can try these log-ins, and without HTTPS passwords travel in the "
            "clear. For real work: --no-demo, a database of your own, and a proxy (docs/operator/install.md)."
        )
    if not accounts and not options.no_demo:
        say(
            "The database holds people already, so no demo was put in. Log in with your own account."
        )
    if options.no_demo:
        say(
            "Started without the demo. Make the first account with: bin/workbench create-admin NAME"
        )
    say()
