from __future__ import annotations

import os
import subprocess
import sys
import unittest
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.workbench.jobs.worker.harness import alive, until
from workbench.jobs.worker import processes

# A subreaper with a child, and with one that forked twice and left the session.
TREE = """
import os, sys, time
from pathlib import Path
from workbench.jobs.worker.processes import become_subreaper
def live():
    Path(sys.argv[1], str(os.getpid())).touch()
    time.sleep(600)
assert become_subreaper()
if os.fork() == 0: live()
if os.fork() == 0:
    os.setsid()
    if os.fork() > 0: os._exit(0)
    live()
os.wait()
live()
"""


def is_asleep(pid: int) -> bool:
    """Return whether `pid` has become /bin/sleep, with the environment that it was given."""
    return b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes()


class ProcessesTest(unittest.TestCase):
    def tree(self) -> tuple[int, list[int]]:
        """Start a tree; return its top and everybody in it."""
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = subprocess.Popen([sys.executable, "-c", TREE, folder.name])
        self.addCleanup(top.wait)
        self.addCleanup(top.kill)
        until(lambda: len(os.listdir(folder.name)) == 3, "the tree")
        return top.pid, [int(name) for name in os.listdir(folder.name)]

    def test_what_leaves_its_session_and_parent_is_still_below(self) -> None:
        top, everybody = self.tree()
        self.assertEqual(set(processes.descendants(top)), set(everybody) - {top})

    def test_everything_below_is_killed_and_the_top_is_not(self) -> None:
        top, everybody = self.tree()
        processes.kill_below(top)
        self.assertEqual([pid for pid in everybody if alive(pid)], [top])

    def test_what_is_spared_lives_on_with_what_is_below_it(self) -> None:
        code = (
            "import os, subprocess, sys\n"
            "from workbench.jobs.worker.processes import kill_below, is_zombie\n"
            "spared, other = (subprocess.Popen(['/bin/sleep', '600']) for _ in range(2))\n"
            "kill_below(os.getpid(), spare=lambda: {spared.pid})\n"
            "print(is_zombie(spared.pid), is_zombie(other.pid))\n"
            "spared.kill()\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        self.assertEqual(done.stdout.split(), ["False", "True"])

    def test_a_process_is_named_by_its_pid_and_start(self) -> None:
        child = subprocess.Popen(["/bin/sleep", "600"])
        born = processes.started(child.pid)
        self.assertGreater(born, 0)
        self.assertEqual(processes.started(child.pid), born)
        child.kill()
        until(lambda: processes.is_zombie(child.pid), "the child to die")
        self.assertEqual(processes.started(child.pid), 0)
        child.wait()
        self.assertEqual(
            (processes.started(child.pid), processes.children(child.pid)), (0, [])
        )

    def test_only_what_a_dead_worker_marked_is_a_stray(self) -> None:
        mine = processes.mark()
        dead = mine.replace(f"{os.getpid()}:", "4194304:", 1)
        elsewhere = dead.rpartition(":")[0] + ":other"
        marked = {}
        for name, mark in (
            ("mine", mine),
            ("dead", dead),
            ("elsewhere", elsewhere),
            ("nonsense", "x:y"),
        ):
            marked[name] = subprocess.Popen(
                ["/bin/sleep", "600"], env={processes.MARK: mark}
            )
            self.addCleanup(marked[name].wait)
            self.addCleanup(marked[name].kill)
        for process in marked.values():
            until(partial(is_asleep, process.pid), "it to begin")
        processes.kill_strays()
        until(lambda: not alive(marked["dead"].pid), "the stray to end")
        self.assertEqual(
            [name for name in marked if alive(marked[name].pid)],
            ["mine", "elsewhere", "nonsense"],
        )
