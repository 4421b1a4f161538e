"""SHA256SUMS: the digests of all files of a folder, as `sha256sum -c` reads them."""

from pathlib import Path

from authbench.storage.atomic import sha256_of_file

SUMS = "SHA256SUMS"


def checksums(folder: Path) -> str:
    """Return a line for every file below the folder, sorted by path, SHA256SUMS itself left out."""
    files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return "".join(f"{sha256_of_file(folder / file)}  {file}\n" for file in files if file != SUMS)
