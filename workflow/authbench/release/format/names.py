"""Restrict names of files and splits in releases: below the folder, and the same file on every system.

A release from others names files in its manifest, its SHA256SUMS and its tier_b.json. Whatever the names are, no file
outside its folder is read, and no file outside the output is written.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.storage.sha256sums import SUMS
from authbench.release.format.columns import PAIR_TABLES, SPLIT_TABLES
from authbench.release.format.files import BUNDLE_FILES, FOLDERS, MERGED_FILES, PART_FILES, RELEASE_FILES

_SCORED = ("dev", "test")


def scored_splits(splits: Sequence[str]) -> list[str]:
    """Return the splits that models are scored on: `dev` and `test`, or all if there is neither.

    >>> scored_splits(["train", "dev", "test"]), scored_splits(["one", "two"])
    (['dev', 'test'], ['one', 'two'])
    """
    return [name for name in splits if name in _SCORED] or list(splits)


def reference_splits(splits: Sequence[str], split: str) -> list[str]:
    """Return the splits to fit on when `split` is scored: the splits that are not scored, else itself.

    >>> reference_splits(["train", "dev", "test"], "test"), reference_splits(["test"], "test")
    (['train'], ['test'])
    """
    scored = scored_splits(splits)
    return [name for name in splits if name not in scored] or [split]


# Files that version control, a download or a workflow leaves in a release; they are never part of the release.
_BESIDE = frozenset({".git", ".gitattributes", ".cache", ".snakemake_timestamp"})
_MAX_BYTES = 255
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)  # of Windows
_TABLES = frozenset(table.file for table in SPLIT_TABLES.values())
_PAIR_TABLES = frozenset(table.file for table in PAIR_TABLES.values())
_PATTERNS = tuple(
    name
    for name in (*RELEASE_FILES, *MERGED_FILES, *BUNDLE_FILES, *PART_FILES)
    if "<split>" not in name and not name.endswith("/")
)


def name_problem(name: object) -> str:
    """Return why a value cannot be the name of a file or folder of a release; empty if it can."""
    if not isinstance(name, str) or not name:
        return "expected a name"
    if name.startswith("."):
        return "a name may not begin with a dot"
    if found := _FORBIDDEN.search(name):
        return f"a name may not contain {found[0]!a}"
    if name != name.strip(" ") or name.endswith(".") or not name.isprintable():
        return "a name may not end in a dot, begin or end with a space, or have signs that cannot be seen"
    if _RESERVED.fullmatch(name):
        return "the name of a device on Windows"
    return f"longer than {_MAX_BYTES} bytes" if len(name.encode()) > _MAX_BYTES else ""


def path_problem(path: object) -> str:
    """Return why a value cannot be the path, with `/`, of a file below a release; empty if it can."""
    if not isinstance(path, str) or not path:
        return "expected a path"
    return next(filter(None, map(name_problem, path.split("/"))), "")


def split_problem(name: object) -> str:
    """Return why a value cannot be the name of a split; empty if it can."""
    taken = {_folded(one) for one in (*FOLDERS, *_PATTERNS)}
    if isinstance(name, str) and _folded(name) in taken:
        return "the name of another file or folder of a release"
    return name_problem(name)


def collision(paths: Iterable[str]) -> str:
    """Describe two paths that collide on some systems: equal files, or a file below a file; empty without any."""
    known: dict[str, str] = {}
    for path in paths:
        if known.setdefault(_folded(path), path) != path:
            return f"{known[_folded(path)]!a} and {path!a} are one file where case does not count"
    for folded, path in known.items():
        for end in (place for place, sign in enumerate(folded) if sign == "/"):
            if folded[:end] in known:
                return f"{known[folded[:end]]!a} is the folder of {path!a}"
    return ""


def expect_paths(place: Path, paths: Iterable[str]) -> None:
    """Raise InputError if a path named in a file cannot be below a release, or two paths are the same file."""
    paths = list(paths)
    for path in paths:
        if problem := path_problem(path):
            raise InputError(f"{place} names {_shown(path)}: {problem}. Nothing of it was read; do not use it.")
    if problem := collision(paths):
        raise InputError(f"{place}: {problem}. Nothing of it was read; do not use it.")


def expect_splits(place: Path, splits: Iterable[object]) -> None:
    """Raise InputError if a split that `place` names cannot be a folder of a release, or two are the same."""
    splits = list(splits)
    for split in splits:
        if problem := split_problem(split):
            raise InputError(f"{place} names the split {_shown(split)}: {problem}. Expected names such as test.")
    if problem := collision(map(str, splits)):
        raise InputError(f"{place}: of the splits {problem}. Expected names that differ.")


def link_root(folder: Path) -> Path:
    """Return the folder that links may not leave: the folder itself; of a snapshot in the Hub's cache, its dataset's.

    A snapshot (`datasets--owner--name/snapshots/<commit>`) is made of links to `datasets--owner--name/blobs`.
    """
    real = Path(os.path.realpath(folder))
    snapshots = (one for one in (real, *real.parents) if one.parent.name == "snapshots")
    return next((one.parents[1] for one in snapshots if one.parents[1].name.startswith("datasets--")), real)


def expect_inside(folder: Path, paths: Iterable[str]) -> None:
    """Raise InputError if a file of a release is a link that leads out of `link_root`, or not a regular file."""
    root = link_root(folder)
    for path in paths:
        place = folder / path
        if not Path(os.path.realpath(place)).is_relative_to(root):
            raise InputError(f"{place}: a link that leads out of {folder}. Put the file itself there.")
        if not place.is_file() and (place.exists() or place.is_symlink()):
            raise InputError(f"{place}: no regular file. Expected a file of a release.")


def files_of_format(folder: Path) -> Iterator[str]:
    """Yield the paths of all files in a folder that are named as files of a release or a bundle, except SHA256SUMS.

    Broken links are included.
    """
    for pattern in (*_PATTERNS, *(f"*/{table}" for table in sorted(_TABLES | _PAIR_TABLES))):
        for path in folder.glob(f"{pattern[:-1]}[{pattern[-1]}]"):  # without a wildcard, glob leaves out broken links
            name = path.relative_to(folder).as_posix()
            if name != SUMS and not name.startswith("."):
                yield name


def splits_of(paths: Iterable[str]) -> set[str]:
    """Return the names of the folders that contain tables of a split, among the paths of `files_of_format`."""
    parts = (path.split("/") for path in paths)
    return {folder for folder, *rest in parts if rest and rest[0] in _TABLES}


def walk(folder: Path) -> tuple[frozenset[str], dict[str, str]]:
    """Return the plain files of a folder, and its other entries by path.

    The links to files that a snapshot in the Hub's cache is made of count as plain files.
    """
    root = link_root(folder)
    cached = root != Path(os.path.realpath(folder))
    present: set[str] = set()
    strange: dict[str, str] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - _BESIDE)
        for name in [*folders, *sorted(set(names) - _BESIDE)]:
            path = Path(place, name)
            mode = path.lstat().st_mode
            if cached and path.is_file() and Path(os.path.realpath(path)).is_relative_to(root):
                present.add(path.relative_to(folder).as_posix())
            elif stat.S_ISLNK(mode):
                strange[path.relative_to(folder).as_posix()] = "a link"
            elif stat.S_ISREG(mode):
                present.add(path.relative_to(folder).as_posix())
            elif not stat.S_ISDIR(mode):
                strange[path.relative_to(folder).as_posix()] = "no file"
    return frozenset(present), strange


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _shown(name: object) -> str:
    return f"{name!a:.80}"
