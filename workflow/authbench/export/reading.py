"""What does a release have to give, a bounded part at a time?

A form is made of a release, or of its public bundle (`release.tiers`), whose tier B texts are absent: then queries
without their text go, positives without theirs too, and a query without a positive left. Texts are read in batches;
of ids and labels those of one split are held.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from authbench.errors import InputError

LABELS: dict[str, Any] = {
    "lang": pl.String,
    "genre": pl.String,
    "content": pl.String,
    "source": pl.String,
    "token_length": pl.Int32,
}
ANSWERS: dict[str, Any] = {
    "query_id": pl.String,
    "positive_ids": pl.List(pl.String),
    "author_id": pl.String,
    "ignored_ids": pl.List(pl.String),
}
CANDIDATE = pl.Schema({"candidate_id": pl.String, "author_id": pl.String, **LABELS})
QUERY = pl.Schema({"query_id": pl.String, **LABELS})
TRUTH = pl.Schema(ANSWERS)
IDENT = {"candidates": "candidate_id", "queries": "query_id"}
ID_LISTS = ("positive_ids", "ignored_ids")
WITHHELD = "tier_b.json"  # only a public bundle has it
BATCH_BYTES = 16 << 20


@dataclass(frozen=True)
class Benchmark:
    """A release, or a public bundle: its folder, its manifest, and of every document what is told but the text."""

    folder: Path
    manifest: Mapping[str, Any]
    provenance: pl.DataFrame
    withheld: bool

    @property
    def name(self) -> str:
        return str(self.manifest["name"])

    @property
    def splits(self) -> Sequence[str]:
        return list(self.manifest["splits"])

    @cached_property
    def present(self) -> pl.DataFrame:
        """The provenance of the documents whose texts are here, sorted by id."""
        return self.provenance.filter(pl.col("tier") != "B") if self.withheld else self.provenance

    @property
    def tier_b(self) -> int:
        """How many documents of tier B the release has, here as text or not."""
        return self.provenance.filter(pl.col("tier") == "B").height

    def candidates(self, split: str) -> Iterator[pl.DataFrame]:
        """The pool of a split (CANDIDATE), in batches, by id."""
        return read_batches(self.folder / split / "candidates.jsonl", CANDIDATE)

    def queries(self, split: str) -> Iterator[pl.DataFrame]:
        """The texts that ask (QUERY), in batches, by id; each has an answer that is here."""
        asked = self.truth(split).select("query_id")
        for batch in read_batches(self.folder / split / "queries.jsonl", QUERY):
            yield batch.join(asked, on="query_id", how="semi", maintain_order="left")

    def truth(self, split: str) -> pl.DataFrame:
        """Which candidates answer each query and which count neither way (TRUTH), by id."""
        batches = [pl.DataFrame(schema=TRUTH), *read_batches(self.folder / split / "ground_truth.jsonl", TRUTH)]
        table = pl.concat(batches).with_columns(pl.col("ignored_ids").fill_null([]))
        if self.withheld:
            here = set(self.present.filter(pl.col("split") == split)["id"])
            left = ([[one for one in ids if one in here] for ids in table[name]] for name in ID_LISTS)
            columns = [pl.Series(name, ids, pl.List(pl.String)) for name, ids in zip(ID_LISTS, left, strict=True)]
            table = table.with_columns(columns).filter(pl.col("query_id").is_in(list(here)))
        return table.filter(pl.col("positive_ids").list.len() > 0).sort("query_id")

    def tables(self, split: str) -> Mapping[str, tuple[pl.Schema, Iterator[pl.DataFrame]]]:
        """All that is told of a split, by name: the shape of each table and its batches."""
        told = self.present.filter(pl.col("split") == split)
        return {
            "candidates": (CANDIDATE, self.candidates(split)),
            "queries": (QUERY, self.queries(split)),
            "ground_truth": (TRUTH, iter([self.truth(split)])),
            "provenance": (told.schema, iter([told])),
        }


def open_release(folder: Path, with_tier_b: bool = False) -> Benchmark:
    """The release in a folder. Raises InputError where it is none, or holds texts of tier B that nobody asked for."""
    missing = [name for name in ("manifest.json", "provenance.parquet") if not (folder / name).is_file()]
    if missing:
        raise InputError(
            f"{folder}: no {' and no '.join(missing)}. Expected the folder of a release (docs/release-format.md)."
        )
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        provenance = pl.read_parquet(folder / "provenance.parquet")
    except (ValueError, OSError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"{folder}: its manifest or provenance cannot be read: {problem}. Fetch it anew.") from None
    benchmark = Benchmark(folder, manifest, provenance.sort("id"), (folder / WITHHELD).is_file())
    absent = [split for split in benchmark.splits if not (folder / split / "candidates.jsonl").is_file()]
    if absent:
        raise InputError(
            f"{folder}: the manifest names the splits {', '.join(absent)}, which have no candidates.jsonl."
        )
    if benchmark.tier_b and not benchmark.withheld and not with_tier_b:
        raise InputError(
            f"{folder}: {benchmark.tier_b} of its texts are of tier B, which nobody may pass on. Export its public "
            "bundle instead (authbench export RELEASE_DIR --form public), or say --with-tier-b and keep what you get "
            "to yourself."
        )
    return benchmark


def read_batches(path: Path, schema: pl.Schema) -> Iterator[pl.DataFrame]:
    """The rows of a JSON lines file, in batches of about BATCH_BYTES; a field that a row lacks is null."""
    for lines in line_batches(path):
        try:
            rows = list(map(orjson.loads, lines))
        except orjson.JSONDecodeError as problem:
            raise InputError(f"{path}: a line is no JSON: {problem}. Fetch the file anew.") from None
        yield pl.DataFrame(rows, schema=schema)


def line_batches(path: Path) -> Iterator[list[bytes]]:
    with path.open("rb") as file:
        while lines := file.readlines(BATCH_BYTES):
            yield lines
