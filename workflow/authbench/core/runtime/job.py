"""Log the messages of a running job: in its log and, for long steps, on the terminal.

InputErrors, full or failing disks, missing memory and missing extras are reported by their message only, without a
traceback.

End a job that hangs because its address space (`ulimit -v`) is used up.

Polars waits forever for a thread that could not be started. Therefore jobs with such a limit are watched; jobs without
are not.
"""

import atexit
import gc
import logging
import os
import re
import signal
import sys
import threading
import time
import traceback
from functools import partial
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import TracebackType

from authbench.core.errors import InputError
from authbench.core.extras import missing_extra
from authbench.core.printable import printable
from authbench.core.storage.disk import cannot_write, is_full, machine_failed
from authbench.core.storage.system import resource

NEAR = 128 << 20  # bytes: no library allocates more at once without an error
STILL_SECONDS = 20.0
ROUNDS = 4
PATIENCE = 600  # seconds after which a terminal is due for a line on a long step
IDLE_SECONDS = 0.01  # of processor time in a round
_STACK = 256 << 10
_STATUS = Path("/proc/self/status")


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


log = logging.getLogger("authbench")
report = partial(log.warning, extra={"progress": True})


def log_to(path: str) -> None:
    """Send the job's messages to its log; warnings, errors and, rarely, progress also to the terminal.

    Args:
        path: `.../logs/<rule>/<part>.log`, or `.../logs/<rule>.log` for a rule without parts.
    """
    results, _, name = path.partition("/logs/")
    job = name.removesuffix(".log").replace("/", " ")
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setFormatter(_Printable("%(message)s"))
    terminal.setLevel(logging.WARNING)
    terminal.addFilter(_Seldom())
    log.handlers, log.propagate = [terminal], False
    log.setLevel(logging.INFO)
    logging.raiseExceptions = False  # a log on a full disk must not hide the terminal's messages
    sys.excepthook = partial(_report_error, job, Path(results))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    file = logging.FileHandler(path, mode="w", encoding="utf-8")
    file.setFormatter(_Printable("%(asctime)s %(message)s", "%H:%M:%S"))
    file.setLevel(logging.INFO)
    log.addHandler(file)
    atexit.register(_log_cost)
    gc.set_threshold(100_000)  # rows are many objects without cycles
    atexit.register(gc.freeze)  # otherwise Python visits every object of every library at exit: 0.1 s per job
    leave_out_pandas()
    log.info("%s", job)
    watch_address_space()


def leave_out_pandas() -> None:
    """Keep pyarrow from importing pandas for the first list of values it is given: 0.4 s a job.

    pyarrow looks for pandas once, and again when a table is converted to pandas; code that imports pandas itself gets
    it.
    """
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None or "pandas" in sys.modules:
        return
    absent = _WithoutPandas()
    sys.meta_path.insert(0, absent)
    try:
        pyarrow.array([0])
    finally:
        sys.meta_path.remove(absent)


class _WithoutPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not imported now", name=fullname)


class _Printable(logging.Formatter):
    """Format messages without characters that a terminal would interpret, because names in them come from files."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record), keep="\n\t")


class _Seldom(logging.Filter):
    """Pass a report of progress every ten minutes, and all other messages."""

    last = time.monotonic()

    def filter(self, record: logging.LogRecord) -> bool:
        if not hasattr(record, "progress"):
            return True
        now = time.monotonic()
        due = now - self.last >= PATIENCE
        self.last = now if due else self.last
        return due


def _log_cost() -> None:
    """Log CPU seconds of the job with its child processes, and its peak memory."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(one.ru_utime + one.ru_stime for one in used)
    log.info("took %.1f CPU s, at most %.0f MiB of memory", seconds, _peak_kib() / 1024)


def _peak_kib() -> int:
    """Return the peak memory of this process in KiB: VmHWM on Linux, ru_maxrss elsewhere."""
    try:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    except OSError:
        found = None
    return int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _report_error(
    job: str, results: Path, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    known = cannot_write(error, results) if is_full(error) else missing_extra(error) or machine_failed(error, results)
    problem = known or error
    if isinstance(problem, InputError):
        log.error("\n%s: %s\n", job, problem)
    else:
        log.error("%s", "".join(traceback.format_exception(kind, error, trace)))
