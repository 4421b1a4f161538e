"""Restore the folder of a release from the layout of a Hugging Face dataset, local or on the hub.

The dataset has the texts as Parquet (`data/candidates`, `data/queries`) and every other file of the release unchanged
in `release/`. The restored release is identical to the byte: the checksums in `release/` cover the whole release.
"""

import glob
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import orjson
import polars as pl
import pyarrow.parquet as pq

from authbench.errors import InputError, first_line
from authbench.extras import missing_extra
from authbench.format.columns import CANDIDATES, QUERIES, Table
from authbench.format.files import MANIFEST
from authbench.format.names import expect_paths, expect_splits
from authbench.format.release import named_splits, read_manifest
from authbench.runtime.caches import user_cache
from authbench.storage.atomic import atomic_file, atomic_folder, sha256_of_file
from authbench.storage.sha256sums import SUMS, read_sums, sums_lines

INNER = "release"  # the folder of a dataset with the files of its release except texts
SCHEME = "hf:"
_READ = (f"{INNER}/**/*", *(f"data/{table.name}/*.parquet" for table in (CANDIDATES, QUERIES)))
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([\w./-]+))?", re.ASCII)
_ROWS = 4096
_SHOWN = 4


def release_of(place: Path) -> Path:
    """Return the folder of the release at a place: a folder, `hf:owner/name`, or `hf:owner/name@revision`.

    A dataset is checked against its checksums and restored as a release in the user's cache; any other folder is
    returned unchanged. Memory: a batch of texts.

    Raises:
        InputError: the dataset is not available or not AuthBench's, or a file differs from its checksum.
    """
    remote = str(place).startswith(SCHEME)
    folder = _fetched(str(place).removeprefix(SCHEME)) if remote else place
    if (folder / INNER / MANIFEST).is_file():
        return _restored(folder)
    if remote:
        raise InputError(
            f"{place}: the dataset has no {INNER}/{MANIFEST}, so it is none that `authbench export --form huggingface` "
            "wrote."
        )
    return place


def _fetched(named: str) -> Path:
    """Return the folder of a dataset in the cache of Hugging Face, fetched if it is missing."""
    found = _NAME.fullmatch(named)
    if not found:
        raise InputError(f"{SCHEME}{named}: expected {SCHEME}owner/name, or {SCHEME}owner/name@revision.")
    try:
        return fetched(found[1], found[2], f"{SCHEME}{named}", [SUMS, *_READ], "dataset")
    except ModuleNotFoundError as error:
        raise missing_extra(error) or error from None


def fetched(name: str, revision: str | None, shown: str, files: Sequence[str], kind: str) -> Path:
    """Return the folder of a model or dataset (`kind`) in the cache of Hugging Face, fetched if it is missing.

    Args:
        revision: a commit, branch or tag; None: the main branch.
        files: patterns of files to fetch.

    Raises:
        InputError: it is neither cached nor available from the network.
    """
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    cache = constants.HF_HUB_CACHE
    try:
        return Path(
            snapshot_download(name, repo_type=kind, revision=revision, cache_dir=cache, allow_patterns=[*files])
        )
    except LocalEntryNotFoundError:
        problem = (
            f"is not in the cache of Hugging Face ({cache}), and huggingface.co cannot be reached. "
            f"Fetch it where there is a network (hf download --repo-type {kind}), or give its folder"
        )
    except GatedRepoError:
        problem = "is gated: accept its terms on huggingface.co and log in (hf auth login)"
    except RevisionNotFoundError:
        problem = "has no such revision on huggingface.co"
    except RepositoryNotFoundError:
        problem = f"is neither a folder here nor a {kind} on huggingface.co (or it is private: hf auth login)"
    except (HfHubHTTPError, OSError, ValueError) as other:
        problem = f"cannot be had of huggingface.co: {first_line(other)}"
    raise InputError(f"{shown} {problem}.")


def _restored(folder: Path) -> Path:
    """Return the release of a dataset in the user's cache, restored if it is missing."""
    digests = _expect_listed(folder)
    target = user_cache() / "releases" / hashlib.sha256(sums_lines(digests).encode()).hexdigest()[:32]
    if target.is_dir():
        return target
    splits = named_splits(read_manifest(folder / INNER))
    expect_splits(folder / INNER / MANIFEST, splits)
    with atomic_folder(target) as out:
        for path in digests:
            if path.startswith(f"{INNER}/"):
                place = out / path.removeprefix(f"{INNER}/")
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / path, place)
        for split in splits:
            for table in (CANDIDATES, QUERIES):
                _write_lines(out / split / table.file, folder / "data" / table.name, split, table)
    return target


def _expect_listed(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of the files that are read, by path, checked against the dataset's checksums, if any."""
    found = [path for pattern in _READ for path in sorted(folder.glob(pattern)) if path.is_file()]
    roots = [os.path.realpath(folder)]
    if folder.parent.name == "snapshots":  # the cache of Hugging Face: links to files outside all snapshots
        roots.append(os.path.realpath(folder.parent.parent / "blobs"))
    for path in found:
        if not any(Path(os.path.realpath(path)).is_relative_to(root) for root in roots):
            raise InputError(f"{path}: a link that leads out of {folder}. Put the file itself there.")
    digests = {path.relative_to(folder).as_posix(): sha256_of_file(path) for path in found}
    expect_paths(folder, digests)
    if (folder / SUMS).is_file():
        sums = read_sums(folder)
        expect_paths(folder / SUMS, sums)
        _expect_same(folder, digests, sums)
    return digests


def _expect_same(folder: Path, digests: Mapping[str, str], sums: Mapping[str, str]) -> None:
    begins = tuple(pattern.split("*")[0] for pattern in _READ)
    listed = {path: digest for path, digest in sums.items() if path.startswith(begins)}
    wrong = sorted(path for path in digests.keys() | listed.keys() if digests.get(path) != listed.get(path))
    if wrong:
        shown = ", ".join(wrong[:_SHOWN]) + (", ..." if len(wrong) > _SHOWN else "")
        raise InputError(f"{folder}: {shown}: not as {SUMS} says, missing or not listed. Fetch the dataset anew.")


def _write_lines(target: Path, place: Path, split: str, table: Table) -> None:
    """Write the rows of a configuration of a split as JSON lines."""

    def lines() -> Iterator[bytes]:
        for path in sorted(place.glob(f"{glob.escape(split)}-[0-9]*.parquet")):
            try:
                with pq.ParquetFile(path) as file:
                    for batch in file.iter_batches(_ROWS, columns=list(table.names)):
                        for row in pl.DataFrame(batch).select(table.names).iter_rows(named=True):
                            yield orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
            except (OSError, ValueError, KeyError, pl.exceptions.PolarsError) as problem:
                raise InputError(
                    f"{path}: cannot be read as {table.name}: {first_line(problem)}. Fetch it anew."
                ) from None

    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(target) as aside, aside.open("wb") as file:
        file.writelines(lines())
