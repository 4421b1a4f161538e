"""Remove texts that repeat a unique field, such as a prompt or question (AuthBench paper, A.6).

Of the texts with a value, the first in corpus order is kept, with all chunks of its document; the others are removed.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import orjson
import polars as pl

from authbench.core.identity import value_digest
from authbench.core.records import FIELDS_BESIDE_LABELS

COLUMNS = ("doc_key", "source", "task", *FIELDS_BESIDE_LABELS, "labels")
REASON = "repeated_field"
_CHUNK = r"#chunk_\d+$"
_VALUES = pl.Schema(
    {"place": pl.Int64, "doc_key": pl.String, "row": pl.Int64} | dict.fromkeys(("source", "field", "value"), pl.String)
)
REPEATED = pl.Schema(
    {"row": pl.Int64, "doc_key": pl.String, "source": pl.String, "field": pl.String, "first": pl.String}
)


def values_of(texts: pl.DataFrame, unique: Mapping[str, Sequence[str]], order: Sequence[str]) -> pl.DataFrame:
    """Return the values that may occur only once, as hashes: a row for each value of a text.

    Values that differ only in case, width of letters or white space are equal.

    Args:
        texts: with COLUMNS and `row`, the number of each.
        unique: by task type the names of fields (FIELDS_BESIDE_LABELS) and labels.
        order: the sources in corpus order.

    Returns:
        `place` (of the source), `doc_key`, `row`, `source`, `field`, `value`.
    """
    places = {source: place for place, source in enumerate(order)}
    rows = []
    concerned = texts.filter(pl.col("task").is_in(list(unique)))
    for text in concerned.select("row", *COLUMNS).iter_rows(named=True):
        labels = orjson.loads(text["labels"])
        for field in unique[text["task"]]:
            value = value_digest(field, text[field] if field in FIELDS_BESIDE_LABELS else labels.get(field))
            if value is not None:
                source = text["source"]
                rows.append((places[source], text["doc_key"], text["row"], source, field, value))
    return pl.DataFrame(rows, schema=_VALUES, orient="row")


def repeated_fields(values: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the texts (REPEATED) that repeat a field's value of an earlier document, and the first text with it.

    A removed text does not count: a text that shares another field only with it is kept. Memory: about 500 bytes for
    each value.

    Args:
        values: from `values_of`, of the texts that are not copies.
    """
    every = pl.concat([pl.DataFrame(schema=_VALUES), *values]).sort("place", "doc_key", maintain_order=True)
    every = every.with_columns(document=pl.col("doc_key").str.replace(_CHUNK, ""))
    holders: dict[str, tuple[str, str]] = {}
    rows = []
    for key, text in groupby(every.iter_rows(named=True), key=lambda one: one["doc_key"]):
        held = list(text)
        document = held[0]["document"]
        taken = (one for one in held if holders.get(one["value"], (document, key))[0] != document)
        if other := next(taken, None):
            rows.append((other["row"], key, other["source"], other["field"], holders[other["value"]][1]))
            continue
        for one in held:
            holders.setdefault(one["value"], (document, key))
    return pl.DataFrame(rows, schema=REPEATED, orient="row")
