"""Counts of the rows of a source and of what became of them."""

from collections import Counter
from typing import Any

import numpy as np
import polars as pl

from authbench.errors import InputError
from authbench.reading.rows import UNREADABLE
from authbench.reading.units import Units

EXAMPLES = 3


class Tally:
    """The counts of a source while it is read. Holds at most 16 bytes for each author, for a moment 48."""

    def __init__(self, tag: str) -> None:
        self.tag, self.rows, self.kept = tag, 0, 0
        self.units, self.mended, self.unnamed = Units(), 0, 0
        self.dropped: Counter[str] = Counter()
        self.examples: list[str] = []
        self.languages: Counter[str] = Counter()
        self.flags: Counter[str] = Counter()
        self.authors: list[np.ndarray] = [np.empty(0, np.uint64)]

    def drop(self, reason: str, what: str) -> None:
        self.dropped[reason] += 1
        if reason in UNREADABLE and len(self.examples) < EXAMPLES:
            self.examples.append(what)

    @property
    def bad(self) -> int:
        """The number of rows that cannot be read."""
        return sum(self.dropped[reason] for reason in UNREADABLE)

    def stop_if_bad(self, limit: float, at_least: int = 1) -> None:
        """Stop an ingestion with too many bad rows.

        Raises:
            InputError: more than this share of the rows cannot be read.
        """
        bad = self.bad
        if bad >= at_least and bad > limit * self.rows:
            raise InputError(
                f"{self.tag}: {bad} of {self.rows} rows cannot be read, more than ingest.max_bad_rows ({limit:.2%}). "
                f"First: {'; '.join(self.examples)}. Correct the reader's options, or raise the limit."
            )

    def keep(self, kept: pl.DataFrame) -> None:
        """Count records that stay, by their columns lang, names_author, noisy and author_id."""
        self.kept += kept.height
        self.languages.update(dict(kept.group_by("lang").len().iter_rows()))
        self.flags.update({"names_author": int(kept["names_author"].sum()), "noisy": int(kept["noisy"].sum())})
        begins = kept["author_id"].str.slice(0, 16).unique().str.to_integer(base=16, dtype=pl.UInt64)
        self.authors.append(begins.to_numpy())
        if sum(map(len, self.authors[1:])) > len(self.authors[0]):
            self.authors = [np.unique(np.concatenate(self.authors))]

    def counts(self, author_kind: str, files: int) -> dict[str, Any]:
        """Return the counts of the stage and of the units, and under `facts` what the report says of the source."""
        dropped = {reason: count for reason, count in sorted(self.dropped.items()) if count}
        return {
            "stage": "ingest",
            "sources": {self.tag: {"in": self.rows, "kept": self.kept, "gained": 0, "dropped": dropped}},
            "units": self.units.counts(),
            "mended_texts": self.mended,
            "unnamed_texts": self.unnamed,
            "facts": {
                "author_kind": author_kind,
                "files": files,
                "documents": self.kept,
                "authors": len(np.unique(np.concatenate(self.authors))),
                "bad_rows": self.bad,
                "names_author": self.flags["names_author"] / self.kept if self.kept else 0.0,
                "noisy_authors": self.flags["noisy"] / self.kept if self.kept else 0.0,
                "languages": dict(sorted(self.languages.items())),
            },
        }
