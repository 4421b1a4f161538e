"""Numbers in the cells of tables and beside the bars of charts."""

import math

NOTHING = "–"
_LARGE = 1000  # numbers from here on have no decimals


def decimals(value: float | None, digits: int = 3, signed: bool = False) -> str:
    """Return a number with `digits` decimals, none from 1,000 on; a dash for None."""
    if value is None or math.isnan(value):
        return NOTHING
    if abs(value) >= _LARGE:
        return f"{value:,.0f}"
    return f"{value:{'+' if signed else ''}.{digits}f}"


def with_spread(mean: float, spread: float, digits: int = 3, spread_digits: int = 3) -> str:
    """Return a mean with its standard deviation, if there is one."""
    return decimals(mean, digits) + ("" if math.isnan(spread) else f" ± {spread:.{spread_digits}f}")
