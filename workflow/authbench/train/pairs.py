"""Pairs of texts by one author to train on."""

from collections.abc import Iterator

import polars as pl

from authbench.identity import keyed_hash


def author_pairs(documents: pl.DataFrame, seed: int, epoch: int) -> list[tuple[str, str]]:
    """Return one pair of texts of every author who has two, in an order that a hash of (seed, epoch, author) gives.

    An author is in an epoch once, so that all other texts of a batch are negatives.
    `documents` has `id`, `author_id` and `content`.
    """
    pairs = []
    for (author,), texts in documents.select("id", "author_id", "content").group_by(["author_id"]):
        if texts.height > 1:
            drawn = sorted(texts.iter_rows(), key=lambda row: keyed_hash(seed, "pair", str(epoch), str(row[0])))
            pairs.append((keyed_hash(seed, "order", str(epoch), str(author)), drawn[0][2], drawn[1][2]))
    return [(one, other) for _, one, other in sorted(pairs)]


def batches_of_epochs(documents: pl.DataFrame, seed: int, epochs: int, batch: int) -> Iterator[tuple[str, str]]:
    """Yield the pairs of all epochs, each epoch cut to whole batches, so that no batch holds two epochs."""
    for epoch in range(epochs):
        pairs = author_pairs(documents, seed, epoch)
        yield from pairs[: len(pairs) // batch * batch]
