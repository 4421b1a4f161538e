"""Sum up the verdicts of reviewers: the share of texts excluded, the reasons, and the agreement of each two reviewers.

Texts come from the sheets, equally many of each language, genre and length. A share is therefore of these cells with
equal weight, not of the release.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from authbench.build.labels.estimators import proportion_interval
from authbench.config.languages import ALL
from authbench.core.arrays import F64
from authbench.core.errors import InputError
from authbench.scoring.metrics.bootstrap import author_weights, interval

GOOD = "good"
OUT = "out"
SUMMARY = pl.Schema(
    {
        "reader": pl.String,  # a file of verdicts; ALL: a text is out if one reader rules it out
        "lang": pl.String,
        "verdict": pl.String,  # GOOD, OUT, or a reason
        "texts": pl.Int64,
        "judged": pl.Int64,
        "share": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
)
AGREEMENT = pl.Schema(
    dict.fromkeys(("first", "second", "lang"), pl.String)
    | {"texts": pl.Int64}
    | dict.fromkeys(("same_verdict", "kappa", "low", "high", "same_reason"), pl.Float64)
)
Verdicts = Mapping[str, str | None]  # by doc_key the reason, None if the text is good


@dataclass(frozen=True)
class Summary:
    """Tables of SUMMARY and AGREEMENT, the keys of verdicts on no text of the build, and readers of only such."""

    verdicts: pl.DataFrame
    agreement: pl.DataFrame
    unknown: Sequence[str]
    strangers: Sequence[str]


def summarise(readers: Mapping[str, Verdicts], languages: pl.DataFrame, seed: int) -> Summary:
    """Return the verdicts of readers on the texts, in total and by language.

    Args:
        readers: by reader their verdicts.
        languages: `doc_key` and `lang` of every text of the build.
        seed: of the bootstrap.

    Raises:
        InputError: no verdict is on a text of the build.
    """
    lang_of = dict(languages.select("doc_key", "lang").iter_rows())
    unknown = sorted({key for verdicts in readers.values() for key in verdicts} - lang_of.keys())
    known = {
        name: {key: verdict for key, verdict in sorted(verdicts.items()) if key in lang_of}
        for name, verdicts in readers.items()
    }
    if not readers:
        raise InputError(
            "review.verdicts is empty. Expected the files that readers saved from the sheets of this build."
        )
    if not any(known.values()):
        raise InputError(
            "review.verdicts: none of the verdicts is on a text of this build"
            + (f", e.g. {unknown[0]!a:.80}" if unknown else "")
            + ". Expected files saved by the sheets of this build."
        )
    together = {name: verdicts for name, verdicts in known.items() if verdicts}
    if len(known) > 1:
        together = {ALL: joined(list(known.values())), **together}
    rows = [row for name, verdicts in together.items() for row in _shares(name, verdicts, lang_of)]
    pairs = [
        row
        for (one, first), (other, second) in combinations(known.items(), 2)
        for row in _agreements(one, other, first, second, lang_of, seed)
    ]
    return Summary(
        pl.DataFrame(rows, schema=SUMMARY, orient="row"),
        pl.DataFrame(pairs, schema=AGREEMENT, orient="row"),
        unknown,
        [name for name, verdicts in known.items() if not verdicts],
    )


def joined(readers: Sequence[Verdicts]) -> dict[str, str | None]:
    """Return the first reason for which a reader excludes each text; None if all find it good."""
    found: dict[str, str | None] = {}
    for verdicts in readers:
        for key, verdict in verdicts.items():
            found[key] = found.get(key) or verdict
    return found


def _by_language(keys: Sequence[str], lang_of: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Yield all keys, and the keys of each language."""
    yield ALL, list(keys)
    for lang in sorted({lang_of[key] for key in keys}):
        yield lang, [key for key in keys if lang_of[key] == lang]


def _shares(name: str, verdicts: Verdicts, lang_of: Mapping[str, str]) -> Iterator[tuple[object, ...]]:
    reasons = sorted({reason for reason in verdicts.values() if reason is not None})
    for lang, keys in _by_language(sorted(verdicts), lang_of):
        counted = Counter(verdicts[key] for key in keys)
        out = len(keys) - counted[None]
        for verdict, texts in [(GOOD, counted[None]), (OUT, out), *((one, counted[one]) for one in reasons)]:
            yield name, lang, verdict, texts, len(keys), texts / len(keys), *proportion_interval(texts, len(keys))


def _agreements(
    one: str, other: str, first: Verdicts, second: Verdicts, lang_of: Mapping[str, str], seed: int
) -> Iterator[tuple[object, ...]]:
    both = sorted(first.keys() & second.keys())
    if not both:
        return
    for lang, keys in _by_language(both, lang_of):
        kept = np.array([[first[key] is None, second[key] is None] for key in keys])
        [value] = _kappas(kept, np.ones((1, len(keys))))
        kappa = float(value) if np.isfinite(value) else None
        drawn = author_weights(tuple(keys), seed).astype(np.float64)
        bounds = None if kappa is None else interval(_kappas(kept, drawn))
        ruled_out = [key for key in keys if first[key] is not None and second[key] is not None]
        same = [first[key] == second[key] for key in ruled_out]
        alike, same_reason = float((kept[:, 0] == kept[:, 1]).mean()), sum(same) / len(same) if same else None
        yield one, other, lang, len(keys), alike, kappa, *(bounds or (None, None)), same_reason


def _kappas(kept: np.ndarray, weights: F64) -> F64:
    """Return Cohen's kappa (1960) of good against out in each replicate, shape (replicates,).

    It is NaN if both readers give all texts the same verdict: agreement by chance would be complete.

    Args:
        kept: whether the first and the second reader find each text good, shape (texts, 2).
        weights: how often each replicate holds each text, shape (replicates, texts).
    """
    first, second = kept.T.astype(np.float64)
    total = weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        seen = weights @ (first == second) / total
        one, other = weights @ first / total, weights @ second / total
        chance = one * other + (1 - one) * (1 - other)
        return np.where(chance < 1, (seen - chance) / (1 - chance), np.nan)


def lines(summary: Summary) -> list[str]:
    """Return lines: the exclusions of all readers, the agreement of each pair, and the keys not found."""
    found = []
    for row in summary.verdicts.filter((pl.col("lang") == ALL) & (pl.col("verdict") == OUT)).iter_rows(named=True):
        found.append(
            f"{row['reader']}: {row['texts']} of {row['judged']} texts out, {row['share']:.1%} "
            f"[{row['low']:.1%}, {row['high']:.1%}]"
        )
    for row in summary.agreement.filter(pl.col("lang") == ALL).iter_rows(named=True):
        kappa = "undefined" if row["kappa"] is None else f"{row['kappa']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        found.append(f"{row['first']} and {row['second']}: kappa {kappa} on {row['texts']} texts")
    found += [f"{name}: no verdict on a text of this build" for name in summary.strangers]
    if summary.unknown:
        found.append(f"{len(summary.unknown)} verdicts are on no text of this build, e.g. {summary.unknown[0]}")
    return found
