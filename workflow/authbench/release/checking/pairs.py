"""Check the scored pairs: their form, their members, and the statistics about them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, I64
from authbench.core.content_words import content_vectors
from authbench.core.dates import middle_day
from authbench.core.letters import may_ask
from authbench.core.records import primary_genre
from authbench.release.checking.claims import Finding
from authbench.release.checking.overlap import Pairs
from authbench.release.checking.pools import ORDER, PAIR, TIMED, Texts, check_matched, check_similar
from authbench.release.checking.relations import by_authors, check_relations, count_words, is_timed
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import Rules
from authbench.release.checking.tables import read_csv
from authbench.release.format.columns import PAIRS, POOLS, POSITIVES
from authbench.release.format.names import reference_splits, scored_splits
from authbench.release.format.tables import read_pairs

_STATISTICS = "statistics/pools.csv"
_PAIRS_AT_ONCE = 250_000
Counts = Counter[tuple[str, ...]]


def check_pairs(release: Rows, rules: Rules, contained: Pairs) -> Iterator[Finding]:
    """Yield what is wrong with positives.parquet, pairs.parquet and statistics/pools.csv, where they exist.

    Negatives are worked out again from the texts that may be in a pair: scored, with enough letters, without `work`.
    `contained` are pairs of texts that share much of their text, which are not negatives of each other's author.
    """
    counts: Counts = Counter()
    counted = False
    words = cache(partial(count_words, release))  # several splits have one reference
    for split in release.splits:
        paths = [release.folder / split / table.file for table in (POSITIVES, PAIRS)]
        if not any(path.is_file() for path in paths) or release.provenance is None:
            continue
        statistics = words(tuple(reference_splits(release.splits, split)))
        own = release.documents.filter(pl.col("split") == split)
        if split not in scored_splits(release.splits):
            parts = ((part, content_vectors(part, statistics, rules.topic)) for part in by_authors(own))
            yield from check_relations(release, split, parts)
            if paths[1].is_file() and read_pairs(paths[1], PAIRS).height:
                yield Finding("pair_form", split, f"{split}/{PAIRS.file}: {split} is not scored")
            continue
        vectors = content_vectors(own, statistics, rules.topic)  # the format defines topic similarity
        yield from check_relations(release, split, [(own, vectors)])
        if not paths[1].is_file():
            continue
        documents = _documents(release, rules, split)
        pairs, malformed = _read(paths[1], documents, f"{split}/{PAIRS.file}")
        malformed = malformed or list(_check_form(pairs, f"{split}/{PAIRS.file}"))
        yield from malformed
        if not malformed:
            ids = dict.fromkeys(("id", *PAIR), pairs.schema["query_id"])
            truth = release.tables[split]["ground_truth"].select("query_id")
            asking = truth.join(documents.select("tokens", query_id="id"), on="query_id")
            placed = documents.with_row_index("place").sort(ORDER)
            vectors = vectors[placed["place"].to_numpy()]  # in memory once
            texts = Texts(
                _numbered(placed, ids),
                vectors,
                placed.select(middle_day("date")).to_series().to_numpy().astype(np.float32),
                _numbered(asking, ids),
                _numbered(_other_work(release, split), ids),
                _numbered(_barred(release, split, documents, contained), ids),
            )
            counted, pools = True, _pools_of(release, pairs)
            counts += _count(split, pairs, texts, pools)
            yield from _check_members(pairs, texts)
            yield from check_matched(pairs, texts)
            yield from check_similar(pairs, texts, pools, rules.lengths)
    if counted:
        yield from _check_counts(release, counts)


def _pools_of(release: Rows, pairs: pl.DataFrame) -> tuple[str, ...]:
    """Return the pools of a release; earlier releases have no trace of the pools matched in time (TIMED)."""
    path = release.folder / _STATISTICS
    named = {*pairs["pool"].unique(), *(re.findall("[a-z_]+", path.read_text("utf-8")) if path.is_file() else ())}
    timed = is_timed(release) or not named.isdisjoint(TIMED)
    return tuple(pool for pool in POOLS if timed or pool not in TIMED)


def _documents(release: Rows, rules: Rules, split: str) -> pl.DataFrame:
    """Return what pools depend on, for every document of a split in the order of `release.documents`."""
    provenance = release.provenance
    assert provenance is not None
    scored = pl.col("scored")
    named = provenance.select("id", "date", may=scored & (pl.col("author_kind") != "work"))
    part = release.documents.filter(pl.col("split") == split).join(named, on="id", how="left", maintain_order="left")
    return part.select(
        "id", "author_id", "lang", "source", "candidate", "date",
        pl.col("genre").map_elements(primary_genre, pl.String).alias("primary"),
        pl.col("token_length").alias("tokens"),
        fits=pl.col("candidate") & pl.col("may").fill_null(True) & may_ask(part, rules.min_letters_for_query),
    )  # fmt: skip


def _other_work(release: Rows, split: str) -> pl.DataFrame:
    """Return query_id and candidate_id of the positives from another work than their query."""
    assert release.provenance is not None
    origins = release.provenance.select("id", "origin").unique("id", keep="last")
    truth = release.tables[split]["ground_truth"].select("query_id", candidate_id="positive_ids")
    positives = truth.explode("candidate_id").drop_nulls().unique()
    both = positives.join(origins, left_on="query_id", right_on="id", how="left").join(
        origins, left_on="candidate_id", right_on="id", how="left", suffix="_of_positive"
    )
    return both.filter(pl.col("origin").ne_missing(pl.col("origin_of_positive"))).select(PAIR).sort(PAIR)


def _barred(release: Rows, split: str, documents: pl.DataFrame, contained: Pairs) -> pl.DataFrame:
    """Return texts that may not be negatives of an author: texts that a query ignores, and contained texts."""
    truth = release.tables[split]["ground_truth"].select(id="query_id", candidate_id="ignored_ids")
    ignored = truth.explode("candidate_id").drop_nulls()
    others = pl.DataFrame(sorted(contained), ignored.schema, orient="row")
    barred = pl.concat([ignored, others]).join(documents.select("id", "author_id"), on="id")
    return barred.select("author_id", "candidate_id").unique()


def _read(path: Path, documents: pl.DataFrame, place: str) -> tuple[pl.DataFrame, list[Finding]]:
    """Return the pairs of a split with pools and ids as numbers (14 bytes each), and unknown pools and ids."""
    ids = pl.Enum(documents["id"].sort())
    pairs = read_pairs(path, PAIRS, pl.Schema({"pool": pl.Enum(POOLS), **dict.fromkeys(PAIR, ids)}))
    if pairs["pool"].null_count():
        return pairs, [Finding("pair_form", place, f"{place}: a pool that is none of {', '.join(POOLS)}")]
    findings = []
    candidates = documents.filter("candidate")["id"].cast(ids)
    for name, known in (("query_id", ids.categories), ("candidate_id", candidates)):
        fits = np.zeros(len(documents) + 1, np.bool_)
        fits[known.cast(ids).to_physical()] = True
        strange = ~fits[pairs[name].to_physical().fill_null(len(documents))]
        if strange.any():
            stated = read_pairs(path, PAIRS)[name].filter(pl.Series(strange)).unique().sort()
            findings += [Finding("pair_form", ident, f"{place}: no {name} of the split") for ident in stated]
    return pairs, findings


def _numbered(rows: pl.DataFrame, ids: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Return rows with their ids as numbers, as `_read` has them; null for ids that are not in the split."""
    return rows.cast({name: dtype for name, dtype in ids.items() if name in rows.columns}, strict=False)


def _check_form(pairs: pl.DataFrame, place: str) -> Iterator[Finding]:
    """Yield files whose rows are out of order, and groups other than a positive of a query with its negatives."""
    pool, group, query, candidate = (
        pairs[name].to_physical().to_numpy() for name in ("pool", "group", "query_id", "candidate_id")
    )
    same = pairs["same"].to_numpy()
    begins = np.ones(len(pairs), np.bool_)  # a group
    begins[1:] = (pool[1:] != pool[:-1]) | (group[1:] != group[:-1])
    falls = (pool[1:] < pool[:-1]) | (pool[1:] == pool[:-1]) & (group[1:] < group[:-1])
    within = ~begins[1:]
    falls |= within & (same[1:] > same[:-1])
    falls |= within & (same[1:] == same[:-1]) & (candidate[1:] < candidate[:-1])
    if falls.any():
        yield Finding("pair_form", place, f"{place} is not in its order")
        return
    wrong = same != begins
    wrong[1:] |= within & ((query[1:] != query[:-1]) | (candidate[1:] == candidate[:-1]))
    starts = np.flatnonzero(begins)
    wrong |= ~begins & (candidate == np.repeat(candidate[starts], np.diff(np.append(starts, len(pairs)))))
    groups = pl.Series(group[starts])
    for number in np.unique(np.concatenate([group[wrong], groups.filter(groups.is_duplicated())])):
        yield Finding("pair_form", f"{place} {number}", f"{place}: group {number}")
    repeated = pairs.filter("same").filter(pl.struct("pool", *PAIR).is_duplicated())
    for one, other in repeated.select(PAIR).unique(maintain_order=True).iter_rows():
        yield Finding("pair_form", one, f"{place}: {one} and {other} in two groups")


def _check_members(pairs: pl.DataFrame, texts: Texts) -> Iterator[Finding]:
    """Yield positives that answer no query, negatives by possibly the same person, and texts with too few letters."""
    number = len(texts.row_of)
    author, fits = texts.arrays("author", "fits")
    answering, answers = _numbers(texts.answers.drop_nulls())
    asking = np.full(number, -1, np.int64)  # the author of a query
    asking[answering] = author[texts.row_of[answers]]
    asks = np.zeros(number, np.bool_)
    asks[texts.queries["query_id"].to_physical()] = True
    by, barred = (place.astype(np.int64) for place in texts.excluded.nonzero())
    answered, barred = np.sort(answering * number + answers), np.sort(by * number + barred)
    for part in pairs.iter_slices(_PAIRS_AT_ONCE):
        (query, candidate), same = _numbers(part.select(PAIR)), part["same"].to_numpy()
        row = texts.row_of[candidate]
        broken = {
            "pair_answer": ~np.where(same, _among(query * number + candidate, answered), asks[query]),
            "pair_stranger": ~same & asks[query] & _among(asking[query] * number + row, barred),
            "unscored_pair": ~fits[row],
        }
        for code, is_broken in broken.items():
            wrong = part.filter(pl.Series(is_broken)).select(PAIR).unique().sort(PAIR)
            for one, other in wrong.iter_rows():
                yield Finding(code, other if code == "unscored_pair" else one, f"{other} for {one}")


def _numbers(pairs: pl.DataFrame) -> list[I64]:
    """Return the numbers of the ids in each column."""
    return [column.to_physical().to_numpy().astype(np.int64) for column in pairs.iter_columns()]


def _among(keys: I64, known: I64) -> BOOL:
    """Return whether each key is one of the sorted known keys."""
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: BOOL = known[places] == keys if len(known) else np.zeros(len(keys), np.bool_)
    return found


def _count(split: str, pairs: pl.DataFrame, texts: Texts, pools: Sequence[str]) -> Counts:
    """Return the number of groups (`kept`) and of possible groups (`positives`) by pool, language and source."""
    places = texts.table.select("lang", "source", candidate_id="id")
    positives = texts.answers.join(pl.DataFrame({"pool": [pool for pool in pools if pool != POOLS[2]]}), how="cross")
    counts: Counts = Counter()
    for name, rows in (("kept", pairs.filter("same")), ("positives", positives)):
        of_place = rows.join(places, on="candidate_id").group_by("pool", "lang", "source").len()
        counts.update({(split, *place, name): count for *place, count in of_place.iter_rows()})
    return counts


def _check_counts(release: Rows, counts: Counts) -> Iterator[Finding]:
    path = release.folder / _STATISTICS
    if not path.is_file():
        return
    stated: Counts = Counter()
    for number, row in enumerate(read_csv(path)[1], start=2):
        place = (row["split"], row["pool"], row["lang"], row["source"])
        positives, kept, left = (int(row[name]) for name in ("positives", "kept", "left_out"))
        if positives != kept + left:
            yield Finding("statistics", _STATISTICS, f"{_STATISTICS}:{number}: {kept} and {left} of {positives}")
        stated.update({(*place, "positives"): positives, (*place, "kept"): kept})
    for key in sorted(stated.keys() | counts.keys()):
        if stated[key] != counts[key] and (key[1] != POOLS[2] or key[-1] == "kept"):
            yield Finding("statistics", _STATISTICS, f"{' '.join(key)}: says {stated[key]}, there are {counts[key]}")
