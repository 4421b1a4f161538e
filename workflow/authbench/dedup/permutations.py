"""The random permutations of MinHash: datasketch's scheme `affine32`.

One job of a build draws them, and the jobs that sign read its file, as importing datasketch takes half a second.
"""

from pathlib import Path

import numpy as np

from authbench.arrays import U32
from authbench.storage.json_files import read_json, write_json

SEED = 1


def draw_permutations(count: int) -> U32:
    """Return `count` permutations h -> a * h + b modulo 2^32 of 32-bit hashes.

    Returns:
        shape (2, count), uint32: the odd factors a, and the terms b.
    """
    from datasketch import MinHash

    return np.asarray(MinHash(num_perm=count, seed=SEED, scheme="affine32").permutations, np.uint32)


def write_permutations(permutations: U32, path: str | Path) -> None:
    """Write permutations as the lists `factors` and `terms` of a JSON file."""
    factors, terms = permutations.tolist()
    write_json(path, {"factors": factors, "terms": terms})


def read_permutations(path: str | Path) -> U32:
    """Return the permutations that `write_permutations` wrote."""
    permutations = read_json(path)
    return np.array([permutations["factors"], permutations["terms"]], np.uint32)
