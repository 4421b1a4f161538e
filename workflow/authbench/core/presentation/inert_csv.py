"""Write tables as CSV that is safe to open in a spreadsheet."""

import polars as pl

_FORMULA = r"^[=+\-@\t\r]"  # start of a formula in spreadsheets
_NUMBER = r"^[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?%?$"


def as_csv(table: pl.DataFrame) -> str:
    """Return a table as CSV without formulas: a text that starts like a formula gets an apostrophe.

    >>> as_csv(pl.DataFrame({"licence": ["=1+1", "CC0", "-1.5"]}))
    "licence\\n'=1+1\\nCC0\\n-1.5\\n"
    """
    texts = [pl.col(name) for name, kind in table.schema.items() if kind in (pl.String, pl.Categorical, pl.Enum)]
    inert = [
        pl.when(text.cast(pl.String).str.contains(_FORMULA) & ~text.cast(pl.String).str.contains(_NUMBER))
        .then("'" + text.cast(pl.String))
        .otherwise(text.cast(pl.String))
        .alias(text.meta.output_name())
        for text in texts
    ]
    return table.with_columns(inert).write_csv()
