"""Report which files of each corpus are here, and whether they are unchanged since they were first fetched."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from authbench.build.acquire.lock import Entry, File
from authbench.build.acquire.progress import in_bytes
from authbench.config.registry.source_entry import Source
from authbench.core.errors import InputError
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.unchanged import file_mark

ABSENT, PARTIAL, PRESENT, VERIFIED = "absent", "partial", "present", "verified"


@dataclass(frozen=True)
class State:
    """The state of a source's files.

    Attributes:
        word: `absent`, `partial` (some are missing), `present` (complete, but not known to be unchanged) or `verified`
            (sizes and SHA-256 agree with the lock).
        files: their number.
        bytes: their total size.
        detail: the reason for the word, or what to do.
    """

    word: str
    files: int
    bytes: int
    detail: str = ""


def parts_folder(source: Source, raw_dir: Path) -> Path:
    """Return the folder of incomplete files; it exists while a file is missing."""
    return raw_dir / source.files.folder / f".parts-{source.tag}"


def state(source: Source, raw_dir: Path, locked: Entry | None) -> State:
    """Return the state of a source's files.

    No file is read: a SHA-256 is valid as long as size and time are the same as when it was computed.
    """
    folder = raw_dir / source.files.folder
    on_the_way = parts_folder(source, raw_dir).exists()
    if locked is None or not locked.files:
        found = source.files.below(raw_dir)
        size = sum((folder / name).stat().st_size for name in found)
        if on_the_way:
            return State(PARTIAL, len(found), size, "a download was interrupted")
        return State(PRESENT if found else ABSENT, len(found), size)
    sizes = {name: _size(folder / name) for name in locked.files}
    here = {name: size for name, size in sizes.items() if size is not None}
    other = [name for name, size in here.items() if size != locked.files[name].bytes]
    counted = len(here), sum(here.values())
    if not here and not on_the_way:
        return State(ABSENT, 0, 0)
    if len(here) < len(locked.files) or on_the_way:
        wanted = in_bytes(sum(file.bytes for file in locked.files.values()))
        return State(PARTIAL, *counted, f"{len(here)} of {len(locked.files)} files, {in_bytes(counted[1])} of {wanted}")
    if other:
        return State(PRESENT, *counted, f"{other[0]} has another size than the lock says")
    known = Digests(folder, source.tag)
    taken = {name: known.of(name) for name in locked.files}
    if wrong := [name for name, sha256 in taken.items() if sha256 and sha256 != locked.files[name].sha256]:
        return State(PRESENT, *counted, f"{wrong[0]} is not what the lock says")
    if None in taken.values():
        return State(PRESENT, *counted, f"authbench sources acquire {source.tag} verifies it")
    return State(VERIFIED, *counted, f"a share of {locked.share:g}" if locked.share < 1 else "")


class Digests:
    """The SHA-256 of a source's files by size and times, stored in a hidden file in the same folder."""

    def __init__(self, folder: Path, tag: str) -> None:
        self.folder, self.memory = folder, folder / f".digests-{tag}.json"
        self.known: dict[str, list[object]] = {}
        with suppress(InputError, FileNotFoundError):  # a damaged memory is ignored
            self.known = read_json(self.memory)

    def of(self, name: str) -> str | None:
        """Return the SHA-256 of a file, if it was computed and the file looks unchanged."""
        seen = self.known.get(name)
        return str(seen[-1]) if seen and seen[:-1] == file_mark(self.folder / name) else None

    def take(self, name: str) -> File:
        """Return size and SHA-256 of a file, which is read if necessary."""
        mark = file_mark(self.folder / name)
        sha256 = self.of(name) or sha256_of_file(self.folder / name)
        self.note(name, mark, sha256)
        return File(mark[0], sha256)

    def note(self, name: str, mark: list[int], sha256: str) -> None:
        """Store the SHA-256 of a file with its `file_mark` from before it was computed."""
        self.known[name] = [*mark, sha256]

    def save(self) -> None:
        write_json(self.memory, self.known)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return None
