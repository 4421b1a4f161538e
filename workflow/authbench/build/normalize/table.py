"""Normalise the texts of tables.

Most texts are already normal. Compiled patterns search a full column for the others, and only these are passed to
Python singly. Such a pattern may match too much, but never too little: the function it guards leaves all other texts
unchanged.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import polars as pl

from authbench.build.normalize import boilerplate, doubled
from authbench.build.normalize.personal import MAY_HOLD, mask
from authbench.build.normalize.text import CANONICAL, CURLY_QUOTES, normalize_text, not_composed, unify, unusual
from authbench.config.registry.source_entry import Normalize
from authbench.config.settings.normalize import NormalizeTexts
from authbench.core.nfc import compose
from authbench.core.records import as_removed

# The columns that records of each task must fill (AuthBench paper, A.4).
TASK_FIELDS: Mapping[str, tuple[str, ...]] = {"authorship": ("content", "author_id")}
DEFAULT_TASK = "authorship"


def normalize_records(
    records: pl.DataFrame, rules: Mapping[str, Normalize], settings: NormalizeTexts
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, dict[str, int]], dict[str, int]]:
    """Return normalised RECORD rows, removed rows (REMOVED), and counts of masked data and of doubled texts.

    Masked data are counted by source and kind, doubled texts (`doubled`) by source. A text that becomes empty is
    removed as `empty_text`; a record without a field that its task requires as `missing_field`.
    """
    records = records.with_columns(pl.col("content").fill_null(""))
    records = normal(records, rules, settings["quotes"])
    records = _without_boilerplate(records, [source for source, one in rules.items() if one.boilerplate])
    records, repeated = _without_repetition(records)
    if settings.get("edition_marks") == "unify":
        records = _without_edition_marks(records, [source for source, one in rules.items() if one.edited])
    records, masked = _without_personal_data(records, settings["mask"])
    if settings.get("white_space") == "collapse":
        records = records.with_columns(pl.col("content").str.replace_all("\n+", " "))
    records = records.with_columns(missing_field().alias("missing"))
    return records.filter(pl.col("missing").is_null()).drop("missing"), _as_removed(records), masked, repeated


def normal(records: pl.DataFrame, rules: Mapping[str, Normalize], quotes: str) -> pl.DataFrame:
    """Return the records (`source`, `content`) with N(content)."""
    marked = records.select(_marked(rules, quotes)).to_series()
    rows = marked | records["content"].str.contains(unusual())
    rest = records.filter(rows & ~marked)["content"]
    for pattern, plain in CANONICAL:
        rest = rest.str.replace_all(pattern, plain)
    records = _rewritten(records, rows & ~marked, rest.str.strip_chars(" \n"))
    rows = ~marked & records["content"].str.contains(not_composed())
    records = _rewritten(records, rows, map(compose, records.filter(rows)["content"]))

    def normalized(source: str, text: str) -> str:
        own = rules.get(source, Normalize())
        return normalize_text(text, own.html, own.unwrap, quotes)

    found = records.filter(marked).select("source", "content").iter_rows()
    return _rewritten(records, marked, (normalized(source, text) for source, text in found))


def _marked(rules: Mapping[str, Normalize], quotes: str) -> pl.Expr:
    """Return whether a text may need more than canonical characters and spaces: HTML, lines to join, quotes."""
    content = pl.col("content")
    marked = content.str.contains_any(list(CURLY_QUOTES)) if quotes == "straight" else pl.lit(False)
    for name, signs in (("html", ["<", "&"]), ("unwrap", ["\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"])):
        sources = [source for source, one in rules.items() if getattr(one, name)]
        marked |= pl.col("source").is_in(sources) & content.str.contains_any(signs)
    return marked


def _without_boilerplate(records: pl.DataFrame, sources: Collection[str]) -> pl.DataFrame:
    """Return the records with boilerplate lines removed from these sources."""
    rows = records["source"].is_in(list(sources))
    if not rows.any():
        return records
    rows &= boilerplate.suspected(records["content"])
    found = records.filter(rows).select("lang", "content").iter_rows()
    return _rewritten(records, rows, (normalize_text(boilerplate.strip(text, lang)) for lang, text in found))


def _without_repetition(records: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the records with doubled texts cut to their first half, and their number by source."""
    suspected = doubled.suspected(records["content"])
    found = records.with_row_index("row").filter(suspected).select("row", "source", "content")
    halves = [(row, source, doubled.first_of_two(text)) for row, source, text in found.iter_rows()]
    halved = {row: half for row, _, half in halves if half is not None}
    rows = pl.Series("row", range(records.height), dtype=pl.UInt32).is_in(list(halved))
    return _rewritten(records, rows, halved.values()), Counter(source for row, source, _ in halves if row in halved)


def _without_edition_marks(records: pl.DataFrame, sources: Collection[str]) -> pl.DataFrame:
    """Return the records with edition marks unified in these sources."""
    rows = records["source"].is_in(list(sources))
    found = records.filter(rows).select("lang", "content").iter_rows()
    return _rewritten(records, rows, (normalize_text(unify(text, lang)) for lang, text in found))


def _without_personal_data(
    records: pl.DataFrame, kinds: Collection[str]
) -> tuple[pl.DataFrame, dict[str, dict[str, int]]]:
    """Return the records with placeholders for these kinds of personal data, and counts by source and kind."""
    masked: dict[str, dict[str, int]] = {}
    if not kinds:
        return records, masked
    rows = records["content"].str.contains("|".join(MAY_HOLD[kind] for kind in kinds))
    contents = []
    for source, text in records.filter(rows).select("source", "content").iter_rows():
        text, counts = mask(text, kinds)
        contents.append(text)
        for kind, number in counts.items():
            per_kind = masked.setdefault(source, {})
            per_kind[kind] = per_kind.get(kind, 0) + number
    return _rewritten(records, rows, contents), masked


def _rewritten(records: pl.DataFrame, rows: pl.Series, contents: Iterable[str]) -> pl.DataFrame:
    """Return the records with these contents, in order, where `rows` is true."""
    changed = pl.Series("content", contents, dtype=pl.String)
    if not len(changed):
        return records
    return records.with_columns(records["content"].clone().scatter(rows.arg_true(), changed))


def missing_field() -> pl.Expr:
    """Return the first required field of its task that a record lacks, null if complete."""
    task = pl.col("task").replace("", None).fill_null(DEFAULT_TASK)
    lacks = [
        pl.when(task == name, pl.col(field).fill_null("") == "").then(pl.lit(field))
        for name, fields in TASK_FIELDS.items()
        for field in fields
    ]
    return pl.coalesce(pl.when(pl.col("content") == "").then(pl.lit("content")), *lacks)


def _as_removed(records: pl.DataFrame) -> pl.DataFrame:
    """Return REMOVED rows for the records with a field in `missing`."""
    reason = pl.when(pl.col("missing") == "content").then(pl.lit("empty_text")).otherwise(pl.lit("missing_field"))
    return as_removed(records.filter(pl.col("missing").is_not_null()), "normalize", reason, "missing")
