"""End a job that hangs because its address space (`ulimit -v`) is used up.

Polars waits forever for a thread that could not be started. Therefore jobs with such a limit are watched; jobs without
are not.
"""

import logging
import os
import signal
import threading
import time
from pathlib import Path

from authbench.storage.system import resource

NEAR = 128 << 20  # bytes: no library allocates more at once without an error
STILL_SECONDS = 20.0
ROUNDS = 4
IDLE_SECONDS = 0.01  # of processor time in a round
_STACK = 256 << 10
_STATUS = Path("/proc/self/status")
log = logging.getLogger("authbench")


def watch_address_space(seconds: float = STILL_SECONDS) -> None:
    """Start a thread that ends this process, with a message, once it is at its limit and idle for `seconds`."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or not _STATUS.exists():
        return
    before = threading.stack_size(_STACK)
    try:
        threading.Thread(target=_watch, args=(limit, seconds), daemon=True).start()
    finally:
        threading.stack_size(before)


def _watch(limit: int, seconds: float) -> None:
    used, still = time.process_time(), 0
    while still < ROUNDS:
        time.sleep(seconds / ROUNDS)
        used, before = time.process_time(), used
        still = still + 1 if used - before < IDLE_SECONDS and limit - _most_bytes() < NEAR else 0
    log.error(
        "the job stands still and its address space of %d MiB is used up. Raise the limit (ulimit -v), then run the "
        "same command again: what is finished stays.",
        limit >> 20,
    )
    os.kill(os.getpid(), signal.SIGABRT)


def _most_bytes() -> int:
    """Return the peak address space of this process."""
    lines = _STATUS.read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmPeak"))
