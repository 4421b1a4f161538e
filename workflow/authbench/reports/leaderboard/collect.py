"""Collect results of models, and reject results that are not comparable."""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from authbench.core.errors import InputError
from authbench.release.format.names import name_problem, split_problem
from authbench.release.format.release import Release
from authbench.release.format.scores import Cell, Scores, headline_value, part_of
from authbench.scoring.evaluation.joined import differing, is_shortcut, read_queries
from authbench.scoring.evaluation.released import HEADLINES
from authbench.scoring.evaluation.split import split_checksum
from authbench.scoring.metrics.ranking import NAMES as RANKING_MEASURES
from authbench.scoring.submissions.archive import SUFFIX, Fields, read_result, told_as, unpack

_SEEN = 5e-4  # smallest difference visible in a table


@dataclass(frozen=True)
class Result:
    """The scores.json of a model and its folder; for a submission, also its submitted fields."""

    folder: Path
    scores: Scores
    fields: Fields | None = None

    @property
    def place(self) -> str:
        """Return its location, for messages."""
        return f"{self.folder.name}{SUFFIX}" if self.fields else str(self.folder)

    @property
    def name(self) -> str:
        return str(self.scores["model"]["name"])

    @property
    def group(self) -> str:
        return str(self.scores["model"]["group"])

    @property
    def shortcut(self) -> bool:
        """Return whether the model does not see style."""
        return is_shortcut(self.scores)

    @property
    def unverified(self) -> str:
        """Return why the scored release is not verified; empty if it is."""
        benchmark = self.scores["benchmark"]
        return "" if benchmark.get("verified") is True else str(benchmark.get("reason", "not stated"))

    @property
    def edition(self) -> str:
        """Return in words on which edition of its split the result was made."""
        benchmark = self.scores["benchmark"]
        return _edition(benchmark.get("version"), benchmark["checksum"])

    @property
    def seen(self) -> list[str]:
        """Return the sources of the split's queries that the model was, or may have been, trained on."""
        return sorted(set(self.scores["model"]["trained_on"]) & set(self.scores["by_source"]))

    def queries(self) -> pl.DataFrame:
        """Return the metrics of every query, sorted by id. Raises InputError if there are none."""
        return read_queries(self.folder)


def collect(places: Sequence[Path], unpacked: Path | None = None) -> list[Result]:
    """Return the results in these places, sorted by group and name; for duplicate models, the first.

    Args:
        places: model folders, folders of such folders and of submissions, or submission files.
        unpacked: a folder for the files of submissions, needed as long as the results are used.

    Raises:
        InputError: there are no results, or two are not comparable.
    """
    found: dict[str, Result] = {}
    for result in (result for place in places for result in read_results(place, unpacked)):
        first = found.setdefault(result.name, result)
        if first is not result:
            same = "the same scores" if _alike(first.scores["overall"], result.scores["overall"]) else "other scores"
            if first.edition != result.edition:
                same += f", on {result.edition}, not {first.edition}"
            print(
                f"authbench: {result.place} is left out: {first.place} has results of {result.name}, too ({same}). "
                "If they are two models, give one another name.",
                file=sys.stderr,
            )
    results = sorted(found.values(), key=lambda result: (result.group, result.name))
    if not results:
        raise InputError("There are no results to compare. Evaluate a model first (in a recipe: evaluate.models).")
    for other in results[1:]:
        _expect_comparable(results[0], other)
    return results


def by_headline(results: Sequence[Result]) -> list[Result]:
    """Return results by the first available headline score, else by Success@5, best first, then by name."""
    score = next(
        (name for name in HEADLINES if any(headline_value(one.scores, name) is not None for one in results)), None
    )

    def place(result: Result) -> tuple[float, str]:
        value = headline_value(result.scores, score) if score else result.scores["overall"].get("success@5")
        return (math.inf if value is None else -value, result.name)

    return sorted(results, key=place)


def _alike(one: Cell, other: Cell) -> bool:
    """Return whether two cells of scores look equal in a table."""
    return all(abs((one.get(name) or 0.0) - (other.get(name) or 0.0)) < _SEEN for name in (*RANKING_MEASURES, "eer"))


def read_results(folder: Path, unpacked: Path | None = None) -> Iterator[Result]:
    """Yield the results in a place, by name. Raises InputError if there are none, or a result is invalid."""
    files = [folder] if folder.is_file() else sorted(folder.glob(f"*{SUFFIX}"))
    places = (
        [folder] if (folder / "scores.json").is_file() else sorted(path.parent for path in folder.glob("*/scores.json"))
    )
    if not places and not files:
        raise InputError(
            f"{folder}: no scores.json here or one folder below, and no submission. Expected what authbench evaluate "
            "writes, or files of authbench publish submit."
        )
    for place in places:
        yield _read_result(place)
    for file in files:
        assert unpacked, "submissions need a folder"
        place = unpacked / f"{len(list(unpacked.iterdir())):06d}" / file.stem
        with told_as(file, place):
            result = _read_result(place, unpack(file, place).fields)
        yield result


def _read_result(place: Path, fields: Fields | None = None) -> Result:
    scores = read_result(place / "scores.json")
    if fields:
        scores["model"]["name"] = fields.name
    result = Result(place, scores, fields)
    for what, name, problem in (
        ("model", result.name, name_problem(result.name)),
        ("split", scores["benchmark"]["split"], split_problem(scores["benchmark"]["split"])),
    ):
        if problem:
            raise InputError(f"{place / 'scores.json'} names the {what} {name!a:.80}: {problem}.")
    return result


def _expect_comparable(one: Result, other: Result) -> None:
    if place := differing(one.scores, other.scores):
        part, key = place
        mine, theirs = (
            each.edition if key == "checksum" else part_of(each.scores, part).get(key) for each in (one, other)
        )
        raise InputError(
            f"{one.name} and {other.name} cannot be compared: their {part} differ in {key} "
            f"({one.place}: {mine}, {other.place}: {theirs}). Evaluate both in the same way."
        )


def _edition(version: str | None, checksum: str) -> str:
    """Return the words for an edition of a split.

    >>> _edition("1.0.0", "0f3c" * 16), _edition(None, "0f3c" * 16)
    ('version 1.0.0, checksum 0f3c0f3c0f3c', 'checksum 0f3c0f3c0f3c')
    """
    return ", ".join(filter(None, [version and f"version {version}", f"checksum {checksum[:12]}"]))


def outdated(results: Sequence[Result], release: Release) -> str:
    """Return in a sentence that the results were made on other files of their split than the release has, else "".

    Raises:
        InputError: the release lacks the split.
    """
    benchmark = results[0].scores["benchmark"]
    split = benchmark["split"]
    if split not in release.splits:
        raise InputError(
            f"{results[0].place}: scores of the split {split}, which {release.folder} does not have "
            f"({', '.join(release.splits)}). Give the release that was evaluated."
        )
    checksum = split_checksum(release, split)
    if checksum == benchmark["checksum"]:
        return ""
    return (
        f"These scores are not of {release.folder.name} ({_edition(release.version, checksum)}): they were made on "
        f"another edition of the {split} split ({results[0].edition})."
    )


def expect_of_release(results: Sequence[Result], release: Release) -> None:
    """Raise InputError unless the results are of a split of this release."""
    if problem := outdated(results, release):
        raise InputError(f"{results[0].place}: {problem} Give the release that was evaluated, or evaluate again.")
