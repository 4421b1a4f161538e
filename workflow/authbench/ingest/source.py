"""How do a corpus's files become the shards of our document records?

Rows stream from the files, in the order of their paths, into one temporary table per shard; each shard is then put in
order on its own, so that neither the number of shards nor the order of files shows in the result.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from authbench.errors import InputError
from authbench.identity import digest, shard_of
from authbench.ingest.files import MAX_RECORD_BYTES, RawFile, UnreadableFile
from authbench.ingest.mapping import Document, Mapped, Refused, compile_source, whole_characters
from authbench.ingest.readers import reader
from authbench.ingest.rows import BadRow, Needs, Reader, Row, missing, refuse_missing
from authbench.job import progress
from authbench.records import RECORD, REMOVED
from authbench.tables import GROUP_BYTES, write_batches

HELD_BYTES = 32 << 20
ROW_BYTES = 1 << 10  # of a row without its text, roughly
REFUSED_ROWS = 1 << 16
EXAMPLES = 3
MANY_BAD_ROWS = 10_000  # enough to stop before all files are read
UNSEEN_AFTER = 10_000  # rows without a field: it is missing
FILE_IS_TEXT = ("text", "tei", "blog_xml")  # formats in which a file is a text, or all texts of an author
WHOLE_FILE = "whole file"
# A record before its shard is put in order: `base` says that its key is shared by all copies, `text` is a digest.
DRAFT = pl.Schema([*RECORD.items(), ("base", pl.Boolean()), ("noisy", pl.Boolean()), ("text", pl.String())])
IDENTITY = ("source", "doc_key", "base", "file", "ordinal", "author_id", "text")
TALLIED = ("lang", "names_author", "noisy", "author_id")


@dataclass(frozen=True)
class IngestSettings:
    """The settings under `ingest:`; `author_key` is the value of the variable that `author_key_env` names."""

    other_languages: str = "drop"
    author_key: bytes | None = None
    max_bad_rows: float = 0.01
    max_record_bytes: int = MAX_RECORD_BYTES


def ingest_source(
    tag: str,
    source: Mapping[str, Any],
    folder: str | Path,
    files: Mapping[str, str],
    shards: Sequence[str | Path],
    removed: str | Path,
    settings: IngestSettings,
) -> dict[str, Any]:
    """Write a source's records to `shards` (RECORD, sorted by doc_key), what does not enter to `removed` (REMOVED).

    `files` maps the paths below `folder` to their SHA-256. Gives the counts of the stage and, under `facts`, what the
    report says of the source. Every record of the files is in one of the outputs, once. Raises InputError for files
    that cannot be read, missing fields, and too many bad rows.
    """
    if not files:
        raise InputError(
            f"{tag}: no file below {folder} matches {', '.join(source['files'])}. See its YAML for how to get it."
        )
    mapped = compile_source(tag, source, settings.other_languages == "keep", settings.author_key)
    tally = _Tally(tag)
    beside = Path(removed).parent
    beside.mkdir(parents=True, exist_ok=True)
    for left in beside.glob(f".{tag}-*"):  # by a run that was killed
        shutil.rmtree(left)
    with TemporaryDirectory(dir=beside, prefix=f".{tag}-") as aside:
        drafts = [Path(aside) / f"{place}.arrow" for place in range(len(shards))]
        gone = Path(aside) / "removed.arrow"
        with ExitStack() as stack:
            tables = [stack.enter_context(_Table(path, DRAFT)) for path in drafts]
            refused = stack.enter_context(_Table(gone, REMOVED))
            _read_all(tag, source, Path(folder), files, mapped, settings, tables, refused, tally)
        names = {sha: relative for relative, sha in sorted(files.items(), reverse=True)}

        def all_removed() -> Iterator[pl.DataFrame]:
            yield from _batches(gone)
            for draft, shard in zip(drafts, shards, strict=True):
                with pa.memory_map(str(draft)) as stored:
                    whole = pl.from_arrow(pa.ipc.open_file(stored).read_all())
                    assert isinstance(whole, pl.DataFrame)
                    kept, repeated = put_in_order(whole.select(IDENTITY), names)
                    write_batches(shard, RECORD, _gathered(whole, kept))
                    tally.keep(whole.select(TALLIED)[kept["row"].to_numpy()], repeated)
                    del whole
                yield repeated

        write_batches(removed, REMOVED, all_removed())
    return tally.counts(source, len(files))


def put_in_order(drafts: pl.DataFrame, names: Mapping[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Which drafts (IDENTITY columns) of a shard stay, as `row` and final `doc_key`, sorted by key; and REMOVED rows.

    Of rows that repeat a raw id with the same text and author the first (by file and ordinal) stays; where they
    differ all go, as nothing says which is right. Rows that have no raw id and nothing to tell them apart are numbered.
    `names` are the paths of the files by SHA-256.
    """
    drafts = drafts.with_row_index("row").sort("doc_key", "file", "ordinal", "author_id", "text")
    place, copies = pl.int_range(pl.len()).over("doc_key"), pl.len().over("doc_key")
    drafts = drafts.with_columns(copy=place, copies=copies)
    numbered = pl.col("base") & (pl.col("copy") > 0)
    drafts = drafts.with_columns(
        doc_key=pl.when(numbered).then(pl.format("{}-{}", "doc_key", pl.col("copy") + 1)).otherwise("doc_key")
    )
    alone = pl.col("base") | (pl.col("copies") == 1)
    texts = pl.struct("text", "author_id").n_unique().over("doc_key")
    repeated = drafts.filter(~alone).with_columns(conflict=texts > 1)
    stays = ~pl.col("conflict") & (pl.col("copy") == 0)
    gone = repeated.filter(~stays).select(
        "source",
        "doc_key",
        stage=pl.lit("ingest"),
        reason=pl.when("conflict").then(pl.lit("conflicting_id")).otherwise(pl.lit("repeated_id")),
        value=pl.lit(None, pl.Float64),
        threshold=pl.lit(None, pl.Float64),
        detail=pl.format("{} record {}", pl.col("file").replace(names), "ordinal"),
    )
    kept = pl.concat([drafts.filter(alone).select("row", "doc_key"), repeated.filter(stays).select("row", "doc_key")])
    return kept.sort("doc_key"), gone


def _gathered(drafts: pl.DataFrame, kept: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The kept records, a bounded part at a time out of the drafts that lie on disk."""
    rows = kept["row"].to_numpy()
    sizes = drafts["content"].str.len_bytes().to_numpy()[rows]
    starts = np.flatnonzero(np.diff(np.cumsum(sizes, dtype=np.int64) // GROUP_BYTES)) + 1
    for place, part in zip([0, *starts.tolist()], np.split(rows, starts), strict=True):
        yield drafts[part].with_columns(kept["doc_key"].slice(place, len(part)))


def _batches(path: Path) -> Iterator[pl.DataFrame]:
    with pa.memory_map(str(path)) as stored:
        file = pa.ipc.open_file(stored)
        for batch in range(file.num_record_batches):
            yield pl.from_arrow(file.get_batch(batch))  # type: ignore[misc]


def _read_all(
    tag: str,
    source: Mapping[str, Any],
    folder: Path,
    files: Mapping[str, str],
    mapped: Mapped,
    settings: IngestSettings,
    tables: "Sequence[_Table]",
    refused: "_Table",
    tally: "_Tally",
) -> None:
    read = reader(source["reader"]["format"])
    kind, task = source["author"]["kind"], source.get("task", "authorship")
    held = 0
    for relative in sorted(files):
        file = RawFile(folder / relative, relative, files[relative], max_record_bytes=settings.max_record_bytes)
        rows = _numbered_rows(tag, file, source, read, mapped, alone=len(files) == 1)
        for ordinal, part, row in progress(rows, f"{tag}: rows of {relative}"):
            tally.rows += 1
            if len(refused.rows) > REFUSED_ROWS:
                refused.flush()
            if isinstance(row, BadRow):
                tally.bad(f"{part} {row.position}: {row.reason}")
                refused.rows.append(_removal(tag, None, "bad_row", f"{part} {row.position}: {row.reason}"))
                continue
            made = mapped.document(row)
            if isinstance(made, Refused):
                tally.dropped[made.reason] += 1
                refused.rows.append(_removal(tag, made.doc_key, made.reason, f"{part} record {ordinal}"))
                continue
            size = len(made.content.encode())
            if size > settings.max_record_bytes:
                what = f"{part} record {ordinal}: {size} bytes of text, more than max_record_bytes"
                tally.bad(what)
                refused.rows.append(_removal(tag, made.doc_key, "bad_row", what))
                continue
            table = tables[shard_of(made.doc_key, len(tables))]
            table.rows.append(_draft(tag, kind, task, made, file.sha256, ordinal))
            held += size + ROW_BYTES
            if held > HELD_BYTES:
                held = 0
                for one in (*tables, refused):
                    one.flush()
        tally.stop_if_bad(settings.max_bad_rows, at_least=MANY_BAD_ROWS)
    tally.stop_if_bad(settings.max_bad_rows)


def _numbered_rows(
    tag: str, file: RawFile, source: Mapping[str, Any], read: Reader, mapped: Mapped, alone: bool
) -> Iterator[tuple[int, str, Row | BadRow]]:
    """The rows of a file (of all members of a zip file) with their ordinals; stops where a needed field is missing.

    A file of which nothing can be had stops the source if it is `alone` or a table; one of many files that each hold
    a text, or an empty one of many, is a bad row.
    """
    options = {**source["reader"], "columns": sorted(mapped.columns), "needs": mapped.needs}
    ordinal, read_well, first_bad = 0, 0, ""
    for part in file.members(source["files"]):
        fields = mapped.path_fields(part.relative)
        wanted: Needs = mapped.needs
        found, good = dict.fromkeys(fields), 0
        for row in _readable(read, part, options):
            if isinstance(row, BadRow):
                first_bad = first_bad or f" (all are bad rows; {row.position}: {row.reason})"
            else:
                good += 1
                if wanted:
                    wanted = missing(wanted, row)
                    found.update(dict.fromkeys(row))
                    if wanted and good == UNSEEN_AFTER:
                        break
                row.update(fields)
            yield ordinal, part.relative, row
            ordinal += 1
        if good:
            refuse_missing(part.relative, wanted, found)
        read_well += good
    if read_well or (first_bad and not alone and source["reader"]["format"] in FILE_IS_TEXT):
        return
    if alone or first_bad:
        raise InputError(
            f"{tag}: {file.relative} yields no records{first_bad}; check `reader` in config/sources/{tag}.yaml, or "
            "leave the file out of `files`."
        )
    yield ordinal, file.relative, BadRow(WHOLE_FILE, "no records")


def _readable(read: Reader, file: RawFile, options: Mapping[str, Any]) -> Iterator[Row | BadRow]:
    """A reader's rows; a file that is one text, and cannot be read, as a bad row."""
    try:
        yield from read(file, options)
    except UnreadableFile as problem:
        if options["format"] not in FILE_IS_TEXT:
            raise
        yield BadRow(WHOLE_FILE, str(problem))


def _removal(tag: str, doc_key: str | None, reason: str, detail: str) -> tuple[Any, ...]:
    return (tag, doc_key, "ingest", reason, None, None, whole_characters(detail))


def _draft(tag: str, kind: str, task: str, made: Document, sha256: str, ordinal: int) -> tuple[Any, ...]:
    return (
        made.doc_key,
        made.origin_id,
        made.author_id,
        kind,
        made.lang,
        made.genre,
        tag,
        task,
        made.topic,
        made.date,
        made.n_authors,
        made.labels,
        made.content,
        made.names_author,
        sha256,
        ordinal,
        made.base,
        made.noisy,
        digest(made.content),
    )


class _Table:
    """Rows on their way into a temporary Arrow file, which is read without being loaded."""

    def __init__(self, path: Path, schema: pl.Schema) -> None:
        self.schema, self.rows = schema, list[tuple[Any, ...]]()
        self.file = pa.OSFile(str(path), "wb")
        self.columns = pl.DataFrame(schema=schema).to_arrow().schema
        self.writer = pa.ipc.new_file(self.file, self.columns)

    def __enter__(self) -> "_Table":
        return self

    def __exit__(self, *failure: object) -> None:
        if failure[0] is None:
            self.flush()
        self.writer.close()
        self.file.close()

    def flush(self) -> None:
        if self.rows:
            frame = pl.DataFrame(self.rows, schema=self.schema, orient="row")
            self.writer.write_table(frame.to_arrow().cast(self.columns))
        self.rows = []


class _Tally:
    """What became of the rows of a source."""

    def __init__(self, tag: str) -> None:
        self.tag, self.rows, self.kept = tag, 0, 0
        self.dropped: Counter[str] = Counter()
        self.examples: list[str] = []
        self.languages: Counter[str] = Counter()
        self.flags: Counter[str] = Counter()
        self.authors: list[pl.Series] = []

    def bad(self, what: str) -> None:
        self.dropped["bad_row"] += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(what)

    def stop_if_bad(self, limit: float, at_least: int = 1) -> None:
        bad = self.dropped["bad_row"]
        if bad >= at_least and bad > limit * self.rows:
            raise InputError(
                f"{self.tag}: {bad} of {self.rows} rows cannot be read, more than ingest.max_bad_rows ({limit:.2%}). "
                f"First: {'; '.join(self.examples)}. Correct the reader's options, or raise the limit."
            )

    def keep(self, kept: pl.DataFrame, repeated: pl.DataFrame) -> None:
        self.kept += kept.height
        self.dropped.update(repeated["reason"].to_list())
        self.languages.update(dict(kept.group_by("lang").len().iter_rows()))
        self.flags.update({"names_author": int(kept["names_author"].sum()), "noisy": int(kept["noisy"].sum())})
        self.authors.append(kept["author_id"].str.slice(0, 16).unique())

    def counts(self, source: Mapping[str, Any], files: int) -> dict[str, Any]:
        dropped = {reason: count for reason, count in sorted(self.dropped.items()) if count}
        return {
            "stage": "ingest",
            "sources": {self.tag: {"in": self.rows, "kept": self.kept, "gained": 0, "dropped": dropped}},
            "facts": {
                "author_kind": source["author"]["kind"],
                "files": files,
                "documents": self.kept,
                "authors": pl.concat(self.authors).n_unique() if self.authors else 0,
                "bad_rows": self.dropped["bad_row"],
                "names_author": self.flags["names_author"] / self.kept if self.kept else 0.0,
                "noisy_authors": self.flags["noisy"] / self.kept if self.kept else 0.0,
                "languages": dict(sorted(self.languages.items())),
            },
        }
