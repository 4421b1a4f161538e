"""Write the tables of a release: the JSON lines of each split, and the provenance."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import orjson
import polars as pl

from authbench.build.ingest.persons import canonical_name, keys_of
from authbench.build.release.contents import Contents
from authbench.config.registry.source_entry import FULL, Description
from authbench.core.author_labels import folded
from authbench.core.identity import author_id, value_digest
from authbench.core.json_values import JsonObject
from authbench.core.records import FIELDS_BESIDE_LABELS, LANGUAGES
from authbench.core.storage.json_lines import write_json_lines
from authbench.core.storage.parquet import write_plain_parquet
from authbench.release.format import columns

_TEXTS_AT_ONCE = 10_000
_IsAuthor: TypeAlias = Callable[[str, str, str], bool]  # of a source, an author id, and words


def write_split(folder: Path, contents: Contents, split: str) -> None:
    """Write candidates, queries, ground truth, relations and pairs of a split into `folder` (plan, section 15).

    `ignored_ids` are written if any query of the release has ignored texts.
    """
    truth = contents.queries.filter(pl.col("split") == split)
    here, is_query = pl.col("split") == split, pl.col("id").is_in(truth["query_id"].implode())
    candidates = here if contents.queries_in_candidates else here & ~is_query
    ignoring = contents.queries["ignored_ids"].list.len().sum() > 0
    _write(folder, columns.CANDIDATES, _chosen(contents.documents, candidates, columns.CANDIDATES))
    _write(folder, columns.QUERIES, _chosen(contents.documents, here & is_query, columns.QUERIES))
    _write(folder, columns.GROUND_TRUTH, [truth if ignoring else truth.drop(columns.GROUND_TRUTH.optional)])
    for table, rows in ((columns.POSITIVES, contents.positives), (columns.PAIRS, contents.pairs)):
        write_plain_parquet(of_split(rows, split).select(table.names), folder / table.file)


def of_split(rows: pl.DataFrame, split: str) -> pl.DataFrame:
    """Return the rows of a split, which are contiguous, without copying them."""
    here = rows["split"] == split
    return rows.slice(here.arg_max() or 0, int(here.sum()))


def _chosen(documents: pl.DataFrame, chosen: pl.Expr, table: columns.Table) -> Iterator[pl.DataFrame]:
    """Yield the chosen documents, in parts: a copy of all would hold the texts twice."""
    for part in documents.with_columns(chosen.alias("chosen")).iter_slices(_TEXTS_AT_ONCE):
        yield part.filter("chosen").rename({"id": table.ident})


def _write(folder: Path, table: columns.Table, parts: Iterable[pl.DataFrame]) -> None:
    def rows(part: pl.DataFrame) -> Iterator[JsonObject]:
        names = [name for name in table.names if name in table.required or name in part.columns]
        return part.select(names).iter_rows(named=True)

    write_json_lines(folder / table.file, chain.from_iterable(map(rows, parts)))


def make_provenance(
    documents: pl.DataFrame,
    measures: pl.DataFrame | None,
    sources: Mapping[str, Description],
    labels: Sequence[str] = (),
    unique: Mapping[str, Sequence[str]] = MappingProxyType({}),
    key: bytes | None = None,
) -> pl.DataFrame:
    """Return the origin and measurements of every document, sorted by id, without names and texts.

    Left out are dates not in their column's form, and topics and groups of authors that are not labels or equal the
    author's.

    Args:
        documents: as in `Contents`.
        measures: doc_key and measurements, which follow the columns of PROVENANCE; None: none.
        sources: by tag.
        labels: names of labels (`fields.labels` of the entries) that are published, in the column LABELS.
        unique: by task type the fields of which no two documents share a value (`dedup.unique`); digests of the values
            go into the column UNIQUE_VALUES.
        key: of the pseudonyms, if the build has one.
    """
    terms = pl.DataFrame(
        [(tag, source.license.name, source.license.tier) for tag, source in sorted(sources.items())],
        schema={"source": pl.String, "licence": pl.String, "tier": pl.String},
        orient="row",
    )
    languages = sorted({*LANGUAGES, *documents["lang"].unique()})
    is_author = partial(_is_author, sources, languages, key)
    table = _without_names(documents.drop("content"), is_author).join(
        terms, on="source", how="left", maintain_order="left"
    )
    if measures is not None:
        table = table.join(measures, on="doc_key", how="left", maintain_order="left")
    published = [_published_labels(table, is_author, labels)] if labels else []
    if unique:
        published.append(_unique_values(documents, is_author, unique))
    table = table.drop(columns.LABELS.name).with_columns(published)
    return table.select(name for name in columns.PROVENANCE.names if name in table.columns).rechunk()


def _published_labels(documents: pl.DataFrame, is_author: _IsAuthor, wanted: Sequence[str]) -> pl.Series:
    """Return the requested labels of each text as a JSON object; null if none can be published."""
    form = re.compile(columns.LABELS.pattern or "")

    @cache
    def publishable(source: str, author: str, stated: str) -> str | None:
        known = {name: str(value) for name, value in orjson.loads(stated).items() if name in wanted}
        found = {}
        for name, value in sorted(known.items()):
            if form.fullmatch(_as_json({name: value})) and not is_author(source, author, value):
                found[name] = value
        return _as_json(found) if found else None

    rows = documents.select("source", "author_id", columns.LABELS.name).iter_rows()
    return pl.Series(columns.LABELS.name, [publishable(*row) for row in rows], dtype=pl.String)


def _unique_values(documents: pl.DataFrame, is_author: _IsAuthor, unique: Mapping[str, Sequence[str]]) -> pl.Series:
    """Return the digests of the values that must be unique, except an author's name."""

    @cache
    def publishable(source: str, author: str, field: str, value: str) -> str | None:
        return None if is_author(source, author, value) else value_digest(field, value)

    found: list[str | None] = []
    for row in documents.select("source", "author_id", "task", columns.LABELS.name, *FIELDS_BESIDE_LABELS).iter_rows(
        named=True
    ):
        stated = orjson.loads(row[columns.LABELS.name] or "{}")
        digests = {}
        for field in unique.get(row["task"], ()):
            value = row[field] if field in FIELDS_BESIDE_LABELS else stated.get(field)
            if value is not None and (digest := publishable(row["source"], row["author_id"], field, str(value))):
                digests[field] = digest
        found.append(_as_json(digests) if digests else None)
    return pl.Series(columns.UNIQUE_VALUES.name, found, dtype=pl.String)


def _as_json(value: Mapping[str, str]) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _without_names(documents: pl.DataFrame, is_author: _IsAuthor) -> pl.DataFrame:
    """Return the documents with null for dates, topics and groups of authors that cannot be published."""
    forms = {column.name: re.compile(column.pattern or "") for column in columns.PROVENANCE.columns}
    for name in ("topic", "author_group"):
        named = documents.select("source", "author_id", name).unique().drop_nulls().rows()
        kept = [row for row in named if forms[name].fullmatch(row[2]) and not is_author(*row)]
        fitting = pl.DataFrame(kept, schema=dict.fromkeys(("source", "author_id", name), pl.String), orient="row")
        documents = (
            documents.join(fitting.with_columns(fits=True), on=fitting.columns, how="left", maintain_order="left")
            .with_columns(pl.when("fits").then(name).alias(name))
            .drop("fits")
        )
    dates = [date for date in documents["date"].drop_nulls().unique() if forms["date"].fullmatch(date)]
    return documents.with_columns(pl.when(pl.col("date").is_in(dates)).then("date").alias("date"))


def _is_author(
    sources: Mapping[str, Description], languages: Iterable[str], key: bytes | None, tag: str, author: str, words: str
) -> bool:
    known = sources[tag].author if tag in sources else None
    if known is not None and known.names == FULL:
        names = ((canonical_name(folded(words), lang), lang) for lang in languages)
        return author in {keys_of(name, lang, key).author_id for name, lang in names if name is not None}
    return author_id((known and known.space) or tag, folded(words), key) == author
