"""Compute STEB's leaderboard: operational and definitional scores, aggregated as in STEB's code.

Dataset clusters are computed from the given models, so each additional model may change all scores, and boards of few
models are not comparable to STEB's. `resources/style/steb_scores.yaml` lists where the datasets differ from the paper's
tables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.json_values import JsonObject
from authbench.suites.style.redundancy import CUT, merges
from authbench.suites.style.scores import assignment, assignment_of_steb
from authbench.suites.style.steb.layout import ACCURACY, FIGURES, NAMES

FEWEST_MODELS = 3
# The scores of a model: (task or ACCURACY, dataset) -> score.
Figures = Mapping[tuple[str, str], float]
SCORE = "score"


def operational(
    models: Mapping[str, Figures], other_languages: Iterable[str] = ()
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return a row per model with a column per task and `score`, and the number of datasets per column.

    Datasets that any model lacks, datasets in other languages, and tasks of fewer than three models are left out.
    """
    passed_over = {*assignment_of_steb()["left_out"], *other_languages}
    columns: dict[str, Mapping[str, float]] = {}
    counts = {}
    for task in FIGURES:
        if found := of_task(models, task, passed_over):
            columns[task], counts[task] = found["task_score"], len(found["datasets"])
    frame = pl.DataFrame(
        {"model": list(models)} | {task: [column.get(one) for one in models] for task, column in columns.items()}
    )
    score = overall(columns)
    return frame.with_columns(pl.Series(SCORE, [score.get(one) for one in models], dtype=pl.Float64)), counts


def of_task(models: Mapping[str, Figures], task: str, passed_over: Iterable[str] = ()) -> JsonObject | None:
    """Return a task's aggregate over the models that have it, with its clusters; None for too few models."""
    having = [one for one, figures in models.items() if any(kind == task for kind, _ in figures)]
    datasets = sorted(
        {name for figures in models.values() for kind, name in figures if kind == task} - set(passed_over)
    )
    table = np.array([[models[one].get((task, name), np.nan) for name in datasets] for one in having])
    return aggregated(having, datasets, table.reshape(len(having), len(datasets)))


def aggregated(models: Sequence[str], datasets: Sequence[str], scores: F64) -> JsonObject | None:
    """Return a task's aggregate, the mean over means within clusters of datasets; None for too few models.

    `scores` is models x datasets, NaN if missing. Datasets that a model lacks are left out.
    """
    columns = np.flatnonzero(np.isfinite(scores).all(axis=0)).tolist()
    if len(models) < FEWEST_MODELS or not columns:
        return None
    table = scores[:, columns]
    found: JsonObject = {"models": list(models), "datasets": [datasets[column] for column in columns]}
    of_dataset = np.zeros(len(columns), np.int64)
    if len(columns) > 1:
        from scipy.cluster.hierarchy import fcluster

        of_dataset = fcluster(merges(table), CUT, "distance")
    clusters = [np.flatnonzero(of_dataset == one) for one in np.unique(of_dataset)]
    sums = np.mean([table[:, one].mean(axis=1) for one in clusters], axis=0)
    found["clusters"] = [[found["datasets"][place] for place in one] for one in clusters]
    found["task_score"] = dict(zip(found["models"], map(float, sums), strict=True))
    return found


def overall(task_scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return each model's mean over the tasks it has."""
    models = dict.fromkeys(model for scores in task_scores.values() for model in scores)
    return {model: float(np.mean([one[model] for one in task_scores.values() if model in one])) for model in models}


def with_clusters_of(
    models: Mapping[str, Figures], other_languages: Iterable[str] = ()
) -> Callable[[Mapping[str, Figures]], pl.DataFrame]:
    """Return the operational score as a function of models, with the clusters of these models fixed.

    It covers the tasks that every model has; if a model passed to it lacks a task, there is no `score`.
    """
    passed_over = {*assignment_of_steb()["left_out"], *other_languages}
    found = {task: of_task(models, task, passed_over) for task in FIGURES}
    current = {task: one["clusters"] for task, one in found.items() if one and len(one["models"]) == len(models)}
    complete = len(current) == sum(one is not None for one in found.values())

    def operational_of(others: Mapping[str, Figures]) -> pl.DataFrame:
        columns = {
            task: [
                float(np.mean([np.mean([figures[task, name] for name in names]) for names in clusters]))
                for figures in others.values()
            ]
            for task, clusters in current.items()
        }
        whole = {SCORE: _mean(columns, list(columns))} if columns and complete else {}
        return pl.DataFrame({"model": list(others)} | columns | whole)

    return operational_of


def definitional(models: Mapping[str, Figures]) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return a row per model: objects of study and their mean, features, content independence, and `score`.

    A column is the mean over tasks of the mean over datasets: a task with a single dataset weighs as much as a task
    with ten. Order alignment contributes `acc_mean`, and to content independence only its distractor.
    """
    page, theirs = assignment()["definitional"], assignment_of_steb()
    plain = [ACCURACY if task == "order_alignment" else task for task in FIGURES]
    wanted = {study: (theirs.get(study, listed), plain) for study, listed in page["studies"].items()}
    wanted |= {"features": (page["features"], plain), "independence": (theirs["independence"], ["order_alignment"])}
    cells = {name: found for name, (listed, kinds) in wanted.items() if (found := _cells(models, listed, kinds))}
    columns = {
        name: [float(np.mean([np.mean([one[cell] for cell in kind]) for kind in found])) for one in models.values()]
        for name, found in cells.items()
    }
    counts = {name: len({dataset for kind in found for _, dataset in kind}) for name, found in cells.items()}
    if studies := [study for study in page["studies"] if study in columns]:
        columns["study"] = _mean(columns, studies)
    if parts := [name for name in ("study", "features", "independence") if name in columns]:
        columns[SCORE] = _mean(columns, parts)
    order = ("model", *studies, "study", "features", "independence", SCORE)
    frame = pl.DataFrame({"model": list(models)} | columns)
    return frame.select(name for name in order if name in frame.columns), counts


def _cells(
    models: Mapping[str, Figures], listed: Iterable[str | Sequence[str]], kinds: Sequence[str]
) -> list[list[tuple[str, str]]]:
    """Return by kind the scores of these datasets that all models have; kinds without any are left out."""
    names = sorted({one for entry in listed for one in ([entry] if isinstance(entry, str) else entry)})
    shared = set.intersection(*map(set, models.values())) if models else set()
    cells = ([(kind, name) for name in names if (kind, name) in shared] for kind in kinds)
    return [cell for cell in cells if cell]


def _mean(columns: Mapping[str, Sequence[float]], names: Sequence[str]) -> list[float]:
    return [float(one) for one in np.mean([columns[name] for name in names], axis=0)]


_HEADINGS = {
    "genre": "Genre", "register": "Register", "time": "Time", "demographic": "Demographics", "dialect": "Dialect",
    "idiolect": "Idiolect", "study": "Object of Study", "features": "Linguistic Features",
    "independence": "Content Independence",
}  # fmt: skip


def as_board(models: Mapping[str, Figures], other_languages: Iterable[str] = ()) -> dict[str, object]:
    """Return both tables in the format read by STEB's page: hundredths, two decimals, best first."""
    named = {task: f"{NAMES[task]} ({figure})" for task, figure in FIGURES.items()} | {SCORE: "STEB_score (avg)"}
    return {
        "operational": _sheet(operational(models, other_languages)[0], named),
        "definitional": _sheet(definitional(models)[0], _HEADINGS | {SCORE: "Definitional score"}),
    }


def _sheet(frame: pl.DataFrame, named: Mapping[str, str]) -> dict[str, object]:
    columns = [name for name in frame.columns if name != "model"]
    if SCORE in columns:
        frame = frame.sort(SCORE, "model", descending=[True, False], nulls_last=True)
    rows = [
        {"model": row["model"], "model_url": None}
        | {named[name]: None if row[name] is None else round(100 * row[name], 2) for name in columns}
        for row in frame.iter_rows(named=True)
    ]
    return {"sort_column": named[SCORE], "columns": [named[name] for name in columns], "rows": rows}
