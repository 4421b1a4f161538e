"""Compute how many documents each language, genre and length should give.

Targets are percentages turned into whole documents by largest remainder, so totals are exact
(AuthBench paper, A.5; processing plan, sections 5, 8 and 12).
"""

import math
from collections.abc import Mapping
from fnmatch import fnmatchcase

from authbench.config.settings.sample import Shortfall


def largest_remainder(total: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Return whole numbers that add up to `total` and are as close to the shares as possible.

    >>> largest_remainder(10, {"a": 50, "b": 30, "c": 25})
    {'a': 5, 'b': 3, 'c': 2}
    """
    weight = sum(shares.values())
    if not weight:
        return dict.fromkeys(shares, 0)
    exact = {key: total * share / weight for key, share in shares.items()}
    whole = {key: int(value) for key, value in exact.items()}
    by_remainder = sorted(shares, key=lambda key: (whole[key] - exact[key], key))
    for key in by_remainder[: total - sum(whole.values())]:
        whole[key] += 1
    return whole


def language_targets(
    documents: int, shares: Mapping[str, float], available: Mapping[str, int], shortfall: Shortfall
) -> dict[str, int]:
    """Return documents per language, given the most that each language can give.

    `fill`: other languages make up a shortfall in proportion to their shares. `{"fill_up_to": f}`: likewise, but none
    takes more than f times its share, and the rest stays open. `proportional`: the total shrinks until every language
    that gives any can give its share.

    >>> language_targets(100, {"en": 50, "fr": 50}, {"en": 90, "fr": 20}, "fill")
    {'en': 80, 'fr': 20}
    >>> language_targets(100, {"en": 50, "fr": 50}, {"en": 90, "fr": 20}, {"fill_up_to": 1.5})
    {'en': 75, 'fr': 20}
    >>> language_targets(100, {"en": 50, "fr": 50}, {"en": 90, "fr": 20}, "proportional")
    {'en': 21, 'fr': 20}
    """
    if not isinstance(shortfall, str):
        most = _most_per_language(documents, shares, shortfall["fill_up_to"])
        available = {language: min(available.get(language, 0), most[language]) for language in shares}
    if shortfall == "proportional":
        given = {language: share for language, share in shares.items() if share and available.get(language, 0)}
        while documents and given:
            targets = largest_remainder(documents, given)
            if all(targets[language] <= available[language] for language in given):
                return {language: targets.get(language, 0) for language in shares}
            possible = [available[key] * sum(given.values()) / share for key, share in given.items()]
            documents = min(documents - 1, int(min(possible)) + 1)
        return dict.fromkeys(shares, 0)
    bound: dict[str, int] = {}
    while True:
        free = {language: share for language, share in shares.items() if language not in bound}
        targets = largest_remainder(documents - sum(bound.values()), free)
        short = {key: available.get(key, 0) for key, wanted in targets.items() if wanted > available.get(key, 0)}
        if not short:
            return {language: bound.get(language, targets.get(language, 0)) for language in shares}
        bound.update(short)


def _most_per_language(documents: int, shares: Mapping[str, float], times: float) -> dict[str, int]:
    """Return `times` the share of each language in whole documents, but at least its rounded share."""
    whole, weight = largest_remainder(documents, shares), sum(shares.values())
    return {
        language: max(whole[language], math.floor(times * documents * share / weight + 1e-9) if weight else 0)
        for language, share in shares.items()
    }


def borrow_adjacent(targets: Mapping[str, int], available: Mapping[str, int]) -> dict[str, int]:
    """Return the targets of lengths, in order, where a scarce length borrows from its neighbours.

    A shortfall goes to the adjacent lengths, as far as they have texts to spare, then to lengths two away; the rest
    stays with the scarce length (processing plan, section 8).

    >>> borrow_adjacent({"short": 20, "medium": 50, "long": 20, "extra_long": 10},
    ...                 {"short": 90, "medium": 90, "long": 90, "extra_long": 4})
    {'short': 20, 'medium': 50, 'long': 26, 'extra_long': 4}
    """
    order = list(targets)
    given = {key: min(targets[key], available.get(key, 0)) for key in order}
    for place, key in enumerate(order):
        lacking = targets[key] - min(targets[key], available.get(key, 0))
        for away in range(1, len(order)):
            near = [order[at] for at in (place - away, place + away) if 0 <= at < len(order)]
            spare = {one: max(0, available.get(one, 0) - max(given[one], targets[one])) for one in near}
            taken = min(lacking, sum(spare.values()))
            for one, number in largest_remainder(taken, spare).items():
                given[one] += number
            lacking -= taken
        given[key] += lacking
    return given


def matching_pattern(genre: str, patterns: Mapping[str, float] | list[str]) -> str | None:
    """Return the most specific pattern that matches a genre: the pattern with the most characters before its wildcard.

    >>> matching_pattern("social_media/weibo", ["social_media/*", "social_media/xiaohongshu"])
    'social_media/*'
    """
    fits = [pattern for pattern in patterns if fnmatchcase(genre, pattern) or pattern == f"{genre}/*"]
    return max(fits, key=lambda pattern: (len(pattern.partition("*")[0]), "*" not in pattern), default=None)
