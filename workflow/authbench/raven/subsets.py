"""Which subsets of the topics are compared?

HITS takes one of `topics` topics, chance takes `seeds` of as many (section 6). What else the tables of the paper ask:
HITS with other numbers of topics (tables 1, 7, 8), HITS by other vectors (table 10), and all topics, each joined to the
one that HITS took (table 9).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from authbench.errors import InputError
from authbench.identity import keyed_hash
from authbench.raven.select import F64, nearest, select_topics

MAIN = "hits"


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


def plan(topics: int, seeds: int, sizes: Sequence[int], encoders: Sequence[str], group: bool) -> list[Subset]:
    """All subsets of a run: HITS and random of `topics` topics, then what the other tables ask."""
    first = encoders[0]
    return [
        Subset(MAIN, "hits", topics, first),
        *(Subset(f"random-{seed}", "random", topics, first, seed) for seed in range(seeds)),
        *([Subset("group", "group", topics, first)] if group else []),
        *(Subset(f"hits-by-{encoder}", "hits", topics, encoder) for encoder in encoders[1:]),
        *(Subset(f"hits-{size}", "hits", size, first) for size in sizes if size != topics),
        *(
            Subset(f"random-{size}-{seed}", "random", size, first, seed, trained=False)
            for size in sizes
            if size != topics
            for seed in range(seeds)
        ),
    ]


def plan_of(settings: Mapping[str, Any]) -> list[Subset]:
    """`plan` by the section `raven` of a configuration."""
    return plan(*(settings[key] for key in ("topics", "seeds", "sizes", "encoders", "group")))


def take(subset: Subset, names: Sequence[str], vectors: F64, seed: int) -> dict[str, list[str]]:
    """The topics of a subset in the order they are taken, each with the topics whose documents it stands for.

    `names` and `vectors` (topics x dimensions) are those of its encoder. Raises InputError where there are too few.
    """
    if subset.topics > len(names):
        raise InputError(
            f"raven: {subset.name} asks for {subset.topics} topics, and {len(names)} have enough documents. "
            "Lower raven.topics or raven.sizes, or raven.min_documents, or give more documents."
        )
    if subset.how == "random":
        order = sorted(names, key=lambda name: (keyed_hash(seed, "random topics", str(subset.seed), name), name))
        return {name: [name] for name in order[: subset.topics]}
    taken, _ = select_topics(vectors, subset.topics)
    members: dict[str, list[str]] = {names[row]: [names[row]] for row in taken}
    if subset.how == "group":
        joined = nearest(vectors, taken)
        for row, name in enumerate(names):
            if name not in members:
                members[names[taken[joined[row]]]].append(name)
    return members
