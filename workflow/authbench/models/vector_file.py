"""Read files of vectors by id.

    .npz           arrays `ids` and `vectors`
    .parquet       columns `id` and `vector` (lists of equal length)
    .npy           a matrix; ids, an id per line, in FILE.ids.txt (`v.npy.ids.txt`, or `v.ids.txt`)
    .safetensors   a single tensor, or `vectors`; ids likewise

The number of values in NumPy's headers is compared with the file size before memory is allocated. Memory: the file, and
its vectors in 32 bits.
"""

import math
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import IO

import numpy as np
import polars as pl
from numpy.lib import format as npy

from authbench.core.arrays import F32
from authbench.core.errors import InputError, first_line
from authbench.core.storage.bounds import room, too_large
from authbench.release.reading.typed_parquet import IDENT, VECTOR, read_columns

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
    except (ValueError, SyntaxError, TokenError, TypeError, RecursionError, MemoryError):  # in Python-like header text
        raise ValueError("its header is none") from None
    if dtype.kind not in _KINDS or min(shape, default=0) < 0:
        raise ValueError(f"an array of {dtype} in the shape {shape}; expected numbers or texts")
    stated, there = math.prod(shape) * dtype.itemsize, size - file.tell()
    if stated != there:
        raise ValueError(f"its header states {stated:,} bytes of values, and there are {there:,}")
    file.seek(0)
    found: np.ndarray = npy.read_array(file, allow_pickle=False)
    return found


_SHOWN = 5


def read_vectors(path: Path) -> tuple[list[str], F32]:
    """Return ids and their vectors, shape (ids, dimensions).

    Raises:
        InputError: the file cannot be read, an id is repeated, or the vectors are not a matrix of finite numbers with a
            row per id.
    """
    if path.suffix not in _READERS:
        raise InputError(f"{path}: its name should end in {', '.join(_READERS)} (docs/evaluation.md).")
    try:
        ids, vectors = _READERS[path.suffix](path)
    except (OSError, ValueError, EOFError, KeyError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"{path}: cannot be read as {path.suffix}: {first_line(problem)}") from None
    if vectors.dtype.kind not in "fiu":
        raise InputError(f"{path}: the vectors are of {vectors.dtype}. Expected numbers, best 32-bit floats.")
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise InputError(f"{path}: the vectors have shape {vectors.shape}. Expected (ids, dimensions).")
    if len(ids) != len(vectors):
        raise InputError(f"{path}: has {len(ids)} ids and {len(vectors)} vectors. Expected as many.")
    if len(set(ids)) != len(ids):
        twice = [ident for ident, count in Counter(ids).items() if count > 1]
        raise InputError(f"{path}: {named(twice)} are there more than once. Expected each id once.")
    with np.errstate(over="ignore"):
        rows = vectors.astype(np.float32, copy=False)
    broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(broken):
        raise InputError(
            f"{path}: the vectors of {named([ids[row] for row in broken])} have values that are not finite in 32 bits."
        )
    return ids, rows


def named(ids: Sequence[str]) -> str:
    """Return the number of ids, and the first of them.

    >>> named(["b", "a"])
    '2 ids (b, a)'
    """
    listed = ", ".join(f"{ident:.60}" for ident in ids[:_SHOWN]) + (", ..." if len(ids) > _SHOWN else "")
    return f"{len(ids)} {'id' if len(ids) == 1 else 'ids'} ({listed})"


def _from_npz(path: Path) -> tuple[list[str], np.ndarray]:
    ids, vectors = read_npz(path, ("ids", "vectors"))
    return _texts(path, ids), vectors


def _from_parquet(path: Path) -> tuple[list[str], np.ndarray]:
    frame = read_columns(path, {"id": IDENT, "vector": VECTOR})
    empty = frame.filter(pl.col("id").is_null() | pl.col("vector").is_null()).height
    if empty:
        raise InputError(f"{path}: {empty} rows have no id or no vector.")
    ids = frame["id"]
    vectors = frame["vector"].arr.to_list() if isinstance(frame.schema["vector"], pl.Array) else frame["vector"]
    sizes = vectors.list.len()
    width = Counter(sizes.to_list()).most_common(1)[0][0] if len(sizes) else 0
    other = ids.filter(sizes != width).to_list()
    if other:
        raise InputError(f"{path}: the vectors of {named(other)} have not {width} dimensions, as the others have.")
    flat = vectors.explode(empty_as_null=False)
    if flat.null_count():
        raise InputError(f"{path}: {flat.null_count()} values of vectors are missing.")
    return ids.to_list(), flat.to_numpy().reshape(len(ids), width)


def _from_npy(path: Path) -> tuple[list[str], np.ndarray]:
    return _ids_beside(path), read_npy(path)


def _from_safetensors(path: Path) -> tuple[list[str], np.ndarray]:
    ids = _ids_beside(path)
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
    except ImportError:
        raise InputError(f"{path}: safetensors is not installed: pip install 'authbench[models]'") from None
    try:
        tensors: Mapping[str, np.ndarray] = load_file(path)
    except (SafetensorError, TypeError, AttributeError) as problem:  # NumPy has no bfloat16
        raise InputError(
            f"{path}: cannot be read as .safetensors: {first_line(problem)}. Expected a tensor of float32 or float16."
        ) from None
    if "vectors" not in tensors and len(tensors) != 1:
        raise InputError(f"{path}: has tensors {', '.join(sorted(tensors))}. Expected one, or one called `vectors`.")
    return ids, tensors.get("vectors", next(iter(tensors.values())))


def _ids_beside(path: Path) -> list[str]:
    places = [path.with_name(f"{path.name}.ids.txt"), path.with_name(f"{path.stem}.ids.txt")]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise InputError(f"{path}: there is no file {places[0].name} beside it. Expected its ids there, one a line.")
    return [line for line in found.read_text(encoding="utf-8-sig").split("\n") if line]


def _texts(path: Path, ids: np.ndarray) -> list[str]:
    if ids.ndim != 1:
        raise InputError(f"{path}: the array `ids` has shape {ids.shape}. Expected one id per vector.")
    if ids.dtype.kind not in "USiu":
        raise InputError(f"{path}: the array `ids` is of {ids.dtype}. Expected text: np.array(ids, dtype=str).")
    return [one.decode() if isinstance(one, bytes) else str(one) for one in ids.tolist()]


_READERS: Mapping[str, Callable[[Path], tuple[list[str], np.ndarray]]] = {
    ".npz": _from_npz,
    ".parquet": _from_parquet,
    ".npy": _from_npy,
    ".safetensors": _from_safetensors,
}
