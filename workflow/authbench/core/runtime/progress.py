"""Report the progress of long steps: what is done, and how long the rest will take.

A command reports every ten seconds on the terminal, a job every ten seconds in its log and every ten minutes on the
terminal, where a build reports its jobs (`job_lines`). A job that needs over an hour more says so once its first ten
seconds have been measured.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from authbench.core.runtime.job import log, report

EVERY_SECONDS = 10.0
LONG_SECONDS = 3600.0
Item = TypeVar("Item")


def progress(
    items: Iterable[Item], what: str, total: int | None = None, size: Callable[[Item], int] = lambda _: 1
) -> Iterator[Item]:
    """Yield the items; every ten seconds, report how much is done and, with a total, the time left.

    Args:
        what: the step and the unit.
        total: of all items, in this unit.
        size: of an item, in this unit.
    """
    done, started = 0, time.monotonic()
    reported = started
    for item in items:
        yield item
        done, now = done + size(item), time.monotonic()
        if now - reported > EVERY_SECONDS:
            of = f" of {total:,}" if total else ""
            seconds = (total - done) * (now - started) / done if total and done else None
            left = "" if seconds is None else f", {in_words(seconds)} left"
            tell = log.warning if reported == started and (seconds or 0.0) > LONG_SECONDS else report
            tell("%s: %s%s, %s%s", what, f"{done:,}", of, in_words(now - started), left)
            reported = now


def in_words(seconds: float) -> str:
    """Return a time in words.

    >>> in_words(42), in_words(190), in_words(9000)
    ('42 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
