"""Write the tables and figures of a paper: the files that docs/tables.md lists. Equal numbers give equal bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from authbench.core.errors import InputError
from authbench.core.funnel import FunnelRow
from authbench.core.presentation.charts import Chart
from authbench.core.presentation.files import write_table
from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.latex import escaped
from authbench.core.presentation.pages import environment, write_charts
from authbench.core.presentation.tables import Table
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.words import nearest
from authbench.release.format import files
from authbench.release.format.release import Release
from authbench.release.reading.typed_csv import read_rows
from authbench.reports.leaderboard.collect import Result, collect, expect_of_release
from authbench.reports.tables.composition import composition_tables
from authbench.reports.tables.documents import examples, examples_json, examples_table, read_contents
from authbench.reports.tables.figures import composition_charts, score_charts
from authbench.reports.tables.models import DEFAULT, Choice, models_table
from authbench.reports.tables.scores import adjusted_table, chosen, overall_table, slice_tables, topic_table
from authbench.reports.tables.sources import known_sources, licences_table, resources_table, sources_table
from authbench.scoring.train.curves import by_score, slice_charts

_DOCUMENT = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\fi
\usepackage[margin=2cm]{geometry}
\usepackage{booktabs,graphicx,xcolor}
\begin{document}
"""


@dataclass(frozen=True)
class Part:
    """Hold a part of the page: its tables, its figures, and further files by name."""

    title: str
    tables: Sequence[Table]
    charts: Sequence[Chart]
    files: Mapping[str, str] = field(default_factory=dict)


def render(name: str, parts: Sequence[Part], lacking: Mapping[str, str], back: str = "") -> str:
    """Return the page; `lacking` lists what is missing, with reasons; `back` links to the index of the run."""
    shown = [(part.title, part.tables, part.charts, list(part.files)) for part in parts]
    return environment().get_template("tables.html.j2").render(back=back, name=name, parts=shown, lacking=dict(lacking))


def document(tables: Sequence[Table], charts: Sequence[Chart]) -> str:
    """Return a LaTeX document that includes every table and figure, to compile in their folder."""
    lines = [rf"\input{{tables/{table.name}.tex}}\clearpage" for table in tables]
    for chart in charts:
        caption = f"{escaped(chart.title)}. {escaped(chart.description)}"
        lines += [
            r"\begin{figure}\centering",
            rf"\includegraphics[width=\linewidth]{{figures/{chart.name}.pdf}}",
            rf"\caption{{{caption}}}\label{{fig:{chart.name.replace('_', '-')}}}",
            r"\end{figure}\clearpage",
        ]
    return _DOCUMENT + "\n".join(lines) + "\n" + r"\end{document}" + "\n"


TABLES, FIGURES = "tables", "figures"
_FUNNEL = pl.Schema({"source": pl.String, "stage": pl.String, "reason": pl.String, "documents": pl.Int64})


@dataclass(frozen=True)
class Written:
    """Count the tables and figures, and give the reason for each that could not be made."""

    tables: int
    figures: int
    lacking: Mapping[str, str]


def write_tables(
    scores: Sequence[Path],
    release: Release | None,
    out: Path,
    choice: Choice = DEFAULT,
    trainings: Sequence[pl.DataFrame] = (),
    back: str = "",
    base: Path = Path(),
) -> Written:
    """Write the tables and figures of a release and of models that were evaluated on it.

    Args:
        scores: folders of `authbench evaluate`, or submissions; none: only the release.
        release: what the scores are of; None: only the scores.
        out: the folder, which is replaced.
        trainings: curves of trainings (`train.records.CURVES`).
        base: the working directory, whose source entries come first.

    Raises:
        InputError: results cannot be used, or are not of this release.
    """
    with TemporaryDirectory() as unpacked:
        found = collect(scores, Path(unpacked)) if scores else []
        _expect_models(found, choice)
        results = chosen(found, choice)
        if release and results:
            expect_of_release(results, release)
        parts = [*_release_parts(release, results, base), *_score_parts(results, choice)]
    if trainings:
        together = pl.concat(trainings)
        parts.append(Part("Training", [], [*by_score(together), *slice_charts(together)]))
    tables = [table for part in parts for table in part.tables]
    charts = [chart for part in parts for chart in part.charts]
    lacking = _lacking(release, results, trainings)
    with atomic_folder(out) as folder:
        for name in (TABLES, FIGURES):
            (folder / name).mkdir()
        for table in tables:
            write_table(folder / TABLES, table)
        write_charts(folder / FIGURES, charts, ("png", "pdf"))
        for part in parts:
            for name, text in part.files.items():
                write_text(folder / name, text)
        write_text(folder / "contents.csv", as_csv(_contents(tables, charts)))
        write_text(folder / "paper.tex", document(tables, charts))
        write_text(folder / "index.html", render(_name(release, results), parts, lacking, back))
    return Written(len(tables), len(charts), lacking)


def _release_parts(release: Release | None, results: Sequence[Result], base: Path) -> list[Part]:
    if release is None:
        return []
    contents = read_contents(release)
    sources = known_sources(contents.documents["source"].unique().to_list(), base)
    tiers = {tag: source.license.tier for tag, source in sources.items()} | contents.tiers
    split = str(results[0].scores["benchmark"]["split"]) if results else release.splits[-1]
    records = examples(release, split, tiers, release.seed)
    funnel = _funnel(release)
    read = _records_read(funnel)
    of_sources = [sources_table(contents, sources, read), licences_table(contents, sources)]
    of_sources.append(resources_table(release, contents))
    return [
        Part(
            "The benchmark",
            [*composition_tables(contents), examples_table(records)],
            composition_charts(contents, funnel),
            {"examples.jsonl": examples_json(records)},
        ),
        Part("Sources", of_sources, []),
    ]


def _score_parts(results: Sequence[Result], choice: Choice) -> list[Part]:
    if not results:
        return []
    by_slice, long = slice_tables(results, choice)
    overall = [overall_table(results, choice), topic_table(results, choice), adjusted_table(results, choice)]
    return [
        Part("Results", [*overall, models_table(results)], score_charts(results, choice)),
        Part("Results by slice", by_slice, [], {"slices.csv": as_csv(long)}),
    ]


def _expect_models(results: Sequence[Result], choice: Choice) -> None:
    known = [one.name for one in results]
    for name in choice.models:
        if name not in known:
            raise InputError(
                f"There are no scores of a model {name!a:.80}{nearest(name, known) or '.'} Expected one of "
                f"{', '.join(known) or 'none: no scores were given'}."
            )


def _funnel(release: Release) -> pl.DataFrame | None:
    path = release.folder / files.FUNNEL
    if not path.is_file():
        return None
    return pl.DataFrame(read_rows(path, FunnelRow), schema=_FUNNEL)


def _records_read(funnel: pl.DataFrame | None) -> dict[str, int]:
    if funnel is None:
        return {}
    entered = funnel.filter((pl.col("stage") == "ingest") & (pl.col("reason") == "in"))
    return dict(entered.group_by("source").agg(pl.col("documents").sum()).sort("source").iter_rows())


def _lacking(release: Release | None, results: Sequence[Result], trainings: Sequence[pl.DataFrame]) -> dict[str, str]:
    """Return what the papers contain and this folder lacks, with the reason."""
    lacking: dict[str, str] = {}
    if release is None:
        lacking["composition, sources, example records"] = "no release was given (--release)"
    elif not (release.folder / files.FUNNEL).is_file():
        lacking["the figure of the construction"] = "the release has no funnel.csv"
    if not results:
        lacking["results"] = "no scores were given"
    if not trainings:
        lacking["the figures of training"] = "no curves were given (--curves)"
    return lacking


def _contents(tables: Sequence[Table], charts: Sequence[Chart]) -> pl.DataFrame:
    rows: list[object] = [("table", table.name, table.title, f"{TABLES}/{table.name}.tex") for table in tables]
    rows += [("figure", chart.name, chart.title, f"{FIGURES}/{chart.name}.pdf") for chart in charts]
    schema = dict.fromkeys(("kind", "name", "title", "file"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _name(release: Release | None, results: Sequence[Result]) -> str:
    if release is not None:
        return str(release.manifest.get("name") or release.folder.name)
    return str(results[0].scores["benchmark"].get("name") or "results") if results else "nothing"
