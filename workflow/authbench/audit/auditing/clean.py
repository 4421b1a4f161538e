"""Write a dataset without its leaks, in its original form, and list what was removed.

Of copies, and of texts that contain each other, the old document is kept. A text with two labels is removed with all
its copies. An author of several splits is kept in the earliest split. The search is repeated until it finds no leak. A
query without an answer is removed, as is a problem that lacks a text. Kept texts are unchanged.

`diff.jsonl` has a line for each removed document, query or problem: `id`, `split`, `change`, `claim`, `old`. Audits of
the folder ignore it.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, count, repeat
from pathlib import Path

import orjson
import polars as pl

from authbench.audit.auditing.copies import Copies, find_copies
from authbench.audit.auditing.dataset import POOL, TEXTS, Dataset, Source, split_rank
from authbench.audit.auditing.read_episodes import FORM as EPISODES
from authbench.audit.auditing.read_episodes import text_field
from authbench.audit.auditing.read_pan import FOLDERS as PAN_FOLDERS
from authbench.audit.auditing.read_pan import FORM as PAN
from authbench.audit.auditing.read_pan import write_without
from authbench.audit.auditing.read_retrieval import BEIR, MTEB
from authbench.audit.auditing.read_style import STYLE
from authbench.audit.auditing.read_table import DIFF
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.core.storage.atomic import atomic_folder
from authbench.core.storage.exact_json import loads_exactly
from authbench.core.storage.json_lines import line_batches, write_json_lines
from authbench.core.storage.parquet_headers import bounded_parquet
from authbench.core.storage.raw_paths import expect_inside
from authbench.release.format.columns import GROUND_TRUTH, IDS
from authbench.release.reading.foreign import read_foreign

_ROUNDS = 10
_IDS = ("candidate_id", "query_id", "id", "_id")
_CHANGE = ("id", "split", "change", "claim", "old")  # fields of a line of DIFF
_LISTS = tuple(column.name for column in GROUND_TRUTH.columns if column.dtype == IDS)
_SEEN = frozenset((*_IDS, *_LISTS, "query-id", "corpus-id"))  # columns that decide whether a row stays
Keep = Callable[[Mapping[str, object], int], Mapping[str, object] | None]  # a row and its number; None: it is removed


@dataclass(frozen=True)
class Cleaned:
    """The removals of a clean version: counts before and after, and by claim."""

    folder: str
    documents: int
    kept: int
    removed: Mapping[str, int]
    queries_removed: int
    problems_removed: int

    def as_dict(self) -> dict[str, object]:
        return {**asdict(self), "diff": DIFF}


def expect_cleanable(dataset: Dataset, folder: Path) -> None:
    """Raise InputError if the folder exists, the form cannot be written, or rows would be lost."""
    if any(source.form == STYLE for source in dataset.sources):
        raise InputError("--clean: an entry of config/style derives its texts, so there is no file to write again.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: is there already. Expected a new folder for the clean version.")
    if dataset.unreadable:
        raise InputError(
            f"{len(dataset.unreadable)} rows cannot be read, and a clean version would lose them "
            f"({dataset.unreadable[0]}). Correct or remove them first."
        )


def write_clean(dataset: Dataset, copies: Copies, folder: Path) -> Cleaned:
    """Write the version into a new folder. Raises InputError as `expect_cleanable`."""
    expect_cleanable(dataset, folder)
    gone = removals(dataset, copies)
    left = without(dataset, gone)
    queries = _lost_queries(dataset, left, gone)
    problems = dataset.problems.join(left.problems, on=["split", "problem"], how="anti")
    split = dict(dataset.documents.select("id", "split").iter_rows())
    lines = [
        *((ident, split[ident], "document removed", *why) for ident, why in gone.items()),
        *((ident, split[ident], "query removed", "query_without_answer", None) for ident in queries),
        *((ident, of, "problem removed", None, None) for of, ident in problems.select("split", "problem").iter_rows()),
    ]
    with atomic_folder(folder) as aside:
        for part, (label, source) in enumerate(_labelled(dataset.sources)):
            own = replace(dataset, documents=dataset.documents.filter(part=part))
            _write(source, own, set(gone), set(queries), set(problems["problem"]), aside / label)
        write_json_lines(aside / DIFF, (dict(zip(_CHANGE, line, strict=True)) for line in lines))
    counts = dict(Counter(claim for claim, _ in gone.values()))  # of a Counter asdict makes nonsense
    return Cleaned(folder.name, dataset.documents.height, left.documents.height, counts, len(queries), problems.height)


def removals(dataset: Dataset, copies: Copies) -> dict[str, tuple[str, str | None]]:
    """Return the documents to remove, each with the claim that it breaks and the document that is kept instead."""
    gone: dict[str, tuple[str, str | None]] = {}
    left = dataset
    for _ in range(_ROUNDS):
        found: dict[str, tuple[str, str | None]] = {}
        for case in copies.cases.get("two_labels", []):
            found |= {ident: ("two_labels", None) for ident in case.ids if ident not in found}
        for old, new, claim in copies.pairs.iter_rows():
            if old not in found and new not in found:
                found[new] = (claim, old)
        found |= {ident: value for ident, value in _of_two_splits(left).items() if ident not in found}
        if not found:
            return gone
        gone |= found
        left = without(left, found)
        copies = find_copies(left)
    return gone


def _of_two_splits(dataset: Dataset) -> dict[str, tuple[str, str | None]]:
    """Return texts whose author or work already occurs in an earlier split."""
    rank = {name: place for place, name in enumerate(sorted(dataset.splits, key=split_rank))}
    found: dict[str, tuple[str, str | None]] = {}
    own = dataset.documents.filter(pl.col("split") != POOL)
    for claim, unit in (("author_in_splits", "author"), ("work_in_splits", "origin")):
        placed = own.drop_nulls(unit).with_columns(rank=pl.col("split").replace_strict(rank, return_dtype=pl.Int64))
        later = placed.filter(pl.col("rank") > pl.col("rank").min().over(unit))
        found |= dict.fromkeys(later["id"], (claim, None))
    return found


def without(dataset: Dataset, gone: Collection[str]) -> Dataset:
    """Return a dataset without some documents, and without problems and answers that name them."""
    ids = pl.Series(list(gone), dtype=pl.String).implode()
    pairs = ~(pl.col("query_id").is_in(ids) | pl.col("candidate_id").is_in(ids))
    return replace(
        dataset,
        documents=dataset.documents.filter(~pl.col("id").is_in(ids)),
        answers=None if dataset.answers is None else dataset.answers.filter(pairs),
        ignored=dataset.ignored.filter(pairs),
        problems=dataset.problems.filter(
            ~(pl.col("one").is_in(ids).fill_null(False) | pl.col("other").is_in(ids).fill_null(False))
        ),
    )


def _lost_queries(dataset: Dataset, left: Dataset, gone: Collection[str]) -> list[str]:
    """Return kept or query-only documents whose answers were all removed."""
    if dataset.answers is None or left.answers is None:
        return []
    true = dataset.answers.filter(pl.col("query_id") != pl.col("candidate_id"))
    after = left.answers.filter(pl.col("query_id") != pl.col("candidate_id"))
    lost = true.select("query_id").unique().join(after, on="query_id", how="anti")["query_id"]
    return sorted(ident for ident in lost if ident not in gone)


def _write(source: Source, dataset: Dataset, gone: set[str], queries: set[str], problems: set[str], base: Path) -> None:
    """Write the files of a source to the same relative paths; `dataset` contains only the source's documents."""
    top = source.path if source.path.is_dir() else source.path.parent
    rows = dataset.documents.filter(pl.col("id").is_in(list(gone)))
    by_row: dict[tuple[str, int], str] = {(place, row): ident for ident, place, row in
                                          rows.select("id", "place", "row").iter_rows()}  # fmt: skip
    for table, files in source.files.items():
        offset = 0
        for file in files:
            expect_inside(file, top)
            target = base / file.relative_to(top)
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.form == PAN_FOLDERS:
                write_without(file, target, problems)
                continue
            if source.form == PAN:
                keep: Keep = lambda row, _: None if row.get("id") in problems else row  # noqa: E731
            elif source.form == EPISODES:
                keep = _of_episode(dataset, table, gone)
            elif source.form in (BEIR, MTEB) or source.form.startswith("AuthBench"):
                keep = _of_release(table, gone, queries)
            else:
                keep = lambda row, number, table=table, offset=offset: (  # type: ignore[misc]  # noqa: E731
                    None if (table, number + offset) in by_row else row
                )
            if source.form == TEXTS:
                if keep({}, dataset.documents.filter(place=table)["row"][0]) is not None:
                    shutil.copyfile(file, target)
            else:
                offset += _filter_file(file, target, keep, source.encoding)


def _labelled(sources: Sequence[Source]) -> Iterator[tuple[str, Source]]:
    """Yield each source with a unique folder in the clean version."""
    taken: set[str] = set()
    for source in sources:
        stem = source.path.resolve().stem if len(sources) > 1 else ""
        names = chain([stem], (f"{stem}-{number}" for number in count(2)))
        label = next(name for name in names if name not in taken)
        taken.add(label)
        yield label, source


def _of_release(table: str, gone: set[str], queries: set[str]) -> Keep:
    """Return the test of which rows of a table of texts, answers or pairs are kept."""
    kind = next(part for part in (*table.split("/"), "") if part in _KINDS or not part)

    def keep(row: JsonMapping, _: int) -> JsonMapping | None:
        if kind in _TEXTS:
            ident = next(str(row[name]) for name in _TEXTS[kind] if name in row)
            return None if ident in gone or (kind == "queries" and ident in queries) else row
        if kind == "ground_truth":
            if row["query_id"] in gone or row["query_id"] in queries:
                return None
            lists = {name: [one for one in row[name] if one not in gone]
                     for name in _LISTS if row.get(name)}  # fmt: skip
            return {**row, **lists} if any(lists[name] != row[name] for name in lists) else row
        if kind in ("qrels", "default", "positives", "pairs"):
            query = str(row.get("query-id", row.get("query_id")))
            answer = str(row.get("corpus-id", row.get("candidate_id")))
            return None if query in gone or query in queries or answer in gone else row
        return row

    return keep


# Columns of ids of the tables of texts, the first that a table has.
_TEXTS = {"corpus": _IDS, "candidates": _IDS, "provenance": ("id",), "queries": ("query_id", *_IDS)}
_KINDS = frozenset({*_TEXTS, "ground_truth", "qrels", "default", "positives", "pairs"})


def _of_episode(dataset: Dataset, table: str, gone: set[str]) -> Keep:
    """Return the filter of a line: it keeps the remaining texts with their parallel values, and drops an empty line."""
    own = dataset.documents.filter((pl.col("place") == table) & pl.col("id").is_in(list(gone)))
    places: dict[int, set[int]] = {}
    for ident, row in own.select("id", "row").iter_rows():
        places.setdefault(row, set()).add(int(ident.rpartition("#")[2]) - 1)

    def keep(row: JsonMapping, number: int) -> JsonMapping | None:
        out = places.get(number)
        field = text_field(dict(row))
        if not out or field is None:
            return row
        length = len(row[field])
        kept = {
            name: [one for at, one in enumerate(value) if at not in out]
            if isinstance(value, list) and len(value) == length
            else value
            for name, value in row.items()
        }
        return kept if kept[field] else None

    return keep


def _filter_file(file: Path, target: Path, keep: Keep, encoding: str | None) -> int:
    """Write the rows of a file that are kept and return their number; unchanged lines of JSON stay byte-identical.

    Raises:
        InputError: the file is compressed, or its form cannot be written.
    """
    if file.suffix in (".jsonl", ".ndjson"):
        number = 0
        with target.open("wb") as out:
            for _, lines in line_batches(file):
                for line in filter(bytes.strip, lines):
                    row = loads_exactly(line)
                    kept = keep(row, number)
                    number += 1
                    if kept is row:
                        out.write(line)
                    elif kept is not None:
                        out.write(orjson.dumps(kept) + b"\n")
        return number
    if file.suffix == ".parquet":
        table = bounded_parquet(file)
        _left(table, keep).write_parquet(target)
        return table.height
    if file.suffix not in (".csv", ".tsv"):
        raise InputError(f"{file}: cannot be cleaned. Expected CSV, TSV, Parquet or JSON lines, unpacked.")
    found = read_foreign(file, lambda _: True, encoding)
    table = pl.DataFrame(found.columns, dict.fromkeys(found.columns, pl.String))
    _left(table, keep).write_csv(target, separator="\t" if file.suffix == ".tsv" else ",")
    return table.height


def _left(table: pl.DataFrame, keep: Keep) -> pl.DataFrame:
    """Return the rows of a table that stay. Python sees ids alone: it cannot hold every time that a table can."""
    seen = table.select(name for name, kind in table.schema.items() if name in _SEEN and not kind.is_temporal())
    rows = seen.iter_rows(named=True) if seen.width else repeat(dict[str, object](), table.height)
    kept = [keep(row, number) for number, row in enumerate(rows)]
    lists = {name: [one[name] for one in kept if one is not None] for name in seen.columns if name in _LISTS}
    left = table.filter(pl.Series([one is not None for one in kept], dtype=pl.Boolean))
    return left.with_columns(pl.Series(name, values, table.schema[name]) for name, values in lists.items())
