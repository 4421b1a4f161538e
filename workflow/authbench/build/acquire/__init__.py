"""Download corpora reproducibly and verify them.

`acquire_source` fetches missing files of a source, verifies existing files, and records new files in the lock. A file
gets its name only when it is complete and agrees with the host and the lock.
"""

import math
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

from authbench.build.acquire import github, huggingface, kaggle, url
from authbench.build.acquire.lock import Entry, File, add_to_lock, lock_path, read_raw_lock
from authbench.build.acquire.offers import ByHand, Listing, Offer, Piece, pieces
from authbench.build.acquire.progress import Progress, in_bytes
from authbench.build.acquire.rows import count_rows, write_first_rows
from authbench.build.acquire.state import Digests, parts_folder
from authbench.build.acquire.transfer import Pause
from authbench.config.registry.source_entry import Source
from authbench.core.errors import InputError
from authbench.core.identity import digest, uniform
from authbench.core.runtime.job import log
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.disk import cannot_write
from authbench.core.storage.raw_files import LFS_POINTER
from authbench.core.storage.unchanged import file_mark

Look = Callable[[Piece, str | None, Path, Pause], Listing]
WAYS: dict[str, Look] = {
    "huggingface": huggingface.look,
    "kaggle": kaggle.look,
    "github": github.look,
    "url": url.look,
}
LOCK_SECONDS = 60.0  # between two writings of the lock, which takes seconds for 20,000 files
SPREAD = 100  # files from which a limit of rows takes some
PLACES = 10  # in each of them
RUN = 1000  # rows at least from a file, and at a place in it
DEMO = "make_demo.py"  # in the folder of the demo's raw files, which it writes


def acquire_source(
    source: Source,
    raw_dir: Path,
    share: float = 1.0,
    most_bytes: int | None = None,
    most_rows: int | None = None,
    ways: Mapping[str, Look] = WAYS,
    pause: Pause = time.sleep,
) -> str:
    """Make a source's files complete and verified under `raw_dir`, and return what was done, in words.

    Args:
        share: of the offered files, selected by a hash of their paths; at least 1 file of each dataset. A larger share
            includes the files of a smaller one.
        most_bytes: of these files; the share is lowered until they fit. None: no limit.
        most_rows: of these files, read as streams: of up to SPREAD of them, the first by that hash. None: no limit.

    Raises:
        ByHand: a person has to do something first.
        InputError: a file cannot be fetched or has changed.
    """
    tag = source.tag
    if any((folder / DEMO).is_file() for folder in raw_dir.resolve().parents):
        raise InputError(f"{raw_dir} holds the demo's corpora; give the folder for yours, e.g. raw_dir=resources/raw")
    folder, parts = raw_dir / source.files.folder, parts_folder(source, raw_dir)
    entries = read_raw_lock(lock_path(raw_dir))
    locked = entries.get(tag, Entry())
    if locked.files and locked.rows is None and most_rows is not None:  # whole files, to which rows add none
        share, most_bytes, most_rows = locked.share, None, None
    try:
        whole = locked.covers(share, most_bytes, most_rows) and not parts.exists()
        if locked.files and whole and all((folder / name).is_file() for name in locked.files):
            return f"{tag}: {_verify(tag, folder, locked.files)}"
        found = source.files.below(raw_dir) if not locked.files else []
        if found and not parts.exists():
            others = {file for name, entry in entries.items() if name != tag for file in entry.files.items()}
            if files := _taken(tag, folder, found, others):
                add_to_lock(lock_path(raw_dir), tag, Entry({}, files))
                return f"{tag}: found there and recorded in {lock_path(raw_dir).name}, {_count(files)}"
        if not source.acquire.fetch:
            raise ByHand("it is not fetched for you")
        way = ways[source.acquire.origin]
        return f"{tag}: {_fetch(source, raw_dir, locked, share, (most_bytes, most_rows), way, pause)}"
    except ByHand as problem:
        raise ByHand(f"{tag}: {problem}. {_by_hand(source, folder)}".replace("..", ".")) from problem
    except InputError as problem:
        raise InputError(f"{tag}: {problem}") from problem
    except OSError as problem:
        raise cannot_write(problem, folder) or problem from None


def _by_hand(source: Source, folder: Path) -> str:
    """Return what a person has to do to get a source, and where its files go."""
    get = source.acquire
    terms = f" Its licence: {source.license.name}."
    return f"To get it from {get.origin}, {get.where}: {get.how.strip()} The folder is {folder}.{terms}"


def _verify(tag: str, folder: Path, files: Mapping[str, File]) -> str:
    digests = Digests(folder, tag)
    progress = Progress(f"{tag}: verified", sum(file.bytes for file in files.values()))
    for name, file in files.items():
        _hold_to_lock(name, digests.take(name), file)
        progress.advance(file.bytes)
    digests.save()
    return f"verified, {_count(files)}"


def _taken(tag: str, folder: Path, names: list[str], others: Set[tuple[str, File]]) -> dict[str, File]:
    """Return sizes and SHA-256 of the files that a person has put there, except files locked by another source."""
    digests = Digests(folder, tag)
    for name in names:
        _check_is_content(folder / name, name)
    files = {name: digests.take(name) for name in names}
    digests.save()
    return {name: file for name, file in files.items() if (name, file) not in others}


def _fetch(
    source: Source,
    raw_dir: Path,
    locked: Entry,
    share: float,
    limits: tuple[int | None, int | None],
    look: Look,
    pause: Pause,
) -> str:
    tag, (most_bytes, most_rows) = source.tag, limits
    folder, parts = raw_dir / source.files.folder, parts_folder(source, raw_dir)
    parts.mkdir(parents=True, exist_ok=True)
    digests, fresh = Digests(folder, tag), Entry(bytes=most_bytes, rows=most_rows)
    written = time.monotonic()

    def keep_at_times() -> None:
        nonlocal written
        if time.monotonic() - written > LOCK_SECONDS:
            _keep(lock_path(raw_dir), tag, fresh, digests)
            written = time.monotonic()

    try:
        listings = _listings(source, locked, parts, look, pause)
        fresh.revisions.update((piece.name, one.revision) for piece, one in listings if one.revision)
        sizes = {name: size for _, listing in listings for name, size in listing.sizes.items()}
        if most_bytes is not None:
            share = min(share, _share_within(tag, sizes, most_bytes))
        fresh.share = locked.share if locked.files else share
        if most_rows is not None:
            fresh.rows = locked.rows or most_rows
            chosen = choose(tag, list(sizes), max(share, fresh.share))
            offers = [offer for _, listing in listings for offer in listing.offers if offer.path in chosen]
            for name, file in _some_rows(tag, offers, folder, parts, locked, fresh.rows, digests):
                fresh.files[name] = file
                keep_at_times()
            got = sum(file.rows or 0 for file in fresh.files.values())
            log.warning("%s: %s rows, of %s of %s files", tag, f"{got:,}", f"{len(fresh.files):,}", f"{len(sizes):,}")
        for piece, listing in listings if most_rows is None else ():
            chosen = choose(tag, list(listing.sizes), max(share, fresh.share))
            size = _in_all([listing.sizes[name] for name in chosen])
            if len(chosen) < len(listing.sizes):
                log.warning("%s: %s", tag, _share_in_words(piece.name, chosen, listing))
            _check_room(size, folder)
            progress = Progress(f"{tag}: {piece.name}", size)
            for offer in listing.offers:
                if offer.path not in chosen:
                    continue
                fresh.files[offer.path] = _bring(offer, folder, parts, locked.files.get(offer.path), digests, progress)
                keep_at_times()
        if gone := sorted(set(locked.files) - sizes.keys()):
            raise InputError(f"{gone[0]} is in {lock_path(raw_dir).name} and is no longer offered ({len(gone)} files)")
    finally:
        if fresh.files:
            _keep(lock_path(raw_dir), tag, fresh, digests)
        if not any(parts.iterdir()) and not fresh.files:
            parts.rmdir()
    add_to_lock(lock_path(raw_dir), tag, replace(fresh, share=max(share, fresh.share)))
    shutil.rmtree(parts)
    return f"fetched and verified, {_count(fresh.files)}"


def _listings(source: Source, locked: Entry, parts: Path, look: Look, pause: Pause) -> list[tuple[Piece, Listing]]:
    """Return what the hosts offer of each piece. Raises InputError if two pieces offer a file of one path."""
    found: list[tuple[Piece, Listing]] = []
    paths = set[str]()
    for piece in pieces(source):
        revision = piece.revision if pinned(piece.revision) else locked.revisions.get(piece.name, piece.revision)
        listing = look(piece, revision, parts, pause)
        if twice := sorted(paths & listing.sizes.keys()):
            raise InputError(f"{twice[0]} is offered twice; give the pieces folders of their own (`into`)")
        paths |= listing.sizes.keys()
        found.append((piece, listing))
    return found


def _some_rows(
    tag: str, offers: list[Offer], folder: Path, parts: Path, locked: Entry, rows: int, digests: Digests
) -> Iterator[tuple[str, File]]:
    """Yield files of rows of these offers, in proportion to their rows (else bytes): the locked ones as before.

    Datasets are often sorted by language or author, so that the rows come from many files, and places in them.
    """
    offers = sorted(offers, key=lambda offer: (_drawn(tag, offer.path), offer.path))
    spread, sizes = offers[: min(SPREAD, max(rows // RUN, 1))], list[int]()
    progress = Progress(f"{tag}: rows")
    for number, offer in enumerate(offers):
        if not rows:
            return
        known, share = locked.files.get(offer.path), 1.0
        if known is None and number < len(spread):
            sizes = sizes or _sizes(spread)
            share = sizes[number] / max(sum(sizes[number:]), 1)
        wanted = known.rows if known and known.rows else math.ceil(rows * share)
        if not wanted:
            continue
        part = parts / f"{digest(offer.path)}.part"
        if known and (folder / offer.path).is_file():
            _hold_to_lock(offer.path, digests.take(offer.path), known)
        elif offer.stream is None:
            raise InputError("rows are read as a stream of Hugging Face datasets only; limit its share or bytes")
        else:
            with offer.stream() as stream:
                taken = write_first_rows(stream, offer.path, part, wanted, min(PLACES, max(wanted // RUN, 1)))
            come = File(part.stat().st_size, sha256_of_file(part), taken)
            progress.advance(come.bytes)
            if known:
                _hold_to_lock(offer.path, come, known)
            _put(part, offer.path, come, folder, digests)
            known = known or come
        rows -= known.rows or 0
        yield offer.path, known


def _sizes(offers: Sequence[Offer]) -> list[int]:
    """Return the rows of Parquet files, as texts of some may be longer; of other files, the bytes."""
    sizes = []
    for offer in offers:
        if offer.stream is None or not offer.path.endswith(".parquet"):
            return [one.bytes or 1 for one in offers]
        with offer.stream() as stream:
            sizes.append(count_rows(stream, offer.path))
    return sizes


def _put(part: Path, name: str, come: File, folder: Path, digests: Digests) -> None:
    """Move a complete file to its place. Raises InputError if another file is there, or the place is elsewhere."""
    target = folder / name
    if target.is_file() and digests.take(name) != come:
        raise InputError(f"{target} is there and is not what is distributed; move it away, or lock it as it is")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.parent.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{target.parent} leads out of {folder}")
    part.replace(target)
    digests.note(name, file_mark(target), come.sha256)


def _bring(offer: Offer, folder: Path, parts: Path, locked: File | None, digests: Digests, progress: Progress) -> File:
    """Fetch a complete file to its place. Raises InputError if it differs from the host's or the lock's statement."""
    target = folder / offer.path
    if locked and offer.bytes not in (None, locked.bytes):
        raise _changed(offer.path, f"{offer.bytes:,} bytes", locked)
    if target.is_file():
        there = digests.take(offer.path)
        if locked:
            _hold_to_lock(offer.path, there, locked)
        if locked or (offer.sha256 == there.sha256):
            progress.skip(there.bytes)
            return there
    part = parts / f"{digest(offer.path)}.part"
    if part.exists():
        progress.skip(part.stat().st_size)
    announced = locked.bytes if locked else offer.bytes

    def advance(count: int) -> None:
        if announced is not None and part.exists() and part.stat().st_size > announced:
            part.unlink()
            found = f"more than {announced:,} bytes"
            raise _changed(offer.path, found, locked) if locked else InputError(f"{offer.path}: {found} came")
        progress.advance(count)

    offer.bring(part, advance)
    come = File(part.stat().st_size, sha256_of_file(part))
    try:
        _check_is_content(part, offer.path)
        if not come.bytes and announced != 0:
            raise InputError(f"{offer.path}: the host sent an empty file. Run the same command to fetch it again.")
        if offer.bytes not in (None, come.bytes) or offer.sha256 not in (None, come.sha256):
            raise InputError(
                f"{offer.path}: {come.bytes:,} bytes with SHA-256 {come.sha256[:12]}… came; the host announced "
                f"{offer.bytes or 0:,} with {(offer.sha256 or '?')[:12]}…. Run the same command to fetch it anew."
            )
        if locked:
            _hold_to_lock(offer.path, come, locked)
        _put(part, offer.path, come, folder, digests)
    except InputError:
        part.unlink()
        raise
    return come


def choose(tag: str, names: Collection[str], share: float) -> set[str]:
    """Return the share of a dataset's files, at least 1 file, by a hash of their names.

    >>> [len(choose("letters", [f"{number}.csv" for number in range(1000)], share)) for share in (0, 0.1, 1)]
    [1, 88, 1000]
    """
    if share >= 1:
        return set(names)
    drawn = {name: _drawn(tag, name) for name in names}
    return {name for name in names if drawn[name] < share} or {min(names, key=drawn.__getitem__)}


def _drawn(tag: str, name: str) -> float:
    """Return the least share of a source's files that does not contain the file."""
    return uniform(0, "acquire.share", tag, name)


def _share_within(tag: str, sizes: Mapping[str, int | None], most: int) -> float:
    """Return the largest share of files that have at most `most` bytes. Raises InputError if a size is unknown."""
    total = 0
    for name in sorted(sizes, key=lambda name: (_drawn(tag, name), name)):
        size = sizes[name]
        if size is None:
            raise InputError(
                f"the host states no size of {name}, so a limit of bytes cannot be kept. Set acquire.share."
            )
        total += size
        if total > most:
            return _drawn(tag, name)
    return 1.0


def _share_in_words(name: str, chosen: Collection[str], listing: Listing) -> str:
    part = _in_all([listing.sizes[one] for one in chosen])
    whole = _in_all(list(listing.sizes.values()))
    sizes = f", {in_bytes(part)} of {in_bytes(whole)}" if part is not None and whole is not None else ""
    return f"{name}: {len(chosen):,} of {len(listing.sizes):,} files{sizes}"


def _in_all(sizes: Collection[int | None]) -> int | None:
    """Return the sum of sizes; None if a size is unknown."""
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _check_is_content(path: Path, name: str) -> None:
    """Raise InputError for a pointer of Git LFS, which a repository contains in place of a file stored elsewhere."""
    with path.open("rb") as file:
        if file.read(len(LFS_POINTER)) == LFS_POINTER:
            raise InputError(
                f"{name} is a pointer of Git LFS and not the file. Fetch the file with `git lfs pull` in a clone of "
                "the repository and put it there, or take another source of it."
            )


def pinned(revision: str | None) -> bool:
    """Return whether a revision is immutable: a commit, or the number of a version."""
    return bool(revision) and set(str(revision)) <= set("0123456789abcdef") and not str(revision).isalpha()


def _hold_to_lock(name: str, found: File, locked: File) -> None:
    if found != locked:
        raise _changed(name, f"{found.bytes:,} bytes with SHA-256 {found.sha256[:12]}…", locked)


def _changed(name: str, found: str, locked: File) -> InputError:
    return InputError(
        f"{name} is not what was first fetched: it has {found}, the lock says {locked.bytes:,} bytes with SHA-256 "
        f"{locked.sha256[:12]}…. If the file here was changed, delete it and run again; if its owner has changed it "
        "and you accept that, take the source out of the lock and fetch anew."
    )


def _keep(lock: Path, tag: str, fresh: Entry, digests: Digests) -> None:
    add_to_lock(lock, tag, fresh)
    digests.save()


def _check_room(size: int | None, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if size and size > free:
        raise InputError(f"{in_bytes(size)} are to come and {in_bytes(free)} are free in {folder}; make room first.")


def _count(files: Mapping[str, File]) -> str:
    size = sum(file.bytes for file in files.values())
    return f"{len(files):,} file{'s' * (len(files) != 1)}, {in_bytes(size)}"
