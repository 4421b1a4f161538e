"""Store a list of candidate rows for each query."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import polars as pl

from authbench.core.arrays import I32, I64


@dataclass(frozen=True)
class Lists:
    """Concatenated lists of rows: list i is `rows[starts[i]:starts[i + 1]]`."""

    starts: I64
    rows: I32

    @classmethod
    def of(cls, lists: Iterable[Sequence[int]]) -> "Lists":
        ordered = [sorted(rows) for rows in lists]
        starts = np.array([0, *accumulate(map(len, ordered))], np.int64)
        return cls(starts, np.array([row for rows in ordered for row in rows], np.int32))

    def lengths(self) -> I64:
        """Return the number of entries of each list.

        Returns:
            Shape (lists,).
        """
        return np.diff(self.starts)

    def owners(self) -> I32:
        """Return the list that each row belongs to.

        Returns:
            Shape (rows,).
        """
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), self.lengths())

    def between(self, first: int, last: int) -> tuple[slice, I64]:
        """Return the slice of the rows of lists [first, last), and the list that each of these rows belongs to."""
        span = slice(int(self.starts[first]), int(self.starts[last]))
        return span, np.repeat(np.arange(first, last), np.diff(self.starts[first : last + 1]))

    def frame(self) -> pl.DataFrame:
        """Return the rows as `candidate`, each with the number of its list as `query`."""
        schema = {"query": pl.Int32, "candidate": pl.Int32}
        return pl.DataFrame({"query": self.owners(), "candidate": self.rows}, schema=schema)
