"""Read results of a model that ran elsewhere: a run of ranked candidates, or scores of a release's pairs.

A run has six columns, `query Q0 document rank score tag`, separated by white space. Scores order a query's candidates,
the ranks are not read, and a line that ranks a query for itself is ignored. Memory: 16 bytes per line, and a batch of
BATCH lines.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.models.vector_file import named
from authbench.release.reading.foreign import CSV, PARQUET, TSV, bad_rows_note, kind_of, read_foreign, text_column
from authbench.release.reading.typed_parquet import IDENT, NUMBER, read_columns
from authbench.scoring.evaluation.split import Split

BATCH = 200_000
LISTED = pl.Schema({"query": pl.Int32, "candidate": pl.Int32, "score": pl.Float64})
_LINE = r"^\s*(?P<query_id>\S+)\s+\S+\s+(?P<candidate_id>\S+)\s+\S+\s+(?P<score>\S+)\s+\S+\s*$"
_COLUMNS = "query Q0 document rank score tag"


def expect_known(path: Path, ids: Iterable[str], split: Split) -> None:
    """Raise InputError if ids of a file of vectors are neither in the split nor in the rest of its release."""
    known = set(split.documents["id"])
    unknown = [ident for ident in ids if ident not in known]
    if unknown:
        elsewhere = set(split.known_ids())
        unknown = [ident for ident in unknown if ident not in elsewhere]
    if unknown:
        raise InputError(f"{path}: has vectors of {named(unknown)} that the release does not have.")


def read_run(path: Path, split: Split) -> pl.DataFrame:
    """Return the lines of a run as LISTED: `query` is an index of `split.asks`, `candidate` a row.

    Raises:
        InputError: a line does not have six columns and a finite score, names an id outside the split, or repeats a
            candidate of a query; or a query with positives has no line.
    """
    query_of, row_of = _numbers(split)
    parts, number = [pl.DataFrame(schema=LISTED)], 0
    for lines in _batches(path):
        rows = _columns(path, lines, number).filter(pl.col("query_id") != pl.col("candidate_id"))
        parts.append(_numbered(path, rows, query_of, row_of, "line"))
        number += len(lines)
    listed = pl.concat(parts)
    twice = listed.filter(listed.select("query", "candidate").is_duplicated())
    if twice.height:
        ids = split.documents["id"]
        query, candidate = ids[int(split.asks[twice["query"][0]])], ids[twice["candidate"][0]]
        raise InputError(f"{path}: ranks {candidate} more than once for the query {query} ({twice.height} such lines).")
    answered = np.flatnonzero(split.positives.lengths())
    absent = np.setdiff1d(answered, listed["query"].unique().to_numpy())
    if len(absent):
        lacking = split.documents["id"].gather(split.asks[absent]).to_list()
        raise InputError(f"{path}: ranks nothing for {named(lacking)} of {len(answered)} queries of {split.name}.")
    return listed


def read_pairs(path: Path, split: Split) -> F64:
    """Return the scores of `split.released.lists` from a table with `query_id`, `candidate_id` and `score`.

    A pair may be repeated with the same score, as it may be in two pools.

    Returns:
        Shape (released pairs,), float64.

    Raises:
        InputError: the release states no pairs; the table cannot be read, lacks a pair, has a pair that the release
            does not state, or a pair with two scores; or a score is not a finite number.
    """
    stated = split.released.lists
    if not len(stated.rows):
        raise InputError(f"{path}: the release states no pairs for {split.name} (it has no pairs.parquet) to score.")
    query_of, row_of = _numbers(split)
    found = _numbered(path, _pairs_table(path), query_of, row_of, "row").unique()
    ids, both_ids = split.documents["id"], ["query", "candidate"]

    def in_words(rows: pl.DataFrame) -> list[str]:
        return [f"{ids[int(split.asks[query])]} with {ids[row]}" for query, row in rows.select(both_ids).iter_rows()]

    if twice := in_words(found.filter(found.select(both_ids).is_duplicated())):
        raise InputError(f"{path}: has more than one score of {named(sorted(set(twice)))}. Expected one of each pair.")
    pairs = stated.frame()
    both = pairs.join(found, on=both_ids, how="left", maintain_order="left")
    for rows, problem in (
        (both.filter(pl.col("score").is_null()), "has no score of"),
        (found.join(pairs, on=both_ids, how="anti").sort(both_ids), "scores"),
    ):
        if rows.height:
            wrong = named(in_words(rows)).replace(" id", " pair", 1)
            more = "" if problem != "scores" else ", which the release does not state"
            raise InputError(
                f"{path}: {problem} {wrong}{more}. Expected the {len(stated.rows)} pairs of {split.name}/pairs.parquet."
            )
    return both["score"].to_numpy()


def _numbers(split: Split) -> tuple[dict[str, int], dict[str, int]]:
    ids = split.documents["id"]
    query_of = {ident: number for number, ident in enumerate(ids.gather(split.asks))}
    return query_of, {ident: row for row, ident in enumerate(ids[: split.candidates])}


def _batches(path: Path) -> Iterator[Sequence[str]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            while lines := list(islice(file, BATCH)):
                yield lines
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: cannot be read as text in UTF-8: {problem}") from None


def _columns(path: Path, lines: Sequence[str], before: int) -> pl.DataFrame:
    """Return `query_id`, `candidate_id`, `score` and `place` (from 1) of lines; empty lines are left out."""
    table = pl.DataFrame({"line": lines}).with_columns(place=pl.int_range(before + 1, before + len(lines) + 1))
    table = table.filter(pl.col("line").str.strip_chars() != "")
    found = table.select("place", pl.col("line").str.extract_groups(_LINE)).unnest("line")
    wrong = found.filter(pl.col("query_id").is_null())["place"]
    if len(wrong):
        raise InputError(f"{path}: line {wrong[0]} has not six columns. Expected {_COLUMNS}.")
    return found.with_columns(pl.col("score").cast(pl.Float64, strict=False))


def _pairs_table(path: Path) -> pl.DataFrame:
    columns = ("query_id", "candidate_id", "score")
    kind = kind_of(path)
    if kind not in (PARQUET, CSV, TSV):
        raise InputError(f"{path}: its name should end in .parquet or .csv.")
    if kind == PARQUET and path.suffix == ".parquet":
        table = read_columns(path, {**dict.fromkeys(columns[:2], IDENT), "score": NUMBER})
        return table.select(*columns[:2], pl.col("score").cast(pl.Float64)).with_row_index("place", 1)
    read = read_foreign(path, columns.__contains__)
    if read.bad:
        raise InputError(f"{bad_rows_note(path, read.bad)}. Expected {', '.join(columns)} in each.")
    lacking = [name for name in columns if name not in read.columns]
    if lacking:
        names = ", ".join(printable(name[:40]) for name in read.names[:20])
        raise InputError(f"{path}: has no column {', '.join(lacking)}; it has {names or 'none'}.")
    texts = [text_column(path, name, read.columns[name], name != "score") for name in columns]
    table = pl.DataFrame(texts).with_columns(pl.col("score").cast(pl.Float64, strict=False))
    return table.with_row_index("place", 1)


def _numbered(
    path: Path, rows: pl.DataFrame, query_of: Mapping[str, int], row_of: Mapping[str, int], place: str
) -> pl.DataFrame:
    """Return LISTED of rows with ids. Raises InputError for an unknown id, or a score that is not a finite number."""
    wrong = rows.filter(pl.col("score").is_null() | ~pl.col("score").is_finite())["place"]
    if len(wrong):
        raise InputError(f"{path}: {place} {wrong[0]} has no finite score ({len(wrong)} such {place}s).")
    found = rows.with_columns(
        query=pl.col("query_id").replace_strict(query_of, default=None, return_dtype=pl.Int32),
        candidate=pl.col("candidate_id").replace_strict(row_of, default=None, return_dtype=pl.Int32),
    )
    for column, ident, kind in (("query", "query_id", "queries"), ("candidate", "candidate_id", "candidates")):
        unknown = found.filter(pl.col(column).is_null())[ident].fill_null("(none)").unique(maintain_order=True)
        if len(unknown):
            raise InputError(f"{path}: {named(unknown.to_list())} are not among the {kind} of this split.")
    return found.select(LISTED.names())
