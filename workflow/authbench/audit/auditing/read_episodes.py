"""Read episodes of LUAR and the Million User Dataset: JSON lines of an author, each with a list of texts.

    <split>_queries.jsonl, <split>_targets.jsonl, or train.jsonl and data.jsonl
    {"author_id": 7, "syms": ["first text", "second text"], "action_type": ["subreddit", ...], "hour": [...]}

An episode is compared as a single text. A document's id is made of its author's id, file and place.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from authbench.audit.auditing.dataset import DOCUMENTS, Dataset, Source, as_documents, unique_ids
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.storage.json_lines import read_objects

FORM = "LUAR episodes"
TEXTS = ("syms", "fullText", "text", "texts", "body", "reviewText")  # the first that contains a list is used
AUTHORS = ("author_id", "author", "user_id", "username")
_SIDES = {"queries": (True, False), "query": (True, False), "targets": (False, True), "target": (False, True)}


def text_field(row: JsonObject) -> str | None:
    """Return the field of a line that contains a list of texts."""
    return next(
        (
            name
            for name in TEXTS
            if isinstance(row.get(name), list) and row[name] and all(isinstance(one, str) for one in row[name])
        ),
        None,
    )


def is_episode(row: object) -> bool:
    """Return whether a line is an episode: a list of texts, without a label as in STEB's lines."""
    return isinstance(row, dict) and text_field(row) is not None and "label" not in row


def read_episodes(path: Path, files: Sequence[Path]) -> Dataset:
    """Read files of episodes; their names give the split and the side.

    Without an author each line is a separate author, as in LUAR's training.

    Raises:
        InputError: a file is empty, or a line has no list of texts.
    """
    rows: list[dict[str, object]] = []
    places: dict[str, list[Path]] = {}
    for file in files:
        stem = file.name.split(".")[0]
        split, _, side = stem.rpartition("_")
        query, candidate = _SIDES.get(side, (True, True))
        split = split if side in _SIDES and split else stem
        places[file.name] = [file]
        count = 0
        for number, line in read_objects(file):
            field = text_field(line)
            if field is None:
                raise InputError(
                    f"{file}, line {number}: no list of texts. Expected one of {', '.join(TEXTS)}, as in "
                    '{"author_id": 7, "syms": ["text", "text"]}.'
                )
            author = next((str(line[name]) for name in AUTHORS if line.get(name) is not None), f"{split}:{number}")
            genres = line.get("action_type")
            for at, text in enumerate(line[field]):
                genre = genres[at] if isinstance(genres, list) and len(genres) == len(line[field]) else None
                rows.append(
                    {
                        "id": f"{stem}:{number}#{at + 1}",
                        "split": split,
                        "author": author,
                        "content": text,
                        "genre": None if genre is None else str(genre),
                        "unit": f"{stem}:{number}",
                        "query": query,
                        "candidate": candidate,
                        "place": file.name,
                        "row": number - 1,
                    }
                )
            count += 1
        if not count:
            raise InputError(f"{file}: is empty. Expected an episode a line.")
    table = pl.DataFrame(rows, schema={name: DOCUMENTS[name] for name in rows[0]})
    notes = ("The texts of an episode count as one text.", "No language is stated: langid's guess stands for it.")
    documents = as_documents(table)
    return unique_ids(Dataset(FORM, documents, notes=notes, sources=(Source(path, FORM, places),)))
