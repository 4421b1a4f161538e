"""Show an example of the input of a topic verifier (Sawatphol et al. 2024, table 3)."""

from pathlib import Path

import polars as pl

from authbench.identity import keyed_hash
from authbench.raven.texts import read_texts
from authbench.verifiers import topicfit

MASKED = 500  # most frequent words, the default of verifiers of kind topicfit
WORDS, CHARACTERS = 12, 120  # maximum length of the example


def masked_example(documents: Path, pairs: pl.DataFrame, seed: int, cut: int | None) -> dict[str, str]:
    """Return the beginning of a tested text, `original`, and the input of `topicfit`, `masked`.

    The most frequent words of the first fold's train texts are masked; texts are truncated to `cut` characters. Memory:
    the texts of one fold.
    """
    fold = pairs.filter(pl.col("fold") == 0)
    learnt = fold.filter(pl.col("part") == "train").select(pl.concat_list("first", "second").explode())["first"]
    tested = fold.filter(pl.col("part") == "test")["first"].unique().sort()
    if tested.is_empty():
        return {}
    chosen = min(tested, key=lambda ident: (keyed_hash(seed, "masked example", ident), ident))
    wanted = pl.concat([learnt, pl.Series([chosen])])
    text = dict(read_texts(documents, wanted, cut, ("id", "content")).iter_rows())
    frequent = topicfit.most_frequent([text[ident] for ident in learnt], MASKED)
    original = " ".join(text[chosen].split()[:WORDS])[:CHARACTERS]
    return {"original": original, "masked": topicfit.mask(original, frequent)}
