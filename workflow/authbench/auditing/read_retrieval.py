"""Retrieval datasets in the layouts of BEIR and MTEB: a corpus, queries, and which documents answer them.

They name no authors: whatever answers join, directly or through others, counts as by one author.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.auditing.dataset import ANSWERS, DOCUMENTS, POOL, Dataset, Source, as_documents, unique_ids
from authbench.auditing.read_authbench import configurations
from authbench.errors import InputError
from authbench.storage.json_lines import read_objects

BEIR, MTEB = "BEIR retrieval folder", "MTEB retrieval folder"
_QRELS = ("default", "qrels")
Texts = dict[str, tuple[str, str]]  # by id: the text, and the file's label


def is_beir(path: Path) -> bool:
    return (path / "corpus.jsonl").is_file() and (path / "queries.jsonl").is_file()


def is_mteb(path: Path) -> bool:
    return bool(configurations(path, "corpus")) and bool(configurations(path, "queries"))


def read_beir(path: Path) -> Dataset:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv` (or `.jsonl`).

    Raises:
        InputError: `qrels` has no .tsv and no .jsonl.
    """
    qrels = sorted(file for file in (path / "qrels").glob("*") if file.suffix in (".tsv", ".jsonl"))
    if not qrels:
        raise InputError(f"{path}/qrels: holds no .tsv and no .jsonl. Expected BEIR's qrels, such as qrels/test.tsv.")
    corpus, queries = path / "corpus.jsonl", path / "queries.jsonl"
    answers = {file.stem: _read_qrels([file]) for file in qrels}
    aside = path / "ignored.tsv"
    ignored = {split: _read_qrels([aside], above=None) for split in answers} if aside.is_file() else {}
    places = {"corpus": [corpus], "queries": [queries], **{f"qrels/{file.stem}": [file] for file in qrels}}
    return _dataset(path, BEIR, {"": _read_texts([corpus])}, {"": _read_texts([queries])}, answers, ignored, places)


def read_mteb(path: Path) -> Dataset:
    """Read the configurations `corpus`, `queries` and `default` (or `qrels`), Parquet or JSON lines.

    Raises:
        InputError: there is no configuration with answers.
    """
    files = configurations(path, "corpus")
    corpora = {split: _read_texts(tables["corpus"]) for split, tables in files.items() if "corpus" in tables}
    queries = {split: _read_texts(tables["queries"]) for split, tables in files.items() if "queries" in tables}
    judged = {
        split: [file for name in _QRELS for file in tables.get(name, [])]
        for split, tables in files.items()
        if set(_QRELS) & tables.keys()
    }
    if not judged:
        raise InputError(f"{path}: has no configuration `default` or `qrels`. Expected the answers beside the corpus.")
    places = {f"{name}/{split}": own for split, tables in files.items() for name, own in tables.items()}
    answers = {split: _read_qrels(own) for split, own in judged.items()}
    return _dataset(path, MTEB, corpora, queries, answers, {}, places)


def _read_texts(files: list[Path]) -> Texts:
    """Return texts by id; a title stands before its text, on a line of its own."""
    found: Texts = {}
    for file in files:
        if file.suffix == ".parquet":
            try:
                rows = pl.read_parquet(file).iter_rows(named=True)
            except (pl.exceptions.PolarsError, OSError) as problem:
                raise InputError(f"{file}: cannot be read as Parquet: {problem}") from None
        else:
            rows = (row for _, row in read_objects(file))
        for row in rows:
            ident, text, title = row.get("_id", row.get("id")), row.get("text"), row.get("title")
            if ident is None or not isinstance(text, str):
                raise InputError(
                    f"{file}: a row has no _id or no text: {list(row)}. Expected `_id` and `text` in each."
                )
            found[str(ident)] = (f"{title}\n{text}" if title else text, file.name)
    return found


def _read_qrels(files: list[Path], above: int | None = 0) -> pl.DataFrame:
    """Return `query_id, candidate_id` of the judgements that are higher than `above` (None: of all)."""
    rows: list[tuple[str, str, float]] = []
    for file in files:
        if file.suffix == ".tsv":
            table = pl.read_csv(file, separator="\t", infer_schema=False, quote_char=None)
        elif file.suffix == ".parquet":
            table = pl.read_parquet(file)
        else:
            table = pl.DataFrame([row for _, row in read_objects(file)])
        if table.width < 2:
            raise InputError(
                f"{file}: has the columns {', '.join(table.columns)}. Expected query-id, corpus-id, score."
            )
        names = [name for name in ("query-id", "corpus-id", "score") if name in table.columns]
        table = table.select(names) if len(names) == 3 else table
        for row in table.iter_rows():
            try:
                rows.append((str(row[0]), str(row[1]), float(row[2]) if table.width > 2 else 1.0))
            except (TypeError, ValueError):
                raise InputError(
                    f"{file}: the score {row[2]!r:.40} is no number. Expected query-id, corpus-id, score."
                ) from None
    found = pl.DataFrame(rows, {"query_id": pl.String, "candidate_id": pl.String, "score": pl.Float64}, orient="row")
    return found.filter(pl.col("score") > above if above is not None else True).drop("score")


def _dataset(
    path: Path,
    form: str,
    corpora: Mapping[str, Texts],
    queries: Mapping[str, Texts],
    answers: Mapping[str, pl.DataFrame],
    ignored: Mapping[str, pl.DataFrame],
    places: Mapping[str, Sequence[Path]],
) -> Dataset:
    """Return the dataset. One corpus of several splits is POOL; of one split, it is that split's."""
    shared = len(corpora) == 1 and len(answers) > 1
    parts, stated, aside = [DOCUMENTS.to_frame()], [ANSWERS.to_frame()], [ANSWERS.to_frame()]
    author = _components(answers)
    unasked: dict[str, None] = {}
    if shared:
        parts.append(_table(next(iter(corpora.values())), POOL, "corpus", author, candidate=True))
    for split, judged in answers.items():
        corpus = corpora.get(split, next(iter(corpora.values())) if len(corpora) == 1 else {})
        asked = queries.get(split, next(iter(queries.values())) if len(queries) == 1 else {})
        unasked |= dict.fromkeys(ident for ident in judged["query_id"] if ident not in asked)
        mine = set(judged["query_id"]) if len(queries) == 1 and len(answers) > 1 else set(asked)
        twice = {ident for ident in mine if ident in corpus and ident in asked and corpus[ident][0] == asked[ident][0]}
        if not shared:
            table = _table(corpus, split, f"corpus/{split}" if len(corpora) > 1 else "corpus", author, candidate=True)
            parts.append(table.with_columns(query=pl.col("id").is_in(list(twice))))
        elif twice:
            parts[1] = parts[1].with_columns(query=pl.col("query") | pl.col("id").is_in(list(twice)))
        apart = {ident: asked[ident] for ident in asked if ident in mine and ident not in twice}
        name = f"queries/{split}" if len(queries) > 1 else "queries"
        parts.append(_table(apart, split, name, author, candidate=False))
        stated.append(judged.select(pl.lit(split).alias("split"), "query_id", "candidate_id"))
        if split in ignored:
            aside.append(ignored[split].select(pl.lit(split).alias("split"), "query_id", "candidate_id"))
    notes = (
        "No authors are named: what answers join, directly or through others, counts as by one author.",
        "No language is stated: langid's guess stands for it.",
    )
    source = Source(path, form, places)
    return unique_ids(
        Dataset(
            form,
            pl.concat(parts),
            pl.concat(stated),
            pl.concat(aside),
            unasked=tuple(unasked),
            notes=notes,
            sources=(source,),
        )
    )


def _table(texts: Texts, split: str, place: str, author: Mapping[str, str], candidate: bool) -> pl.DataFrame:
    table = pl.DataFrame(
        {
            "id": list(texts),
            "content": [text for text, _ in texts.values()],
            "author": [author.get(ident) for ident in texts],
        },
        schema={"id": pl.String, "content": pl.String, "author": pl.String},
    ).with_columns(
        split=pl.lit(split),
        place=pl.lit(place),
        candidate=pl.lit(candidate),
        query=pl.lit(not candidate),
        row=pl.int_range(pl.len(), dtype=pl.Int64),
    )
    return as_documents(table, derived=True)


def _components(answers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Return by id of a query or document the first id of its component."""
    parent: dict[str, str] = {}

    def root(ident: str) -> str:
        while parent.setdefault(ident, ident) != ident:
            parent[ident] = parent[parent[ident]]
            ident = parent[ident]
        return ident

    for judged in answers.values():
        for query, document in judged.iter_rows():
            one, other = sorted((root(query), root(document)))
            parent[other] = one
    return {ident: root(ident) for ident in parent}
