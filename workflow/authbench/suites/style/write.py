"""Write the report of the style suite: the files that docs/style.md lists."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.core.json_values import JsonMapping
from authbench.core.presentation.charts import Chart
from authbench.core.presentation.files import write_table
from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.pages import environment, write_charts
from authbench.core.presentation.tables import Table, as_text
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.words import listing, plural, spaced
from authbench.models.entries import SANITY
from authbench.reports.leaderboard.verdict import over_controls
from authbench.suites.style import figures, scores, tables
from authbench.suites.style.collect import Result, collect
from authbench.suites.style.datasets import FIGURES
from authbench.suites.style.entries import STEB, STRICT, Dataset
from authbench.suites.style.redundancy import FEWEST_MODELS, FrozenClusters, read_clusters
from authbench.suites.style.steb import layout
from authbench.suites.style.steb.layout import ACCURACY
from authbench.suites.style.steb.report import LIMITS_OF, other_languages
from authbench.suites.style.steb.report import tables as steb_tables

NOT_ASKED = "not asked for"


def write_report(
    folders: Sequence[Path], out: Path, datasets: Sequence[Dataset], frozen: Path | None = None, back: str = ""
) -> str:
    """Write the report of the results in `folders` atomically; return its operational table for a terminal.

    Args:
        frozen: a clusters.json of an earlier report; by default, clusters are computed if there are enough models.
    """
    results = collect(folders)
    ranked = tables.of_one_treatment(results)
    models = {result.name: result.figures() for result in ranked}
    clusters = read_clusters(frozen) if frozen else scores.freeze(models, tables.english(ranked))
    every = [*tables.all_tables(results, clusters), *_in_steb(ranked, datasets)]
    values = tables.every_score(results)
    drawn = _charts(ranked, models, values.filter(pl.col("protocol") == STRICT))
    lost = scores.sensitivity(models, tables.english(ranked), clusters)
    with atomic_folder(out) as folder:
        for table in every:
            write_table(folder, table)
        write_text(folder / "scores.csv", as_csv(values))
        write_text(folder / "sensitivity.csv", as_csv(lost))
        if clusters:
            write_plain_json(folder / "clusters.json", clusters)
        layout.write(folder / STEB, {result.name: result.content.get(STEB, {}) for result in ranked})
        write_charts(folder / "figures", drawn)
        write_text(folder / "index.html", render(ranked, every, drawn, lost, datasets, clusters, back))
    return as_text(every[0])


def _in_steb(results: Sequence[Result], datasets: Sequence[Dataset]) -> list[Table]:
    kinds = {task: [(task, ends)] for task, ends in LIMITS_OF.items()}
    kinds["order_alignment"].append((ACCURACY, "interval"))
    figured, limits = {}, {}
    chances: dict[tuple[str, str], float | None] = {}
    for result in results:
        cells = result.content.get(STEB, {})
        metrics = {(task, name): one for name, cell in cells.items() for task, one in cell["tasks"].items()}
        if cells:
            figured[result.name] = layout.figures(metrics)
            limits[result.name] = {
                (kind, name): one.get(ends) for (task, name), one in metrics.items() for kind, ends in kinds[task]
            }
        chances |= {
            (kind, name): tables.chance_of(STEB, one)
            for (task, name), one in metrics.items()
            for kind, _ in kinds[task]
        }
    if not figured:
        return []
    groups = {result.name: result.group for result in results}
    return steb_tables(tables.Scored(figured, groups, limits, chances), other_languages(datasets))


def _charts(ranked: Sequence[Result], models: Mapping[str, scores.Figures], values: pl.DataFrame) -> list[Chart]:
    found = [figures.heat_map(values.filter(pl.col("long_texts") == ranked[0].long_texts))]
    if len(models) >= FEWEST_MODELS:
        for task in FIGURES:
            kind = scores.column_kind(task)
            datasets = scores.shared(models, kind)
            if len(datasets) > 2:
                found.append(figures.dendrogram(task, scores.table(models, kind, datasets), datasets))
    return found


def render(
    results: Sequence[Result],
    every: Sequence[Table],
    charts: Sequence[Chart],
    sensitivity: pl.DataFrame,
    datasets: Sequence[Dataset],
    clusters: FrozenClusters | None,
    back: str = "",
) -> str:
    """Return the HTML page; `back` is the link to the run's index, if any."""
    listed = _list_datasets(results, datasets)
    page = environment().get_template("style.html.j2")
    return page.render(
        back=back,
        models=[{"name": one.name, "group": one.group, "title": one.content["model"]["title"]} for one in results],
        tables=every,
        pictures=charts,
        sensitivity=sensitivity.to_dicts(),
        listed=listed,
        run=sum(one["run"] for one in listed),
        ran=what_ran(listed),
        finding=_finding(every[0]),
        in_steb=any(one.content.get(STEB) for one in results),
        settings=results[0].content["settings"],
        versions=results[0].content["versions"],
        unverified=sorted({why for one in results if (why := one.content.get("release", {}).get("reason"))}),
        frozen=clusters,
        fewest=FEWEST_MODELS,
    )


def _finding(table: Table) -> str:
    sides: dict[bool, dict[str, float]] = {False: {}, True: {}}
    for row in table.rows:
        if row.group != tables.OF_CHANCE and row.cells[-1].value is not None:
            sides[row.group == SANITY][row.cells[0].text] = row.cells[-1].value
    return over_controls(table.title.lower(), sides[False], sides[True], lambda one, other: None)


def what_ran(listed: Sequence[Mapping[str, object]]) -> str:
    """Return a sentence listing which datasets were and were not run."""
    run = [one for one in listed if one["run"]]
    paper, paper_run = ([one for one in part if one["paper"]] for part in (listed, run))
    others = len(run) - len(paper_run)
    asked_not = sum(not one["run"] and one["why"] == NOT_ASKED for one in listed)
    lacking = len(listed) - len(run) - asked_not
    what = plural(others, "dataset")
    if paper:
        part = "" if len(paper_run) == len(paper) else f"{len(paper_run)} of the "
        what = f"{part}{plural(len(paper), 'dataset')} of STEB" + (f" and {plural(others, 'other')}" if others else "")
    missing = [plural(lacking, "has no files here", "have no files here")] if lacking else []
    missing += [plural(asked_not, "was not asked for", "were not asked for")] if asked_not else []
    rest = f"; of the rest, {listing(missing)} (see the list below)" if missing else ""
    return f"The models were run on {what}{rest}."


def _list_datasets(results: Sequence[Result], datasets: Sequence[Dataset]) -> list[dict[str, object]]:
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
            vars(one)
            | {
                "languages": ", ".join(one.languages),
                "tasks": ", ".join(_task_name(task, cell) for task in one.tasks),
                "run": cell is not None,
                "texts": cell["texts"] if cell else None,
                "why": "" if cell else absent.get(one.name, NOT_ASKED),
            }
        )
    return found


def _task_name(task: str, cell: JsonMapping | None) -> str:
    """Return a task's name, with why it has no score; for probing, with the feature extractor."""
    found = cell["tasks"].get(task, {}) if cell else {}
    said = [found["measured_by"]] if "measured_by" in found else []
    said += [f"no score: {found['undefined']}"] if "undefined" in found else []
    return spaced(task) + (f" ({'; '.join(said)})" if said else "")
