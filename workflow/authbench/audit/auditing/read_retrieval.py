"""Read retrieval datasets in the layouts of BEIR and MTEB: a corpus, queries, and judgements of answers.

They name no authors: texts that answers join, directly or through others, have the same author.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.audit.auditing.dataset import ANSWERS, DOCUMENTS, POOL, Dataset, Source, as_documents, root, unique_ids
from authbench.audit.auditing.read_authbench import configurations
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.release.reading.foreign import ForeignTable, bad_rows_note, read_foreign, text_column

BEIR, MTEB = "BEIR retrieval folder", "MTEB retrieval folder"
_QRELS = ("default", "qrels")
_QRELS_COLUMNS = ("query-id", "corpus-id", "score")
Texts = dict[str, tuple[str, str]]  # by id: the text, and the file's label


def is_beir(path: Path) -> bool:
    return (path / "corpus.jsonl").is_file() and (path / "queries.jsonl").is_file()


def is_mteb(path: Path) -> bool:
    return any({"corpus", "queries"} <= tables.keys() for tables in _of_mteb(path).values())


def _of_mteb(path: Path) -> dict[str, dict[str, list[Path]]]:
    """Return the files by split and configuration; of several languages, as in `de-corpus`, each has its splits."""
    found = configurations(path, "corpus")
    for folder in sorted({*path.glob("data/*-corpus"), *path.glob("*-corpus")}):
        lang = folder.name.removesuffix("corpus")
        for split, tables in configurations(path, folder.name).items():
            own = {name.removeprefix(lang): files for name, files in tables.items() if name.startswith(lang)}
            found |= {f"{lang}{split}": own} if own else {}
    return found


def read_beir(path: Path) -> Dataset:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv` (or `.jsonl`).

    Raises:
        InputError: `qrels` has neither .tsv nor .jsonl.
    """
    qrels = sorted(file for file in (path / "qrels").glob("*") if file.suffix in (".tsv", ".jsonl"))
    if not qrels:
        raise InputError(f"{path}/qrels: holds no .tsv and no .jsonl. Expected BEIR's qrels, such as qrels/test.tsv.")
    corpus, queries = path / "corpus.jsonl", path / "queries.jsonl"
    answers = {file.stem: _read_qrels([file]) for file in qrels}
    aside = path / "ignored.tsv"
    ignored = {split: _read_qrels([aside], above=None) for split in answers} if aside.is_file() else {}
    places = {"corpus": [corpus], "queries": [queries], **{f"qrels/{file.stem}": [file] for file in qrels}}
    texts, repeated = _read_texts([corpus])
    asked, also = _read_texts([queries])
    return _dataset(path, BEIR, {"": texts}, {"": asked}, answers, ignored, places, [*repeated, *also])


def read_mteb(path: Path) -> Dataset:
    """Read the configurations `corpus`, `queries` and `default` (or `qrels`), Parquet or JSON lines.

    Raises:
        InputError: there is no configuration with answers.
    """
    files = _of_mteb(path)
    read = {
        name: {split: _read_texts(tables[name]) for split, tables in files.items() if name in tables}
        for name in ("corpus", "queries")
    }
    corpora, queries = ({split: texts for split, (texts, _) in read[name].items()} for name in ("corpus", "queries"))
    repeated = [ident for several in read.values() for _, ids in several.values() for ident in ids]
    judged = {
        split: [file for name in _QRELS for file in tables.get(name, [])]
        for split, tables in files.items()
        if set(_QRELS) & tables.keys()
    }
    if not judged:
        raise InputError(f"{path}: has no configuration `default` or `qrels`. Expected the answers beside the corpus.")
    places = {f"{name}/{split}": own for split, tables in files.items() for name, own in tables.items()}
    answers = {split: _read_qrels(own) for split, own in judged.items()}
    return _dataset(path, MTEB, corpora, queries, answers, {}, places, repeated)


def _read_texts(files: list[Path]) -> tuple[Texts, list[str]]:
    """Return texts by id, and the repeated ids, whose first text counts.

    A title precedes its text on a separate line.
    """
    found: Texts = {}
    repeated: list[str] = []
    for file in files:
        table = _read(file, ("_id", "id", "title", "text"))
        ident = "_id" if "_id" in table.columns else "id"
        if table.rows and not {ident, "text"} <= table.columns.keys():
            raise InputError(f"{file}: has no _id or no text. Expected `_id` and `text` in each row.")
        columns = [_column(file, table, name) for name in (ident, "text", "title")]
        for row, (name, text, title) in enumerate(zip(*columns, strict=True), start=1):
            if name is None or text is None:
                raise InputError(f"{file}: row {row} has no _id or no text. Expected `_id` and `text` in each.")
            if name in found:
                repeated.append(name)
            found.setdefault(name, (f"{title}\n{text}" if title else text, file.name))
    if not found:
        raise InputError(f"{', '.join(map(str, files))}: holds no text. Expected a corpus and queries of some texts.")
    return found, repeated


def _read_qrels(files: list[Path], above: int | None = 0) -> pl.DataFrame:
    """Return `query_id, candidate_id` of the judgements that are higher than `above` (None: of all)."""
    parts = [pl.DataFrame(schema={"query_id": pl.String, "candidate_id": pl.String})]
    for file in files:
        table = _read(file, _QRELS_COLUMNS)
        if not table.rows and above is not None:
            raise InputError(f"{file}: holds no judgement below a line of {', '.join(_QRELS_COLUMNS)}.")
        if table.rows and not set(_QRELS_COLUMNS[:2]) <= table.columns.keys():
            names = ", ".join(printable(name[:40]) for name in table.names[:10])
            raise InputError(f"{file}: has the columns {names}. Expected {', '.join(_QRELS_COLUMNS)}.")
        query, document, score = (_column(file, table, name) for name in _QRELS_COLUMNS)
        score = (
            score.cast(pl.Float64, strict=False) if "score" in table.columns else pl.repeat(1.0, len(query), eager=True)
        )
        judged = pl.DataFrame({"query_id": query, "candidate_id": document, "score": score})
        wrong = judged.filter(pl.any_horizontal(pl.col("query_id", "candidate_id", "score").is_null()))
        if wrong.height:
            raise InputError(
                f"{file}: {wrong.height} rows lack an id or a number as score. Expected {', '.join(_QRELS_COLUMNS)}."
            )
        kept = judged if above is None else judged.filter(pl.col("score") > above)
        parts.append(kept.select("query_id", "candidate_id"))
    return pl.concat(parts)


def _read(file: Path, names: Collection[str]) -> ForeignTable:
    """Return these columns of a file. Raises InputError if a row cannot be read."""
    table = read_foreign(file, names.__contains__)
    if table.bad:
        raise InputError(f"{bad_rows_note(file, table.bad)}. Expected a text or a judgement in each.")
    return table


def _column(file: Path, table: ForeignTable, name: str) -> pl.Series:
    """Return a column as text; nulls if the file lacks it."""
    values = table.columns.get(name, [None] * len(table.rows))
    return text_column(file, name, values, name not in ("text", "title", "score"))


def _dataset(
    path: Path,
    form: str,
    corpora: Mapping[str, Texts],
    queries: Mapping[str, Texts],
    answers: Mapping[str, pl.DataFrame],
    ignored: Mapping[str, pl.DataFrame],
    places: Mapping[str, Sequence[Path]],
    repeated: Sequence[str],
) -> Dataset:
    """Return the dataset. The split of a corpus is POOL if several splits share it, else its only split."""
    shared = len(corpora) == 1 and len(answers) > 1
    parts, stated, aside = [DOCUMENTS.to_frame()], [ANSWERS.to_frame()], [ANSWERS.to_frame()]
    author = _components(answers)
    unasked: dict[str, None] = {}
    unknown: dict[str, int] = {}
    if shared:
        parts.append(_table(next(iter(corpora.values())), POOL, "corpus", author, candidate=True))
    for split, judged in answers.items():
        corpus = corpora.get(split, next(iter(corpora.values())) if len(corpora) == 1 else {})
        asked = queries.get(split, next(iter(queries.values())) if len(queries) == 1 else {})
        unasked |= dict.fromkeys(ident for ident in judged["query_id"] if ident not in asked)
        if lacking := sum(ident not in corpus for ident in judged["candidate_id"]):
            unknown[split] = lacking
            if lacking == judged.height:
                raise InputError(f"{path}: no answer of {split} names a text of the corpus. Expected its ids there.")
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
        *(f"{number:,} answers of {split} name no text of the corpus." for split, number in unknown.items()),
    )
    source = Source(path, form, places)
    return unique_ids(
        Dataset(
            form,
            pl.concat(parts),
            pl.concat(stated),
            pl.concat(aside),
            repeated=tuple(dict.fromkeys(repeated)),
            unasked=tuple(unasked),
            notes=notes,
            sources=(source,),
        )
    )


def _table(texts: Texts, split: str, place: str, author: Mapping[str, str], candidate: bool) -> pl.DataFrame:
    rows = [(ident, text, author.get(ident)) for ident, (text, _) in texts.items()]
    table = pl.DataFrame(rows, dict.fromkeys(("id", "content", "author"), pl.String), orient="row")
    roles = {"candidate": pl.lit(candidate), "query": pl.lit(not candidate)}
    return as_documents(table.with_columns(split=pl.lit(split), place=pl.lit(place), **roles), derived=True)


def _components(answers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Return the first id of the component of each query or document, by id."""
    parent: dict[str, str] = {}
    for judged in answers.values():
        for query, document in judged.iter_rows():
            one, other = sorted((root(parent, query), root(parent, document)))
            parent[other] = one
    return {ident: root(parent, ident) for ident in parent}
