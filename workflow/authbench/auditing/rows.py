"""What sanity rows score on a dataset, in its own pools and in matched ones, and what its size can show.

A row that reads no style and scores above chance says that the dataset tells authors by something else. Each split is
scored by itself: its queries against its candidates, as it states them, or every text whose author has another one.

A split with more than `most` texts is scored on a part: whole authors, by a keyed hash, until they have so many texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from authbench.arrays import BOOL, F64
from authbench.auditing.dataset import ALL, POOL, Dataset
from authbench.content_words import content_vectors, fit_words
from authbench.errors import InputError
from authbench.evaluation.gain import OVERALL, Scored, compare
from authbench.evaluation.headline import Authors, headline
from authbench.evaluation.released import HEADLINES, NO_PAIRS
from authbench.evaluation.retrieval import cosine, rank
from authbench.evaluation.run import RELEASED, queries_table, ranked
from authbench.evaluation.scores import per_query_values, summarise
from authbench.evaluation.slices import SLICES
from authbench.evaluation.split import Split, make_split
from authbench.evaluation.verification import draw_negatives
from authbench.identity import keyed_hashes
from authbench.metrics.auc import auc
from authbench.metrics.bootstrap import author_weights, interval
from authbench.models.entries import MODELS, ModelEntry
from authbench.models.open import open_model
from authbench.models.parameters import IdsParameters
from authbench.models.shortcuts import id_vectors
from authbench.registry.load import load_entry
from authbench.release.pools import make_pools
from authbench.release.relations import relate
from authbench.tokens import Tokenizer

NAMES = ("random", "metadata", "format", "edges", "content-words", "punctuation", "masked", "ids")
ORDER = "order"  # nearness of lines; the row `ids` takes the numbers in ids
MOST = 10_000  # texts of a split that are scored
MOST_QUERIES = 2_000
LONGEST = 20_000  # characters of a text that rows read
LETTERS = 20  # of a positive or negative in a matched pool, as release.min_letters_for_query
FEWEST_AUTHORS = 2  # of a score; for an interval evaluation.scores asks for 20
MOST_POSITIVES = 50  # of a query that pairs are made of
_SCORES = {"success@1": "success@1", "success@5": "success@5", "mrr": "mrr", "eer": "eer",
           "eer_same_language": "eer_same_language"}  # fmt: skip
_LACKING = {NO_PAIRS: "no positive has enough negatives that are like it"}
LOWER_IS_BETTER = frozenset({"eer", "eer_same_language"})


@dataclass(frozen=True)
class Measured:
    """What was measured of a split.

    Attributes:
        split: its name.
        rows: a mapping per row: `row`, `about`, `shortcut`, `scores` by name, each `value`, `low`, `high`, `chance`.
        pools: by pool how many positives have enough negatives, and how many have not.
        power: the smallest differences that a test with these queries shows, by score.
        gains: what `punctuation` and `masked` score above the best shortcut.
        about: sizes: texts, queries, authors, and `of` how many texts where a part was scored.
        left_out: why something could not be measured.
    """

    split: str
    rows: Sequence[Mapping[str, Any]]
    pools: Sequence[Mapping[str, Any]]
    power: Mapping[str, Any]
    gains: Sequence[Mapping[str, Any]]
    about: Mapping[str, Any]
    left_out: Sequence[str] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "split": self.split, "rows": list(self.rows), "pools": list(self.pools), "power": dict(self.power),
            "gains": list(self.gains), "about": dict(self.about), "left_out": list(self.left_out),
        }  # fmt: skip


def measure(dataset: Dataset, tokenizer: Tokenizer, most: int = MOST, seed: int = 0) -> Iterator[Measured]:
    """Yield what rows score on each split that has queries. Memory: vectors of `most` texts, and 160 MB of scores."""
    entries = {name: load_entry(MODELS, name) for name in NAMES}
    for split in dataset.splits:
        if split != POOL:
            yield _measure_split(dataset, split, entries, tokenizer, most, seed)


def _measure_split(
    dataset: Dataset, split: str, entries: Mapping[str, ModelEntry], tokenizer: Tokenizer, most: int, seed: int
) -> Measured:
    units, whole = _units(dataset, split, most, seed)
    answers = _answers(dataset, split, units)
    asked = _asked(answers, units, seed)
    about: dict[str, Any] = {"texts": units.height}
    if units.height < whole:
        about["of"] = whole
    problems = dataset.problems.filter((pl.col("split") == split) & pl.col("one").is_not_null())
    if not asked.height and not problems.height:
        return Measured(split, [], [], {}, [], about, ("no query has an answer in this split, so no row is scored",))
    counted = units.with_columns(
        pl.Series("token_length", tokenizer.count(units["content"]), pl.Int32),
        content=pl.col("content").str.slice(0, LONGEST),
    )
    about |= {"queries": asked.height, "authors": asked["author"].n_unique(), "problems": problems.height}
    left_out: list[str] = []
    scored: dict[str, dict[str, Any]] = {}
    pools: list[dict[str, Any]] = []
    power: dict[str, Any] = {}
    gains: list[dict[str, Any]] = []
    if asked.height:
        whole_split = units.height == whole and asked.height == answers["query_id"].n_unique()
        built, counts = _build(dataset, split, counted, answers, asked, whole_split, seed)
        pools = counts
        scored, power, gains, missing = _score(built, entries, dataset.has_order, seed)
        left_out += missing
    if problems.height:
        for name, cell in _score_pairs(problems, counted, entries, seed):
            scored.setdefault(name, {})["pairs_auc"] = cell
    rows = [
        {
            "row": name,
            "about": entries[name].title if name in entries else "Nearness of lines in the files",
            "shortcut": name not in entries or entries[name].shortcut,
            "scores": scored[name],
        }
        for name in (*NAMES, ORDER)
        if scored.get(name)
    ]
    return Measured(split, rows, pools, power, gains, about, tuple(left_out))


def _units(dataset: Dataset, split: str, most: int, seed: int) -> tuple[pl.DataFrame, int]:
    """Return the units of a split, at most about `most`, and how many it has; `order` is the place in its file."""
    own = dataset.documents.filter(pl.col("split").is_in([split, POOL]) & (pl.col("content") != ""))
    units = own.group_by("unit", maintain_order=True).agg(
        pl.col("content").str.join("\n"),
        *(pl.col(name).first() for name in ("author", "lang", "genre", "source", "date", "origin", "place", "row")),
        pl.col("candidate", "query").any(),
        pl.col("id").first().alias("first"),
    )
    rank = (pl.col("row").rank("dense").over("place") / (1 + pl.col("row").n_unique().over("place"))).alias("order")
    units = units.rename({"unit": "id"}).with_columns(
        rank, pl.col("lang").fill_null("other"), pl.col("genre", "source").fill_null(ALL)
    )
    units = units.with_columns(genre=pl.when(pl.col("genre") == "").then(pl.lit(ALL)).otherwise("genre"))
    whole = units.height
    if whole <= most:
        return units, whole
    names = units.select(author=pl.coalesce("author", pl.format("document {}", "id")))["author"]
    sized = units.with_columns(group=names).group_by("group").agg(pl.len(), asks=pl.col("query").any())
    drawn = sized.with_columns(rank=keyed_hashes(seed, "audited authors", sized["group"])).sort("rank", "group")
    kept = drawn.filter(pl.col("len").cum_sum() <= max(most, int(drawn["len"][0])))
    return units.filter(names.is_in(kept["group"].implode())), whole


def _answers(dataset: Dataset, split: str, units: pl.DataFrame) -> pl.DataFrame:
    """Return `query_id, candidate_id` of units: as stated, else every candidate by the query's author."""
    candidates = units.filter("candidate").select("author", candidate_id="id")
    if dataset.answers is None:
        own = units.filter("query").select("author", query_id="id").drop_nulls().join(candidates, on="author")
        found = own.select("query_id", "candidate_id")
    else:
        unit_of = dataset.documents.select("id", "unit")
        found = (
            dataset.answers.filter(pl.col("split") == split)
            .join(unit_of, left_on="query_id", right_on="id")
            .join(unit_of, left_on="candidate_id", right_on="id", suffix="_of_candidate")
            .select(query_id="unit", candidate_id="unit_of_candidate")
            .unique(maintain_order=True)
        )
        found = found.join(candidates, on="candidate_id", how="semi").join(
            units.filter("query").select(query_id="id"), on="query_id", how="semi"
        )
    return found.filter(pl.col("query_id") != pl.col("candidate_id")).sort("query_id", "candidate_id")


def _asked(answers: pl.DataFrame, units: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return the queries (`query_id`, `author`), at most MOST_QUERIES: whole authors by a keyed hash, then queries."""
    author = pl.coalesce("author", pl.format("author of {}", "id")).alias("author")
    found = (
        answers.select("query_id").unique().join(units.select(author, query_id="id"), on="query_id").sort("query_id")
    )
    if found.height <= MOST_QUERIES:
        return found
    drawn = found.with_columns(
        by_author=keyed_hashes(seed, "asked authors", found["author"]),
        by_query=keyed_hashes(seed, "asked", found["query_id"]),
    ).with_columns(place=pl.col("by_query").rank("ordinal").over("author"))
    return drawn.sort("place", "by_author", "by_query").head(MOST_QUERIES).select("query_id", "author").sort("query_id")


@dataclass(frozen=True)
class _Built:
    split: Split
    order: pl.DataFrame  # id, order


def _build(
    dataset: Dataset,
    split: str,
    units: pl.DataFrame,
    answers: pl.DataFrame,
    asked: pl.DataFrame,
    whole: bool,
    seed: int,
) -> tuple[_Built, list[dict[str, Any]]]:
    """Return the split as evaluations take it, with the pools that it states or that are built here."""
    named = units.join(asked.select(id="query_id", known="author"), on="id", how="left", maintain_order="left")
    named = named.with_columns(author_id=pl.coalesce("known", "author", pl.format("author of {}", "id")))
    candidates = named.filter("candidate").select(
        "author_id", "lang", "genre", "content", "source", "token_length", candidate_id="id"
    )
    queries = named.join(asked, left_on="id", right_on="query_id", how="semi").select(
        "author_id", "lang", "genre", "content", "source", "token_length", query_id="id"
    )
    unit_of = dataset.documents.select("id", "unit")
    ignored = (
        dataset.ignored.filter(pl.col("split") == split)
        .join(unit_of, left_on="query_id", right_on="id")
        .join(unit_of, left_on="candidate_id", right_on="id", suffix="_of_candidate")
        .group_by(query_id="unit")
        .agg(ignored_ids=pl.col("unit_of_candidate").unique().sort())
    )
    truth = (
        answers.join(asked, on="query_id")
        .group_by("query_id", "author")
        .agg(positive_ids="candidate_id")
        .join(ignored, on="query_id", how="left")
        .rename({"author": "author_id"})
        .with_columns(pl.col("ignored_ids").fill_null([]))
        .sort("query_id")
    )
    stated = whole and split in dataset.pairs and split in dataset.positives
    if stated:
        positives, pairs, counts = dataset.positives[split], dataset.pairs[split], _counts(dataset.pairs[split])
    else:
        positives, pairs, counts = _pools(dataset, split, named, truth, seed)
    found = make_split(
        split, candidates, queries.drop("author_id"), truth, "", None, positives, pairs
    )  # fmt: skip
    reference = [name for name in dataset.splits if name not in (split, POOL, "dev", "val", "validation", "test")]
    if reference:
        texts = dataset.documents.filter(pl.col("split").is_in(reference)).head(MOST)
        found = replace(
            found,
            reference=[texts.select("id", "lang", "genre", "source", "content", token_length=pl.lit(1, pl.Int32))
                       .with_columns(pl.col("lang").fill_null("other"), pl.col("genre", "source").fill_null(ALL))],
        )  # fmt: skip
    return _Built(found, units.select("id", "order")), counts


def _counts(pairs: pl.DataFrame) -> list[dict[str, Any]]:
    """Return how many positives a stated pool has."""
    kept = pairs.filter("same").group_by("pool").len().sort("pool")
    return [{"pool": pool, "positives": None, "kept": count, "stated": True} for pool, count in kept.iter_rows()]


def _pools(
    dataset: Dataset, split: str, units: pl.DataFrame, truth: pl.DataFrame, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame, list[dict[str, Any]]]:
    """Return relations and pools, built as those of a release; a text of no known work is a work of its own."""
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
    vectors = content_vectors(known.select("lang", "content"), statistics)
    queries = asking.with_columns(pl.col("positive_ids").list.head(MOST_POSITIVES), split=pl.lit(split))
    related = relate(known, queries, shared, vectors).drop("split")
    listed = queries.select("query_id", candidate_id="positive_ids").explode("candidate_id")
    related = pl.concat([related, _of_others(listed, related, known)])
    pairs, counts = make_pools(known, related, queries, vectors, LETTERS, seed, shared)
    total = counts.group_by("pool").agg(pl.col("positives", "kept").sum()).sort("pool")
    table = [row | {"stated": False} for row in total.iter_rows(named=True)]
    return _complete(related, truth), pairs, table


def _of_others(listed: pl.DataFrame, related: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Return relations of answers that are by another author than the query, as no work of one."""
    lacking = listed.join(related, on=("query_id", "candidate_id"), how="anti")
    return _unrelated(lacking, related.schema)


def _unrelated(pairs: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    return pairs.select(
        "query_id", "candidate_id",
        same_document=pl.lit(False), same_work=pl.lit(False), adjacent=pl.lit(False),
        days=pl.lit(None, pl.Int32), topic_similarity=pl.lit(None, pl.Float32), length_ratio=pl.lit(1.0, pl.Float32),
    ).select(pl.col(name).cast(kind) for name, kind in schema.items())  # fmt: skip


def _complete(related: pl.DataFrame, truth: pl.DataFrame) -> pl.DataFrame:
    """Return relations of every positive, also of those beyond MOST_POSITIVES of a query."""
    listed = truth.select("query_id", candidate_id="positive_ids").explode("candidate_id")
    lacking = listed.join(related, on=("query_id", "candidate_id"), how="anti")
    return pl.concat([related, _unrelated(lacking, related.schema)])


def _score(
    built: _Built, entries: Mapping[str, ModelEntry], has_order: bool, seed: int
) -> tuple[dict[str, dict[str, Any]], dict[str, Any], list[dict[str, Any]], list[str]]:
    """Return scores by row, power, gains, and why what is missing is missing."""
    split = built.split
    negatives = draw_negatives(split, seed)
    authors: Authors | None = None
    tables: list[Scored] = []
    scores: dict[str, dict[str, Any]] = {}
    left_out = [f"{score}: {_LACKING.get(reason, reason)}" for score, reason in split.released.left_out.items()]
    for name in (*NAMES, ORDER):
        if name in ("ids", ORDER) and not has_order:
            continue
        if name == ORDER:
            at = split.documents.select("id").join(built.order, on="id", how="left", maintain_order="left")["order"]
            lines = split.documents.with_columns(id=pl.format("{}", (at * 1e9).round().cast(pl.Int64)))
            vectors = id_vectors(lines, split.candidates, IdsParameters())
            ranking = rank(cosine(vectors[split.asks], vectors[: split.candidates]), split,
                           {**negatives, RELEASED: split.released.lists})  # fmt: skip
        else:
            ranking = ranked(open_model(entries[name]), split, negatives)
        table = queries_table(split, ranking)
        authors = authors or Authors.of(table, seed)
        overall = summarise(split, ranking, negatives, seed, {})["overall"]
        if "mrr" not in overall:
            asking = len(authors.names)
            if asking < FEWEST_AUTHORS:
                return {}, {}, [], [f"only {asking} authors ask, expected {FEWEST_AUTHORS} for a score"]
            scores[name] = _means(per_query_values(split, ranking))
            left_out = [f"only {asking} authors ask, so that scores have no interval and pools no score"]
            continue
        scores[name] = dict(_cells(overall, headline(table, split.pool_authors, authors), table))
        if name != ORDER and name != "ids":
            kept = [column for column in table.columns if column == "lang" or column not in SLICES.values()]
            tables.append(Scored(name, entries[name].shortcut, table.select(kept), {}))
    if not tables:
        return scores, {}, [], left_out
    comparison = compare(tables, split.pool_authors, seed)
    own = comparison.gains.filter((pl.col("facet") == OVERALL[0]) & pl.col("p_holm").is_not_null())
    columns = ("model", "score", "against", "value", "low", "high", "p_holm")
    return scores, dict(comparison.power), own.select(columns).to_dicts(), left_out


def _cells(
    overall: Mapping[str, Any], head: Mapping[str, Any], table: pl.DataFrame
) -> Iterator[tuple[str, dict[str, Any]]]:
    expected = overall["random_expectation"]
    for name, key in _SCORES.items():
        if key in overall:
            low, high = overall["intervals"].get(key, (None, None))
            chance = 0.5 if key in LOWER_IS_BETTER else expected[key]
            yield name, _cell(overall[key], low, high, chance, key in LOWER_IS_BETTER)
    for score in HEADLINES:
        if score in head:
            cell = head[score]
            by_chance = table.get_column(f"{score}_by_chance", default=None)
            chance = 0.5 if by_chance is None else float(by_chance.mean() or 0.0)
            yield score, _cell(cell["value"], cell.get("low"), cell.get("high"), chance, False)


def _means(values: Mapping[str, F64]) -> dict[str, dict[str, Any]]:
    """Return the means over queries, without intervals, of what too few authors ask."""
    return {
        name: _cell(float(np.nanmean(values[name])), None, None, float(np.nanmean(values[f"random:{name}"])), False)
        for name in ("success@1", "success@5", "mrr")
    }


def _cell(value: float, low: float | None, high: float | None, chance: float, lower: bool) -> dict[str, Any]:
    """Return a score; `above_chance`: its interval excludes chance, on the better side."""
    sure = None if low is None or high is None else (high < chance if lower else low > chance)
    return {"value": value, "low": low, "high": high, "chance": chance, "above_chance": sure}


def _score_pairs(
    problems: pl.DataFrame, units: pl.DataFrame, entries: Mapping[str, ModelEntry], seed: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield for each row the area under the ROC curve of the similarity of a problem's two texts."""
    row = {ident: number for number, ident in enumerate(units["id"])}
    asked = problems.filter(pl.col("one").is_in(list(row)) & pl.col("other").is_in(list(row)))
    same = asked["same"].to_numpy()
    if not asked.height or same.all() or not same.any():
        return
    documents = units.select("id", "lang", "genre", "source", "content", "token_length")
    one, other = (np.array([row[ident] for ident in asked[side]], np.int64) for side in ("one", "other"))
    weights = author_weights(asked["problem"].to_list(), seed, 200).astype(np.float64)
    for name, entry in entries.items():
        if name == "ids":
            continue  # a text's id is that of its problem
        vectors = open_model(entry).compare(documents, documents.height, np.arange(documents.height, dtype=np.int32))
        if not hasattr(vectors, "queries"):
            raise InputError(f"{name}: gives no vectors of texts. Expected a row that does.")
        rows = vectors.queries
        product = rows[one] * rows[other] if isinstance(rows, np.ndarray) else rows[one].multiply(rows[other])
        similarity = np.asarray(product.sum(axis=1), np.float64).ravel()
        low, high = interval(_areas(same, similarity, weights)) or (None, None)
        yield name, _cell(auc(same, similarity), low, high, 0.5, False)


def _areas(same: BOOL, scores: F64, weights: F64) -> F64:
    """Return the area of each replicate (a row of weights, one per problem); equal scores count one half."""
    order = np.argsort(scores, kind="stable")
    value, truth, drawn = scores[order], same[order], weights[:, order]
    starts = np.flatnonzero(np.append(True, value[1:] != value[:-1]))
    positive = np.add.reduceat(drawn * truth, starts, axis=1)
    negative = np.add.reduceat(drawn * ~truth, starts, axis=1)
    below = np.cumsum(negative, axis=1) - negative
    with np.errstate(invalid="ignore", divide="ignore"):
        found: F64 = ((below + negative / 2) * positive).sum(axis=1) / (positive.sum(axis=1) * negative.sum(axis=1))
    return found
