"""Read and write the lock of raw files: the contents of each corpus when it was first fetched.

`resources/raw.lock.yaml` is in the same folder as the folder of raw files and has its name. It contains, by source, the
revision of each data set and the size and SHA-256 of each file. Programs only add to it and never change entries.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from authbench.config.registry.entries import read_yaml
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_json
from authbench.core.json_values import JsonMapping
from authbench.core.storage.atomic import write_text
from authbench.core.storage.system import fcntl

HEAD = """# What `authbench acquire` first fetched of each source: revisions, sizes and SHA-256 of its files. Later
# downloads must be the same. To accept what an owner has changed, take the source's entry out and fetch anew.
"""


@dataclass(frozen=True)
class File:
    """A file as it was fetched; `rows`: it has only so many rows of the file on the host."""

    bytes: int
    sha256: str
    rows: int | None = field(default=None, compare=False)  # the digest is of these rows


@dataclass
class Entry:
    """The lock of a source.

    It contains the revision of each data set, the files by their paths below the source's folder, their share of the
    offered files, and the limits, if any: of bytes, which set the share, and of rows, at which files end.
    """

    revisions: dict[str, str] = field(default_factory=dict)
    files: dict[str, File] = field(default_factory=dict)
    share: float = 1.0
    bytes: int | None = None
    rows: int | None = None

    def covers(self, share: float, most_bytes: int | None, most_rows: int | None = None) -> bool:
        """Return whether the files include that share of the offered files, or as many as these limits allow.

        Raises:
            InputError: the files end at fewer rows, and cannot grow.
        """
        if self.rows is not None and (most_rows is None or most_rows > self.rows):
            raise InputError(
                f"the lock holds {self.rows:,} of its rows. For more of them, delete its files, take it out of the "
                "lock, and run again."
            )
        within = most_bytes is not None and self.bytes is not None and most_bytes <= self.bytes
        return share <= self.share or within


def lock_path(raw_dir: Path) -> Path:
    """Return the path of the lock of a folder of raw files: `resources/raw.lock.yaml` for `resources/raw`."""
    return raw_dir.with_name(f"{raw_dir.name}.lock.yaml")


def read_raw_lock(path: Path) -> dict[str, Entry]:
    """Return the entries by source. Raises InputError where the file says something else."""
    if not path.exists() and not path.is_symlink():
        return {}
    try:
        return read_plain(read_yaml(path))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is no lock of raw files ({type(error).__name__}: {error}). Restore it from version control, or "
            "delete it, and `authbench sources acquire` records anew what is there."
        ) from error


def add_to_lock(path: Path, tag: str, entry: Entry) -> None:
    """Add statements about a source, safely under concurrent writes. Existing statements stay; a share may grow."""
    with _alone(path):
        entries = read_raw_lock(path)
        known = entries.get(tag, Entry(share=entry.share))
        share, limit = max(entry.share, known.share), max(entry.bytes or 0, known.bytes or 0) or None
        files, rows = {**entry.files, **known.files}, known.rows if known.files else entry.rows
        together = Entry({**entry.revisions, **known.revisions}, files, share, limit, rows)
        if together != entries.get(tag):
            entries[tag] = together
            write_text(path, lock_text(entries))


def lock_text(entries: Mapping[str, Entry]) -> str:
    """Return the text of a lock with these entries."""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return HEAD + yaml.dump(to_plain(entries), Dumper=dumper, allow_unicode=True, sort_keys=True, width=1000)


def entries_digest(entries: Mapping[str, Entry]) -> str:
    """Return the SHA-256 of entries as JSON, keys sorted and without white space."""
    return sha256_of_json(to_plain(entries))


def read_plain(value: JsonMapping) -> dict[str, Entry]:
    """Return the entries from the plain values of a lock."""
    return {tag: _entry(plain) for tag, plain in value.items()}


def to_plain(entries: Mapping[str, Entry]) -> dict[str, object]:
    """Return entries as plain values, sorted by source."""
    return {tag: _plain(entry) for tag, entry in sorted(entries.items())}


def _entry(plain: JsonMapping) -> Entry:
    return Entry(
        {name: str(revision) for name, revision in plain.get("revisions", {}).items()},
        {
            os.fspath(name): File(int(one["bytes"]), str(one["sha256"]), _number(one, "rows"))
            for name, one in plain["files"].items()
        },
        float(plain.get("share", 1.0)),
        _number(plain, "bytes"),
        _number(plain, "rows"),
    )


def _number(plain: JsonMapping, key: str) -> int | None:
    return int(plain[key]) if key in plain else None


def _plain(entry: Entry) -> dict[str, object]:
    files = {
        name: {key: value for key, value in vars(one).items() if value is not None}
        for name, one in sorted(entry.files.items())
    }
    return {
        **({"revisions": dict(entry.revisions)} if entry.revisions else {}),
        **({"share": entry.share} if entry.share < 1 else {}),
        **({"bytes": entry.bytes} if entry.bytes and entry.share < 1 else {}),
        **({"rows": entry.rows} if entry.rows else {}),
        "files": files,
    }


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path.with_name(f".{path.name}.held"), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
