"""Place dates on an axis of days: whole dates, and years and months whose days are unknown."""

import polars as pl

_YEAR, _MONTH = 365.25, 365.25 / 12  # days; multiples are exact in binary, so equal distances are equal numbers
_EPOCH = 1970


def middle_day(column: str) -> pl.Expr:
    """Return the days since 1970 of `2020-05-17`, and of the middle of `2020-05` or `2020`; null for anything else."""
    date = pl.col(column)
    whole = pl.when(date.str.contains("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")).then(date)
    days = whole.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32).cast(pl.Float64)
    year, month = (date.str.extract("^([0-9]{4})(?:-(0[1-9]|1[0-2]))?$", group).cast(pl.Float64) for group in (1, 2))
    start = (year - _EPOCH) * _YEAR
    return pl.coalesce(days, start + (month - 0.5) * _MONTH, start + _YEAR / 2)
