"""Which records STEB takes: of each label the first ones in the order of the file."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from authbench.errors import InputError

AUTO = "auto"
FEWEST, MOST = 25, 200  # episodes of a label that AUTO may give
ALL_TEXTS = -1  # as the size of an episode: all texts of a label are one episode


def usable(record: Mapping[str, Any]) -> tuple[list[str], Hashable] | None:
    """Return the texts and the label of a record, or None if one of them is missing.

    A text is a list of one; of a list of labels the first counts.
    """
    label, text = record.get("label"), record.get("text")
    if isinstance(label, list):
        label = label[0] if label else None
    texts = [text] if isinstance(text, str) else [one for one in text or () if isinstance(one, str)]
    return (texts, label) if texts and label is not None else None


def episodes_per_class(labels: Sequence[Hashable], episode_size: int = 1, asked: int | str = AUTO) -> int:
    """Return how many episodes of each label are taken.

    AUTO is what the smallest label has, at least FEWEST and at most MOST; labels with fewer are then left out.
    """
    if asked != AUTO:
        return int(asked)
    if episode_size == ALL_TEXTS:
        return 1
    smallest = min(Counter(labels).values(), default=0)
    return min(max(smallest // episode_size, FEWEST), MOST)


def take(labels: Sequence[Hashable], episode_size: int = 1, asked: int | str = AUTO) -> list[int]:
    """Return the places of the records that are taken, in the order of the file.

    Raises:
        InputError: no label has enough records.
    """
    if episode_size == ALL_TEXTS:
        return list(range(len(labels)))
    wanted = episode_size * episodes_per_class(labels, episode_size, asked)
    sizes = Counter(labels)
    met: Counter[Hashable] = Counter()
    kept = []
    for place, label in enumerate(labels):
        met[label] += 1
        if sizes[label] >= wanted and met[label] <= wanted:
            kept.append(place)
    if not kept:
        raise InputError(f"no label has {wanted} texts, which STEB's protocol asks for; the largest has {_most(sizes)}")
    return kept


def _most(sizes: Counter[Hashable]) -> int:
    return max(sizes.values(), default=0)
