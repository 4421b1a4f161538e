"""Can the whole release be made again of its public bundle and the raw corpora?

Every line that the bundle lacks is made of its labels, which the bundle has, and its text, which the corpora have. The
result is the release to the byte, as the checksums in the bundle say, or there is none.
"""

import heapq
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np
import orjson
import polars as pl

from authbench.errors import InputError
from authbench.export.reading import CANDIDATE, IDENT, QUERY, WITHHELD, Benchmark, line_batches, open_release
from authbench.rebuild.texts import refuse_unknown_pages, texts_of_source
from authbench.storage.atomic import atomic_file, atomic_folder, sha256_of_file, write_text

NEEDED = (
    *("id", "split", "source", "author_id", "lang", "genre", "token_length"),
    *("file", "ordinal", "chunk_start", "chunk_end", "content_sha256"),
)
LABELS = {"candidates": CANDIDATE.names(), "queries": QUERY.names()}
LINES = 1024  # that are made at a time


class Unmatched(NamedTuple):
    """A document whose text the raw corpora no longer give, and why."""

    id: str
    source: str
    reason: str


class Texts:
    """The texts that were found, as JSON strings in a temporary file. Holds 16 bytes for each."""

    def __init__(self, file: IO[bytes], number: int) -> None:
        self.file, self.end = file, 0
        self.starts, self.sizes = np.zeros(number, np.int64), np.zeros(number, np.int64)

    def add(self, rows: Sequence[int], texts: Sequence[str]) -> None:
        data = list(map(orjson.dumps, texts))
        sizes = np.fromiter(map(len, data), np.int64, len(data))
        ends = self.end + np.cumsum(sizes)
        self.starts[rows], self.sizes[rows] = ends - sizes, sizes
        self.file.write(b"".join(data))
        self.end += int(sizes.sum())

    def of(self, rows: Sequence[int]) -> Iterator[orjson.Fragment]:
        handle = self.file.fileno()
        for size, start in zip(self.sizes[rows].tolist(), self.starts[rows].tolist(), strict=True):
            yield orjson.Fragment(os.pread(handle, size, start))


def rebuild(bundle: Path, raw_dir: Path, out: Path) -> list[Unmatched]:
    """Write the release of a public bundle as the folder `out`, or give the texts that no longer match.

    `raw_dir` holds the folders of the sources. Memory: a block of rows, a batch of lines, and what provenance says.
    Raises InputError where the bundle is none, is damaged, or holds what the release did not.
    """
    benchmark = open_release(bundle, with_tier_b=True)
    if not benchmark.withheld:
        raise InputError(f"{bundle} has no {WITHHELD}: it withholds nothing, so there is nothing to rebuild.")
    told = orjson.loads((bundle / WITHHELD).read_bytes())
    wanted = benchmark.provenance.filter(pl.col("tier") == "B").select(NEEDED).with_row_index("row")
    refuse_unknown_pages(wanted["source"].unique().to_list(), told["sources"])
    with TemporaryFile() as file:
        texts = Texts(file, wanted.height)
        unmatched = collect(wanted, told["sources"], raw_dir, benchmark.manifest["config"], texts)
        if unmatched:
            return sorted(unmatched)
        file.flush()
        with atomic_folder(out) as folder:
            write_all(folder, benchmark, told["files"], wanted, texts)
    return []


def collect(
    wanted: pl.DataFrame, pages: Mapping[str, Any], raw_dir: Path, settings: Mapping[str, Any], texts: Texts
) -> list[Unmatched]:
    """Put the wanted texts into `texts`, and give those that are not to be had."""
    unmatched = []
    for (tag,), rows in wanted.group_by("source", maintain_order=True):
        source = str(tag)
        for found, missing in texts_of_source(source, pages[source], raw_dir, rows, settings):
            texts.add(list(found), list(found.values()))
            unmatched += [Unmatched(wanted["id"][row], source, reason) for row, reason in missing.items()]
    return unmatched


def write_all(folder: Path, benchmark: Benchmark, files: Mapping[str, str], wanted: pl.DataFrame, texts: Texts) -> None:
    """Write every file of the release, and see that it is what it was."""
    joined = {f"{split}/{name}.jsonl": (split, name) for split in benchmark.splits for name in IDENT}
    for path in sorted(files):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if path in joined:
            split, name = joined[path]
            rows = wanted.filter(pl.col("split") == split).filter(pl.col("id").is_in(ids_of(benchmark, split, name)))
            write_joined(benchmark.folder / path, folder / path, IDENT[name], LABELS[name], rows, texts)
        else:
            shutil.copyfile(benchmark.folder / path, folder / path)
        if sha256_of_file(folder / path) != files[path]:
            raise InputError(
                f"{benchmark.folder / path} is not what it was when the bundle was made. Fetch the bundle anew."
            )
    write_text(folder / "SHA256SUMS", "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items())))


def ids_of(benchmark: Benchmark, split: str, name: str) -> list[str]:
    """The ids of the tier B documents that the release has among the queries, or the candidates, of a split."""
    lines = (line for some in line_batches(benchmark.folder / split / "ground_truth.jsonl") for line in some)
    asked = {orjson.loads(line)["query_id"] for line in lines}
    everyone = benchmark.provenance.filter((pl.col("split") == split) & (pl.col("tier") == "B"))["id"]
    shared = benchmark.manifest["config"]["release"]["queries_in_candidates"]
    return [ident for ident in everyone if (ident in asked if name == "queries" else shared or ident not in asked)]


def write_joined(
    source: Path, target: Path, ident: str, labels: Sequence[str], rows: pl.DataFrame, texts: Texts
) -> None:
    """Write the bundle's lines and those of `rows` in the order of their ids."""

    def here() -> Iterator[tuple[str, bytes]]:
        for lines in line_batches(source):
            for line in lines:
                yield orjson.loads(line)[ident], line

    def absent() -> Iterator[tuple[str, bytes]]:
        known = rows.rename({"id": ident, "row": "content"}).select(labels)  # rows stand for their texts
        for some in known.iter_slices(LINES):
            for told, text in zip(some.to_dicts(), texts.of(some["content"].to_list()), strict=True):
                told["content"] = text
                yield told[ident], orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE)

    with atomic_file(target) as aside, aside.open("wb") as file:
        file.writelines(line for _, line in heapq.merge(here(), absent(), key=itemgetter(0)))
