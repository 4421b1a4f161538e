"""Define the columns of the tables between stages.

A row per document, from ingestion to release (AuthBench paper, A.1). Every table between two stages is a Parquet file
with such a schema; tables are joined on `doc_key`.
"""

import re
from collections.abc import Iterable
from itertools import islice

import polars as pl

LANGUAGES = ("en", "zh", "hi", "es", "fr", "ar", "ru", "de", "ja", "ko")
OTHER = "other"
AUTHOR_KINDS = ("person", "account", "outlet", "masked", "work")
PRIMARY_GENRES = (
    "social_media",
    "news",
    "ecommerce_reviews",
    "blog",
    "research_paper",
    "media_reviews",
    "literature",
    "poetry",
    "qna",
)
GENRE = re.compile(r"[a-z_]+(/[a-z0-9_]+)?")
LENGTH_BUCKETS = ("short", "medium", "long", "extra_long")

# A record of a source. `file` is the SHA-256 of the raw file (a file name may contain the author's name), `ordinal` the
# record's place in that file, `names_author` whether the author's name occurs in the text.
#
# Further columns on the author are null if the source's entry does not define them. `person_key`, `near_key`,
# `given_keys` and `life_key` are hashes of a personal name (build.ingest.persons). `label_kind` says whether labels
# are whole names (`full`) or names that several people may have (`ambiguous`). `item` is a hash of the reviewed item,
# `account` of the account behind a label; `author_group` is a sub-genre that describes the author, in plain words.
# `voice_marks` are marks of other voices in the raw text, per 1,000 words.
_RECORD: dict[str, pl.DataType | type[pl.DataType]] = {
    "doc_key": pl.String,
    "origin_id": pl.String,
    "author_id": pl.String,
    "author_kind": pl.String,
    "lang": pl.String,
    "genre": pl.String,
    "source": pl.String,
    "task": pl.String,
    "topic": pl.String,
    "date": pl.String,
    "n_authors": pl.Int32,
    "labels": pl.String,
    "content": pl.String,
    "names_author": pl.Boolean,
    "file": pl.String,
    "ordinal": pl.Int64,
    "person_key": pl.String,
    "near_key": pl.String,
    "given_keys": pl.List(pl.String),
    "life_key": pl.String,
    "label_kind": pl.String,
    "item": pl.String,
    "account": pl.String,
    "author_group": pl.String,
    "voice_marks": pl.Float64,
}
RECORD = pl.Schema(_RECORD)
INGESTED = pl.Schema({**_RECORD, "shard": pl.Int32})  # numbered from 1

# A document after chunking: an uncut text (chunk 0 of 1, `chunk_start` null) or a span of characters of the normalised
# text.
DOCUMENT = pl.Schema(
    [
        *RECORD.items(),
        ("chunk_start", pl.Int64),
        ("chunk_end", pl.Int64),
        ("token_length", pl.Int32),
        ("char_length", pl.Int32),
        ("length_bucket", pl.String),
    ]
)

FIELDS_BESIDE_LABELS = ("topic", "item")  # columns allowed in `dedup.unique`, besides labels

# Measurements of a text (filter.measure), without placeholders, addresses and emoji codes: the type and meaning of each
# column. Of two forms, `_paper` and `_ws` are the paper's, which counts runs between white space as words. A share with
# denominator 0 is null; a count never is.
MEASUREMENTS: dict[str, tuple[pl.DataType | type[pl.DataType], str]] = {
    "visible": (pl.Int32, "characters that are not white space"),
    "collapsed": (pl.Int32, "the same, with at most three of a run of one character"),
    "all_letters": (pl.Int32, "letters"),
    "symbols": (pl.Float64, "share of `collapsed` other than letters, marks and digits"),
    "alphabetic": (pl.Float64, "share of `collapsed` that is a letter or a mark"),
    "symbols_paper": (pl.Float64, "share of `visible` other than letters and digits"),
    "symbols_spaced_paper": (pl.Float64, "share of all characters other than letters and digits"),
    "alphabetic_paper": (pl.Float64, "share of `visible` that is a letter"),
    "longest_run": (pl.Int32, "longest run of one character"),
    "long_run_share": (pl.Float64, "share of `visible` in runs of one character beyond 20"),
    "symbol_run": (pl.Int32, "longest run of symbols"),
    "symbol_run_paper": (pl.Int32, "longest run of symbols and marks"),
    "letters": (pl.Int32, "letters of a definite script"),
    "script": (pl.Float64, "share of `letters` in a script of the language"),
    "quoted_share": (pl.Float64, "share of `visible` in quotation marks or quoted lines"),
    "words": (pl.Int32, "words of UAX #29"),
    "unique_words": (pl.Float64, "distinct over all words, the median over windows of 200"),
    "dominant_word": (pl.Float64, "share of the commonest word"),
    "alphabetic_words": (pl.Float64, "share of words with a letter"),
    "single_letter_words": (pl.Float64, "share of words of one letter"),
    "single_letter_run": (pl.Int32, "longest run of words of one letter"),
    "tokens_ws": (pl.Int32, "words between white space"),
    "unique_tokens_ws": (pl.Float64, "distinct over all of them"),
    "alphabetic_tokens_ws": (pl.Float64, "share of them with a letter"),
    "single_letter_tokens_ws": (pl.Float64, "share of them of one letter"),
    "single_letter_token_run_ws": (pl.Int32, "longest run of them of one letter"),
    "langid": (pl.String, "the language that langid takes the text for; null where it was not asked"),
    "langid_probability": (pl.Float64, "its probability"),
}

# The number of letters from which the scripts of a text, and its language, are identified; the share that makes a
# script the main one.
MIN_SCRIPT_LETTERS = 8
MIN_LANGUAGE_LETTERS = 60
MOSTLY = 0.5

# Why a document (or a raw row, then `doc_key` is null) was dropped. A document dropped for several reasons has several
# rows, the first reason first. `detail` is the place (file and position) or the key of the kept representative.
REMOVED = pl.Schema(
    dict.fromkeys(("source", "doc_key", "stage", "reason"), pl.String)
    | dict.fromkeys(("value", "threshold"), pl.Float64)
    | {"detail": pl.String}
)


_ROWS_AT_ONCE = 2_000


def as_removed(
    documents: pl.DataFrame,
    stage: str,
    reason: str | pl.Expr,
    detail: str | pl.Expr | None = None,
    value: str | None = None,
    threshold: float | None = None,
) -> pl.DataFrame:
    """Return REMOVED rows of documents (`source`, `doc_key`); strings but `stage` are columns."""
    facts = {"reason": reason, "value": value, "threshold": pl.lit(threshold), "detail": detail}
    return documents.select("source", "doc_key", stage=pl.lit(stage), **facts).cast(REMOVED)


def is_language_code(label: str | None) -> bool:
    """Return whether a label has the form of an ISO 639 code: two or three lower-case letters.

    >>> is_language_code("pt"), is_language_code("pt-BR")
    (True, False)
    """
    return label is not None and re.fullmatch("[a-z]{2,3}", label) is not None


def primary_genre(genre: str) -> str:
    """Return the part of a genre before the slash: `blog` of `blog/arts`."""
    return genre.partition("/")[0]


def empty(schema: pl.Schema) -> pl.DataFrame:
    return pl.DataFrame(schema=schema)


def table_of(rows: Iterable[tuple[object, ...]], schema: pl.Schema) -> pl.DataFrame:
    """Return rows as a table, with objects for only a batch at a time."""
    waiting, parts = iter(rows), [empty(schema)]
    while part := list(islice(waiting, _ROWS_AT_ONCE)):
        parts.append(pl.DataFrame(part, schema=schema, orient="row"))
    return pl.concat(parts)


def length_bucket_expr(tokens: str | pl.Expr) -> pl.Expr:
    """Return the length class of a token count: 1-10, 11-100, 101-500, more (processing plan, section 8)."""
    tokens = pl.col(tokens) if isinstance(tokens, str) else tokens
    ends = zip(LENGTH_BUCKETS, (10, 100, 500, 2**31 - 1), strict=True)
    return pl.coalesce(pl.when(tokens <= end).then(pl.lit(name)) for name, end in ends)
