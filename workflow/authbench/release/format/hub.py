"""Find what a user names as a dataset: a path, or `hf:owner/name[@revision][:config]` on the Hugging Face Hub.

A release that `authbench release export --form huggingface` wrote has its texts as Parquet (`data/candidates`,
`data/queries`) and every other file unchanged in `release/`. It is restored identical to the byte: the checksums in
`release/` cover the whole release. Any other dataset is read where it is.
"""

import glob
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import orjson
import polars as pl
import pyarrow.parquet as pq

from authbench.config.registry.entries import read_front_matter
from authbench.core.errors import InputError, first_line
from authbench.core.json_values import JsonMapping
from authbench.core.runtime.caches import user_cache
from authbench.core.storage.atomic import atomic_file, atomic_folder, sha256_of_file
from authbench.core.storage.sha256sums import SUMS, read_sums, sums_lines
from authbench.release.format import names
from authbench.release.format.columns import CANDIDATES, QUERIES, SPLIT_TABLES, Table
from authbench.release.format.files import MANIFEST
from authbench.release.format.release import named_splits, read_manifest

INNER = "release"  # the folder of a dataset with the files of its release except texts
SCHEME = "hf:"
STYLE_PREFIX = "style:"
_READ = (f"{INNER}/**/*", *(f"data/{table.name}/*.parquet" for table in (CANDIDATES, QUERIES)))
_KINDS = ("csv", "json", "mbox", "ndjson", "ods", "parquet", "tei", "tsv", "txt", "xlsx", "xml", "zip")
_DATA = ("README.md", *(f"*.{kind}*" for kind in _KINDS))
_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([\w./-]+))?(?::(\w[\w.-]*))?", re.ASCII)
_MOST_DEEP = 2  # `**` in a pattern; each multiplies the time
_ROWS = 4096
_SHOWN = 4
_PATIENCE = 10  # seconds until the Hub counts as out of reach


class NotARelease(InputError):
    """A dataset exists, but is not a release."""


def local(place: Path) -> tuple[Path, str | None]:
    """Return the local path of a dataset and the configuration that was named with it, if any.

    A build's folder of results means its release.

    Raises:
        InputError: the dataset is not available, a link in the cache of the Hub leads out of it, or it is a folder of
            several builds.
    """
    folder, config = _fetched(str(place)) if str(place).startswith(SCHEME) else (place, None)
    if folder.is_dir() and names.link_root(folder) != Path(os.path.realpath(folder)):
        entries = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
        names.expect_inside(folder, (str(path.relative_to(folder)) for path in entries))
    if any((folder / INNER).glob(f"*/{CANDIDATES.file}")):
        folder /= INNER
    elif inside := {path.parents[2] for path in folder.glob(f"*/{INNER}/*/{CANDIDATES.file}")}:
        raise InputError(f"{place}: holds results of builds. Name a release: {', '.join(map(str, sorted(inside)))}")
    return folder, config


def release_of(place: Path) -> Path:
    """Return the folder of the release at a place (see `local`); a configuration is a folder of the dataset.

    A dataset that `authbench release export` wrote is checked against its checksums and restored in the user's cache.
    Memory: a batch of texts.

    Raises:
        NotARelease: a dataset is there, but not a release.
        InputError: it is not available, a link leads out of it, or a file differs from its checksum.
    """
    if str(place).startswith(STYLE_PREFIX):
        raise NotARelease(
            f"{place}: a dataset of writing style, not a release. `authbench style run` scores models on it, and "
            "`authbench audit` audits it."
        )
    folder, config = local(place)
    if config is not None:
        folder = config_folder(folder, config) or folder / config
    if (folder / INNER / MANIFEST).is_file():
        return _restored(folder)
    if (folder.exists() or config) and not (
        (folder / MANIFEST).exists() or names.splits_of(names.files_of_format(folder))
    ):
        raise NotARelease(
            f"{place}: no split here, so it is not a release. Expected folders such as test/ with "
            f"{', '.join(table.file for table in SPLIT_TABLES.values())}. `authbench audit` and `authbench evaluate` "
            "read any dataset with authors and texts; `authbench build` makes a release of one."
        )
    return folder


def config_folder(folder: Path, config: str) -> Path | None:
    """Return the folder of a configuration of a dataset; None if it has none of this name."""
    return next((one for one in (folder / config, folder / "data" / config) if one.is_dir()), None)


def stated_configs(folder: Path) -> dict[str, dict[Path, str]]:
    """Return the files of each configuration in a dataset's README.md, each with its split (empty: not stated)."""
    configs = read_front_matter(folder / "README.md").get("configs")
    named = [one for one in configs if isinstance(one, dict)] if isinstance(configs, list) else []
    return {str(one.get("config_name")): dict(_stated_files(folder, one.get("data_files"))) for one in named}


def _stated_files(folder: Path, stated: object, split: str = "") -> Iterator[tuple[Path, str]]:
    """Yield the files of `data_files`: a pattern, a list, `{split, path}`, or a mapping of splits to patterns."""
    if isinstance(stated, str) and ".." not in Path(stated).parts and stated.count("**") <= _MOST_DEEP:
        with suppress(ValueError, NotImplementedError):  # not a pattern; an absolute one
            found = sorted(folder.glob(f"{stated}/*" if stated.endswith("**") else stated))
            yield from ((path, split) for path in found if path.is_file())
    elif isinstance(stated, list):
        for one in stated:
            yield from _stated_files(folder, one, split)
    elif isinstance(stated, dict) and not split:
        pairs = [(stated["split"], stated["path"])] if stated.keys() == {"split", "path"} else stated.items()
        for name, paths in pairs:
            yield from _stated_files(folder, paths, str(name))


def named(place: str) -> tuple[str, str | None, str | None]:
    """Return the name, the revision and the configuration in `hf:owner/name[@revision][:config]`.

    >>> named("hf:owner/name@v1")
    ('owner/name', 'v1', None)
    """
    found = _NAME.fullmatch(place.removeprefix(SCHEME))
    if not found:
        raise InputError(f"{place}: expected {SCHEME}owner/name[@revision][:config].")
    return found[1], found[2], found[3]


def _fetched(place: str) -> tuple[Path, str | None]:
    """Return the folder of a dataset in the cache of Hugging Face, fetched if it is missing, and its configuration."""
    name, revision, config = named(place)
    folder = fetched(name, revision, place, [SUMS, *_READ], "dataset")
    if not (folder / INNER / MANIFEST).is_file():
        folder = fetched(name, revision, place, [SUMS, *_DATA], "dataset")
    return folder, config


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
        known = {"repo_type": kind, "revision": revision}
        cached_only = not answers(name, known)
        return Path(
            snapshot_download(name, cache_dir=cache, allow_patterns=[*files], local_files_only=cached_only, **known)
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


def answers(name: str, known: JsonMapping) -> bool:
    """Return whether the Hub answers; a download would try for half a minute."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    try:
        HfApi(endpoint=os.environ.get("HF_ENDPOINT")).repo_info(name, timeout=_PATIENCE, **known)
    except HfHubHTTPError:
        return True  # its answer is a refusal, which the download repeats
    except Exception:  # of the HTTP library of the installed huggingface_hub
        return False
    return True


def _restored(folder: Path) -> Path:
    """Return the release of a dataset in the user's cache, restored if it is missing."""
    digests = _expect_listed(folder)
    target = user_cache() / "releases" / hashlib.sha256(sums_lines(digests).encode()).hexdigest()[:32]
    if target.is_dir():
        return target
    splits = named_splits(read_manifest(folder / INNER))
    names.expect_splits(folder / INNER / MANIFEST, splits)
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
    names.expect_inside(folder, (str(path.relative_to(folder)) for path in found))
    digests = {path.relative_to(folder).as_posix(): sha256_of_file(path) for path in found}
    names.expect_paths(folder, digests)
    if (folder / SUMS).is_file():
        sums = read_sums(folder)
        names.expect_paths(folder / SUMS, sums)
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
