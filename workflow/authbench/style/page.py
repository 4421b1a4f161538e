"""The results of the style suite as one HTML page that loads nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from authbench.presentation.charts import Chart
from authbench.presentation.pages import environment, pictures
from authbench.presentation.tables import Table
from authbench.style.collect import Result
from authbench.style.entries import Dataset
from authbench.style.redundancy import FEWEST_MODELS


def render(
    results: Sequence[Result],
    tables: Sequence[Table],
    charts: Sequence[Chart],
    sensitivity: pl.DataFrame,
    datasets: Sequence[Dataset],
    clusters: Mapping[str, Any] | None,
    back: str = "",
) -> str:
    """Return the HTML page; `back` is the link to the index of the run, if it is of one."""
    listed = _list_datasets(results, datasets)
    return (
        environment()
        .get_template("style.html.j2")
        .render(
            back=back,
            models=[{"name": one.name, "group": one.group, "title": one.content["model"]["title"]} for one in results],
            tables=tables,
            pictures=pictures(charts),
            sensitivity=sensitivity.to_dicts(),
            listed=listed,
            run=sum(one["run"] for one in listed),
            paper=sum(one["paper"] for one in listed),
            paper_run=sum(one["paper"] and one["run"] for one in listed),
            settings=results[0].content["settings"],
            versions=results[0].content["versions"],
            unverified=sorted({why for one in results if (why := one.content.get("release", {}).get("reason"))}),
            frozen=clusters,
            fewest=FEWEST_MODELS,
        )
    )


def _list_datasets(results: Sequence[Result], datasets: Sequence[Dataset]) -> list[dict[str, Any]]:
    """Return every known dataset with its metadata and why it was not run; those that were run come first."""
    cells = {name: cell for result in results for name, cell in result.content["datasets"].items()}
    absent = {name: why for result in results for name, why in result.content["not_run"].items()}
    found = []
    for one in sorted(datasets, key=lambda dataset: (dataset.name not in cells, dataset.attribute, dataset.name)):
        cell = cells.get(one.name)
        found.append(
            {
                "name": one.name,
                "title": one.title,
                "attribute": one.attribute,
                "languages": ", ".join(one.languages),
                "tasks": ", ".join(_task_name(task, cell) for task in one.tasks),
                "licence": one.licence,
                "paper": one.paper,
                "tried": one.tried,
                "run": cell is not None,
                "texts": cell["texts"] if cell else None,
                "why": "" if cell else absent.get(one.name, "not asked for"),
                "acquire": one.acquire,
            }
        )
    return found


def _task_name(task: str, cell: Mapping[str, Any] | None) -> str:
    """Return a task's name; for probing, with what measured its features."""
    measured = cell["tasks"].get(task, {}).get("measured_by") if cell else None
    return task.replace("_", " ") + (f" ({measured})" if measured else "")
