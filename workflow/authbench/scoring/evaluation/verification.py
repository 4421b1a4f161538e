"""Draw the negatives of verification pairs, with which every query is compared besides its positives.

Every positive of a query forms a pair with it; a fixed number of negatives drawn by hash form the others (AuthBench
paper, A.8). Three kinds of negatives are reported together, because a model that knows only language, genre and length
does well against the first: any other candidate; a candidate of the same language; and a candidate of the same
language, genre and length. The fourth kind has the query's topic, and is compared with positives of that topic (F.5).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from authbench.core.arrays import I32
from authbench.core.identity import keyed_hash
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.split import Split

# The columns that a negative must share with its query.
NEGATIVES: Mapping[str, tuple[str, ...]] = {
    "whole": (),
    "same_language": ("lang",),
    "matched": ("lang", "genre", "length"),
    "same_topic": ("topic",),
}
PER_QUERY = 50


def draw_negatives(split: Split, seed: int, count: int = PER_QUERY) -> dict[str, Lists]:
    """Return for each kind of NEGATIVES up to `count` candidates per query, with the lowest hashes.

    The hash is of (seed, query, candidate); a query without positives has none. Positives, the query itself and ignored
    candidates are never drawn.
    """
    from authbench.scoring.evaluation import retrieval_kernels

    keys = np.array([keyed_hash(seed, "negative", ident) for ident in split.documents["id"]], np.uint64)
    answered = split.positives.lengths() > 0
    drawn = {}
    for kind, shared in NEGATIVES.items():
        code = _group_codes(split.documents, shared)
        of_candidate = code[: split.candidates]
        members = np.argsort(of_candidate, kind="stable").astype(np.int32)
        starts = np.searchsorted(of_candidate[members], np.arange(code.max(initial=0) + 2))
        rows = np.full((len(split.asks), count), -1, np.int32)
        retrieval_kernels.draw_by_hash(
            keys[split.asks],
            keys[: split.candidates],
            (np.where(answered, code[split.asks], -1).astype(np.int32), of_candidate, starts, members),
            (split.positives.starts, split.positives.rows),
            (split.excluded.starts, split.excluded.rows),
            rows,
        )
        rows.sort(axis=1)
        drawn[kind] = Lists(np.concatenate([[0], np.cumsum((rows >= 0).sum(axis=1))]), rows[rows >= 0])
    return drawn


def _group_codes(documents: pl.DataFrame, shared: Sequence[str]) -> I32:
    """Return a number per document, from 0: equal where all `shared` columns are equal."""
    if not shared:
        return np.zeros(documents.height, np.int32)
    key = documents.select(pl.concat_str(shared, separator="\x1f")).to_series()
    return key.rank("dense").to_numpy().astype(np.int32) - np.int32(1)
