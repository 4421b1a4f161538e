"""Express numbers, names and lists in English words, for warnings, reports and charts."""

from collections.abc import Iterable


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
