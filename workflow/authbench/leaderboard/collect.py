"""Collect results of models, and refuse those that cannot be compared."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from authbench.errors import InputError
from authbench.evaluation.joined import differing, is_shortcut, read_queries
from authbench.evaluation.released import HEADLINES
from authbench.format.names import name_problem, split_problem
from authbench.registry.entries import schema_problems
from authbench.shipped import shipped
from authbench.storage.json_files import read_foreign_json

_SHOWN = 4


@dataclass(frozen=True)
class Result:
    """The scores.json of one model, and the folder where it was found."""

    folder: Path
    scores: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.scores["model"]["name"])

    @property
    def group(self) -> str:
        return str(self.scores["model"]["group"])

    @property
    def shortcut(self) -> bool:
        """Return whether the model sees nothing that is style."""
        return is_shortcut(self.scores)

    @property
    def unverified(self) -> str:
        """Return why the release that was scored is not verified; empty where it is."""
        benchmark = self.scores["benchmark"]
        return "" if benchmark.get("verified") is True else str(benchmark.get("reason", "not stated"))

    @property
    def seen(self) -> list[str]:
        """Return the sources of the split's queries whose texts the model was, or may have been, trained on."""
        return sorted(set(self.scores["model"]["trained_on"]) & set(self.scores["by_source"]))

    def queries(self) -> pl.DataFrame:
        """Return the metrics of every query, sorted by id. Raises InputError where there are none."""
        return read_queries(self.folder)


def collect(folders: Sequence[Path]) -> list[Result]:
    """Return the results in these folders (each one model's, or a folder of such), sorted by group and name.

    Raises:
        InputError: there are none, two of one model, or two that cannot be compared.
    """
    results = [result for folder in folders for result in read_results(folder)]
    if not results:
        raise InputError("There are no results to compare. Evaluate a model first (in a recipe: evaluate.models).")
    results.sort(key=lambda result: (result.group, result.name))
    for one, other in zip(results, results[1:], strict=False):
        if one.name == other.name:
            raise InputError(f"{one.folder} and {other.folder} are both results of {one.name}. Give one of them.")
    for other in results[1:]:
        _expect_comparable(results[0], other)
    return results


def by_headline(results: Sequence[Result]) -> list[Result]:
    """Return results by the first headline score that any has, else by Success@5, the best first, then by name."""
    score = next((name for name in HEADLINES if any(_headline(one, name) is not None for one in results)), None)

    def place(result: Result) -> tuple[float, str]:
        value = _headline(result, score) if score else result.scores["overall"].get("success@5")
        return (math.inf if value is None else -value, result.name)

    return sorted(results, key=place)


def _headline(result: Result, score: str) -> float | None:
    value = result.scores.get("headline", {}).get(score, {}).get("value")
    return None if value is None else float(value)


def read_results(folder: Path) -> Iterator[Result]:
    places = (
        [folder] if (folder / "scores.json").is_file() else sorted(path.parent for path in folder.glob("*/scores.json"))
    )
    if not places:
        raise InputError(f"{folder}: no scores.json here or one folder below. Expected what authbench evaluate writes.")
    for place in places:
        scores = read_foreign_json(place / "scores.json")
        if problems := [problem for _, problem in schema_problems(scores, shipped("schemas/scores.schema.yaml"))]:
            shown = "; ".join(f"{problem:.200}" for problem in problems[:_SHOWN])
            raise InputError(f"{place / 'scores.json'}: {shown}. Evaluate the model again.")
        result = Result(place, scores)
        for what, name, problem in (
            ("model", result.name, name_problem(result.name)),
            ("split", scores["benchmark"]["split"], split_problem(scores["benchmark"]["split"])),
        ):
            if problem:
                raise InputError(f"{place / 'scores.json'} names the {what} {name!a:.80}: {problem}.")
        yield result


def _expect_comparable(one: Result, other: Result) -> None:
    if place := differing(one.scores, other.scores):
        part, key = place
        mine, theirs = one.scores[part].get(key), other.scores[part].get(key)
        raise InputError(
            f"{one.name} and {other.name} cannot be compared: their {part} differ in {key} "
            f"({one.folder}: {mine}, {other.folder}: {theirs}). Evaluate both in the same way."
        )
