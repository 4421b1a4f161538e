"""Decide which documents of two releases are kept in their merge, and why others are removed.

The first release is unchanged, except for texts that the list or the second took down and, with `drop_all`, texts of
disputed authors. A document of the second is removed for the first applicable reason:

- `taken_down`: the given takedown list contains it;
- `taken_down_elsewhere`: the first release took it, or its author, down;
- `same_document`: the first has it, by the digest of its key, with the same or another text;
- `exact_duplicate`, `near_duplicate`: the first has its text, or a near-duplicate at `dedup.threshold`; with `drop_all`
  both are removed if the authors differ (`cross_author_duplicate`);
- `author_in_another_split`: the first, which takes precedence, has its author in another split;
- `person_in_another_split`: the same for an author who is possibly the same person;
- `work_in_another_split`: the first has texts of its work in another split;
- `similar_in_another_split`, `contained_in_another_split`: the first has a similar or containing text in another split
  (`split.leak_threshold`, `split.containment`);
- `beyond_documents_per_author`: its author would exceed the maximum number of documents;
- `author_with_too_few_documents`: its author has too few remaining documents.
"""

from collections.abc import Set
from dataclasses import dataclass

import polars as pl

from authbench.build.labels.shared import labels_that_share_texts
from authbench.build.release.part import possibly_one_by_truth
from authbench.build.release.takedown import is_taken_down
from authbench.build.sample.reservoir import AUTHOR
from authbench.build.split.leakage import Leaks
from authbench.config.settings.data import DataConfig
from authbench.config.settings.sample import Sample
from authbench.publish.merging.sides import Side

GONE = pl.Schema({"id": pl.String, "reason": pl.String, "by": pl.String})
REASONS = (
    *("taken_down", "taken_down_elsewhere", "same_document"),
    *("exact_duplicate", "near_duplicate", "cross_author_duplicate"),
    *("author_in_another_split", "person_in_another_split", "work_in_another_split"),
    *("similar_in_another_split", "contained_in_another_split"),
    *("beyond_documents_per_author", "author_with_too_few_documents"),
)
_LETTER = r"\p{L}"


@dataclass(frozen=True)
class Settled:
    """The decisions of a merge.

    Attributes:
        gone: the removed documents (GONE), sorted by id, a row each; `by` is the document of the other release that
            caused the removal, if any.
        disputed: ids of kept texts with a removed copy by another author; they are not scored.
        possibly_one: pairs of authors (a, b) who are possibly the same person.
    """

    gone: pl.DataFrame
    disputed: pl.Series
    possibly_one: pl.DataFrame


def settle(first: Side, second: Side, leaks: Leaks, config: DataConfig, takedown: Set[str] = frozenset()) -> Settled:
    """Decide on every document of both. Ids are merged ids; `leaks` covers all texts of the merge.

    Args:
        second: the other release, with ids that the first does not use.
        leaks: similar and contained texts of both (`split.leakage.find_leaks`).
        takedown: author ids and SHA-256 of contents to exclude.
    """
    ours, theirs = (side.documents.select(*AUTHOR, "id", "split", "origin") for side in (first, second))
    pairs = _between(leaks.similar, ours, theirs)
    near = pairs.filter(pl.col("similarity") >= config["dedup"]["threshold"])
    copies = near.filter(pl.col("author_id") != pl.col("author_id_first"))
    shared = config["release"]["queries_in_candidates"]
    possibly_one = pl.concat(
        [
            *(possibly_one_by_truth(side.truth, side.documents, shared) for side in (first, second)),
            _sharing(first, second, near),
        ]
    ).unique().sort("a", "b")  # fmt: skip
    drop_all = config["dedup"]["cross_author_duplicates"] == "drop_all"
    found = [
        _taken_down(second, first, takedown),
        _same_documents(first, second),
        _copies(near, first, second, drop_all),
        _of_persons(ours, theirs, possibly_one),
        _where_first(theirs, ours, "origin", "work_in_another_split"),
        _apart(pairs, "similar_in_another_split"),
        _apart(_between(leaks.contained, ours, theirs), "contained_in_another_split"),
    ]
    own = [_taken_down(first, second, takedown)]
    if drop_all:
        own.append(copies.select(id="first", reason=pl.lit("cross_author_duplicate"), by="second"))
    gone = _firsts([*found, *own])
    gone = _firsts([gone, *_numbers(ours, theirs, gone, config["sample"])])
    same = gone.filter(pl.col("reason") == "same_document")["id"]
    disputed = copies.filter(~pl.col("second").is_in(same.implode()))["first"].unique().sort()
    return Settled(gone, disputed.filter(~disputed.is_in(gone["id"].implode())), possibly_one)


def _between(pairs: pl.DataFrame, ours: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of a text of the second release with a text of the first, and the columns of both.

    The first's columns have the suffix `_first`.
    """
    one = pairs.rename({"a": "first", "b": "second"})
    both = pl.concat([one, one.rename({"first": "second", "second": "first"}).select(one.columns)])
    known = theirs.rename({"id": "second"})
    both = both.join(known, on="second").join(ours.rename({"id": "first"}), on="first", suffix="_first")
    return both.sort("second", "first")


def _taken_down(side: Side, other: Side, takedown: Set[str]) -> pl.DataFrame:
    """Return the documents that the takedown list contains, or that the other release took down.

    An author of such a document whom the other's lock lacks was taken down there, hence with all other documents.
    """
    keys = other.taken_down
    elsewhere = pl.Series([side.key_of[ident] in keys for ident in side.documents["id"]], dtype=pl.Boolean)
    known = other.lock["authors"].keys() | set(other.documents["author_id"])
    authors = sorted(set(side.documents.filter(elsewhere)["author_id"]) - known)
    elsewhere |= side.documents["author_id"].is_in(authors)
    listed = is_taken_down(takedown)
    reason = pl.when(listed).then(pl.lit("taken_down")).otherwise(pl.lit("taken_down_elsewhere"))
    return side.documents.filter(listed | elsewhere).select("id", reason=reason, by=pl.lit(None, pl.String))


def _same_documents(first: Side, second: Side) -> pl.DataFrame:
    mine = {first.key_of[ident]: ident for ident in first.documents["id"]}
    rows = [
        (ident, "same_document", mine[key]) for ident in second.documents["id"] if (key := second.key_of[ident]) in mine
    ]
    return pl.DataFrame(rows, GONE, orient="row")


def _copies(near: pl.DataFrame, first: Side, second: Side, drop_all: bool) -> pl.DataFrame:
    """Return copies of texts of the first release, each with the nearest original as cause."""
    own, others = (side.documents.select("id", "content_sha256") for side in (first, second))
    near = near.join(own.rename({"id": "first", "content_sha256": "own"}), on="first")
    near = near.join(others.rename({"id": "second", "content_sha256": "other"}), on="second")
    exact, alike = pl.lit("exact_duplicate"), pl.lit("near_duplicate")
    reason = pl.when(pl.col("own") == pl.col("other")).then(exact).otherwise(alike)
    if drop_all:
        disputed = (pl.col("author_id") != pl.col("author_id_first")).any().over("second")
        reason = pl.when(disputed).then(pl.lit("cross_author_duplicate")).otherwise(reason)
    nearest = near.with_columns(reason=reason).sort("second", "similarity", "first", descending=[False, True, False])
    once = nearest.unique("second", keep="first", maintain_order=True)
    return once.select(id="second", reason="reason", by="first")


def _of_persons(ours: pl.DataFrame, theirs: pl.DataFrame, possibly_one: pl.DataFrame) -> pl.DataFrame:
    """Return the second's documents of persons that the first has in another split."""
    both_ways = pl.concat([possibly_one, possibly_one.select(a="b", b="a")])
    places = ours.select("author_id", "split").unique()
    persons = places.join(both_ways, left_on="author_id", right_on="a").select(author_id="b", split="split")
    rows = []
    for reason, known in (("author_in_another_split", places), ("person_in_another_split", persons)):
        met = theirs.join(known.unique(), on="author_id", suffix="_first")
        met = met.filter(pl.col("split") != pl.col("split_first"))
        rows.append(met.select("id", reason=pl.lit(reason), by=pl.lit(None, pl.String)))
    return pl.concat(rows)


def _where_first(theirs: pl.DataFrame, ours: pl.DataFrame, column: str, reason: str) -> pl.DataFrame:
    met = theirs.join(ours, on=column, suffix="_first").filter(pl.col("split") != pl.col("split_first"))
    return met.select("id", reason=pl.lit(reason), by="id_first")


def _apart(pairs: pl.DataFrame, reason: str) -> pl.DataFrame:
    return pairs.filter(pl.col("split") != pl.col("split_first")).select(id="second", reason=pl.lit(reason), by="first")


def _numbers(ours: pl.DataFrame, theirs: pl.DataFrame, gone: pl.DataFrame, sample: Sample) -> list[pl.DataFrame]:
    """Return the second's documents beyond the maximum per author, and of authors with too few, within AUTHOR."""
    stays = ~pl.col("id").is_in(gone["id"].implode())
    place = pl.concat(
        rows.filter(stays).select(*AUTHOR, "id", own=pl.lit(own)) for rows, own in ((ours, True), (theirs, False))
    )
    ranked = place.sort(~pl.col("own"), "id").with_columns(rank=pl.int_range(pl.len()).over(AUTHOR))
    beyond = ranked.filter(~pl.col("own") & (pl.col("rank") >= sample["max_documents_per_author"]))
    left = ranked.filter(~pl.col("id").is_in(beyond["id"].implode()))
    fallback, usual = sample["fallback_documents_per_author"], sample["min_documents_per_author"]
    least = usual if fallback is None else min(usual, fallback)
    few = left.filter(~pl.col("own") & (pl.len().over(AUTHOR) < least))
    reasons = ("beyond_documents_per_author", "author_with_too_few_documents")
    return [
        rows.select("id", reason=pl.lit(reason), by=pl.lit(None, pl.String))
        for rows, reason in zip((beyond, few), reasons, strict=True)
    ]


def _sharing(first: Side, second: Side, near: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of authors of the two releases who share so many texts that they are possibly the same person."""
    copies = near.select(doc_key="second", stand_in="first")
    wanted = pl.concat([copies["doc_key"], copies["stand_in"]]).unique().implode()
    texts = pl.concat(
        side.documents.filter(pl.col("id").is_in(wanted)).select(
            "source", "author_id", doc_key="id", letters=pl.col("content").str.count_matches(_LETTER).cast(pl.Int64)
        )
        for side in (first, second)
    )
    return labels_that_share_texts(copies, texts)


def _firsts(found: list[pl.DataFrame]) -> pl.DataFrame:
    """Return a row per document, with the first of its reasons in the order of REASONS."""
    rank = {reason: place for place, reason in enumerate(REASONS)}
    rows = pl.concat(rows.cast(GONE).select(GONE.names()) for rows in found)
    placed = rows.with_columns(rank=pl.col("reason").replace_strict(rank, return_dtype=pl.Int64))
    ordered = placed.sort("id", "rank", "by", nulls_last=True)
    return ordered.unique("id", keep="first", maintain_order=True).select(GONE.names())
