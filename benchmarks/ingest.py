"""How fast do raw files of each format become records, and how much memory does a large one take?

    PYTHONPATH=workflow:benchmarks python benchmarks/ingest.py [documents] [times ...]

Texts of ten languages (benchmarks/corpus.py, 600 characters on average) in every format that is read. Each format is
ingested by a process of its own; CPU seconds are those after its imports, memory is its VmHWM. With `times` the tables
are made so many times as large, every copy under ids of its own, to see what grows with a file: no row group of the
Parquet file is smaller than the file.
"""

import gzip
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import zstandard
from corpus import CHARACTERS, texts
from machine import heading

from authbench.build.ingest.mapping import Naming
from authbench.build.ingest.source import ingest_source
from authbench.config.registry.entries import default_settings
from authbench.config.registry.source_entry import make_extraction
from authbench.core.runtime.inventory import fitting_shards

MEAN_CHARS = 600
POSTS_PER_FILE = 20
PER_AUTHOR = 8
SMALLER = 10  # corpora of a file per text hold so many times fewer documents
FIELDS = {
    "text": "text",
    "author": "user",
    "id": "id",
    "lang": "lang",
    "genre": {"const": "social_media"},
    "date": {"field": "date", "match": r"^\d{4}-\d\d-\d\d"},
    "topic": "category",
}
OF_FILE = {"text": "text", "author": "file_name", "lang": {"const": "en"}, "genre": {"const": "literature"}}


def documents(number: int) -> pl.DataFrame:
    """Rows of a table: id, user, lang, date, category, text."""
    chance = np.random.default_rng(7)
    english = MEAN_CHARS / (sum(CHARACTERS.values()) / len(CHARACTERS))
    parts = [
        pl.DataFrame({"text": texts(lang, number // len(CHARACTERS), english * length, chance)}).select(
            lang=pl.lit(lang), text="text"
        )
        for lang, length in CHARACTERS.items()
    ]
    frame = pl.concat(parts).sample(fraction=1.0, shuffle=True, seed=7)
    users = chance.integers(max(1, frame.height // PER_AUTHOR), size=frame.height)
    return frame.with_row_index("n").select(
        id=pl.format("r{}", "n"),
        user=pl.format("user{}", pl.Series(users)),
        lang="lang",
        date=pl.format("2024-0{}-1{}T10:00:00", pl.col("n") % 9 + 1, pl.col("n") % 10),
        category=pl.format("c{}", pl.col("n") % 20),
        text="text",
    )


def copies(frame: pl.DataFrame, times: int) -> Iterator[pl.DataFrame]:
    return (frame.with_columns(id=pl.format("{}-{}", pl.lit(copy), "id")) for copy in range(times))


def write_csv(frame: pl.DataFrame, times: int, folder: Path) -> None:
    with (folder / "a.csv").open("wb") as file:
        for number, part in enumerate(copies(frame, times)):
            part.write_csv(file, include_header=number == 0)


def write_lines(frame: pl.DataFrame, times: int, file: IO[bytes]) -> None:
    for part in copies(frame, times):
        part.write_ndjson(file)


def write_plain(frame: pl.DataFrame, times: int, folder: Path) -> None:
    with (folder / "a.jsonl").open("wb") as file:
        write_lines(frame, times, file)


def write_gzip(frame: pl.DataFrame, times: int, folder: Path) -> None:
    with gzip.open(folder / "a.jsonl.gz", "wb", 1) as file:
        write_lines(frame, times, file)  # type: ignore[arg-type]


def write_zstandard(frame: pl.DataFrame, times: int, folder: Path) -> None:
    with zstandard.open(folder / "a.jsonl.zst", "wb") as file:
        write_lines(frame, times, file)


def write_array(frame: pl.DataFrame, times: int, folder: Path) -> None:
    with (folder / "a.json").open("wb") as file:
        for number, part in enumerate(copies(frame, times)):
            records = part.write_ndjson().rstrip("\n").replace("\n", ",\n")
            file.write(b"," * bool(number) + (b"[" * (not number)) + records.encode())
        file.write(b"]")


def write_parquet(frame: pl.DataFrame, times: int, folder: Path) -> None:
    whole = pl.concat(copies(frame, times)).to_arrow()
    pq.write_table(whole, folder / "a.parquet", compression="zstd", row_group_size=whole.num_rows)


def write_texts(frame: pl.DataFrame, times: int, folder: Path) -> None:
    for number, text in enumerate(frame["text"]):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")


def write_tei(frame: pl.DataFrame, times: int, folder: Path) -> None:
    for number, text in enumerate(frame["text"]):
        paragraphs = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n\n", "</p><p>")
        tei = f"<TEI><teiHeader/><text><body><p>{paragraphs}</p></body></text></TEI>"
        (folder / f"{number}.xml").write_text(tei, encoding="utf-8")


def write_blogs(frame: pl.DataFrame, times: int, folder: Path) -> None:
    for number, part in enumerate(frame.iter_slices(POSTS_PER_FILE)):
        posts = "".join(f"<date>14,May,2004</date>\n<post>{text}</post>\n" for text in part["text"])
        (folder / f"{number}.xml").write_text(f"<Blog>\n{posts}</Blog>\n", encoding="utf-8")


Writer = Callable[[pl.DataFrame, int, Path], None]
TABLES: dict[str, tuple[Writer, str]] = {
    "CSV": (write_csv, "csv"),
    "JSON lines": (write_plain, "jsonl"),
    "JSON lines, gzip": (write_gzip, "jsonl"),
    "JSON lines, zstandard": (write_zstandard, "jsonl"),
    "JSON array": (write_array, "json"),
    "Parquet": (write_parquet, "parquet"),
}
FILES: dict[str, tuple[Writer, str]] = {
    "plain text, a file each": (write_texts, "text"),
    "TEI, a file each": (write_tei, "tei"),
    f"blog XML, {POSTS_PER_FILE} a file": (write_blogs, "blog_xml"),
}


def ingest(form: str, fields: dict[str, Any], raw: Path, out: Path, shards: int, told: Any) -> None:
    files = {path.name: f"{number:064x}" for number, path in enumerate(sorted(raw.iterdir()))}
    entry = {"files": ["*"], "reader": {"format": form}, "fields": fields, "author": {"kind": "account"}}
    paths = [out / f"{place}.parquet" for place in range(shards)]
    started = time.process_time()
    counts = ingest_source(
        "bench",
        make_extraction(entry),
        raw,
        files,
        paths,
        out / "removed.parquet",
        default_settings()["ingest"],
        Naming(),
    )
    seconds = time.process_time() - started
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    told.put((counts["sources"]["bench"]["in"], seconds, peak / 1024))


def measured(name: str, write: Writer, form: str, frame: pl.DataFrame, times: int) -> str:
    """A line of the table."""
    with TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
        raw.mkdir()
        write(frame, times, raw)
        size = sum(path.stat().st_size for path in raw.iterdir())
        text = int(frame["text"].str.len_bytes().sum()) * times
        fields = FIELDS if name in TABLES else {**OF_FILE, "text": "post" if form == "blog_xml" else "text"}
        context = multiprocessing.get_context("spawn")
        told: Any = context.Queue()
        arguments = (form, fields, raw, Path(folder) / "out", fitting_shards(text, 2), told)
        job = context.Process(target=ingest, args=arguments)
        job.start()
        rows, seconds, peak = told.get()
        job.join()
    rates = f"{rows / seconds:,.0f} | {text / 1e6 / seconds:,.0f}"
    return f"| {name} | {rows:,} | {size / 1e6:,.0f} | {seconds:.1f} | {rates} | {peak:,.0f} |"


def main(number: int, sizes: list[int]) -> None:
    frame = documents(number)
    print(f"{heading()}\n\nShards as two cores have them.\n")
    print("| raw files | rows | MB | CPU s | rows per CPU s | MB of text per CPU s | VmHWM, MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for times in sizes:
        for name, (write, form) in TABLES.items():
            print(measured(name, write, form, frame, times), flush=True)
    for name, (write, form) in FILES.items():
        print(measured(name, write, form, frame.head(number // SMALLER), 1), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, [int(times) for times in sys.argv[2:]] or [1])
