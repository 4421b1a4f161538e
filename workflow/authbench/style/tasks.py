"""What does each task ask of a dataset's rows, about which texts, and what do vectors answer?

A task takes the columns that its page names, leaves out rows with an empty text, and of each class at most its budget
(STEB appendix J), drawn by a hash of the row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.errors import InputError
from authbench.style import clustering, features, order, pairs, probing, retrieval
from authbench.style.steps import draw
from authbench.style.vectors import Vectors

SEEDS = 5  # of clustering
Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Task:
    """`asked` picks and renames the rows; `texts` names their columns of text; `score` answers with vectors.

    `score` takes rows, vectors, settings, a seed and the folder that keeps what is dear to compute of a text.
    """

    asked: Callable[[pl.DataFrame, Settings], pl.DataFrame]
    texts: Callable[[Settings], Sequence[str]]
    score: Callable[[pl.DataFrame, Vectors, Settings, int, Path], dict[str, Any]]


def labelled(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Columns `text`, `label`: at most `budget` different texts of each label."""
    found = named(frame, {"text": settings.get("text", "text"), "label": settings.get("label", "label")})
    return budgeted(not_empty(found, ["text"]).unique(maintain_order=True), "label", settings.get("budget"))


def paired(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Columns `first`, `second`, `same` (boolean)."""
    found = named(frame, {name: settings.get(name, name) for name in ("first", "second", "same")})
    strange = set(found["same"].unique()) - {"true", "false"}
    if strange:
        raise InputError(f"The column of same pairs holds {sorted(map(str, strange))[:3]}; expected true and false.")
    found = not_empty(found, ["first", "second"]).with_columns(pl.col("same") == "true")
    return budgeted(found, "same", settings.get("budget"))


def leveled(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Columns `level 1`, `level 2`, ... and `style`: at most `budget` items of each style.

    Items two of whose levels are equal but for case and white space are no question and are left out.
    """
    names = level_columns(settings)
    told = dict(zip(names, settings["levels"], strict=True))
    style = settings.get("style")
    found = named(frame, told | ({"style": style} if style else {}))
    found = found if style else found.with_columns(style=pl.lit("all"))
    plain = [pl.col(name).str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars() for name in names]
    found = not_empty(found, names)
    for place, one in enumerate(plain):
        for other in plain[:place]:
            found = found.filter(one != other)
    return budgeted(found.unique(maintain_order=True), "style", settings.get("budget"))


def collected(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Columns `text`, `author`, `role` (query, target), `query`: of each author and role at most `budget` texts."""
    columns = {name: settings.get(name, name) for name in ("text", "author", "role")}
    found = named(frame, columns | {"query": settings.get("query", columns["author"])})
    strange = set(found["role"].unique()) - {"query", "target"}
    if strange:
        raise InputError(f"The column of roles holds {sorted(map(str, strange))[:3]}; expected query and target.")
    return budgeted(not_empty(found, ["text"]), ["author", "role"], settings.get("budget"))


def plain(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Column `text`: at most `budget` different texts."""
    found = not_empty(named(frame, {"text": settings.get("text", "text")}), ["text"]).unique(maintain_order=True)
    return budgeted(found.with_columns(all=pl.lit("")), "all", settings.get("budget"))


def level_columns(settings: Settings) -> list[str]:
    return [f"level {place}" for place in range(1, len(settings["levels"]) + 1)]


def named(frame: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """The columns (ours: theirs) as text, with `lang` where the rows have it."""
    missing = [theirs for theirs in columns.values() if theirs not in frame.columns]
    if missing:
        raise InputError(f"A task asks for the column {missing[0]!r}; after the steps there are {frame.columns}.")
    language = [pl.col("lang")] if "lang" in frame.columns else []
    return frame.select(*(pl.col(theirs).alias(ours) for ours, theirs in columns.items()), *language)


def not_empty(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    kept = frame.drop_nulls()
    return kept.filter(pl.all_horizontal(pl.col(name).str.strip_chars() != "" for name in columns))


def budgeted(frame: pl.DataFrame, by: str | Sequence[str], budget: int | None) -> pl.DataFrame:
    """At most `budget` drawn rows of each class, in an order that depends on the rows alone."""
    drawn = frame.with_columns(draw(frame, "budget"))
    place = pl.col("draw").rank("ordinal").over(by)
    kept = drawn if budget is None else drawn.filter(place <= budget)
    return kept.sort("draw").drop("draw")


def score_clustering(
    rows: pl.DataFrame, vectors: Vectors, settings: Settings, seed: int, cache: Path
) -> dict[str, Any]:
    return clustering.score(vectors.of(rows["text"].to_list()), codes(rows["label"]), range(seed, seed + SEEDS))


def score_all_to_all(
    rows: pl.DataFrame, vectors: Vectors, settings: Settings, seed: int, cache: Path
) -> dict[str, Any]:
    return pairs.all_to_all(vectors.of(rows["text"].to_list()), codes(rows["label"]))


def score_predefined(
    rows: pl.DataFrame, vectors: Vectors, settings: Settings, seed: int, cache: Path
) -> dict[str, Any]:
    first, second = (vectors.of(rows[side].to_list()) for side in ("first", "second"))
    return pairs.predefined(first, second, rows["same"].to_numpy())


def score_order(rows: pl.DataFrame, vectors: Vectors, settings: Settings, seed: int, cache: Path) -> dict[str, Any]:
    levels = [vectors.of(rows[name].to_list()) for name in level_columns(settings)]
    return order.score(levels, rows["style"].to_list())


def score_retrieval(rows: pl.DataFrame, vectors: Vectors, settings: Settings, seed: int, cache: Path) -> dict[str, Any]:
    asking, answering = (rows.filter(pl.col("role") == role) for role in ("query", "target"))
    sides = [(vectors.of(side["text"].to_list()), side["author"].to_list()) for side in (asking, answering)]
    return retrieval.score(*sides[0], *sides[1], asking["query"].to_list())


def score_probing(rows: pl.DataFrame, vectors: Vectors, settings: Settings, seed: int, cache: Path) -> dict[str, Any]:
    texts = rows["text"].to_list()
    kind = settings.get("features", features.SURFACE)
    names, values = features.extract(texts, kind, cache)
    return {**probing.score(vectors.of(texts), names, values, texts), "measured_by": features.measured_by(kind)}


def codes(labels: pl.Series) -> np.ndarray:
    return (labels.rank("dense") - 1).to_numpy().astype(np.int64)


def of_text(settings: Settings) -> Sequence[str]:
    return ["text"]


TASKS: Mapping[str, Task] = {
    "clustering": Task(labelled, of_text, score_clustering),
    "all_to_all": Task(labelled, of_text, score_all_to_all),
    "predefined": Task(paired, lambda settings: ["first", "second"], score_predefined),
    "order_alignment": Task(leveled, level_columns, score_order),
    "retrieval": Task(collected, of_text, score_retrieval),
    "probing": Task(plain, of_text, score_probing),
}
