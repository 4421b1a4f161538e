"""Which raw files does a source have, and what are their digests?

The digests, not the times, say whether a corpus has changed: a touched or moved folder reruns nothing.
They are computed once and remembered by size and modification time.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authbench.ingest.files import match_files
from authbench.tables import read_json, write_json

Digests = dict[str, str]
SHARD_BYTES = 64 << 20
MOST_SHARDS = 500  # ingestion writes all at once, and a process may have 1,024 files open


def take_inventory(raw_dir: Path, sources: Mapping[str, Mapping[str, Any]], memory: Path) -> dict[str, Digests]:
    """SHA-256 of every raw file of every source: {source: {relative path: digest}}.

    `memory` is a JSON file that remembers digests by path, size and modification time.
    """
    known: dict[str, list[Any]] = read_json(memory) if memory.exists() else {}
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
    return sum(
        (raw_dir / sources[tag].get("folder", tag) / name).stat().st_size
        for tag, files in inventory.items()
        for name in files
    )


def shard_count(
    shards: int | str, raw_dir: Path, sources: Mapping[str, Mapping[str, Any]], inventory: Mapping[str, Digests]
) -> int:
    """The parts that the text stages run in: as set, or one per 64 MiB of raw files, 2 to 500."""
    if isinstance(shards, int):
        return shards
    return min(max(2, -(-total_bytes(raw_dir, sources, inventory) // SHARD_BYTES)), MOST_SHARDS)
