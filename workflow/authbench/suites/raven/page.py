"""Write the report of a RAVEN run.

raven/report/index.html      every table and figure on a self-contained page
raven/report/table_*.csv .md .tex the paper's tables, in its order
raven/report/scores.csv      every measure of every subset, verifier and fold
raven/report/figures/*.svg   the figures
raven/report/release.json    whether the release is verified, if the documents are from a release
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.config.settings.evaluate import Raven
from authbench.core.json_values import JsonObject
from authbench.core.presentation.charts import Chart
from authbench.core.presentation.files import write_table
from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.numbers import decimals
from authbench.core.presentation.pages import environment, write_charts
from authbench.core.presentation.palette import BLUE, GREY, ORANGE, VERMILION, Mark
from authbench.core.presentation.plots import Curve, Scale, Value, curves, dots, value_bars
from authbench.core.presentation.tables import Table, as_text
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.suites.raven.covariates import limits_in_words
from authbench.suites.raven.results import Run
from authbench.suites.raven.subsets import MAIN, SHARED
from authbench.suites.raven.tables import all_tables
from authbench.suites.raven.verdict import LEANS, REFERENCE, UNSHOWN, WITHHELD, not_comparable, shared_topics

SAMPLINGS = {"HITS": Mark(BLUE), "Random": Mark(ORANGE, "s")}


def charts(tables: Sequence[Table]) -> list[Chart]:
    data: Mapping[str, pl.DataFrame] = {table.name: table.data for table in tables}
    always = [
        scores(data["table_2_scores"]),
        _shortcut(data["table_11_shortcut"]),
        _stability(data["table_4_stability"]),
    ]
    by_size = data["table_7_similarity"]
    return [*always, *([similarity(by_size)] if by_size.height > 1 else [])]  # a line needs two sizes


def scores(rows: pl.DataFrame) -> Chart:
    """Return two dots per verifier, for HITS and Random, with a standard deviation on each side."""
    groups: dict[str, list[Value]] = {}
    for verifier in rows["verifier"].unique(maintain_order=True):
        for sampling, mark in SAMPLINGS.items():
            here = (pl.col("verifier") == verifier) & (pl.col("sampling") == sampling)
            row = rows.row(by_predicate=here, named=True)
            mean, spread = row["overall"], row["overall_sd"]
            tip = f"{verifier}, {sampling}: {mean:.3f} ± {spread:.3f}"
            limits = (None, None) if math.isnan(spread) else (mean - spread, mean + spread)
            groups.setdefault(verifier, []).append(Value(sampling, mean, mark, tip, *limits))
    about = "Means over folds with one standard deviation."
    return dots("scores", "Overall on HITS and on Random topics", about, SAMPLINGS, groups)


def _shortcut(rows: pl.DataFrame) -> Chart:
    marks = {LEANS: Mark(VERMILION), UNSHOWN: Mark(GREY), WITHHELD: Mark(ORANGE), REFERENCE: Mark(BLUE)}
    values = []
    for row in rows.iter_rows(named=True):
        loss = row["random"] - row["hits"]
        note = decimals(loss, signed=True)
        mark = marks[row["verdict"]]
        values.append(Value(row["verifier"], loss, mark, f"{row['verifier']}: {note}", note=note))
    about = "Overall on Random topics less Overall on HITS topics; a verifier that needs no topics has nothing to lose."
    legend = {name: marks[name].colour for name in rows["verdict"].unique(maintain_order=True)}
    return value_bars("shortcut", "What a verifier loses where topics are unlike", about, values, legend)


def _stability(rows: pl.DataFrame) -> Chart:
    values = []
    for name, value in rows.select("dataset", "average").iter_rows():
        mark, note = SAMPLINGS["HITS" if name == "HITS" else "Random"], decimals(value)
        values.append(Value(name, value, mark, f"{name}: {note}", note=note))
    about = "Spearman's correlation of rankings, mean over pairs of folds and measures; 1 is the same on every fold."
    return value_bars("stability", "Stability of rankings", about, values)


def similarity(rows: pl.DataFrame) -> Chart:
    """Return mean and maximum similarity over the number of topics, for HITS and Random."""
    lines = []
    for sampling, mark in SAMPLINGS.items():
        for key, dash in (("mean", "-"), ("max", "--")):
            known = rows.select("topics", pl.col(f"{key}_{sampling.lower()}").alias("value")).drop_nulls()
            drawn = Mark(mark.colour, mark.marker, dash)
            name = f"{sampling}, {'mean' if key == 'mean' else 'maximum'}"
            lines.append(Curve(name, known["topics"].to_list(), known["value"].to_list(), drawn, points=True))
    about = "Cosine of the vectors of train and test topics: mean and maximum of each fold, means over folds."
    title = "Similarity of train and test topics"
    topics = Scale("topics", ticks=rows["topics"].to_list())
    return curves("similarity", title, about, lines, topics, Scale("cosine"), tall=220)


def write_report(run: Run, settings: Raven, out: Path, verification: JsonObject, back: str = "") -> str:
    """Write the report into the folder `out` atomically; return the shortcut table for a terminal.

    Args:
        verification: whether the release of the documents is verified; empty without a release.
    """
    tables = all_tables(run)
    drawn = charts(tables)
    with atomic_folder(out) as folder:
        for table in tables:
            write_table(folder, table)
        write_text(folder / "scores.csv", as_csv(run.scores))
        write_charts(folder / "figures", drawn)
        if verification:
            write_plain_json(folder / "release.json", verification)
        write_text(folder / "index.html", render(run, {**settings, **verification}, tables, drawn, back))
    return as_text(next(table for table in tables if table.name == "table_11_shortcut"))


def render(
    run: Run, settings: Mapping[str, object], tables: Sequence[Table], drawn: Sequence[Chart], back: str = ""
) -> str:
    shortcut = next(table for table in tables if table.name == "table_11_shortcut").data
    page = environment().get_template("raven.html.j2")
    return page.render(
        back=back,
        main=run.facts[MAIN],
        documents=settings["documents"],
        verifiers=run.verifiers,
        seeds=len(run.random()),
        leaning=shortcut.filter(shortcut["verdict"] == LEANS)["verifier"].to_list(),
        withheld=not_comparable(run),
        shared=shared_topics(run) if shared_topics(run) > SHARED else None,
        limits=limits_in_words(run.facts[MAIN]),
        settings=settings,
        tables=tables,
        pictures=drawn,
        unscored=_unscored(run),
    )


def _unscored(run: Run) -> list[str]:
    missing = (
        run.scores.filter(run.scores["overall"].is_null()).select("subset", "fold").unique().sort("subset", "fold")
    )
    return [f"fold {fold} of {subset}" for subset, fold in missing.iter_rows()]
