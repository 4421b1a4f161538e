"""Select the records that STEB takes: the first of each label in file order, label by label."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

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
