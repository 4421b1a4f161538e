"""Read the style suite's results and check that they are comparable."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import orjson

from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.suites.style.entries import STEB
from authbench.suites.style.scores import Figures, figures
from authbench.suites.style.vectors import LONG_TEXTS

SHARED = (("settings", "seed"), ("versions", "authbench"))


@dataclass(frozen=True)
class Result:
    """The result of `run` for a model and a treatment of long texts."""

    path: Path
    content: JsonMapping

    @property
    def name(self) -> str:
        return str(self.content["model"]["name"])

    @property
    def group(self) -> str:
        return str(self.content["model"]["group"])

    @property
    def long_texts(self) -> str:
        return str(self.content["settings"]["long_texts"])

    @property
    def texts_per_second(self) -> float | None:
        """Return the embedding speed; None if unknown."""
        path = self.path.with_suffix(".speed.json")
        rate: float | None = orjson.loads(path.read_bytes())["texts_per_second"] if path.is_file() else None
        return rate

    def figures(self) -> Figures:
        return figures(self.content)


def collect(folders: Sequence[Path]) -> list[Result]:
    """Return the results in these folders, sorted by group, name and treatment of long texts.

    A folder is a model's folder or contains several. Raises InputError if there are no results, or if they are
    unreadable or not comparable.
    """
    results = []
    for folder in folders:
        names = [f"{name}.json" for name in LONG_TEXTS]
        places = [folder / name for name in names if (folder / name).is_file()]
        places = places or sorted(place for name in names for place in folder.glob(f"*/{name}"))
        if not places:
            raise InputError(
                f"{folder}: no results here or one folder below. Expected what authbench style run writes."
            )
        results += [read(place) for place in places]
    results.sort(key=lambda result: (result.group, result.name, result.long_texts))
    for one, other in combinations(results, 2):
        _expect_comparable(one, other)
    return results


def read(path: Path) -> Result:
    """Read the results of a model.

    Raises:
        InputError: the file is unreadable or incomplete.
    """
    try:
        content = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as problem:
        raise InputError(f"{path}: cannot be read as JSON: {problem}. Run the model again.") from None
    missing = {"model", "settings", "versions", "datasets", "not_run"} - set(content)
    if missing:
        raise InputError(f"{path}: lacks {', '.join(sorted(missing))}. Run the model again.")
    return Result(path, content)


def _expect_comparable(one: Result, other: Result) -> None:
    """Raise InputError if seed, version, or the rows or probed features of a dataset differ."""
    differing = [
        (f"their {part} differ in {key}", one.content[part].get(key), other.content[part].get(key))
        for part, key in SHARED
    ]
    for protocol, part in (("", "datasets"), (" in the protocol steb", STEB)):
        cells = [result.content.get(part, {}) for result in (one, other)]
        for dataset in set(cells[0]) & set(cells[1]):
            mine, theirs = (cell[dataset] for cell in cells)
            differing.append((f"the rows of {dataset} differ{protocol}", mine["digest"], theirs["digest"]))
            measured = [cell["tasks"].get("probing", {}).get("measured_by") for cell in (mine, theirs)]
            differing.append((f"the features of {dataset} are others{protocol}", *measured))
    for what, mine, theirs in differing:
        if mine != theirs:
            raise InputError(
                f"{one.name} and {other.name} cannot be compared: {what} ({one.path}: {mine}, {other.path}: {theirs}). "
                "Run both on the same files, with the same packages."
            )
