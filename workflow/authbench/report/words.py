"""How are numbers and names put into words?"""

from collections.abc import Iterable, Mapping
from typing import Any

from authbench.report import figures

Sources = Mapping[str, Mapping[str, Any]]


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return decimal(value) if isinstance(value, float) else "none" if value is None else str(value)


def title(tag: str, sources: Sources) -> str:
    return str(sources.get(tag, {}).get("title", tag))


def tier(tag: str, sources: Sources) -> str:
    return str(sources.get(tag, {}).get("license", {}).get("tier", "?"))


def short_identity(identity: str) -> str:
    """A scorer's name and version without its long digests."""
    return " ".join(part for part in identity.split() if len(part) < 24)


def words(name: str) -> str:
    return name.replace("_", " ")


def count(number: int) -> str:
    return f"{number:,}"


def decimal(number: float) -> str:
    """At most three significant decimals, none for whole numbers."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.3f}".rstrip("0") if abs(number) < 10 else (
        f"{number:,.1f}"
    )  # fmt: skip


def percent(share: float) -> str:
    """A share in percent, with a decimal where it is small.

    >>> percent(0.4219), percent(0.0123), percent(0.0001)
    ('42 %', '1.2 %', 'under 0.1 %')
    """
    if 0 < share < 0.0005:
        return "under 0.1 %"
    return f"{share:.0%}".replace("%", " %") if share >= 0.1 or share == 0 else f"{share:.1%}".replace("%", " %")


def width(part: float, whole: float) -> str:
    return figures.number(100 * part / whole)


def plural(number: int, one: str, many: str = "") -> str:
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def listing(items: Iterable[str]) -> str:
    """Items as an English list.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last
