"""Compile the modules of a tree in import order, several at a time, each in a process of its own."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.lean import child
from workbench.lean.imports import (
    TreeError,
    imports_below,
    in_import_order,
    sources_below,
)
from workbench.lean.sandbox import box
from workbench.lean.sandbox.take import take
from workbench.lean.toolchain import (
    Build,
    Diagnostic,
    Limits,
    ModuleResult,
    Outcome,
    Severity,
)

_LIMITS: Mapping[str, str] = {
    "cpu": "stopped after too much processor time",
    "memory": "stopped for using too much memory",
    "threads": "stopped for having too many threads",
    "file": "stopped by the limit on the size of a file",
    "disk": "stopped for filling its folder",
}
# What Lean writes for a module: three parts and code beside them where it is one of Lean's module system.
_MADE = (
    ".olean", ".olean.server", ".olean.private", ".ilean", ".ir", ".ir.sig",
)  # fmt: skip
_IN_PARTS = b"\nit begins with `module`, so Lean writes it in three parts: such modules are read in libraries only"
SEVERITIES: Mapping[str, Severity] = {
    "error": "error",
    "warning": "warning",
    "information": "information",
}


@dataclass(frozen=True)
class Compiler:
    """How to call a Lean: the words before Lean's own arguments, given the limits, and what its process sees.

    `readable` is what a box has to show of it beside `library`: the program and what that loads.
    """

    command: Callable[[Limits], Sequence[str]]
    library: Sequence[Path] = ()
    readable: Sequence[Path] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """One build: where the files are, where compiled ones go, how to call Lean, in which boxes, and whether to stop."""

    compiler: Compiler
    root: Path
    out: Path
    path: Sequence[Path]
    options: Mapping[str, str]
    limits: Limits
    stopped: Callable[[], bool]
    sandbox: box.Sandbox | None = None


def build_tree(
    compiler: Compiler,
    root: Path,
    out: Path,
    *,
    modules: Sequence[str] | None = None,
    path: Sequence[Path] = (),
    options: Mapping[str, str] | None = None,
    jobs: int = 1,
    limits: Limits | None = None,
    cancel: threading.Event | None = None,
    report: Callable[[ModuleResult], None] | None = None,
    sandbox: box.Sandbox | None = None,
) -> Build:
    """Return the build of `root` into `out`, as `Toolchain.build` describes it. Raises TreeError, BoxBroken.

    If `report` raises, running modules are stopped and the exception goes on to the caller.
    """
    begun = time.monotonic()
    root, out, path = root.resolve(), out.resolve(), [item.resolve() for item in path]
    for directory in (out, *path, *compiler.library):
        if os.pathsep in str(directory):
            raise TreeError(
                f"{directory}: Lean cannot search a directory with {os.pathsep!r} in its name"
            )
    sources = sources_below(root)
    imports = imports_below(root, sources)
    order = in_import_order(sources if modules is None else modules, imports)
    for module in order:
        _forget(out, module)
    halt = threading.Event()

    def stopped() -> bool:
        return halt.is_set() or (cancel is not None and cancel.is_set())

    plan = Plan(
        compiler, root, out, path, options or {}, limits or Limits(), stopped, sandbox
    )
    waiting = {
        module: {name for name in imports[module] if name in sources}
        for module in order
    }
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        try:
            results = _compile_all(plan, pool, sources, waiting, report)
        finally:
            halt.set()
    ordered = {module: results[module] for module in order}
    return Build(out, ordered, time.monotonic() - begun)


def _compile_all(
    plan: Plan,
    pool: concurrent.futures.Executor,
    sources: Mapping[str, Path],
    waiting: dict[str, set[str]],
    report: Callable[[ModuleResult], None] | None,
) -> dict[str, ModuleResult]:
    """Return module → result, each module compiled as soon as what it imports is, and empty `waiting`."""
    results: dict[str, ModuleResult] = {}
    running: set[concurrent.futures.Future[ModuleResult]] = set()
    while waiting or running:
        for module in [
            name for name, needed in waiting.items() if needed <= results.keys()
        ]:
            broken = sorted(
                name for name in waiting.pop(module) if not results[name].ok
            )
            if broken:
                blocked = ModuleResult(
                    module, str(sources[module]), "blocked", blocked_by=tuple(broken)
                )
                results[module] = blocked
                _tell(report, blocked)
            else:
                running.add(pool.submit(compile_module, plan, module, sources[module]))
        if running:
            ended, running = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for future in ended:
                result = future.result()
                results[result.module] = result
                _tell(report, result)
    return results


def compile_module(plan: Plan, module: str, source: Path) -> ModuleResult:
    """Return what became of one module whose imports are compiled. Its files appear in `plan.out` only if it is built."""
    if plan.stopped():
        return ModuleResult(module, str(source), "cancelled")
    target = plan.out.joinpath(*module.split("."))
    target.parent.mkdir(parents=True, exist_ok=True)
    if plan.sandbox is None:
        ended = _compile(plan, target, source)
        digest = ""
    else:
        ended, digest = _compile_boxed(plan, plan.sandbox, module, target, source)
    diagnostics = read_diagnostics(ended.output, str(source), failed=ended.code != 0)
    outcome = _outcome(ended)
    note = _note(ended, plan.limits)
    if outcome == "built" and not target.with_name(target.name + ".olean").is_file():
        # Code that runs while a module is elaborated can end the process with any code it likes.
        outcome, note = "failed", "Lean ended with code 0 and wrote no module"
    if note:
        diagnostics.append(Diagnostic(str(source), 0, 0, "error", "output", note))
    if outcome != "built":
        _forget(plan.out, module)
        digest = ""
    return ModuleResult(
        module,
        str(source),
        outcome,
        tuple(diagnostics),
        ended.seconds,
        ended.peak_kib,
        sha256=digest,
    )


def _compile(plan: Plan, target: Path, source: Path) -> child.Ended:
    return child.run(
        _words(plan, target, source),
        cwd=plan.root,
        env=_environment(plan),
        seconds=plan.limits.seconds,
        output_bytes=plan.limits.output_bytes,
        cancel=plan.stopped,
    )


def _compile_boxed(
    plan: Plan, sandbox: box.Sandbox, module: str, target: Path, source: Path
) -> tuple[child.Ended, str]:
    """Compile into a folder of the module's own; move what it made to `target` when nothing of the box is left.

    Returns how it ended, and the SHA-256 of the module as it was moved; empty if there is none.
    """
    # Beside `out`, so that moving is renaming, and not in it, so that no module sees what another has half written.
    with tempfile.TemporaryDirectory(prefix=".box-", dir=plan.out.parent) as folder:
        made = Path(folder, "module")
        ended = sandbox.run(
            box.Box(
                module,
                _words(plan, made, source),
                [
                    plan.root / source,
                    plan.out,
                    *plan.path,
                    *plan.compiler.library,
                    *plan.compiler.readable,
                ],
                Path(folder),
                _environment(plan),
                box_limits(plan.limits),
                plan.root,
            ),
            plan.stopped,
        )
        digest = ""
        if made.with_name(made.name + ".olean.private").exists():
            ended = replace(ended, code=1, output=ended.output + _IN_PARTS)
        if ended.code == 0 and not ended.limit:
            for suffix in (".ilean", ".olean"):
                with contextlib.suppress(OSError):
                    digest = take(
                        Path(folder),
                        made.name + suffix,
                        target.with_name(target.name + suffix),
                    )
    return (
        child.Ended(
            ended.code, ended.output, ended.limit, ended.seconds, ended.peak_kib
        ),
        digest,
    )


def box_limits(limits: Limits) -> box.Limits:
    """Return the limits of the box of one module. Lean gives up at its own memory limit, a little before the box's."""
    return box.Limits(
        seconds=limits.seconds,
        cpu_seconds=max(1, int(limits.seconds) * 4),
        memory_mib=limits.memory_mib * 5 // 4,
        file_bytes=limits.file_bytes,
        folder_bytes=2 * limits.file_bytes,
        output_bytes=limits.output_bytes,
    )


def _words(plan: Plan, target: Path, source: Path) -> Sequence[str]:
    return [
        *plan.compiler.command(plan.limits),
        "--json",
        "-j1",
        f"-M{plan.limits.memory_mib}",
        *(f"-D{name}={value}" for name, value in sorted(plan.options.items())),
        f"-R{plan.root}",
        f"-o{target}.olean",
        f"-i{target}.ilean",
        str(source),
    ]


def _environment(plan: Plan) -> Mapping[str, str]:
    search = [plan.out, *plan.path, *plan.compiler.library]
    return {
        "LANG": "C.UTF-8",
        **plan.compiler.environment,
        "LEAN_PATH": os.pathsep.join(map(str, search)),
    }


def read_diagnostics(output: bytes, file: str, *, failed: bool) -> list[Diagnostic]:
    """Return the messages in what `lean --json` printed about `file`.

    Lines that are no message (a crash, or a program that prints) come last as one diagnostic of kind `output`,
    an error if the module `failed`.
    """
    found: list[Diagnostic] = []
    other: list[str] = []
    # Lean ends a line with a line feed; other separators occur in what it quotes.
    for line in output.decode("utf-8", "replace").split("\n"):
        diagnostic = _diagnostic(line)
        if diagnostic is not None:
            found.append(diagnostic)
        elif line.strip():
            other.append(line)
    if other:
        found.append(
            Diagnostic(
                file,
                0,
                0,
                "error" if failed else "information",
                "output",
                "\n".join(other),
            )
        )
    return found


def _diagnostic(line: str) -> Diagnostic | None:
    try:
        message: Any = json.loads(line)
        severity = SEVERITIES[message["severity"]]
        kind = (
            "" if message.get("kind") in (None, "[anonymous]") else str(message["kind"])
        )
        position = message.get("pos") or {"line": 0, "column": 0}
        return Diagnostic(
            str(message["fileName"]),
            int(position["line"]),
            int(position["column"]),
            severity,
            kind,
            str(message["data"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _outcome(ended: child.Ended) -> Outcome:
    if ended.stopped:
        return ended.stopped
    if ended.code == 0:
        return "built"
    # Lean reports its own stack overflow by abort; Python turns signals into negative codes.
    return "failed" if ended.code == 1 else "crashed"


def _note(ended: child.Ended, limits: Limits) -> str:
    if ended.stopped == "time":
        return f"stopped after {limits.seconds:g} s"
    if ended.stopped == "output":
        return f"stopped after {limits.output_bytes} bytes of output"
    if ended.stopped == "cancelled":
        return "cancelled"
    if ended.stopped:
        return _LIMITS[ended.stopped]
    if ended.code < 0:
        with contextlib.suppress(ValueError):
            return f"Lean was ended by {signal.Signals(-ended.code).name}"
    if ended.code not in (0, 1):
        return f"Lean ended with code {ended.code}"
    return ""


def _forget(out: Path, module: str) -> None:
    target = out.joinpath(*module.split("."))
    for suffix in _MADE:
        target.with_name(target.name + suffix).unlink(missing_ok=True)


def _tell(report: Callable[[ModuleResult], None] | None, result: ModuleResult) -> None:
    if report is not None:
        report(result)
