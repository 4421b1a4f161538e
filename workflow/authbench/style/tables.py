"""Make the style suite's tables: aggregate scores, tasks, cost, and treatments of long texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from authbench.leaderboard.tables import NAMES, Metric, score_table
from authbench.presentation.numbers import decimals, limits, three_digits
from authbench.presentation.tables import Cell, Row, Table
from authbench.style import scores, sums
from authbench.style.collect import Result
from authbench.style.datasets import FIGURES
from authbench.style.protocols import STEB, STRICT
from authbench.style.redundancy import FrozenClusters
from authbench.style.steb.names import FIGURES as STEB_FIGURES

HEADINGS = {
    "clustering": "Clustering", "all_to_all": "All-to-all", "predefined": "Predefined",
    "order_alignment": "Order align.", "retrieval": "Retrieval", "probing": "Probing", "score": "Score",
    "study": "Object of study", "features": "Ling. features", "independence": "Content indep.",
    "detection": "AI-text detection", "adversarial": "AI-text, adversarial",
}  # fmt: skip
TITLES = {
    "operational": "Operational score",
    "definitional": "Definitional score",
    "application": "By application",
    "multilingual": "Other languages than English",
}
FIGURE_NAMES = {
    "v_measure": "V-measure", "auroc": "AUROC", "accuracy": "accuracy", "mrr": "MRR",
    "distractor": "accuracy, distractor",
}  # fmt: skip


CHANCE, OF_CHANCE = "by chance", "chance"  # row name and its group
# An aggregate of models: a row per model with columns, and the number of datasets per column.
Sum: TypeAlias = Callable[[Mapping[str, scores.Figures]], tuple[pl.DataFrame, dict[str, int]]]


def all_tables(results: Sequence[Result], clusters: FrozenClusters | None) -> list[Table]:
    """Return the four aggregate tables, a table per task, cost, and long texts if both treatments were run.

    Args:
        results: for one or both treatments; chunk_and_pool is ranked if present.
        clusters: frozen redundancy clusters.
    """
    ranked = of_one_treatment(results)
    models = {result.name: result.figures() for result in ranked}
    found = [_summed(name, ranked, models, make) for name, make in _sums_of(ranked, clusters).items()]
    found = [table for table in found if len(table.columns) > NAMES]
    for kind in (*FIGURES, scores.DISTRACTOR):
        table = of_task(kind, ranked, models)
        if len(table.columns) > NAMES:
            found.append(table)
    found.append(_cost(ranked))
    if compared := long_texts(results):
        found.append(compared)
    return found


def _sums_of(results: Sequence[Result], clusters: FrozenClusters | None) -> dict[str, Sum]:
    """Return the four aggregates by name."""
    in_english = english(results)
    return {
        "operational": lambda models: scores.operational(models, in_english, clusters),
        "definitional": scores.definitional,
        "application": scores.application,
        "multilingual": scores.multilingual,
    }


def of_one_treatment(results: Sequence[Result]) -> list[Result]:
    names = {result.long_texts for result in results}
    chosen = "chunk_and_pool" if "chunk_and_pool" in names else "truncate"
    return [result for result in results if result.long_texts == chosen]


def english(results: Sequence[Result]) -> set[str]:
    """Return the datasets with only English texts: only they count in the operational score."""
    cells = {name: cell for result in results for name, cell in result.content["datasets"].items()}
    return {name for name, cell in cells.items() if cell["languages"] == ["en"]}


def _summed(name: str, results: Sequence[Result], models: Mapping[str, scores.Figures], make: Sum) -> Table:
    """Return an aggregate table with intervals and chance level; headings contain the number of datasets."""
    frame, counts = make(models)
    columns = tuple(
        Metric(
            key, HEADINGS.get(key, key.replace("_", " ").capitalize()) + (f" ({counts[key]})" if key in counts else "")
        )
        for key in frame.columns
        if key != "model"
    )
    found = sums.intervals(lambda others: make(others)[0], models, {one.name: limits_of(one) for one in results})
    beside = {place: (limits(*ends), "") for place, ends in found.items()}
    table = score_table(name, TITLES[name], columns, _with_groups(results, frame), beside=beside)
    return with_chance(table, columns, sums.by_chance(lambda others: make(others)[0], models, _chances_of(results)))


def limits_of(result: Result) -> dict[sums.Key, Any]:
    """Return the interval of each score of a model; None if it has none."""
    found = {}
    for dataset, cell in result.content["datasets"].items():
        for task, measured in cell["tasks"].items():
            found[task, dataset] = measured.get("interval")
            if task == "order_alignment":
                found[scores.DISTRACTOR, dataset] = measured.get("distractor_interval")
    return found


def _chances_of(results: Sequence[Result]) -> dict[sums.Key, float | None]:
    """Return chance levels; for clustering, the models' mean with shuffled labels."""
    chances: dict[sums.Key, list[float | None]] = {}
    for result in results:
        for dataset, cell in result.content["datasets"].items():
            for task, measured in cell["tasks"].items():
                chances.setdefault((task, dataset), []).append(chance_of(STRICT, measured))
                if task == "order_alignment":
                    chances.setdefault((scores.DISTRACTOR, dataset), []).append(measured.get("distractor_chance"))
    known = {key: [one for one in values if one is not None] for key, values in chances.items()}
    return {key: float(np.mean(values)) if values else None for key, values in known.items()}


def with_chance(table: Table, columns: Sequence[Metric], chances: Mapping[str, float | None]) -> Table:
    """Return a table of models with the chance level as last row."""
    if all(chances.get(one.key) is None for one in columns):
        return table
    cells = [Cell(decimals(chances.get(one.key)), chances.get(one.key), grey=True) for one in columns]
    values = {one.heading: chances.get(one.key) for one in columns}
    last = pl.DataFrame([{"group": OF_CHANCE, "model": CHANCE, **values}], schema=table.data.schema)
    rows = [*table.rows, Row([Cell(CHANCE, grey=True), *cells], OF_CHANCE)]
    return replace(table, rows=rows, data=pl.concat([table.data, last]))


def of_task(kind: str, results: Sequence[Result], models: Mapping[str, scores.Figures]) -> Table:
    """Return the table of a task with a column per dataset."""
    datasets = sorted({name for one in models.values() for task, name in one if task == kind})
    frame = pl.DataFrame(
        {"model": list(models)} | {name: [one.get((kind, name)) for one in models.values()] for name in datasets}
    )
    task = "order_alignment" if kind == scores.DISTRACTOR else kind
    figure = FIGURE_NAMES["distractor" if kind == scores.DISTRACTOR else FIGURES[task]]
    columns = tuple(Metric(name, name) for name in datasets)
    key = "distractor_interval" if kind == scores.DISTRACTOR else "interval"
    cells = {result.name: result.content["datasets"] for result in results}
    beside = {
        (model, name): (
            limits(*(cells[model].get(name, {}).get("tasks", {}).get(task, {}).get(key) or (None, None))),
            "",
        )
        for model in models
        for name in datasets
    }
    title = f"{HEADINGS[task]}: {figure}"
    table = score_table(kind, title, columns, _with_groups(results, frame), beside=beside)
    chances = _chances_of(results)
    return with_chance(table, columns, {name: chances.get((kind, name)) for name in datasets})


def _cost(results: Sequence[Result]) -> Table:
    """Return embedding speed in texts per second and 10^9 operations per text, averaged over all texts."""
    rows = []
    for result in results:
        timed = [cell for cell in result.content["datasets"].values() if "cost" in cell]
        texts = sum(cell["texts"] for cell in timed)
        flops = [cell["cost"]["flops_per_text"] for cell in timed]
        known = texts and all(one is not None for one in flops)
        rows.append(
            {
                "model": result.name,
                "texts_per_second": result.texts_per_second,
                "gflops": sum(f * c["texts"] for f, c in zip(flops, timed, strict=True)) / texts / 1e9
                if known
                else None,
            }
        )
    schema = {"model": pl.String, "texts_per_second": pl.Float64, "gflops": pl.Float64}
    columns = (Metric("texts_per_second", "Texts/s"), Metric("gflops", "GFLOP/text", False))
    table = score_table("cost", "Cost", columns, _with_groups(results, pl.DataFrame(rows, schema=schema)))
    shown = [
        replace(row, cells=[row.cells[0], *(replace(cell, text=three_digits(cell.value)) for cell in row.cells[1:])])
        for row in table.rows
    ]
    return replace(table, rows=shown)


def long_texts(results: Sequence[Result]) -> Table | None:
    """Return both treatments of long texts (STEB appendix F), for models and datasets run with both."""
    by_name: dict[str, dict[str, Result]] = {}
    for result in results:
        by_name.setdefault(result.name, {})[result.long_texts] = result
    both = {name: one for name, one in by_name.items() if len(one) == 2}
    if not both:
        return None
    rows, keys = [], set()
    for name, one in both.items():
        row: dict[str, Any] = {"model": name}
        for treatment, result in one.items():
            for (task, dataset), value in result.figures().items():
                keys.add((dataset, task))
                row[f"{dataset} {task} {treatment}"] = value
        rows.append(row)
    columns = tuple(
        Metric(f"{dataset} {task} {treatment}", f"{dataset}, {task.replace('_', ' ')}: {treatment.replace('_', ' ')}")
        for dataset, task in sorted(keys)
        for treatment in ("chunk_and_pool", "truncate")
    )
    schema = {"model": pl.String} | {column.key: pl.Float64 for column in columns}
    frame = pl.DataFrame([{key: row.get(key) for key in schema} for row in rows], schema=schema)
    shown = [one["chunk_and_pool"] for one in both.values()]
    return score_table(
        "long_texts", "Long texts: chunked and pooled, or truncated", columns, _with_groups(shown, frame)
    )


def _with_groups(results: Sequence[Result], frame: pl.DataFrame) -> pl.DataFrame:
    groups = pl.DataFrame({"model": [one.name for one in results], "group": [one.group for one in results]})
    return groups.join(frame, on="model", maintain_order="left").select("group", "model", pl.exclude("group", "model"))


def every_score(results: Sequence[Result]) -> pl.DataFrame:
    """Return a row per protocol, model, treatment, dataset and task.

    Columns include chance level, 95 % interval (`low`, `high`), and spread over seeds if reported. The value of order
    alignment is its accuracy; `distractor` has the distractor accuracy, with a separate interval.
    """
    rows = []
    for result in results:
        for protocol in (STRICT, STEB):
            for dataset, cell in result.content.get("datasets" if protocol == STRICT else STEB, {}).items():
                for task, measured in cell["tasks"].items():
                    theirs = "acc_mean" if task == "order_alignment" else STEB_FIGURES[task]
                    low, high = measured.get("interval") or (None, None)
                    distractor_low, distractor_high = measured.get("distractor_interval") or (None, None)
                    row = {
                        "protocol": protocol, "group": result.group, "model": result.name,
                        "long_texts": result.long_texts, "dataset": dataset, "attribute": cell["attribute"],
                        "task": task, "texts": cell["texts"],
                        "value": measured.get(FIGURES[task] if protocol == STRICT else theirs),
                        "low": low, "high": high, "chance": chance_of(protocol, measured),
                        "spread": measured.get("spread"),
                        "distractor": measured.get("distractor", measured.get("distractor_acc_mean")),
                        "distractor_low": distractor_low, "distractor_high": distractor_high,
                        "undefined": measured.get("undefined"),
                    }  # fmt: skip
                    rows.append(row)
    words = ("protocol", "group", "model", "long_texts", "dataset", "attribute", "task")
    numbers = ("value", "low", "high", "chance", "spread", "distractor", "distractor_low", "distractor_high")
    schema: dict[str, Any] = dict.fromkeys(words, pl.String) | {"texts": pl.Int64}
    schema |= dict.fromkeys(numbers, pl.Float64) | {"undefined": pl.String}
    return pl.DataFrame(rows, schema=schema)


def chance_of(protocol: str, measured: Mapping[str, Any]) -> float | None:
    """Return the chance level of a score; None if unknown, as for V-measure in STEB's protocol."""
    if "auroc" in measured or "auc" in measured:
        return 0.5
    if protocol == STEB:
        if "mrr" in measured:
            return float((1 / np.arange(1, measured["targets"] + 1)).mean())
        return 1 / measured["levels"] if "acc_mean" in measured else None
    chance: Any = measured.get("by_chance", measured.get("chance"))
    return None if chance is None else float(chance["mrr"] if isinstance(chance, dict) else chance)
