"""Fields that no two texts may share: prompts or questions (AuthBench paper, A.6).

Of the texts that have a value the first in corpus order stays, with all chunks of its document; the others go.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson
import polars as pl

from authbench.identity import digest, fold_space

COLUMNS = ("doc_key", "source", "task", "topic", "item", "labels")
OWN = ("topic", "item")  # columns that may be named; other names are those of labels
REASON = "repeated_field"
_CHUNK = r"#chunk_\d+$"
_VALUES = pl.Schema(
    {
        "place": pl.Int64,
        "doc_key": pl.String,
        "row": pl.Int64,
        "source": pl.String,
        "field": pl.String,
        "value": pl.String,
    }
)
REPEATED = pl.Schema(
    {"row": pl.Int64, "doc_key": pl.String, "source": pl.String, "field": pl.String, "first": pl.String}
)


def values_of(texts: pl.DataFrame, unique: Mapping[str, Sequence[str]], order: Sequence[str]) -> pl.DataFrame:
    """Return the values of texts that may occur once, as hashes: a row for each that a text has.

    Values that differ in case, width of letters or white space alone are one.

    Args:
        texts: with COLUMNS and `row`, the number of each.
        unique: by task type the names of fields (OWN) and labels.
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
            folded = _folded(text[field] if field in OWN else labels.get(field))
            if folded:
                source = text["source"]
                rows.append((places[source], text["doc_key"], text["row"], source, field, digest(field, folded)))
    return pl.DataFrame(rows, schema=_VALUES, orient="row")


def repeated_fields(values: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the texts (REPEATED) of which a document before has a field's value, and the first text that has it.

    A text that goes holds no value: what shares another field with it alone stays. Memory: about 500 bytes for each
    value.

    Args:
        values: as `values_of` returns them, of the texts that are no copies.
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


def _folded(value: Any) -> str:
    return "" if value is None else fold_space(unicodedata.normalize("NFKC", str(value)).casefold())
