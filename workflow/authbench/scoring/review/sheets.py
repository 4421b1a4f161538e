"""Write review sheets: HTML pages, opened from the file system, with texts and what helps to judge them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from authbench.config.filter_rules import FilterRule, filter_rules
from authbench.config.languages import language_name
from authbench.core.identity import keyed_hashes
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.presentation.pages import environment
from authbench.core.presentation.sheets import Choice, Sheet
from authbench.core.storage.atomic import write_text
from authbench.scoring.review.difference import shown, shown_difference
from authbench.scoring.review.neighbours import MOST

CELL = ("lang", "primary", "length_bucket")


def choose_texts(documents: pl.DataFrame, per_cell: int, seed: int) -> pl.DataFrame:
    """Return at most `per_cell` documents of each cell of language x primary genre x length class.

    The documents with the smallest keyed hashes are chosen, hence the choice depends only on seed and document keys.
    Whether a kept text is chosen depends on the texts before it in its cell.

    Args:
        documents: with at least the columns `doc_key`, `lang`, `genre`, `length_bucket`.

    Returns:
        The chosen rows with the column `primary`, by cell, then by hash.
    """
    return (
        documents.with_columns(
            primary=pl.col("genre").str.split("/").list.first(), rank=keyed_hashes(seed, "review", documents["doc_key"])
        )
        .sort(*CELL, "rank", "doc_key")
        .group_by(CELL, maintain_order=True)
        .head(per_cell)
        .drop("rank")
    )


# Key to press, reason, and its meaning.
REASONS = (
    ("1", "boilerplate", "navigation, notices, templates"),
    ("2", "wrong_language", "another language than it is filed under"),
    ("3", "not_prose", "lists, tables, code, noise of OCR"),
    ("4", "not_the_author", "quoted, translated, by several people"),
    ("5", "gives_away", "names or marks that tell the author"),
    ("6", "personal", "personal data that should not be passed on"),
    ("7", "duplicate", "too like a text beside it"),
    ("8", "unsafe", "hateful, sexual or violent beyond what the benchmark needs"),
    ("9", "other", ""),
)
Rules = Sequence[tuple[FilterRule, object]]
METADATA = ("source", "genre", "length_bucket", "token_length", "author_kind", "date", "topic", "split")


@dataclass(frozen=True)
class Beside:
    """Hold what is shown next to the texts, by doc_key.

    Passages before cleaning; removed duplicates (key, reason, similarity) and their beginnings; nearest kept texts
    (key, similarity, content).
    """

    passages: Mapping[str, str]
    copies: Mapping[str, Sequence[tuple[str, str, float]]]
    begins: Mapping[str, str]
    neighbours: Mapping[str, Sequence[tuple[str, float, str]]]


def write_sheets(
    folder: Path, name: str, texts: pl.DataFrame, thresholds: Mapping[str, object], beside: Beside, per_cell: int
) -> None:
    """Write `index.html` and a sheet per language.

    Args:
        texts: with the columns of DOCUMENT, `primary`, `split`, `toxicity` and the measurements.
    """
    rules = filter_rules(thresholds)
    choices = [_choice("g", None, ""), *(_choice(*reason) for reason in REASONS)]
    kept = Sheet(f"authbench review {name}", "doc_key", f"verdicts-{name}.jsonl", choices)
    shared = {"name": name, "sheet": kept}
    pages = environment()
    sheets = []
    for (lang,), part in texts.group_by("lang", maintain_order=True):
        entries = [entry(row, rules, beside) for row in part.iter_rows(named=True)]
        sheet = {"lang": lang, "language": language_name(str(lang)), "entries": entries}
        write_text(folder / f"{lang}.html", pages.get_template("review.html.j2").render(**shared, **sheet))
        cells = part.group_by("primary", maintain_order=True).len().iter_rows()
        sheets.append({**sheet, "cells": [(genre.replace("_", " "), count) for genre, count in cells]})
    index = pages.get_template("review_index.html.j2")
    write_text(folder / "index.html", index.render(**shared, sheets=sheets, per_cell=per_cell))


def _choice(key: str, reason: str | None, meaning: str) -> Choice:
    words = reason.replace("_", " ") if reason else "good"
    side, told = ("out", f"out: {words}") if reason else ("good", words)
    return Choice(key, words, json.dumps({"reason": reason}), side, told, meaning)


def entry(row: JsonMapping, rules: Rules, beside: Beside) -> JsonObject:
    """Return all that a sheet shows of a text."""
    key, content = row["doc_key"], row["content"]
    before = beside.passages.get(key)
    copies = beside.copies.get(key, [])
    return {
        "key": key,
        "key_shown": shown(key),
        "lang": row["lang"],
        "facts": [
            (name.replace("_", " "), shown(str(row[name]))) for name in METADATA if row.get(name) not in (None, "")
        ],
        "measures": measures(row, rules),
        "text": shown(content),
        "difference": shown_difference(before, content) if before and before != content else None,
        "same": before == content,
        "copies": [
            {
                "key": shown(copy),
                "why": reason.replace("_", " "),
                "similarity": similarity,
                "text": shown(beside.begins.get(copy, "")),
            }
            for copy, reason, similarity in copies[:MOST]
        ],
        "more_copies": max(0, len(copies) - MOST),
        "neighbours": [
            {"key": shown(other), "similarity": similarity, "text": shown(text[:600])}
            for other, similarity, text in beside.neighbours.get(key, [])
        ],
    }


def measures(row: Mapping[str, object], rules: Rules) -> list[tuple[str, str, str]]:
    """Return name, value and rule of each measurement of the text."""
    found = []
    for rule, bound in rules:
        if rule.setting and rule.column not in METADATA and row.get(rule.column) is not None:
            limit = bound.get(row[rule.by], bound["default"]) if isinstance(bound, Mapping) else bound
            goes = f"goes {rule.drops} {limit:g}" if limit is not None else ""
            found.append((rule.column.replace("_", " "), f"{row[rule.column]:.3g}", goes))
    if row.get("langid"):
        found.append(("langid", str(row["langid"]), f"goes unless {row['lang']}"))
    if row.get("toxicity") is not None:
        found.append(("toxicity", f"{row['toxicity']:.3g}", ""))
    return found


def with_measures(texts: pl.DataFrame, batches: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the texts with their measurements (`measure.MEASURES`), joined from batches of all measurements."""
    picked = pl.concat([batch.join(texts.select("doc_key"), on="doc_key", how="semi") for batch in batches])
    return texts.join(picked, on="doc_key", how="left", maintain_order="left")
