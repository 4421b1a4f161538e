"""Audit languages: list texts that may be in another language than stated, for a person to review.

A text is a suspect if it has at least LETTERS letters and langid gives another language at PROBABILITY, or if it has
fewer letters in its language's scripts than the AuthBench authors' code requires. The audit changes no data: the
reviewer writes the right language of a text under `lang`, and passes the file as `chunk.retag` (of a build) or leaves
the text as it is.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash, sha256_of_text
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import atomic_folder
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.json_lines import write_json_lines
from authbench.core.storage.parquet import read_batches
from authbench.release.format.release import Release
from authbench.release.format.verify import open_verified

PROBABILITY = 0.85
LETTERS = 60
SCRIPT_LETTERS = 8
LEAST_SCRIPT = {"zh": 0.15, "ja": 0.2, "ko": 0.2, "ar": 0.25, "hi": 0.25, "ru": 0.25}
LEAST_OTHERS = 0.3
PREVIEW = 300  # characters
MOST = 5_000
_METADATA = ("source", "lang", "genre", "author_id", "token_length")
_MEASURED = ("langid", "langid_probability", "script", "letters")


def audit_languages(folder: Path, out: Path, most: int = MOST, unverified: bool = False) -> JsonObject:
    """Write `suspects.jsonl` and `summary.json` into `out`; return the summary.

    Args:
        folder: a release, or the results of a build (with `chunk/` and `filter/`), whose dropped texts are audited too.
        most: suspects that are listed, selected by hash if there are more; the summary counts all.
        unverified: whether a release that contradicts itself is read; the summary says so.

    Raises:
        InputError: it is neither, or the release contradicts itself or has no measurements.
    """
    release = None if (folder / "chunk").is_dir() else open_verified(folder, unverified=unverified)
    batches = _of_release(release) if release else _of_build(folder)
    inspected, too_short = 0, 0
    found: list[JsonObject] = []
    pairs, low = Counter[str](), Counter[str]()
    for batch in batches:
        inspected += batch.height
        too_short += batch.filter(pl.col("letters") < LETTERS).height
        rows = suspects(batch)
        pairs.update(
            f"{lang}->{langid}" for lang, langid in rows.filter("language").select("lang", "langid").iter_rows()
        )
        low.update(rows.filter("low_script")["lang"])
        found += [_as_row(row) for row in rows.iter_rows(named=True)]
        found = sorted(found, key=lambda row: keyed_hash(0, "language audit", row["id"]))[:most]
    summary = {
        "inspected": inspected,
        "too_short": too_short,
        "another_language": dict(sorted(pairs.items(), key=lambda item: (-item[1], item[0]))),
        "low_script": dict(sorted(low.items())),
        "listed": len(found),
        **({"release": release.verification} if release else {}),
    }
    with atomic_folder(out) as place:
        write_json_lines(
            place / "suspects.jsonl",
            sorted(found, key=lambda row: (row["lang"], row["detected_lang"] or "", row["id"])),
        )
        write_plain_json(place / "summary.json", summary)
    return summary


def suspects(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the suspect texts, with the reasons `language` and `low_script` as true or false.

    Args:
        texts: id, content, `removed` and the columns of metadata and of measures (`filter.measure.MEASURES`).
    """
    least = pl.col("lang").replace_strict(LEAST_SCRIPT, default=LEAST_OTHERS, return_dtype=pl.Float64)
    other = (pl.col("langid") != pl.col("lang")) & (pl.col("langid_probability") >= PROBABILITY)
    return texts.with_columns(
        language=(other & (pl.col("letters") >= LETTERS)).fill_null(False),
        low_script=((pl.col("script") < least) & (pl.col("letters") >= SCRIPT_LETTERS)).fill_null(False),
    ).filter(pl.col("language") | pl.col("low_script"))


def _as_row(row: JsonObject) -> dict[str, object]:
    reasons = [name for name in ("language", "low_script") if row[name]]
    return {
        "id": row["id"],
        **{name: row[name] for name in _METADATA},
        "content_sha256": sha256_of_text(row["content"]),
        "detected_lang": row["langid"],
        "detected_probability": row["langid_probability"],
        "script_share": row["script"],
        "reasons": reasons,
        "removed": row["removed"],
        "text_preview": row["content"][:PREVIEW],
    }


def _of_build(folder: Path) -> Iterator[pl.DataFrame]:
    shards = sorted((folder / "chunk").glob("*.parquet"))
    missing = [one.name for one in shards if not (folder / "filter/measures" / one.name).is_file()]
    if missing or not shards:
        raise InputError(
            f"{folder}: chunk/ or filter/measures/ lacks {', '.join(missing) or 'its files'}. Build it first and keep "
            "its tables (keep_tables)."
        )
    for shard in shards:
        dropped = pl.read_parquet(folder / "filter" / shard.name, columns=["doc_key", "reason"])
        gone = dropped.group_by("doc_key", maintain_order=True).agg(removed=pl.col("reason").first())
        measured = pl.read_parquet(folder / "filter/measures" / shard.name, columns=["doc_key", *_MEASURED])
        known = measured.join(gone, on="doc_key", how="left", maintain_order="left")
        for batch in read_batches([shard], ["doc_key", *_METADATA, "content"]):
            joined = batch.join(known, on="doc_key", how="left", maintain_order="left")
            yield joined.with_columns(id=pl.col("doc_key").map_elements(sha256_of_text, return_dtype=pl.String))


def _of_release(release: Release) -> Iterator[pl.DataFrame]:
    measured = release.read_provenance(("id", *_MEASURED))
    read = 0
    for split in release.splits:
        for batch in release.texts(split):
            read += batch.height
            known = batch.select("id", *_METADATA, "content").join(measured, on="id", how="left", maintain_order="left")
            yield known.with_columns(removed=pl.lit(None, pl.String))
    if read != measured.height:
        raise InputError(
            f"{release.folder}: holds {read:,} of the {measured.height:,} texts of its provenance. Fetch it anew."
        )
