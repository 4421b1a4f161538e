"""Draw texts to train on: two by the same author, and a third by another author that resembles the second.

The third text is drawn like the negatives of the pool `matched` (docs/release-format.md). A random text would mostly be
of another language or genre, and a model that distinguishes languages would have little left to learn.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from authbench.core.identity import keyed_hash
from authbench.scoring.evaluation.split import Split

# What a negative shares with the positive; the first rung with any text is taken.
RUNGS = (("lang", "source", "primary_genre"), ("lang", "primary_genre"), ("lang",), ())
NEAREST = 10  # texts nearest in length, from which one is drawn


@dataclass(frozen=True)
class Example:
    """Hold the numbers of three texts, rows of the split's documents; `negative` is None if none is drawn."""

    anchor: int
    positive: int
    negative: int | None = None


class Examples:
    """Draw examples from the texts of a split, the same for the same seed in any order of the texts."""

    def __init__(self, split: Split, seed: int) -> None:
        self.seed = seed
        texts = split.documents
        self.ids: list[str] = texts["id"].to_list()
        self.authors: list[str] = texts["author_id"].to_list()
        no_origins: list[str | None] = [None] * texts.height
        self.origins = texts["origin"].to_list() if "origin" in texts.columns else no_origins
        self.lengths: list[int] = texts["token_length"].to_list()
        self.related = _possibly_one_person(split, self.authors)
        self.texts_of: dict[str, list[int]] = defaultdict(list)
        for row, author in enumerate(self.authors):
            self.texts_of[author].append(row)
        order = sorted(range(texts.height), key=lambda row: (self.lengths[row], self.ids[row]))
        self.keys = [[str(key) for key in texts.select(rung).rows()] if rung else [""] * texts.height for rung in RUNGS]
        self.alike: list[dict[str, list[int]]] = [defaultdict(list) for _ in RUNGS]
        for row in order:
            for key, alike in zip(self.keys, self.alike, strict=True):
                alike[key[row]].append(row)

    def batches(self, epochs: int, batch: int, matched: bool) -> list[list[Example]]:
        """Return the batches of all epochs; none spans two epochs, and in an epoch no author has two anchors."""
        found = []
        for epoch in range(epochs):
            pairs = self.pairs(epoch)
            for start in range(0, len(pairs) - batch + 1, batch):
                chosen = pairs[start : start + batch]
                asking = {self.authors[anchor] for anchor, _ in chosen}
                negatives = (self._negative(pair, asking, epoch) if matched else None for pair in chosen)
                found.append([Example(*pair, negative) for pair, negative in zip(chosen, negatives, strict=True)])
        return found

    def pairs(self, epoch: int) -> list[tuple[int, int]]:
        """Return two texts of every author with two texts of different works, in the order of a hash."""
        found = []
        for author, rows in self.texts_of.items():
            drawn = sorted(rows, key=lambda row: keyed_hash(self.seed, "pair", str(epoch), self.ids[row]))
            other = next((row for row in drawn[1:] if self._other_work(drawn[0], row)), None)
            if other is not None:
                found.append((keyed_hash(self.seed, "order", str(epoch), author), author, (drawn[0], other)))
        return [pair for _, _, pair in sorted(found)]

    def _other_work(self, one: int, other: int) -> bool:
        return self.origins[one] is None or self.origins[one] != self.origins[other]

    def _negative(self, pair: tuple[int, int], asking: set[str], epoch: int) -> int | None:
        """Return a text similar to the positive, by neither an anchor's author in the batch nor possibly the pair's."""
        anchor, positive = pair
        barred = asking | self.related.get(self.authors[anchor], frozenset())
        for keys, alike in zip(self.keys, self.alike, strict=True):
            near = self._nearest(alike[keys[positive]], positive, barred)
            if near:
                names = "negative", str(epoch), self.ids[anchor]
                return min(near, key=lambda row: keyed_hash(self.seed, *names, self.ids[row]))
        return None

    def _nearest(self, rows: Sequence[int], positive: int, barred: set[str] | frozenset[str]) -> list[int]:
        """Return the NEAREST rows in length that are not by barred authors; `rows` are in order of length."""
        own = self.lengths[positive]
        right = bisect_left(rows, own, key=lambda row: self.lengths[row])
        left, found = right - 1, list[int]()
        while len(found) < NEAREST and (left >= 0 or right < len(rows)):
            below = own - self.lengths[rows[left]] if left >= 0 else None
            above = self.lengths[rows[right]] - own if right < len(rows) else None
            if above is None or (below is not None and below <= above):
                row, left = rows[left], left - 1
            else:
                row, right = rows[right], right + 1
            if self.authors[row] not in barred:
                found.append(row)
        return found


def _possibly_one_person(split: Split, authors: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Return for each author the others whose texts are ignored for the author's queries."""
    related: dict[str, set[str]] = defaultdict(set)
    for query, candidate in zip(split.excluded.owners(), split.excluded.rows, strict=True):
        one, other = authors[split.asks[query]], authors[candidate]
        if one != other:
            related[one].add(other)
            related[other].add(one)
    return {author: frozenset(others) for author, others in related.items()}
