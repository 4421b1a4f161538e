"""Join the results of several models on a split: their gains over the shortcuts, and each query's difficulty.

The files of `<model>/own/` become those of `<model>/` (docs/evaluation.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import cast

import polars as pl

from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.storage.json_files import read_foreign_json, write_plain_json
from authbench.core.storage.parquet import write_plain_parquet
from authbench.core.storage.parquet_headers import bounded_parquet
from authbench.release.format.scores import Scores, part_of
from authbench.scoring.evaluation.gain import Comparison, Scored, compare
from authbench.scoring.evaluation.released import BY_CHANCE, COUNTS, HEADLINES, SCORES
from authbench.scoring.evaluation.slices import OVERALL, SLICES

OWN = "own"
# Values, by their place in scores.json, that must be equal for two results to be comparable.
SHARED = (
    ("benchmark", "checksum"),
    ("benchmark", "split"),
    ("settings", "seed"),
    ("settings", "negatives_per_query"),
    ("settings", "fitted_on"),
    ("versions", "authbench"),
)
_EXPECTED = ("id", "author_id", "lang")
_QUERIES: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys((*_EXPECTED, *SLICES.values()), pl.String),
    **dict.fromkeys((*SCORES, *filter(None, COUNTS.values()), BY_CHANCE), pl.Float64),
}
_OF_GAIN = ("against", "value", "low", "high", "macro", "macro_low", "macro_high", "p_holm", "authors")


def join(folders: Iterable[Path]) -> None:
    """Write scores.json and queries.parquet of every model of these folders (each has `own`)."""
    own = [(folder, _read_own(folder)) for folder in sorted(folders)]
    tables = [read_queries(folder / OWN) for folder, _ in own]
    if not own:
        return
    comparison = compare_results([scores for _, scores in own], tables)
    for (folder, scores), table in zip(own, tables, strict=True):
        write_plain_json(folder / "scores.json", _with_gains(scores, comparison))
        solved = table.join(comparison.difficulty, on="id", how="left", maintain_order="left")
        write_plain_parquet(solved, folder / "queries.parquet")


def comparable_results(out: Path, model: str) -> list[Path]:
    """Return the folders in `out` whose results can be compared with a model's, including its own folder."""
    folders = sorted(path.parents[1] for path in out.glob(f"*/{OWN}/scores.json"))
    scores = {folder: _read_own(folder) for folder in folders}
    mine = scores[out / model]
    return [folder for folder in folders if not differing(mine, scores[folder])]


def _read_own(folder: Path) -> Scores:
    return cast(Scores, read_foreign_json(folder / OWN / "scores.json"))


def differing(one: Scores, other: Scores) -> tuple[str, str] | None:
    """Return the first place of SHARED, or metric of a plug-in that both have, in which two results differ."""
    plugged = sorted(one.get("metrics", {}).keys() & other.get("metrics", {}).keys())
    for part, key in (*SHARED, *(("versions", name) for name in plugged)):
        if part_of(one, part).get(key) != part_of(other, part).get(key):
            return part, key
    return None


def read_queries(folder: Path) -> pl.DataFrame:
    """Return the metrics of every query, sorted by id. Raises InputError if they are missing or of another type."""
    path = folder / "queries.parquet"
    table = bounded_parquet(path)
    needed = {name: dtype for name, dtype in _QUERIES.items() if name in _EXPECTED or name in table.columns}
    expect_types(path, table, needed)
    if any(table[name].null_count() for name in _EXPECTED):
        raise InputError(f"{path}: no {', '.join(_EXPECTED)} in some rows. Evaluate the model again.")
    return table.sort("id")


def expect_types(place: Path | str, table: pl.DataFrame, types: JsonMapping) -> None:
    """Raise InputError if a table of a result lacks a column or has another type in it."""
    for name, dtype in types.items():
        if table.schema.get(name) != dtype:
            raise InputError(
                f"{place}: column {name} is {table.schema.get(name, 'absent')}. Expected {dtype}; evaluate the model "
                "again."
            )


def compare_results(scores: Sequence[Scores], tables: Sequence[pl.DataFrame]) -> Comparison:
    """Compare results (scores.json and queries.parquet of each model) that `differing` accepts.

    Raises:
        InputError: their queries differ.
    """
    expect_same_queries(scores, tables)
    dev = {one.get("headline_on_dev", {}).get("checksum") for one in scores if is_shortcut(one)}
    models = [
        Scored(
            name=one["model"]["name"],
            shortcut=is_shortcut(one),
            queries=table,
            on_dev={name: one["headline_on_dev"][name] for name in HEADLINES if name in one["headline_on_dev"]}
            if len(dev) == 1 and is_shortcut(one) and "headline_on_dev" in one
            else {},
        )
        for one, table in zip(scores, tables, strict=True)
    ]
    return compare(models, scores[0]["benchmark"].get("pool_authors", {}), scores[0]["settings"]["seed"])


def expect_same_queries(scores: Sequence[Scores], tables: Sequence[pl.DataFrame]) -> None:
    """Raise InputError unless the tables hold the same queries."""
    for one, table in zip(scores, tables, strict=True):
        if not table.select(_EXPECTED).equals(tables[0].select(_EXPECTED)):
            names = one["model"]["name"], scores[0]["model"]["name"]
            raise InputError(f"queries.parquet of {names[0]} holds other queries than that of {names[1]}.")


def is_shortcut(scores: Scores) -> bool:
    """Return whether the model does not read style."""
    return scores["model"].get("shortcut") is True


def _with_gains(own: Scores, comparison: Comparison) -> dict[str, object]:
    """Return a model's scores with its gains over all queries and in slices, and the power of the comparison."""
    scores: JsonObject = deepcopy(dict(own))
    name = scores["model"]["name"]
    mine = comparison.gains.filter(pl.col("model") == name)
    against = {score: shortcut for score, (shortcut, _) in comparison.chosen.items()}
    for row in mine.iter_rows(named=True):
        if (row["facet"], row["slice"]) == OVERALL:
            cell = scores["headline"][row["score"]]
        else:
            cell = scores[row["facet"]][row["slice"]]["headline"][row["score"]]
        gain = {key.removesuffix("_holm"): row[key] for key in _OF_GAIN if row[key] is not None}
        if row["against"] == against.get(row["score"]):
            cell["gain"] = gain | {"chosen_on": comparison.chosen[row["score"]][1]}
        else:
            cell["gain_over_punctuation"] = gain
    for score, cell in scores.get("headline", {}).items():
        if score in HEADLINES:
            cell.setdefault("gain", None)
    if name in comparison.unsolved:
        scores["s@5_unsolved"] = dict(comparison.unsolved[name])
    scores["power"] = {"tests": comparison.tests, **comparison.power}
    return scores
