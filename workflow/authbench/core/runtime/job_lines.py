"""Print which jobs of a run finished, their time, and about how much time is left.

A terminal that is quiet about rules gets a line per job; quiet about the host, too, a line per tenth of the jobs.

Snakemake reports a job in several messages, and the number of finished jobs in another. A handler of its logger
collects these events, which the terminal's filter drops, and the terminal's formatter prints a line for them. The
causes of failed jobs are printed last, from the ends of their logs.
"""

import logging
import re
import time
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from pathlib import Path

from authbench.core.json_values import JsonObject
from authbench.core.runtime.job import PATIENCE

ENOUGH = 3  # finished jobs from which the time left is estimated
MOST_CAUSES = 3
PARTS = 10  # of a run, which a line each is for
_MOST_LINES, _MOST_CHARACTERS = 3, 1_000
_CHATTER = (
    "Select jobs to execute...",
    "Exiting because a job execution failed. Look above for error messages",
)
_OPENING = re.compile(
    "Assuming unrestricted shared filesystem|Building DAG|Conda environments: ignored|Provided (cores|resources):"
    "|Rules claiming more threads|Using shell:"
)
_SCRIPT = "/.snakemake/scripts/"  # Snakemake's folder for the adapter of a job
_FAILED = "At least one job did not complete successfully."
_PLACE = re.compile(
    r'WorkflowError in file "[^"]*", line \d+:\n(?P<message>.*?)\n  File "[^"]*", line \d+, in .*', re.DOTALL
)
_RECORD = re.compile(r"^\d\d:\d\d:\d\d ", re.MULTILINE)


class JobLines(logging.Formatter):
    """Format the terminal's messages, a line for several of Snakemake's.

    Args:
        plain: formats everything else.
        clock: gives seconds.
        short: whether jobs are reported in lines; otherwise only errors are reworded.
        brief: whether a line is for a tenth of the jobs, and what Snakemake says before the first is left out.
    """

    def __init__(
        self,
        plain: logging.Formatter,
        clock: Callable[[], float] = time.monotonic,
        short: bool = True,
        brief: bool = False,
    ) -> None:
        super().__init__()
        self._plain, self._clock, self._short, self._brief = plain, clock, short, brief
        self._told = (0, 0.0)  # finished tenths, and when
        self._began: float | None = None
        self._jobs: dict[int, tuple[str, float]] = {}
        self._finished: list[int] = []
        self._failed: dict[tuple[str, ...], None] = {}  # rules with their logs, each once, in order

    def hear(self, record: logging.LogRecord) -> None:
        """Record a job that begins or fails."""
        for failed in _failed_jobs(record):
            self._failed[failed["rule_name"], *map(str, failed["log"] or ())] = None
        if _event_of(record) == "JOB_INFO":
            now = self._clock()
            self._began = now if self._began is None else self._began
            parts = [str(value) for value in dict(getattr(record, "wildcards", None) or {}).values()]
            self._jobs[record.__dict__["jobid"]] = (" ".join([record.__dict__["rule_name"], *parts]), now)

    def format(self, record: logging.LogRecord) -> str:
        """Return the text to print for a message; empty: do not print."""
        event = _event_of(record)
        if event == "ERROR":
            return self._error(record)
        if not self._short:
            return self._plain.format(record)
        if event == "JOB_FINISHED":
            self._finished.append(record.__dict__["job_id"])
            return ""
        if event == "PROGRESS":
            return self._lines(record.__dict__["done"], record.__dict__["total"])
        if event == "JOB_STARTED" or record.msg in _CHATTER:
            return ""
        if self._brief and (event == "RUN_INFO" or _OPENING.match(str(record.msg))):
            return ""
        return self._plain.format(record)

    def _error(self, record: logging.LogRecord) -> str:
        """Return an error's message without the locations of the rules that raised it; for failed jobs the causes."""
        kind, message = getattr(record, "exception", ""), record.getMessage()
        if self._short and kind == "RuleException" and _SCRIPT in message:
            return ""  # the job's message is more specific
        if message.endswith(_FAILED) and self._failed:
            return causes(self._failed)
        found = _PLACE.fullmatch(message)
        return found["message"] if found else self._plain.format(record)

    def _lines(self, done: int, total: int) -> str:
        now, lines = self._clock(), []
        if self._brief:
            tenths, then = done * PARTS // total, self._told[1] or self._began or now
            if tenths == self._told[0] and now - then < PATIENCE:
                return ""
            self._told = (tenths, now)
        for job in self._finished:
            name, since = self._jobs.get(job, (f"job {job}", now))
            lines.append(name.partition(" ")[0] if self._brief else f"{name}: {in_words(now - since)}")
        lines, self._finished = list(dict.fromkeys(lines)), []
        left = ""
        if self._began is not None and ENOUGH <= done < total:
            left = f", about {in_words((now - self._began) / done * (total - done))} left"
        return ", ".join(lines) + f" ({done} of {total} jobs{left})" if lines else ""


class _Ear(logging.Handler):
    """Pass every record to the lines without printing."""

    def __init__(self, lines: JobLines) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.hear(record)


def causes(failed: Collection[tuple[str, ...]]) -> str:
    """Return the causes of failed jobs, by their rules and logs, in a few lines: the last output of a run."""
    lines = ["Jobs failed, and what waits for them was not run:"]
    for rule, *logs in islice(failed, MOST_CAUSES):
        said = cause(logs)
        lines.append(said if said.startswith(rule) else f"{rule}: {said}")
    if len(failed) > MOST_CAUSES:
        lines.append(f"{len(failed) - MOST_CAUSES} more jobs failed.")
    return "\n".join(lines)


def cause(logs: Iterable[str]) -> str:
    """Return the last error of a job, in at most three lines, and where its log is."""
    for path in map(Path, logs):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        records = [record.strip() for record in _RECORD.split(text)]
        said = [record for record in records if record and not record.startswith("took ")]
        if len(said) > 1:
            last = said[-1].splitlines()
            shown = last[-1:] if last[0].startswith("Traceback") else last[:_MOST_LINES]
            return f"{chr(10).join(shown):.{_MOST_CHARACTERS}} (log: {path})"
        if said:
            return f"it ended without a word (log: {path})"
    return "there is no log of it"


def _failed_jobs(record: logging.LogRecord) -> Iterable[JsonObject]:
    """Return rule and logs of the failed jobs named in a message."""
    if _event_of(record) == "JOB_ERROR":
        return [vars(record)]
    return record.__dict__["job_error_info"] if _event_of(record) == "GROUP_ERROR" else ()


def _event_of(record: logging.LogRecord) -> str:
    """Return the name of the Snakemake event in a record; empty for a plain message."""
    return str(getattr(getattr(record, "event", None), "name", ""))


def tell_jobs_in_lines(logger: logging.Logger) -> None:
    """Report jobs in lines on the terminal handlers of Snakemake's logger that are quiet about rules."""
    for handler in list(logger.handlers):
        quiet = {getattr(one, "name", "") for some in handler.filters for one in getattr(some, "quiet", ())}
        plain = handler.formatter
        if plain is not None and not isinstance(handler, logging.FileHandler):
            planned = any(getattr(some, "dryrun", False) for some in handler.filters)
            lines = JobLines(plain, short="RULES" in quiet, brief={"RULES", "HOST"} <= quiet and not planned)
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
