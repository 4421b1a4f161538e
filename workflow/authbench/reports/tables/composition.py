"""Make the tables of a release's content: documents and authors by language, length, source, genre and split."""

from collections.abc import Sequence

import polars as pl

from authbench.build.release.statistics import documents_per_author, token_lengths
from authbench.config.languages import ALL, language_name
from authbench.core.presentation.numbers import NOTHING, decimals
from authbench.core.presentation.tables import Cell, Column, Row, Table
from authbench.core.records import LENGTH_BUCKETS
from authbench.core.words import count, spaced
from authbench.reports.tables.documents import Contents

_POINTS = ("p10", "p25", "p50", "p75", "p90")
_COUNTS = (
    pl.len().cast(pl.Int64).alias("documents"),
    pl.col("author_id").n_unique().cast(pl.Int64).alias("authors"),
)
_LANGUAGES = pl.col("lang").n_unique().cast(pl.Int64).alias("languages")
_FINE_GENRES = pl.col("genre").n_unique().cast(pl.Int64).alias("fine_genres")


def composition_tables(contents: Contents) -> list[Table]:
    documents = contents.documents
    return [
        _statistics(documents),
        _counted("composition", "source", documents, "source", (_LANGUAGES, _FINE_GENRES)),
        _counted("genres", "primary genre", documents, "primary", (_FINE_GENRES, _LANGUAGES)),
        _counted("fine_genres", "fine-grained genre", documents, "genre", (_LANGUAGES,)),
        _by_split(documents, contents.splits),
        _lengths(documents),
        _per_author(documents),
    ]


def _statistics(documents: pl.DataFrame) -> Table:
    total, authors = documents.height, documents["author_id"].n_unique()
    facts = [
        ("Total", total, 1.0 if total else None),
        ("Languages", documents["lang"].n_unique(), None),
        ("Sources", documents["source"].n_unique(), None),
        ("Authors", authors, None),
        ("Mean documents per author", total / authors if authors else None, None),
        ("Genres (primary)", documents["primary"].n_unique(), None),
        ("Genres (fine-grained)", documents["genre"].n_unique(), None),
    ]
    rows = [("Overall", name, value, share) for name, value, share in facts]
    for heading, column in (("By language", "lang"), ("By length", "length_bucket")):
        for label, number in _ranked(documents, column):
            name = f"{language_name(label)} ({label})" if column == "lang" else spaced(label).capitalize()
            rows.append((heading, name, number, number / total))
    data = pl.DataFrame(
        rows,
        schema={"part": pl.String, "category": pl.String, "documents": pl.Float64, "share": pl.Float64},
        orient="row",
    )
    cells = [Row([Cell(name), _number(value), _share(share)], part) for part, name, value, share in data.iter_rows()]
    columns = [Column("category", words=True), Column("documents"), Column("share")]
    return Table("statistics", "Documents by language and length", columns, cells, data)


def _ranked(documents: pl.DataFrame, column: str) -> list[tuple[str, int]]:
    """Return labels with their documents: lengths in their order, other labels by number."""
    counted = documents.group_by(column).len().sort(-pl.col("len").cast(pl.Int64), column).rows()
    if column != "length_bucket":
        return counted
    known = dict(counted)
    return [(name, known[name]) for name in [*LENGTH_BUCKETS, *sorted(set(known) - {*LENGTH_BUCKETS})] if name in known]


def _counted(name: str, by: str, documents: pl.DataFrame, column: str, extra: Sequence[pl.Expr]) -> Table:
    """Return documents, their share, authors and mean documents per author for each label of a column, most first."""
    found = (
        documents.group_by(column)
        .agg(*_COUNTS, *extra)
        .with_columns(
            share=pl.col("documents") / max(documents.height, 1), per_author=pl.col("documents") / pl.col("authors")
        )
        .sort(-pl.col("documents"), column)
    )
    further = [one for one in found.columns if one not in (column, "documents", "share", "authors", "per_author")]
    data = found.select(column, "documents", "share", "authors", "per_author", *further)
    heading = "primary genre" if column == "primary" else column
    columns = [Column(heading, words=True), Column("documents"), Column("share"), Column("authors")]
    columns += [Column("documents per author"), *(Column(spaced(one)) for one in further)]
    rows = [
        Row([Cell(label), _number(number), _share(share), _number(authors), _number(mean), *map(_number, others)])
        for label, number, share, authors, mean, *others in data.iter_rows()
    ]
    return Table(name, f"Documents and authors by {by}", columns, rows, data)


def _by_split(documents: pl.DataFrame, splits: pl.DataFrame) -> Table:
    counted = documents.group_by("split").agg(*_COUNTS)
    data = (
        splits.join(counted, on="split", how="left", maintain_order="left")
        .with_columns(pl.col("documents", "authors").fill_null(0))
        .with_columns(share=pl.col("documents") / max(documents.height, 1))
        .select("split", "documents", "share", "authors", "queries", "candidates", "positives")
    )
    columns = [Column(name, words=name == "split") for name in data.columns]
    rows = [
        Row([Cell(split), _number(number), _share(share), *map(_number, others)])
        for split, number, share, *others in data.iter_rows()
    ]
    note = "Positives are pairs of a query and a candidate that answers it."
    return Table("splits", "Documents, authors, queries and candidates by split", columns, rows, data, [note])


def _lengths(documents: pl.DataFrame) -> Table:
    parts = {"By language": "lang", "By primary genre": "primary"}
    tables = [
        quantiles(documents, column).select(pl.lit(name).alias("part"), pl.all()) for name, column in parts.items()
    ]
    data = pl.concat(tables).rename({"language": "label"})
    columns = [Column("documents of", words=True), Column("documents"), *(Column(point) for point in _POINTS)]
    rows = [
        Row([Cell(_label(part, label)), *map(_number, numbers)], part) for part, label, *numbers in data.iter_rows()
    ]
    note = "Tokens of cl100k_base; p50 is the median."
    return Table("token_lengths", "Tokens a document, by language and genre", columns, rows, data, [note])


def quantiles(documents: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return documents and quantiles of `token_length` for each label (`language`) of a column, `all` last."""
    return token_lengths(documents.with_columns(lang=pl.col(column)))


def _label(part: str, label: str) -> str:
    if label == ALL:
        return "all"
    return language_name(label) if part == "By language" else spaced(label)


def _per_author(documents: pl.DataFrame) -> Table:
    counted = documents_per_author(documents).filter(pl.col("language") == ALL)
    data = counted.select("documents", "authors").with_columns(
        share=pl.col("authors") / max(counted["authors"].sum(), 1)
    )
    columns = [Column("documents"), Column("authors"), Column("share")]
    rows = [Row([_number(number), _number(authors), _share(share)]) for number, authors, share in data.iter_rows()]
    return Table("documents_per_author", "How many documents an author has", columns, rows, data)


def _number(value: float | None) -> Cell:
    if value is None:
        return Cell(NOTHING)
    whole = float(value).is_integer()
    return Cell(count(int(value)) if whole else decimals(value, 2), float(value))


def _share(value: float | None) -> Cell:
    return Cell("" if value is None else f"{100 * value:.1f}%", value)
