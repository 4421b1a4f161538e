"""Find all similar texts by an exact search."""

import numpy as np
import polars as pl

MOST = 10  # similar texts that are named for one text
_KEPT = 1 << 24  # hashes of compared texts that are kept for further comparisons: 128 MB


def similar_texts(
    ids: pl.Series, texts: pl.Series, parts: pl.Series, within: float, across: float, length: int
) -> pl.DataFrame:
    """Return pairs of texts whose multisets of grams have a Jaccard similarity of the threshold or more.

    The search is exact: without a cap it finds every such pair (`similar_kernels`). For each text, at most `MOST`
    similar texts among those no longer than it are named. A crowd of k copies thus gives at most `MOST * k` pairs, and
    every text of it is in a pair.
    Memory: at most a byte per character for the bitmaps, and at most 128 MB of hashes. Time: some ten nanoseconds for
    each pair of texts of similar length.

    Args:
        ids: names of the texts.
        parts: a number for each text.
        within: the threshold for texts of one part.
        across: the threshold for texts of two parts.
        length: characters of a gram.

    Returns:
        frame(a, b, similarity) with a < b, sorted.
    """
    from authbench.checking import similar_kernels
    from authbench.text_bytes import utf8

    data, offsets = utf8(texts)
    sizes = np.zeros(len(texts), np.int64)
    similar_kernels.count_grams(data, offsets, length, sizes)
    order = np.argsort(sizes, kind="stable")
    sizes, part = sizes[order], parts.to_numpy()[order].astype(np.int64)
    bitmaps, starts = similar_kernels.draw_bitmaps(data, offsets, length, order, sizes)
    room = min(_KEPT, 2 * int(offsets[-1] - offsets[0]) + 2)
    earlier, later, similarity, _ = similar_kernels.join(
        data, offsets, length, order, sizes, part, bitmaps, starts, within, across, MOST, room
    )
    pairs = pl.DataFrame({"a": ids.gather(order[earlier]), "b": ids.gather(order[later]), "similarity": similarity})
    return pairs.select(
        pl.min_horizontal("a", "b").alias("a"), pl.max_horizontal("a", "b").alias("b"), "similarity"
    ).sort("a", "b")
