"""Which texts, by whom, on which topics?

From the planted corpus, a release, PAN's files of pairs, or a table of one's own; one after another into one sealed
file. Texts stream, but for a release's, which are held.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from authbench.errors import InputError
from authbench.identity import digest
from authbench.raven.planted import planted_documents
from authbench.runtime.inventory import source_digest, take_inventory
from authbench.storage.parquet import GROUP_BYTES, read_batches, read_columns, read_rows, split_by_bytes, write_batches

DOCUMENTS = pl.Schema(
    {"id": pl.String, "author": pl.String, "topic": pl.String, "lang": pl.String, "content": pl.String}
)
KEYS = ("id", "author", "topic")
PLANTED, RELEASE = "planted", "release"
# What a table of one's own may call its columns.
NAMES = {
    "id": ("id", "doc_key", "document_id"),
    "author": ("author", "author_id"),
    "topic": ("topic", "fandom", "topic_id"),
    "content": ("content", "text"),
    "lang": ("lang", "language"),
}
NEEDED = ("author", "topic", "content")
TABLES = (".parquet", ".jsonl", ".csv")


def write_documents(place: str, path: Path, seed: int) -> str:
    """Write the documents of `place` to `path` as DOCUMENTS, each text of an author on a topic once. Returned is a line
    that tells how many. Raises InputError where nothing can be read, or nothing has an author, a topic and a text."""
    counts = {"read": 0, "kept": 0}

    def told() -> Iterator[pl.DataFrame]:
        known: set[str] = set()
        for frame in read_documents(place, seed):
            counts["read"] += frame.height
            frame = usable(frame)
            marks = [digest(*row) for row in frame.select("author", "topic", "content").iter_rows()]
            new = []
            for mark in marks:
                new.append(mark not in known)
                known.add(mark)
            frame = frame.with_columns(
                id=pl.when(pl.col("id").is_null()).then(pl.Series(marks, dtype=pl.String)).otherwise("id")
            ).filter(pl.Series(new, dtype=pl.Boolean))
            counts["kept"] += frame.height
            if frame.height:
                yield frame

    write_batches(path, DOCUMENTS, told())
    if not counts["kept"]:
        path.unlink()
        raise InputError(
            f"{place}: none of {counts['read']:,} documents has an author, a topic and a text. Expected all three of "
            "each document."
        )
    expect_unique(path, place)
    return f"{counts['kept']:,} documents, {counts['read'] - counts['kept']:,} left out (copies, or not all told)"


def usable(frame: pl.DataFrame) -> pl.DataFrame:
    """The documents that have an author, a topic and a text, with all columns of DOCUMENTS."""
    frame = frame.with_columns(pl.lit(None, pl.String).alias(name) for name in DOCUMENTS if name not in frame.columns)
    said = [pl.col(name).is_not_null() & (pl.col(name).str.strip_chars() != "") for name in NEEDED]
    return frame.select(
        pl.col(name).cast(pl.String)
        if name != "lang"
        else pl.col("lang").cast(pl.String).replace("", None).fill_null("en")
        for name in DOCUMENTS
    ).filter(pl.all_horizontal(said))


def expect_unique(path: Path, place: str) -> None:
    ids = read_columns([path], ["id"])["id"]
    twice = ids.filter(ids.is_duplicated())
    if len(twice):
        path.unlink()
        raise InputError(f"{place}: the id {twice[0]} occurs twice, with other texts. Expected each once.")


def read_documents(place: str, seed: int) -> Iterator[pl.DataFrame]:
    """Frames with some of the columns of DOCUMENTS: `planted`, a folder (a release, or PAN's files), or a table."""
    path = Path(place)
    if place == PLANTED:
        return planted_documents(seed)
    if path.is_dir() and list(path.glob("*truth.jsonl")):
        return from_pan(path)
    if path.is_dir() and list(path.glob("*/candidates.jsonl")):
        return from_release(path)
    if path.is_file() and path.suffix in TABLES:
        return from_table(path)
    raise InputError(
        f"{place}: cannot be read as documents. Expected {PLANTED}, a release, a folder with pairs.jsonl and "
        f"truth.jsonl of PAN, or a table ({', '.join(TABLES)}) with {', '.join(NEEDED)}."
    )


def from_release(folder: Path) -> Iterator[pl.DataFrame]:
    """The texts of all splits; where the release tells no topic the genre stands in."""
    from authbench.pan.documents import read_documents as read_release

    yield read_release(folder).rename({"text": "content"})


def from_table(path: Path) -> Iterator[pl.DataFrame]:
    """A table of one's own, by row groups or lines."""
    scan = {".parquet": pl.scan_parquet, ".jsonl": pl.scan_ndjson, ".csv": pl.scan_csv}[path.suffix]
    try:
        table = scan(path)  # type: ignore[operator]
        has = table.collect_schema().names()
        columns = {
            name: known[0] for name, names in NAMES.items() if (known := [other for other in names if other in has])
        }
        missing = [name for name in NEEDED if name not in columns]
        if missing:
            raise InputError(
                f"{path}: has no column {', '.join(missing)}. Expected author, topic and content (or text); found "
                f"{', '.join(has) or 'none'}."
            )
        for frame in table.select(pl.col(given).alias(name) for name, given in columns.items()).collect_batches():
            yield from split_by_bytes(frame)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise InputError(f"{path}: cannot be read: {problem}") from None


def place_digest(place: str, memory: Path) -> str:
    """Tells the files of a place from others, by what they hold; `memory` keeps digests by size and time."""
    path = Path(place)
    if place in (PLANTED, RELEASE) or not path.exists():
        return place
    files = [path.name] if path.is_file() else ["*.jsonl", "*/*.jsonl", "provenance.parquet"]
    folder = path.parent if path.is_file() else path
    return source_digest(take_inventory(folder.parent, {folder.name: {"files": files}}, memory)[folder.name])


def with_enough(keys: pl.DataFrame, least: int, most: int | None, seed: int) -> pl.DataFrame:
    """The documents of topics with at least `least`, and of each topic at most `most`, drawn by hash. Keeps `row`."""
    from authbench.identity import keyed_hashes

    held = keys.filter(pl.len().over("topic") >= least)
    if most is not None:
        held = (
            held.with_columns(keyed_hashes(seed, "documents of a topic", held["id"]).alias("rank"))
            .filter(pl.struct("rank", "id").rank("ordinal").over("topic") <= most)
            .drop("rank")
        )
    if not held.height:
        raise InputError(
            f"raven: none of {keys['topic'].n_unique()} topics has {least} documents. Lower raven.min_documents, or "
            "give more documents."
        )
    return held


def read_keys(path: Path) -> pl.DataFrame:
    """Id, author and topic of every document, and its `row` in the file."""
    return read_columns([path], KEYS).with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))


def read_contents(path: Path, keys: pl.DataFrame, columns: Sequence[str] = ("id", "content")) -> pl.DataFrame:
    """The columns of the documents of these keys (with `row`, ascending), at once."""
    rows = keys["row"].sort().to_numpy()
    return pl.concat(
        [pl.DataFrame(schema={name: DOCUMENTS[name] for name in columns}), *read_rows(path, rows, columns)]
    )


def stream(path: Path) -> Iterator[pl.DataFrame]:
    """All documents, a row group at a time."""
    return read_batches([path])


def from_pan(folder: Path) -> Iterator[pl.DataFrame]:
    """Both texts of every pair, with the author that the truth names and the fandom: PAN 2020 and 2021's files.

    The files are `pairs.jsonl` and `truth.jsonl`, or any `<name>.jsonl` with `<name>-truth.jsonl`. Of the truth, all is
    held; of the pairs a batch.
    """
    for truth in sorted(folder.glob("*truth.jsonl")):
        pairs = folder / (truth.name.removesuffix("-truth.jsonl") + ".jsonl")
        pairs = folder / "pairs.jsonl" if truth.name == "truth.jsonl" else pairs
        if not pairs.is_file():
            raise InputError(f"{pairs}: there is no such file, and {truth} tells of its pairs. Put both there.")
        authors = {row["id"]: row["authors"] for row in rows_of(truth, ("id", "authors"))}
        batch: list[tuple[str, str, str]] = []
        held = 0
        for row in rows_of(pairs, ("id", "fandoms", "pair")):
            if row["id"] not in authors:
                raise InputError(f"{pairs}: {truth.name} does not tell of the pair {row['id']}. Fetch both anew.")
            batch += zip(authors[row["id"]], row["fandoms"], row["pair"], strict=True)
            held += sum(map(len, row["pair"]))
            if held > GROUP_BYTES:
                yield of_pan(batch)
                batch, held = [], 0
        yield of_pan(batch)


def of_pan(batch: Sequence[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(batch, schema=dict.fromkeys(("author", "topic", "content"), pl.String), orient="row")


def rows_of(path: Path, needed: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file, one at a time. Raises InputError where one is none, or lacks a field."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = orjson.loads(line) if line.strip() else None
            except orjson.JSONDecodeError as problem:
                raise InputError(f"{path}, line {number}: no JSON object: {problem}") from None
            if row is not None:
                if not isinstance(row, dict) or any(row.get(field) is None for field in needed):
                    raise InputError(f"{path}, line {number}: expected an object with {', '.join(needed)}.")
                yield row
