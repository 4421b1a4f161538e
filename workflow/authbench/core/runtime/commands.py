"""Run an external command within a time limit."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from tempfile import TemporaryFile

LAST_OUTPUT = 8_000  # bytes of output that are kept


def run_command(words: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a command and return its status with the last of its output.

    It runs in a separate process group: on timeout, or if this process is interrupted, it is killed with all its child
    processes.

    Raises:
        OSError, ValueError: it cannot be started.
        subprocess.TimeoutExpired: the time was over.
    """
    with TemporaryFile() as out, TemporaryFile() as err:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        try:
            status = process.wait(seconds)
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return subprocess.CompletedProcess(words, status, *(_last(file.fileno()) for file in (out, err)))


def _last(handle: int) -> str:
    size = os.fstat(handle).st_size
    start = max(0, size - LAST_OUTPUT)
    return os.pread(handle, size - start, start).decode("utf-8", "replace")
