"""Read datasets of verification pairs in PAN's files: pairs with texts, and truths, with or without them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from authbench.audit.auditing import dataset
from authbench.core.author_labels import known_labels
from authbench.core.errors import InputError
from authbench.core.identity import digest
from authbench.release.format.pan import read_pairs, read_truth

FORM = "PAN pairs"
Files = dict[str, tuple[Path | None, Path]]  # by split: pairs and truth
Tables = dict[str, tuple[pl.DataFrame | None, pl.DataFrame]]  # as `read_pairs` and `read_truth` return them


def pan_files(path: Path) -> Files:
    """Return the files of pairs and truths by split; empty for a folder with only answers."""
    if path.is_file():
        folder, own = path.parent, path.name
        if "truth" in own:
            return {_split(folder): (_beside(path), path)}
        names = (own.replace("pairs", "truth"), own.removesuffix(".jsonl") + "-truth.jsonl")
        truth = next((folder / name for name in names if name != own and (folder / name).is_file()), None)
        return {} if truth is None else {_split(folder): (path, truth)}
    found: Files = {}
    for truth in sorted(path.rglob("*truth*.jsonl")):
        place = truth.parent.relative_to(path)
        split = "/".join(place.parts) or path.resolve().name
        name = split if split not in found else f"{split}/{truth.stem}"
        found[name] = (_beside(truth), truth)
    return dict(sorted(found.items(), key=lambda named: dataset.split_rank(named[0])))


def _split(folder: Path) -> str:
    return folder.resolve().name


def _beside(truth: Path) -> Path | None:
    names = [truth.name.replace("truth", "pairs"), truth.name.replace("-truth", ""), truth.name.replace("_truth", "")]
    return next((truth.parent / name for name in names if name != truth.name and (truth.parent / name).is_file()), None)


def read_pan(path: Path, files: Files) -> dataset.Dataset:
    """Read the pairs and truths of every split. Raises InputError if a pair has no truth."""
    tables: Tables = {}
    places: dict[str, list[Path]] = {}
    unasked: list[str] = []
    for split, (pairs, truth) in files.items():
        answers = read_truth(truth)
        places[f"{split}/truth"] = [truth]
        read = None
        if pairs is not None:
            places[f"{split}/pairs"] = [pairs]
            read = read_pairs(pairs)
            lacking = read.join(answers, on="id", how="anti")["id"]
            if len(lacking):
                raise InputError(f"{truth}: has no line for {len(lacking)} of the pairs, such as {lacking[0]!a:.60}.")
            unasked += answers.join(read, on="id", how="anti", maintain_order="left")["id"].to_list()
        tables[split] = (read, answers)
    return replace(dataset_of_pairs(path, FORM, tables, places), unasked=tuple(dict.fromkeys(unasked)))


def dataset_of_pairs(
    path: Path, form: str, tables: Tables, places: dict[str, list[Path]], remarks: Sequence[str] = ()
) -> dataset.Dataset:
    """Return the dataset of pairs; equal texts of an author in a split are a single document.

    In pairs without authors, texts that same-author pairs join have the same author; every other text has a separate
    author.
    """
    documents, problems = [dataset.DOCUMENTS.to_frame()], [dataset.PROBLEMS.to_frame()]
    notes: dict[str, None] = dict.fromkeys(remarks)
    for split, (read, answers) in tables.items():
        if read is None:
            notes["Truths without texts: what is about texts cannot be examined."] = None
            problems.append(_problems(split, answers.with_columns(one=pl.lit(None), other=pl.lit(None))))
            continue
        asked = read.with_row_index("row").join(answers, on="id", how="left", maintain_order="left")
        stated = asked.select("id", "author1", "author2")
        if asked["author1"].null_count():
            asked = asked.with_columns(_components(asked))
            notes["Pairs without authors: texts that same-author pairs join are by one author."] = None
        labels = [known_labels(asked[f"author{side}"]).fill_null(asked[f"author{side}"]) for side in (1, 2)]
        asked = asked.with_columns(label1=labels[0], label2=labels[1])
        sides = [
            asked.select(
                pl.format("{}/{}", "id", pl.lit(side)).alias("id"),
                pl.lit(split).alias("split"),
                author=f"author{side}",
                label=f"label{side}",
                content=f"text{side}",
                genre=f"topic{side}",
                row=pl.col("row").cast(pl.Int64),
                place=pl.lit(f"{split}/pairs"),
            )
            for side in (1, 2)
        ]
        texts = pl.concat(sides).with_columns(first=pl.col("id").first().over("label", "content"))
        name_of = dict(texts.select("id", "first").iter_rows())
        kept = texts.filter(pl.col("id") == pl.col("first")).drop("first", "label").sort("row", "id")
        documents.append(dataset.as_documents(kept))
        named = asked.with_columns(
            one=pl.Series([name_of[f"{ident}/1"] for ident in asked["id"]], dtype=pl.String),
            other=pl.Series([name_of[f"{ident}/2"] for ident in asked["id"]], dtype=pl.String),
        )
        problems.append(_problems(split, named.drop("author1", "author2").join(stated, on="id", maintain_order="left")))
    notes["No language is stated: langid's guess stands for it."] = None
    sources = (dataset.Source(path, form, places),)
    return dataset.unique_ids(
        dataset.Dataset(form, pl.concat(documents), problems=pl.concat(problems), notes=tuple(notes), sources=sources)
    )


def _problems(split: str, rows: pl.DataFrame) -> pl.DataFrame:
    named = rows.select(
        "one", "other", "same", split=pl.lit(split), problem="id", author_one="author1", author_other="author2"
    )
    return named.select(pl.col(name).cast(kind) for name, kind in dataset.PROBLEMS.items())


def _components(asked: pl.DataFrame) -> list[pl.Series]:
    """Return names of authors that are equal for the two texts of every same-author pair."""
    keys = [[digest(text) for text in asked[f"text{side}"]] for side in (1, 2)]
    parent = dataset.joined_pairs(keys[0], keys[1], asked["same"])
    names = ([dataset.root(parent, key) for key in own] for own in keys)
    return [pl.Series(f"author{side}", own, dtype=pl.String) for side, own in enumerate(names, start=1)]
