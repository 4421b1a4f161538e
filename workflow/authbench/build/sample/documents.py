"""Select the documents that represent each language, genre and length.

Language first, then genre and length as two marginals, by whole authors (AuthBench paper, A.5; processing plan,
sections 4 to 9). Safety is exact and lazy: only the verdicts that a selection reads are computed, until a selection
reads no unknown verdict.
"""

import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.build.sample.authors import NO_DAY, SAFE, TOXIC, UNKNOWN, Pool, fallback_documents, select_authors
from authbench.build.sample.reservoir import LENGTH
from authbench.build.sample.targets import borrow_adjacent, language_targets, largest_remainder, matching_pattern
from authbench.config.settings.ingest import Authors
from authbench.config.settings.sample import Sample, Shortfall
from authbench.core.arrays import BOOL, F64, I64
from authbench.core.json_values import JsonObject
from authbench.core.records import LENGTH_BUCKETS

Verdicts = NDArray[np.int8]


@dataclass(frozen=True)
class Selection:
    """Hold the selection from a pool and its targets (None: not stated); flags are per document of the pool."""

    chosen: BOOL
    consulted: BOOL
    languages: dict[str, int | None]
    genres: dict[str, dict[str, int] | None]
    lengths: dict[str, dict[str, int] | None]


FIXED_BOUNDS = (10, 100, 500)  # tokens: the upper bounds of the first three buckets (processing plan, section 8)
REFERENCE = "en"


def fewest_documents(sample: Sample) -> int:
    """Return the fewest documents that an author may have."""
    fallback = fallback_documents(sample)
    return int(sample["min_documents_per_author"] if fallback is None else fallback)


def genre_shares(sample: Sample, language: str) -> Mapping[str, float]:
    """Return the stated shares of genre patterns of a language; empty if not stated."""
    return (sample.get("genres") or {}).get(language) or {}


def refuse_authors(tallies: pl.DataFrame, authors: Authors, sample: Sample) -> pl.DataFrame:
    """Add `refused`: why an author is not admitted (null: admitted). `tallies` comes from `reservoir.merge_tallies`."""
    masked_too_often = (pl.col("author_kind") == "masked") & (pl.col("documents") > authors["masked_max_documents"])
    reasons = [
        (~pl.col("author_kind").is_in(authors["kinds"]), "author_kind_left_out"),
        (
            ~pl.col("lang").is_in(list(sample["languages"] or ())) & (sample["languages"] is not None),
            "language_without_share",
        ),
        (masked_too_often, "mask_of_several_people"),
        (pl.col("documents") < fewest_documents(sample), "author_with_too_few_documents"),
        (pl.col("origins").list.len() < sample["min_origins"], "author_with_too_few_works"),
    ]
    refused = pl.coalesce([pl.when(condition).then(pl.lit(reason)) for condition, reason in reasons])
    return tallies.with_columns(refused.alias("refused"))


def set_length_bins(pool: pl.DataFrame, length_counts: pl.DataFrame, bins: str) -> tuple[pl.DataFrame, JsonObject]:
    """Assign every document its length bucket.

    With `quantiles` there are four of equal mass per language (A.5). With `parity` a bucket holds texts of as many
    characters in every language: its bounds are the bounds of `fixed` in the reference language, times the characters
    per token in the reference language over those in the language.

    Args:
        pool: documents with `lang`, `token_length`.
        length_counts: LENGTHS of the whole pool, before any reservoir; for `quantiles` without characters.
        bins: `fixed`, `quantiles` or `parity`.

    Returns:
        The pool, and the upper bounds of the first three buckets per language, in tokens; empty for fixed bins.
    """
    if bins == "fixed":
        return pool, {}
    bounds = _parity_bounds(length_counts) if bins == "parity" else _quantile_bounds(length_counts)
    lang, bucket = pl.col("lang").cast(pl.String), pl.lit(LENGTH_BUCKETS[0])
    for index, name in enumerate(LENGTH_BUCKETS[1:]):
        bound = lang.replace_strict({lang: b[index] for lang, b in bounds.items()}, default=None)
        bucket = pl.when(pl.col("token_length") > bound).then(pl.lit(name)).otherwise(bucket)
    return pool.with_columns(bucket.cast(LENGTH).alias("length_bucket")), bounds


def _quantile_bounds(length_counts: pl.DataFrame) -> dict[str, list[int]]:
    bounds: dict[str, list[int]] = {}
    for (lang,), counts in length_counts.sort("lang", "token_length").group_by("lang", maintain_order=True):
        reached = counts["documents"].cum_sum() / counts["documents"].sum()
        bounds[str(lang)] = [int(counts["token_length"][int((reached < q).sum())]) for q in (0.25, 0.5, 0.75)]
    return bounds


def _parity_bounds(length_counts: pl.DataFrame) -> dict[str, list[int]]:
    """Return the bounds at which texts have as many characters as at FIXED_BOUNDS in the reference language.

    The reference is REFERENCE if the pool has it, else the language with the most documents. Counts are whole numbers,
    which makes the result independent of order and shards.
    """
    sums = dict[str, tuple[int, int, int]]()
    totals = length_counts.group_by("lang").agg(
        pl.col("documents").cast(pl.Int64).sum(),
        pl.col("characters").sum(),
        tokens=(pl.col("documents").cast(pl.Int64) * pl.col("token_length")).sum(),
    )
    for lang, documents, characters, tokens in totals.select("lang", "documents", "characters", "tokens").iter_rows():
        sums[str(lang)] = documents, characters, tokens
    most = min(sums, key=lambda lang: (lang != REFERENCE, -sums[lang][0], lang), default=REFERENCE)
    bounds = {}
    for lang, (_, characters, tokens) in sorted(sums.items()):
        _, there, tokens_there = sums[most]
        factor = Fraction(there * tokens, max(1, characters * tokens_there))
        raised = [max(1, round(bound * factor)) for bound in FIXED_BOUNDS]
        bounds[lang] = [raised[0], max(raised[0] + 1, raised[1]), max(raised[0] + 2, raised[1] + 1, raised[2])]
    return bounds


@dataclass(frozen=True)
class _Language:
    """Hold a language's part of the pool: its adjacent rows, the arrays of the selection, and its target shares.

    The shares of lengths and genres are stated, or else the pool's. `lendable` is how many documents of each length its
    authors can give, if a scarce length borrows; else None.
    """

    rows: slice
    pool: Pool
    lengths: Mapping[str, float]
    genres: Mapping[str, float]
    lendable: Mapping[str, int] | None = None


def languages_of(pool: pl.DataFrame, settings: Sample) -> dict[str, _Language]:
    """Return the parts of a pool sorted by language and author; languages without a share are left out."""
    ends = pool["lang"].rle().struct.unnest().with_columns(end=pl.col("len").cum_sum())
    return {
        lang: _language(slice(end - size, end), pool.slice(end - size, size), lang, settings)
        for size, lang, end in ends.iter_rows()
        if settings["languages"] is None or settings["languages"].get(lang)
    }


def _language(rows: slice, part: pl.DataFrame, language: str, settings: Sample) -> _Language:
    lengths = settings["lengths"] or _counted(part["length_bucket"])
    genres = genre_shares(settings, language) or _counted(part["genre"])
    borrows = settings.get("borrow") == "adjacent" and settings["lengths"]
    lendable = available_by(part, "length_bucket", settings) if borrows else None
    return _Language(rows, _flat(part, list(genres), settings), lengths, genres, lendable)


def available_by(part: pl.DataFrame, column: str, settings: Sample) -> dict[str, int]:
    """Return documents per value of a column, counting at most as many per author as an author may give."""
    each = part.group_by("author", column).len("documents")
    most = pl.col("documents").clip(upper_bound=settings["max_documents_per_author"]).cast(pl.Int64).sum()
    return dict(each.group_by(column).agg(most).iter_rows())


def _counted(column: pl.Series) -> dict[str, float]:
    """Return the number of occurrences by value."""
    counts = column.cast(pl.String).value_counts(name="documents")
    return dict(sorted(counts.iter_rows()))


def select_documents(
    languages: Mapping[str, _Language], verdicts: Verdicts, settings: Sample, train_share: float = 1.0
) -> Selection:
    """Select whole authors from what is known of every document of the pool. `settings` is the section `sample`.

    Train-only authors give at most `train_share` of a language's target, before and after shortfalls are redistributed:
    they fill no quota of a test, and a language with only such authors is in training only. Without a number of
    documents all that authors may give are selected, in the stated shares of languages, if any, else in the pool's.
    """
    minimum, maximum = settings["min_documents_per_author"], settings["max_documents_per_author"]
    shares, wanted, shortfall = _wanted(languages, settings)
    documents = sum(wanted.values())
    most = {
        key: _most_documents(languages[key].pool, settings, train_share, wanted[key]) if key in languages else 0
        for key in shares
    }
    available = dict(most)
    # No documents are left to replace what a language lacks.
    all_there_is = settings["languages"] is None and documents >= sum(most.values())
    # Without a number the other languages would shrink with a language, repeatedly, for the few documents that fit no
    # author.
    numberless = settings["documents"] is None
    tolerated = maximum if numberless else minimum
    chosen, consulted = np.zeros(len(verdicts), np.bool_), np.zeros(len(verdicts), np.bool_)
    reached: dict[str, int] = {}
    taken: dict[str, int] = {}

    def authors_of(key: str, target: int) -> tuple[BOOL, BOOL]:
        part = languages[key]
        lengths, genres = _marginal_targets(part, target)
        return select_authors(
            part.pool,
            verdicts[part.rows],
            np.array(list(lengths.values()), np.int64),
            np.array(list(genres.values()), np.int64),
            # Unreachable if all documents are wanted, to let every author give the most.
            2 * target + minimum if all_there_is or (numberless and target >= most[key]) else target,
            settings,
            math.floor(train_share * max(target, wanted[key])),
        )

    while True:
        targets = language_targets(documents, shares, available, shortfall)
        changed = {key: target for key, target in targets.items() if key in languages and reached.get(key) != target}
        with ThreadPoolExecutor(pl.thread_pool_size()) as languages_at_once:
            selected = dict(zip(changed, languages_at_once.map(authors_of, changed, changed.values()), strict=True))
        for key, flags in selected.items():
            rows = languages[key].rows
            chosen[rows] = flags[0]
            consulted[rows] |= flags[1]
            reached[key], taken[key] = changed[key], int(flags[0].sum())
        short = {key for key in taken if targets[key] - taken[key] >= tolerated}
        if not short or all_there_is:
            break
        available = {key: taken[key] if key in short else value for key, value in available.items()}
    if settings["documents"] is None and settings["languages"] is not None:
        wanted = largest_remainder(sum(taken.values()), shares)
    by_length, by_genre = settings["lengths"], {key: genre_shares(settings, key) for key in shares}
    return Selection(
        chosen,
        consulted,
        {key: None if settings["languages"] is None else wanted[key] for key in shares},
        {key: largest_remainder(taken.get(key, 0), by_genre[key]) if by_genre[key] else None for key in shares},
        {key: _by_length(taken.get(key, 0), by_length) if by_length else None for key in shares},
    )


def _wanted(languages: Mapping[str, _Language], settings: Sample) -> tuple[dict[str, float], dict[str, int], Shortfall]:
    """Return the shares of languages, the number of documents requested from each, and the rule for shortfalls.

    Deviations are measured against the quotas before redistribution.
    """
    number, stated = settings["documents"], settings["languages"]
    shares: dict[str, float] = {language: share for language, share in (stated or {}).items() if share}
    if stated is not None and number is not None:
        return shares, largest_remainder(number, shares), settings["shortfall"]
    most = {key: int(_given(language.pool, settings).sum()) for key, language in sorted(languages.items())}
    there = sum(most.values())
    if stated is not None:
        return shares, language_targets(there, shares, most, "proportional"), "proportional"
    wanted = most if number is None or number >= there else largest_remainder(number, {**most})
    return {**most}, wanted, "fill"


def _marginal_targets(part: _Language, total: int) -> tuple[dict[str, int], dict[str, int]]:
    """Return documents per length bucket and per genre pattern of a language."""
    lengths = _by_length(total, part.lengths)
    if part.lendable is not None:
        lengths = borrow_adjacent(lengths, part.lendable)
    return lengths, largest_remainder(total, part.genres)


def _by_length(total: int, shares: Mapping[str, float]) -> dict[str, int]:
    return largest_remainder(total, {bucket: shares.get(bucket, 0) for bucket in LENGTH_BUCKETS})


def consult(
    select: Callable[[Verdicts], Selection],
    scores: F64,
    exempt: BOOL,
    threshold: float,
    scope: str,
) -> tuple[Selection | None, I64]:
    """Return the selection by the known scores, and the rows that it consults and that have no score.

    Args:
        select: gives the selection by the verdicts known so far, shape (documents,).
        scores: the toxicity of documents, NaN if unknown, shape (documents,).
        exempt: shape (documents,), documents that are safe whatever their score.
        threshold: the highest toxicity that is safe.
        scope: `all` selects only when every score is known.
    """
    unknown = np.isnan(scores)
    if scope == "all" and unknown.any():
        return None, np.flatnonzero(unknown)
    judged = np.where(unknown, UNKNOWN, np.where(scores > threshold, TOXIC, SAFE))
    selection = select(np.where(exempt, SAFE, judged).astype(np.int8))
    return selection, np.flatnonzero(selection.consulted & unknown)


def select_safely(
    select: Callable[[Verdicts], Selection],
    score: Callable[[I64], F64],
    scores: F64,
    exempt: BOOL,
    threshold: float,
    scope: str,
) -> tuple[Selection, F64]:
    """Select with exact safety and few scores, from the known scores (see `consult`): (selection, all known scores).

    A run in which every verdict read is known equals, by construction, the run that scores everything. `score` gives
    the toxicity of documents by their rows, both of shape (n,).
    """
    scores = scores.copy()
    while True:
        selection, unscored = consult(select, scores, exempt, threshold, scope)
        if selection and not len(unscored):
            return selection, scores
        scores[unscored] = score(unscored)


def _most_documents(pool: Pool, settings: Sample, train_share: float, wanted: int) -> int:
    """Return the most documents that a language's authors can give.

    Train-only authors give at most `train_share` of the documents taken, or of the `wanted` documents if these are
    more.
    """
    given = _given(pool, settings)
    most, others = int(given.sum()), int(given[~pool.train_only].sum())
    if train_share >= 1:
        return most
    return min(most, max(math.floor(others / (1 - train_share)), others + math.floor(train_share * wanted)))


def _given(pool: Pool, settings: Sample) -> I64:
    """Return the most documents that each author can give."""
    sizes = np.diff(pool.offsets)
    return np.where(sizes >= fewest_documents(settings), np.minimum(sizes, settings["max_documents_per_author"]), 0)


def _flat(part: pl.DataFrame, patterns: list[str], settings: Sample) -> Pool:
    genres = part["genre"].cast(pl.String)
    codes = {genre: _code(genre, patterns) for genre in genres.unique()}
    preferred = pl.lit(False)
    for pattern, sources in settings["prefer_sources"].items():
        fits = [genre for genre in codes if matching_pattern(genre, [pattern])]
        preferred = preferred | (pl.col("genre").is_in(fits) & pl.col("source").is_in(sources))
    return Pool(
        np.concatenate([[0], np.cumsum(part["author"].rle().struct.field("len"))]).astype(np.int64),
        part["origin"].to_numpy(),
        part["length_bucket"].to_physical().to_numpy(),
        genres.replace_strict(codes, return_dtype=pl.Int16).to_numpy(),
        part.with_columns(preferred.alias("preferred"))["preferred"].to_numpy(),
        part["day"].fill_null(NO_DAY).to_numpy(),
        part["topic"].to_numpy(),
        part.filter(pl.col("author") != pl.col("author").shift().fill_null(-1).cast(pl.Int64))["train_only"].to_numpy(),
    )


def _code(genre: str, patterns: list[str]) -> int:
    pattern = matching_pattern(genre, patterns)
    return -1 if pattern is None else patterns.index(pattern)
