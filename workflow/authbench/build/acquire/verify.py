"""Compare the raw files of a build with their lock.

The SHA-256 of the files are known (`runtime.inventory`), so no file is read here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from authbench.build.acquire.lock import Entry, entries_digest, lock_path, read_plain, read_raw_lock, to_plain
from authbench.build.acquire.state import parts_folder
from authbench.config.registry.source_entry import Source
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.raw_paths import Digests, matches

VERIFIED = "verified"
NOT_LOCKED = "not in the lock"
INTERRUPTED = "a download was interrupted"
MISSING = "files are missing"
CHANGED = "files have changed"
ADDED = "files were added"


@dataclass(frozen=True)
class LockCheck:
    """The result of comparing the raw files of a build with a lock.

    Attributes:
        path: of the lock.
        sha256: of its entries of the build's sources; None if it has none.
        states: VERIFIED, or why not, by source.
        examples: the first questionable file of each unverified source.
        local: sources of the user's own files, which nobody fetched, so that no message misses a lock of them.
    """

    path: Path
    sha256: str | None
    states: Mapping[str, str]
    examples: Mapping[str, str]
    local: Sequence[str]

    def as_stated(self) -> dict[str, object]:
        """Return the statements for a release, without names of files."""
        return {"sha256": self.sha256, "sources": dict(self.states)}

    def messages(self) -> list[str]:
        """Return a line for each source that is not verified; a single line if the lock has none of them."""
        told = {tag: state for tag, state in self.states.items() if state != NOT_LOCKED or tag not in self.local}
        if self.sha256 is None and NOT_LOCKED in told.values():
            return [
                f"No source of this build is in {self.path}, so that nothing says whether the raw files are complete "
                "and what was first fetched; `authbench sources acquire` records them."
            ]
        return [
            f"{tag} is not verified: {state}{f', e.g. {self.examples[tag]}' if tag in self.examples else ''} "
            f"({self.path}); `authbench sources acquire {tag}` says more."
            for tag, state in told.items()
            if state != VERIFIED
        ]


def check_lock(
    sources: Mapping[str, Source], raw_dir: Path, inventory: Mapping[str, Digests], memory: Path
) -> LockCheck:
    """Compare the files of a build with the lock in the folder of `raw_dir`.

    Args:
        memory: a folder that caches the lock under its digest, in a form that is read in a fraction of the time.
    """
    path = lock_path(raw_dir)
    locked = _remembered(path, memory) if path.exists() else {}
    everywhere = {(name, file.sha256) for entry in locked.values() for name, file in entry.files.items()}
    states, examples = {}, {}
    for tag, source in sources.items():

        def fits(name: str, patterns: tuple[str, ...] = source.files.patterns) -> bool:
            return "/." not in f"/{name}" and matches(name, patterns)

        states[tag], example = compare(
            inventory[tag], locked.get(tag), fits, everywhere, parts_folder(source, raw_dir).exists()
        )
        if example:
            examples[tag] = example
    of_build = {tag: locked[tag] for tag in sources if tag in locked}
    local = [tag for tag, source in sources.items() if source.acquire.origin == "local"]
    return LockCheck(path, entries_digest(of_build) if of_build else None, states, examples, local)


def compare(
    files: Digests,
    locked: Entry | None,
    fits: Callable[[str], bool],
    everywhere: Set[tuple[str, str]] = frozenset(),
    interrupted: bool = False,
) -> tuple[str, str]:
    """Return VERIFIED, or why a source's files differ from its lock, with the first questionable file.

    Args:
        files: the SHA-256 of its files by path.
        locked: its entry when it was first fetched.
        fits: whether the source would read a file of this path.
        everywhere: paths and SHA-256 of all sources in the lock; several sources may share a folder.
        interrupted: whether a download of it is unfinished.
    """
    if locked is None or not locked.files:
        return NOT_LOCKED, ""
    if interrupted:
        return INTERRUPTED, ""
    expected = {name: file.sha256 for name, file in locked.files.items() if fits(name)}
    return next(_differences(files, expected, everywhere), (VERIFIED, ""))


def _differences(files: Digests, expected: Digests, everywhere: Set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    if missing := sorted(expected.keys() - files.keys()):
        yield MISSING, missing[0]
    if changed := sorted(name for name in expected if files[name] != expected[name]):
        yield CHANGED, changed[0]
    if added := sorted(name for name in files.keys() - expected.keys() if (name, files[name]) not in everywhere):
        yield ADDED, added[0]


def _remembered(path: Path, memory: Path) -> dict[str, Entry]:
    """Return the entries of a lock; with 100,000 files, reading it takes ten seconds as YAML, half a second as JSON."""
    kept = memory / f"lock-{sha256_of_file(path)}.json"
    if kept.exists():
        return read_plain(read_json(kept))
    entries = read_raw_lock(path)
    write_json(kept, to_plain(entries))
    return entries
