"""What counts as the same text?

N(·) of the AuthBench paper (A.1): Unicode NFC, no control characters, white space in one form; before it the
source's markup is undone, after it boilerplate and personal data are taken out and what a task requires is checked.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Any

import orjson
import polars as pl
import regex

from authbench.normalize import boilerplate
from authbench.normalize.markup import undo_html
from authbench.normalize.personal import mask
from authbench.records import REMOVED, empty

# What each task's records must have, as columns or as keys of `labels` (A.4).
TASK_FIELDS: Mapping[str, tuple[str, ...]] = {"authorship": ("content", "author_id")}

LINE_BREAK = re.compile(r"\r\n|[\r\v\f\x85\u2028\u2029]")
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters but tab and line breaks
    "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)
HORIZONTAL = "\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
SPACES = re.compile(f"[{HORIZONTAL}]{{2,}}|[{HORIZONTAL[0]}{HORIZONTAL[2:]}]")
SPACE_AT_BREAK = re.compile(r" ?\n ?")
MANY_BREAKS = re.compile(r"\n{3,}")
SOFT_HYPHEN_BREAK = re.compile(r"\xad[ \t]*+(?:\r\n?|\n)[ \t]*+(?=\S)")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
UNUSUAL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\xa0\xad\u061c\u1680\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f\u2060\u2066-\u2069"
    "\u3000\ud800-\udfff\ufeff]| [ \n]|\n |\n\n\n"
)
STRAIGHT_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟", '"'))
CURLY = re.compile("[‘’‚‛“”„‟]")

HYPHENATED = regex.compile(r"(?<![\p{L}\p{M}])(\p{L}[\p{L}\p{M}]*+)-\n(\p{Ll}[\p{L}\p{M}]*+)")
SPACELESS_BREAK = regex.compile(
    r"(?<=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u3000-\u303f\uff00-\uffef])\n(?!\n)"
    r"(?=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u3000-\u303f\uff00-\uffef])"
)
INNER_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


def normalize_text(text: str, html: int = 0, unwrap: bool = False, quotes: str = "keep") -> str:
    """N(text): the same bytes for what a reader would call the same text.

    `html` layers of HTML are undone; `unwrap` joins hard-wrapped lines within a paragraph; `quotes` is `keep` or
    `straight` (curly to ' and \"; guillemets and corner brackets stay). In the result no line begins or ends with
    white space, words are one space apart, lines one break and paragraphs two. Lone surrogates become U+FFFD.
    With `html` 0, normalising twice is normalising once.
    """
    if html:
        text = undo_html(text, html)
    if unwrap and "\xad" in text:
        text = SOFT_HYPHEN_BREAK.sub("", text)
    if UNUSUAL.search(text):
        text = canonical_characters(text)
    text = text.strip(" \n")
    if unwrap and "\n" in text:
        text = unwrap_lines(text)
    if quotes == "straight" and CURLY.search(text):
        text = text.translate(STRAIGHT_QUOTES)
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return text


def canonical_characters(text: str) -> str:
    if LONE_SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = LINE_BREAK.sub("\n", text)
    text = INVISIBLE.sub("", text)
    text = SPACES.sub(" ", text)
    text = SPACE_AT_BREAK.sub("\n", text)
    return MANY_BREAKS.sub("\n\n", text)


def unwrap_lines(text: str) -> str:
    """One line per paragraph. A hyphen at a line's end goes only where the joined word occurs in the text itself
    (`exam-ple` beside `example`); otherwise it belongs to the word. Scripts without spaces are joined without one.
    """
    if HYPHENATED.search(text):
        known = set(regex.findall(r"\p{L}[\p{L}\p{M}]*+", text))
        text = HYPHENATED.sub(lambda m: m[1] + ("" if m[1] + m[2] in known else "-") + m[2], text)
    return INNER_BREAK.sub(" ", SPACELESS_BREAK.sub("", text))


def normalize_records(
    records: pl.DataFrame, texts: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any]
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, dict[str, int]]]:
    """Normalise the texts of RECORD rows; say which rows went (REMOVED) and what was masked, by source and kind.

    `texts` has each source's `normalize` mapping (`html`, `unwrap`, `boilerplate`; all optional), `settings` is
    `normalize` of the configuration. A text that ends up empty is removed as `empty_text`; a record without a
    field that its task requires as `missing_field`.
    """
    kinds: Collection[str] = settings["mask"]
    quotes: str = settings["quotes"]
    masked: dict[str, dict[str, int]] = {}
    contents = []
    for source, lang, content in records.select("source", "lang", "content").iter_rows():
        rules = texts.get(source, {})
        text = normalize_text(content or "", int(rules.get("html", 0)), bool(rules.get("unwrap", False)), quotes)
        if rules.get("boilerplate", False):
            text = normalize_text(boilerplate.strip(text, lang))
        text, counts = mask(text, kinds)
        for kind, number in counts.items():
            per_kind = masked.setdefault(source, {})
            per_kind[kind] = per_kind.get(kind, 0) + number
        contents.append(text)
    records = records.with_columns(pl.Series("content", contents, dtype=pl.String))
    why = [missing(row) for row in records.select("task", "labels", "content", "author_id").iter_rows(named=True)]
    records = records.with_columns(
        pl.Series("reason", [reason for reason, _ in why], dtype=pl.String),
        pl.Series("detail", [detail for _, detail in why], dtype=pl.String),
    )
    gone = records.filter(pl.col("reason").is_not_null()).select(
        "source",
        "doc_key",
        pl.lit("normalize").alias("stage"),
        "reason",
        pl.lit(None, pl.Float64).alias("value"),
        pl.lit(None, pl.Float64).alias("threshold"),
        "detail",
    )
    kept = records.filter(pl.col("reason").is_null()).drop("reason", "detail")
    return kept, gone.cast(REMOVED) if gone.height else empty(REMOVED), masked


def missing(row: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The reason why a record cannot stay, and the field; (None, None) where it can."""
    if not row["content"]:
        return "empty_text", "content"
    required = TASK_FIELDS.get(row["task"] or "authorship", ("content",))
    labels = orjson.loads(row["labels"]) if row["labels"] and any(field not in row for field in required) else {}
    for field in required:
        if not (row[field] if field in row else labels.get(field)):
            return "missing_field", field
    return None, None
