"""How alike does a model of the registry find two texts?

Cosine of the vectors of any page of config/models, with thresholds p1 and p2 as the naive baseline's; the model as it
is, or (`fine_tune`) tuned on the train pairs first. Models that look at anything but the text cannot take part.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.errors import InputError
from authbench.evaluate.split import Split, make_split
from authbench.models import encoder
from authbench.models.encode import encode
from authbench.models.registry import Model, find_model
from authbench.verifiers import Bench
from authbench.verifiers.texts import cosines, distinct
from authbench.verifiers.thresholds import Thresholds, rescale, search

LOOK_ELSEWHERE = ("metadata", "function_words")
SEEN = 100  # texts of the train pairs on which a tuning is watched


@dataclass(frozen=True)
class Fitted:
    """The model, the texts that lexical models are fitted on, where vectors are kept, and the thresholds."""

    model: Model
    texts: tuple[str, ...]
    folder: Path
    thresholds: Thresholds | None = None


def fit(train: pl.DataFrame, parameters: Mapping[str, Any], bench: Bench) -> Fitted:
    model = find_model(parameters["model"])
    if model.kind in LOOK_ELSEWHERE:
        raise InputError(
            f"{model.name}: asks for a text's language or source, which pairs do not tell. Name another model."
        )
    texts = distinct(train)[0]
    if parameters["fine_tune"]:
        model = tuned(model, train, parameters, bench)
    return Fitted(model, tuple(texts) if model.kind != "transformer" else (), bench.folder / "embeddings")


def calibrate(fitted: Fitted, held_out: pl.DataFrame) -> Fitted:
    return replace(fitted, thresholds=search(held_out["same"].to_numpy(), similarities(fitted, held_out)))


def predict(fitted: Fitted, pairs: pl.DataFrame) -> F64:
    assert fitted.thresholds, "calibrate first"
    return rescale(similarities(fitted, pairs), fitted.thresholds)


def similarities(fitted: Fitted, pairs: pl.DataFrame) -> F64:
    texts, first, second = distinct(pairs)
    known = len(fitted.texts)
    if fitted.model.kind == "transformer":
        _, rows = encode(fitted.model, as_split(texts), fitted.folder)
    else:
        rows = encoder(fitted.model.kind)(documents([*fitted.texts, *texts]), known, fitted.model.parameters)[known:]
    return cosines(rows, first, second)


def documents(texts: list[str]) -> pl.DataFrame:
    """Texts as encoders take them: all of one language, each its own author's."""
    ids = [f"text_{number:07d}" for number in range(len(texts))]
    told = {field: [""] * len(texts) for field in ("lang", "genre", "source")}
    return pl.DataFrame(
        {"id": ids, "author_id": ids, "content": texts, "token_length": np.ones(len(texts), np.int64)} | told,
        schema_overrides={"content": pl.String},
    )


def as_split(texts: list[str], authors: list[str] | None = None) -> Split:
    """Texts as a split whose every text asks for the others by its author."""
    table = documents(texts)
    if authors is not None:
        table = table.with_columns(author_id=pl.Series(authors))
    by_author = table.group_by("author_id").agg(pl.col("id").alias("positive_ids"))
    truth = table.join(by_author, on="author_id").select(pl.col("id").alias("query_id"), "positive_ids", "author_id")
    return make_split("pairs", table.rename({"id": "candidate_id"}), table.rename({"id": "query_id"}), truth)


def tuned(model: Model, train: pl.DataFrame, parameters: Mapping[str, Any], bench: Bench) -> Model:
    """The model after contrastive training on the same-author pairs (`authbench.train`); texts that pairs join are one
    author's. Raises InputError where the model is no transformer or the pairs are fewer than a batch."""
    from authbench.train.settings import TrainSettings
    from authbench.train.tune import tune

    if model.kind != "transformer":
        raise InputError(f"{model.name}: a model of kind {model.kind} cannot be tuned. Expected a transformer.")
    texts, authors = texts_by_author(train)
    split, watched = as_split(texts, authors), as_split(texts[:SEEN], authors[:SEEN])
    settings = TrainSettings(parameters["epochs"], parameters["batch"], parameters["learning_rate"], evaluations=1)
    out = bench.folder / "tuned"
    out.mkdir(parents=True, exist_ok=True)
    tune(model, split, watched, settings, bench.seed, out)
    held = dict(model.parameters) | {"checkpoint": str(out), "revision": None, "pooling": "own"}
    return replace(model, parameters=held)


def texts_by_author(train: pl.DataFrame) -> tuple[list[str], list[str]]:
    """The texts of same-author pairs, and whose they are: what pairs join is one author's."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    texts, first, second = distinct(train.filter("same"))
    joined = coo_array((np.ones(len(first)), (first, second)), (len(texts), len(texts)))
    _, author = connected_components(joined, directed=False)
    return texts, [f"author_{number:07d}" for number in author]
