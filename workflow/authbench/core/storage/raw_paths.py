"""Find the raw files of a source, the files below a folder that match its patterns, and list their SHA-256."""

import functools
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.sha256sums import sums_lines

Digests = Mapping[str, str]
COMPRESSED = (".gz", ".zst", ".bz2", ".xz")
NOT_UTF8 = re.compile("[\ud800-\udfff]")  # how Python represents undecodable bytes of a file name


@dataclass(frozen=True)
class FileSet:
    """Describe the raw files of a source: a folder below the folder of all sources, and the patterns of their paths."""

    folder: str
    patterns: tuple[str, ...]

    def below(self, raw_dir: Path) -> list[str]:
        """Return the paths of the files in `raw_dir/folder`, sorted."""
        return match_files(raw_dir / self.folder, self.patterns)


def match_files(folder: str | Path, patterns: Sequence[str]) -> list[str]:
    """Return the paths below `folder`, with `/`, sorted, that match a pattern and none that starts with `!`.

    Hidden files never match. A path matches with and without a compression suffix, and its extension in any case:
    `**/*.csv` finds `a/b.CSV.gz` and `b.csv.zip`. A link to a folder is followed if its target lies below `folder` and
    the files in it do not match without the link.

    Raises:
        InputError: a link points to a folder elsewhere, in which files could match; or a file's name is not UTF-8.
    """
    folder = Path(folder)
    paths = (path.relative_to(folder).as_posix() for path in _files_below(folder, patterns))
    matching = sorted(path for path in paths if "/." not in f"/{path}" and matches(path, patterns))
    for path in matching:
        if NOT_UTF8.search(path):
            raise InputError(f"{folder}: the file name {path!a} is not UTF-8; rename the file.")
    return matching


def _files_below(folder: Path, patterns: Sequence[str]) -> Iterator[Path]:
    """Yield the files below a folder, including linked folders, each under a single path."""
    deep = any("/" in pattern for pattern in patterns if pattern[0] != "!")
    links = []
    for path in folder.rglob("*"):
        if path.is_file():
            yield path
        elif deep and path.is_symlink() and path.is_dir() and "/." not in f"/{path.relative_to(folder).as_posix()}":
            links.append(path)
    for link in sorted(links):
        target = link.resolve()
        inside = folder.resolve() in target.parents
        if not inside and target != folder.resolve():
            raise InputError(
                f"{link} is a link to {target}, outside of the source's folder, and is not followed. Move the folder "
                "here, link its files one by one, or leave the link out."
            )
        hidden = "/." in f"/{target.relative_to(folder.resolve()).as_posix()}" if inside else False
        if hidden:  # its files do not match at their real path
            yield from (link / path.relative_to(target) for path in target.rglob("*") if path.is_file())


def expect_inside(file: Path, folder: Path) -> None:
    """Raise InputError for a file that a link takes out of a folder."""
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"{file}: is a link out of the dataset. Put the file in its place.")


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path, with or without a compression suffix, matches a pattern and none that starts with `!`."""
    stem, dot, suffix = path.rpartition(".")
    names = [path, stem] if dot + suffix.lower() in (*COMPRESSED, ".zip") else [path]

    def fits(pattern: str) -> bool:
        return any(_pattern(pattern).fullmatch(name) for name in names)

    return any(map(fits, (one for one in patterns if one[0] != "!"))) and not any(
        fits(one[1:]) for one in patterns if one[0] == "!"
    )


@functools.cache
def _pattern(glob: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern; its extension (`.csv`) matches in any case."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    ending = re.search(r"(?:\.\w+)?$", glob)
    assert ending
    split = re.split(r"(\*\*/|\*\*|\*|\?)", glob[: ending.start()])
    return re.compile("".join(parts.get(part) or re.escape(part) for part in split) + f"(?i:{re.escape(ending[0])})")


def listing_digest(files: Digests) -> str:
    """Return the SHA-256 over the lines of `sha256sum` for the files, by path; it ignores their order.

    >>> listing_digest({"b": "2", "a": "1"}) == listing_digest({"a": "1", "b": "2"})
    True
    """
    return hashlib.sha256(sums_lines(files).encode()).hexdigest()


class RawFiles(TypedDict):
    """Hold the number of raw files of a source, and a digest of their digests."""

    files: int
    sha256: str


def describe(files: Digests) -> RawFiles:
    """Return a release's statement about the raw files of a source: their number and their digest."""
    return {"files": len(files), "sha256": listing_digest(files)}


def take_listing(folder: Path, patterns: Sequence[str], planned: str) -> Digests:
    """Return the SHA-256 by path of the files below a folder that match the patterns.

    Raises:
        InputError: they are not the files of the digest `planned`.
    """
    files = {name: sha256_of_file(folder / name) for name in match_files(folder, patterns)}
    if listing_digest(files) != planned:
        raise InputError(
            f"{printable(str(folder))}: its files are not the files that this run was planned with. Leave them as they "
            "are while a run reads them, and run the same command again; if it says the same, `touch` them."
        )
    return files
