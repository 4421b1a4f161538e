"""A job that waits for a thread that could never be started ends, and says why."""

import signal
import subprocess
import sys

import pytest

from authbench.core.storage.system import resource

PROGRAM = """
import logging, threading
from pathlib import Path
from authbench.core.runtime.job import watch_address_space
from authbench.core.storage.system import resource
logging.basicConfig()
lines = Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmPeak"))
if {beyond}:
    resource.setrlimit(resource.RLIMIT_AS, (peak + {beyond}, -1))
watch_address_space(seconds=.2)
threading.Event().wait({waits})
print("went on", threading.active_count())
"""


def ended(beyond, waits):
    """Return status, output and messages of a program that waits, with so many bytes beyond its own at the start."""
    program = PROGRAM.format(beyond=beyond, waits=waits)
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(resource.getrlimit(resource.RLIMIT_AS)[1] != resource.RLIM_INFINITY, reason="a limit is set")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process takes")
class TestAWaitingJob:
    def test_ends_with_a_message_where_its_address_space_is_used_up(self):
        status, _, said = ended(64 << 20, waits=60)
        assert status == -signal.SIGABRT
        assert "address space" in said
        assert "ulimit -v" in said

    def test_goes_on_where_there_is_room(self):
        assert ended(2 << 30, waits=0.5)[:2] == (0, "went on 2\n")

    def test_is_not_watched_without_a_limit(self):
        assert ended(0, waits=0.01)[:2] == (0, "went on 1\n")
