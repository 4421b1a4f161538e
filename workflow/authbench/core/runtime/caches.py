"""Locate folders for data that is fetched or compiled once and read by all later processes."""

import os
from pathlib import Path


def user_cache() -> Path:
    """Return the folder of this package in the user's cache, e.g. ~/.cache/authbench; it need not exist yet."""
    from platformdirs import user_cache_path  # milliseconds saved by the jobs of a run, which have a separate folder

    return user_cache_path("authbench", appauthor=False)


def compiled_code() -> Path:
    """Return the folder of compiled kernels: the Snakemake run's ($NUMBA_CACHE_DIR), else in the user's cache."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    return Path(given) if given else user_cache() / "compiled"
