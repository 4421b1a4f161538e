"""Measure each text once per process: folds and subsets request the same texts repeatedly."""

import hashlib
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from authbench.arrays import F64

MOST = 1 << 16  # texts whose measurements are kept: at most 64 MiB of 92 numbers each


class MeasuredOnce:
    """Measurements by a function that sees only a text; they are kept for the first `most` texts.

    Args:
        measure: names and values of the measurements of a text, the same names in the same order for all.
        most: further texts are measured each time.
    """

    def __init__(self, measure: Callable[[str], Mapping[str, float]], most: int = MOST) -> None:
        self.measure = measure
        self.most = most
        self._known: dict[bytes, F64] = {}

    def table(self, texts: Iterable[str]) -> F64:
        """Return the measurements of texts, shape (texts, measurements)."""
        return np.array([self._row(text) for text in texts])

    def _row(self, text: str) -> F64:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        row = self._known.get(key)
        if row is None:
            row = np.array(list(self.measure(text).values()), np.float64)
            if len(self._known) < self.most:
                self._known[key] = row
        return row
