"""List the raw files of the sources with their digests, and compute the number of shards.

Digests, not times, determine whether a corpus has changed: a touched or moved folder reruns no job. They are computed
once and cached by size and times of modification and of change (`storage.unchanged.file_mark`). The job that reads a
file verifies its digest.
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.raw_paths import FileSet
from authbench.core.storage.raw_sizes import expanded_bytes
from authbench.core.storage.unchanged import cached_digests

Digests = dict[str, str]
SHARD_BYTES = 128 << 20
SHARDS_OF_FILE = 32
WORTH_A_JOB = 8 << 20  # bytes from which a separate shard is worth a job
FEWEST_SHARDS, MOST_SHARDS = 2, 500  # planned by Snakemake in 21 CPU s; its time grows in proportion


def take_inventory(raw_dir: Path, sources: Mapping[str, FileSet], cache: Path) -> dict[str, Digests]:
    """Return the SHA-256 of every raw file of every source: {source: {relative path: digest}}.

    Args:
        cache: a JSON file of digests by path, size and times.
    """
    below = {
        tag: {name: raw_dir / files.folder / name for name in files.below(raw_dir)} for tag, files in sources.items()
    }
    found = cached_digests(cache, (path for files in below.values() for path in files.values()))
    return {tag: {name: found[path] for name, path in files.items()} for tag, files in below.items()}


def source_digest(files: Digests) -> str:
    """Return the digest of all raw files of a source, which depends on names and contents but not on their order."""
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]


def total_bytes(raw_dir: Path, sources: Mapping[str, FileSet], inventory: Mapping[str, Digests]) -> int:
    """Return the bytes of all raw files, compressed files after expansion."""
    return sum(
        expanded_bytes(raw_dir / sources[tag].folder / name) for tag, files in inventory.items() for name in files
    )


def shard_count(
    shards: int | str,
    raw_dir: Path,
    sources: Mapping[str, FileSet],
    inventory: Mapping[str, Digests],
    cache: Path,
) -> int:
    """Return the number of parts in which the text stages run: `shards`, or the result of `fitting_shards` for "auto".

    Args:
        cache: a JSON file of the number by the files' digests, to give a job on another machine, or the next run, the
            same number.
    """
    if isinstance(shards, int):
        return shards
    files = source_digest({tag: source_digest(found) for tag, found in inventory.items()})
    known: dict[str, int] = {}
    with suppress(InputError, FileNotFoundError):  # a damaged cache is ignored
        known = read_json(cache)
    if files not in known:
        cores = os.cpu_count() or 1
        known = {**known, files: fitting_shards(total_bytes(raw_dir, sources, inventory), cores)}
        write_json(cache, known)
    return known[files]


def shard_files(shards: int) -> list[str]:
    """Return the name of the file of each shard's records: as files of all sources are many, 32 shards share a file.

    >>> shard_files(2), sorted(set(shard_files(40)))
    (['1-2-of-2', '1-2-of-2'], ['1-32-of-40', '33-40-of-40'])
    """
    firsts = (shard - shard % SHARDS_OF_FILE + 1 for shard in range(shards))
    return [f"{first}-{min(first + SHARDS_OF_FILE - 1, shards)}-of-{shards}" for first in firsts]


def fitting_shards(size: int, cores: int) -> int:
    """Return the number of shards: 1 per 128 MiB, which bounds memory, or 1 per core of 8 MiB each; 2 to 500.

    >>> fitting_shards(1 << 20, 8), fitting_shards(100 << 20, 8), fitting_shards(10 << 30, 8)
    (2, 8, 80)
    """
    wanted = max(-(-size // SHARD_BYTES), min(cores, size // WORTH_A_JOB))
    return min(max(FEWEST_SHARDS, wanted), MOST_SHARDS)
