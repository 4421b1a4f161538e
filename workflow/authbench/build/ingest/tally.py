"""Count the rows of a source and their outcomes."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import polars as pl

from authbench.build.ingest.losses import Loss
from authbench.build.ingest.reasons import reason_in_words
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.release.reading.rows import UNREADABLE
from authbench.release.reading.units import Units

EXAMPLES = 3


class Tally:
    """The counts of a source during reading. Memory: at most 16 bytes per author, briefly 48."""

    def __init__(self, tag: str) -> None:
        self.tag, self.rows, self.kept = tag, 0, 0
        self.units, self.mended, self.unnamed = Units(), 0, 0
        self.dropped: Counter[str] = Counter()
        self.examples: list[str] = []
        self.losses: dict[str, Loss] = {}
        self.languages: Counter[str] = Counter()
        self.flags: Counter[str] = Counter()
        self.authors: list[np.ndarray] = [np.empty(0, np.uint64)]

    def drop(self, reason: str, what: str) -> None:
        self.dropped[reason] += 1
        if reason in UNREADABLE and len(self.examples) < EXAMPLES:
            self.examples.append(what)

    def lose(self, losses: Mapping[str, Loss]) -> None:
        """Count lost values by our fields."""
        for name, loss in losses.items():
            self.losses[name] = self.losses.get(name, Loss()) + loss

    @property
    def bad(self) -> int:
        """Return the number of unreadable rows."""
        return sum(self.dropped[reason] for reason in UNREADABLE)

    def stop_if_bad(self, limit: float, at_least: int = 1) -> None:
        """Stop an ingestion with too many bad rows.

        Raises:
            InputError: more than this share of the rows is unreadable.
        """
        bad = self.bad
        if bad >= at_least and bad > limit * self.rows:
            raise InputError(
                f"{self.tag}: {bad} of {self.rows} rows cannot be read, more than ingest.max_bad_rows ({limit:.2%}). "
                f"First: {'; '.join(self.examples)}. Correct the reader's options, or raise the limit."
            )

    def keep(self, kept: pl.DataFrame) -> None:
        """Count kept records by their columns lang, names_author, noisy and author_id."""
        self.kept += kept.height
        self.languages.update(dict(kept.group_by("lang").len().iter_rows()))
        self.flags.update({"names_author": int(kept["names_author"].sum()), "noisy": int(kept["noisy"].sum())})
        begins = kept["author_id"].str.slice(0, 16).unique().str.to_integer(base=16, dtype=pl.UInt64)
        self.authors.append(begins.to_numpy())
        if sum(map(len, self.authors[1:])) > len(self.authors[0]):
            self.authors = [np.unique(np.concatenate(self.authors))]

    def counts(self, author_kind: str, files: int) -> dict[str, object]:
        """Return the counts of the stage and of the units, and under `facts` the report's facts on the source."""
        dropped = {reason: count for reason, count in sorted(self.dropped.items()) if count}
        lost = {name: loss[:2] for name, loss in sorted(self.losses.items()) if loss.is_large}
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
                **({"lost": lost} if lost else {}),
            },
        }


def expect_some(tag: str, counts: JsonMapping) -> None:
    """Verify, from an ingestion's counts, that a source has documents and each field has values.

    Raises:
        InputError: no row makes a document, or all values of a field are lost.
    """
    where, of_source = f"config/sources/{tag}.yaml", counts["sources"][tag]
    if of_source["in"] and not of_source["kept"]:
        gone = sorted(of_source["dropped"].items(), key=lambda item: -item[1])
        reasons = "; ".join(f"{number} {reason_in_words(reason)}" for reason, number in gone)
        raise InputError(f"{where}: none of {of_source['in']} records becomes a text: {reasons}.")
    lost = counts["facts"].get("lost", {}).items()
    if nothing := [f"fields.{name}: {loss}" for name, numbers in lost if (loss := Loss(*numbers)).is_all]:
        raise InputError(f"{where}: {'; '.join(nothing)}. Correct the expression, or leave the field out.")
