"""Read datasets of verification pairs in PAN's files: pairs with texts, and truths, with or without them.

Of PAN 2013, 2014 and 2015: `truth.txt` and a folder for each problem, with the texts known to be by an author
(`known*.txt`) and the questioned text (`unknown*.txt`); a line of `truth.txt` is `EN001 Y` or `EN001 N`. The known
texts are joined into a single text, with blank lines between them.
"""

import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from authbench.audit.auditing import dataset
from authbench.core.author_labels import known_labels
from authbench.core.errors import InputError
from authbench.core.identity import digest
from authbench.core.printable import printable
from authbench.core.storage.raw_files import RawFile
from authbench.core.storage.raw_paths import expect_inside
from authbench.release.format.pan import read_pairs, read_truth
from authbench.release.reading.foreign import encoding_of
from authbench.release.reading.plain_text import whole_text
from authbench.release.reading.rows import BadRow

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
    """Read the pairs and truths of every split that has any. Raises InputError if a pair has no truth."""
    tables: Tables = {}
    places: dict[str, list[Path]] = {}
    unasked, remarks = list[str](), list[str]()
    for split, (pairs, truth) in files.items():
        if not any(file.stat().st_size for file in (pairs, truth) if file is not None):
            remarks.append(f"Passed over {printable(split)}: it is empty.")
            continue
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
    return replace(dataset_of_pairs(path, FORM, tables, places, remarks), unasked=tuple(dict.fromkeys(unasked)))


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


FOLDERS = "PAN problem folders"
TRUTH = "truth.txt"
_KNOWN, _UNKNOWN = "known*.txt", "unknown*.txt"
_LINE = re.compile(r"\s*(\S+)\s+([YN])\s*")
_NOTE = "The known texts of a problem are joined, and count as one text."


def problem_folders(path: Path) -> dict[str, Path]:
    """Return the truths by split, from every folder below the path that also contains folders of problems."""
    found = {}
    for truth in sorted(path.rglob(TRUTH)):
        if any(True for _ in truth.parent.glob(f"*/{_UNKNOWN}")):
            place = truth.parent.relative_to(path)
            found["/".join(place.parts) or path.resolve().name] = truth
    return found


def read_pan_folders(path: Path, truths: dict[str, Path]) -> dataset.Dataset:
    """Read the problems of every truth.

    Raises:
        InputError: a line of a truth is malformed, or a problem lacks its folder or texts of either kind.
    """
    tables: Tables = {}
    for split, truth in truths.items():
        rows = [(ident, *_texts(truth.parent / ident), same) for ident, same, _ in _lines(truth)]
        lacking = {file.parent.name for file in truth.parent.glob(f"*/{_UNKNOWN}")} - {row[0] for row in rows}
        if lacking:
            raise InputError(f"{truth}: has no line for {len(lacking)} of the problems, such as {min(lacking)!a:.60}.")
        nothing = dict.fromkeys(("topic1", "topic2", "lang", "author1", "author2"), pl.lit(None, pl.String))
        frame = pl.DataFrame(rows, ["id", "text1", "text2", "same"], orient="row").with_columns(**nothing)
        tables[split] = (frame.drop("same", "author1", "author2"), frame.select("id", "same", "author1", "author2"))
    places = {f"{split}/truth": [truth] for split, truth in truths.items()}
    return dataset_of_pairs(path, FOLDERS, tables, places, [_NOTE])


def write_without(truth: Path, target: Path, gone: Collection[str]) -> None:
    """Write a truth without some problems, and the unchanged folders of the others.

    Raises:
        InputError: a text of theirs is a link out of the dataset.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = [(ident, line) for ident, _, line in _lines(truth) if ident not in gone]
    target.write_text("".join(f"{line}\n" for _, line in kept), encoding="utf-8")
    for ident, _ in kept:
        for file in (truth.parent / ident).rglob("*"):
            expect_inside(file, truth.parent)
        shutil.copytree(truth.parent / ident, target.parent / ident)


def _lines(truth: Path) -> Iterator[tuple[str, bool, str]]:
    seen = set[str]()
    for number, line in enumerate(_text(truth).splitlines(), 1):
        if line.strip():
            if (found := _LINE.fullmatch(line)) is None or Path(found[1]).name in ("", "..") or "/" in found[1]:
                raise InputError(f"{truth}, line {number}: {line!r:.60} is no truth. Expected such as EN001 Y.")
            if found[1] in seen:
                raise InputError(f"{truth}, line {number}: {found[1]!a:.60} comes twice. Expected each problem once.")
            seen.add(found[1])
            yield found[1], found[2] == "Y", line.strip()


def _texts(folder: Path) -> tuple[str, str]:
    if not folder.is_dir():
        raise InputError(f"{folder}: {TRUTH} names this problem, and there is no such folder. Fetch the set anew.")
    known, asked = sorted(folder.glob(_KNOWN)), sorted(folder.glob(_UNKNOWN))
    if not known or len(asked) != 1:
        raise InputError(
            f"{folder}: holds {len(known)} files {_KNOWN} and {len(asked)} {_UNKNOWN}. Expected known texts and one "
            "unknown."
        )
    return "\n\n".join(map(_text, known)), _text(asked[0])


def _text(file: Path) -> str:
    """Return the text of a file in the encoding of `encoding_of`; some texts of PAN are in Windows-1252."""
    raw = RawFile(file, str(file), "", option="")
    text = whole_text(raw, encoding_of(raw))
    if isinstance(text, BadRow) or not text.strip():
        raise InputError(f"{file}: {text.reason if isinstance(text, BadRow) else 'holds no text'}. Fetch the set anew.")
    return text
