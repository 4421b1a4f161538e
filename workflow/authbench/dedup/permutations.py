"""The random permutations of MinHash: datasketch's scheme `affine32`.

One job of a build draws them, and the jobs that sign read its file, as importing datasketch takes half a second.
"""

from pathlib import Path

import numpy as np
import polars as pl

from authbench.arrays import U32
from authbench.storage.parquet import read_columns, write_parquet

SEED = 1


def draw_permutations(count: int) -> U32:
    """Return `count` permutations h -> a * h + b modulo 2^32 of 32-bit hashes.

    Returns:
        shape (2, count), uint32: the odd factors a, and the terms b.
    """
    from datasketch import MinHash

    return np.asarray(MinHash(num_perm=count, seed=SEED, scheme="affine32").permutations, np.uint32)


def write_permutations(permutations: U32, path: str | Path) -> None:
    """Write permutations as a table with the columns `a` and `b`."""
    factors, terms = permutations
    write_parquet(pl.DataFrame({"a": factors, "b": terms}), path)


def read_permutations(path: str | Path) -> U32:
    """Return the permutations that `write_permutations` wrote."""
    table = read_columns([path], ["a", "b"])
    return np.stack([table["a"].to_numpy(), table["b"].to_numpy()])
