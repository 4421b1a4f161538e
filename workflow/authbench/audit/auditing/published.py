"""Compare published scores of models on a dataset with the scores of rows that do not read style.

Accepted are CSV (a model per line, columns such as `S@5` and `EER`; with `slice` and `split`, the rows of all queries
and of this split), JSON (`scores.json` of this package, or any nesting in which scores have their usual names), and
PAN's answers (JSON lines of `id`, `value`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import polars as pl

from authbench.audit.auditing.rows import LOWER_IS_BETTER, Measured
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.json_files import read_foreign_json
from authbench.release.format.pan import align, read_answers
from authbench.release.reading.foreign import CSV, TSV, bad_rows_note, kind_of, read_foreign, text_column
from authbench.scoring.evaluation.joined import read_queries
from authbench.scoring.evaluation.released import HEADLINES
from authbench.scoring.metrics.auc import auc

# Names of scores elsewhere, in lower case.
NAMES: Mapping[str, Sequence[str]] = {
    "success@1": ("success@1", "s@1", "hit@1", "accuracy@1"),
    "success@5": ("success@5", "s@5", "hit@5", "accuracy@5"),
    "mrr": ("mrr",),
    "eer": ("eer",),
    "pairs_auc": ("auc", "roc_auc"),
    **{name: (name,) for name in HEADLINES},
}
_OURS = {theirs: ours for ours, several in NAMES.items() for theirs in several}
_MOST_QUERIES = 1e9
_MODEL = ("model", "system", "name", "team")


@dataclass(frozen=True)
class Given:
    """A score of a model.

    Attributes:
        split: as the file states; None if it does not.
        of: the file.
        queries: their number, if stated.
        table: the metrics of every query, if its folder has them (`queries.parquet`).
    """

    model: str
    score: str
    value: float
    split: str | None
    of: str
    queries: int | None = None
    table: pl.DataFrame | None = field(default=None, compare=False, repr=False)


def read_scores(paths: Sequence[Path]) -> list[Given]:
    """Return the scores in CSV and JSON files; `answers_auc` reads answers of PAN (`.jsonl`).

    Raises:
        InputError: a file cannot be read, or contains no model with a score of a known name.
    """
    found: list[Given] = []
    for given in paths:
        files = [file for file in _files(given) if file.suffix != ".jsonl"]
        own = [one for file in files for one in _scores_of(file, alone=not given.is_dir())]
        if files and not own:
            raise InputError(
                f"{given}: no score of a known name. Expected a column or key {', '.join(_OURS)} and `model`."
            )
        found += own
    return found


def _scores_of(path: Path, alone: bool) -> list[Given]:
    """Return the scores of a file; empty if a file among several contains no models."""
    try:
        return list(_of_csv(path) if kind_of(path) in (CSV, TSV) else _of_json(path))
    except InputError:
        if alone:
            raise
        return []


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(path.glob("*/scores.json")) or sorted(
            file for file in path.iterdir() if file.suffix in (".json", ".csv", ".jsonl")
        )
        if not found:
            raise InputError(f"{path}: holds no scores. Expected .csv or .json files, or <model>/scores.json.")
        return found
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Expected published scores, CSV or JSON.")
    return [path]


def _of_csv(path: Path) -> Iterator[Given]:
    read = read_foreign(path, lambda _: True)
    if read.bad:
        raise InputError(f"{bad_rows_note(path, read.bad)}. Expected a row for each model.")
    table = pl.DataFrame([text_column(path, name, values, False) for name, values in read.columns.items()])
    lowered: dict[str, str] = {}
    for name in table.columns:
        if (other := lowered.setdefault(name.strip().lower(), name)) != name:
            raise InputError(f"{path}: has the columns {other!a:.60} and {name!a:.60}. Expected each score once.")
    model = next((lowered[name] for name in _MODEL if name in lowered), None)
    if model is None:
        names = ", ".join(printable(name[:40]) for name in read.names)[:300]
        raise InputError(f"{path}: has no column {' or '.join(_MODEL)}. It has {names or 'none'}.")
    if "slice" in lowered:
        table = table.filter(pl.col(lowered["slice"]).str.to_lowercase().is_in(["overall", "all"]))
    for row in table.iter_rows(named=True):
        for theirs, own in lowered.items():
            if theirs in _OURS and (value := _number(row[own])) is not None:
                split = row[lowered["split"]] if "split" in lowered else None
                queries = _count(row[lowered["queries"]]) if "queries" in lowered else None
                yield Given(str(row[model]), _OURS[theirs], value, split, path.name, queries)


def _of_json(path: Path) -> Iterator[Given]:
    value = read_foreign_json(path)
    named = value.get("model")
    model = str(named.get("name") if isinstance(named, Mapping) else named or path.stem)
    benchmark = value.get("benchmark")
    split = value.get("split") or (benchmark.get("split") if isinstance(benchmark, Mapping) else None)
    there = (path.parent / "queries.parquet").is_file()
    table = read_queries(path.parent) if there and path.name == "scores.json" else None
    for place, score, number, queries in _scores_in(value):
        name = f"{model}{f' ({place})' if place else ''}"
        yield Given(name, score, number, split, path.name, queries, None if place else table)


def _scores_in(
    value: Mapping[str, object], place: tuple[str, ...] = ()
) -> Iterator[tuple[str, str, float, int | None]]:
    """Yield place, name, value and number of queries of the scores in nested objects, except in slices and lists."""
    queries = _count(value.get("num_queries"))
    for key, one in value.items():
        if isinstance(one, Mapping):
            if key.lower() in _OURS and (number := _number(one.get("value"))) is not None:
                yield _shown(place), _OURS[key.lower()], number, queries
            elif not key.startswith(
                ("by_", "within_", "interval", "headline_on", "random_", "matched_pairs", "power", "chance_adjusted")
            ):
                yield from _scores_in(one, (*place, key))
        elif key.lower() in _OURS and (number := _number(one)) is not None:
            yield _shown(place), _OURS[key.lower()], number, queries


def _shown(place: Sequence[str]) -> str:
    kept = [key for key in place if key not in ("overall", "headline", "representation", "verification", "attribution")]
    return " ".join(kept)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if number == number and abs(number) != float("inf") else None


def _count(value: object) -> int | None:
    number = _number(value)
    return round(number) if number and 1 <= number <= _MOST_QUERIES else None


def answers_auc(paths: Sequence[Path], problems: pl.DataFrame) -> list[Given]:
    """Return the area under the ROC curve of each file of PAN's answers (`.jsonl`) to problems.

    Raises:
        InputError: there are answers, but the dataset has no problems.
    """
    found = []
    for path in (file for given in paths for file in _files(given) if file.suffix == ".jsonl"):
        if not problems.height:
            raise InputError(f"{path}: answers to problems, and the dataset has none. Expected CSV or JSON of scores.")
        values = align(problems["problem"], read_answers(path), str(path))
        found.append(Given(path.stem, "pairs_auc", auc(problems["same"].to_numpy(), values), None, path.name))
    return found


class BestRow(TypedDict):
    """The row with the best score."""

    row: str
    value: float


class Published(TypedDict):
    """A published score with the rows that do not read style; `same_split`: they were measured on its split."""

    model: str
    score: str
    split: str | None
    value: float
    file: str
    same_split: bool
    best_shortcut: BestRow | None
    shortcuts_as_good: list[str]


def parts_of(one: Given, measured: Sequence[Measured]) -> list[Measured]:
    """Return the measured split that a score is compared with: its own, else the only one, `test` or the last."""
    parts = [part for part in measured if part.split == one.split] or list(measured)
    return [part for part in parts if part.split == "test"] or parts[-1:] if len(parts) > 1 else parts


def beside(given: Sequence[Given], measured: Sequence[Measured]) -> list[Published]:
    """Return each score with the rows that do not read style and score as well or better on the same split.

    A score of a split that was not measured is compared with the only measured split; `same_split` is then false.
    """
    found: list[Published] = []
    for one in given:
        own = one.split in {part.split for part in measured}
        parts = parts_of(one, measured)
        if (
            one.split is not None
            and not own
            and any(other.split in {part.split for part in measured} for other in given)
        ):
            continue  # the file also has scores of a measured split
        rows = [(row, row["scores"][one.score]["value"]) for part in parts for row in part.rows
                if row["shortcut"] and one.score in row["scores"]]  # fmt: skip
        lower = one.score in LOWER_IS_BETTER
        as_good = [row["row"] for row, value in rows if (value <= one.value if lower else value >= one.value)]
        best = min(rows, key=lambda pair: pair[1] if lower else -pair[1], default=None)
        found.append(
            {
                "model": one.model,
                "score": one.score,
                "value": one.value,
                "file": one.of,
                "split": one.split,
                "same_split": own or one.split is None,
                "shortcuts_as_good": as_good,
                "best_shortcut": None if best is None else {"row": best[0]["row"], "value": best[1]},
            }
        )
    return found
