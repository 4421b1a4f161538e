"""Read the draft of a release by its digests (`release_data.json`), which guarantees that published data are read.

The digests of figures and report are in the release's SHA256SUMS, which is written last.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.atomic import sha256_of_file, write_text
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.sha256sums import SUMS, read_sums, sums_lines
from authbench.release.format.release import Release, open_release

DATA, RELEASE = "release_data.json", "release"  # both in the folder of results
_SHOWN = 3


def write_digests(draft: Path, path: Path) -> None:
    """Write the digests of a draft's files as JSON, for the jobs that read the release."""
    write_json(path, {"sha256": read_sums(draft)})


def read_digests(path: str | Path) -> dict[str, str]:
    """Return the SHA-256 of the release's data by path, as `write_digests` wrote them."""
    return dict(read_json(path)["sha256"])


def open_published(data: str | Path, draft: str | Path) -> Release:
    """Open the draft of a published release, after verifying all its files by their digests in `data`.

    Raises:
        InputError: a file has changed or is missing.
    """
    expected = read_digests(data)
    expect_as_written(Path(draft), expected, digests_of(Path(draft), expected))
    return open_release(Path(draft))


def expect_as_written(draft: Path, expected: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Raise InputError, with a remedy, if a draft has other digests than expected."""
    if problems := differences(expected, found):
        raise InputError(
            f"{draft} is not as it was written: {printable(problems)}. Delete the folder, and run the same command "
            "again."
        )


def digests_of(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of the named files that exist."""
    return {name: sha256_of_file(folder / name) for name in names if (folder / name).is_file()}


def write_published_sums(folder: Path, data: str | Path, drawn: Iterable[str | Path]) -> None:
    """Write SHA256SUMS of a published release: the digests of its data in `data`, and of the drawn files."""
    names = [Path(path).relative_to(folder).as_posix() for path in drawn]
    write_text(folder / SUMS, sums_lines({**read_digests(data), **digests_of(folder, names)}))


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> str:
    """Return in words which files are missing or have another digest than expected; empty if none.

    >>> differences({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9"})
    'b has changed, c is missing'
    """
    problems = [
        f"{name} {'has changed' if name in found else 'is missing'}"
        for name, sha256 in sorted(expected.items())
        if found.get(name) != sha256
    ]
    return ", ".join(problems[:_SHOWN]) + (f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else "")


def expect_as_published(folder: Path, expected: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Raise InputError, with a remedy, if a release has other digests than expected."""
    if problems := differences(expected, found):
        raise InputError(
            f"{folder} is not as it was published: {printable(problems)}. Move the folder away, or delete it, and "
            "build the target `release` again: it is published from its draft."
        )
