"""Cache vectors by text.

Vectors are stored by the SHA-256 of the text in a folder per model and settings. A new metric, split or benchmark
embeds only new texts, and a killed run continues where it stopped. A vector may depend only on the text and on the
identity of the folder. All suites share a cache: `default_cache` for commands, results/embeddings for builds.

Memory: the keys of a folder (16 bytes a text, kept while the process runs), the requested vectors, and the vectors of
AT_ONCE texts. The cache is never pruned; it may be deleted at any time, at the cost of embedding again.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.arrays import F32
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_json
from authbench.core.json_values import JsonObject
from authbench.core.runtime.caches import user_cache
from authbench.core.runtime.progress import progress
from authbench.core.storage.json_files import write_json
from authbench.core.storage.parquet import read_columns, write_parquet

AT_ONCE = 1_024  # texts between two writes
KEY_BYTES = 16


def default_cache() -> Path:
    """Return the folder in the user's cache where commands store the vectors of all models."""
    return user_cache() / "vectors"


def embed_new(
    texts: Sequence[str], place: Path, identity: JsonObject, encode: Callable[[Sequence[str]], F32], half: bool
) -> F32:
    """Return the vector of each text, shape (texts, dimensions), and compute those that the cache lacks.

    Args:
        place: of the cache; its folder's name ends with a digest of `identity`. It stays usable if a run is killed.
        identity: everything that decides a vector, apart from the text; written to the folder.
        encode: computes vectors, shape (texts, dimensions).
        half: cache vectors in 16 bits, and return all, new or cached, in this precision.

    Raises:
        InputError: a vector is not finite.
    """
    folder = place.with_name(f"{place.name}-{sha256_of_json(identity)[:16]}")
    if not (stated := folder / "identity.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write_json(stated, identity)
    keys = [hashlib.sha256(text.encode()).digest()[:KEY_BYTES] for text in texts]
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    known = {key for path in folder.glob("*.parquet") for key in _keys_of(path)}
    missing = sorted((key for key in first if key not in known), key=lambda key: (-len(texts[first[key]]), key))
    parts = (missing[start : start + AT_ONCE] for start in range(0, len(missing), AT_ONCE))
    for part in progress(parts, "embed: new texts", len(missing), len):
        vectors = encode([texts[first[key]] for key in part])
        if not np.isfinite(vectors).all():
            raise InputError(
                f"{identity.get('checkpoint')}: gives vectors that are not numbers. Such a model cannot be scored; "
                "if dtype is float16, try bfloat16 or float32."
            )
        _write_part(folder, part, vectors, half)
    return _load(folder, keys)


@lru_cache(maxsize=1 << 14)
def _keys_of(part: Path) -> tuple[bytes, ...]:
    """Return the keys in a part; its name determines them, and it never changes."""
    return tuple(read_columns([part], ["key"])["key"])


def _write_part(folder: Path, keys: Sequence[bytes], vectors: F32, half: bool) -> None:
    width = vectors.shape[1]
    stored = vectors.astype(np.float16 if half else np.float32)
    frame = pl.DataFrame(
        {"key": keys, "vector": pl.Series(stored, dtype=pl.Array(pl.Float16 if half else pl.Float32, width))}
    )
    write_parquet(frame, folder / f"{hashlib.sha256(b''.join(keys)).hexdigest()[:32]}.parquet")


def _load(folder: Path, keys: Sequence[bytes]) -> F32:
    """Return the cached vectors of these keys, in the same order."""
    places: dict[bytes, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    vectors = np.empty((0, 0), np.float32)
    for path in sorted(folder.glob("*.parquet")):
        if places.keys().isdisjoint(_keys_of(path)):
            continue
        rows = read_columns([path], ["vector"])["vector"].to_numpy()
        if not len(vectors):
            vectors = np.empty((len(keys), rows.shape[1]), np.float32)
        for row, key in enumerate(_keys_of(path)):
            for place in places.get(key, ()):
                vectors[place] = rows[row]
    return vectors
