"""Estimate impurity: the probability that two texts of a label are by two people."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

DIGITS = 6
LEVEL = 0.95  # confidence level of the intervals
LABELS_OF_CLASS = 20  # fewer labels are too few to estimate strangers' behaviour


@dataclass(frozen=True)
class Estimate:
    """An impurity and its interval, each in [0, 1]; all null without evidence.

    Values are rounded, so decisions do not depend on a machine's last digits.
    """

    impurity: float | None = None
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        for name in ("impurity", "low", "high"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, round(value, DIGITS))


UNKNOWN = Estimate()


def same_item(texts: pl.DataFrame) -> Estimate:
    """Return the share of strangers that explains how often two texts of a label are about the same item.

    A person seldom writes about an item on two days; strangers do so as often as any two texts of the source. The
    number of pairs with the same label and item but different days, divided by its expectation under permuted labels,
    is therefore an upper bound of the impurity. Labels are permuted among texts whose labels have similar numbers of
    texts (sizes 2, 3-4, 5-8, ...); the expectation has a closed form. The interval is for a Poisson count (Garwood
    1936).

    Args:
        texts: columns `label`, `item`, `day` and `texts`, the number of texts with these three; without nulls.
    """
    cells = texts.group_by("label", "item", "day").agg(pl.col("texts").sum().cast(pl.Int64))
    sizes = cells.group_by("label").agg(size=pl.col("texts").sum()).filter(pl.col("size") > 1)
    if sizes.height < LABELS_OF_CLASS:
        return UNKNOWN
    classed = cells.join(_size_classes(sizes), on="label").sort("class")
    seen, expected = 0, 0.0
    for _, part in classed.group_by("class", maintain_order=True):
        total = int(part["texts"].sum())
        pairs = (_squares(part, "label") - total) // 2
        seen += (_squares(part, "label", "item") - _squares(part, "label", "item", "day")) // 2
        expected += pairs * (_squares(part, "item") - _squares(part, "item", "day")) / (total * (total - 1))
    if not expected:
        return UNKNOWN
    low, high = poisson_interval(seen)
    return Estimate(*(min(1.0, value / expected) for value in (seen, low, high)))


def _size_classes(sizes: pl.DataFrame) -> pl.DataFrame:
    """Return `label, class`: sizes by doubling; a class with few labels is merged with the next smaller class."""
    doubled = {size: (size - 1).bit_length() for size in sizes["size"].unique()}
    sizes = sizes.with_columns(pl.col("size").replace_strict(doubled, return_dtype=pl.Int64).alias("class"))
    counts = dict(sizes.group_by("class").len().iter_rows())
    joined: dict[int, int] = {}
    waiting: list[int] = []
    for doubling in sorted(counts, reverse=True):
        waiting.append(doubling)
        if sum(counts[one] for one in waiting) >= LABELS_OF_CLASS:
            joined |= dict.fromkeys(waiting, doubling)
            waiting = []
    joined |= dict.fromkeys(waiting, min(joined.values()))
    return sizes.select("label", pl.col("class").replace_strict(joined))


def _squares(cells: pl.DataFrame, *columns: str) -> int:
    """Return the sum over groups of their squared number of texts: ordered pairs of texts, including self-pairs."""
    return int((cells.group_by(columns).agg(pl.col("texts").sum())["texts"] ** 2).sum())


def poisson_interval(count: int) -> tuple[float, float]:
    """Return the exact interval for the mean of a Poisson variable observed as `count` (Garwood 1936).

    >>> [round(bound, 2) for bound in poisson_interval(0)], [round(bound, 2) for bound in poisson_interval(35)]
    ([0.0, 3.69], [24.38, 48.68])
    """
    outside = (1 - LEVEL) / 2
    from scipy.special import gammaincinv  # scipy.stats has it too, but takes a second to import

    low = float(gammaincinv(count, outside)) if count else 0.0
    return low, float(gammaincinv(count + 1, 1 - outside))


def two_accounts(texts: pl.DataFrame) -> pl.DataFrame:
    """Return `label, measure`: for each label with at least two texts, the share of pairs with two accounts.

    Args:
        texts: columns `label`, `account` and `texts`, the number of texts with both; without nulls.
    """
    of_account = texts.group_by("label", "account").agg(pl.col("texts").sum().cast(pl.Int64))
    by_label = of_account.group_by("label").agg(
        size=pl.col("texts").sum(), same=(pl.col("texts") * (pl.col("texts") - 1)).sum()
    )
    share = 1 - pl.col("same") / (pl.col("size") * (pl.col("size") - 1))
    return by_label.filter(pl.col("size") > 1).select("label", measure=share).sort("label")


def account(shares: Iterable[float]) -> Estimate:
    """Return the mean over labels of the share of pairs with two accounts, as `two_accounts` gives it.

    The interval is for a proportion among as many labels (Clopper and Pearson 1934), since shares between 0 and 1 vary
    no more than a proportion of zeros and ones.
    """
    shares = list(shares)
    if not shares:
        return UNKNOWN
    several = math.fsum(shares)
    return Estimate(several / len(shares), *proportion_interval(several, len(shares)))


def proportion_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the exact interval for a proportion (Clopper and Pearson 1934).

    >>> [round(bound, 3) for bound in proportion_interval(30, 34)]
    [0.725, 0.967]
    """
    from scipy.special import betaincinv

    outside = (1 - LEVEL) / 2
    failures = trials - successes
    low = float(betaincinv(successes, failures + 1, outside)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - outside)) if failures > 0 else 1.0
    return low, high


def stated(value: float) -> Estimate:
    """Return an impurity from a source's documentation."""
    return Estimate(value, value, value)


def voices_per_1000_words() -> pl.Expr:
    """Return marks of other voices per 1,000 words, from the columns `thousandths` of marks and `words` read."""
    return pl.when(pl.col("words") > 0).then(pl.col("thousandths") / pl.col("words"))
