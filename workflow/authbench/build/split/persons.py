"""Find labels that are possibly the same person, and which of them move together.

Records carry keyed hashes of names (authbench.build.ingest.persons). Two labels are possibly the same person if

- their names are equal (`person_key`): in two languages, or in two sources of ambiguous names;
- their family names and first initials are equal (`near_key`), each given name equals, abbreviates or is missing in the
  other's, and known years of birth and death are the same;
- they are two labels of the same source that share several texts.

Such labels share a unit, to be neither a leak nor, as their texts are ignored, wrong negatives. A label may match two
names that do not match each other, as `Wang, Y.` may be `Wang, Yi` and `Wang, Yan`. It joins no unit by its initials,
and its texts are only ignored; otherwise such labels would connect all authors.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import polars as pl

from authbench.config.settings.split import Bridge

POSSIBLY_ONE = pl.Schema({"a": pl.String, "b": pl.String, "unit": pl.Boolean})
NO_SHARED = pl.DataFrame(schema={"a": pl.String, "b": pl.String})
_COLUMNS = ("author_id", "lang", "person_key", "near_key", "given_keys", "life_key")
_EQUAL, _SHARED, _NEAR = range(3)  # reasons to join two labels; most certain first


class _Label(NamedTuple):
    author: str
    given: tuple[str, ...]
    life: tuple[str, ...]


@dataclass(frozen=True)
class Persons:
    """Hold labels that are possibly the same person.

    Attributes:
        pairs: a, b (author ids, a < b) and `unit`, whether they move together (POSSIBLY_ONE), sorted.
        person_of: for each author who moves with others, the smallest of their ids.
    """

    pairs: pl.DataFrame
    person_of: Mapping[str, str]

    def facts(self) -> dict[str, int]:
        """Return how many labels move with another, and how many are only ignored, for the report."""
        joined = set(self.person_of)
        others = set(self.pairs["a"]) | set(self.pairs["b"])
        return {"possibly_one_joined": len(joined), "possibly_one_ignored": len(others - joined)}


def find_persons(documents: pl.DataFrame, bridge: Bridge, unit: str, shared: pl.DataFrame = NO_SHARED) -> Persons:
    """Return the authors of `documents` that are possibly the same person.

    Labels are joined, most certain first, while each group has at most the documents allowed for a unit (`bridge` of
    the settings); further pairs are only ignored. With `document` as the unit no labels are joined. `shared` are pairs
    of authors (a, b) with texts in common. Memory: the authors, and a bit for each pair of labels with the same family
    name and first initial.
    """
    known = documents.select(_COLUMNS).unique().sort(pl.all())
    least, share = float(bridge["documents"]), bridge["language_share"]
    allowed = documents.group_by("lang").agg(most=pl.max_horizontal(pl.lit(least), pl.len() * share))
    sizes = (
        documents.group_by("author_id")
        .agg(documents=pl.len(), lang=pl.col("lang").mode().min())
        .join(allowed, on="lang", how="left")
        .select("author_id", "documents", "most")
    )
    found: dict[tuple[str, str], int | None] = {}
    authors = set(sizes["author_id"])
    for a, b in shared.select(pl.min_horizontal("a", "b"), pl.max_horizontal("a", "b").alias("b")).iter_rows():
        if a != b and a in authors and b in authors:
            found[a, b] = _SHARED
    for pair, sure in _near_pairs(known):
        if sure and found.get(pair) is None:
            found[pair] = _NEAR
        found.setdefault(pair, None)
    for pair in _equal_pairs(known):
        found[pair] = _EQUAL
    surest = sorted((kind, pair) for pair, kind in found.items() if kind is not None and unit == "author")
    group = _joined([pair for _, pair in surest], {name: (size, most) for name, size, most in sizes.iter_rows()})
    rows = [(a, b, a in group and group[a] == group.get(b)) for a, b in sorted(found)]
    return Persons(pl.DataFrame(rows, schema=POSSIBLY_ONE, orient="row"), group)


def _equal_pairs(known: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the pairs of authors with an equal name."""
    people = known.drop_nulls("person_key").group_by("person_key").agg(pl.col("author_id").unique().sort())
    for authors in people.filter(pl.col("author_id").list.len() > 1)["author_id"]:
        yield from combinations(authors, 2)


def _near_pairs(known: pl.DataFrame) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield pairs of authors with compatible names; the flag is false if either also matches two incompatible names."""
    people = known.drop_nulls("near_key").select("near_key", "author_id", "given_keys", "life_key").unique()
    for _, group in people.group_by("near_key"):
        labels = [
            _Label(author, tuple(given), tuple((life or ":").split(":")))
            for author, given, life in group.select("author_id", "given_keys", "life_key").iter_rows()
        ]
        if len(labels) > 1:
            yield from _pairs_of(labels)


def _pairs_of(labels: Sequence[_Label]) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield the pairs of labels with the same family name and first initial, as `_near_pairs` does."""
    fits = [1 << place for place in range(len(labels))]  # a bit for each label that matches, including itself
    for one, other in combinations(range(len(labels)), 2):
        if _may_be_one(labels[one], labels[other]):
            fits[one] |= 1 << other
            fits[other] |= 1 << one
    sure = [all(not fits[place] & ~fits[other] for other in _places(fits[place])) for place in range(len(labels))]
    for one, other in combinations(range(len(labels)), 2):
        a, b = sorted((labels[one].author, labels[other].author))
        if fits[one] >> other & 1 and a != b:
            yield (a, b), sure[one] and sure[other]


def _places(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _may_be_one(one: _Label, other: _Label) -> bool:
    """Return whether given names and years allow two labels with the same family name to be the same person."""
    if any(mine and yours and mine != yours for mine, yours in zip(one.life, other.life, strict=True)):
        return False
    fewer, more = sorted((one.given, other.given), key=len)
    if not _fit(fewer[0], more[0]):
        return False
    rest = iter(more[1:])
    return all(any(_fit(name, candidate) for candidate in rest) for name in fewer[1:])


def _fit(one: str, other: str) -> bool:
    """Return whether two given names are equal, or either abbreviates the other."""
    mine, yours = one.split(":"), other.split(":")
    return mine[1] == yours[1] and (len(mine) == 2 or len(yours) == 2 or mine[2] == yours[2])


def _joined(pairs: Sequence[tuple[str, str]], sizes: Mapping[str, tuple[int, float]]) -> dict[str, str]:
    """Return the group of each author whom the pairs join, in their order, while groups do not become too large."""
    above: dict[str, str] = {}
    held = {name: size for name, (size, _) in sizes.items()}
    allowed = {name: most for name, (_, most) in sizes.items()}

    def top(name: str) -> str:
        while (upper := above.get(name, name)) != name:
            above[name] = above.get(upper, upper)
            name = upper
        return name

    for pair in pairs:
        first, second = sorted(map(top, pair))
        most = max(allowed[first], allowed[second])
        if first != second and held[first] + held[second] <= most:
            above[second] = first
            held[first] += held[second]
            allowed[first] = most
    named = {name: top(name) for name in {name for pair in pairs for name in pair}}
    several = {group for name, group in named.items() if name != group}
    return {name: group for name, group in named.items() if group in several}
