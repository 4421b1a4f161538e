"""Which document stands for its copies, where all of them are in memory?

The steps of the stage one after another, as `jobs` takes them in several processes for corpora of any size.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from authbench.dedup.compare import Texts, compare_components
from authbench.dedup.representatives import choose_stand_ins
from authbench.dedup.settings import DedupSettings, choose_bands
from authbench.dedup.signatures import SKETCH, sign_texts


def find_duplicates(
    documents: pl.DataFrame, texts: Texts, settings: DedupSettings
) -> tuple[pl.DataFrame, dict[str, int]]:
    """The documents that go (`stand_ins.REMOVED_COPY`), in corpus order, and counts of copies and comparisons.

    `documents` holds `doc_key`, `source`, `place` (of the source in the recipe), `author_id` and the columns of
    `sign_texts`, in any order; `texts(rows)` gives the similarity texts of the documents at these rows.
    """
    from authbench.dedup import copies, links

    documents = documents.rechunk()
    rows = np.arange(documents.height)
    first = copies.first_copies(documents["text_0"].to_numpy(), rows, lambda some: documents[some])
    here = np.flatnonzero(first == rows)
    sketches = documents.select(SKETCH).to_numpy(order="c")
    component = links.unlinked(documents.height)
    for j in range(settings.bands):
        links.link_band(component, documents[f"band_{j}"].to_numpy(), here, sketches, settings)
    component = links.components(documents.height, [links.fewest_links(component)])

    members = links.members(component)
    order = documents[members].select("place", "doc_key", component=component[members]).with_row_index()
    members = members[order.sort("component", "place", "doc_key")["index"].to_numpy()]
    similar, work = compare_components(
        component[members],
        documents["grams"].to_numpy()[members],
        sketches[members],
        lambda places: texts(members[places]),
        settings,
        only_accepted=settings.cross_author_duplicates == "keep_first",
    )
    similar = similar.with_columns(earlier=members[similar["earlier"]], later=members[similar["later"]])
    concerned = documents.with_columns(row=rows, first=first.astype(np.int64))
    removed, counts = choose_stand_ins(concerned, similar, settings)
    return removed, counts | work.counts()


def similar_pairs(
    keys: Sequence[str] | pl.Series, texts: Sequence[str] | pl.Series, threshold: float, shingle_chars: int = 5
) -> pl.DataFrame:
    """All pairs of texts with J >= threshold, verified: frame(a, b, similarity) with a < b, sorted.

    For the groups that share a split (A.7) and the checks of a release. Bands are chosen for the threshold
    (`choose_bands`), so that a pair at the threshold is missed with probability under 0.001.
    """
    from authbench.dedup import links

    bands, rows = choose_bands(threshold)
    settings = DedupSettings(threshold, shingle_chars, bands, rows, comparisons_per_document=max(1, len(keys)))
    table = pl.DataFrame({"key": keys, "text": texts}, schema={"key": pl.String, "text": pl.String}).sort("key")
    signed = sign_texts(table["text"], table["text"], settings)
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
