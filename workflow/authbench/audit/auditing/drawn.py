"""Draw the texts and queries of a split that an audit scores, and build the split for evaluation.

`authbench evaluate` scores models on the same split where a dataset is not a release.

Each split is scored separately: its queries against its candidates, as it states them, or every text whose author has
another text. From a split with more than `most` texts, whole authors are drawn by a keyed hash until they have that
many texts; if the first author has more, so many of that author's texts are drawn.
"""

from dataclasses import replace

import polars as pl

from authbench.audit.auditing.dataset import ALL, POOL, Dataset
from authbench.build.release.pools import make_pools
from authbench.build.release.relations import relate
from authbench.core.content_words import content_vectors, fit_words
from authbench.core.identity import keyed_hashes
from authbench.core.json_values import JsonObject
from authbench.release.format.columns import PAIRS
from authbench.scoring.evaluation.split import Split, make_split

MOST = 10_000  # texts of a split that are scored
MOST_QUERIES = 2_000
MOST_ANSWERS = 250_000  # to all queries: ranking takes time for each answer and candidate
MOST_POSITIVES = 50  # of a query, in pairs
LETTERS = 20  # of a positive or negative in a matched pool, as release.min_letters_for_query


def draw(dataset: Dataset, split: str, most: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame, int, bool]:
    """Return drawn units and queries of a split, its number of units, and whether all units and queries were drawn."""
    units, whole = draw_units(dataset, split, most, seed)
    asking = queries_of(dataset, split, units)
    asked = draw_queries(asking, seed)
    return units, asked, whole, (units.height, asked.height) == (whole, asking.height)


def draw_units(dataset: Dataset, split: str, most: int, seed: int) -> tuple[pl.DataFrame, int]:
    """Return at most about `most` units of a split, and its number of units; `order` is the position in the file."""
    own = dataset.documents.filter(pl.col("split").is_in([split, POOL]) & (pl.col("content") != ""))
    units = own.group_by("unit", maintain_order=True).agg(
        pl.col("content").str.join("\n"),
        *(pl.col(name).first() for name in ("author", "lang", "genre", "source", "date", "origin", "place", "row")),
        pl.col("candidate", "query").any(),
        pl.col("id").first().alias("first"),
    )
    rank = (pl.col("row").rank("dense").over("place") / (1 + pl.col("row").n_unique().over("place"))).alias("order")
    units = units.rename({"unit": "id"}).with_columns(
        rank, pl.col("lang").fill_null("other"), pl.col("genre", "source").fill_null(ALL), pl.col("date").str.head(10)
    )
    units = units.with_columns(genre=pl.when(pl.col("genre") == "").then(pl.lit(ALL)).otherwise("genre"))
    whole = units.height
    if whole <= most:
        return units, whole
    names = units.select(author=pl.coalesce("author", pl.format("document {}", "id")))["author"]
    sized = units.with_columns(group=names).group_by("group").agg(pl.len(), asks=pl.col("query").any())
    drawn = sized.with_columns(rank=keyed_hashes(seed, "audited authors", sized["group"])).sort("rank", "group")
    kept = drawn.filter(pl.col("len").cum_sum() <= max(most, int(drawn["len"][0])))
    units = units.filter(names.is_in(kept["group"].implode()))
    if units.height > most:
        units = units.filter(keyed_hashes(seed, "audited texts", units["id"]).rank("ordinal") <= most)
    return units, whole


def queries_of(dataset: Dataset, split: str, units: pl.DataFrame) -> pl.DataFrame:
    """Return the units that are queries (`query_id`, `author`, and `answers`: their number), by id.

    Answers are as stated, else all candidates by the query's author.
    """
    asks = units.filter("query").select("author", "candidate", query_id="id")
    if dataset.answers is None:
        of_author = (
            units.filter("candidate").drop_nulls("author").group_by("author").agg(answers=pl.len().cast(pl.Int64))
        )
        counted = asks.join(of_author, on="author").with_columns(pl.col("answers") - pl.col("candidate").cast(pl.Int64))
    else:
        counted = asks.join(_stated(dataset, split, units).group_by("query_id").agg(answers=pl.len()), on="query_id")
    author = pl.coalesce("author", pl.format("author of {}", "query_id"))
    return counted.filter(pl.col("answers") > 0).select("query_id", author, "answers").sort("query_id")


def draw_queries(asking: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return the scored queries: whole authors by a keyed hash, then queries.

    There are at most MOST_QUERIES, with at most MOST_ANSWERS answers in total.
    """
    if asking.height <= MOST_QUERIES and int(asking["answers"].sum()) <= MOST_ANSWERS:
        return asking
    drawn = asking.with_columns(
        by_author=keyed_hashes(seed, "asked authors", asking["author"]),
        by_query=keyed_hashes(seed, "asked", asking["query_id"]),
    ).with_columns(place=pl.col("by_query").rank("ordinal").over("author"))
    drawn = drawn.sort("place", "by_author", "by_query").head(MOST_QUERIES)
    return drawn.filter(pl.col("answers").cum_sum() <= MOST_ANSWERS).select(asking.columns).sort("query_id")


def answers_of(dataset: Dataset, split: str, units: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Return `query_id, candidate_id` of the scored queries."""
    if dataset.answers is None:
        candidates = units.filter("candidate").select("author", candidate_id="id")
        found = asked.join(candidates, on="author").filter(pl.col("query_id") != pl.col("candidate_id"))
    else:
        found = _stated(dataset, split, units).join(asked, on="query_id", how="semi")
    return found.select("query_id", "candidate_id").sort("query_id", "candidate_id")


def _stated(dataset: Dataset, split: str, units: pl.DataFrame) -> pl.DataFrame:
    """Return `query_id, candidate_id` of units as the dataset states them."""
    assert dataset.answers is not None
    found = _of_units(dataset, split, dataset.answers).unique(maintain_order=True)
    candidates, queries = (units.filter(role).select("id") for role in ("candidate", "query"))
    found = found.join(candidates, left_on="candidate_id", right_on="id", how="semi")
    found = found.join(queries, left_on="query_id", right_on="id", how="semi")
    return found.filter(pl.col("query_id") != pl.col("candidate_id"))


def _of_units(dataset: Dataset, split: str, answers: pl.DataFrame) -> pl.DataFrame:
    """Return the units of the answers of a split: `query_id, candidate_id`."""
    unit_of = dataset.documents.select("id", "unit")
    return (
        answers.filter(pl.col("split") == split)
        .join(unit_of, left_on="query_id", right_on="id")
        .join(unit_of, left_on="candidate_id", right_on="id", suffix="_of_candidate")
        .select(query_id="unit", candidate_id="unit_of_candidate")
    )


def build_split(
    dataset: Dataset, split: str, units: pl.DataFrame, asked: pl.DataFrame, whole: bool, seed: int
) -> tuple[Split, list[JsonObject]]:
    """Return the split as evaluations read it, with its stated pools or with pools that are built here."""
    named = units.join(asked.select(id="query_id", known="author"), on="id", how="left", maintain_order="left")
    named = named.with_columns(author_id=pl.coalesce("known", "author", pl.format("author of {}", "id")))
    candidates = named.filter("candidate").select(
        "author_id", "lang", "genre", "content", "source", "token_length", candidate_id="id"
    )
    queries = named.join(asked, left_on="id", right_on="query_id", how="semi").select(
        "author_id", "lang", "genre", "content", "source", "token_length", query_id="id"
    )
    ignored = _of_units(dataset, split, dataset.ignored)
    ignored = ignored.group_by("query_id").agg(ignored_ids=pl.col("candidate_id").unique().sort())
    truth = (
        answers_of(dataset, split, units, asked)
        .join(asked, on="query_id")
        .group_by("query_id", "author")
        .agg(positive_ids="candidate_id")
        .join(ignored, on="query_id", how="left")
        .rename({"author": "author_id"})
        .with_columns(pl.col("ignored_ids").fill_null([]))
        .sort("query_id")
    )
    stated = whole and split in dataset.pairs and split in dataset.positives
    if stated and dataset.pairs[split]["query_id"].is_in(asked["query_id"].implode()).all():
        positives, pairs = dataset.positives[split], dataset.pairs[split]
        kept = pairs.filter("same").group_by("pool").len().sort("pool")
        counts = [{"pool": pool, "positives": None, "kept": count, "stated": True} for pool, count in kept.iter_rows()]
    else:
        positives, pairs, counts = _pools(dataset, split, named, truth, seed)
    found = make_split(split, candidates, queries.drop("author_id"), truth, "", None, positives, pairs)
    dated = found.documents.join(named.select("id", "date"), on="id", how="left", maintain_order="left")
    found = replace(found, documents=dated)
    reference = [name for name in dataset.splits if name not in (split, POOL, "dev", "val", "validation", "test")]
    if reference:
        texts = dataset.documents.filter(pl.col("split").is_in(reference)).head(MOST)
        found = replace(
            found,
            reference=[texts.select("id", "lang", "genre", "source", "content", token_length=pl.lit(1, pl.Int32))
                       .with_columns(pl.col("lang").fill_null("other"), pl.col("genre", "source").fill_null(ALL))],
        )  # fmt: skip
    return found, counts


def _pools(
    dataset: Dataset, split: str, units: pl.DataFrame, truth: pl.DataFrame, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame, list[JsonObject]]:
    """Return relations and pools, built as for a release; a text of an unknown work is a separate work."""
    documents = units.select(
        "id", "author_id", "lang", "genre", "source", "content", "token_length", "date",
        doc_key="id",
        split=pl.lit(split),
        author_kind=pl.lit("person"),
        origin=pl.coalesce("origin", "id"),
        file=pl.col("id"),
        ordinal=pl.lit(0, pl.Int64),
        chunk_start=pl.lit(None, pl.Int64),
        chunk_end=pl.lit(None, pl.Int64),
        candidate="candidate",
    )  # fmt: skip
    shared = bool(documents.join(truth, left_on="id", right_on="query_id", how="semi")["candidate"].any())
    asking = truth.select("query_id", "positive_ids")
    known = documents.filter(pl.col("candidate") | pl.col("id").is_in(asking["query_id"].implode()))
    reference = dataset.documents.filter(pl.col("split") == "train").head(MOST)
    statistics = fit_words([reference.select("lang", "content").fill_null("other")] if reference.height else [known])
    vectors = content_vectors(known.select("lang", "content"), statistics, "words_and_pieces")
    queries = asking.with_columns(pl.col("positive_ids").list.head(MOST_POSITIVES), split=pl.lit(split))
    related = relate(known, queries, shared, vectors).drop("split")
    related = _completed(related, queries)
    pairs, counts = make_pools(known, related, queries, vectors, LETTERS, seed, shared)
    total = counts.group_by("pool").agg(pl.col("positives", "kept").sum()).sort("pool")
    table = [row | {"stated": False} for row in total.iter_rows(named=True)]
    return _completed(related, truth), pairs.cast(PAIRS.schema), table


def _completed(related: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """Return relations of every positive; positives without one, such as texts of other authors, are other works."""
    listed = queries.select("query_id", candidate_id="positive_ids").explode("candidate_id")
    lacking = listed.join(related, on=("query_id", "candidate_id"), how="anti").select(
        "query_id", "candidate_id",
        same_document=pl.lit(False), same_work=pl.lit(False), adjacent=pl.lit(False),
        days=pl.lit(None, pl.Int32), topic_similarity=pl.lit(None, pl.Float32), length_ratio=pl.lit(1.0, pl.Float32),
        years=pl.lit(None, pl.Int32),
    )  # fmt: skip
    return pl.concat([related, lacking.select(pl.col(name).cast(kind) for name, kind in related.schema.items())])
