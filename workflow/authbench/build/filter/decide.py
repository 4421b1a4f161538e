"""Decide which documents are unusable, and for which reasons, by the rules of `filter_rules`."""

import polars as pl

from authbench.build.filter.scripts import written_in
from authbench.config.filter_rules import dropped, filter_rules
from authbench.config.settings.filter import Filter
from authbench.core.errors import InputError
from authbench.core.records import REMOVED

STAGE = "filter"


def apply_filters(documents: pl.DataFrame, settings: Filter) -> pl.DataFrame:
    """Return the REMOVED rows of all dropped documents: a row for every reason, in the order of the rules.

    `documents` has `source, doc_key, lang, genre, task, token_length` and the columns of `measure.MEASURES`, and
    `posts_per_day` and `template_share` (see `activity`) if their thresholds are set, and the columns of
    plug-ins. `settings` is the section `filter` of the configuration. Raises InputError for an invalid setting.
    """
    numbered = documents.with_row_index("place")
    latin, han = map(written_in, ("Latin", "Han"))
    removed = [pl.DataFrame(schema={"place": pl.UInt32, **REMOVED})]
    for rule, setting in filter_rules(settings):
        if setting is not None:
            threshold, applies = dropped(rule, setting, latin, han)
            judged = rule.reason in ("wrong_script", "wrong_language")
            row = {
                "stage": pl.lit(STAGE),
                "reason": pl.lit(rule.reason),
                "value": pl.col(rule.column).cast(pl.Float64),
                "threshold": threshold.cast(pl.Float64),
                "detail": pl.col("langid") if judged else pl.lit(None, pl.String),
            }
            removed.append(numbered.filter(applies).select("place", "source", "doc_key", **row))
    return pl.concat(removed).sort("place", maintain_order=True).select(REMOVED.names())


def beside(documents: pl.DataFrame, measures: pl.DataFrame) -> pl.DataFrame:
    """Return documents with their measurements, given in the same order. Raises InputError if the orders differ."""
    if not documents["doc_key"].equals(measures["doc_key"]):
        raise InputError("Measurements and documents do not belong together; delete filter/measures, to measure anew")
    return documents.hstack(measures.drop("doc_key"))


def dropped_by_language(documents: pl.DataFrame, removed: pl.DataFrame) -> dict[str, int]:
    """Return how many documents of each language are removed, each counted once, whatever the number of its reasons."""
    gone = documents.filter(pl.col("doc_key").is_in(removed["doc_key"].implode()))
    return dict(gone.group_by("lang").len().sort("lang").iter_rows())
