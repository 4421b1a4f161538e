"""Declare the tables of a published release: the name, type, form and meaning of each column."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from authbench.core.records import AUTHOR_KINDS, LENGTH_BUCKETS, MEASUREMENTS

IDS = pl.List(pl.String)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    `pattern` is a regular expression that matches every value in full; `required`: no value is null; `setting` names
    the setting without which the table lacks the column; `later`: tables of earlier versions lack it.
    """

    name: str
    dtype: Any
    meaning: str
    pattern: str | None = None
    required: bool = True
    setting: str | None = None
    later: bool = False


@dataclass(frozen=True)
class Table:
    """A table of a release; in a JSON lines table, the first column identifies the row."""

    name: str
    columns: tuple[Column, ...]
    suffix: str = ".jsonl"

    @property
    def file(self) -> str:
        return f"{self.name}{self.suffix}"

    @property
    def ident(self) -> str:
        return self.columns[0].name

    @cached_property
    def schema(self) -> pl.Schema:
        return pl.Schema({column.name: column.dtype for column in self.columns})

    @cached_property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)

    @cached_property
    def optional(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if not column.required)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


DOCUMENT_ID = r"doc_[0-9]{6,}"
SHA256 = "[0-9a-f]{64}"
SLUG = "[a-z][a-z0-9_]*"
SPLIT = "[A-Za-z0-9][A-Za-z0-9_-]*"
QUERY_ID = Column("query_id", pl.String, "the number of the document that is the query", DOCUMENT_ID)
AUTHOR_ID = Column(
    "author_id",
    pl.String,
    "64 hexadecimal digits, a pseudonym: SHA-256 of `space:label`, or HMAC-SHA256 with a key",
    SHA256,
)
LANG = Column(
    "lang", pl.String, "`en zh hi es fr ar ru de ja ko`, another code of ISO 639, or `other`", "[a-z]{2,3}|other"
)
GENRE = Column(
    "genre",
    pl.String,
    "`social_media`, `news`, `ecommerce_reviews`, `blog`, `research_paper`, `media_reviews`, `literature`, `poetry`, "
    "`qna`, or one of its own; may have a sub-genre: `blog/arts`",
    r"[^\sA-Z/]+(/[^\sA-Z/]+)?",
)
CONTENT = Column("content", pl.String, "the text: NFC, no control characters, no white space at its ends")
SOURCE = Column("source", pl.String, "the tag of the source")
TOKEN_LENGTH = Column("token_length", pl.Int32, "tokens of `cl100k_base`")
TEXT = (LANG, GENRE, CONTENT, SOURCE, TOKEN_LENGTH)
TEXT_FIELDS = tuple(column.name for column in TEXT)

CANDIDATES = Table(
    "candidates",
    (
        Column(
            "candidate_id",
            pl.String,
            "`doc_` and six digits or more, in the order of a keyed hash; unique over all splits",
            DOCUMENT_ID,
        ),
        AUTHOR_ID,
        *TEXT,
    ),
)
QUERIES = Table("queries", (QUERY_ID, *TEXT))
GROUND_TRUTH = Table(
    "ground_truth",
    (
        QUERY_ID,
        Column("positive_ids", IDS, "candidates by the query's author in its split that answer it, sorted"),
        AUTHOR_ID,
        Column(
            "ignored_ids",
            IDS,
            "candidates that count neither as answer nor as error; the field is there if any query has some",
            required=False,
        ),
    ),
)
SPLIT_TABLES = {table.name: table for table in (CANDIDATES, QUERIES, GROUND_TRUTH)}

# Tables that a release adds to its splits, as Parquet; a release from elsewhere may lack them.
CANDIDATE_ID = Column("candidate_id", pl.String, "the number of a candidate", DOCUMENT_ID)
POSITIVES = Table(
    "positives",
    (
        QUERY_ID,
        CANDIDATE_ID,
        Column("same_document", pl.Boolean, "whether both were cut from one raw record"),
        Column("same_work", pl.Boolean, "whether both are from one work; then so are texts of one raw record"),
        Column("adjacent", pl.Boolean, "whether one follows the other in their raw record or work"),
        Column("days", pl.Int32, "days between them; null where a day is unknown", required=False),
        Column(
            "topic_similarity",
            pl.Float32,
            "topic similarity (`release.topic`); null where a text has no content word",
            required=False,
        ),
        Column("length_ratio", pl.Float32, "tokens of the longer over the shorter's, at least 1"),
        Column(
            "years",
            pl.Int32,
            "years between them where `days` is null and both years are known; releases of earlier versions lack the "
            "column",
            required=False,
            later=True,
        ),
    ),
    ".parquet",
)
POOLS = ("matched", "topic_matched", "topic_adversarial", "time_matched", "topic_time")
PAIRS = Table(
    "pairs",
    (
        Column("pool", pl.String, "one of " + ", ".join(f"`{pool}`" for pool in POOLS), "|".join(POOLS)),
        Column("group", pl.Int32, "number of a positive with its negatives, unique in the file"),
        QUERY_ID,
        CANDIDATE_ID,
        Column("same", pl.Boolean, "whether both are by one author: the one positive of the group"),
    ),
    ".parquet",
)
PAIR_TABLES = {table.name: table for table in (POSITIVES, PAIRS)}

# Every text value matches its pattern, which excludes names and paths where a label or a digest is expected. `topic`
# and `licence` are words of the corpus: a short line that begins no path and contains no address. A topic may not
# contain a label whose digest is a pseudonym; a licence must equal the manifest's.
WORDS = r"(?![/~.]|[A-Za-z]:/)[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff@\\]{1,120}"
_LABEL = (
    r'"[a-z][a-z0-9_]{0,40}":"(?![/~.]|[A-Za-z]:/)[^"\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff@\\]{1,120}"'
)
_DIGEST = r'"[a-z][a-z0-9_]{0,40}":"[0-9a-f]{32}"'
LABELS = Column(
    "labels",
    pl.String,
    "labels of the text, a JSON object; the column is there if `release.labels` names some",
    rf"\{{{_LABEL}(,{_LABEL})*\}}",
    required=False,
    setting="release.labels",
)
UNIQUE_VALUES = Column(
    "unique_values",
    pl.String,
    "a JSON object: 32 hexadecimal digits of SHA-256 of each field's value that no other document may have, none of an "
    "author's own name; the column is there if `dedup.unique` names fields",
    rf"\{{{_DIGEST}(,{_DIGEST})*\}}",
    required=False,
    setting="dedup.unique",
)
PROVENANCE = Table(
    "provenance",
    (
        Column("id", pl.String, "the document's number", DOCUMENT_ID),
        Column("split", pl.String, "the split that the document is in", SPLIT),
        SOURCE,
        LANG,
        GENRE,
        AUTHOR_ID,
        Column("author_kind", pl.String, "`person`, `account`, `outlet`, `masked`, `work`", "|".join(AUTHOR_KINDS)),
        Column("origin", pl.String, "hash of the work or raw document the text was cut from", "[0-9a-f]{32}"),
        Column("topic", pl.String, "the topic, where the corpus has one", WORDS, required=False),
        Column(
            "date",
            pl.String,
            "the date, where the corpus has one: `2020`, `2020-05` or `2020-05-17`",
            "[0-9]{4}(-[01][0-9](-[0-3][0-9])?)?",
            required=False,
        ),
        Column("task", pl.String, "the task that the corpus was made for", SLUG),
        Column("n_authors", pl.Int32, "number of authors, where the corpus tells it", required=False),
        Column(
            "author_group",
            pl.String,
            "a sub-genre that describes the author, where the corpus has one",
            WORDS,
            required=False,
        ),
        Column("names_author", pl.Boolean, "whether the author's name occurs in the text"),
        Column(
            "scored",
            pl.Boolean,
            "whether it may be query, positive or negative: its label names one person, and its text is known "
            "under one label and is not mostly of lines, tags and titles that other authors share",
        ),
        Column("licence", pl.String, "the licence of the source", WORDS),
        Column("tier", pl.String, "the tier of the source; B: do not pass on the text", "[AB]"),
        Column("file", pl.String, "SHA-256 of the raw file", SHA256),
        Column("ordinal", pl.Int64, "the record's place in the raw file"),
        Column(
            "chunk_start",
            pl.Int64,
            "first character of a chunk in the normalised text; null for a whole text",
            required=False,
        ),
        Column("chunk_end", pl.Int64, "the character after the chunk's last; null for a whole text", required=False),
        Column("content_sha256", pl.String, "SHA-256 of `content` in UTF-8", SHA256),
        TOKEN_LENGTH,
        Column("char_length", pl.Int32, "characters"),
        Column(
            "length_bucket",
            pl.String,
            "`short` 1-10 tokens, `medium` 11-100, `long` 101-500, `extra_long` above",
            "|".join(LENGTH_BUCKETS),
        ),
        Column("toxicity", pl.Float64, "the highest score that decided; null if none was computed", required=False),
        LABELS,
        UNIQUE_VALUES,
        *(
            Column(name, dtype, meaning, "[a-z]{2,3}" if dtype == pl.String else None, required=dtype == pl.Int32)
            for name, (dtype, meaning) in MEASUREMENTS.items()
        ),
    ),
    ".parquet",
)
# For a release that was merged of two: every document of both.
MERGED = Table(
    "merged",
    (
        Column("release", pl.Int8, "1 or 2: the release that the document was in"),
        Column("id_before", pl.String, "its number there", DOCUMENT_ID),
        Column("id", pl.String, "its number here; null where it is not here", DOCUMENT_ID, required=False),
        Column("reason", pl.String, "why it is not here; null where it is", SLUG, required=False),
        Column("by", pl.String, "the document here because of which it went, if any", DOCUMENT_ID, required=False),
    ),
    ".parquet",
)
# Tables in CSV; the columns of UNKNOWN may be empty.
_COUNTS = {"documents": pl.Int64, "authors": pl.Int64}
_SHARES = {**_COUNTS, "share": pl.Float64}
STATISTICS: dict[str, pl.Schema] = {
    "languages": pl.Schema({"language": pl.String, "split": pl.String, **_COUNTS, "queries": pl.Int64}),
    "genres": pl.Schema({"language": pl.String, "genre": pl.String, **_SHARES}),
    "lengths": pl.Schema({"language": pl.String, "length_bucket": pl.String, **_SHARES}),
    "documents_per_author": pl.Schema({"language": pl.String, **_COUNTS}),
    "token_lengths": pl.Schema(
        {"language": pl.String, "documents": pl.Int64, **dict.fromkeys(("p10", "p25", "p50", "p75", "p90"), pl.Float64)}
    ),
    "sources": pl.Schema({"source": pl.String, "language": pl.String, **_COUNTS, "noisy": pl.Boolean}),
    # The noise of each source's labels, a row for each decision on its labels; `low` and `high` bound the interval of
    # 95 %.
    "labels": pl.Schema(
        {
            "source": pl.String,
            "labels": pl.Int64,
            "texts": pl.Int64,
            "estimator": pl.String,
            **dict.fromkeys(("impurity", "low", "high"), pl.Float64),
            "decision": pl.String,
        }
    ),
    "pools": pl.Schema(
        dict.fromkeys(("split", "pool", "lang", "source"), pl.String)
        | dict.fromkeys(("positives", "kept", "left_out"), pl.Int64)
    ),
}
UNKNOWN = frozenset({"estimator", "impurity", "low", "high", "decision"})
FUNNEL_ROWS = pl.Schema({"source": pl.String, "stage": pl.String, "reason": pl.String, "documents": pl.Int64})
