"""All similar pairs of texts that are in memory, verified."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from authbench.dedup.compare import compare_components
from authbench.dedup.permutations import draw_permutations
from authbench.dedup.settings import DedupSettings, choose_bands
from authbench.dedup.signatures import SKETCH, sign_texts


def similar_pairs(
    keys: Sequence[str] | pl.Series, texts: Sequence[str] | pl.Series, threshold: float, shingle_chars: int = 5
) -> pl.DataFrame:
    """Return all pairs of texts with J >= threshold, verified: frame(a, b, similarity) with a < b, sorted.

    For the groups that share a split (AuthBench paper, A.7) and the checks of a release. Bands are chosen for the
    threshold (`choose_bands`), so that a pair at the threshold is missed with probability under 0.001.
    """
    from authbench.dedup import links

    bands, rows = choose_bands(threshold)
    settings = DedupSettings(threshold, shingle_chars, bands, rows, comparisons_per_document=max(1, len(keys)))
    table = pl.DataFrame({"key": keys, "text": texts}, schema={"key": pl.String, "text": pl.String}).sort("key")
    signed = sign_texts(table["text"], table["text"], draw_permutations(bands * rows), settings)
    sketches, everything = signed.select(SKETCH).to_numpy(order="c"), np.arange(table.height)
    component = links.unlinked(table.height)
    for j in range(bands):
        links.link_band(component, signed[f"band_{j}"].to_numpy(), everything, sketches, settings)
    component = links.components(table.height, [links.fewest_links(component)])
    members = links.members(component)
    similar, _ = compare_components(
        component[members],
        signed["grams"].to_numpy()[members],
        sketches[members],
        lambda places: table["text"].gather(members[places]),
        settings,
        only_accepted=False,
    )
    one, other = table["key"].gather(members[similar["earlier"]]), table["key"].gather(members[similar["later"]])
    return pl.DataFrame({"a": one, "b": other, "similarity": similar["similarity"]}).sort("a", "b")
