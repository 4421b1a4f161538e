"""Let runs of Snakemake share a working directory, and files in S3 keep the constraints of their wildcards."""

import posixpath
from contextlib import suppress
from pathlib import Path
from typing import Any


def keep_constraints_in_s3() -> None:
    """Make the plugin for S3, where it is installed, derive a file's path from its address whenever it is asked.

    Snakemake adds constraints of wildcards to a file's address, and the plugin (0.3.6) keeps the path that it made
    before. Rules without constraints make each other's files.
    """
    with suppress(ImportError):
        from snakemake_storage_plugin_s3 import StorageObject

        StorageObject.local_suffix = lambda self: posixpath.normpath(self.query.removeprefix("s3://"))


def keep_locks_of_other_runs() -> None:
    """Make Snakemake remove only a run's locks when it ends; `--unlock` still removes all.

    Every run locks the files it makes, in separate lock files. Therefore runs of different names can share a directory,
    and two runs of the same name cannot. But Snakemake 9 removes the locks of all runs when a run ends. Later releases
    that keep their locks elsewhere are not changed.
    """
    with suppress(ImportError):
        from snakemake.persistence.file import FilePersistence

        if FilePersistence.unlock is not _unlock_own:
            FilePersistence.cleanup_locks, FilePersistence.unlock = FilePersistence.unlock, _unlock_own


def _unlock_own(self: Any) -> None:
    for lock in self._lockfile.values():
        Path(lock).unlink(missing_ok=True)
    self._lockfile.clear()
