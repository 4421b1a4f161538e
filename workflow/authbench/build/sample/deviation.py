"""Measure how far the sample is from its targets, and how near it could have been.

The result shows whether the data or the sampler fell short: target, available and taken per language, genre and length,
and the least deviation that any choice under the author rule could reach (a linear program's bound).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NotRequired, TypedDict, cast

import polars as pl

from authbench.build.sample.documents import Selection, available_by, fewest_documents, genre_shares
from authbench.build.sample.reservoir import AUTHOR
from authbench.build.sample.targets import matching_pattern
from authbench.config.settings.sample import Sample
from authbench.release.format.deviation import Deviation, DeviationRow, Dimension, Place

NO_TARGET = "(no target)"
KINDS = 1_000  # the program takes a second; ten times as many kinds take minutes


class _There(TypedDict):
    """Hold what was available without the rule on authors, and the documents of inadmissible authors, by reason."""

    held: int
    refused: NotRequired[Mapping[str, int]]


def sampling_deviation(
    pool: pl.DataFrame,
    selection: Selection,
    settings: Sample,
    refused: Mapping[str, Mapping[str, int]] | None = None,
) -> Deviation:
    """Return targets, available and taken documents; `settings` is the section `sample`.

    `pool` has `author` (a number), lang, genre and length_bucket. Available counts at most as many documents per author
    as the rule allows; `held` counts all documents, `refused` documents by inadmissible authors, by language and
    reason. `limited_by` is why a target was missed (`limit_of`). It and the deficit are None without a target.
    """
    pairs = pool.select("lang", "genre").unique()
    patterns = [
        matching_pattern(genre, list(genre_shares(settings, lang))) or NO_TARGET for lang, genre in pairs.iter_rows()
    ]
    known = pairs.with_columns(pl.Series("pattern", patterns, pl.Categorical))
    marked = (
        pool.select("author", "lang", "genre", "length_bucket", pl.Series("chosen", selection.chosen))
        .join(known, on=["lang", "genre"], how="left", maintain_order="left")
        .drop("genre")
    )
    languages: list[DeviationRow] = []
    cells: list[DeviationRow] = []
    least = reached = 0.0
    for language, target in selection.languages.items():
        part = marked.filter(pl.col("lang") == language)
        taken = part.filter("chosen")
        at_most = sum(available_by(part, "lang", settings).values())
        held: _There = {"held": part.height, "refused": dict((refused or {}).get(language, {}))}
        languages.append(_row({"language": language}, target, at_most, taken.height, held))
        marginals: tuple[tuple[Dimension, str, Mapping[str, int] | None], ...] = (
            ("length", "length_bucket", selection.lengths[language]),
            ("genre", "pattern", selection.genres[language]),
        )
        for dimension, column, targets in marginals:
            there = available_by(part, column, settings)
            held_by = dict(part.group_by(column).len().iter_rows())
            taken_by = dict(taken.group_by(column).len().iter_rows())
            stated = {} if targets is None else targets
            for key in [*stated, *sorted(set(taken_by) - set(stated))]:
                place: Place = {"language": language, "dimension": dimension, "key": key}
                share = None if targets is None else targets.get(key, 0)
                row = _row(place, share, there.get(key, 0), taken_by.get(key, 0), {"held": held_by.get(key, 0)})
                reached += abs(row["deficit"] or 0)
                cells.append(row)
        if taken.height:
            lengths, genres = selection.lengths[language], selection.genres[language]
            least += _least_deviation(part, lengths, genres, taken.height, settings)
    per_author = marked.filter("chosen").group_by("author").len()["len"]
    return {
        "documents": {"target": settings["documents"], "taken": int(selection.chosen.sum())},
        "shortfall": settings["shortfall"],
        "languages": languages,
        "cells": cells,
        "bound": {"least_deviation": round(least, 3), "reached": reached},
        "fallback_authors": int((per_author < settings["min_documents_per_author"]).sum()),
    }


def recount(deviation: Deviation, documents: pl.DataFrame, settings: Sample) -> Deviation:
    """Return the deviation with the taken documents recounted: after sampling, splitting may leave documents out.

    `documents` has AUTHOR, genre and length_bucket; `settings` is the section `sample`.
    """
    taken = _count_places(documents, settings)
    found = _with_taken(deviation, lambda _, place: taken[place])
    return {**found, "fallback_authors": _fallback_authors(documents, settings["min_documents_per_author"])}


def discount(deviation: Deviation, documents: pl.DataFrame, stays: pl.Series, settings: Sample) -> Deviation:
    """Return the deviation without removed documents; targets and availability are unchanged.

    `documents` have the columns that `recount` needs, `stays` marks the documents that stay; `settings` is the section
    `sample`.
    """
    gone = _count_places(documents.filter(~stays), {"genres": None, **settings})
    found = _with_taken(deviation, lambda before, place: before - gone[place])
    least = settings.get("min_documents_per_author", 0)
    fewer = _fallback_authors(documents, least) - _fallback_authors(documents.filter(stays), least)
    # A takedown may have made authors small after they were counted.
    return {**found, "fallback_authors": max(deviation["fallback_authors"] - fewer, 0)}


def _count_places(documents: pl.DataFrame, settings: Sample) -> Counter[tuple[str, ...]]:
    """Return the number of documents in total (key `()`), of each language, and of each length and genre of it."""
    taken: Counter[tuple[str, ...]] = Counter({(): documents.height})
    for lang, genre, length, many in documents.group_by("lang", "genre", "length_bucket").len().iter_rows():
        pattern = matching_pattern(genre, list(genre_shares(settings, lang))) or NO_TARGET
        taken.update({(lang,): many, ("length", lang, length): many, ("genre", lang, pattern): many})
    return taken


def _fallback_authors(documents: pl.DataFrame, least: int) -> int:
    return int((documents.group_by(AUTHOR).len()["len"] < least).sum())


def _with_taken(deviation: Deviation, taken: Callable[[int, tuple[str, ...]], int]) -> Deviation:
    """Return the deviation with other numbers taken; `taken` gives them from the earlier number and the place."""

    def row(counted: DeviationRow, *place: str) -> DeviationRow:
        number = taken(counted["taken"], place)
        return _with_limit({**counted, "taken": number, "deficit": _deficit(counted["target"], number)})

    cells = [row(cell, cell["dimension"], cell["language"], cell["key"]) for cell in deviation["cells"]]
    everyone = deviation["documents"]
    return {
        **deviation,
        "documents": {**everyone, "taken": taken(everyone["taken"], ())},
        "languages": [row(language, language["language"]) for language in deviation["languages"]],
        "cells": cells,
        "bound": {**deviation["bound"], "reached": float(sum(abs(cell["deficit"] or 0) for cell in cells))},
    }


def _least_deviation(
    part: pl.DataFrame,
    lengths: Mapping[str, int] | None,
    genres: Mapping[str, int] | None,
    total: int,
    settings: Sample,
) -> float:
    """Return the least sum of absolute deviations of both marginals under the author rule, in documents.

    The linear relaxation: authors may be taken in part, but give between the minimum and the maximum of documents per
    whole author. With more than KINDS kinds of authors, only cells limit what can be taken: a looser bound, but still a
    bound. `part` is a language's `author, length_bucket, pattern`, of which `total` documents are taken.
    """
    if lengths is None and genres is None:
        return 0.0
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    minimum, maximum = fewest_documents(settings), settings["max_documents_per_author"]
    wanted = {("length", key): count for key, count in (lengths or {}).items()}
    if genres is not None:
        wanted |= {("genre", key): count for key, count in genres.items()} | {("genre", NO_TARGET): 0}
    rows = {marginal: row for row, marginal in enumerate(wanted)}

    upper: list[float] = []
    at_most: list[dict[int, float]] = []
    equal: list[dict[int, float]] = [{} for _ in range(len(wanted) + 1)]
    alike = _alike_authors(part, minimum, maximum)
    for cells, many in (alike if len(alike) <= KINDS else _cells_alone(alike, maximum)).items():
        author = len(upper)
        upper.append(many)
        columns = range(author + 1, author + 1 + len(cells))
        upper.extend([many * maximum] * len(cells))
        at_most.append({author: minimum, **dict.fromkeys(columns, -1.0)})
        at_most.append({author: -maximum, **dict.fromkeys(columns, 1.0)})
        for column, (length, pattern, size) in zip(columns, cells, strict=True):
            at_most.append({column: 1.0, author: -size})
            for place in (("length", length), ("genre", pattern)):
                if place in rows:
                    equal[rows[place]][column] = 1.0
            equal[len(wanted)][column] = 1.0
    documents = len(upper)
    for row in range(len(wanted)):
        equal[row] |= {documents + 2 * row: 1.0, documents + 2 * row + 1: -1.0}
    width = documents + 2 * len(wanted)

    def matrix(lines: list[dict[int, float]]) -> object:
        entries = [(line, column, value) for line, values in enumerate(lines) for column, value in values.items()]
        line, column, value = zip(*entries, strict=True)
        return csr_array((value, (line, column)), shape=(len(lines), width))

    result = linprog(
        [0.0] * documents + [1.0] * (2 * len(wanted)),
        A_ub=matrix(at_most),
        b_ub=[0.0] * len(at_most),
        A_eq=matrix(equal),
        b_eq=[*wanted.values(), total],
        bounds=[(0, bound) for bound in upper] + [(0, None)] * (2 * len(wanted)),
        method="highs",
    )
    return float(result.fun) if result.status == 0 else float("nan")


Cells = tuple[tuple[str, str, int], ...]


def _alike_authors(part: pl.DataFrame, minimum: int, maximum: int) -> dict[Cells, float]:
    """Return the number of authors with the same documents per (length, pattern), each at most `maximum`."""
    cell, size = ("length_bucket", "pattern", "size"), pl.len().clip(upper_bound=maximum).cast(pl.Int64)
    given = part.group_by("author", "length_bucket", "pattern").agg(size.alias("size"))
    given = given.cast({"length_bucket": pl.String, "pattern": pl.String})
    cells = given.select(cell).unique().sort(cell)
    alike = (
        given.join(cells.with_row_index("cell"), on=cell)
        .group_by("author")
        .agg(pl.col("size").sum(), pl.col("cell").sort())
        .filter(pl.col("size") >= minimum)
        .group_by("cell")
        .agg(pl.len().cast(pl.Float64).alias("many"))
        .sort("cell")
    )
    rows = cells.rows()
    return {tuple(rows[row] for row in kind): many for kind, many in alike.iter_rows()}


def _cells_alone(alike: Mapping[Cells, float], maximum: int) -> dict[Cells, float]:
    """Return the same documents as if every author wrote in a single cell (length, pattern)."""
    given: Counter[tuple[str, str]] = Counter()
    for cells, many in alike.items():
        for length, pattern, size in cells:
            given[length, pattern] += int(many) * size
    return {((*cell, maximum),): documents / maximum for cell, documents in sorted(given.items())}


def _with_limit(row: DeviationRow) -> DeviationRow:
    """Return the row with the reason of its limit if it has `held`; else the row unchanged."""
    return {**row, "limited_by": limit_of(row)} if "held" in row else {**row}


def limit_of(row: DeviationRow) -> str | None:
    """Return why a target was missed: the last limit without which it could have been met; None if it was met.

    `whole_authors`: enough was available, but authors are taken whole, for all targets together.
    `documents_per_author`: authors wrote enough, but may not give as much. `authors`: enough with inadmissible authors
    (`refused`). `filters`: enough with the documents that filters dropped (`filtered`). `texts`: there are too few.
    """
    if row["target"] is None or row["deficit"] is None or row["deficit"] <= 0:
        return None
    there = row["available"]
    if there >= row["target"]:
        return "whole_authors"
    there = row["held"]
    if there >= row["target"]:
        return "documents_per_author"
    for limit, more in (("authors", sum(row.get("refused", {}).values())), ("filters", row.get("filtered", 0))):
        there += more
        if there >= row["target"]:
            return limit
    return "texts"


def with_filtered(deviation: Deviation, filtered: Mapping[str, int]) -> Deviation:
    """Return the deviation with the number of documents of each language that the filters dropped."""
    rows = [
        _with_limit({**row, "filtered": filtered.get(row["language"], 0)}) for row in deviation.get("languages", ())
    ]
    return {**deviation, "languages": rows} if rows else deviation


def _row(place: Place, target: int | None, available: int, taken: int, more: _There) -> DeviationRow:
    deficit = _deficit(target, taken)
    row = {**place, "target": target, "available": available, "taken": taken, "deficit": deficit, **more}
    return _with_limit(cast(DeviationRow, row))


def _deficit(target: int | None, taken: int) -> int | None:
    return None if target is None else target - taken
