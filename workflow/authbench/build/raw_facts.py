"""State what a run knows of its raw files before its first job: jobs on machines without these files read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from authbench.build.acquire.verify import LockCheck, check_lock
from authbench.config.registry.source_entry import Source
from authbench.core.json_values import JsonObject
from authbench.core.runtime.inventory import Digests, shard_count
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.raw_paths import FileSet, RawFiles, describe
from authbench.core.storage.raw_sizes import PACKED, UNPACKED


@dataclass(frozen=True)
class RawFacts:
    """Hold the facts on raw files that rules need.

    Attributes:
        inputs: number and digest of the files, of each source that has any.
        lock: the result of their check against the lock of raw files.
        megabytes: an estimate of their text, by source.
        shards: the number of parts in which the text stages run.
    """

    inputs: Mapping[str, RawFiles]
    lock: LockCheck
    megabytes: Mapping[str, float]
    shards: int


def take_facts(
    raw_dir: Path, sources: Mapping[str, Source], inventory: Mapping[str, Digests], shards: int | str, known: Path
) -> RawFacts:
    """Return the facts on the raw files of sources that have any; `known` is the folder of what earlier runs found."""
    sets = {tag: source.files for tag, source in sources.items()}
    return RawFacts(
        {tag: describe(inventory[tag]) for tag in sources},
        check_lock(sources, raw_dir, inventory, known),
        raw_mb(raw_dir, sets, inventory),
        shard_count(shards, raw_dir, sets, inventory, known / "shards.json"),
    )


def write_facts(facts: RawFacts, path: Path) -> None:
    """Write facts as JSON."""
    write_json(path, {**vars(facts), "lock": {**vars(facts.lock), "path": str(facts.lock.path)}})


def read_facts(path: Path) -> RawFacts:
    """Return facts that `write_facts` wrote."""
    plain: JsonObject = read_json(path)
    lock = plain["lock"]
    return RawFacts(**{**plain, "lock": LockCheck(**{**lock, "path": Path(lock["path"])})})


def raw_mb(raw_dir: Path, sources: Mapping[str, FileSet], inventory: Mapping[str, Digests]) -> dict[str, float]:
    """Return an estimate, in MB, of the text in each source's raw files; compressed files are not opened."""
    return {
        tag: sum(_text_bytes(raw_dir / sources[tag].folder / name) for name in files) / 1e6
        for tag, files in inventory.items()
    }


def _text_bytes(path: Path) -> int:
    return path.stat().st_size * (UNPACKED if path.suffix.lower() in PACKED else 1)
