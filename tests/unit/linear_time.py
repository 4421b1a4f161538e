"""Whether work grows with its size as work in linear time does, on whatever machine."""

import time

PART = 8  # the smaller size that is measured beside a size
GROWTH = 24  # times the work of a part, at most: eight in linear time, 64 in quadratic


def takes_linear_time(work, size, soon):
    """Return whether work of a size takes less than so many CPU seconds, or no more than linear work takes.

    The clock is looked at once on most machines; where it is slow or busy, a part of the work is measured beside it.
    """
    if _seconds(work, size) < soon:
        return True
    part = min(_seconds(work, size // PART) for _ in range(3))
    return min(_seconds(work, size) for _ in range(2)) < GROWTH * part


def _seconds(work, size):
    start = time.thread_time()
    work(size)
    return time.thread_time() - start
