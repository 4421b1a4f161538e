"""Define the tasks: the rows each takes from a dataset, their texts, and the scores of vectors.

A task selects the columns given in its entry and drops rows with an empty text. It then draws at most its budget per
class (STEB appendix J), by a hash of the row.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl

from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.suites.style import clustering, features, order, pairs, probing, retrieval
from authbench.suites.style.entries import LabelledTask, OrderTask, PairsTask, ProbingTask, RetrievalTask
from authbench.suites.style.steps import draw, drop_equal
from authbench.suites.style.vectors import Vectors

SEEDS = 5  # clustering runs


Selected = TypeVar("Selected")


@dataclass(frozen=True)
class Task(Generic[Selected]):
    """A task.

    Attributes:
        select: picks and renames rows by the task's settings; of the protocol steb, in file order, with the number in
            the name of their result folder.
        score: scores vectors, given rows, settings, a random seed, and a folder that caches features of texts.
        texts: names the text columns.
    """

    select: Callable[[pl.DataFrame, Any], Selected]
    score: Callable[[pl.DataFrame, Vectors, Any, int, Path], JsonObject]
    texts: Callable[[Any], Sequence[str]] = lambda settings: ["text"]


def _labelled(frame: pl.DataFrame, settings: LabelledTask) -> pl.DataFrame:
    """Return columns `text`, `label`: at most `budget` distinct texts per label."""
    found = named(frame, {"text": settings.text, "label": settings.label})
    return _budgeted(_not_empty(found, ["text"]).unique(maintain_order=True), "label", settings.budget)


def _paired(frame: pl.DataFrame, settings: PairsTask) -> pl.DataFrame:
    """Return columns `first`, `second`, `same` (boolean)."""
    found = named(frame, {"first": settings.first, "second": settings.second, "same": settings.same})
    strange = set(found["same"].unique()) - {"true", "false"}
    if strange:
        raise InputError(f"The column of same pairs holds {sorted(map(str, strange))[:3]}; expected true and false.")
    found = _not_empty(found, ["first", "second"]).with_columns(pl.col("same") == "true")
    return _budgeted(found, "same", settings.budget)


def _leveled(frame: pl.DataFrame, settings: OrderTask) -> pl.DataFrame:
    """Return columns `level 1`, `level 2`, ... and `style`: at most `budget` items per style.

    Items with two equal levels, ignoring case and white space, are left out.
    """
    names = level_columns(settings)
    found = drop_equal(_not_empty(ordered(frame, settings), names), names)
    return _budgeted(found.unique(maintain_order=True), "style", settings.budget)


def ordered(frame: pl.DataFrame, settings: OrderTask) -> pl.DataFrame:
    columns = dict(zip(level_columns(settings), settings.levels, strict=True))
    found = named(frame, columns | ({"style": settings.style} if settings.style else {}))
    return found if settings.style else found.with_columns(style=pl.lit("all"))


def _collected(frame: pl.DataFrame, settings: RetrievalTask) -> pl.DataFrame:
    """Return columns `text`, `author`, `role` (query, target), `query`.

    At most `budget` texts of each author and role.
    """
    columns = {"text": settings.text, "author": settings.author, "role": settings.role}
    found = named(frame, columns | {"query": settings.query or settings.author})
    strange = set(found["role"].unique()) - {"query", "target"}
    if strange:
        raise InputError(f"The column of roles holds {sorted(map(str, strange))[:3]}; expected query and target.")
    found = _not_empty(found, ["text"])
    asking = found.filter(role="query")
    if len(several := asking.filter(pl.col("author").n_unique().over("query") > 1)["query"].unique().sort()):
        raise InputError(f"The queries {several.head(3).to_list()} are by several authors; expected one each.")
    return _budgeted(found, ["author", "role"], settings.budget)


def plain(frame: pl.DataFrame, settings: ProbingTask) -> pl.DataFrame:
    """Return column `text`: at most `budget` distinct texts."""
    found = _not_empty(named(frame, {"text": settings.text}), ["text"]).unique(maintain_order=True)
    return _budgeted(found.with_columns(all=pl.lit("")), "all", settings.budget)


def level_columns(settings: OrderTask) -> list[str]:
    return [f"level {place}" for place in range(1, len(settings.levels) + 1)]


def named(frame: pl.DataFrame, columns: Mapping[str, str], lists: Collection[str] = ()) -> pl.DataFrame:
    """Return the columns (ours: theirs) as text, with `lang` if present.

    Args:
        lists: of ours, those that may hold lists.

    Raises:
        InputError: the rows lack a column, or a column is empty, or has lists that it may not have.
    """
    for ours, theirs in columns.items():
        if theirs not in frame.columns:
            raise InputError(f"A task asks for the column {theirs!r}; after the steps there are {frame.columns}.")
        if isinstance(frame.schema[theirs], pl.List) and ours not in lists:
            raise InputError(f"A task asks for the column {theirs!r}, which holds lists. Expected text; use `flatten`.")
        if frame[theirs].null_count() == frame.height:
            raise InputError(f"A task asks for the column {theirs!r}, which holds nothing. Check `fields` and `steps`.")
    language = [pl.col("lang")] if "lang" in frame.columns else []
    return frame.select(*(pl.col(theirs).alias(ours) for ours, theirs in columns.items()), *language)


def _not_empty(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    return frame.drop_nulls().filter(pl.all_horizontal(pl.col(name).str.strip_chars() != "" for name in columns))


def _budgeted(frame: pl.DataFrame, by: str | Sequence[str], budget: int | None) -> pl.DataFrame:
    """Return at most `budget` drawn rows per class, in an order that depends only on the rows."""
    drawn = frame.with_columns(draw(frame, "budget"))
    place = pl.col("draw").rank("ordinal").over(by)
    kept = drawn if budget is None else drawn.filter(place <= budget)
    return kept.sort("draw").drop("draw")


def _score_clustering(rows: pl.DataFrame, vectors: Vectors, settings: object, seed: int, cache: Path) -> JsonObject:
    return clustering.score(vectors.of(rows["text"].to_list()), _codes(rows["label"]), range(seed, seed + SEEDS))


def _score_all_to_all(rows: pl.DataFrame, vectors: Vectors, settings: object, seed: int, cache: Path) -> JsonObject:
    return pairs.all_to_all(vectors.of(rows["text"].to_list()), _codes(rows["label"]))


def _score_predefined(rows: pl.DataFrame, vectors: Vectors, settings: object, seed: int, cache: Path) -> JsonObject:
    first, second = (vectors.of(rows[side].to_list()) for side in ("first", "second"))
    return pairs.predefined(first, second, rows["same"].to_numpy())


def _score_order(rows: pl.DataFrame, vectors: Vectors, settings: OrderTask, seed: int, cache: Path) -> JsonObject:
    levels = [vectors.of(rows[name].to_list()) for name in level_columns(settings)]
    return order.score(levels, rows["style"].to_list())


def _score_retrieval(rows: pl.DataFrame, vectors: Vectors, settings: object, seed: int, cache: Path) -> JsonObject:
    asking, answering = (rows.filter(pl.col("role") == role) for role in ("query", "target"))
    sides = [(vectors.of(side["text"].to_list()), side["author"].to_list()) for side in (asking, answering)]
    return retrieval.score(*sides[0], *sides[1], asking["query"].to_list())


def _score_probing(rows: pl.DataFrame, vectors: Vectors, settings: ProbingTask, seed: int, cache: Path) -> JsonObject:
    texts = rows["text"].to_list()
    names, values = features.extract(texts, settings.features, cache)
    return {
        **probing.score(vectors.of(texts), names, values, texts),
        "measured_by": features.measured_by(settings.features),
    }


def _codes(labels: pl.Series) -> np.ndarray:
    return (labels.rank("dense") - 1).to_numpy().astype(np.int64)


TASKS: Mapping[str, Task[pl.DataFrame]] = {
    "clustering": Task(_labelled, _score_clustering),
    "all_to_all": Task(_labelled, _score_all_to_all),
    "predefined": Task(_paired, _score_predefined, lambda settings: ["first", "second"]),
    "order_alignment": Task(_leveled, _score_order, level_columns),
    "retrieval": Task(_collected, _score_retrieval),
    "probing": Task(plain, _score_probing),
}
