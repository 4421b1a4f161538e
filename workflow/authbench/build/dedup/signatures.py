"""Compute the signatures that de-duplication keeps of each text until it is compared with another."""

import hashlib

import numpy as np
import polars as pl

from authbench.config.settings.dedup import Signing
from authbench.config.settings.values import Backend
from authbench.core.arrays import U32, U64
from authbench.core.text_bytes import utf8

AT_ONCE = 10_000  # documents whose MinHash values are in memory together
TEXT, SKETCH = ("text_0", "text_1"), ("sketch_0", "sketch_1")


def sign_texts(
    texts: pl.Series, contents: pl.Series, permutations: U32, settings: Signing, backend: Backend = "kernels"
) -> pl.DataFrame:
    """Return the signatures of a batch, row by row, 8 bytes each except `grams` and, of `packages`, bands.

    Args:
        texts: the texts that similarity is computed on, without boilerplate.
        contents: the full normalised texts.
        permutations: shape (2, bands * rows), from `minhash.draw_permutations`.
        settings: bands, rows and characters per shingle.
        backend: what signs: `minhash` or `packages`.

    Returns:
        `text_0`, `text_1`: the first 128 bits of the content's SHA-256, equal where texts are equal;
        `grams`: number of shingles of the text (UInt32);
        `sketch_0`, `sketch_1`: a bit of each MinHash value, an estimate of similarity;
        `band_0`, ...: a hash of the MinHash values of each band; near copies share such a hash.
            Of `packages`, the values themselves (an array).
    """
    from authbench.build.dedup import minhash, packages

    form = {"kernels": minhash, "packages": packages}[backend]
    hashes, sizes = list[np.ndarray](), np.empty(len(texts), np.uint32)
    sketches = np.empty((len(texts), len(SKETCH)), np.uint64)
    for start in range(0, max(1, len(texts)), AT_ONCE):
        part = slice(start, min(start + AT_ONCE, len(texts)))
        values, sizes[part] = form.signatures(texts[part], permutations, settings["shingle_chars"])
        hashes.append(form.band_hashes(values, settings["bands"], settings["rows"]))
        sketches[part] = form.sketches(values)
    bands = np.concatenate(hashes, axis=1)
    return pl.DataFrame(
        {
            **dict(zip(TEXT, _text_hashes(contents).T, strict=True)),
            "grams": sizes,
            **dict(zip(SKETCH, sketches.T, strict=True)),
            **{f"band_{j}": bands[j] for j in range(settings["bands"])},
        }
    )


def _text_hashes(contents: pl.Series) -> U64:
    data, offsets = utf8(contents)
    everything, ends = memoryview(data.data), offsets.tolist()
    digests = b"".join(
        hashlib.sha256(everything[start:end]).digest()[:16] for start, end in zip(ends, ends[1:], strict=False)
    )
    return np.frombuffer(digests, "<u8").astype(np.uint64).reshape(len(contents), 2)
