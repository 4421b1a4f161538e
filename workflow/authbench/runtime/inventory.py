"""Which raw files does a source have, what are their digests, and into how many shards does that make them?

The digests, not the times, say whether a corpus has changed: a touched or moved folder reruns nothing.
They are computed once and remembered by size and modification time.
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from authbench.errors import InputError
from authbench.storage.json_files import read_json, write_json
from authbench.storage.raw_files import match_files
from authbench.storage.raw_sizes import expanded_bytes

Digests = dict[str, str]
SHARD_BYTES = 128 << 20
WORTH_A_JOB = 8 << 20  # bytes for which a shard of its own pays
FEWEST_SHARDS, MOST_SHARDS = 2, 2000


def take_inventory(raw_dir: Path, sources: Mapping[str, Mapping[str, Any]], memory: Path) -> dict[str, Digests]:
    """SHA-256 of every raw file of every source: {source: {relative path: digest}}.

    `memory` is a JSON file that remembers digests by path, size and modification time.
    """
    known: dict[str, list[Any]] = {}
    with suppress(InputError, FileNotFoundError):  # a damaged memory is none
        known = read_json(memory)
    fresh: dict[str, list[Any]] = {}
    inventory: dict[str, Digests] = {}
    for tag, source in sources.items():
        folder = raw_dir / source.get("folder", tag)
        inventory[tag] = {}
        for name in match_files(folder, source["files"]):
            path = folder / name
            stat = path.stat()
            seen = known.get(str(path.resolve()))
            if seen is None or seen[:2] != [stat.st_size, stat.st_mtime_ns]:
                with path.open("rb") as handle:
                    seen = [stat.st_size, stat.st_mtime_ns, hashlib.file_digest(handle, "sha256").hexdigest()]
            fresh[str(path.resolve())] = seen
            inventory[tag][name] = seen[2]
    if fresh != known:
        write_json(memory, fresh)
    return inventory


def source_digest(files: Digests) -> str:
    """One digest for all raw files of a source: changes with any name or content, not with their order."""
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]


def total_bytes(raw_dir: Path, sources: Mapping[str, Mapping[str, Any]], inventory: Mapping[str, Digests]) -> int:
    """The bytes of all raw files, of compressed ones as they expand."""
    return sum(
        expanded_bytes(raw_dir / sources[tag].get("folder", tag) / name)
        for tag, files in inventory.items()
        for name in files
    )


def shard_count(
    shards: int | str,
    raw_dir: Path,
    sources: Mapping[str, Mapping[str, Any]],
    inventory: Mapping[str, Digests],
    memory: Path,
) -> int:
    """The parts that the text stages run in: as set, or what `fitting_shards` says of the files and this machine.

    `memory` is a JSON file that remembers the number by the files' digests, so that a job on another machine, or the
    next run, does not count anew.
    """
    if isinstance(shards, int):
        return shards
    files = source_digest({tag: source_digest(found) for tag, found in inventory.items()})
    known: dict[str, int] = {}
    with suppress(InputError, FileNotFoundError):  # a damaged memory is none
        known = read_json(memory)
    if files not in known:
        cores = os.cpu_count() or 1
        known = {**known, files: fitting_shards(total_bytes(raw_dir, sources, inventory), cores)}
        write_json(memory, known)
    return known[files]


def fitting_shards(size: int, cores: int) -> int:
    """One shard per 128 MiB, so that memory is bounded; one per core, if there are 8 MiB for each; 2 to 2,000.

    >>> fitting_shards(1 << 20, 8), fitting_shards(100 << 20, 8), fitting_shards(10 << 30, 8)
    (2, 8, 80)
    """
    wanted = max(-(-size // SHARD_BYTES), min(cores, size // WORTH_A_JOB))
    return min(max(FEWEST_SHARDS, wanted), MOST_SHARDS)
