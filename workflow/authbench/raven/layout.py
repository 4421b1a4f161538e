"""Which topics, folds and pairs does a subset have, and how alike are the topics it trains and tests on?"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from authbench.raven.folds import fold_pairs, topics_tested
from authbench.raven.select import F64, similarities
from authbench.raven.subsets import Subset, take

# An encoder's topics in alphabetical order, and their vectors (topics x dimensions).
Topics: TypeAlias = tuple[list[str], F64]
MOST_ALIKE = 5
LEARNT = ("train", "calibrate")


def lay_out(
    subset: Subset, documents: pl.DataFrame, topics: Mapping[str, Topics], described_by: str, folds: int, seed: int
) -> tuple[dict[str, Any], pl.DataFrame]:
    """What a subset is, as facts for the tables, and its pairs (`folds.PAIRS`).

    `documents` (id, author, topic) are those of all topics that may be taken; `topics` has the vectors by encoder, and
    `described_by` names those by which likeness is told. Raises InputError where a subset or a fold cannot be made.
    """
    members = take(subset, *topics[subset.encoder], seed)
    pairs = fold_pairs(subset.name, documents, members, folds, seed)
    tests = topics_tested(members, folds, seed)
    facts = {
        **asdict(subset),
        "members": members,
        "folds": tests,
        "documents": documents.filter(pl.col("topic").is_in(pl.Series(sum(members.values(), [])).implode())).height,
        "sizes": sizes(pairs, documents),
        **likeness(list(members), tests, *topics[described_by]),
    }
    return facts, pairs


def sizes(pairs: pl.DataFrame, documents: pl.DataFrame) -> list[dict[str, int]]:
    """For each fold the pairs and the authors that are learnt from and that are tested on, and the authors in both."""
    author = documents.select("id", "author")
    texts = pl.concat(
        [pairs.select("fold", "part", id=side).join(author, on="id", how="left") for side in ("first", "second")]
    )
    found = []
    for fold in pairs["fold"].unique().sort():
        here, who = pairs.filter(pl.col("fold") == fold), texts.filter(pl.col("fold") == fold)
        learnt, tested = here.filter(pl.col("part").is_in(LEARNT)), here.filter(pl.col("part") == "test")
        by_part = {
            part: set(who.filter(pl.col("part").is_in(names))["author"])
            for part, names in (("train", LEARNT), ("test", ("test",)))
        }
        found.append(
            {
                "train_pairs": learnt.height,
                "train_same": int(learnt["same"].sum()),
                "train_authors": len(by_part["train"]),
                "test_pairs": tested.height,
                "test_same": int(tested["same"].sum()),
                "test_authors": len(by_part["test"]),
                "authors_in_both": len(by_part["train"] & by_part["test"]),
            }
        )
    return found


def likeness(
    taken: Sequence[str], tests: Sequence[Sequence[str]], names: Sequence[str], vectors: F64
) -> dict[str, Any]:
    """Cosine similarity of the topics a fold trains on with those it tests: mean and maximum of each fold, and the
    pairs of topics that are most alike over all folds, each once."""
    place = {name: row for row, name in enumerate(names)}
    alike = similarities(vectors[[place[topic] for topic in taken]])
    at = {topic: row for row, topic in enumerate(taken)}
    means, most = [], []
    pairs: dict[tuple[str, ...], tuple[str, str, float]] = {}
    for test in tests:
        inside = np.zeros(len(taken), bool)
        inside[[at[topic] for topic in test]] = True
        across = alike[~inside][:, inside]
        means.append(float(across.mean()))
        most.append(float(across.max()))
        train = np.flatnonzero(~inside)
        for flat in np.argsort(-across, axis=None, kind="stable")[:MOST_ALIKE]:
            row, column = divmod(int(flat), across.shape[1])
            one, other = taken[train[row]], taken[np.flatnonzero(inside)[column]]
            pairs.setdefault(tuple(sorted((one, other))), (one, other, float(across[row, column])))
    listed = sorted(pairs.values(), key=lambda pair: (-pair[2], pair[:2]))[:MOST_ALIKE]
    return {
        "mean_similarity": means,
        "max_similarity": most,
        "most_alike": [{"train": one, "test": other, "similarity": value} for one, other, value in listed],
    }
