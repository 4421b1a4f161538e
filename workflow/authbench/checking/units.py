"""Check that authors and works are in one split, with as many documents as the settings require."""

from collections.abc import Iterator

import polars as pl

from authbench.checking.claims import Finding
from authbench.checking.rows import Rows
from authbench.checking.rules import Rules


def check_units(release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield authors and origins across splits, and wrong numbers of documents (a takedown may leave fewer)."""
    documents = release.documents.filter(pl.col("author_id").is_not_null())
    if rules.unit == "author":
        yield from _across("author_in_splits", documents.select("author_id", "split"))
    provenance = release.provenance
    if provenance is not None:
        yield from _across("origin_in_splits", provenance.select("origin", "split").drop_nulls())
    for lang, source, author, count in _author_sizes(documents).iter_rows():
        if count < rules.min_documents and not rules.may_have_lost(author):
            yield Finding("too_few_documents", author, f"{count} of {lang} {source}, least {rules.min_documents}")
        if count > rules.max_documents:
            yield Finding("too_many_documents", author, f"{count} of {lang} {source}, most {rules.max_documents}")


def _author_sizes(documents: pl.DataFrame) -> pl.DataFrame:
    """Return documents per author within language and source: frame(lang, source, author_id, len)."""
    return documents.group_by("lang", "source", "author_id").len().sort("lang", "source", "author_id")


def _across(code: str, table: pl.DataFrame) -> Iterator[Finding]:
    unit = table.columns[0]
    spread = table.unique().group_by(unit).agg(pl.col("split").sort()).filter(pl.col("split").list.len() > 1).sort(unit)
    for ident, splits in spread.iter_rows():
        yield Finding(code, ident, " and ".join(splits))
