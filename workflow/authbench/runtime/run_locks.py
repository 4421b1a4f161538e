"""Restrict the locks of Snakemake's runs in a working directory to each run.

Every run locks the files it makes, in separate lock files. Therefore runs of different names can share a directory, and
two runs of one name cannot. But Snakemake 9 removes the locks of all runs when one ends.
"""

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any


def keep_locks_of_other_runs() -> None:
    """Make Snakemake remove only a run's locks when it ends; `--unlock` still removes all.

    Later releases of Snakemake that keep their locks elsewhere are not changed.
    """
    with suppress(ImportError):
        from snakemake.persistence.file import FilePersistence

        FilePersistence._delete_locks = _delete_own
        FilePersistence.cleanup_locks = _delete_all


def _delete_own(self: Any) -> None:
    for lock in self._lockfile.values():
        Path(lock).unlink(missing_ok=True)
    self._lockfile.clear()


def _delete_all(self: Any) -> None:
    shutil.rmtree(self._lockdir, ignore_errors=True)
