"""Ingest a corpus: write the records of its files by shard.

Rows are streamed from the files, sorted by path, to a temporary file. Each shard is then sorted separately, so the
records depend neither on the number of shards nor on the order of files.
"""

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from authbench.build.ingest.blocks import Part, gathered, read_parts
from authbench.build.ingest.drafts import Drafts
from authbench.build.ingest.mapping import PLAIN, Mapped, Naming, compile_source
from authbench.build.ingest.tally import Tally
from authbench.config.registry.source_entry import Extraction
from authbench.config.settings.ingest import Ingest
from authbench.core.errors import InputError
from authbench.core.identity import digest
from authbench.core.records import INGESTED, REMOVED, as_removed
from authbench.core.runtime.progress import progress
from authbench.core.storage.parquet import GROUP_BYTES, read_batches, write_batches, write_parquets
from authbench.core.storage.raw_paths import describe
from authbench.core.storage.unchanged import unchanged
from authbench.release.reading.characters import whole_characters
from authbench.release.reading.rows import BAD_ROW, BadRow

LOG = logging.getLogger(__name__)
REFUSED_ROWS = 1 << 16
MANY_BAD_ROWS = 10_000  # with so many, stop before all files are read
IDENTITY = ("doc_key", "base", "file", "ordinal", "author_id")
TALLIED = ("lang", "names_author", "noisy", "author_id")


def ingest_source(
    tag: str,
    extraction: Extraction,
    folder: str | Path,
    files: Mapping[str, str],
    shards: Sequence[str | Path],
    removed: str | Path,
    settings: Ingest,
    naming: Naming = PLAIN,
) -> dict[str, object]:
    """Write a source's records by shard (INGESTED, sorted by doc_key), rejected records to `removed` (REMOVED).

    Every record of the files is in exactly 1 output.

    Args:
        files: SHA-256 by path below `folder`; verified while the files are read.
        shards: the file of each shard; consecutive shards may share a file, in separate row groups.

    Returns:
        The counts of the stage, the report's facts on the source under `facts`, and the files read under `inputs`.

    Raises:
        InputError: files are unreadable or unexpected, fields are missing, or too many rows are bad.
    """
    if not files:
        raise InputError(
            f"{tag}: no file below {folder} matches {', '.join(extraction.files)}. See its YAML for how to get it."
        )
    mapped = compile_source(tag, extraction, settings, naming)
    tally = Tally(tag)
    names = {sha: relative for relative, sha in sorted(files.items(), reverse=True)}
    digests = sorted(names)
    numbers = {sha: number for number, sha in enumerate(digests)}
    same_for_all = {
        "author_kind": pl.when("work").then(pl.lit("work")).otherwise(pl.lit(extraction.author.kind)),
        "source": pl.lit(tag),
        "task": pl.lit(extraction.task),
        "label_kind": pl.when(~pl.col("work")).then(pl.lit(extraction.author.names, pl.String)),
        "file": pl.lit(pl.Series(digests, dtype=pl.String)).gather(pl.col("file")),
    }
    beside = Path(removed).parent
    beside.mkdir(parents=True, exist_ok=True)
    for left in beside.glob(f".{tag}-*"):  # left by a killed run
        shutil.rmtree(left)
    with TemporaryDirectory(dir=beside, prefix=f".{tag}-") as aside:
        gone = Path(aside) / "removed.parquet"
        with Drafts(Path(aside) / "drafts.arrow", len(shards)) as drafts:
            limit, units = settings["max_record_bytes"], tally.units
            parts = read_parts(tag, extraction, Path(folder), files, numbers, mapped, limit, units)
            with unchanged(Path(folder), files, tag) as check:
                parts = _checked(parts, check)
                write_batches(gone, REMOVED, _sorted_all(tag, parts, mapped, settings, drafts, tally))

        def sorted_shards(shards: Iterable[tuple[int, pl.DataFrame]]) -> Iterator[dict[str, pl.DataFrame]]:
            for number, waiting in shards:
                kept, repeated = put_in_order(waiting, tag, [names[sha] for sha in digests])
                tally.keep(waiting.select(TALLIED)[kept["row"].to_numpy()])
                tally.dropped.update(repeated["reason"].to_list())
                for part in in_order(waiting, kept):
                    yield {"records": part.with_columns(**same_for_all, shard=number), "removed": repeated}
                    repeated = repeated.clear()

        all_removed = [gone]
        numbered = enumerate(zip(map(Path, shards), drafts.by_shard(), strict=True), 1)
        for path, of_file in groupby(numbered, lambda shard: shard[1][0]):
            all_removed.append(Path(aside) / f"removed-{len(all_removed)}.parquet")
            outputs = {"records": (path, INGESTED), "removed": (all_removed[-1], REMOVED)}
            write_parquets(outputs, sorted_shards((number, waiting) for number, (_, waiting) in of_file))
        write_batches(removed, REMOVED, read_batches(all_removed))
    LOG.info("%s: %s; %d texts with half a character mended", tag, tally.units.sentence(), tally.mended)
    return {**tally.counts(extraction.author.kind, len(files)), "inputs": describe(files)}


def _checked(parts: Iterator[Part], check: Callable[[], None]) -> Iterator[Part]:
    for part in parts:
        check()
        yield part


def _sorted_all(
    tag: str, parts: Iterator[Part], mapped: Mapped, settings: Ingest, drafts: Drafts, tally: Tally
) -> Iterator[pl.DataFrame]:
    """Add the records of all parts to the drafts, and yield the rejected rows (REMOVED)."""
    gone: list[tuple[object, ...]] = []
    for some in progress(gathered(parts), f"{tag}: blocks of rows"):
        tally.rows += sum(len(part.rows) for part in some)
        for reason, doc_key, detail in _sorted_out(some, mapped, settings["max_record_bytes"], drafts, tally):
            tally.drop(reason, detail)
            gone.append((tag, doc_key, "ingest", reason, None, None, whole_characters(detail)))
        tally.stop_if_bad(settings["max_bad_rows"], at_least=MANY_BAD_ROWS)
        if len(gone) > REFUSED_ROWS:
            yield pl.DataFrame(gone, schema=REMOVED, orient="row")
            gone = []
    tally.stop_if_bad(settings["max_bad_rows"])
    yield pl.DataFrame(gone, schema=REMOVED, orient="row")


def _sorted_out(
    parts: Sequence[Part], mapped: Mapped, limit: int, drafts: Drafts, tally: Tally
) -> list[tuple[str, str | None, str]]:
    """Add the records of some parts to the drafts; return reason, key and place of the other rows, in order."""
    rows = [row for part in parts for row in part.rows]
    lengths = [len(part.rows) for part in parts]
    files = np.repeat(np.array([part.file for part in parts], np.int32), lengths)
    ordinals = np.concatenate([np.arange(part.start, part.start + len(part.rows)) for part in parts])
    paths = np.repeat(np.arange(len(parts)), lengths)

    def where(place: int) -> str:
        return f"{parts[paths[place]].path} record {ordinals[place]}"

    gone: dict[int, tuple[str, str | None, str]] = {}
    if BadRow in set(map(type, rows)):
        for place, row in enumerate(rows):
            if isinstance(row, BadRow):
                gone[place] = (row.kind, None, f"{parts[paths[place]].path} {row.position}: {row.reason}")
    good = np.delete(np.arange(len(rows)), list(gone))
    read: Any = [rows[place] for place in good] if gone else rows
    made = mapped.documents(read)
    tally.lose(mapped.losses(read, made.places, made.records))
    tally.mended += made.mended
    tally.unnamed += made.unnamed
    for one in made.refused:
        gone[int(good[one.place])] = (one.reason, one.doc_key, where(int(good[one.place])))
    places = good[made.places]
    sizes = pc.binary_length(made.records["content"]).to_numpy(zero_copy_only=False)
    fits = sizes <= limit
    for large in np.flatnonzero(~fits).tolist():
        what = f"{where(places[large])}: {sizes[large]} bytes of text, more than max_record_bytes"
        gone[int(places[large])] = (BAD_ROW, made.records["doc_key"][large].as_py(), what)
    kept = places[fits]
    drafts.add(made.records if fits.all() else made.records.filter(pa.array(fits)), files[kept], ordinals[kept])
    return [gone[place] for place in sorted(gone)]


def put_in_order(drafts: pl.DataFrame, tag: str, names: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a shard's kept drafts (`row` and final `doc_key`, sorted by key), and REMOVED rows for the others.

    Of rows that repeat a raw id with equal text and author, the first (by file and ordinal) is kept. If they differ,
    all are removed, since none is known to be right. Indistinguishable rows without a raw id are numbered. `names` are
    the files' paths by number. Memory: the keys of the shard, and digests of texts that share a raw id.
    """
    keys = drafts.select(IDENTITY).with_row_index("row")
    alone = keys["doc_key"].is_unique()
    copies = keys.filter(~alone)
    first, gone = _settled(copies.filter(~pl.col("base")), drafts["content"], tag, names)
    kept = [keys.filter(alone).select("row", "doc_key"), _numbered(copies.filter("base")), first]
    return pl.concat(kept).sort("doc_key"), gone


def _settled(
    repeated: pl.DataFrame, contents: pl.Series, tag: str, names: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows to keep among rows that repeat a raw id, and REMOVED rows for the others."""
    digests = pl.Series("text", [digest(contents[row]) for row in repeated["row"]], dtype=pl.String)
    repeated = (
        repeated.with_columns(digests)
        .sort("doc_key", "file", "ordinal", "author_id", "text")
        .with_columns(
            first=pl.col("doc_key").is_first_distinct(),
            conflict=pl.struct("text", "author_id").n_unique().over("doc_key") > 1,
        )
    )
    stays = pl.col("first") & ~pl.col("conflict")
    paths = pl.Series(names, dtype=pl.String)
    reason = pl.when("conflict").then(pl.lit("conflicting_id")).otherwise(pl.lit("repeated_id"))
    place = pl.format("{} record {}", pl.lit(paths).gather(pl.col("file")), "ordinal")
    gone = as_removed(repeated.filter(~stays).with_columns(source=pl.lit(tag)), "ingest", reason, place)
    return repeated.filter(stays).select("row", "doc_key"), gone


def _numbered(copies: pl.DataFrame) -> pl.DataFrame:
    """Return indistinguishable rows with keys numbered from the second on: key, key-2, and so on."""
    ordered = copies.sort("doc_key", "file", "ordinal").with_columns(
        number=pl.int_range(1, pl.len() + 1).over("doc_key")
    )
    numbered = pl.when(pl.col("number") > 1).then(pl.format("{}-{}", "doc_key", "number")).otherwise("doc_key")
    return ordered.select("row", doc_key=numbered)


def in_order(drafts: pl.DataFrame, kept: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the kept records in bounded parts, read from the drafts on disk."""
    rows = kept["row"].to_numpy()
    sizes = drafts["content"].str.len_bytes().to_numpy()[rows]
    starts = np.flatnonzero(np.diff(np.cumsum(sizes, dtype=np.int64) // GROUP_BYTES)) + 1
    for place, part in zip([0, *starts.tolist()], np.split(rows, starts), strict=True):
        yield drafts[part].with_columns(kept["doc_key"].slice(place, len(part)))
