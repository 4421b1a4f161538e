"""Draw the pairs of texts that train, calibrate and test a verifier on each fold.

Folds split topics: both texts of a pair have topics in the same part of a fold, so test topics are never trained on. A
tenth of the other topics is reserved for calibration. As in the paper's code, pairs are drawn within each part: each
text forms a pair with another text of its author, if any, and a pair with a text of another author. Duplicate
pairs are dropped.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import polars as pl

from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash

Topic = TypeVar("Topic")
Text: TypeAlias = tuple[int, str, str, int]  # overall index, id, author, hash that draws the other author
PARTS = ("train", "calibrate", "test")
HELD_OUT = 0.1
PAIRS = pl.Schema(
    {"fold": pl.Int64, "part": pl.String, "id": pl.String, "first": pl.String, "second": pl.String, "same": pl.Boolean}
)


def topic_folds(topics: Sequence[Topic], count: int) -> list[list[Topic]]:
    """Return the topics, in order, in `count` folds whose sizes differ by at most 1.

    Raises InputError for fewer than two folds, or more folds than topics.
    """
    if not 2 <= count <= len(topics):
        raise InputError(
            f"raven.folds: {count} folds of {len(topics)} topics cannot be made. Expected at least 2 folds, and a "
            "topic for each."
        )
    ends = [round(len(topics) * fold / count) for fold in range(count + 1)]
    return [list(topics[start:end]) for start, end in zip(ends, ends[1:], strict=False)]


def topics_tested(members: Mapping[str, object], count: int, seed: int) -> list[list[str]]:
    """Return the test topics of each fold: the subset's topics are assigned to folds by hash."""
    return topic_folds(_by_hash(members, seed, "fold"), count)


def fold_pairs(
    name: str, documents: pl.DataFrame, members: Mapping[str, Sequence[str]], count: int, seed: int
) -> pl.DataFrame:
    """Return the pairs of all folds of a subset, as PAIRS: fold, part, the ids of two documents, same author.

    `documents` (id, author, topic) may include others; `members` maps the subset's topics to the topics merged into
    them, which share their fold. Topics are assigned to folds by hash. Raises InputError if a train or calibrate part
    lacks same-author or different-author pairs. If a test part does, the fold has no scores.
    """
    leader = {topic: name for name, topics in members.items() for topic in topics}
    here = (
        documents.filter(pl.col("topic").is_in(list(leader)))
        .with_columns(leader=pl.col("topic").replace_strict(leader, default=None))
        .sort("id")
    )
    by_topic = _texts_by_topic(here, seed)
    rows = []
    for fold, test in enumerate(topics_tested(members, count, seed)):
        rest = _by_hash((topic for topic in members if topic not in set(test)), seed, "calibrate", str(fold))
        pairs = {"test": draw(test, by_topic)}
        for size in range(max(1, math.ceil(HELD_OUT * len(rest))), len(rest)):
            pairs["calibrate"] = draw(rest[:size], by_topic)
            if _both_kinds(pairs["calibrate"]):
                break
        else:
            raise _one_kind(name, fold, "calibrate")
        pairs["train"] = draw(rest[size:], by_topic)
        if not _both_kinds(pairs["train"]):
            raise _one_kind(name, fold, "train")
        rows += [
            (fold, part, f"{first}|{second}", first, second, same)
            for part in PARTS
            for first, second, same in pairs[part]
        ]
    return pl.DataFrame(rows, schema=PAIRS, orient="row")


def _by_hash(topics: Iterable[str], seed: int, *purpose: str) -> list[str]:
    return sorted(topics, key=lambda topic: (keyed_hash(seed, *purpose, topic), topic))


def _texts_by_topic(documents: pl.DataFrame, seed: int) -> dict[str, list[Text]]:
    found: dict[str, list[Text]] = {}
    for leader, ident, author in documents.select("leader", "id", "author").iter_rows():
        text = (keyed_hash(seed, "text", ident), ident, author, keyed_hash(seed, "author", ident))
        found.setdefault(leader, []).append(text)
    return found


def draw(topics: Sequence[str], by_topic: Mapping[str, Sequence[Text]]) -> list[tuple[str, str, bool]]:
    """Return the distinct pairs of the texts of these topics: ids in alphabetical order, same author.

    An author's texts form a circle sorted by hash, and each text is paired with the next, so most pairs of a fold recur
    in other folds.
    """
    texts = sorted(text for topic in topics for text in by_topic.get(topic, ()))
    authors: dict[str, list[str]] = {}
    for _, ident, author, _ in texts:
        authors.setdefault(author, []).append(ident)
    names = sorted(authors)
    place = {author: number for number, author in enumerate(names)}
    found: dict[tuple[str, str], bool] = {}
    for own in authors.values():
        if len(own) > 1:
            found |= {_ordered(one, other): True for one, other in zip(own, [*own[1:], own[0]], strict=True)}
    for rank, ident, author, partner in texts:
        if len(names) > 1:
            at = partner % (len(names) - 1)
            others = authors[names[at + (at >= place[author])]]
            found[_ordered(ident, others[rank % len(others)])] = False
    return [(first, second, same) for (first, second), same in sorted(found.items())]


def _ordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _both_kinds(pairs: Sequence[tuple[str, str, bool]]) -> bool:
    return len({same for _, _, same in pairs}) == 2


def _one_kind(subset: str, fold: int, part: str) -> InputError:
    return InputError(
        f"raven: fold {fold} of {subset} has no pairs by one author, or none by two, to {part} on. Expected both: "
        "ask for fewer folds or more topics, or give documents whose authors have several within a few topics."
    )
