"""Write a run's index at its end, and report what the run made, however it ends."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from authbench.config.settings.config import Config

_NOTHING_DONE = "Nothing to be done"  # Snakemake then calls neither onsuccess nor onerror


@dataclass
class Closing:
    """The end of a run, handled once.

    Attributes:
        folder: `results/<name>`; None where a storage holds the results.
        settings: the configuration.
        since: when the run began, in seconds since 1970.
        options: Snakemake command-line options, repeated in the commands of the index.
    """

    folder: Path | None
    settings: Config
    since: float
    options: Sequence[str] = ()
    _nothing_done: bool = field(default=False, init=False)

    def tell(self) -> None:
        print("", *self._close(), sep="\n", flush=True)

    def write(self) -> None:
        self._close()

    def hear(self, record: logging.LogRecord) -> bool:
        """Record that a run had nothing left to do; let every message pass."""
        self._nothing_done |= str(record.msg).startswith(_NOTHING_DONE)
        return True

    def at_exit(self, is_dry: bool) -> None:
        """Close a run in which nothing was left to do, except a dry run."""
        if self._nothing_done and not is_dry and self.folder and self.folder.is_dir():
            self.tell()

    def _close(self) -> list[str]:
        from authbench.reports.overview.page import close_run  # page dependencies, only needed at the end

        return close_run(self.folder, self.settings, self.since, self.options) if self.folder else []
