"""Read folders of plain text with a file per text: `author/title.txt`, `split/author/title.txt`, `Author_Title.txt`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from authbench.auditing.dataset import ALL, TEXTS, Dataset, Source, as_documents, unique_ids
from authbench.errors import InputError
from authbench.printable import printable
from authbench.reading.plain_text import whole_text
from authbench.reading.rows import BadRow
from authbench.reading.text_layout import layout_of
from authbench.storage.raw_files import RawFile

_SPLITS = ("train", "dev", "valid", "test")  # endings of the names of folders of splits


def read_texts(path: Path, files: Sequence[Path], encoding: str | None) -> Dataset:
    """Read the text files below a folder.

    Raises:
        InputError: neither folders nor file names give the authors, or a file is not in the encoding.
    """
    depths = {len(file.relative_to(path).parts) for file in files}
    layout = layout_of([file.relative_to(path) for file in files])
    if layout is None:
        raise InputError(
            f"{path}: holds {len(files)} texts whose authors cannot be told. Expected a folder for each author "
            "(author/title.txt, or split/author/title.txt), or files called Author_Title.txt."
        )
    by_name = layout == "name"
    rows, unreadable = list[dict[str, object]](), list[str]()
    for row, (file, label, text) in enumerate(_texts(path, files, encoding)):
        if isinstance(text, BadRow):
            unreadable.append(label)
            continue
        author = printable(file.stem.partition("_")[0] if by_name else file.parent.name)
        split = printable(_split(file.relative_to(path).parts[0])) if depths == {3} else ALL
        rows.append({"id": label, "split": split, "author": author, "content": text, "place": label, "row": row})
    how = "what stands before _ in the name of a file" if by_name else "the folder of a file"
    notes = [f"Read as author: {how}.", "No language is stated: langid's guess stands for it."]
    documents = as_documents(
        pl.DataFrame(rows, dict.fromkeys(("id", "split", "author", "content", "place"), pl.String) | {"row": pl.Int64})
    )
    places = {printable(str(file.relative_to(path))): [file] for file in files}
    source = Source(path, TEXTS, places, encoding)
    return unique_ids(Dataset(TEXTS, documents, notes=tuple(notes), sources=(source,), unreadable=tuple(unreadable)))


def _texts(path: Path, files: Sequence[Path], encoding: str | None) -> Iterator[tuple[Path, str, str | BadRow]]:
    for file in files:
        label = printable(str(file.relative_to(path)))
        raw = RawFile(file, str(file), "", option="--encoding")
        yield file, label, whole_text(raw, encoding or "utf-8") if file.stat().st_size else BadRow("line 1", "is empty")


def _split(folder: str) -> str:
    return next((split for split in _SPLITS if folder.lower().endswith(split)), folder)
