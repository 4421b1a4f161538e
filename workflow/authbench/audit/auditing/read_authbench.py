"""Read datasets in this format: a release, the folder of a split, and the Parquet folder of Hugging Face."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from authbench.audit.auditing.dataset import ANSWERS, Dataset, Source, as_documents, split_rank, unique_ids
from authbench.core.errors import InputError, first_line
from authbench.core.storage.parquet_headers import bounded_parquet
from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, PAIRS, POSITIVES, QUERIES, SPLIT_TABLES, Table
from authbench.release.format.files import PROVENANCE
from authbench.release.format.tables import expect_file, read_pairs, read_table

_OF_PROVENANCE = ("origin", "date")
_SUFFIXES = (".parquet", ".jsonl", ".ndjson")
Files = Mapping[str, Mapping[str, list[Path]]]  # by split and table


def splits_below(path: Path) -> dict[str, Path]:
    """Return the folders of splits in this format: the folder itself, or folders in it."""
    if (path / CANDIDATES.file).is_file():
        return {path.resolve().name: path}
    found = {one.name: one for one in path.iterdir() if (one / CANDIDATES.file).is_file()}
    return dict(sorted(found.items(), key=lambda named: split_rank(named[0])))


def read_release(path: Path) -> Dataset:
    """Read a release, or the folder of a split of it. Raises InputError if a file is missing or a row is wrong."""
    folders = splits_below(path)
    for folder in folders.values():
        for table in SPLIT_TABLES.values():
            expect_file(folder / table.file)
    files = {
        split: {table.name: [folder / table.file] for table in SPLIT_TABLES.values()}
        | {table.name: [folder / table.file] for table in (POSITIVES, PAIRS) if (folder / table.file).is_file()}
        for split, folder in folders.items()
    }
    beside = [place / PROVENANCE for place in (path, path.resolve().parent) if (place / PROVENANCE).is_file()]
    return _dataset(path, "AuthBench release", files, beside[:1])


def configurations(path: Path, wanted: str) -> dict[str, dict[str, list[Path]]]:
    """Return the files of a Hugging Face folder by split and configuration; empty without the configuration `wanted`.

    Files are in `data/<configuration>/` or `<configuration>/`, and begin with the name of their split.
    """
    found: dict[str, dict[str, list[Path]]] = {}
    for top in (path / "data", path):
        if not (top / wanted).is_dir():
            continue
        for folder in sorted(one for one in top.iterdir() if one.is_dir()):
            for file in sorted(folder.iterdir()):
                if file.suffix in _SUFFIXES:
                    split = file.stem.split("-")[0].split(".")[0]
                    found.setdefault(split, {}).setdefault(folder.name, []).append(file)
        return found
    return found


def read_huggingface(path: Path) -> Dataset:
    """Read a folder of Parquet or JSON lines with the configurations candidates, queries and ground_truth.

    Raises:
        InputError: a split lacks files of a configuration.
    """
    files = {
        split: tables for split, tables in configurations(path, CANDIDATES.name).items() if CANDIDATES.name in tables
    }
    for split, tables in files.items():
        if missing := [name for name in SPLIT_TABLES if name not in tables]:
            raise InputError(
                f"{path}: the split {split} has no {', '.join(missing)}. Expected files such as "
                f"data/queries/{split}-00000-of-00001.parquet beside those of candidates."
            )  # fmt: skip
    beside = [
        file for tables in configurations(path, CANDIDATES.name).values() for file in tables.get("provenance", [])
    ]
    ordered = dict(sorted(files.items(), key=lambda named: split_rank(named[0])))
    return _dataset(path, "AuthBench on Hugging Face", ordered, beside)


def _dataset(path: Path, form: str, files: Files, provenance: list[Path]) -> Dataset:
    documents, answers, ignored = [], [ANSWERS.to_frame()], [ANSWERS.to_frame()]
    repeated, unasked, notes = list[str](), list[str](), list[str]()
    stated: dict[str, dict[str, pl.DataFrame]] = {POSITIVES.name: {}, PAIRS.name: {}}
    places: dict[str, list[Path]] = {}
    for split, tables in files.items():
        candidates, queries, truth = (
            pl.concat(
                [table.schema.to_frame(), *(rows for file in tables[table.name] for rows in _batches(file, table))]
            )
            for table in (CANDIDATES, QUERIES, GROUND_TRUTH)
        )
        if truth.height and not candidates.height:
            raise InputError(f"{path}: the split {split} has answers and no candidate. Fetch it anew.")
        for table, rows in ((CANDIDATES, candidates), (QUERIES, queries), (GROUND_TRUTH, truth)):
            ids = rows[table.ident]
            repeated += ids.filter(ids.is_duplicated()).unique(maintain_order=True).to_list()
            places[f"{split}/{table.name}"] = tables[table.name]
        unasked += truth.join(queries, on="query_id", how="anti", maintain_order="left")["query_id"].to_list()
        documents += list(_documents(split, candidates, queries, truth))
        answers.append(_exploded(split, truth, "positive_ids"))
        ignored.append(_exploded(split, truth.filter(pl.col("ignored_ids").is_not_null()), "ignored_ids"))
        for table in (POSITIVES, PAIRS):
            if table.name in tables:
                places[f"{split}/{table.name}"] = tables[table.name]
                stated[table.name][split] = pl.concat([read_pairs(file, table) for file in tables[table.name]])
    everything = pl.concat(documents)
    if provenance:
        everything = _with_provenance(everything, provenance)
        places["provenance"] = [file for file in provenance if file.is_relative_to(path)]
    else:
        notes.append("No provenance: every text counts as a work of its own.")
    return unique_ids(
        Dataset(
            form,
            everything,
            pl.concat(answers),
            pl.concat(ignored),
            positives=stated[POSITIVES.name],
            pairs=stated[PAIRS.name],
            repeated=tuple(dict.fromkeys(repeated)),
            unasked=tuple(dict.fromkeys(unasked)),
            notes=tuple(notes),
            sources=(Source(path, form, places),),
        )
    )


def _batches(file: Path, table: Table) -> Iterator[pl.DataFrame]:
    if file.suffix != ".parquet":
        yield from read_table(file, table)
        return
    try:
        rows = bounded_parquet(file)
        lacking = [name for name in table.required if name not in rows.columns]
        if lacking:
            raise InputError(f"{file}: has no column {', '.join(lacking)}; it has {', '.join(rows.columns)}.")
        for name in [name for name in table.names if name in rows.columns]:
            if not _is_of(rows.schema[name], table.schema[name]):
                raise InputError(f"{file}: the column {name} is of {rows.schema[name]}. Expected {table.schema[name]}.")
        absent = [pl.lit(None, table.schema[name]).alias(name) for name in table.optional if name not in rows.columns]
        yield rows.with_columns(absent).select(table.names).cast(dict(table.schema))  # type: ignore[arg-type]
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise InputError(f"{file}: cannot be read as {table.name} in Parquet: {first_line(problem)}") from None


def _is_of(found: pl.DataType, declared: pl.DataType) -> bool:
    """Return whether values of a type can be cast to a declared type without loss."""
    if isinstance(found, pl.List) and isinstance(declared, pl.List):
        return _is_of(found.inner, declared.inner)  # type: ignore[arg-type]
    text = declared == pl.String and found in (pl.Categorical, pl.Enum)
    return found in (declared, pl.Null) or text or (declared.is_integer() and found.is_integer())


def _documents(
    split: str, candidates: pl.DataFrame, queries: pl.DataFrame, truth: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Yield the candidates, then the other queries, with the author that the ground truth names."""
    texts = ("lang", "genre", "content", "source", "token_length")
    asked = pl.col("candidate_id").is_in(queries["query_id"].implode())
    named = truth.select("query_id", "author_id").unique("query_id", keep="first", maintain_order=True)
    others = (
        queries.with_row_index("row")
        .filter(~pl.col("query_id").is_in(candidates["candidate_id"].implode()))
        .join(named, on="query_id", how="left", maintain_order="left")
        .select(*texts, "row", author="author_id", id="query_id", query=pl.lit(True), candidate=pl.lit(False))
    )
    pool = candidates.select(*texts, author="author_id", id="candidate_id", query=asked, candidate=pl.lit(True))
    for table, rows in ((CANDIDATES, pool), (QUERIES, others)):
        yield as_documents(rows.with_columns(split=pl.lit(split), place=pl.lit(f"{split}/{table.name}")))


def _exploded(split: str, truth: pl.DataFrame, column: str) -> pl.DataFrame:
    listed = truth.select("query_id", candidate_id=column).explode("candidate_id").drop_nulls()
    return listed.select(pl.lit(split).alias("split"), "query_id", "candidate_id")


def _with_provenance(documents: pl.DataFrame, files: list[Path]) -> pl.DataFrame:
    tables = [bounded_parquet(file) for file in files]
    columns = [name for name in _OF_PROVENANCE if all(name in table.columns for table in tables)]
    for file, table in zip(files, tables, strict=True):
        for name in ("id", *columns):
            if table.schema.get(name) != pl.String:
                raise InputError(f"{file}: the column {name} is {table.schema.get(name, 'absent')}. Expected texts.")
    known = pl.concat([table.select("id", *columns) for table in tables]).unique("id", keep="first")
    if lacking := documents.join(known, on="id", how="anti").height:
        raise InputError(f"{files[0]}: has no row for {lacking:,} of {documents.height:,} texts. Fetch it anew.")
    kept = documents.drop(columns).join(known, on="id", how="left", maintain_order="left")
    return kept.select(documents.columns)
