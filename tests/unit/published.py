"""A small release of three made-up corpora, from raw files on, for the tests of what is done with a release."""

import csv
import io
import json
import zipfile
from pathlib import Path

import polars as pl
import yaml
from cases import read_cases
from defaults import section

from authbench.build.chunk.cut import chunk_records
from authbench.build.filter.measure import measure_texts
from authbench.build.ingest.mapping import Naming
from authbench.build.ingest.source import ingest_source
from authbench.build.normalize.table import normalize_records
from authbench.build.release.contents import make_contents
from authbench.build.release.write import write_release
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import Description, make_source
from authbench.config.registry.typed_schema import from_plain
from authbench.core.identity import keyed_hash
from authbench.core.records import LANGUAGES
from authbench.core.runtime.inventory import take_inventory
from authbench.core.storage.atomic import write_text
from authbench.core.storage.parquet import read_columns
from authbench.core.storage.sha256sums import checksums
from authbench.core.tokens import load_tokenizer
from authbench.publish.export.run import export, export_public
from authbench.release.format.columns import PAIRS, POOLS, POSITIVES
from authbench.release.format.verify import open_verified
from authbench.reports.report.write import write_report

ROOT = Path(__file__).parents[2]
CONFIG = read_yaml(ROOT / "config/config.yaml")
SPLIT = {"splits": {"train": 50, "test": 50}, "lock": None}
ABOUT = section(
    "publish",
    version="2.1.0",
    date="2026-01-31",
    creators=["A publisher"],
    contact="takedown@example.org",
    url="https://example.org/benchmark",
)
SENTENCE = "a house stood by the river where nobody had lived since the flood of that long year"
WORDS = SENTENCE.split()

PAGES = read_cases(Path(__file__))["PAGES"]


def sources_of(pages=PAGES):
    return {tag: make_source(tag, page) for tag, page in pages.items()}


def prose(seed, words):
    """Made-up text of so many words, with sentences and paragraphs."""
    drawn = [WORDS[keyed_hash(1, "word", str(seed), str(place)) % len(WORDS)] for place in range(words)]
    ends = {9: ".", 44: ".\n\n"}
    return " ".join(word + ends.get(place % 45, "") for place, word in enumerate(drawn)).strip() + "."


def write_raw(raw, letters=None):
    """The raw files: letters as (writer, text), by default long and short ones with signs, line breaks, a notice."""
    if letters is None:
        letters = [
            (f"writer {n % 4}", f"Dear editor,\n\n“Letter” {n};  {prose(n, 30 if n % 3 else 1500)}") for n in range(16)
        ]
        letters.insert(3, ("ad", "Buy now."))
    text = io.StringIO()
    rows = csv.writer(text, delimiter=";")
    rows.writerow(["nr", "writer", "date", "text"])
    rows.writerows([str(n), writer, "2020-05-17", letter] for n, (writer, letter) in enumerate(letters))
    for folder in ("letters", "posts/2020", "books"):
        (raw / folder).mkdir(parents=True, exist_ok=True)
    (raw / "letters/all.csv").write_bytes(text.getvalue().encode("cp1252", "replace"))
    posts = [
        {"nr": n, "writer": f"poster {n % 4}", "date": "2021", "text": f"Post {n}. {prose(-n, 20)}"} for n in range(16)
    ]
    (raw / "posts/2020/a.jsonl").write_text("".join(json.dumps(post) + "\n" for post in posts), encoding="utf-8")
    with zipfile.ZipFile(raw / "books/books.zip", "w") as archive:
        for writer in ("Ann", "Bob"):
            parts = "\n* * *\n".join(f"Part {n} of {writer}'s\n{prose((writer, n), 40)}" for n in range(4))
            archive.writestr(f"in/{writer}-Novel by {writer}.txt", parts)


def documents_of(raw, work, pages=PAGES):
    """The documents of the raw files as the stages make them, with splits by author."""
    tables = []
    sources = sources_of(pages)
    inventory = take_inventory(raw, {tag: source.files for tag, source in sources.items()}, work / "inventory.json")
    how = section("ingest"), Naming(mask_own=CONFIG["normalize"]["own_name"] == "mask")
    for tag, source in sources.items():
        shard, gone = work / f"{tag}.parquet", work / f"{tag}-gone.parquet"
        ingest_source(tag, source.extraction, raw / tag, inventory[tag], [shard], gone, *how)
        tables.append(read_columns([shard]))
    rules = {tag: source.normalize for tag, source in sources.items()}
    records, *_ = normalize_records(pl.concat(tables), rules, CONFIG["normalize"])
    documents, _ = chunk_records(records, load_tokenizer(), CONFIG["chunk"], CONFIG["seed"])
    parity = documents["author_id"].str.slice(0, 8).str.to_integer(base=16) % 2
    splits = pl.when(parity == 0).then(pl.lit("train")).otherwise(pl.lit("test"))
    return documents.with_columns(splits.alias("split"), pl.lit(0.1).alias("toxicity"))


def write_whole(folder, documents, **changes):
    """A release of the documents; `lock`, `takedown` and settings of `release:` may be given."""
    lock, takedown = changes.pop("lock", None), changes.pop("takedown", frozenset())
    pages = changes.pop("pages", PAGES)
    settings = {**CONFIG["release"], **changes}
    split = {**SPLIT, "lock": "release.lock" if lock else None}
    release = make_contents(documents, settings, split, 7, lock, takedown)
    sources = documents["source"].unique().sort().to_list()
    facts = {
        "funnel": [
            {"source": tag, "stage": "ingest", "reason": reason, "documents": 1}
            for tag in sources
            for reason in ("in", "kept")
        ],
        "deviation": {
            "documents": {"target": documents.height, "taken": documents.height},
            "languages": [],
            "cells": [],
            "bound": {"least_deviation": 0.0, "reached": 0.0},
            "fallback_authors": 0,
        },
        "skipped_sources": [],
        "scorers": [],
        "toxicity_rates": [],
        "ingest": {},
        "dedup": {},
        "split": {},
        "config": {**{key: CONFIG[key] for key in ("ingest", "normalize", "chunk", "seed")}, "name": "tiny"}
        | {"release": settings, "split": split},
        "versions": {"polars": "2.1.0"},
        "inputs": {tag: {"files": 1, "sha256": "0" * 64} for tag in sources},
        "raw_lock": {"sha256": "0" * 64, "sources": dict.fromkeys(sources, "verified")},
    }
    descriptions = {tag: from_plain(Description, source.entry) for tag, source in sources_of(pages).items()}
    measured = measure_texts(release.documents, LANGUAGES)
    write_report(folder, descriptions, write_release(folder, release, measured, descriptions, facts))


def publish(folder, **changes):
    """The raw files, a release of them, and its public bundle."""
    write_raw(folder / "raw")
    write_whole(folder / "release", documents_of(folder / "raw", folder / "work"), **changes)
    pages = changes.get("pages", PAGES)
    export_public(opened(folder / "release"), folder / "public", ABOUT, sources_of(pages))
    return folder / "raw", folder / "release", folder / "public"


def opened(folder, unverified=False):
    return open_verified(folder, complete=True, unverified=unverified)


def exported(release, form, out, **options):
    export(opened(release), form, out, ABOUT, **options)
    return out


def header(folder):
    """Return what stands above the card of a folder."""
    return yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


def pair(release):
    """Give a test split relations and pairs: each positive beside two texts of other authors, in two pools."""
    author = {row["candidate_id"]: row["author_id"] for row in lines(release / "test/candidates.jsonl")}
    answers = [
        (row["query_id"], one) for row in lines(release / "test/ground_truth.jsonl") for one in row["positive_ids"]
    ]
    rows = []
    for group, (query, positive) in enumerate(answers):
        others = sorted(one for one in author if author[one] != author[positive])[group % 3 : group % 3 + 2]
        rows += [(POOLS[group % 2], group, query, one, one == positive) for one in (positive, *others)]
    related = [(query, one, False, False, False, 3, 0.5, 1.5, None) for query, one in answers]
    for table, values in ((PAIRS, rows), (POSITIVES, related)):
        pl.DataFrame(values, table.schema, orient="row").write_parquet(release / "test" / table.file)
    seal(release)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lock_of(release):
    return json.loads((release / "release.lock").read_text())


def seal(release):
    """Make the checksums of a release right again after it was changed by hand."""
    write_text(release / "SHA256SUMS", checksums(release))
