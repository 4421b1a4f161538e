"""Rebuild the complete release from its public bundle and the raw corpora.

The bundle has every file without texts unchanged (`complete/`). Lines with texts are made of its labels and of texts
from the bundle or the corpora. The result equals the release byte for byte, verified by the checksums in the bundle, or
is not written.
"""

import heapq
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, NamedTuple

import numpy as np
import orjson
import polars as pl

from authbench.config.registry.entries import schema_problems
from authbench.config.settings.config import Config
from authbench.config.settings.data import DataConfig
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.printable import printable
from authbench.core.storage.atomic import atomic_file, atomic_folder, sha256_of_file, write_text
from authbench.core.storage.json_lines import read_objects
from authbench.core.storage.sha256sums import SUMS, sums_lines, write_sums
from authbench.publish.export.bundle import write_part
from authbench.publish.rebuild.texts import expect_entries, texts_of_source
from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, QUERIES, Table
from authbench.release.format.files import COMPLETE, MANIFEST, NOT_FOUND, PROVENANCE, WITHHELD
from authbench.release.format.release import Release, open_complete_release
from authbench.release.format.tables import concat
from authbench.release.format.verify import read_withheld

REASON = "not_found"


class Unmatched(NamedTuple):
    """Hold a document whose text the raw corpora no longer contain, with the reason."""

    id: str
    source: str
    reason: str


def write_partial(folder: Path, bundle: Release, found: Path, unmatched: Sequence[Unmatched]) -> None:
    """Write the release of the texts that were found, whatever their tier. Memory: as `release.part.part_of`.

    Like a public bundle, it withholds the others (NOT_FOUND), and has `complete/` and `tier_b.json` of the bundle, to
    rebuild it again when more raw files are found.

    Args:
        found: the complete release without the lines of the texts that were not found.
        unmatched: these texts, sorted by id.
    """
    complete = open_complete_release(found)
    missing = pl.DataFrame(
        [(one.id, one.source, REASON) for one in unmatched], ("id", "source", "reason"), orient="row"
    )
    write_part(folder, complete, missing)
    shutil.copytree(bundle.folder / COMPLETE, folder / COMPLETE, dirs_exist_ok=True)
    shutil.copyfile(bundle.folder / WITHHELD, folder / WITHHELD)
    write_text(folder / NOT_FOUND, pl.DataFrame(unmatched, ("id", "source", "reason"), orient="row").write_csv())
    write_sums(folder)


_NEEDED = (
    *("id", "split", "source", "author_id", "lang", "genre", "token_length"),
    *("file", "ordinal", "chunk_start", "chunk_end", "content_sha256"),
)
_SECTIONS = ("ingest", "normalize")  # of the configuration: they determine a text, together with its source's entry
_LINES = 1024  # lines made at a time


class _Texts:
    """Store texts as JSON strings in a temporary file, by row. Memory: 16 bytes for each."""

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


def rebuild(bundle: Release, raw_dir: Path, out: Path, partial: bool = False) -> list[Unmatched]:
    """Write the release of a public bundle to the folder `out`; return the texts that no longer match, if any.

    Memory: a block of rows, a batch of lines, and the provenance; with `partial`, as `release.part.part_of`.

    Args:
        bundle: the public bundle, opened as complete.
        out: the folder to write; it appears complete or not at all.
        partial: whether to write a release of the matching texts if others do not match; else none is written.

    Raises:
        InputError: it is not a bundle, is damaged, holds what the release did not, or was built with settings unknown
            to this version; or no text of a partial release is found.
    """
    if not bundle.withheld:
        raise InputError(f"{bundle.folder} has no {WITHHELD}: it withholds nothing, so there is nothing to rebuild.")
    withheld = read_withheld(bundle.folder)
    settings = _settings(bundle)
    wanted = bundle.absent.select(_NEEDED).with_row_index("row")
    if wanted["file"].null_count() or wanted["ordinal"].null_count():
        raise InputError(
            f"{bundle.folder / COMPLETE / PROVENANCE}: a withheld text has no file or no ordinal. Fetch it anew."
        )
    expect_entries(wanted["source"].unique().to_list(), withheld.sources)
    with TemporaryFile() as file:
        texts = _Texts(file, wanted.height)
        unmatched = _collect(wanted, withheld.sources, raw_dir, settings, texts)
        file.flush()
        if not unmatched:
            with atomic_folder(out) as folder:
                _write_files(folder, bundle, withheld.files, wanted, texts)
        elif partial:
            _write_found(out, bundle, withheld.files, wanted, texts, sorted(unmatched))
    return sorted(unmatched)


def _write_found(
    out: Path,
    bundle: Release,
    sums: Mapping[str, str],
    wanted: pl.DataFrame,
    texts: _Texts,
    unmatched: Sequence[Unmatched],
) -> None:
    lost = pl.Series([one.id for one in unmatched], dtype=pl.String).implode()
    found = wanted.filter(~pl.col("id").is_in(lost))
    if not found.height and not bundle.provenance.height:
        raise InputError(f"{bundle.folder}: none of its texts is found, so there is nothing to write. Mend --raw.")
    with atomic_folder(out) as folder, TemporaryDirectory(dir=out.parent, prefix=".found.") as place:
        _write_files(Path(place), bundle, sums, found, texts, whole=False)
        write_partial(folder, bundle, Path(place), unmatched)


def _settings(bundle: Release) -> DataConfig:
    """Return the settings by which the texts of a bundle were read. Raises InputError if they are malformed."""
    config: DataConfig = bundle.manifest["config"]
    path = bundle.folder / MANIFEST
    if missing := [part for part in _SECTIONS if part not in config]:
        raise InputError(f"{path}: config lacks {', '.join(missing)}. Expected the manifest of a release.")
    problems = [problem for part, problem in schema_problems(config, Config) if part in _SECTIONS]
    if problems:
        raise InputError(printable(f"{path}: config: {'; '.join(problems)}. Use the version that it names."))
    return config


def _collect(
    wanted: pl.DataFrame, entries: JsonMapping, raw_dir: Path, settings: DataConfig, texts: _Texts
) -> list[Unmatched]:
    """Put the wanted texts into `texts`; return the unavailable ones with reasons."""
    unmatched = []
    for (tag,), rows in wanted.group_by("source", maintain_order=True):
        source = str(tag)
        for found, missing in texts_of_source(source, entries[source], raw_dir, rows, settings):
            texts.add(list(found), list(found.values()))
            unmatched += [Unmatched(wanted["id"][row], source, reason) for row, reason in missing.items()]
    return unmatched


def _write_files(
    folder: Path,
    bundle: Release,
    sums: Mapping[str, str],
    wanted: pl.DataFrame,
    texts: _Texts,
    whole: bool = True,
) -> None:
    """Write every file of the release; raise InputError if a file does not match `sums`.

    Files of texts are only checked if all texts are found (`whole`).
    """
    joined = {f"{split}/{table.file}": (split, table) for split in bundle.splits for table in (CANDIDATES, QUERIES)}
    complete = bundle.folder / COMPLETE
    for path in sorted(sums):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if path in joined:
            split, table = joined[path]
            ids = _ids_of(bundle, split, table)
            rows = wanted.filter((pl.col("split") == split) & pl.col("id").is_in(ids.implode()))
            _write_joined(folder / path, table, _present(bundle, split, table, set(ids)), rows, texts)
        elif (complete / path).is_file():
            shutil.copyfile(complete / path, folder / path)
        else:
            raise InputError(
                f"{bundle.folder / WITHHELD} names {path}, which is not there, in {complete}. Fetch the bundle anew."
            )
        if (whole or path not in joined) and sha256_of_file(folder / path) != sums[path]:
            raise InputError(
                f"{bundle.folder}: {path} is not what it was when the bundle was made. Fetch the bundle anew."
            )
    write_text(folder / SUMS, sums_lines(sums))


def _ids_of(bundle: Release, split: str, table: Table) -> pl.Series:
    """Return the ids of the documents in the queries, or the candidates, of a split of the complete release."""
    complete = replace(bundle, folder=bundle.folder / COMPLETE)
    queries = concat(complete.rows(split, GROUND_TRUTH), GROUND_TRUTH)["query_id"]
    if table is QUERIES:
        return queries
    everyone = pl.concat([bundle.provenance.select("id", "split"), bundle.absent.select("id", "split")])
    own = everyone.filter(pl.col("split") == split)
    shared = bundle.manifest["config"]["release"]["queries_in_candidates"]
    return own["id"] if shared else own.filter(~pl.col("id").is_in(queries.implode()))["id"]


def _present(bundle: Release, split: str, table: Table, ids: Set[str]) -> Iterator[tuple[str, JsonObject]]:
    """Yield the rows of a file of the complete release whose texts are in the bundle, by id, each once."""

    def rows(name: Table) -> Iterator[tuple[str, JsonObject]]:
        return ((row[name.ident], row) for _, row in read_objects(bundle.path(split, name)))

    before = None
    for ident, row in heapq.merge(rows(CANDIDATES), rows(QUERIES), key=itemgetter(0)):
        if ident in ids and ident != before:
            before = ident
            yield ident, {**row, table.ident: ident}


def _write_joined(
    target: Path, table: Table, present: Iterator[tuple[str, JsonObject]], rows: pl.DataFrame, texts: _Texts
) -> None:
    """Write the rows whose texts are in the bundle, merged with `rows` in the order of their ids."""

    def withheld() -> Iterator[tuple[str, dict[str, object]]]:
        # numbers of rows instead of their texts
        labels = rows.rename({"id": table.ident, "row": "content"}).select(table.names)
        for some in labels.iter_slices(_LINES):
            for row, text in zip(some.to_dicts(), texts.of(some["content"].to_list()), strict=True):
                row["content"] = text
                yield row[table.ident], row

    def lines() -> Iterator[bytes]:
        for _, row in heapq.merge(present, withheld(), key=itemgetter(0)):
            yield orjson.dumps({name: row[name] for name in table.names}, option=orjson.OPT_APPEND_NEWLINE)

    with atomic_file(target) as aside, aside.open("wb") as file:
        file.writelines(lines())
