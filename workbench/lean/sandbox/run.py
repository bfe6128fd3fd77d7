"""Run a box: start it, read what it prints, watch it, end it, and see that nothing of it is left."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.lean.sandbox import cgroups, confine
from workbench.lean.sandbox.box import Box, BoxBroken, Ended, Hit
from workbench.lean.sandbox.confine import Order
from workbench.lean.sandbox.system import SCRIPT, interpreter
from workbench.lean.sandbox.watch import (
    FLOOR_BYTES,
    PERIOD,
    Watch,
    bytes_left,
    descendant,
)

GRACE_SECONDS = 10.0
_FREEZE_SECONDS = 2.0
_NEARLY = 0.8
_CHUNK = 1 << 16
_STATUS_BYTES = 1 << 16
Wrap = Callable[[Sequence[str]], Sequence[str]]


def run(
    box: Box,
    order: Order,
    *,
    wrap: Wrap | None = None,
    groups: Path | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Ended:
    """Return how `box` ended, when nothing of it is left, started as `order` says (see confine.py).

    `wrap` puts another program before the words that start it; `groups` is where control groups can be made. Raises
    BadBox, BoxBroken.
    """
    box.check()
    if bytes_left(box.writable) < FLOOR_BYTES:
        raise BoxBroken(
            f"box {box.name}: the file system of {box.writable} has less than {FLOOR_BYTES >> 20} MiB left"
        )
    try:
        with contextlib.ExitStack() as stack:
            group = (
                stack.enter_context(cgroups.group(groups, box.limits))
                if groups
                else None
            )
            order.cgroup = group.entrance if group else -1
            running = _Running(box, order, wrap)
            try:
                hit = running.follow(cancel)
            finally:
                running.end()
            ended = running.ended(hit)
            # What the kernel enforced, even if the program went on.
            enforced = group.hit() if group and not ended.limit else ""
    except OSError as error:
        raise BoxBroken(f"box {box.name}: {error}") from None
    if enforced:
        return Ended(
            ended.code, ended.output, enforced, ended.seconds, ended.cpu_seconds, ended.peak_kib
        )  # fmt: skip
    return ended


class _Running:
    """A box that was started."""

    def __init__(self, box: Box, order: Order, wrap: Wrap | None) -> None:
        self._box = box
        self._nested = order.role != "self"
        self._begun = time.monotonic()
        self._output = bytearray()
        self._said = bytearray()
        self._first = -1
        status, ours = os.pipe()
        try:
            order.status = ours
            # With another program between, it is that program that dies with us.
            order.parent = 0 if wrap else os.getpid()
            words = confine.command(str(interpreter()), str(SCRIPT), order)
            self._process = subprocess.Popen(  # noqa: S603  words of our own, no shell
                wrap(words) if wrap else words,
                cwd="/",
                env={},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[ours, *([order.cgroup] if order.cgroup >= 0 else [])],
                start_new_session=True,
            )
        except BaseException:
            os.close(status)
            raise
        finally:
            os.close(ours)
        self._status = status
        try:
            self._self = os.pidfd_open(self._process.pid)
        except OSError:
            os.close(status)
            self._process.kill()
            self._process.wait()
            raise
        assert self._process.stdout is not None
        self._pipe = self._process.stdout.fileno()
        for descriptor in (self._pipe, self._status):
            os.set_blocking(descriptor, False)
        self._watch = Watch(
            box.limits, box.writable, self._process.pid, 2 if self._nested else 0
        )

    def follow(self, cancel: Callable[[], bool] | None) -> Hit:
        """Read and watch until it ends or has to be ended; return why it has to be, empty if it ended."""
        deadline = self._begun + self._box.limits.seconds
        look_at = self._begun + PERIOD
        with selectors.DefaultSelector() as selector:
            for descriptor in (self._pipe, self._status, self._self):
                selector.register(descriptor, selectors.EVENT_READ)
            while True:
                now = time.monotonic()
                if now >= deadline:
                    return "time"
                if now >= look_at:
                    look_at = now + PERIOD
                    if cancel is not None and cancel():
                        return "cancelled"
                    if hit := self._watch.look():
                        return hit
                events = selector.select(min(deadline, look_at) - now)
                ready = {key.fd for key, _ in events}
                for descriptor in ready - {self._self}:
                    if not self._read(descriptor):
                        selector.unregister(descriptor)
                if len(self._output) > self._box.limits.output_bytes:
                    return "output"
                if self._self in ready:
                    return self._drain()

    def end(self) -> None:
        """Kill what is left and return when it is gone. Raises BoxBroken if it cannot be ended."""
        try:
            if not _has_ended(self._self, 0):
                self._kill()
            # A group outlives its leader when that left children behind (in a box it cannot).
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            if not _has_ended(self._self, GRACE_SECONDS):
                raise BoxBroken(f"box {self._box.name} could not be ended")
            _, status, self._usage = os.wait4(self._process.pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            # The first process of a pid namespace is gone when all in it are.
            if self._first >= 0 and not _has_ended(self._first, GRACE_SECONDS):
                raise BoxBroken(f"box {self._box.name} could not be ended")
            self._read(self._status)
        finally:
            assert self._process.stdout is not None
            self._process.stdout.close()
            for descriptor in (self._status, self._self, self._first):
                if descriptor >= 0:
                    os.close(descriptor)

    def ended(self, hit: Hit) -> Ended:
        """Return how it ended. Raises BoxBroken if it never started or was not ended by itself or by us."""
        limits, seconds = self._box.limits, time.monotonic() - self._begun
        output = bytes(self._output[: limits.output_bytes])
        said = self._said.decode("utf-8", "replace").splitlines()
        for line in said:
            if line.startswith("broken "):
                raise BoxBroken(f"box {self._box.name}: {line.removeprefix('broken ')}")
        if "ready" not in said and not hit:
            last = output.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise BoxBroken(
                f"box {self._box.name} did not start: {''.join(last)[:300] or self._process.returncode}"
            )
        code, peak = self._process.returncode, self._usage.ru_maxrss
        cpu = self._usage.ru_utime + self._usage.ru_stime
        if self._nested:
            reported = [line.split() for line in said if line.startswith("ended ")]
            if reported:
                code = os.waitstatus_to_exitcode(int(reported[0][1]))
                cpu, peak = float(reported[0][2]), int(reported[0][3])
            elif hit:
                code = -signal.SIGKILL
                cpu, peak = self._watch.cpu_seconds, self._watch.peak_kib
            else:
                raise BoxBroken(f"box {self._box.name} was ended from outside")
        if not hit:
            hit = self._hit_at_end(code, cpu)
        return Ended(code, output, hit, seconds, cpu, peak)

    def _hit_at_end(self, code: int, cpu_seconds: float) -> Hit:
        # The kernel counts ticks for the limit and precisely for the sum; one who ignores the first signal gets the second.
        used_up = cpu_seconds >= _NEARLY * self._box.limits.cpu_seconds
        if code == -signal.SIGXCPU or (code == -signal.SIGKILL and used_up):
            return "cpu"
        if code == -signal.SIGXFSZ or self._watch.file_is_full():
            return "file"
        return "disk" if self._watch.disk_is_full() else ""

    def _read(self, descriptor: int) -> bool:
        """Take what can be read; return whether more may come."""
        kept = self._output if descriptor == self._pipe else self._said
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return True
        if len(kept) <= max(self._box.limits.output_bytes, _STATUS_BYTES):
            kept += chunk
        if descriptor == self._status and self._nested and self._first < 0:
            self._hold_first()
        return bool(chunk)

    def _drain(self) -> Hit:
        while len(self._output) <= self._box.limits.output_bytes:
            before = len(self._output)
            if not self._read(self._pipe) or len(self._output) == before:
                return ""
        return "output"

    def _hold_first(self) -> None:
        """Keep hold of the first process of the box's pid namespace. If there is none, it has been reaped."""
        process = descendant(self._process.pid, 1)
        if process:
            with contextlib.suppress(ProcessLookupError):
                self._first = os.pidfd_open(process)

    def _kill(self) -> None:
        """Kill the first process of the namespace and let ours see it; kill ours if there is none or that takes too long."""
        if not self._nested:
            return
        frozen = self._first < 0
        if frozen:
            # It is still starting. Stopped, it cannot start anything behind our back.
            os.kill(self._process.pid, signal.SIGSTOP)
            _await_stop(self._process.pid)
            self._hold_first()
        if self._first >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            if not frozen:
                _has_ended(self._self, GRACE_SECONDS)


def _has_ended(pidfd: int, seconds: float) -> bool:
    """Return whether that process has ended or does so within `seconds`."""
    with selectors.DefaultSelector() as selector:
        selector.register(pidfd, selectors.EVENT_READ)
        return bool(selector.select(seconds or -1))


def _await_stop(process: int) -> None:
    until = time.monotonic() + _FREEZE_SECONDS
    flags = os.WSTOPPED | os.WEXITED | os.WNOWAIT | os.WNOHANG
    while os.waitid(os.P_PID, process, flags) is None and time.monotonic() < until:
        time.sleep(0.001)
