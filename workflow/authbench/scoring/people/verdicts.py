"""Read people's verdicts on pairs as saved by the sheets: a JSON object per line, a file per person.

{"pair": "9f0c…", "same": true, "sure": 3, "note": ""}: `same` says whether the same person wrote both texts, `sure` how
sure the reader is, from 1 (a guess) to SUREST.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.core.errors import InputError
from authbench.core.storage.exact_json import loads, read_lines

SUREST = 3
_EXPECTED = (
    f'expected {{"pair": "…", "same": true or false, "sure": 1 to {SUREST}, "note": "…"}}, as the sheets save it'
)
_SHOWN = 3


def read_verdicts(path: str | Path) -> dict[str, int]:
    """Return by pair how sure a person is that both texts are by the same author, from -SUREST to SUREST, never 0.

    Raises:
        InputError: a line is not a verdict (the message names it), a pair is judged twice, or no pair is judged.
    """
    try:
        lines = list(read_lines(path))
    except OSError as problem:
        raise InputError(f"{path}: cannot be read ({problem.strerror}). Expected verdicts on pairs.") from None
    sureness: dict[str, int] = {}
    line_of: dict[str, str] = {}
    for place, line in lines:
        pair, same, sure = _verdict(line, place)
        if pair in line_of:
            raise InputError(
                f"{place}: judges the pair {pair!a:.60} again ({line_of[pair]} did). Expected each once, in a file of "
                "one person; name the files of several people one by one."
            )
        line_of[pair], sureness[pair] = place.rpartition(", ")[2], sure if same else -sure
    if not sureness:
        raise InputError(f"{path}: holds no verdict. Save the sheets' verdicts again, or leave the file out.")
    return sureness


def _verdict(line: bytes, place: str) -> tuple[str, bool, int]:
    try:
        verdict = loads(line)
        pair, same, sure = verdict["pair"], verdict["same"], verdict["sure"]
    except (ValueError, RecursionError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"{place}: {_EXPECTED} ({type(error).__name__}: {error})") from None
    if not (isinstance(pair, str) and pair and isinstance(same, bool) and type(sure) is int and 1 <= sure <= SUREST):
        raise InputError(f"{place}: {_EXPECTED}, found other values")
    return pair, same, sure


def verdicts_on(drawn: pl.DataFrame, people: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Return each file's verdicts (`read_verdicts`), which must be on these pairs.

    Raises:
        InputError: a file judges pairs of other sheets.
    """
    known = set(drawn["pair"])
    for file, sureness in people.items():
        if strangers := sorted(sureness.keys() - known):
            raise InputError(
                f"{file}: {len(strangers)} of its {len(sureness)} verdicts are on pairs that the sheets of this build "
                f"do not have, such as {', '.join(f'{one!a:.60}' for one in strangers[:_SHOWN])}. Expected verdicts on "
                "the sheets of `snakemake human_pairs`: another release, seed or people.pairs_per_language has others."
            )
    return {file: dict(sureness) for file, sureness in people.items()}


def mean_sureness(drawn: pl.DataFrame, people: Sequence[Mapping[str, int]]) -> pl.Series:
    """Return each drawn pair's mean over the people who judged it; null without verdicts."""
    values = [[one[pair] for one in people if pair in one] for pair in drawn["pair"]]
    return pl.Series("people", [sum(some) / len(some) if some else None for some in values], dtype=pl.Float64)
