"""Format numbers for table cells and chart labels."""

import math
import re

NOTHING = "–"
NO_DIFFERENCE = "none"
SIGN = re.compile(r"(?<![\w.])-(?=[.\d])")  # a hyphen used as a minus sign
_LARGE = 1000  # numbers from here on have no decimals


def decimals(value: float | None, digits: int = 3, signed: bool = False) -> str:
    """Return a number with `digits` decimals, none from 1,000 on; a dash for None.

    A positive number that would round to 0 is shown as less than the smallest displayable value.

    >>> decimals(0.0004), decimals(0.0)
    ('<0.001', '0.000')
    """
    if value is None or math.isnan(value):
        return NOTHING
    if abs(value) >= _LARGE:
        return f"{value:,.0f}"
    least = 10.0**-digits
    if 0 < value < least / 2 and not signed:
        return f"<{least:.{digits}f}"
    return f"{value:{'+' if signed else ''}.{digits}f}"


def three_digits(value: float | None) -> str:
    """Return a quantity of any magnitude with three significant digits; a dash for None.

    Below 1,000, three decimals only follow leading zeros, so they are not read as thousands.

    >>> three_digits(559.84), three_digits(4629.9), three_digits(33.619), three_digits(0.0412), three_digits(None)
    ('560', '4,630', '33.6', '0.0412', '–')
    """
    if value is None or math.isnan(value):
        return NOTHING
    places = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:,.{max(0, places)}f}"


def p_value(p: float | None) -> str:
    """Return a p with three decimals in journal style; a dash for None.

    >>> p_value(0.0321), p_value(0.00004), p_value(1.0), p_value(None)
    ('.032', '< .001', '1.000', '–')
    """
    if p is None or math.isnan(p):
        return NOTHING
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def shown_difference(value: float | None) -> str:
    """Return the smallest difference of two scores that a test can detect; NO_DIFFERENCE if it is 1 or more.

    Scores lie between 0 and 1, so such a test cannot detect any difference.

    >>> shown_difference(0.0312), shown_difference(1.15)
    ('0.031', 'none')
    """
    return NO_DIFFERENCE if value is not None and value >= 1 else decimals(value)


def limits(low: float | None, high: float | None) -> str:
    """Return an interval with two decimals and no leading zero; empty for None.

    >>> limits(-0.104, 0.5)
    '[-.10, .50]'
    """
    if low is None or high is None:
        return ""
    narrow = [f"{value:.2f}".replace("0.", ".", 1) for value in (low, high)]
    return f"[{', '.join(narrow)}]"


def signed(words: str) -> str:
    """Return a text with hyphens before numbers replaced by minus signs."""
    return SIGN.sub("−", words)


def with_spread(mean: float, spread: float, digits: int = 3, spread_digits: int = 3) -> str:
    """Return a mean with its standard deviation, if any."""
    return decimals(mean, digits) + ("" if math.isnan(spread) else f" ± {spread:.{spread_digits}f}")
