"""Read user-supplied arrays: NumPy's `.npy` and `.npz`.

The number of values in a header is compared with the file size before memory is allocated.
"""

import math
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from tokenize import TokenError
from typing import IO

import numpy as np
from numpy.lib import format as npy

from authbench.errors import InputError, first_line
from authbench.storage.bounds import room, too_large

_KINDS = "biufUS"  # kinds of values: numbers and texts, no objects or records
_PROBLEMS = (OSError, ValueError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error)


def read_npy(path: Path) -> np.ndarray:
    """Return the array of a `.npy` file. Raises InputError if it is missing, or its header states another size."""
    try:
        with path.open("rb") as file:
            return _array(file, path.stat().st_size)
    except _PROBLEMS as problem:
        raise InputError(f"{path}: cannot be read as .npy: {first_line(problem)}") from None


def read_npz(path: Path, names: Collection[str]) -> list[np.ndarray]:
    """Return arrays of a `.npz` file by name.

    Raises:
        InputError: it is unreadable, lacks an array or has it twice, a header states another size than the array's, or
            an array exceeds the file's memory limit.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            held = [member.filename.removesuffix(".npy") for member in archive.infolist()]
            for name in names:
                if held.count(name) != 1:
                    found = f"has the array `{name}` twice" if name in held else f"has no array `{name}`"
                    raise InputError(f"{path}: {found}; it has {', '.join(f'{one:.40}' for one in held[:20])}.")
            return [_member(archive, archive.getinfo(f"{name}.npy"), path) for name in names]
    except (*_PROBLEMS, KeyError) as problem:
        raise InputError(f"{path}: cannot be read as .npz: {first_line(problem)}") from None


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> np.ndarray:
    if member.file_size > room(stored := path.stat().st_size):
        raise too_large(f"{path}: {member.filename:.40}", stored)
    with archive.open(member) as file:
        return _array(file, member.file_size)


def _array(file: IO[bytes], size: int) -> np.ndarray:
    """Return the array in a file of `size` bytes. Raises ValueError if its header disagrees."""
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"version {version} of the format; expected numbers or texts")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    try:
        shape, _, dtype = read_header(file)
    except (
        ValueError,
        SyntaxError,
        TokenError,
        TypeError,
        RecursionError,
        MemoryError,
    ):  # in Python-like header text
        raise ValueError("its header is none") from None
    if dtype.kind not in _KINDS or min(shape, default=0) < 0:
        raise ValueError(f"an array of {dtype} in the shape {shape}; expected numbers or texts")
    stated, there = math.prod(shape) * dtype.itemsize, size - file.tell()
    if stated != there:
        raise ValueError(f"its header states {stated:,} bytes of values, and there are {there:,}")
    file.seek(0)
    found: np.ndarray = npy.read_array(file, allow_pickle=False)
    return found
