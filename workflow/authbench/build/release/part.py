"""Make a benchmark from a part of a finished release: queries, relations and pools among the kept documents.

As after a takedown, no text becomes a query. A query stays if its text and a positive stay, hence scores on the part
and on the whole are for the same questions. Relations and pools are recomputed, since the content words that measure
topics, and the negatives, come from the part. Documents are identified by id, because a release has no keys. The
release's texts are read once, and the kept texts are stored in columnar files until the part is made.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import polars as pl

from authbench.build.dedup.containment import contained_pairs
from authbench.build.release.contents import pair_up
from authbench.build.release.queries import choose_queries
from authbench.config.registry.entries import default_settings
from authbench.config.settings.release import Release as Settings
from authbench.config.settings.split import Split
from authbench.core.arrays import Sparse
from authbench.core.content_words import EARLIER, Topic, WordStatistics, content_vectors_of_batches, fit_words
from authbench.core.letters import Least, has_letters
from authbench.core.storage.parquet import read_batches, write_batches
from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, QUERIES
from authbench.release.format.names import reference_splits, scored_splits
from authbench.release.format.release import Release
from authbench.release.format.tables import concat

_TEXTS = pl.Schema({"id": pl.String, "lang": pl.String, "content": pl.String})
# The columns needed to make a part; `scored`, which a release may lack, is optional.
OF_PROVENANCE = (
    *("id", "split", "source", "lang", "genre", "author_id", "author_kind", "origin", "date", "file", "ordinal"),
    *("chunk_start", "chunk_end", "token_length", "char_length"),
)
_PLAIN: Mapping[str, object] = {  # of a release whose manifest states no settings
    "queries_in_candidates": True,
    "queries_per_author": "all",
    "min_documents_for_query": 1,
    "min_letters_for_query": 1,
    "positives": "other_work",
}


@dataclass(frozen=True)
class Part:
    """Hold a part: `documents` are the kept rows (id, split, author_id), the rest is as in `contents.Contents`."""

    documents: pl.DataFrame
    queries: pl.DataFrame
    positives: pl.DataFrame
    pairs: pl.DataFrame
    pools: pl.DataFrame


def part_of(release: Release, kept: pl.DataFrame, scratch: Path) -> Part:
    """Return the part of a release with some of its documents.

    Texts that share much of their wording are taken from the release's ignored texts and found again among the kept
    texts of the scored splits. Authors are possibly the same person if their texts ignore each other.

    Memory: `kept`, 2 KB of content words for each text of a split, and the long texts of the scored splits.

    Args:
        release: the complete release.
        kept: the rows of its provenance that stay, sorted by id, with OF_PROVENANCE at least.
        scratch: a folder for the kept texts while the part is made; it takes half their size.
    """
    with TemporaryDirectory(dir=scratch) as folder:
        texts = {split: Path(folder, f"{number}.parquet") for number, split in enumerate(release.splits)}
        for split, path in texts.items():
            write_batches(path, _TEXTS, _kept_texts(release, split, kept.filter(pl.col("split") == split)["id"]))
        return _part_of(release, kept, texts)


def _kept_texts(release: Release, split: str, ids: pl.Series) -> Iterator[pl.DataFrame]:
    """Yield the requested documents of a split (_TEXTS) in batches: candidates first, then the other queries."""
    absent = ids
    for table in (CANDIDATES, QUERIES):
        wanted = absent.implode()
        for batch in release.rows(split, table) if len(absent) else ():
            texts = batch.rename({table.ident: "id"}).filter(pl.col("id").is_in(wanted))
            absent = absent.filter(~absent.is_in(texts["id"].implode()))
            yield texts.select(_TEXTS.names())


def _part_of(release: Release, kept: pl.DataFrame, texts: Mapping[str, Path]) -> Part:
    """Return the part of a release; `texts` are its files of texts by split."""
    config = release.manifest["config"]
    settings, seed = cast(Settings, {**_PLAIN, **config["release"]}), release.seed
    documents = kept.with_columns(pl.col("id").alias("doc_key")).join(
        _asking(texts, settings["min_letters_for_query"]), on="id", how="left", maintain_order="left"
    )
    truth = pl.concat(
        concat(release.rows(split, GROUND_TRUTH), GROUND_TRUTH).with_columns(split=pl.lit(split))
        for split in release.splits
    )
    alike = pl.concat([ignored_pairs(truth, kept["id"]), _contained(texts, kept, config["split"])]).unique()
    possibly_one = possibly_one_by_truth(truth, kept, settings["queries_in_candidates"])
    asked = set(truth["query_id"]) & set(kept["id"])
    del truth
    queries = choose_queries(documents, settings, seed, alike, asked, possibly_one)
    fitted = cache(partial(_fit_words, texts))
    vectors_of = partial(_vectors, texts, fitted, settings.get("topic", EARLIER))
    paired = pair_up(documents, queries, settings, release.splits, seed, vectors_of, alike, possibly_one)
    return Part(documents.select("id", "split", "author_id"), queries, *paired)


def _asking(texts: Mapping[str, Path], letters: Least) -> pl.DataFrame:
    """Return whether each text has enough letters for a query: frame(id, asks)."""
    return pl.concat(
        batch.select("id", asks=has_letters("content", letters)) for batch in read_batches(list(texts.values()))
    )


def ignored_pairs(truth: pl.DataFrame, ids: pl.Series) -> pl.DataFrame:
    """Return each query with its ignored texts: frame(a, b)."""
    pairs = truth.select(a="query_id", b="ignored_ids").explode("b").drop_nulls()
    return pairs.filter(pl.col("a").is_in(ids.implode()) & pl.col("b").is_in(ids.implode())).cast(pl.String)


def _contained(texts: Mapping[str, Path], kept: pl.DataFrame, split: Split) -> pl.DataFrame:
    """Return pairs of long texts in the scored splits that contain much of each other: frame(a, b)."""
    settings = split.get("containment") or default_settings()["split"]["containment"]
    ids = kept.filter(pl.col("char_length") >= settings["min_chars"])["id"].implode()
    scored = [texts[name] for name in scored_splits(list(texts))]
    found = pl.concat(batch.filter(pl.col("id").is_in(ids)) for batch in read_batches(scored))
    long = found.join(kept.select("id", origin_id="origin"), on="id", how="left", maintain_order="left")
    return contained_pairs(long.rename({"id": "doc_key"}), settings).pairs.select("a", "b").cast(pl.String)


def possibly_one_by_truth(truth: pl.DataFrame, kept: pl.DataFrame, queries_in_candidates: bool) -> pl.DataFrame:
    """Return pairs of authors where all queries of `a` ignore all candidates of `b`: frame(a, b)."""
    authors = kept.select("id", "split", b="author_id")
    if not queries_in_candidates:
        authors = authors.filter(~pl.col("id").is_in(truth["query_id"].implode()))
    sizes = authors.group_by("split", "b").len("texts")
    queries = truth.group_by("split", "author_id").len("queries")
    ignored = truth.select("split", "query_id", "author_id", id="ignored_ids").explode("id").drop_nulls()
    other = ignored.cast({"id": pl.String}).join(authors, on=("id", "split")).filter(pl.col("author_id") != pl.col("b"))
    met = other.group_by("split", "author_id", "b").agg(pl.len().alias("met"))
    both = met.join(sizes, on=("split", "b")).join(queries, on=("split", "author_id"))
    every = both.filter(pl.col("met") == pl.col("texts") * pl.col("queries"))
    return every.select(a="author_id", b="b").unique().sort("a", "b")


def _fit_words(texts: Mapping[str, Path], splits: tuple[str, ...]) -> WordStatistics:
    return fit_words(read_batches([texts[split] for split in splits]))


def _vectors(
    texts: Mapping[str, Path],
    fitted: Callable[[tuple[str, ...]], WordStatistics],
    topic: Topic,
    split: str,
    documents: pl.DataFrame,
) -> Sparse:
    """Return the content words of texts of a split, rows in their order, fitted on the kept texts of its references."""
    statistics = fitted(tuple(reference_splits(list(texts), split)))
    kept = [pl.Series("id", [], pl.String)]

    def batches() -> Iterator[pl.DataFrame]:
        for batch in read_batches([texts[split]]):
            own = batch.filter(pl.col("id").is_in(documents["id"].implode()))
            kept.append(own["id"])
            yield own

    found = content_vectors_of_batches(batches(), statistics, topic)
    ids = pl.concat(kept)
    if ids.equals(documents["id"]):
        return found
    row = {ident: place for place, ident in enumerate(ids)}
    return found[[row[ident] for ident in documents["id"]]]
