"""Decide which sources and labels may be scored."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from authbench.build.labels import estimators
from authbench.build.labels.count import add_cells, add_labels
from authbench.build.labels.decision import AUTHORS, IMPURE, UNMEASURED, decide
from authbench.build.labels.estimators import UNKNOWN, Estimate
from authbench.config.registry.source_entry import Impurity
from authbench.core.storage.parquet import scan_columns
from authbench.release.format.columns import STATISTICS

LEAST_TEXTS = 3  # minimum texts of a label in the statistics

MEASURES = pl.Schema({"label": pl.UInt64, "measure": pl.Float64})


def judge_labels(
    labels: Sequence[pl.DataFrame],
    cells: Sequence[pl.DataFrame],
    rules: Mapping[str, Impurity | None],
    limit: float | None,
    mask_sizes: tuple[int, int],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the decision on every label (AUTHORS), and the measurements per source and decision (STATISTICS).

    A source's interval decides (`decision.decide`) on the source and all its labels. Labels can also be measured
    individually: a label with two accounts more often than `limit`, or with more marks of other voices than its entry
    allows, is impure.

    Memory: about 150 bytes per label of each shard, and 50 per text of a source whose estimator compares texts. Results
    do not depend on the distribution of texts over shards.

    Args:
        labels, cells: results of `count.count_texts` for each shard.
        rules: how the labels of each source are measured, by tag.
        limit: the highest impurity of a scored label; None: no decisions, every label is unmeasured.
        mask_sizes: minimum and maximum texts of a mask (author kind `masked`) that may be sampled; other labels are not
            limited.
    """
    everybody, places = add_labels(labels), add_cells(cells)
    judged = [AUTHORS.to_frame()]
    rows: list[tuple[object, ...]] = []
    for tag, rule in sorted(rules.items()):
        own = everybody.filter(pl.col("source") == tag)
        people = own.filter(pl.col("author_kind") != "work")
        compared = places.filter(pl.col("source") == tag)
        found = _measure(people, compared, rule, mask_sizes)
        whole = decide(found.estimate.low, found.estimate.high, limit)
        decided = people.join(found.labels, on="label", how="left").with_columns(_by_label(rule, limit, whole))
        judged.append(
            own.join(decided.select("label", "decision"), on="label", how="left")
            .with_columns(pl.col("decision").fill_null(UNMEASURED))
            .select(AUTHORS.names())
        )
        rows += _statistics(tag, decided, rule, found.estimate, whole, limit)
    return pl.concat(judged).sort("source", "author_id"), pl.DataFrame(rows, schema=STATISTICS["labels"], orient="row")


def read_impure(path: str | Path) -> pl.DataFrame:
    """Return `source, author_id` of the impure labels in a table of decisions (AUTHORS)."""
    return scan_columns([path]).filter(pl.col("decision") == IMPURE).select("source", "author_id").collect()


@dataclass(frozen=True)
class _Found:
    """Measurements of a source and its individual labels (MEASURES): a share, or marks per 1,000 words."""

    estimate: Estimate = UNKNOWN
    labels: pl.DataFrame = field(default_factory=MEASURES.to_frame)


def _measure(people: pl.DataFrame, cells: pl.DataFrame, rule: Impurity | None, mask_sizes: tuple[int, int]) -> _Found:
    match rule:
        case Impurity("same_item"):
            sampled = (pl.col("author_kind") != "masked") | pl.col("texts").is_between(*mask_sizes)
            return _Found(estimators.same_item(cells.join(people.filter(sampled), on="label", how="semi")))
        case Impurity("account"):
            shares = estimators.two_accounts(cells.join(people, on="label", how="semi"))
            return _Found(estimators.account(shares["measure"]), shares)
        case Impurity("voices"):
            return _Found(labels=people.select("label", measure=estimators.voices_per_1000_words()).drop_nulls())
        case Impurity("stated", value=float() | int() as value):
            return _Found(estimators.stated(float(value)))
    return _Found()


def _by_label(rule: Impurity | None, limit: float | None, whole: str) -> pl.Expr:
    """Return the decision on each label: impure if its measurement is too high, else the source's decision."""
    if limit is None or rule is None or rule.estimator not in ("account", "voices"):
        return pl.lit(whole).alias("decision")
    most = limit if rule.estimator == "account" else rule.per_1000_words
    return pl.when(pl.col("measure") > most).then(pl.lit(IMPURE)).otherwise(pl.lit(whole)).alias("decision")


def _statistics(
    tag: str, decided: pl.DataFrame, rule: Impurity | None, estimate: Estimate, whole: str, limit: float | None
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a source (STATISTICS): a row, and another for labels with another decision.

    The latter's impurity is the mean of the labels' measurements, if these are probabilities.
    """
    large = decided.filter(pl.col("texts") >= LEAST_TEXTS)
    estimator = None if rule is None else rule.estimator
    for decision in sorted({*large["decision"]} or {whole}):
        these = large.filter(pl.col("decision") == decision)
        shown = (estimate.impurity, estimate.low, estimate.high)
        if decision != whole and estimator == "account":
            shown = (round(math.fsum(these["measure"]) / these.height, estimators.DIGITS), None, None)
        sizes = these.height, int(these["texts"].sum())
        yield tag, *sizes, estimator, *shown, None if limit is None else decision
