"""Aggregate the results over datasets, with 95 % intervals and chance levels.

STEB defines four aggregates: operational (the field's measures), definitional (aspects of style), by application, and
multilingual. A sensitivity analysis measures how the operational ranking depends on single datasets. Means exclude
datasets that were not run.

An aggregate is a mean of means of scores and thus linear: a score's weight is the aggregate's value if this score is 1
and all others are 0. Scores of a dataset share texts, so their errors are assumed fully correlated; errors of
different datasets are assumed independent. Intervals are therefore rather too wide than too narrow. Datasets are not
resampled, and their clusters are fixed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
import polars as pl

from authbench.config.registry.entries import read_yaml
from authbench.core.arrays import F64
from authbench.core.json_values import JsonMapping
from authbench.core.shipped import shipped
from authbench.scoring.metrics.ranking import average_ranks
from authbench.suites.style import redundancy
from authbench.suites.style.datasets import FIGURES

DISTRACTOR = "distractor"

Key: TypeAlias = tuple[str, str]  # task or DISTRACTOR, dataset
Figures = Mapping[Key, float]  # the scores of a model


@cache
def assignment() -> JsonMapping:
    """Return the datasets of each column (resources/style/scores.yaml)."""
    return read_yaml(shipped("style/scores.yaml"))


@cache
def assignment_of_steb() -> JsonMapping:
    """Return where STEB's code uses other datasets in a column (resources/style/steb_scores.yaml)."""
    return read_yaml(shipped("style/steb_scores.yaml"))


def measured(result: JsonMapping) -> Iterator[tuple[Key, str, JsonMapping]]:
    """Yield the key of each score, the prefix of its further fields, and the task's result."""
    for dataset, cell in result["datasets"].items():
        for task, one in cell["tasks"].items():
            yield (task, dataset), "", one
            if task == "order_alignment":
                yield (DISTRACTOR, dataset), f"{DISTRACTOR}_", one


def figures(result: JsonMapping) -> dict[Key, float]:
    """Return all scores of a model's results, except undefined ones."""
    named = {**FIGURES, DISTRACTOR: DISTRACTOR}
    return {key: float(one[named[key[0]]]) for key, _, one in measured(result) if named[key[0]] in one}


def shared(models: Mapping[str, Figures], kind: str, only: Iterable[str] | None = None) -> list[str]:
    """Return the datasets for which every model has a score of this kind."""
    names = {dataset for one in models.values() for task, dataset in one if task == kind}
    chosen = names if only is None else names & set(only)
    return sorted(name for name in chosen if all((kind, name) in one for one in models.values()))


def table(models: Mapping[str, Figures], kind: str, datasets: Sequence[str]) -> np.ndarray:
    """Return the scores, models x datasets."""
    return np.array([[one[kind, name] for name in datasets] for one in models.values()]).reshape(len(models), -1)


def column_kind(task: str) -> str:
    """Return the kind of score of a column: for order alignment, the distractor; else the task itself."""
    return DISTRACTOR if task == "order_alignment" else task


def operational(
    models: Mapping[str, Figures], english: Iterable[str], frozen_clusters: redundancy.FrozenClusters | None = None
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return a row per model with a column per task and their mean `score`, and the number of datasets per column.

    A column is the mean over the redundancy clusters in `frozen_clusters`, or over datasets without them.
    """
    columns: dict[str, object] = {"model": list(models)}
    counts = {}
    for task in FIGURES:
        kind = column_kind(task)
        datasets = shared(models, kind, english)
        if datasets:
            of_cluster = redundancy.frozen(frozen_clusters, task, datasets) or list(range(len(datasets)))
            columns[task] = redundancy.macro(table(models, kind, datasets), of_cluster)
            counts[task] = len(datasets)
    return _with_mean(pl.DataFrame(columns), list(counts), "score"), counts


def freeze(models: Mapping[str, Figures], english: Iterable[str]) -> redundancy.FrozenClusters | None:
    """Return the redundancy clusters of these models' results, to be saved; None for fewer than eight models."""
    if len(models) < redundancy.FEWEST_MODELS:
        return None
    english = set(english)
    made = {}
    for task in FIGURES:
        datasets = shared(models, column_kind(task), english)
        if datasets:
            found = redundancy.cluster_datasets(table(models, column_kind(task), datasets))
            made[task] = dict(zip(datasets, found, strict=True))
    return {"version": 1, "models": sorted(models), "clusters": made}


def definitional(models: Mapping[str, Figures]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return a row per model: objects of study and their mean, linguistic features, content independence, `score`.

    The mean covers the objects of study that were run. Content independence uses only the distractor; other columns use
    all tasks of a dataset, with the accuracy for order alignment.
    """
    page, ours = assignment()["definitional"], assignment()["ours"]
    studies = {study: [*names, *ours.get(study, [])] for study, names in page["studies"].items()}
    columns, counts = _columns(models, studies, list(FIGURES))
    frame = _with_mean(pl.DataFrame(columns), list(counts), "study")
    features, of_features = _columns(models, {"features": page["features"]}, list(FIGURES))
    independence, of_independence = _columns(models, {"independence": page["independence"]}, [DISTRACTOR])
    frame = frame.join(pl.DataFrame(features | independence), on="model", maintain_order="left")
    parts = [name for name in ("study", "features", "independence") if name in frame.columns]
    return _with_mean(frame, parts, "score"), counts | of_features | of_independence


def application(models: Mapping[str, Figures]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return a row per model: detection, adversarial, verification (also easy, medium, hard), retrieval, `score`."""
    page, ours = assignment()["application"], assignment()["ours"]
    names = ("detection", "adversarial", "verification", "retrieval")
    columns, counts = _columns(models, {name: [*page[name], *ours.get(name, [])] for name in names}, list(FIGURES))
    shown, of_shown = _columns(models, page["shown"], list(FIGURES))
    return _with_mean(pl.DataFrame(columns | shown), list(counts), "score"), counts | of_shown


def multilingual(models: Mapping[str, Figures]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return a row per model: AUROC of predefined pairs and MRR of retrieval in other languages, and `score`."""
    page, ours = assignment()["multilingual"], assignment()["ours"]["multilingual"]
    columns: dict[str, object] = {"model": list(models)}
    counts: dict[str, int] = {}
    for task in ("predefined", "retrieval"):
        found, of_task = _columns(models, {task: [*page[task], *ours[task]]}, [task])
        columns, counts = columns | found, counts | of_task
    return _with_mean(pl.DataFrame(columns), list(counts), "score"), counts


def _columns(
    models: Mapping[str, Figures], wanted: Mapping[str, Iterable[str | Sequence[str]]], kinds: Sequence[str]
) -> tuple[dict[str, object], dict[str, int]]:
    """Return `model` and the wanted columns, each the mean over its entries, and their number; none if none was run.

    An entry is a dataset, or several that count as a single dataset; a dataset's value is the mean over its tasks.
    """
    columns: dict[str, object] = {"model": list(models)}
    counts = {}
    for name, entries in wanted.items():
        values = []
        for entry in entries:
            cells: dict[str, list[np.ndarray]] = {}
            for kind in kinds:
                for dataset in shared(models, kind, {entry} if isinstance(entry, str) else set(entry)):
                    cells.setdefault(dataset, []).append(table(models, kind, [dataset])[:, 0])
            if cells:
                values.append(np.mean([np.mean(cell, axis=0) for cell in cells.values()], axis=0))
        if values:
            columns[name], counts[name] = np.mean(values, axis=0), len(values)
    return columns, counts


def _with_mean(frame: pl.DataFrame, names: Sequence[str], into: str) -> pl.DataFrame:
    return frame.with_columns(pl.mean_horizontal(names).alias(into)) if names else frame


def sensitivity(
    models: Mapping[str, Figures], english: Iterable[str], frozen_clusters: redundancy.FrozenClusters | None = None
) -> pl.DataFrame:
    """Return a row per dataset: how the operational ranking changes without it.

    `correlation` is Spearman's with the full ranking, `best` the model that then leads, `moved` the largest change of a
    model's rank.
    """
    english = sorted(set(english))
    whole, _ = operational(models, english, frozen_clusters)
    schema = {"dataset": pl.String, "correlation": pl.Float64, "moved": pl.Int64, "best": pl.String}
    if "score" not in whole.columns or len(models) < 2:
        return pl.DataFrame(schema=schema)
    before = average_ranks(-whole["score"].to_numpy())
    rows = []
    for dataset in sorted({name for one in models.values() for _, name in one} & set(english)):
        without, _ = operational(models, [name for name in english if name != dataset], frozen_clusters)
        if "score" in without.columns:
            after = average_ranks(-without["score"].to_numpy())
            both = np.stack([before, after], axis=1)
            best = without.sort("score", "model", descending=[True, False])["model"][0]
            rows.append((dataset, redundancy.correlations(both)[0, 1], int(np.abs(after - before).max()), best))
    return pl.DataFrame(rows, schema=schema, orient="row").sort("correlation", "dataset")


NORMAL = 1.959964  # half-width of a 95 % interval in standard errors
Make: TypeAlias = Callable[[Mapping[str, Figures]], pl.DataFrame]
Interval: TypeAlias = tuple[float, float]


def weights(make: Make, keys: Sequence[Key]) -> dict[str, F64]:
    """Return the weights of the scores by column of an aggregate, each of shape (keys,).

    Args:
        make: the aggregate of models: a row per model, in their order, with `model` and columns.
        keys: the scores that every model has.
    """
    alone = {str(at): {key: float(place == at) for place, key in enumerate(keys)} for at in range(len(keys))}
    frame = make(alone) if keys else pl.DataFrame()
    return {name: frame[name].to_numpy().astype(np.float64) for name in frame.columns if name != "model"}


def intervals(
    make: Make, models: Mapping[str, Figures], limits: Mapping[str, Mapping[Key, Sequence[float] | None]]
) -> dict[tuple[str, str], Interval]:
    """Return the interval of each aggregate by model and column; none if any of its scores has no interval."""
    keys = common(models)
    datasets = np.unique([dataset for _, dataset in keys], return_inverse=True)[1]
    shares, found = weights(make, keys), {}
    for model, sums in zip(models, make(models).iter_rows(named=True), strict=True):
        errors = np.array([_error(models[model][key], limits[model].get(key)) for key in keys])
        for column, share in shares.items():
            used = share != 0
            together = np.bincount(datasets[used], np.abs(share[used]) * errors[used])
            width = NORMAL * float(np.sqrt((together**2).sum()))
            if sums[column] is not None and np.isfinite(width):
                found[model, column] = (max(0.0, sums[column] - width), min(1.0, sums[column] + width))
    return found


def by_chance(
    make: Make, models: Mapping[str, Figures], chances: Mapping[Key, float | None]
) -> dict[str, float | None]:
    """Return the chance level of each column of an aggregate; None if a score's chance level is unknown."""
    keys = common(models)
    known = np.array([np.nan if chances.get(key) is None else chances[key] for key in keys], np.float64)
    found: dict[str, float | None] = {}
    for column, share in weights(make, keys).items():
        value = float(share[share != 0] @ known[share != 0])
        found[column] = value if np.isfinite(value) else None
    return found


def common(models: Mapping[str, Figures]) -> list[Key]:
    """Return the scores that every model has; aggregates use only these."""
    return sorted(set.intersection(*(set(one) for one in models.values()))) if models else []


def _error(value: float, limits: Sequence[float] | None) -> float:
    """Return the standard error of an interval from its wider half: limits are clipped at 0 and 1."""
    return float("nan") if limits is None else max(value - limits[0], limits[1] - value, 0.0) / NORMAL
