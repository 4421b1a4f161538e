"""Pairs of texts that train, calibrate and test a verifier on each fold.

Folds are of topics: both texts of a pair are of topics in the same part of a fold, so a verifier meets in test no topic
it was trained on. Of the topics that are not tested a tenth is kept aside to calibrate on. Pairs are drawn within each
part as the paper's authors draw them: each text with another of its author, if there is one, and with one of another
author. A pair is taken once.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import polars as pl

from authbench.errors import InputError
from authbench.identity import keyed_hash

Topic = TypeVar("Topic")
Text: TypeAlias = tuple[int, str, str, int]  # its place in the order of all, id, author, what draws the other author
PARTS = ("train", "calibrate", "test")
HELD_OUT = 0.1
PAIRS = pl.Schema(
    {"fold": pl.Int64, "part": pl.String, "id": pl.String, "first": pl.String, "second": pl.String, "same": pl.Boolean}
)


def topic_folds(topics: Sequence[Topic], count: int) -> list[list[Topic]]:
    """Return the topics, in their order, in `count` folds whose sizes differ by one at most.

    Raises InputError for fewer than two folds, or more than there are topics.
    """
    if not 2 <= count <= len(topics):
        raise InputError(
            f"raven.folds: {count} folds of {len(topics)} topics cannot be made. Expected at least 2 folds, and a "
            "topic for each."
        )
    ends = [round(len(topics) * fold / count) for fold in range(count + 1)]
    return [list(topics[start:end]) for start, end in zip(ends, ends[1:], strict=False)]


def topics_tested(members: Mapping[str, object], count: int, seed: int) -> list[list[str]]:
    """Return the topics that each fold tests: those of the subset, in folds by hash."""
    return topic_folds(_by_hash(members, seed, "fold"), count)


def fold_pairs(
    name: str, documents: pl.DataFrame, members: Mapping[str, Sequence[str]], count: int, seed: int
) -> pl.DataFrame:
    """Return the pairs of all folds of a subset, as PAIRS: fold, part, the ids of two documents, whether of one author.

    `documents` (id, author, topic) may hold others too; `members` are the subset's topics, each with those that are
    joined to it and share its fold. Topics come into folds by hash. Raises InputError where a part to learn from
    lacks pairs by one author, or by two; a test part may, and then the fold has no scores.
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
    """Return the texts of each `leader`."""
    found: dict[str, list[Text]] = {}
    for leader, ident, author in documents.select("leader", "id", "author").iter_rows():
        text = (keyed_hash(seed, "text", ident), ident, author, keyed_hash(seed, "author", ident))
        found.setdefault(leader, []).append(text)
    return found


def draw(topics: Sequence[str], by_topic: Mapping[str, Sequence[Text]]) -> list[tuple[str, str, bool]]:
    """Return the pairs of the texts of these topics, each once: ids in alphabetical order, whether of one author.

    An author's texts stand on a circle by hash, and each makes a pair with the next, so that a pair of one fold is
    mostly one of others too.
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
