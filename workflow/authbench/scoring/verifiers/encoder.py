"""Compare texts by the cosine of any model's vectors, with thresholds p1 and p2 as in the naive baseline.

The model is used unchanged, or tuned on the train pairs first (`fine_tune`). Models that read more than the text cannot
be used.
"""

from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.config.registry.entries import default_settings
from authbench.config.registry.typed_schema import part_for
from authbench.config.settings.evaluate import Training
from authbench.core.arrays import F64
from authbench.core.errors import InputError
from authbench.models.entries import ModelEntry, expect_trainable, expect_vectors, with_tuned_checkpoint
from authbench.models.model import Model, VectorCache
from authbench.models.open import open_model
from authbench.models.requested import load_model
from authbench.scoring.evaluation.split import Split, make_split
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.parameters import EncoderParameters
from authbench.scoring.verifiers.texts import connected, distinct, languages, text_cosines

WATCHED = 100  # texts of the train pairs on which tuning is scored


class _Fitted(NamedTuple):
    """Hold the model, and the train texts that it may learn counts from."""

    model: Model
    reference: pl.DataFrame


def fit(train: pl.DataFrame, parameters: EncoderParameters, bench: Bench) -> _Fitted:
    """Fit thresholds, or fine-tune the model, on pairs.

    Raises:
        InputError: the model reads metadata that pairs do not have.
    """
    entry = load_model(parameters.model)
    expect_vectors(entry)
    if entry.parameters.reads_metadata:
        raise InputError(
            f"{entry.name}: reads a text's language or source, which pairs do not have. Name another model."
        )
    cache = bench.cache or VectorCache(bench.folder / "embeddings")
    if parameters.fine_tune:  # weights of this run only
        entry, cache = _tuned(entry, train, parameters, bench), VectorCache(bench.folder / "embeddings")
    texts, _, _ = distinct(train)
    return _Fitted(open_model(entry, cache), _as_documents(texts, languages(train, texts)))


def similarities(fitted: _Fitted, pairs: pl.DataFrame) -> F64:
    """Return the cosines of the texts of pairs, shape (pairs,); negative cosines count as 0."""
    texts, first, second = distinct(pairs)
    documents = _as_documents(texts, languages(pairs, texts), fitted.reference.height)
    return text_cosines(fitted.model.embed(documents, [fitted.reference]), first, second)


def _as_documents(texts: list[str], langs: list[str], first: int = 0) -> pl.DataFrame:
    """Return texts as models take them: a new author each, numbered from `first`; unknown languages count as equal."""
    ids = [f"text_{number:07d}" for number in range(first, first + len(texts))]
    lengths = np.ones(len(texts), np.int64)
    unknown = {field: [""] * len(texts) for field in ("genre", "source")}
    return pl.DataFrame(
        {"id": ids, "author_id": ids, "content": texts, "lang": langs, "token_length": lengths} | unknown,
        schema_overrides={"content": pl.String, "lang": pl.String},
    )


def _as_split(texts: list[str], authors: list[str]) -> Split:
    """Return texts as a split in which every text is a query for the others by its author."""
    table = _as_documents(texts, [""] * len(texts)).with_columns(author_id=pl.Series(authors))
    by_author = table.group_by("author_id").agg(pl.col("id").alias("positive_ids"))
    truth = table.join(by_author, on="author_id").select(pl.col("id").alias("query_id"), "positive_ids", "author_id")
    return make_split("pairs", table.rename({"id": "candidate_id"}), table.rename({"id": "query_id"}), truth)


def _tuned(model: ModelEntry, train: pl.DataFrame, parameters: EncoderParameters, bench: Bench) -> ModelEntry:
    """Return the model after contrastive training on the same-author pairs (`authbench.scoring.train`).

    Texts connected by pairs have the same author.

    Raises:
        InputError: the model cannot be tuned, or the pairs are fewer than a batch.
    """
    from authbench.scoring.train.tune import tune
    from authbench.scoring.train.unfinished import Unfinished

    expect_trainable(model)
    texts, authors = texts_by_author(train)
    split, watched = _as_split(texts, authors), _as_split(texts[:WATCHED], authors[:WATCHED])
    settings: Training = part_for(Training, default_settings()["train"])
    settings |= {"epochs": parameters.epochs, "batch": parameters.batch, "learning_rate": parameters.learning_rate}
    settings |= {"evaluations": 1, "negatives": "batch"}  # texts of pairs have no genre to match
    out = bench.folder / "tuned"
    out.mkdir(parents=True, exist_ok=True)
    unfinished = Unfinished.anew(bench.folder / "tuned.unfinished")
    tune(model, split, [watched], settings, bench.seed, 0, unfinished, out)
    unfinished.remove()
    return with_tuned_checkpoint(model, str(out))


def texts_by_author(train: pl.DataFrame) -> tuple[list[str], list[str]]:
    """Return the texts of same-author pairs, and their authors; texts connected by pairs have the same author."""
    texts, first, second = distinct(train.filter("same"))
    author = connected(first, second, len(texts))
    return texts, [f"author_{number:07d}" for number in author]
