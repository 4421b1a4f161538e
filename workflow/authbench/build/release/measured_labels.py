"""Report the measurements of author labels, as rows and in words."""

from collections.abc import Iterator, Sequence

import polars as pl

from authbench.build.labels.decision import IMPURE, UNMEASURED, in_words
from authbench.build.release.words import Sources, title
from authbench.config.settings.ingest import Authors
from authbench.core.words import decimal, listing, percent, plural
from authbench.release.format.columns import STATISTICS
from authbench.release.format.findings import LabelRow

ESTIMATORS = {
    "same_item": "one item on two days",
    "account": "accounts behind a label",
    "voices": "marks of other voices",
    "stated": "stated by a reference",
}
Rows = Sequence[LabelRow]


def labels_table(rows: Rows) -> pl.DataFrame:
    """Return statistics/labels.csv."""
    schema = STATISTICS["labels"]
    return pl.DataFrame([tuple(map(row.get, schema)) for row in rows], schema, orient="row")


def label_rows(rows: Rows) -> list[dict[str, object]]:
    """Return the rows of the report's table of labels, without sources that have no labels."""
    return [
        {
            "source": row["source"],
            "labels": row["labels"],
            "texts": row["texts"],
            "estimator": ESTIMATORS.get(row["estimator"] or "", "none"),
            "impurity": _interval(row),
            "decision": in_words(row["decision"], row["estimator"], row["impurity"]),
        }
        for row in rows
        if row["labels"] or row["estimator"]
    ]


def about_measured_labels(documents: pl.DataFrame, sources: Sources, rows: Rows, authors: Authors) -> Iterator[str]:
    """Yield warnings on labels that several people are known to share, or for which this is unknown."""
    if not rows:
        return
    if authors.get("max_impurity") is None:
        yield "No label was judged (authors.max_impurity): labels that several people share may be scored."
        return
    people = documents.filter(pl.col("author_kind") != "work")
    per_source = dict(people.group_by("source").len().iter_rows())
    if unknown := sorted({row["source"] for row in rows if row["decision"] == UNMEASURED} & per_source.keys()):
        share = sum(per_source[tag] for tag in unknown) / max(documents.height, 1)
        named = listing(title(tag, sources) for tag in unknown)
        yield (
            f"How often two texts of one label are by two people could not be measured in {named}: "
            f"{percent(share)} of the documents. They are scored all the same; an estimator of the source entry "
            "(author.impurity) would tell, and authors.max_impurity decide."
        )
    if shared := [row for row in rows if row["decision"] == IMPURE and row["source"] in per_source]:
        each = (f"{row['source']} ({_how_many(row)})" for row in shared)
        yield (
            f"Labels of {listing(each)} stand for several people too often or hold other voices: they only train "
            "(authors.max_impurity)."
        )


def _how_many(row: LabelRow) -> str:
    labels = plural(row["labels"], "label")
    return labels if row["impurity"] is None else f"{labels}, impurity {_interval(row)}"


def _interval(row: LabelRow) -> str:
    if row["impurity"] is None:
        return "–"
    value = decimal(row["impurity"])
    low, high = row["low"], row["high"]
    return value if low is None or high is None else f"{value} ({decimal(low)} to {decimal(high)})"
