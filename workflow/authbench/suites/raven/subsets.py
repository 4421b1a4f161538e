"""Select the least similar topics of a corpus, and define the subsets of topics that are compared.

HITS, section 4 of Sawatphol et al. 2024: start with the topic with the lowest mean similarity to all others. Then
repeatedly select the topic with the lowest mean x max similarity to the selected topics.

HITS selects a subset of `topics` topics; `seeds` random subsets have the same size (section 6). The paper's other
tables require HITS with other numbers of topics (tables 1, 7, 8), HITS with other vectors (table 10), and all topics,
each merged into a HITS topic (table 9).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from authbench.config.registry.load import entry_name
from authbench.config.settings.evaluate import Raven, Subsets
from authbench.core.arrays import F64, I64
from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash

# The topics of an encoder in alphabetical order, and their vectors, shape (topics, dimensions).
Topics: TypeAlias = tuple[list[str], F64]
TIED = 1e-12  # scores within this distance are tied; the lower row is selected


def select_topics(vectors: F64, count: int) -> tuple[list[int], list[float]]:
    """Return the rows of `count` topics in order of selection, and their scores.

    `vectors` is topics x dimensions. The first score is the mean cosine similarity to all other topics; later scores
    are leakage scores (equation 3), products even of negative factors. A zero row has similarity 0 to all others.
    Memory is O(topics x dimensions), and time `count` times that. Raises InputError if there are fewer topics.
    """
    if not 1 <= count <= len(vectors):
        raise InputError(
            f"{count} topics are asked for, of {len(vectors)}. Expected a number from 1 to {len(vectors)}."
        )
    rows = unit_rows(vectors)
    scores = mean_similarity_to_others(rows)
    taken, scored = [_lowest(scores)], [float(scores.min())]
    total, most = np.zeros(len(rows)), np.full(len(rows), -np.inf)
    scored[0] = float(scores[taken[0]])
    for size in range(1, count):
        similar = rows @ rows[taken[-1]]
        total += similar
        most = np.maximum(most, similar)
        scores = total / size * most
        scores[taken] = np.inf
        taken.append(_lowest(scores))
        scored.append(float(scores[taken[-1]]))
    return taken, scored


def mean_similarity_to_others(rows: F64) -> F64:
    """Return the mean cosine similarity of each row, of length 1 (or 0), to all others; 0 for a single row."""
    if len(rows) == 1:
        return np.zeros(1)
    own = np.einsum("td,td->t", rows, rows)
    return np.asarray((rows @ rows.sum(axis=0) - own) / (len(rows) - 1))


def nearest(vectors: F64, taken: Sequence[int]) -> I64:
    """Return for each topic the index in `taken` of the most similar topic; for a selected topic, its index.

    `group` merges the unselected topics this way (section 7.2). Ties go to the topic selected first. `vectors` has the
    shape (topics, dimensions), and `taken` are rows of it.
    """
    rows = unit_rows(vectors)
    found: I64 = np.argmax(rows @ rows[list(taken)].T, axis=1)
    found[list(taken)] = np.arange(len(taken))
    return found


def similarities(vectors: F64) -> F64:
    """Return the cosine similarities of all topics, (topics, topics), from vectors, (topics, dimensions)."""
    rows = unit_rows(vectors)
    return np.asarray(rows @ rows.T)


def unit_rows(vectors: F64) -> F64:
    """Return the rows, shape (n, dimensions), scaled to length 1; zero rows are unchanged.

    Raises:
        InputError: a value is not finite.
    """
    rows = np.asarray(vectors, np.float64)
    if not np.isfinite(rows).all():
        broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        raise InputError(f"The vectors of {len(broken)} topics are not numbers (rows {broken[:5].tolist()}).")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))


def _lowest(scores: F64) -> int:
    return int(np.flatnonzero(scores <= scores.min() + TIED)[0])


MAIN = "hits"
# The topics of a subset in order of selection, each with the topics merged into it, and their HITS scores
# (`select_topics`; none for random subsets).
Taken: TypeAlias = tuple[dict[str, list[str]], list[float]]
SHARED = 2 / 3  # maximum share of random topics in the HITS subset; above it, a loss could not be detected


@dataclass(frozen=True)
class Subset:
    """A subset to make: `how` is hits, random or group, `seed` the random seed.

    `encoder` gives the vectors that select it, or describe it if random. Verifiers run on it if `trained`.
    """

    name: str
    how: str
    topics: int
    encoder: str
    seed: int = 0
    trained: bool = True


def plan(settings: Subsets) -> list[Subset]:
    """Return all subsets of a run: HITS and random with `topics` topics, then the subsets of the other tables."""
    topics, seeds, sizes = settings["topics"], settings["seeds"], settings["sizes"]
    first, *others = map(entry_name, settings["encoders"])
    return [
        Subset(MAIN, "hits", topics, first),
        *(Subset(f"random-{seed}", "random", topics, first, seed) for seed in range(seeds)),
        *([Subset("group", "group", topics, first)] if settings["group"] else []),
        *(Subset(f"hits-by-{encoder}", "hits", topics, encoder) for encoder in others),
        *(Subset(f"hits-{size}", "hits", size, first) for size in sizes if size != topics),
        *(
            Subset(f"random-{size}-{seed}", "random", size, first, seed, trained=False)
            for size in sizes
            if size != topics
            for seed in range(seeds)
        ),
    ]


def batches(settings: Subsets, size: int) -> dict[str, list[str]]:
    """Return the names of the subsets that verifiers run on, `size` per job, by job folder."""
    names = [subset.name for subset in plan(settings) if subset.trained]
    parts = [names[start : start + size] for start in range(0, len(names), size)]
    return {part[0] if size == 1 else f"{part[0]}-and-{len(part) - 1}": part for part in parts}


def fold_parts(settings: Raven) -> dict[str, list[int]]:
    """Return the folds of each job by file name."""
    folds, size = settings["folds"], settings["folds_per_job"]
    parts = [list(range(start, min(start + size, folds))) for start in range(0, folds, size)]
    return {f"folds-{part[0]}-{part[-1]}": part for part in parts}


def job_count(settings: Raven) -> int:
    """Return the number of answer jobs."""
    subsets = batches(settings, settings["subsets_per_job"])
    return len(subsets) * len(settings["verifiers"]) * len(fold_parts(settings))


def take_all(
    settings: Subsets, topics: Mapping[str, Topics], seed: int, strata: Sequence[Mapping[str, str]] = ()
) -> dict[str, Taken]:
    """Return the selected topics of each subset of a run, by name.

    Args:
        topics: by encoder, with their vectors.
        strata: stratifications of topics in order of preference; random topics match the strata of the HITS topics in
            the first stratification with enough other topics (SHARED), or else the last.

    Raises:
        InputError: there are too few topics.
    """
    subsets = plan(settings)
    for subset in subsets:
        if subset.topics > (known := len(topics[subset.encoder][0])):
            raise InputError(
                f"raven: {subset.name} asks for {subset.topics} topics, and {known} have enough documents. "
                "Lower raven.topics or raven.sizes, or raven.min_documents, or give more documents."
            )
    hits = {
        name: select_topics(topics[name][1], max(subset.topics for subset in subsets if subset.encoder == name))
        for name in {subset.encoder for subset in subsets}
    }  # a prefix of a selection is the selection of fewer topics
    return {
        subset.name: _take(subset, *topics[subset.encoder], hits[subset.encoder], seed, strata) for subset in subsets
    }


def _take(
    subset: Subset,
    names: Sequence[str],
    vectors: F64,
    hits: tuple[Sequence[int], Sequence[float]],
    seed: int,
    strata: Sequence[Mapping[str, str]],
) -> Taken:
    rows, scores = hits[0][: subset.topics], hits[1][: subset.topics]
    chosen = [names[row] for row in rows]
    if subset.how == "random":
        order = sorted(names, key=lambda name: (keyed_hash(seed, "random topics", str(subset.seed), name), name))
        if strata:
            with_others = (one for one in strata if _expected_share(one, chosen) <= SHARED)
            order = _matched(order, next(with_others, strata[-1]), chosen)
        return {name: [name] for name in order[: subset.topics]}, []
    members = {name: [name] for name in chosen}
    if subset.how == "group":
        joined = nearest(vectors, rows)
        for row, name in enumerate(names):
            if name not in members:
                members[chosen[joined[row]]].append(name)
    return members, list(scores)


def _expected_share(strata: Mapping[str, str], taken: Sequence[str]) -> float:
    """Return the expected share of HITS topics in stratified random draws."""
    everyone, own = Counter(strata.values()), Counter(strata[name] for name in taken)
    return sum(count**2 / everyone[stratum] for stratum, count in own.items()) / len(taken)


def _matched(order: Sequence[str], strata: Mapping[str, str], taken: Sequence[str]) -> list[str]:
    """Return as many topics per stratum as are selected in it, in the given order."""
    room = Counter(strata[name] for name in taken)
    found = []
    for name in order:
        if room[strata[name]]:
            room[strata[name]] -= 1
            found.append(name)
    return found
