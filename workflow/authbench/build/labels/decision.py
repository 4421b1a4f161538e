"""Read the tables of author labels, and decide on labels by a rule shared by builds, audits, releases and pages."""

from pathlib import Path

import polars as pl

from authbench.release.format.findings import LabelRow
from authbench.release.reading.typed_csv import read_rows

CLEAN, IMPURE, UNMEASURED = "clean", "impure", "unmeasured"
# The labels of a shard: `label` is a hash of the first two columns; `words` and `thousandths` (of marks of other
# voices) cover the texts in which marks were counted.
LABELS = pl.Schema(
    {
        "source": pl.String,
        "author_id": pl.String,
        "label": pl.UInt64,
        "author_kind": pl.String,
        "texts": pl.Int64,
        "words": pl.Int64,
        "thousandths": pl.Int64,
    }
)
# Texts of sources whose estimator compares texts: the texts of a label with one place.
CELLS = pl.Schema(
    {
        "source": pl.String,
        "label": pl.UInt64,
        "item": pl.UInt64,
        "day": pl.Int32,
        "account": pl.UInt64,
        "texts": pl.Int64,
    }
)
# Texts with copies, and their number of letters.
COPIED = pl.Schema({"doc_key": pl.String, "source": pl.String, "author_id": pl.String, "letters": pl.Int64})
# The decision on each label: CLEAN, IMPURE or UNMEASURED.
AUTHORS = pl.Schema({"source": pl.String, "author_id": pl.String, "decision": pl.String})


BY_CONSTRUCTION = "clean by construction"
EXPLAINED = "Clean by construction: each label is one account; who shares an account is not measured."


def decide(low: float | None, high: float | None, limit: float | None) -> str:
    """Return the decision for an impurity interval: CLEAN, IMPURE, or UNMEASURED if it is missing or inconclusive.

    >>> decide(0.0, 0.1, 0.2), decide(0.3, 0.5, 0.2), decide(0.1, 0.5, 0.2), decide(None, None, 0.2)
    ('clean', 'impure', 'unmeasured', 'unmeasured')
    """
    if low is None or high is None or limit is None:
        return UNMEASURED
    return CLEAN if high <= limit else IMPURE if low > limit else UNMEASURED


def read_decisions(path: Path) -> list[LabelRow]:
    """Return the rows of a statistics/labels.csv; clean labels without an interval become unmeasured.

    Raises:
        InputError: the file is not in AuthBench's format.
    """
    rows = read_rows(path, LabelRow)
    for row in rows:
        if row["decision"] == CLEAN and (row["low"] is None or row["high"] is None):
            row["decision"] = UNMEASURED
    return rows


def in_words(decision: str | None, estimator: str | None, impurity: float | None) -> str:
    """Return a decision for readers.

    Labels of a single account each are clean by construction: sharing of accounts is not measured (`EXPLAINED`).

    >>> in_words("clean", "account", 0.0), in_words("clean", "same_item", 0.0), in_words(None, "stated", 0.1)
    ('clean by construction', 'clean', 'not judged')
    """
    if decision == CLEAN and estimator == "account" and impurity == 0:
        return BY_CONSTRUCTION
    return decision or "not judged"
