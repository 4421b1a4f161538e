"""Find and verify all similar pairs of texts in memory."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from authbench.build.dedup.compare import compare_components
from authbench.build.dedup.settings import choose_bands
from authbench.build.dedup.signatures import SKETCH, sign_texts
from authbench.config.settings.dedup import Comparison
from authbench.config.settings.values import Backend

MOST = 100  # pairs of a text with earlier texts
# The check of a release finds every pair, so a miss rate of one in a thousand here would occasionally stop a build.
RECALL, PERMUTATIONS = 1 - 1e-6, 256


def similar_pairs(
    keys: Sequence[str] | pl.Series,
    texts: Sequence[str] | pl.Series,
    threshold: float,
    shingle_chars: int = 5,
    near: float = 1.0,
    most: int = MOST,
    backend: Backend = "kernels",
) -> pl.DataFrame:
    """Return the pairs of texts with J >= threshold, verified: frame(a, b, similarity) with a < b, sorted.

    All pairs are returned, except for a text that more than `most` earlier texts resemble. Its pairs are the nearest in
    order, pairs that join texts that no other pair joins, and pairs at `near` with a text that is not a copy at `near`
    itself. Groups and copies are therefore the same, and a crowd takes memory for `most` pairs a text.

    The pairs define groups that share a split (AuthBench paper, A.7). Bands are chosen for the threshold
    (`choose_bands`): a pair at the threshold is missed with probability under 0.000001.
    """
    from authbench.build.dedup import links
    from authbench.build.dedup.minhash import draw_permutations

    bands, rows = choose_bands(threshold, RECALL, PERMUTATIONS)
    settings = Comparison(
        threshold=threshold,
        shingle_chars=shingle_chars,
        bands=bands,
        rows=rows,
        comparisons_per_document=max(1, len(keys)),
    )
    table = pl.DataFrame({"key": keys, "text": texts}, schema={"key": pl.String, "text": pl.String}).sort("key")
    signed = sign_texts(table["text"], table["text"], draw_permutations(bands * rows), settings, backend)
    sketches, everything = signed.select(SKETCH).to_numpy(order="c"), np.arange(table.height)
    hashes = (signed[f"band_{j}"].to_numpy() for j in range(bands))
    component = links.components(table.height, [links.link(hashes, everything, sketches, settings, backend)])
    members = links.members(component)
    similar, _ = compare_components(
        component[members],
        signed["grams"].to_numpy()[members],
        sketches[members],
        lambda places: table["text"].gather(members[places]),
        settings,
        only_accepted=False,
        near=near,
        most_found=most,
    )
    one, other = table["key"].gather(members[similar["earlier"]]), table["key"].gather(members[similar["later"]])
    return pl.DataFrame({"a": one, "b": other, "similarity": similar["similarity"]}).sort("a", "b")
