"""Score sanity rows on a dataset, in its stated pools and in matched pools, and compute the power of its size.

If a row that does not read style scores above chance, features other than style identify authors in the dataset.
`drawn` selects the scored texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np
import polars as pl

from authbench.audit.auditing.dataset import POOL, Dataset
from authbench.audit.auditing.drawn import MOST, build_split, draw
from authbench.config.registry.load import load_entry
from authbench.core.arrays import BOOL, F64
from authbench.core.errors import InputError
from authbench.core.tokens import Tokenizer
from authbench.models.entries import MODELS, ModelEntry
from authbench.models.open import open_model
from authbench.models.shortcuts import id_vectors
from authbench.release.format.scores import Cell, HeadlineCell
from authbench.scoring.evaluation.gain import Power, Scored, compare
from authbench.scoring.evaluation.headline import Authors, headline
from authbench.scoring.evaluation.released import HEADLINES, NO_PAIRS
from authbench.scoring.evaluation.retrieval import cosine, rank
from authbench.scoring.evaluation.run import RELEASED, queries_table, ranked
from authbench.scoring.evaluation.scores import per_query_values, summarise
from authbench.scoring.evaluation.slices import OVERALL, SLICES
from authbench.scoring.evaluation.split import Split
from authbench.scoring.evaluation.verification import draw_negatives
from authbench.scoring.metrics.auc import auc
from authbench.scoring.metrics.bootstrap import author_weights, interval

NAMES = ("random", "metadata", "date", "format", "edges", "content-words", "punctuation", "masked", "ids")
ORDER = "order"  # distance of lines; the row `ids` uses the numbers in ids
LONGEST = 20_000  # characters of a text that rows read
FEWEST_AUTHORS = 2  # of a score; for an interval evaluation.scores requires 20
_SCORES = ("success@1", "success@5", "mrr", "eer", "eer_same_language")
_LACKING = {NO_PAIRS: "no positive has enough negatives that are like it"}
LOWER_IS_BETTER = frozenset({"eer", "eer_same_language"})


class ScoreCell(TypedDict):
    """A score with its 95 % interval, if any, and chance; `above_chance`: the interval excludes chance."""

    value: float
    low: float | None
    high: float | None
    chance: float
    above_chance: bool | None


class RowOfScores(TypedDict):
    """The scores of a row by name; `shortcut`: it reads only features other than style."""

    row: str
    about: str
    shortcut: bool
    scores: Mapping[str, ScoreCell]


class RowGain(TypedDict):
    """The gain of a row over the best shortcut, `against`."""

    model: str
    score: str
    against: str
    value: float
    low: float | None
    high: float | None
    p_holm: float


@dataclass(frozen=True)
class Measured:
    """The measurements of a split.

    Attributes:
        pools: by pool, how many positives have enough negatives, and how many do not.
        power: the smallest differences that a test with these queries shows, by score.
        gains: the gains of `punctuation` and `masked` over the best shortcut.
        about: sizes: texts, queries, authors, and `of`: the number of all texts if only some were scored.
        left_out: why something could not be measured.
        tables: the metrics of every query, by row.
    """

    split: str
    rows: Sequence[RowOfScores]
    pools: Sequence[Mapping[str, object]]
    power: Mapping[str, Power]
    gains: Sequence[RowGain]
    about: Mapping[str, int]
    left_out: Sequence[str]
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)


def measure(dataset: Dataset, tokenizer: Tokenizer, most: int = MOST, seed: int = 0) -> Iterator[Measured]:
    """Yield the scores of rows on each split with queries. Memory: vectors of `most` texts, and 160 MB of scores."""
    entries = {name: load_entry(MODELS, name) for name in NAMES}
    for split in dataset.splits:
        if split != POOL:
            yield _measure_split(dataset, split, entries, tokenizer, most, seed)


def _measure_split(
    dataset: Dataset, split: str, entries: Mapping[str, ModelEntry], tokenizer: Tokenizer, most: int, seed: int
) -> Measured:
    units, asked, whole, whole_split = draw(dataset, split, most, seed)
    about = {"texts": units.height}
    if units.height < whole:
        about["of"] = whole
    problems = dataset.problems.filter((pl.col("split") == split) & pl.col("one").is_not_null())
    if not asked.height and not problems.height:
        return Measured(split, [], [], {}, [], about, ["no query has an answer in this split, so no row is scored"])
    counted = units.with_columns(
        pl.Series("token_length", tokenizer.count(units["content"]), pl.Int32),
        content=pl.col("content").str.slice(0, LONGEST),
    )
    about |= {"queries": asked.height, "authors": asked["author"].n_unique(), "problems": problems.height}
    left_out: list[str] = []
    tables: Mapping[str, pl.DataFrame] = {}
    scored: dict[str, dict[str, ScoreCell]] = {}
    pools: list[dict[str, object]] = []
    power: Mapping[str, Power] = {}
    gains: list[RowGain] = []
    if asked.height:
        built, pools = build_split(dataset, split, counted, asked, whole_split, seed)
        order = units.select("id", "order") if dataset.has_order else None
        scored, power, gains, left_out, tables = _score(built, entries, order, seed)
    if problems.height:
        for name, cell in _score_pairs(problems, counted, entries, seed):
            scored.setdefault(name, {})["pairs_auc"] = cell
    rows: list[RowOfScores] = [
        {
            "row": name,
            "about": entries[name].title if name in entries else "Nearness of lines in the files",
            "shortcut": name not in entries or entries[name].shortcut,
            "scores": scored[name],
        }
        for name in (*NAMES, ORDER)
        if scored.get(name)
    ]
    return Measured(split, rows, pools, power, gains, about, left_out, tables)


def _score(
    split: Split, entries: Mapping[str, ModelEntry], order: pl.DataFrame | None, seed: int
) -> tuple[dict[str, dict[str, ScoreCell]], Mapping[str, Power], list[RowGain], list[str], Mapping[str, pl.DataFrame]]:
    """Return scores by row, power, gains, the reason for each missing score, and the metrics of queries by row.

    `order` is the place of each text.
    """
    negatives = draw_negatives(split, seed)
    authors: Authors | None = None
    tables: list[Scored] = []
    scores: dict[str, dict[str, ScoreCell]] = {}
    every: dict[str, pl.DataFrame] = {}
    left_out = [f"{score}: {_LACKING.get(reason, reason)}" for score, reason in split.released.left_out.items()]
    for name in (*NAMES, ORDER):
        if (name in ("ids", ORDER) and order is None) or (name == "date" and not split.documents["date"].count()):
            continue
        if name == ORDER and order is not None:
            at = split.documents.select("id").join(order, on="id", how="left", maintain_order="left")["order"]
            lines = split.documents.with_columns(id=pl.format("{}", (at * 1e9).round().cast(pl.Int64)))
            vectors = id_vectors(lines)
            ranking = rank(cosine(vectors[split.asks], vectors[: split.candidates]), split,
                           {**negatives, RELEASED: split.released.lists})  # fmt: skip
        else:
            ranking = ranked(open_model(entries[name]), split, negatives)
        table = queries_table(split, ranking)
        authors = authors or Authors.of(table, seed)
        overall = summarise(split, ranking, negatives, authors, {})["overall"]
        if "mrr" not in overall:
            asking = len(authors.names)
            if asking < FEWEST_AUTHORS:
                return {}, {}, [], [f"only {asking} authors ask, expected {FEWEST_AUTHORS} for a score"], {}
            scores[name] = _means(per_query_values(split, ranking))
            left_out = [f"only {asking} authors ask, so that scores have no interval and pools no score"]
            continue
        scores[name] = dict(_cells(overall, headline(table, split.pool_authors, authors), table))
        every[name] = table.sort("id")
        if name != ORDER and name != "ids":
            kept = [column for column in table.columns if column == "lang" or column not in SLICES.values()]
            tables.append(Scored(name, entries[name].shortcut, table.select(kept), {}))
    if not tables:
        return scores, {}, [], left_out, every
    comparison = compare(tables, split.pool_authors, seed)
    own = comparison.gains.filter((pl.col("facet") == OVERALL[0]) & pl.col("p_holm").is_not_null())
    columns = ("model", "score", "against", "value", "low", "high", "p_holm")
    gains: Any = own.select(columns).to_dicts()
    return scores, comparison.power, gains, left_out, every


def _cells(overall: Cell, head: Mapping[str, HeadlineCell], table: pl.DataFrame) -> Iterator[tuple[str, ScoreCell]]:
    expected = overall["random_expectation"]
    for key in _SCORES:
        if key in overall:
            low, high = overall["intervals"].get(key, (None, None))
            chance = 0.5 if key in LOWER_IS_BETTER else expected[key]
            yield key, _cell(overall[key], low, high, chance, key in LOWER_IS_BETTER)
    for score in HEADLINES:
        if score in head:
            cell = head[score]
            by_chance = table.get_column(f"{score}_by_chance", default=None)
            chance = 0.5 if by_chance is None else float(by_chance.mean() or 0.0)
            yield score, _cell(cell["value"], cell.get("low"), cell.get("high"), chance, False)


def _means(values: Mapping[str, F64]) -> dict[str, ScoreCell]:
    """Return the means over queries, without intervals, where there are too few authors."""
    return {
        name: _cell(float(np.nanmean(values[name])), None, None, float(np.nanmean(values[f"random:{name}"])), False)
        for name in ("success@1", "success@5", "mrr")
    }


def _cell(value: float, low: float | None, high: float | None, chance: float, lower: bool) -> ScoreCell:
    """Return a score; `above_chance`: its interval excludes chance, on the better side."""
    sure = None if low is None or high is None else (high < chance if lower else low > chance)
    return {"value": value, "low": low, "high": high, "chance": chance, "above_chance": sure}


def _score_pairs(
    problems: pl.DataFrame, units: pl.DataFrame, entries: Mapping[str, ModelEntry], seed: int
) -> Iterator[tuple[str, ScoreCell]]:
    """Yield for each row the area under the ROC curve of the similarity of a problem's two texts."""
    row = {ident: number for number, ident in enumerate(units["id"])}
    asked = problems.filter(pl.col("one").is_in(list(row)) & pl.col("other").is_in(list(row)))
    same = asked["same"].to_numpy()
    if not asked.height or same.all() or not same.any():
        return
    documents = units.select("id", "lang", "genre", "source", "content", "token_length")
    one, other = (np.array([row[ident] for ident in asked[side]], np.int64) for side in ("one", "other"))
    weights = author_weights(tuple(asked["problem"]), seed, 200).astype(np.float64)
    for name, entry in entries.items():
        if name in ("ids", "date"):
            continue  # a text's id is the id of its problem, and problems have no dates
        vectors = open_model(entry).compare(documents, documents.height, np.arange(documents.height, dtype=np.int32))
        if not hasattr(vectors, "queries"):
            raise InputError(f"{name}: gives no vectors of texts. Expected a row that does.")
        rows = vectors.queries
        product = rows[one] * rows[other] if isinstance(rows, np.ndarray) else rows[one].multiply(rows[other])
        similarity = np.asarray(product.sum(axis=1), np.float64).ravel()
        low, high = interval(_areas(same, similarity, weights)) or (None, None)
        yield name, _cell(auc(same, similarity), low, high, 0.5, False)


def _areas(same: BOOL, scores: F64, weights: F64) -> F64:
    """Return the area of each replicate (a row of weights, one per problem); ties count .5."""
    order = np.argsort(scores, kind="stable")
    value, truth, drawn = scores[order], same[order], weights[:, order]
    starts = np.flatnonzero(np.append(True, value[1:] != value[:-1]))
    positive = np.add.reduceat(drawn * truth, starts, axis=1)
    negative = np.add.reduceat(drawn * ~truth, starts, axis=1)
    below = np.cumsum(negative, axis=1) - negative
    with np.errstate(invalid="ignore", divide="ignore"):
        found: F64 = ((below + negative / 2) * positive).sum(axis=1) / (positive.sum(axis=1) * negative.sum(axis=1))
    return found
