"""Read the documents of a release without their texts, and count queries and positives."""

from dataclasses import dataclass

import polars as pl

from authbench.format.columns import CANDIDATES, QUERIES
from authbench.format.release import Release
from authbench.records import length_bucket_expr

_STATED = ("id", "split", "source", "lang", "genre", "author_id", "token_length", "length_bucket")


@dataclass(frozen=True)
class Contents:
    """Hold what tables need of a release; some 300 bytes a document are in memory, and no text.

    Attributes:
        documents: a row per document: `id`, `split`, `source`, `lang`, `genre`, `primary`, `author_id`, `token_length`
            and `length_bucket`.
        splits: a row per split: `split`, `candidates`, `queries`, `positives`.
        tiers: the tier of each source as the release states it.
        licences: the licence of each source, likewise.
    """

    documents: pl.DataFrame
    splits: pl.DataFrame
    tiers: dict[str, str]
    licences: dict[str, str]


def read_contents(release: Release) -> Contents:
    """Read the content of a release from its provenance if it has one, else from its texts, a batch at a time."""
    if release.has_provenance and set(_STATED) <= set(release.provenance.columns):
        documents = release.provenance.select(_STATED)
    else:
        known = [name for name in _STATED if name != "length_bucket"]
        batches = (batch.select(known) for split in release.splits for batch in release.texts(split))
        documents = pl.concat(list(batches)).with_columns(length_bucket=length_bucket_expr("token_length"))
    documents = documents.with_columns(
        pl.col("genre").str.split("/").list.first().alias("primary"),
        pl.col("length_bucket").fill_null(length_bucket_expr("token_length")),
    ).sort("id")
    tiers, licences = _terms(release)
    return Contents(documents, _splits(release), tiers, licences)


def _splits(release: Release) -> pl.DataFrame:
    rows = []
    for split in release.splits:
        truth = release.truth(split)
        candidates = sum(batch.height for batch in release.rows(split, CANDIDATES))
        query_count = sum(batch.height for batch in release.rows(split, QUERIES))
        rows.append((split, candidates, query_count, int(truth["positive_ids"].list.len().sum())))
    schema = {"split": pl.String, "candidates": pl.Int64, "queries": pl.Int64, "positives": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _terms(release: Release) -> tuple[dict[str, str], dict[str, str]]:
    """Return tier and licence by source, from the manifest or else the provenance."""
    stated = release.manifest.get("licences") or {}
    if stated:
        tiers = {tag: str(terms["tier"]) for tag, terms in stated.items()}
        return tiers, {tag: str(terms["name"]) for tag, terms in stated.items()}
    if not release.has_provenance or not {"tier", "licence"} <= set(release.provenance.columns):
        return {}, {}
    terms = release.provenance.select("source", "tier", "licence").drop_nulls().unique("source").sort("source")
    return dict(terms.select("source", "tier").iter_rows()), dict(terms.select("source", "licence").iter_rows())
