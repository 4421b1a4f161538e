"""Read the documents of a release without their texts, count queries and positives, and choose example records."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from authbench.config.languages import language_name
from authbench.core.identity import keyed_hash
from authbench.core.json_values import JsonObject
from authbench.core.presentation.numbers import NOTHING
from authbench.core.presentation.tables import Cell, Column, Row, Table
from authbench.core.records import length_bucket_expr
from authbench.core.words import count
from authbench.release.format.columns import CANDIDATES, QUERIES
from authbench.release.format.release import Release

CHARACTERS = 120  # shown of a text
MOST = 10  # records
_FIELDS = ("id", "author_id", "lang", "genre", "content", "source", "token_length")
_SHOWN_OF_AUTHOR = 8  # digits of a pseudonym


def examples(release: Release, split: str, tiers: Mapping[str, str], seed: int) -> list[dict[str, object]]:
    """Return a shortened record of each language, at most MOST in total, largest languages first.

    Texts are only from sources of tier A, hence not from sources without a known tier. A hash of (seed, id) selects the
    record of a language. Memory: a batch of texts.
    """
    best: dict[str, tuple[int, dict[str, object]]] = {}
    counted: dict[str, int] = {}
    allowed = [tag for tag, tier in tiers.items() if tier == "A"]
    for batch in release.texts(split):
        for lang, number in batch.group_by("lang").len().iter_rows():
            counted[lang] = counted.get(lang, 0) + number
        for row in batch.filter(pl.col("source").is_in(allowed)).select(_FIELDS).iter_rows(named=True):
            place = keyed_hash(seed, "example", row["id"])
            if row["lang"] not in best or place < best[row["lang"]][0]:
                best[row["lang"]] = (place, {**row, "content": shortened(row["content"])})
    languages = sorted(best, key=lambda lang: (-counted[lang], lang))[:MOST]
    return [best[lang][1] for lang in languages]


def shortened(text: str, most: int = CHARACTERS) -> str:
    """Return the beginning of a text in a line, cut between words if possible, with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    kept = line[:most]
    return (kept.rpartition(" ")[0] if " " in kept[most // 2 :] else kept) + " …"


def examples_table(records: list[JsonObject]) -> Table:
    schema = {name: pl.Int64 if name == "token_length" else pl.String for name in _FIELDS}
    data = pl.DataFrame(records, schema=schema)
    columns = [Column("language", words=True), Column("genre", words=True), Column("source", words=True)]
    columns += [Column("author", words=True), Column("text", words=True), Column("tokens")]
    rows = [
        Row(
            [
                Cell(language_name(one["lang"])),
                Cell(one["genre"]),
                Cell(one["source"]),
                Cell(one["author_id"][:_SHOWN_OF_AUTHOR] if one["author_id"] else NOTHING),
                Cell(one["content"]),
                Cell(count(one["token_length"]), one["token_length"]),
            ]
        )
        for one in records
    ]
    note = f"Texts of tier A, of which at most {CHARACTERS} characters are shown; authors are pseudonyms, cut short."
    lacking = "No source of the split is known to be of tier A, so that no text is shown."
    return Table("examples", "Example records", columns, rows, data, [note if records else lacking])


def examples_json(records: list[JsonObject]) -> str:
    """Return the records in the form of a release's candidates, a record per line."""
    renamed = [{"candidate_id": one["id"], **{name: one[name] for name in _FIELDS[1:]}} for one in records]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in renamed)


_STATED = ("id", "split", "source", "lang", "genre", "author_id", "token_length", "length_bucket")


@dataclass(frozen=True)
class Contents:
    """Hold what tables need of a release; some 300 bytes a document are in memory, and no text.

    Attributes:
        documents: a row per document: `id`, `split`, `source`, `lang`, `genre`, `primary`, `author_id`, `token_length`
            and `length_bucket`.
        splits: a row per split: `split`, `candidates`, `queries`, `positives`.
        tiers: the tier of each source as the release states it.
        licences: the licence of each source, likewise.
    """

    documents: pl.DataFrame
    splits: pl.DataFrame
    tiers: dict[str, str]
    licences: dict[str, str]


def read_contents(release: Release) -> Contents:
    """Read the content of a release from its provenance, if any, else from its texts, a batch at a time."""
    if release.has_provenance and set(_STATED) <= set(release.provenance.columns):
        documents = release.provenance.select(_STATED)
    else:
        known = [name for name in _STATED if name != "length_bucket"]
        batches = (batch.select(known) for split in release.splits for batch in release.texts(split))
        documents = pl.concat(list(batches)).with_columns(length_bucket=length_bucket_expr("token_length"))
    documents = documents.with_columns(
        pl.col("genre").str.split("/").list.first().alias("primary"),
        pl.col("length_bucket").fill_null(length_bucket_expr("token_length")),
    ).sort("id")
    tiers, licences = _terms(release)
    return Contents(documents, _splits(release), tiers, licences)


def _splits(release: Release) -> pl.DataFrame:
    rows = []
    for split in release.splits:
        truth = release.truth(split)
        candidates = sum(batch.height for batch in release.rows(split, CANDIDATES))
        query_count = sum(batch.height for batch in release.rows(split, QUERIES))
        rows.append((split, candidates, query_count, int(truth["positive_ids"].list.len().sum())))
    schema = {"split": pl.String, "candidates": pl.Int64, "queries": pl.Int64, "positives": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _terms(release: Release) -> tuple[dict[str, str], dict[str, str]]:
    """Return tier and licence by source, from the manifest or else the provenance."""
    stated = release.manifest.get("licences") or {}
    if stated:
        tiers = {tag: str(terms["tier"]) for tag, terms in stated.items()}
        return tiers, {tag: str(terms["name"]) for tag, terms in stated.items()}
    if not release.has_provenance or not {"tier", "licence"} <= set(release.provenance.columns):
        return {}, {}
    terms = release.provenance.select("source", "tier", "licence").drop_nulls().unique("source").sort("source")
    return dict(terms.select("source", "tier").iter_rows()), dict(terms.select("source", "licence").iter_rows())
