"""Express numbers, names and lists in English words, and say which known word an unknown one may mean."""

import difflib
from collections.abc import Iterable, Sequence

_MOST_LISTED = 20  # known words in a message


def spaced(name: str) -> str:
    """Return an identifier as words: underscores become spaces."""
    return name.replace("_", " ")


def count(number: int) -> str:
    """Return an integer with thousands separators."""
    return f"{number:,}"


def decimal(number: float) -> str:
    """Return a number with at most three decimals below 10, a single decimal above, none for integers."""
    if float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:,.3f}".rstrip("0") if abs(number) < 10 else f"{number:,.1f}"


def percent(share: float) -> str:
    """Return a share in percent, with a decimal if it is small.

    >>> percent(0.4219), percent(0.0123), percent(0.0001)
    ('42 %', '1.2 %', 'under 0.1 %')
    """
    if 0 < share < 0.0005:
        return "under 0.1 %"
    return f"{share:.0%}".replace("%", " %") if share >= 0.1 or share == 0 else f"{share:.1%}".replace("%", " %")


def plural(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun in the right number."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def listing(items: Iterable[str]) -> str:
    """Return items as an English list.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message on an unknown word: the most similar known word, all, or three of many.

    >>> did_you_mean("xyzzy", ["news", "poetry"])
    '; known: news, poetry'
    >>> did_you_mean("xyzzy", [str(number) for number in range(40)])
    '; of 40 known, the most similar are 0, 1, 2'
    """
    known = list(known)
    if close := nearest(word, known):
        return close
    if len(known) <= _MOST_LISTED:
        return f"; known: {', '.join(known)}"
    return f"; of {len(known)} known, the most similar are {', '.join(_similar(word, known))}"


def _similar(word: str, known: Sequence[str]) -> list[str]:
    """Return three known words, the most similar first; of equally similar words, the first."""
    likeness = {one: difflib.SequenceMatcher(None, word.lower(), one.lower()).ratio() for one in known}
    return sorted(likeness, key=lambda one: -likeness[one])[:3]


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the end of a message on an unknown word: the most similar known word; empty if none is similar."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean '{close[0]}'?" if close else ""
