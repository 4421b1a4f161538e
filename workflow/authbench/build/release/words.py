"""Express values, sources and scorers in words, for warnings and the report."""

from collections.abc import Mapping

from authbench.config.registry.source_entry import Description
from authbench.core.words import count, decimal

Sources = Mapping[str, Description]  # by tag


def shown(value: object) -> str:
    """Return any value of the metadata in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return decimal(value) if isinstance(value, float) else "none" if value is None else str(value)


def title(tag: str, sources: Sources) -> str:
    """Return a source's title, or its tag if it is unknown."""
    return sources[tag].title if tag in sources else tag


def tier(tag: str, sources: Sources) -> str:
    """Return the tier of a source's licence, or `?` if it is unknown."""
    return sources[tag].license.tier if tag in sources else "?"


def short_identity(identity: str) -> str:
    """Return a scorer's name and version without its long digests."""
    return " ".join(part for part in identity.split() if len(part) < 24)


def bar_width(part: float, whole: float) -> str:
    """Return the width of a bar in percent, in CSS notation."""
    return f"{round(100 * part / whole, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
