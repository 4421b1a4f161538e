"""What do a public bundle, its forms and the way back from raw files cost?

    PYTHONPATH=workflow:benchmarks python benchmarks/export.py [--export 300000] [--rebuild 100000]

Export: a release of so many documents of ten languages (benchmarks/corpus.py, 600 characters on average, three or four
an author, one in four of tier B) becomes its public bundle and, whole, every form. Rebuild: raw files of three formats
with so many rows are ingested, released as tier B altogether, and made again of the bundle. Every step is a process of
its own: CPU seconds are those after its imports, memory is its VmHWM.
"""

import argparse
import hashlib
import multiprocessing
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import yaml
from corpus import CHARACTERS, make_corpus, texts
from machine import heading

from authbench.app.config import demo_settings
from authbench.build.chunk.cut import chunk_records
from authbench.build.ingest.mapping import Naming
from authbench.build.ingest.source import ingest_source
from authbench.build.normalize.table import normalize_records
from authbench.build.release.contents import make_contents
from authbench.build.release.tables import make_provenance, write_split
from authbench.config.registry.entries import default_settings
from authbench.config.registry.source_entry import Description, file_set, make_extraction, make_source
from authbench.config.registry.typed_schema import from_plain
from authbench.core.records import DOCUMENT, MEASUREMENTS
from authbench.core.runtime.inventory import fitting_shards, take_inventory
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.parquet import read_batches, write_plain_parquet
from authbench.core.storage.sha256sums import checksums
from authbench.core.tokens import load_tokenizer
from authbench.publish.export.freeze import read_publication
from authbench.publish.export.run import FORMS, export, export_public
from authbench.publish.rebuild.run import rebuild
from authbench.release.format.verify import open_verified

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = demo_settings()
SPLITS = ("train", "dev", "test")
ENTRY = {
    **{"title": "Made up", "about": "For measuring.", "acquire": {"from": "local", "where": "here", "how": "By hand."}},
    **{"files": ["*"], "reader": {"format": "csv"}, "author": {"kind": "account"}},
    "fields": dict.fromkeys(("text", "author", "lang", "genre"), "any"),
}
TERMS = {"A": {"name": "CC BY 4.0", "tier": "A"}, "B": {"name": "none stated", "tier": "B"}}


def write_release(folder: Path, documents: pl.DataFrame, pages: Mapping[str, Any]) -> None:
    """The files of a release that an export reads; `documents` lack their splits."""
    place = pl.col("author_id").str.slice(0, 4).str.to_integer(base=16) % 10
    named = pl.when(place < 8).then(pl.lit("train")).when(place == 8).then(pl.lit("dev")).otherwise(pl.lit("test"))
    documents = documents.with_columns(named.alias("split"), toxicity=pl.lit(0.1))
    release = make_contents(documents, SETTINGS["release"], {"splits": dict.fromkeys(SPLITS, 1)}, 1)
    for split in SPLITS:
        write_split(folder / split, release, split)
    descriptions = {tag: from_plain(Description, page) for tag, page in pages.items()}
    values = {pl.Int32: 7, pl.Float64: 0.5, pl.String: "en"}
    measures = documents.select(
        "doc_key", *(pl.lit(values[dtype], dtype).alias(name) for name, (dtype, _) in MEASUREMENTS.items())
    )
    write_plain_parquet(make_provenance(release.documents, measures, descriptions), folder / "provenance.parquet")
    manifest = {
        "name": "bench",
        "authbench": "0",
        "splits": SPLITS,
        "config": SETTINGS,
        "warnings": [],
        "inputs": {},
        "takedown": {},
        "totals": {},
        "licences": {tag: page["license"] for tag, page in pages.items()},
    }
    write_plain_json(folder / "manifest.json", manifest)
    write_text(folder / "SHA256SUMS", checksums(folder))


def documents(number: int) -> pl.DataFrame:
    """DOCUMENT rows of made-up texts, one in four of the source `bench_b`."""
    chance = np.random.default_rng(1)
    shares = SETTINGS["sample"]["languages"]
    frames = []
    for lang, share in shares.items():
        contents = texts(lang, number * share // 100, 600 * CHARACTERS[lang], chance).str.strip_chars()
        frame = pl.DataFrame({"content": contents.unique(maintain_order=True)}).with_row_index("ordinal")
        author = pl.format("{} {}", pl.lit(lang), pl.col("ordinal") // 4)
        hashed = author.map_elements(lambda label: hashlib.sha256(label.encode()).hexdigest(), pl.String)
        tier = pl.when(pl.col("ordinal") // 4 % 4 == 0).then(pl.lit("bench_b")).otherwise(pl.lit("bench_a"))
        key = pl.format("{}:{}-{}", tier, pl.lit(lang), "ordinal")
        made = frame.with_columns(
            doc_key=key,
            origin_id=key,
            author_id=hashed,
            author_kind=pl.lit("person"),
            lang=pl.lit(lang),
            genre=pl.lit("news"),
            source=tier,
            task=pl.lit("authorship"),
            names_author=pl.lit(False),
            file=pl.lit("0" * 64),
            ordinal=pl.col("ordinal").cast(pl.Int64),
            token_length=(pl.col("content").str.len_chars().cast(pl.Int32) // 4).clip(1),
            char_length=pl.col("content").str.len_chars().cast(pl.Int32),
            length_bucket=pl.lit("long"),
        )
        unknown = [pl.lit(None, DOCUMENT[name]).alias(name) for name in DOCUMENT.names() if name not in made.columns]
        frames.append(made.with_columns(unknown).select(DOCUMENT.names()))
    return pl.concat(frames).unique("content", keep="first", maintain_order=True)


def step(work: Callable[..., Any], *arguments: Any) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak MB of a function in a process of its own."""
    context = multiprocessing.get_context("spawn")
    told: Any = context.Queue()
    job = context.Process(target=measured, args=(told, work, *arguments))
    job.start()
    found: tuple[float, float, float] = told.get()
    job.join()
    return found


def measured(told: Any, work: Callable[..., Any], *arguments: Any) -> None:
    began, before = time.perf_counter(), time.process_time()
    work(*arguments)
    seconds = time.process_time() - before, time.perf_counter() - began
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    told.put((*seconds, peak / 1024))


def line(name: str, number: int, found: tuple[float, float, float]) -> str:
    cpu, wall, peak = found
    return f"| {name} | {number:,} | {cpu:.1f} | {wall:.1f} | {peak:,.0f} |"


def write_bundle(release: Path, out: Path, pages: Mapping[str, Any]) -> None:
    sources = {tag: make_source(tag, page) for tag, page in pages.items()}
    export_public(open_verified(release, complete=True), out, read_publication(None), sources)


def make_again(public: Path, raw: Path, out: Path) -> None:
    rebuild(open_verified(public, complete=True), raw, out)


def write_form(release: Path, form: str, out: Path) -> None:
    export(open_verified(release, complete=True), form, out, read_publication(None), True)


def ingest(raw: Path, out: Path, pages: Mapping[str, Any], shards: int) -> None:
    extractions = {tag: make_extraction(page) for tag, page in pages.items()}
    files = {tag: file_set(tag, extraction) for tag, extraction in extractions.items()}
    inventory = take_inventory(raw, files, out / "inventory.json")
    for tag, extraction in extractions.items():
        places = [out / tag / f"{n}.parquet" for n in range(shards)]
        ingest_source(
            tag,
            extraction,
            raw / tag,
            inventory[tag],
            places,
            out / f"{tag}-removed.parquet",
            default_settings()["ingest"],
            Naming(mask_own=True),
        )


def release_of(ingested: Path, release: Path, pages: Mapping[str, Any]) -> None:
    """A release of all that was ingested."""
    tokenizer = load_tokenizer()
    rules = {tag: make_source(tag, page).normalize for tag, page in pages.items()}
    found = []
    for records in read_batches(sorted(ingested.glob("*/*.parquet"))):
        normal, *_ = normalize_records(records, rules, SETTINGS["normalize"])
        found.append(chunk_records(normal, tokenizer, SETTINGS["chunk"], SETTINGS["seed"])[0])
    write_release(release, pl.concat(found), pages)


def exports(number: int, folder: Path) -> None:
    pages = {f"bench_{tier.lower()}": {**ENTRY, "license": terms} for tier, terms in TERMS.items()}
    write_release(folder / "release", documents(number), pages)
    print(line("public bundle", number, step(write_bundle, folder / "release", folder / "public", pages)), flush=True)
    for form in FORMS:
        print(line(form, number, step(write_form, folder / "release", form, folder / form)), flush=True)


def rebuilds(number: int, folder: Path) -> None:
    make_corpus(folder, number)
    pages = {path.stem: yaml.safe_load(path.read_text()) for path in sorted((folder / "sources").glob("*.yaml"))}
    for page in pages.values():
        page["license"] = TERMS["B"]
    shards = fitting_shards(number * 600, 2)
    print(line("ingestion", number, step(ingest, folder / "raw", folder / "ingested", pages, shards)), flush=True)
    step(release_of, folder / "ingested", folder / "release", pages)
    write_bundle(folder / "release", folder / "public", pages)
    texts_made = pl.scan_parquet(folder / "release/provenance.parquet").select(pl.len()).collect().item()
    found = step(make_again, folder / "public", folder / "raw", folder / "again")
    assert (folder / "again/SHA256SUMS").read_bytes() == (folder / "release/SHA256SUMS").read_bytes()
    print(line("rebuild", texts_made, found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--export", type=int, default=300_000)
    parser.add_argument("--rebuild", type=int, default=100_000)
    asked = parser.parse_args()
    print(
        f"{heading()}\n\n| step | documents | CPU s | wall s | VmHWM, MB |\n| --- | --- | --- | --- | --- |", flush=True
    )
    for work, number in ((rebuilds, asked.rebuild), (exports, asked.export)):
        if number:
            with TemporaryDirectory() as folder:
                work(number, Path(folder))


if __name__ == "__main__":
    main()
