"""Plan the number of query authors: how many a benchmark needs to tell two models apart, and which sources have them.

A smallest detectable difference falls with the square root of the number of authors (`metrics.significance`). For the
mean over languages the authors are placed where they count most, in proportion to the standard deviation of a
language (Neyman 1934), and no language loses authors it has.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from authbench.app.plan_text import table
from authbench.build.sample.documents import refuse_authors
from authbench.build.sample.reservoir import merge_tallies
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.core.presentation.numbers import NOTHING, decimals, shown_difference
from authbench.core.storage.json_files import read_foreign_json
from authbench.core.storage.parquet import read_columns
from authbench.release.format.release import open_complete_release
from authbench.scoring.evaluation.headline import LEAST_QUERY_AUTHORS

SCORE = "auc_matched"


class Measured(NamedTuple):
    """Hold the query authors of a language, and the smallest difference of two models that they show."""

    authors: int
    difference: float


def needed_authors(measured: Measured, wanted: float) -> int:
    """Return how many query authors show a difference of `wanted`.

    >>> needed_authors(Measured(100, 0.06), 0.03)
    400
    """
    return _whole(measured.authors * (measured.difference / wanted) ** 2)


def needed_for_mean(languages: Mapping[str, Measured], wanted: float) -> dict[str, int]:
    """Return how many query authors of each language show a difference of `wanted` in the mean over the languages.

    >>> needed_for_mean({"en": Measured(100, 0.06), "zh": Measured(100, 0.12)}, 0.06)
    {'en': 100, 'zh': 134}
    """
    spread = {lang: one.difference * math.sqrt(one.authors) for lang, one in languages.items()}
    needed = {lang: float(one.authors) for lang, one in languages.items()}
    growing = set(languages)
    while growing:
        kept = sum(spread[lang] ** 2 / needed[lang] for lang in languages if lang not in growing)
        scale = sum(spread[lang] for lang in growing) / ((len(languages) * wanted) ** 2 - kept)
        enough = {lang for lang in growing if spread[lang] * scale <= languages[lang].authors}
        if not enough:
            needed |= {lang: spread[lang] * scale for lang in growing}
            break
        growing -= enough
    return {lang: _whole(number) for lang, number in needed.items()}


def _whole(number: float) -> int:
    return math.ceil(round(number, 6))


def authors_at_hand(results: Path) -> pl.DataFrame:
    """Return `lang`, `source`, `authors`: the authors of a build that sampling may take and a test may score."""
    config: JsonMapping = open_complete_release(results / "release").manifest["config"]
    parts = sorted((results / "sample/authors").glob("*.parquet"))
    merged, _ = merge_tallies((read_columns([path]) for path in parts), config["sample"]["min_origins"])
    known = refuse_authors(merged, config["authors"], config["sample"])
    able = known.filter(pl.col("refused").is_null(), ~pl.col("train_only")).cast(
        {"lang": pl.String, "source": pl.String}
    )
    return able.group_by("lang", "source").agg(authors=pl.len()).sort("authors", "source", descending=[True, False])


class Power(NamedTuple):
    """Hold what a leaderboard's `power.json` says of SCORE: by language, over all authors, over languages in words."""

    languages: Mapping[str, Measured]
    everyone: Measured
    macro: str
    tests: int


def read_power(path: Path) -> Power:
    """Return what a leaderboard's `power.json` says of SCORE.

    Raises:
        InputError: it is not such a file, or no model has the score.
    """
    found = read_foreign_json(path, expected="the results of a build with a leaderboard, such as results/demo")
    if not found.get(SCORE):
        raise InputError(f"{path}: no model has {SCORE} to compare with a shortcut. Evaluate one, such as `tfidf`.")
    try:
        cell = found[SCORE]
        languages = {lang: _measured(one) for lang, one in cell["by_language"].items()}
        power = Power(languages, _measured(cell), shown_difference(cell["macro"]), int(found["tests"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(f"{path}: not the power.json of a leaderboard") from None
    if not math.isfinite(power.everyone.difference):
        raise InputError(f"{path}: {power.everyone.authors} author asks, and a spread needs two")
    return power


def _measured(cell: JsonMapping) -> Measured:
    return Measured(int(cell["authors"]), math.inf if cell["difference"] is None else float(cell["difference"]))


def power_text(results: Path, wanted: float) -> str:
    """Return how many authors a difference of `wanted` needs, by language, and the sources of a build that have them.

    Raises:
        InputError: the folder is not a build's, or its leaderboard compares no model with a shortcut.
    """
    power = read_power(results / "leaderboard/power.json")
    at_hand = authors_at_hand(results)
    known = {lang: one for lang, one in power.languages.items() if one.authors >= LEAST_QUERY_AUTHORS}
    for_mean = needed_for_mean(known, wanted)
    rows = []
    for lang in sorted({*power.languages, *at_hand["lang"]}):
        needed = needed_authors(known.get(lang, power.everyone), wanted)
        has = at_hand.filter(lang=lang)
        rows.append(
            (
                lang,
                f"{power.languages[lang].authors if lang in power.languages else 0:,}",
                shown_difference(known[lang].difference) if lang in known else NOTHING,
                f"{needed:,}" if lang in known else f"~{needed:,}",
                f"{for_mean[lang]:,}" if lang in for_mean else NOTHING,
                f"{has['authors'].sum():,}",
                ", ".join(f"{source} {number:,}" for source, number in has.select("source", "authors").iter_rows()),
            )
        )
    head = ("language", "ask", "difference", "needed in it", "needed for the mean", "at hand", "sources")
    lines = [
        f"Query authors that show a difference of {decimals(wanted)} in {SCORE} in four of five tests. {results} shows "
        f"{shown_difference(power.everyone.difference)} over authors, {power.macro} over languages (Holm over "
        f"{power.tests} tests).",
        "",
        *table(head, rows, words=(0, len(head) - 1)),
        "",
        f"~: under {LEAST_QUERY_AUTHORS} authors ask, so the mean omits the language, and authors of all languages say "
        "how far they differ. At hand, for all splits: authors with enough texts for `sample`; some have no "
        "answer from another work, or no equals to compare with.",
    ]
    return "\n".join(lines) + "\n"
