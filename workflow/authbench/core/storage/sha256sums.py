"""Read and write SHA256SUMS: the SHA-256 of all files of a folder, in the form that `sha256sum -c` reads."""

import re
from collections.abc import Mapping
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.storage.atomic import sha256_of_file, write_text

SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)")


def checksums(folder: Path) -> str:
    """Return a line for every file below the folder except SHA256SUMS, sorted by path."""
    files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return sums_lines({file: sha256_of_file(folder / file) for file in files if file != SUMS})


def write_sums(folder: Path) -> None:
    """Write the SHA256SUMS of a folder into it."""
    write_text(folder / SUMS, checksums(folder))


def sums_lines(sums: Mapping[str, str]) -> str:
    """Return the lines of SHA256SUMS for digests by path."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(sums.items()))


def read_sums(folder: Path) -> dict[str, str]:
    """Return the digests by path in a folder's SHA256SUMS; the caller checks the paths.

    Raises:
        InputError: the file is missing, a line is malformed, or a path occurs twice.
    """
    path = folder / SUMS
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Expected the folder of a finished release.")
    sums: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"{path}: cannot be read: {problem}") from None
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, start=1):
        found = _LINE.fullmatch(line)
        if found is None or found[2] in sums:
            raise InputError(
                f"{path}, line {number}: expected 64 hexadecimal digits, two spaces and a path, each path once."
            )
        sums[found[2]] = found[1]
    return sums
