"""One line of each finished job of a run: what it worked on, its time, and about how much time is left.

Snakemake reports a job in several messages, and how many are done in another. A handler of its logger collects these
events, which the terminal's filter drops, and the terminal's formatter prints a line of them.
"""

import logging
import time
from collections.abc import Callable

ENOUGH = 3  # finished jobs from which the time left is estimated
_CHATTER = ("Select jobs to execute...",)


class JobLines(logging.Formatter):
    """The formatter of the terminal, which says one line where Snakemake says several.

    Args:
        plain: formats everything else.
        clock: gives seconds.
    """

    def __init__(self, plain: logging.Formatter, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._plain, self._clock = plain, clock
        self._began: float | None = None
        self._jobs: dict[int, tuple[str, float]] = {}
        self._finished: list[int] = []

    def hear(self, record: logging.LogRecord) -> None:
        """Take note of a job that begins."""
        if _event_of(record) == "JOB_INFO":
            now = self._clock()
            self._began = now if self._began is None else self._began
            parts = [str(value) for value in dict(getattr(record, "wildcards", None) or {}).values()]
            self._jobs[record.__dict__["jobid"]] = (" ".join([record.__dict__["rule_name"], *parts]), now)

    def format(self, record: logging.LogRecord) -> str:
        """Return what to print of a message; empty: nothing."""
        event = _event_of(record)
        if event == "JOB_FINISHED":
            self._finished.append(record.__dict__["job_id"])
            return ""
        if event == "PROGRESS":
            return self._lines(record.__dict__["done"], record.__dict__["total"])
        if event == "JOB_STARTED" or record.msg in _CHATTER:
            return ""
        return self._plain.format(record)

    def _lines(self, done: int, total: int) -> str:
        now, lines = self._clock(), []
        for job in self._finished:
            name, since = self._jobs.get(job, (f"job {job}", now))
            lines.append(f"{name}: {in_words(now - since)}")
        self._finished = []
        left = ""
        if self._began is not None and ENOUGH <= done < total:
            left = f", about {in_words((now - self._began) / done * (total - done))} left"
        return ", ".join(lines) + f" ({done} of {total} jobs{left})" if lines else ""


class _Ear(logging.Handler):
    """Hands every record to the lines, and prints nothing."""

    def __init__(self, lines: JobLines) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.hear(record)


def _event_of(record: logging.LogRecord) -> str:
    """Return the name of Snakemake's event that a record tells; empty for a plain message."""
    return str(getattr(getattr(record, "event", None), "name", ""))


def tell_jobs_in_lines(logger: logging.Logger) -> None:
    """Let the terminal handlers of Snakemake's logger tell jobs in lines, where they are quiet about rules."""
    for handler in list(logger.handlers):
        quiet = {getattr(one, "name", "") for some in handler.filters for one in getattr(some, "quiet", ())}
        plain = handler.formatter
        if "RULES" in quiet and plain is not None and not isinstance(handler, logging.FileHandler):
            lines = JobLines(plain)
            handler.setFormatter(lines)
            logger.addHandler(_Ear(lines))


def in_words(seconds: float) -> str:
    """Return a duration in words.

    >>> in_words(0.4), in_words(75), in_words(5000)
    ('under 1 s', '1 min', '1 h 23 min')
    """
    if seconds < 1:
        return "under 1 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
