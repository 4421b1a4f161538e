"""Render the style suite's results as a self-contained HTML page."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from authbench.presentation.charts import Chart
from authbench.presentation.pages import environment, pictures
from authbench.presentation.tables import Table
from authbench.style.collect import Result
from authbench.style.entries import STEB, Dataset
from authbench.style.redundancy import FEWEST_MODELS, FrozenClusters


def render(
    results: Sequence[Result],
    tables: Sequence[Table],
    charts: Sequence[Chart],
    sensitivity: pl.DataFrame,
    datasets: Sequence[Dataset],
    clusters: FrozenClusters | None,
    back: str = "",
) -> str:
    """Return the HTML page; `back` is the link to the run's index, if there is one."""
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
            ran=what_ran(listed),
            in_steb=any(one.content.get(STEB) for one in results),
            settings=results[0].content["settings"],
            versions=results[0].content["versions"],
            unverified=sorted({why for one in results if (why := one.content.get("release", {}).get("reason"))}),
            frozen=clusters,
            fewest=FEWEST_MODELS,
        )
    )


def what_ran(listed: Sequence[Mapping[str, object]]) -> str:
    """Return one sentence listing which datasets were and were not run."""
    run = [one for one in listed if one["run"]]
    paper, paper_run = ([one for one in part if one["paper"]] for part in (listed, run))
    others = len(run) - len(paper_run)
    asked_not = [one for one in listed if not one["run"] and one["why"] == NOT_ASKED]
    lacking = len(listed) - len(run) - len(asked_not)
    if paper:
        all_of_them = len(paper_run) == len(paper)
        what = f"{len(paper_run)} {'' if all_of_them else f'of the {len(paper)} '}dataset"
        what += f"{'' if all_of_them and len(paper) == 1 else 's'} of STEB"
        what += f" and {others} other{'s' if others > 1 else ''}" if others else ""
    else:
        what = f"{others} dataset{'' if others == 1 else 's'}"
    missing = []
    if lacking:
        missing.append(f"{lacking} {'has' if lacking == 1 else 'have'} no files here")
    if asked_not:
        missing.append(f"{len(asked_not)} {'was' if len(asked_not) == 1 else 'were'} not asked for")
    rest = f"; of the rest, {' and '.join(missing)} (see the list below)" if missing else ""
    return f"The models were run on {what}{rest}."


NOT_ASKED = "not asked for"


def _list_datasets(results: Sequence[Result], datasets: Sequence[Dataset]) -> list[dict[str, Any]]:
    """Return every known dataset with its metadata and why it was not run; those run come first."""
    cells = {
        name: cell
        for result in results
        for part in (STEB, "datasets")
        for name, cell in result.content.get(part, {}).items()
    }
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
                "obtained": one.obtained,
                "run": cell is not None,
                "texts": cell["texts"] if cell else None,
                "why": "" if cell else absent.get(one.name, NOT_ASKED),
                "acquire": one.acquire,
            }
        )
    return found


def _task_name(task: str, cell: Mapping[str, Any] | None) -> str:
    """Return a task's name; for probing, with the feature extractor."""
    measured = cell["tasks"].get(task, {}).get("measured_by") if cell else None
    return task.replace("_", " ") + (f" ({measured})" if measured else "")
