"""Write the report of the style suite.

operational.csv .md .tex ...   the aggregate tables, one per task, cost, and long texts if both treatments were run
steb_operational.csv ...       the same for the protocol steb, and steb/, its results in STEB's layout
scores.csv                     a row per protocol, model, dataset and task, with chance level, interval and spread
sensitivity.csv                the operational ranking without each dataset
clusters.json                  redundancy clusters, if any: frozen, and reusable in later reports
figures/*.svg                  heat map, trees of datasets
index.html                     the full report as one HTML page
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.presentation.charts import Chart
from authbench.presentation.files import write_table
from authbench.presentation.pages import write_charts
from authbench.presentation.spreadsheets import as_csv
from authbench.presentation.tables import Table, as_markdown
from authbench.storage.atomic import atomic_folder, write_text
from authbench.storage.json_files import write_plain_json
from authbench.style import figures, scores
from authbench.style.collect import Result, collect
from authbench.style.datasets import FIGURES
from authbench.style.entries import STEB, STRICT, Dataset
from authbench.style.page import render
from authbench.style.redundancy import FEWEST_MODELS, read_clusters
from authbench.style.steb import layout
from authbench.style.steb.layout import ACCURACY
from authbench.style.steb.report import LIMITS_OF, other_languages
from authbench.style.steb.report import tables as steb_tables
from authbench.style.tables import Scored, all_tables, chance_of, english, every_score, of_one_treatment


def write_report(
    folders: Sequence[Path], out: Path, datasets: Sequence[Dataset], frozen: Path | None = None, back: str = ""
) -> str:
    """Write the report of the results in `folders` atomically; return its operational table in Markdown.

    Args:
        frozen: a clusters.json of an earlier report; by default, clusters are computed if there are enough models.
        back: the link from the page to the run's index, if there is one.
    """
    results = collect(folders)
    ranked = of_one_treatment(results)
    models = {result.name: result.figures() for result in ranked}
    clusters = read_clusters(frozen) if frozen else scores.freeze(models, english(ranked))
    tables = [*all_tables(results, clusters), *_in_steb(ranked, datasets)]
    values = every_score(results)
    drawn = _charts(ranked, models, values.filter(pl.col("protocol") == STRICT))
    lost = scores.sensitivity(models, english(ranked), clusters)
    with atomic_folder(out) as folder:
        for table in tables:
            write_table(folder, table)
        write_text(folder / "scores.csv", as_csv(values))
        write_text(folder / "sensitivity.csv", as_csv(lost))
        if clusters:
            write_plain_json(folder / "clusters.json", clusters)
        layout.write(folder / STEB, {result.name: result.content.get(STEB, {}) for result in ranked})
        write_charts(folder / "figures", drawn)
        write_text(folder / "index.html", render(ranked, tables, drawn, lost, datasets, clusters, back))
    return as_markdown(tables[0])


def _in_steb(results: Sequence[Result], datasets: Sequence[Dataset]) -> list[Table]:
    """Return the tables of STEB's protocol, if a model was scored by it."""
    scored = {result.name: result.content[STEB] for result in results if result.content.get(STEB)}
    metrics = {
        model: {(task, name): measured for name, cell in cells.items() for task, measured in cell["tasks"].items()}
        for model, cells in scored.items()
    }
    if not scored:
        return []
    kinds = {task: [(task, ends)] for task, ends in LIMITS_OF.items()}
    kinds["order_alignment"].append((ACCURACY, "interval"))
    measures = {
        model: {
            (kind, name): (measured.get(ends), chance_of(STEB, measured))
            for (task, name), measured in own.items()
            for kind, ends in kinds[task]
        }
        for model, own in metrics.items()
    }
    groups = {result.name: result.group for result in results}
    figured = {model: layout.figures(own) for model, own in metrics.items()}
    known = {model: {key: ends for key, (ends, _) in own.items()} for model, own in measures.items()}
    chances = {key: chance for own in measures.values() for key, (_, chance) in own.items()}
    return steb_tables(Scored(figured, groups, known, chances), other_languages(datasets))


def _charts(ranked: Sequence[Result], models: Mapping[str, scores.Figures], values: pl.DataFrame) -> list[Chart]:
    """Return the heat map, and trees of datasets if enough models are available."""
    found = [figures.heat_map(values.filter(pl.col("long_texts") == ranked[0].long_texts))]
    if len(models) >= FEWEST_MODELS:
        for task in FIGURES:
            kind = scores.column_kind(task)
            datasets = scores.shared(models, kind)
            if len(datasets) > 2:
                found.append(figures.dendrogram(task, scores.table(models, kind, datasets), datasets))
    return found
