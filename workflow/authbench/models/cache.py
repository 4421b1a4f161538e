"""Which texts has a model embedded already?

Vectors are kept by the SHA-256 of the text in a folder per model and settings, so that a new metric, split or
benchmark embeds new texts only, and a run that was killed goes on where it was. Nothing else than the text and what
names the folder may decide a vector.
"""

import hashlib
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.errors import InputError
from authbench.storage.json_files import read_json, write_json
from authbench.storage.parquet import read_columns, write_parquet

F32: TypeAlias = NDArray[np.float32]
AT_ONCE = 1_024  # texts between two writes
KEY_BYTES = 16


def embed_new(
    texts: Sequence[str], folder: Path, identity: Mapping[str, Any], encode: Callable[[Sequence[str]], F32], half: bool
) -> F32:
    """The vector of each text (texts x dimensions): kept ones from `folder`, all others by `encode`, kept at once.

    `identity` is all that decides a vector beside the text; the folder holds it, and one that holds another is refused.
    With `half`, vectors are kept in 16 bits (and given as they are kept, new or not).
    """
    claim(folder, identity)
    keys = [text_key(text) for text in texts]
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    known = set(kept_keys(folder))
    missing = sorted((key for key in first if key not in known), key=lambda key: (-len(texts[first[key]]), key))
    for part in told(missing, len(keys)):
        vectors = encode([texts[first[key]] for key in part])
        if not np.isfinite(vectors).all():
            raise InputError(
                f"{identity.get('checkpoint')}: gives vectors that are not numbers. Such a model cannot be scored; "
                "if dtype is float16, try bfloat16 or float32."
            )
        write_part(folder, part, vectors, half)
    return load(folder, keys)


def text_key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:KEY_BYTES]


def claim(folder: Path, identity: Mapping[str, Any]) -> None:
    """Make the folder one of this identity. Raises InputError where it is another's."""
    path = folder / "identity.json"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write_json(path, dict(identity))
    elif (held := read_json(path)) != dict(identity):
        raise InputError(f"{folder}: holds vectors of {held}, not of {dict(identity)}. Give another folder.")


def kept_keys(folder: Path) -> Iterator[bytes]:
    for path in sorted(folder.glob("*.parquet")):
        yield from read_columns([path], ["key"])["key"]


def write_part(folder: Path, keys: Sequence[bytes], vectors: F32, half: bool) -> None:
    width = vectors.shape[1]
    kept = vectors.astype(np.float16 if half else np.float32)
    frame = pl.DataFrame(
        {"key": keys, "vector": pl.Series(kept, dtype=pl.Array(pl.Float16 if half else pl.Float32, width))}
    )
    write_parquet(frame, folder / f"{hashlib.sha256(b''.join(keys)).hexdigest()[:32]}.parquet")


def load(folder: Path, keys: Sequence[bytes]) -> F32:
    """The kept vectors of these keys, in their order."""
    places: dict[bytes, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    vectors = np.empty((0, 0), np.float32)
    for path in sorted(folder.glob("*.parquet")):
        part = read_columns([path])
        held = part["vector"].to_numpy()
        if not len(vectors):
            vectors = np.empty((len(keys), held.shape[1]), np.float32)
        for row, key in enumerate(part["key"]):
            for place in places.get(key, ()):
                vectors[place] = held[row]
    return vectors


def told(keys: Sequence[bytes], texts: int) -> Iterator[Sequence[bytes]]:
    """The keys in parts; between them the terminal says how many texts are done, and how fast."""
    started = spoken = time.monotonic()
    for begin in range(0, len(keys), AT_ONCE):
        yield keys[begin : begin + AT_ONCE]
        done, now = min(begin + AT_ONCE, len(keys)), time.monotonic()
        if now - spoken > 10 or (done == len(keys) and now - started > 10):
            spoken = now
            rate = done / (now - started)
            print(
                f"embedded {done:,} of {len(keys):,} new texts ({texts:,} in all), {rate:.1f} texts/s, "
                f"{(len(keys) - done) / rate:.0f} s left",
                file=sys.stderr,
            )
