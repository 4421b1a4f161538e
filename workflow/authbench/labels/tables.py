"""Define the columns of the tables on labels."""

import polars as pl

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
