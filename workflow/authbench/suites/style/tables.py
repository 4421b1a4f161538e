"""Make the style suite's tables: aggregate scores, tasks, cost, and treatments of long texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.core.presentation.numbers import decimals, limits, three_digits
from authbench.core.presentation.tables import Cell, Row, Table
from authbench.core.words import spaced
from authbench.reports.leaderboard.tables import NAMES, Metric, score_table
from authbench.suites.style import scores
from authbench.suites.style.collect import Result
from authbench.suites.style.datasets import FIGURES
from authbench.suites.style.entries import STEB, STRICT
from authbench.suites.style.redundancy import FrozenClusters
from authbench.suites.style.scores import Key, by_chance, intervals, measured
from authbench.suites.style.steb.layout import FIGURES as STEB_FIGURES
from authbench.suites.style.vectors import LONG_TEXTS

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
        results: for either or both treatments; chunk_and_pool is ranked if present.
    """
    ranked = of_one_treatment(results)
    scored = scored_of(ranked)
    in_english = english(ranked)
    sums: dict[str, Sum] = {
        "operational": lambda models: scores.operational(models, in_english, clusters),
        "definitional": scores.definitional,
        "application": scores.application,
        "multilingual": scores.multilingual,
    }
    found = [sum_table(name, TITLES[name], make, scored) for name, make in sums.items()]
    for kind in (*FIGURES, scores.DISTRACTOR):
        task, figure = ("order_alignment", kind) if kind == scores.DISTRACTOR else (kind, FIGURES[kind])
        found.append(task_table(kind, kind, f"{HEADINGS[task]}: {FIGURE_NAMES[figure]}", scored))
    found = [table for table in found if len(table.columns) > NAMES]
    found.append(_cost(ranked, scored))
    if compared := long_texts(results):
        found.append(compared)
    return found


def of_one_treatment(results: Sequence[Result]) -> list[Result]:
    chosen = min((result.long_texts for result in results), key=LONG_TEXTS.index)
    found = [result for result in results if result.long_texts == chosen]
    if lost := sorted({result.name for result in results} - {result.name for result in found}):
        raise InputError(f"{', '.join(lost)}: not run with long_texts: {chosen}, as others are. Run all alike.")
    return found


def english(results: Sequence[Result]) -> set[str]:
    """Return the datasets with only English texts: only they count in the operational score."""
    cells = {name: cell for result in results for name, cell in result.content["datasets"].items()}
    return {name for name, cell in cells.items() if cell["languages"] == ["en"]}


@dataclass(frozen=True)
class Scored:
    """The scores of models by task and dataset, with the group of each, the intervals and the chance levels."""

    models: Mapping[str, scores.Figures]
    groups: Mapping[str, str]
    limits: Mapping[str, Mapping[Key, Sequence[float] | None]]
    chances: Mapping[Key, float | None]

    def grouped(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of models, with `group` as first column."""
        return frame.select(pl.Series("group", [self.groups[model] for model in frame["model"]], pl.String), pl.all())


def scored_of(results: Sequence[Result]) -> Scored:
    return Scored(
        {one.name: one.figures() for one in results},
        {one.name: one.group for one in results},
        {one.name: {key: of.get(f"{prefix}interval") for key, prefix, of in measured(one.content)} for one in results},
        _chances_of(results),
    )


def sum_table(name: str, title: str, make: Sum, scored: Scored, shown: Sum | None = None) -> Table:
    """Return an aggregate table with intervals and chance level; headings contain the number of datasets.

    Args:
        make: the aggregate as a function of models, of which intervals and chance levels are computed.
        shown: the aggregate that is shown, if that is another.
    """
    frame, counts = (shown or make)(scored.models)
    columns = [
        Metric(key, HEADINGS.get(key, spaced(key).capitalize()) + (f" ({counts[key]})" if key in counts else ""))
        for key in frame.columns
        if key != "model"
    ]

    def sum_of(models: Mapping[str, scores.Figures]) -> pl.DataFrame:
        return make(models)[0]

    spread = intervals(sum_of, scored.models, scored.limits) if any(scored.limits.values()) else {}
    beside = {place: (limits(*ends), "") for place, ends in spread.items()}
    table = score_table(name, title, columns, scored.grouped(frame), beside=beside)
    return with_chance(table, columns, by_chance(sum_of, scored.models, scored.chances) if scored.chances else {})


def task_table(name: str, kind: str, title: str, scored: Scored) -> Table:
    """Return the table of a kind of score, with a column per dataset."""
    datasets = sorted({dataset for one in scored.models.values() for task, dataset in one if task == kind})
    cells = {dataset: [one.get((kind, dataset)) for one in scored.models.values()] for dataset in datasets}
    frame = pl.DataFrame({"model": list(scored.models)} | cells)
    columns = [Metric(dataset, dataset) for dataset in datasets]
    beside = {
        (model, dataset): (limits(*(ends.get((kind, dataset)) or (None, None))), "")
        for model, ends in scored.limits.items()
        for dataset in datasets
    }
    table = score_table(name, title, columns, scored.grouped(frame), beside=beside)
    return with_chance(table, columns, {dataset: scored.chances.get((kind, dataset)) for dataset in datasets})


def _chances_of(results: Sequence[Result]) -> dict[Key, float | None]:
    """Return chance levels; for clustering, the models' mean with shuffled labels."""
    chances: dict[Key, list[float | None]] = {}
    for result in results:
        for key, prefix, one in measured(result.content):
            chances.setdefault(key, []).append(one.get(f"{prefix}chance") if prefix else chance_of(STRICT, one))
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


def _cost(results: Sequence[Result], scored: Scored) -> Table:
    """Return embedding speed in texts per second and 10^9 operations per text, averaged over all texts."""
    rows = []
    for result in results:
        timed = [cell for cell in result.content["datasets"].values() if "cost" in cell]
        texts = sum(cell["texts"] for cell in timed)
        flops = [cell["cost"]["flops_per_text"] for cell in timed]
        gflops = None
        if texts and None not in flops:
            gflops = sum(f * cell["texts"] for f, cell in zip(flops, timed, strict=True)) / texts / 1e9
        rows.append((result.name, result.texts_per_second, gflops))
    schema = {"model": pl.String, "texts_per_second": pl.Float64, "gflops": pl.Float64}
    columns = (Metric("texts_per_second", "Texts/s"), Metric("gflops", "GFLOP/text", False))
    table = score_table("cost", "Cost", columns, scored.grouped(pl.DataFrame(rows, schema, orient="row")))
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
    figures = {treatment: [one[treatment].figures() for one in both.values()] for treatment in LONG_TEXTS}
    keys = sorted({(dataset, task) for own in figures.values() for one in own for task, dataset in one})
    columns, values = [], {}
    for dataset, task in keys:
        for treatment, own in figures.items():
            key = f"{dataset} {task} {treatment}"
            columns.append(Metric(key, f"{dataset}, {task.replace('_', ' ')}: {treatment.replace('_', ' ')}"))
            values[key] = pl.Series([one.get((task, dataset)) for one in own], dtype=pl.Float64)
    frame = pl.DataFrame({"model": list(both)} | values)
    scored = scored_of([one["chunk_and_pool"] for one in both.values()])
    return score_table("long_texts", "Long texts: chunked and pooled, or truncated", columns, scored.grouped(frame))


def every_score(results: Sequence[Result]) -> pl.DataFrame:
    """Return a row per protocol, model, treatment, dataset and task.

    Columns include chance level, 95 % interval (`low`, `high`), and spread over seeds if reported. The value of order
    alignment is its accuracy; `distractor` has the distractor accuracy, with a separate interval.
    """
    rows = []
    for result in results:
        for protocol in (STRICT, STEB):
            for dataset, cell in result.content.get("datasets" if protocol == STRICT else STEB, {}).items():
                for task, one in cell["tasks"].items():
                    theirs = "acc_mean" if task == "order_alignment" else STEB_FIGURES[task]
                    low, high = one.get("interval") or (None, None)
                    distractor_low, distractor_high = one.get("distractor_interval") or (None, None)
                    row = {
                        "protocol": protocol, "group": result.group, "model": result.name,
                        "long_texts": result.long_texts, "dataset": dataset, "attribute": cell["attribute"],
                        "task": task, "texts": cell["texts"],
                        "value": one.get(FIGURES[task] if protocol == STRICT else theirs),
                        "low": low, "high": high, "chance": chance_of(protocol, one),
                        "spread": one.get("spread"),
                        "distractor": one.get("distractor", one.get("distractor_acc_mean")),
                        "distractor_low": distractor_low, "distractor_high": distractor_high,
                        "undefined": one.get("undefined"),
                    }  # fmt: skip
                    rows.append(row)
    words = ("protocol", "group", "model", "long_texts", "dataset", "attribute", "task")
    numbers = ("value", "low", "high", "chance", "spread", "distractor", "distractor_low", "distractor_high")
    schema: dict[str, Any] = dict.fromkeys(words, pl.String) | {"texts": pl.Int64}
    schema |= dict.fromkeys(numbers, pl.Float64) | {"undefined": pl.String}
    return pl.DataFrame(rows, schema=schema)


def chance_of(protocol: str, measured: JsonMapping) -> float | None:
    """Return the chance level of a score; None if unknown, as for V-measure in STEB's protocol."""
    if "auroc" in measured or "auc" in measured:
        return 0.5
    if protocol == STEB:
        if "mrr" in measured:
            return float((1 / np.arange(1, measured["targets"] + 1)).mean())
        return 1 / measured["levels"] if "acc_mean" in measured else None
    chance: Any = measured.get("by_chance", measured.get("chance"))
    return None if chance is None else float(chance["mrr"] if isinstance(chance, dict) else chance)
