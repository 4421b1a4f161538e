"""Compare texts and pairs in covariates other than topic: length, language, number.

If the texts of HITS topics differ in these from the texts of randomly drawn topics, they may explain a lower score.
Random topics are therefore drawn from the same strata of language, length and size. If dissimilar topics have short or
few texts, these strata contain hardly any topics other than the topics of HITS. Random topics are then drawn from
strata without length, or of language only, and texts are truncated, or some of a topic's texts dropped, to match both
sides. Remaining differences are reported.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.json_values import JsonMapping
from authbench.core.storage.parquet import read_batches

LENGTHS = 5  # length strata per language, by a topic's mean text length
ALIKE = 1.05  # ratio of mean lengths or sizes; above it or below its inverse, they are limited
RATIO = 1.25  # ratio of lengths or pair counts; above it or below its inverse, subsets differ
SHARE = 0.1  # maximum share of texts in other languages


def text_facts(documents: Path) -> pl.DataFrame:
    """Return `id`, `lang` and `characters` of all documents. Memory: about 100 bytes per document."""
    return pl.concat(
        frame.select("id", "lang", characters=pl.col("content").str.len_chars()) for frame in read_batches([documents])
    )


def strata(documents: pl.DataFrame) -> list[dict[str, str]]:
    """Return three stratifications of topics: by language, size and length; by language and size; by language.

    Language is the language of most of a topic's texts, length their mean length, and size their number.

    Args:
        documents: `topic`, `lang`, `characters`.
    """
    topics = documents.group_by("topic").agg(
        pl.col("lang").drop_nulls().mode().sort().first().fill_null(""), pl.col("characters").mean(), texts=pl.len()
    )
    found: list[dict[str, str]] = [{}, {}, {}]
    for (lang,), part in topics.sort("topic").group_by("lang", maintain_order=True):
        cuts = np.quantile(part["characters"].to_numpy(), np.arange(1, LENGTHS) / LENGTHS)
        lengths = np.searchsorted(cuts, part["characters"].to_numpy(), side="left")
        many = (part["texts"] > part["texts"].median()).to_list()
        for topic, length, size in zip(part["topic"], lengths.tolist(), many, strict=True):
            for place, stratum in enumerate((f"{lang} {size} {length}", f"{lang} {size}", lang)):
                found[place][topic] = stratum
    return found


def comparable_limit(hits: pl.Series, random: pl.Series) -> int | None:
    """Return a limit that matches both sides (characters of a text, or texts of a topic); None if none is needed.

    The largest limit at which the means of the limited numbers are within ALIKE; if there is none, the limit with the
    most similar means. It is at least half the lower mean.
    """
    numbers = [np.sort(side.to_numpy()).astype(np.int64) for side in (hits, random)]
    limits = np.unique(np.concatenate(numbers))
    limits = limits[limits >= min(own.mean() for own in numbers) / 2]
    means = []
    for own in numbers:
        within = np.searchsorted(own, limits)
        sums = np.concatenate([[0], np.cumsum(own)])
        means.append((sums[within] + limits * (len(own) - within)) / len(own))
    apart = np.abs(np.log(means[0] / means[1]))
    alike = np.flatnonzero(apart <= max(np.log(ALIKE), apart.min()))
    return None if alike[-1] == len(limits) - 1 else int(limits[alike[-1]])


def limits_in_words(facts: Mapping[str, object]) -> list[str]:
    """Return a description of the limits on the texts that verifiers get from a subset, if any."""
    words = {"most_texts": "at most {:,} texts of a topic", "most_characters": "the first {:,} characters of a text"}
    return [said.format(facts[name]) for name, said in words.items() if facts[name] is not None]


def describe(pairs: pl.DataFrame, documents: pl.DataFrame) -> dict[str, object]:
    """Return the mean length of the tested texts, the share of each language, and the test pairs per fold."""
    tested = pairs.filter(pl.col("part") == "test")
    texts = pl.concat([tested.select(id=side) for side in ("first", "second")]).join(documents, on="id", how="left")
    langs = texts["lang"].fill_null("").value_counts(normalize=True).sort("lang")
    return {
        "characters": texts["characters"].mean(),
        "langs": dict(langs.iter_rows()),
        "test_pairs": tested.height / max(pairs["fold"].n_unique(), 1),
    }


def differences(hits: JsonMapping, random: Sequence[JsonMapping]) -> list[str]:
    """Return in words how the tested texts of HITS differ from the texts of random topics (`describe`)."""
    found = []
    for key, what in (
        ("characters", "texts are {:.2f} times as long"),
        ("test_pairs", "there are {:.2f} times as many pairs"),
    ):
        usual = float(np.mean([one[key] or 0 for one in random]))
        ratio = (hits[key] or 0) / usual if usual else 1.0
        if not 1 / RATIO <= ratio <= RATIO:
            found.append(what.format(ratio))
    langs = {lang for one in (hits, *random) for lang in one["langs"]}
    usual_shares = {lang: float(np.mean([one["langs"].get(lang, 0.0) for one in random])) for lang in langs}
    apart = sum(abs(hits["langs"].get(lang, 0.0) - usual_shares[lang]) for lang in sorted(langs)) / 2
    if apart > SHARE:
        found.append(f"{apart:.0%} of the texts are in other languages")
    return found
