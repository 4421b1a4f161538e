"""A part of a finished release as a benchmark of its own: its queries, relations and pools among the kept documents.

No text becomes a query that was none, as after a takedown: a query stays as long as its text and a positive do, so that
scores on the part and on the whole are of the same questions. Relations and pools are made anew, since the words that
topics are told by, and the negatives, are those of the part. Documents are known by their ids: a release has no keys.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import csr_matrix, vstack

from authbench.content_words import COLUMNS, content_vectors, fit_words
from authbench.dedup.containment import ContainmentSettings, contained_pairs
from authbench.format.columns import GROUND_TRUTH
from authbench.format.release import Release, concat
from authbench.format.splits import reference_splits, scored_splits
from authbench.release.contents import pair_up
from authbench.release.letters import has_letters
from authbench.release.queries import choose_queries

_PLAIN: Mapping[str, Any] = {  # of a release whose manifest states none
    "queries_in_candidates": True,
    "queries_per_author": "all",
    "min_documents_for_query": 1,
    "min_letters_for_query": 1,
    "positives": "other_work",
}


@dataclass(frozen=True)
class Part:
    """`documents` are the rows of the provenance that are kept, with `asks`; the rest is as in `contents.Contents`."""

    documents: pl.DataFrame
    queries: pl.DataFrame
    positives: pl.DataFrame
    pairs: pl.DataFrame
    pools: pl.DataFrame


def part_of(release: Release, kept: pl.DataFrame) -> Part:
    """Return the part of a release that holds some of its documents.

    Texts that share much of their wording are those that the release ignores, and those that are found among the kept
    ones of the scored splits; people who are possibly one are those whose texts ignore each other.

    Memory: the provenance, 0.5 KB of content words for each text of a split, and the long texts of the scored splits.

    Args:
        release: the complete release.
        kept: the rows of its provenance that stay, sorted by id.
    """
    config = release.manifest["config"]
    settings, seed = {**_PLAIN, **config["release"]}, release.seed
    documents = kept.with_columns(pl.col("id").alias("doc_key")).join(
        _asking(release, kept["id"], settings["min_letters_for_query"]), on="id", how="left", maintain_order="left"
    )
    truth = pl.concat(
        concat(release.rows(split, GROUND_TRUTH), GROUND_TRUTH).with_columns(split=pl.lit(split))
        for split in release.splits
    )
    alike = pl.concat([ignored_pairs(truth, kept["id"]), _contained(release, kept, config["split"])]).unique()
    possibly_one = possibly_one_by_truth(truth, kept)
    asked = set(truth["query_id"]) & set(kept["id"])
    queries = choose_queries(documents, settings, seed, alike, asked, possibly_one)
    vectors_of = partial(_vectors, release, kept["id"])
    paired = pair_up(documents, queries, settings, release.splits, seed, vectors_of, alike, possibly_one)
    return Part(documents, queries, *paired)


def texts_of(release: Release, splits: Sequence[str], ids: pl.Series) -> Iterator[pl.DataFrame]:
    """Yield id, lang and content of the documents of some splits that are among `ids`, in batches."""
    wanted = ids.implode()
    for split in splits:
        for batch in release.texts(split):
            yield batch.filter(pl.col("id").is_in(wanted)).select("id", "lang", "content")


def _asking(release: Release, ids: pl.Series, letters: int) -> pl.DataFrame:
    """Return whether each text has letters enough for a query: frame(id, asks)."""
    found = [
        batch.select("id", asks=has_letters("content", letters)) for batch in texts_of(release, release.splits, ids)
    ]
    return pl.concat([pl.DataFrame(schema={"id": pl.String, "asks": pl.Boolean}), *found])


def ignored_pairs(truth: pl.DataFrame, ids: pl.Series) -> pl.DataFrame:
    """Return each query with the texts that it ignores: frame(a, b)."""
    pairs = truth.select(a="query_id", b="ignored_ids").explode("b").drop_nulls()
    return pairs.filter(pl.col("a").is_in(ids.implode()) & pl.col("b").is_in(ids.implode())).cast(pl.String)


def _contained(release: Release, kept: pl.DataFrame, split: Mapping[str, Any]) -> pl.DataFrame:
    """Return long texts of the scored splits that contain much of each other: frame(a, b)."""
    settings = ContainmentSettings(**split.get("containment") or {})
    ids = kept.filter(pl.col("char_length") >= settings.min_chars)["id"]
    texts = [pl.DataFrame(schema={"id": pl.String, "lang": pl.String, "content": pl.String})]
    texts += texts_of(release, scored_splits(release.splits), ids)
    long = pl.concat(texts).join(kept.select("id", origin_id="origin"), on="id", how="left", maintain_order="left")
    return contained_pairs(long.rename({"id": "doc_key"}), settings).pairs.select("a", "b").cast(pl.String)


def possibly_one_by_truth(truth: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of authors all of whose texts the other's queries ignore: frame(a, b)."""
    authors = kept.select("id", "split", b="author_id")
    sizes = authors.group_by("split", "b").len("texts")
    queries = truth.group_by("split", "author_id").len("queries")
    ignored = truth.select("split", "query_id", "author_id", id="ignored_ids").explode("id").drop_nulls()
    other = ignored.cast({"id": pl.String}).join(authors, on=("id", "split")).filter(pl.col("author_id") != pl.col("b"))
    met = other.group_by("split", "author_id", "b").agg(pl.len().alias("met"))
    both = met.join(sizes, on=("split", "b")).join(queries, on=("split", "author_id"))
    every = both.filter(pl.col("met") == pl.col("texts") * pl.col("queries"))
    return every.select(a="author_id", b="b").unique().sort("a", "b")


def _vectors(release: Release, everyone: pl.Series, split: str, texts: pl.DataFrame) -> Any:
    """Return the content words of a split's texts, rows in their order, fitted on the kept texts of its references."""
    references = reference_splits(release.splits, split)
    statistics = fit_words(texts_of(release, references, everyone))
    kept = [pl.Series("id", [], pl.String)]
    parts: list[Any] = [csr_matrix((0, COLUMNS), dtype=np.float32)]
    for batch in texts_of(release, (split,), texts["id"]):
        kept.append(batch["id"])
        parts.append(content_vectors(batch, statistics))
    row = {ident: place for place, ident in enumerate(pl.concat(kept))}
    return vstack(parts, format="csr")[[row[ident] for ident in texts["id"]]]
