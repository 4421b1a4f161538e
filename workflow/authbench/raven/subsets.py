"""Subsets of the topics that are compared.

HITS takes one of `topics` topics, chance takes `seeds` of as many (section 6). What else the tables of the paper ask:
HITS with other numbers of topics (tables 1, 7, 8), HITS by other vectors (table 10), and all topics, each joined to the
one that HITS took (table 9).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from authbench.errors import InputError
from authbench.identity import keyed_hash
from authbench.raven.select import F64, Topics, nearest, select_topics
from authbench.raven.settings import fold_parts
from authbench.registry.load import entry_name
from authbench.settings.evaluate import Raven, Subsets

MAIN = "hits"
# Each topic of a subset, in the order they are taken, with those whose documents it stands for, and what HITS took each
# for (`select_topics`; none where chance takes).
Taken: TypeAlias = tuple[dict[str, list[str]], list[float]]
SHARED = 2 / 3  # of random topics that HITS takes, too; beyond, a loss could not show


@dataclass(frozen=True)
class Subset:
    """A subset to be made: `how` is hits, random or group, `encoder` the vectors it is taken by (those it is described
    by, where chance takes it), `seed` that of chance. Verifiers run on it if `trained`."""

    name: str
    how: str
    topics: int
    encoder: str
    seed: int = 0
    trained: bool = True


def plan(settings: Subsets) -> list[Subset]:
    """Return all subsets of a run: HITS and random of `topics` topics, then those of the other tables."""
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


def trained(settings: Subsets) -> list[Subset]:
    """Return the subsets that verifiers run on."""
    return [subset for subset in plan(settings) if subset.trained]


def batches(settings: Subsets, size: int) -> dict[str, list[str]]:
    """Return the names of the subsets that verifiers run on, `size` to a job, by the name of the job's folder."""
    names = [subset.name for subset in trained(settings)]
    parts = [names[start : start + size] for start in range(0, len(names), size)]
    return {part[0] if size == 1 else f"{part[0]}-and-{len(part) - 1}": part for part in parts}


def job_count(settings: Raven) -> int:
    """Return how many jobs answer."""
    subsets = batches(settings, settings["subsets_per_job"])
    return len(subsets) * len(settings["verifiers"]) * len(fold_parts(settings))


def take_all(
    settings: Subsets, topics: Mapping[str, Topics], seed: int, strata: Sequence[Mapping[str, str]] = ()
) -> dict[str, Taken]:
    """Return what each subset of a run takes, by its name.

    Args:
        settings: of the subsets.
        topics: by encoder, with their vectors.
        seed: random seed.
        strata: of topics, in the order of preference; random ones are of those of the topics that HITS takes, by the
            first strata that have others (SHARED), or else by the last.

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
    }  # the beginning of a selection is the selection of fewer
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
    """Return the share of topics drawn by strata that are taken, too, expected over all draws."""
    everyone, own = Counter(strata.values()), Counter(strata[name] for name in taken)
    return sum(count**2 / everyone[stratum] for stratum, count in own.items()) / len(taken)


def _matched(order: Sequence[str], strata: Mapping[str, str], taken: Sequence[str]) -> list[str]:
    """Return of each stratum as many topics as are taken of it, in the order given."""
    room = Counter(strata[name] for name in taken)
    found = []
    for name in order:
        if room[strata[name]]:
            room[strata[name]] -= 1
            found.append(name)
    return found
