"""Count a shard's texts by label and by the evidence on whether a label is a single person."""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from authbench.build.labels.decision import CELLS, COPIED, LABELS
from authbench.core.identity import keyed_hashes

COLUMNS = ("doc_key", "source", "author_id", "author_kind", "date", "item", "account", "voice_marks", "content")
LABEL = ("source", "author_id")
PLACES = {"same_item": ("item", "day"), "account": ("account",)}  # columns by which an estimator compares texts
FULL_DATE = r"^\d{4}-\d\d-\d\d$"


def count_texts(
    batches: Iterable[pl.DataFrame], removed: pl.DataFrame, estimators: Mapping[str, str | None]
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return a shard's label statistics: (LABELS, CELLS, COPIED).

    Memory: a batch, the keys of the shard's copies, about 150 bytes per label of the shard, and 50 per text of a source
    whose estimator compares texts.

    Args:
        batches: records with COLUMNS.
        removed: the copies (`doc_key`, `stand_in`) removed by de-duplication, which are not counted.
        estimators: each source's estimator name, by tag.
    """
    copies = pl.concat([removed["doc_key"], removed["stand_in"]]).unique().implode()
    compared = {tag: PLACES[name] for tag, name in estimators.items() if name in PLACES}
    labels, cells, copied = LABELS.to_frame(), [CELLS.to_frame()], [COPIED.to_frame()]
    for batch in batches:
        texts = batch.filter(pl.col("doc_key").is_in(copies))
        copied.append(_select(texts.with_columns(letters=pl.col("content").str.count_matches(r"\p{L}")), COPIED))
        kept = batch.join(removed.select("doc_key"), on="doc_key", how="anti", maintain_order="left")
        kept = _with_label(kept).with_columns(texts=pl.lit(1, pl.Int64))
        labels = add_labels([labels, _labels(kept)])
        cells += [_cells(kept.filter(pl.col("source") == tag), places) for tag, places in compared.items()]
    return labels, add_cells(cells), pl.concat(copied).sort("doc_key")


def _with_label(texts: pl.DataFrame) -> pl.DataFrame:
    names = texts.select(LABEL).unique()
    hashes = keyed_hashes(0, "label", names.select(pl.concat_str(LABEL, separator="\x1f")).to_series())
    return texts.join(names.with_columns(label=hashes), on=LABEL, maintain_order="left")


def add_labels(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the sum of several parts' labels (LABELS), sorted."""
    together = pl.concat(parts).group_by(*LABEL, "label")
    return together.agg(
        pl.col("author_kind").min(), pl.col("texts", "words", "thousandths").sum()
    ).sort(LABEL)  # fmt: skip


def add_cells(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the sum of several parts' cells (CELLS), sorted."""
    cell = [name for name in CELLS if name != "texts"]
    return pl.concat(parts).group_by(cell).agg(pl.col("texts").sum()).sort(cell)


def _labels(texts: pl.DataFrame) -> pl.DataFrame:
    heard = pl.col("voice_marks").is_not_null()
    words = pl.when(heard).then(pl.col("content").str.count_matches(r"\S+")).otherwise(0).cast(pl.Int64)
    counted = texts.with_columns(words=words).with_columns(
        thousandths=(pl.col("voice_marks").fill_null(0) * pl.col("words")).round().cast(pl.Int64)
    )
    return add_labels([_select(counted, LABELS)])


def _cells(texts: pl.DataFrame, places: tuple[str, ...]) -> pl.DataFrame:
    """Return the texts without missing places, by label and place."""
    day = pl.col("date").str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32)
    placed = texts.with_columns(
        _hashed(texts["item"]),
        _hashed(texts["account"]),
        day=pl.when(pl.col("date").str.contains(FULL_DATE)).then(day),
    )
    absent = [pl.lit(None, CELLS[name]).alias(name) for name in ("item", "day", "account") if name not in places]
    return add_cells([_select(placed.drop_nulls(places).with_columns(absent), CELLS)])


def _hashed(values: pl.Series) -> pl.Series:
    """Return a 64-bit hash of each value, null for null."""
    known = values.drop_nulls().unique()
    return values.replace_strict(known, keyed_hashes(0, values.name, known), default=None, return_dtype=pl.UInt64)


def _select(rows: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    return rows.select(schema.names()).cast(schema)
