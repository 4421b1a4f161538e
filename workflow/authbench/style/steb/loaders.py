"""Make records as STEB's loaders do, where they differ from our steps."""

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import regex

from authbench.errors import InputError

AUTO = "auto"
FEWEST, MOST = 25, 200  # limits of AUTO for the episodes per label
ALL_TEXTS = -1  # as episode size: all texts of a label form one episode


def usable(record: Mapping[str, Any]) -> tuple[list[str], Hashable] | None:
    """Return the texts and the label of a record, or None if either is missing.

    A single text becomes a list; of a list of labels, the first counts.
    """
    label, text = record.get("label"), record.get("text")
    if isinstance(label, list):
        label = label[0] if label else None
    texts = [text] if isinstance(text, str) else [one for one in text or () if isinstance(one, str)]
    return (texts, label) if texts and label is not None else None


def episodes_per_class(labels: Sequence[Hashable], episode_size: int = 1, asked: int | str = AUTO) -> int:
    """Return the number of episodes per label.

    AUTO is the number of episodes of the smallest label, clipped to FEWEST and MOST; labels with fewer are then left
    out.
    """
    if asked != AUTO:
        return int(asked)
    if episode_size == ALL_TEXTS:
        return 1
    smallest = min(Counter(labels).values(), default=0)
    return min(max(smallest // episode_size, FEWEST), MOST)


def take(labels: Sequence[Hashable], episode_size: int = 1, asked: int | str = AUTO) -> list[int]:
    """Return the indices of the selected records: label by label as first met, in file order within a label.

    Mini-batch k-means depends on this order.

    Raises:
        InputError: no label has enough records.
    """
    if episode_size == ALL_TEXTS:
        return list(range(len(labels)))
    wanted = episode_size * episodes_per_class(labels, episode_size, asked)
    places: dict[Hashable, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    kept = [place for own in places.values() if len(own) >= wanted for place in own[:wanted]]
    if not kept:
        most = max(map(len, places.values()), default=0)
        raise InputError(f"no label has {wanted} texts, which STEB's protocol asks for; the largest has {most}")
    return kept


SEED = 42


def line_levels(versions: Sequence[str]) -> list[list[str]]:
    """Return the lines with equal numbers in several versions of a text, if no version's is blank (OneStopEnglish)."""
    numbered = zip(*(text.split("\n") for text in versions), strict=False)
    stripped = ([line.strip() for line in lines] for lines in numbered)
    return [lines for lines in stripped if all(lines)]


def cut_in_two(text: str, changes: Sequence[int]) -> tuple[str, str]:
    """Return the text before the first change of author, and from there to the second change (PAN 2018).

    Without a change, cut at the white space nearest to the middle (ties: the left).
    """
    if changes:
        return text[: changes[0]], text[changes[0] : changes[1] if len(changes) > 1 else len(text)]
    middle = len(text) // 2
    spaces = (found.start() for found in regex.finditer(r"\s", text))
    at = min(spaces, key=lambda place: abs(place - middle), default=middle - 1) + 1
    return text[:at], text[at:]


Neighbours = tuple[int, bool, str, str]  # index of the line break, same author, the lines


def neighbours(text: str, changes: Sequence[int]) -> list[Neighbours] | None:
    """Return the pairs of neighbouring non-blank lines, same-author pairs first (PAN 2022 to 2025).

    Return None if the number of changes differs from the number of places between lines.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(changes) != len(lines) - 1:
        return None
    pairs = [(place, not int(changed), lines[place], lines[place + 1]) for place, changed in enumerate(changes)]
    return sorted(pairs, key=lambda pair: not pair[1])


def balanced(documents: Iterable[Sequence[Neighbours]]) -> list[list[Neighbours]]:
    """Return the documents' pairs with most same-author pairs dropped (PAN 2026).

    All different-author pairs are kept. Of its same-author pairs, each document keeps the share (all different-author
    pairs) / (all same-author pairs), drawn by a single generator across documents.
    """
    documents = list(documents)
    same = [[pair for pair in pairs if pair[1]] for pairs in documents]
    different = [[pair for pair in pairs if not pair[1]] for pairs in documents]
    rate = sum(map(len, different)) / max(1, sum(map(len, same)))
    random = Random(SEED)
    return [
        random.sample(ones, min(len(ones), round(rate * len(ones)))) + others
        for ones, others in zip(same, different, strict=True)
    ]


def aligned(versions: Mapping[str, Mapping[str, str]], labels: Sequence[str], each: int) -> list[str]:
    """Return the sources that have a version for every label, in order; at most `each`, drawn (EnDive)."""
    whole = sorted(source for source, there in versions.items() if all(label in there for label in labels))
    return sorted(Random(SEED).sample(whole, each)) if len(whole) > each else whole


def chosen_by_digest(original: str, several: Sequence[str]) -> str:
    """Return a version of a text, selected by the original's SHA-256 (ASSET)."""
    return several[int(hashlib.sha256(original.encode()).hexdigest(), 16) % len(several)]


def shuffled_trials(same: Sequence[bool], each: int) -> list[int]:
    """Return the indices of `each` same-author and `each` different-author trials (PAN 2020 and 2021).

    Both kinds are shuffled in sequence by a single generator.
    """
    random = Random(SEED)
    kinds = [[place for place, one in enumerate(same) if one == kind] for kind in (True, False)]
    for places in kinds:
        random.shuffle(places)
    return [place for places in kinds for place in places[:each]]


def equal_pieces(texts: Sequence[str], count: int) -> list[str]:
    """Return the texts joined by line breaks and cut into `count` pieces of equal length in characters (MASC)."""
    whole = "\n".join(texts)
    edges = [place * len(whole) // count for place in range(count + 1)]
    return [whole[start:stop] for start, stop in pairwise(edges)]
