"""SHA256SUMS: the SHA-256 of all files of a folder, as `sha256sum -c` reads them."""

from collections.abc import Mapping
from pathlib import Path

from authbench.errors import InputError
from authbench.storage.atomic import sha256_of_file, write_text

SUMS = "SHA256SUMS"


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
    """Return the digests by path in a folder's SHA256SUMS."""
    path = folder / SUMS
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Expected the folder of a finished release.")
    pairs = (line.split("  ", 1) for line in path.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in pairs}
