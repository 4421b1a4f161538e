"""What do the stages after sampling cost? Splits, release and check of made-up samples, each stage a process.

    python benchmarks/release.py [30000 100000 300000] [--linked 0.02]

The sample has ten languages in the shares of the recipe, 600 characters a document, three to five documents an
author; a share `--linked` of the documents is seven to nine tenths equal to another one, as work for the comparison.
Texts are made-up words of each language's letters with the frequencies of real words. The stages run as the rules'
own adapters. The bookkeeping of made-up documents has no targets and no lock, which the check finds: its violations end
the job as late as none would. Prints a Markdown table: wall and CPU seconds (start of Python, imports and loading of
compiled code included) and the peak memory of each process.
"""

import argparse
import json
import resource
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from itertools import accumulate
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import polars as pl

from authbench.app.config import demo_settings
from authbench.build.filter.measure import MEASURES, measure_numbers
from authbench.build.labels.decision import AUTHORS
from authbench.build.release.statement import make_statement
from authbench.build.split.persons import NO_SHARED
from authbench.core.errors import InputError
from authbench.core.identity import digest
from authbench.core.records import DOCUMENT, length_bucket_expr
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.parquet import write_parquet
from authbench.core.tokens import encode, load_encoding
from authbench.release.format.files import CHECKED_SECTIONS

ROOT = Path(__file__).parents[1]
SETTINGS = demo_settings()
LETTERS = {
    "en": "etaoinshrdlcumwfgypbvk",
    "es": "eaosrnidlctumpbgvyqhfzjñxáéíóú",
    "fr": "esaitnrulodcmpévqfbghjàxèyêzç",
    "de": "enisratdhulcgmobwfkzvüpäöß",
    "ru": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф",
    "ar": "اليمنورتبةعدسفهكقحجشصطخضذزثغظ",
    "hi": "करनसहतमपलदबयवगजटचभधख",
    "ko": "이다는에을하가고의지은나사를도리어로한기아시그자보",
    "zh": "的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后",
    "ja": "のにはをたがでてとしれさあるいもするからなことだまこきわいくけよおりやみうそち",
}
CHARS = [(10, 5, 40), (58, 40, 400), (22, 400, 1200), (10, 1200, 4500)]  # weight, from, to
VOCABULARY = 20_000
NOTHING_FOUND = {"labels": AUTHORS, "known_twice": pl.Schema({"doc_key": pl.String}), "shared": NO_SHARED.schema}
SPACELESS = ("zh", "ja")


def writer(lang: str) -> Iterator[str]:
    """An endless stream of made-up texts in the letters of a language."""
    chance, letters = Random(lang), LETTERS[lang]
    common = list(accumulate(1 / (rank + 3) for rank in range(len(letters))))
    low, high, gap = (1, 3, "") if lang in SPACELESS else (2, 9, " ")
    words = [
        "".join(chance.choices(letters, cum_weights=common, k=chance.randint(low, high))) for _ in range(VOCABULARY)
    ]
    weights = list(accumulate(1 / (rank + 2) for rank in range(VOCABULARY)))
    width = (low + high) / 2 + len(gap)
    while True:
        _, least, most = chance.choices(CHARS, [weight for weight, _, _ in CHARS])[0]
        length = chance.randint(least, most)
        yield gap.join(chance.choices(words, cum_weights=weights, k=int(length / width) + 1))


def make_sample(folder: Path, documents: int, linked: float) -> None:
    """Write what sampling gives: the selected documents, their measurements, and the facts about them."""
    chance, encoding = Random(1), load_encoding()
    streams = {lang: writer(lang) for lang in LETTERS}
    langs, weights = zip(*SETTINGS["sample"]["languages"].items(), strict=True)
    rows: list[dict[str, Any]] = []
    before: dict[str, str] = {}
    while len(rows) < documents:
        lang = chance.choices(langs, weights)[0]
        patterns = SETTINGS["sample"]["genres"][lang]
        genre = chance.choices(list(patterns), list(patterns.values()))[0].replace("*", "other")
        author = digest("author", str(len(rows))) * 2
        for place in range(chance.randint(3, 5)):
            text = next(streams[lang])
            if lang in before and chance.random() < linked:
                kept = before[lang]
                text = kept + text[: int(len(kept) * chance.uniform(0.1, 0.3))]
            before[lang] = text
            key = f"made_up:{len(rows):07d}"
            rows.append(
                {
                    "doc_key": key,
                    "origin_id": key,
                    "author_id": author,
                    "author_kind": "person",
                    "lang": lang,
                    "genre": genre,
                    "source": f"made_up_{lang}",
                    "task": "authorship",
                    "content": text.strip(),
                    "names_author": False,
                    "file": "0" * 64,
                    "ordinal": place,
                }
            )
    table = pl.DataFrame(rows, schema={**DOCUMENT, "toxicity": pl.Float64}).with_columns(
        token_length=pl.Series([len(encode(encoding, row["content"])) for row in rows], dtype=pl.Int32),
        char_length=pl.col("content").str.len_chars().cast(pl.Int32),
        toxicity=pl.lit(0.0),
    )
    table = table.with_columns(length_bucket=length_bucket_expr("token_length"))
    write_parquet(table, folder / "selected.parquet")
    measured = table.select("doc_key").hstack(measure_numbers(table))
    write_parquet(pl.concat([MEASURES.to_frame(), measured], how="diagonal"), folder / "measures.parquet")
    languages = [
        {"language": lang, "target": many, "available": many, "taken": many, "deficit": 0}
        for lang, many in sorted(table["lang"].value_counts().iter_rows())
    ]
    deviation = {
        "documents": {"target": table.height, "taken": table.height},
        "languages": languages,
        "cells": [],
        "bound": {"least_deviation": 0.0, "reached": 0.0},
        "fallback_authors": 0,
    }
    write_json(folder / "deviation.json", deviation)
    for name, schema in NOTHING_FOUND.items():
        write_parquet(schema.to_frame(), folder / f"{name}.parquet")


def facts(folder: Path) -> dict[str, Any]:
    """What the stages before the release found: here, that everything came through."""
    split = read_json(folder / "split/counts.json")
    return {
        "funnel": [
            {"source": source, "stage": "ingest", "reason": reason, "documents": counts["kept"]}
            for source, counts in split["sources"].items()
            for reason in ("in", "kept")
        ],
        "deviation": read_json(folder / "split/deviation.json"),
        "read": {},
        "scorers": [],
        "toxicity_rates": [],
        "ingest": {},
        "dedup": {},
        "split": read_json(folder / "split/facts.json"),
    }


class Files(dict[str, Any]):
    """The inputs or outputs of a rule: by place, and by name as attributes."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


def job(stage: str, folder: Path) -> SimpleNamespace:
    """What Snakemake would give the adapter of a stage."""
    split = folder / "split"
    tables = {name: split / f"{name}.parquet" for name in ("documents", "contained", "possibly_one", "removed")}
    reports = {name: split / f"{name}.json" for name in ("counts", "facts", "deviation")}
    kinds = {"license": {"name": "CC0", "tier": "A"}, "acquire": "", "author": {"kind": "person"}}
    sources = {f"made_up_{lang}": {"title": lang, "about": "Made up.", **kinds} for lang in LETTERS}
    inputs: dict[str, dict[str, Any]] = {
        "assign_splits": {
            **{name: folder / f"{name}.parquet" for name in ("selected", *NOTHING_FOUND)},
            "deviation": folder / "deviation.json",
        },
        "write_release": {
            "documents": tables["documents"],
            "contained": tables["contained"],
            "possibly_one": tables["possibly_one"],
            "measures": [folder / "measures.parquet"],
            "facts": folder / "facts.json",
        },
        "check_release": {"draft": folder / "draft"},
    }
    outputs = {
        "assign_splits": tables | reports,
        "write_release": {
            "draft": folder / "draft",
            "data": folder / "release_data.json",
            "taken_down": folder / "taken_down.parquet",
            "findings": folder / "findings.json",
        },
        "check_release": {
            "checked": folder / "check.json",
        },
    }
    return SimpleNamespace(
        input=Files(inputs[stage]),
        output=Files(outputs[stage]),
        log=[str(folder / "logs" / f"{stage}.log")],
        threads=2,
        params=SimpleNamespace(
            **{
                **SETTINGS,
                "sources": sources,
                "published": folder / "release",
                "settings": {section: SETTINGS[section] for section in CHECKED_SECTIONS},
                "statement": make_statement({**SETTINGS, "name": "made-up"}, {}, {"sha256": None, "sources": {}}, []),
            }
        ),
    )


def run_stage(stage: str, folder: Path) -> dict[str, float]:
    """Run a stage in a process of its own; give its wall seconds, CPU seconds and peak MB."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, __file__, "--stage", stage, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": time.perf_counter() - began, "cpu": cpu, "peak": json.loads(done.stdout.splitlines()[-1])}


def main() -> None:
    if sys.argv[1:2] == ["--stage"]:
        stage, folder = sys.argv[2], Path(sys.argv[3])
        adapter = str(ROOT / f"workflow/scripts/{stage}.py")
        with suppress(InputError) if stage == "check_release" else nullcontext():
            runpy.run_path(adapter, init_globals={"snakemake": job(stage, folder)})
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=int, nargs="*", default=[30_000, 100_000, 300_000])
    parser.add_argument("--linked", type=float, default=0.02)
    arguments = parser.parse_args()
    print("| stage | documents | text MB | wall s | CPU s | documents per wall s | peak MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for documents in arguments.documents:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            make_sample(folder, documents, arguments.linked)
            size = (
                pl.scan_parquet(folder / "selected.parquet").select(pl.col("content").str.len_bytes().sum()).collect()
            )
            whole = 0.0
            for stage in ("assign_splits", "write_release", "check_release"):
                cost = run_stage(stage, folder)
                whole += cost["wall"]
                rate = f"{documents / cost['wall']:,.0f} | {cost['peak']:,.0f} |"
                megabytes = f"{size.item() / 1e6:,.0f}"
                print(
                    f"| {stage} | {documents:,} | {megabytes} | {cost['wall']:.1f} | {cost['cpu']:.1f} | {rate}",
                    flush=True,
                )
                if stage == "assign_splits":
                    write_json(folder / "facts.json", facts(folder))
            print(
                f"| all three | {documents:,} | {megabytes} | {whole:.1f} | | {documents / whole:,.0f} | |", flush=True
            )


if __name__ == "__main__":
    main()
