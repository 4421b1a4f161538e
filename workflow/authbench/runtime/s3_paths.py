"""Let files in S3 keep the constraints of their wildcards.

Snakemake adds constraints to a file's address, and the storage plugin (0.3.6) keeps the path that it made before. Rules
without constraints make each other's files.
"""

import posixpath
from contextlib import suppress


def keep_constraints_in_s3() -> None:
    """Make the plugin for S3, where it is installed, derive a file's path from its address whenever it is asked."""
    with suppress(ImportError):
        from snakemake_storage_plugin_s3 import StorageObject

        StorageObject.local_suffix = lambda self: posixpath.normpath(self.query.removeprefix("s3://"))
