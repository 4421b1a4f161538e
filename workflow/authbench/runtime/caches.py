"""Folders for what is fetched or compiled once and read by all later processes."""

import hashlib
import os
from functools import cache
from importlib.resources import files
from pathlib import Path

WITH_KERNELS = (
    "checking",
    "dedup",
    "evaluation",
    "filter",
    "metrics",
    "sample",
    "verifiers",
)  # the packages that hold compiled functions


def user_cache() -> Path:
    """Return the folder of this package in the user's cache, e.g. ~/.cache/authbench; it need not exist yet."""
    from platformdirs import user_cache_path  # milliseconds that the jobs of a run, with a folder of their own, save

    return user_cache_path("authbench", appauthor=False)


def compiled_code() -> Path:
    """Return the folder of compiled kernels: that of the Snakemake run ($NUMBA_CACHE_DIR), else of the user's cache."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    return Path(given) if given else user_cache() / "compiled" / digest_of_kernels()


@cache
def digest_of_kernels() -> str:
    """Return 16 hexadecimal digits over all files with kernels, as one kernel's code holds that of others."""
    package = Path(str(files("authbench")))
    whole = hashlib.sha256()
    for path in sorted(path for name in WITH_KERNELS for path in (package / name).glob("*.py")):
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:16]
