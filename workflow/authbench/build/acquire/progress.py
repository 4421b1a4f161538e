"""Report the progress of downloads: bytes, rate and remaining time."""

import time
from collections.abc import Callable

from authbench.core.runtime.job import report
from authbench.core.runtime.progress import EVERY_SECONDS, in_words


class Progress:
    """A counter of bytes that reports every ten seconds how many have arrived, the rate, and the remaining time."""

    def __init__(
        self,
        what: str,
        total: int | None = None,
        tell: Callable[[str], None] = report,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.what, self.total, self.tell, self.clock = what, total, tell, clock
        self.come = self.here_before = 0
        self.started = self.reported = clock()

    def skip(self, size: int) -> None:
        """Count bytes that are here already and take no time."""
        self.come += size
        self.here_before += size

    def advance(self, size: int) -> None:
        self.come += size
        if self.clock() - self.reported >= EVERY_SECONDS:
            self.reported = self.clock()
            self.tell(self.line())

    def line(self) -> str:
        rate = max(self.come - self.here_before, 0) / max(self.clock() - self.started, 1e-9)
        of = f" of {in_bytes(self.total)}" if self.total else ""
        left = f", {in_words((self.total - self.come) / rate)} left" if self.total and rate and self.come else ""
        return f"{self.what}: {in_bytes(self.come)}{of}, {in_bytes(rate)}/s{left}"


def in_bytes(size: float) -> str:
    """Return a size with a unit.

    >>> in_bytes(512), in_bytes(3_400_000), in_bytes(12_000_000_000)
    ('512 B', '3.4 MB', '12.0 GB')
    """
    for unit, one in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= one:
            return f"{size / one:,.1f} {unit}"
    return f"{size:.0f} B"
