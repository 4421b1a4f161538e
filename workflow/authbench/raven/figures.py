"""Draw RAVEN's charts: scores by sampling, topic shortcuts, stability of rankings, similarity of topics."""

from collections.abc import Mapping, Sequence

import polars as pl

from authbench.presentation.charts import Chart
from authbench.presentation.numbers import decimals
from authbench.presentation.palette import BLUE, GREY, ORANGE, VERMILION, Mark
from authbench.presentation.plots import Curve, Value, curves, dots, value_bars
from authbench.presentation.tables import Table
from authbench.raven.verdict import LEANS, REFERENCE, UNSHOWN, WITHHELD

SAMPLINGS = {"HITS": Mark(BLUE), "Random": Mark(ORANGE, "s")}


def charts(tables: Sequence[Table]) -> list[Chart]:
    """Return all charts, drawn from the tables' data."""
    data: Mapping[str, pl.DataFrame] = {table.name: table.data for table in tables}
    return [
        scores(data["table_2_scores"]),
        _shortcut(data["table_11_shortcut"]),
        _stability(data["table_4_stability"]),
        similarity(data["table_7_similarity"]),
    ]


def scores(rows: pl.DataFrame) -> Chart:
    """Return two dots per verifier, for HITS and Random, with one standard deviation on each side."""
    groups: dict[str, list[Value]] = {}
    for verifier in rows["verifier"].unique(maintain_order=True):
        for sampling, mark in SAMPLINGS.items():
            here = (pl.col("verifier") == verifier) & (pl.col("sampling") == sampling)
            row = rows.row(by_predicate=here, named=True)
            mean, spread = row["overall"], row["overall_sd"]
            known = spread == spread
            value = Value(
                label=sampling,
                value=mean,
                mark=mark,
                tip=f"{verifier}, {sampling}: {mean:.3f} ± {spread:.3f}",
                low=mean - spread if known else None,
                high=mean + spread if known else None,
            )
            groups.setdefault(verifier, []).append(value)
    about = "Means over folds with one standard deviation."
    return dots("scores", "Overall on HITS and on Random topics", about, SAMPLINGS, groups)


def _shortcut(rows: pl.DataFrame) -> Chart:
    """Return a bar per verifier: Random minus HITS, coloured where the difference is significant."""
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
    """Return a bar per dataset: the correlations' mean over measures."""
    values = [
        Value(
            label=name,
            value=value,
            mark=SAMPLINGS["HITS" if name == "HITS" else "Random"],
            tip=f"{name}: {decimals(value)}",
            note=decimals(value),
        )
        for name, value in rows.select("dataset", "average").iter_rows()
    ]
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
    return curves("similarity", title, about, lines, "topics", "cosine", x_ticks=rows["topics"].to_list(), tall=220)
