"""Define the table of documents that every form of a dataset becomes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from authbench.core.author_labels import LOST_DIGITS, folded_labels, known_labels
from authbench.core.errors import InputError

LABELS = ("author", "origin", "item", "account")  # columns whose values are compared in normal form
_SPELLING: Any = pl.Struct(dict.fromkeys(LABELS, pl.String))
# `unit`: what is compared as one text (an episode contains several documents); by default the document itself.
DOCUMENTS = pl.Schema(
    {
        "id": pl.String,  # unique
        "split": pl.String,
        "author": pl.String,  # the label's normal form; null if it does not name a person
        "spelling": _SPELLING,  # labels as the dataset has them
        "content": pl.String,
        "lang": pl.String,
        "genre": pl.String,
        "source": pl.String,
        "date": pl.String,
        "origin": pl.String,  # the work, if the dataset states it
        "item": pl.String,  # the subject of a review
        "account": pl.String,
        "token_length": pl.Int64,
        "unit": pl.String,
        "candidate": pl.Boolean,
        "query": pl.Boolean,
        "place": pl.String,  # the file, relative to its source, or the name of its table
        "row": pl.Int64,  # number in the file, from 0
        "part": pl.Int64,  # number of the source, in the order of the arguments
    }
)
ANSWERS = pl.Schema({"split": pl.String, "query_id": pl.String, "candidate_id": pl.String})
PROBLEMS = pl.Schema(
    {
        "split": pl.String,
        "problem": pl.String,
        "one": pl.String,  # ids of documents; null where there are no texts
        "other": pl.String,
        "same": pl.Boolean,
        "author_one": pl.String,  # as the truth names them
        "author_other": pl.String,
    }
)
TEXTS = "folder of texts"  # a form whose ids are the paths of files
ALL = "all"  # the split of a dataset without splits
POOL = "corpus"  # the split of a corpus that several splits of queries share
_EARLIEST = ("train", "dev", "val", "valid", "validation", "test")


@dataclass(frozen=True)
class Source:
    """A path and the form it was read as, for `clean` to write it again.

    Attributes:
        files: by their name in `place`, or by their table.
        encoding: of its texts, if it was given.
    """

    path: Path
    form: str
    files: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    encoding: str | None = None


@dataclass(frozen=True)
class Dataset:
    """A dataset of any form.

    Attributes:
        form: the form it was read as, in words.
        documents: DOCUMENTS, in the order of their files.
        answers: ANSWERS as the dataset states them; None: any other text of the author in the split answers.
        ignored: ANSWERS that count neither way.
        problems: PROBLEMS of verification.
        positives: relations that the dataset states (format.columns.POSITIVES), by split.
        pairs: pools that it states (format.columns.PAIRS), by split.
        repeated: ids of several documents, as the dataset has them.
        unasked: ids that the truth answers and that are neither queries nor problems.
        notes: assumptions.
        unreadable: locations of rows that cannot be read.
    """

    form: str
    documents: pl.DataFrame
    answers: pl.DataFrame | None = None
    ignored: pl.DataFrame = field(default_factory=ANSWERS.to_frame)
    problems: pl.DataFrame = field(default_factory=PROBLEMS.to_frame)
    positives: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    pairs: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    unreadable: tuple[str, ...] = ()

    @property
    def has_order(self) -> bool:
        """Return whether ids and lines come from the dataset, and were not derived from numbers of sides or rows."""
        return not self.form.startswith(("PAN", "style", TEXTS))

    @property
    def splits(self) -> list[str]:
        """Return the splits with documents, training splits before test splits."""
        return sorted(self.documents["split"].unique(), key=split_rank)


def split_rank(name: str) -> tuple[int, str]:
    """Return a key that sorts train before dev and validation, then test, then any other name."""
    return (_EARLIEST.index(name) if name in _EARLIEST else len(_EARLIEST), name)


def root(parent: dict[str, str], name: str) -> str:
    """Return the root of a name among joined names; `parent` has the next name on the way to it, and is modified."""
    while parent.setdefault(name, name) != name:
        parent[name] = parent[parent[name]]
        name = parent[name]
    return name


def joined_pairs(ones: Iterable[str], others: Iterable[str], same: Iterable[bool]) -> dict[str, str]:
    """Return the joined names of same-author pairs, for `root`."""
    parent: dict[str, str] = {}
    for one, other, is_same in zip(ones, others, same, strict=True):
        if is_same:
            parent[root(parent, one)] = root(parent, other)
    return parent


def as_documents(frame: pl.DataFrame, derived: bool = False) -> pl.DataFrame:
    """Return DOCUMENTS of a frame with some of their columns, with defaults for split, roles, id, place and row.

    Labels are normalised; authors, works, items and accounts are compared in this form. An author's label that does not
    name a person is null.

    Args:
        derived: authors were derived, not read from labels, and are unchanged.
    """
    absent = [pl.lit(None, kind).alias(name) for name, kind in DOCUMENTS.items() if name not in frame.columns]
    numbered = pl.int_range(pl.len(), dtype=pl.Int64)
    table = (
        frame.with_columns(absent)
        .select(pl.col(name).cast(kind, strict=False) for name, kind in DOCUMENTS.items())
        .with_columns(
            pl.col("split").fill_null(ALL),
            pl.col("place").fill_null(""),
            pl.col("row").fill_null(numbered),
            pl.col("part").fill_null(0),
            pl.col("candidate", "query").fill_null(True),
            pl.col("content").fill_null(""),
            pl.struct(LABELS).alias("spelling"),
        )
        .with_columns(pl.col("id").fill_null(pl.format("row {}", pl.col("row") + 1)))
    )
    if derived:
        return table
    _expect_digits(table)
    return table.with_columns(known_labels(table["author"]), *(folded_labels(table[name]) for name in LABELS[1:]))


def _expect_digits(table: pl.DataFrame) -> None:
    """Raise InputError if authors are floats that have lost digits: several may have become equal."""
    rows = table.filter(pl.col("author").str.contains(LOST_DIGITS))
    lost = rows.select("place", "author").unique("author")
    if lost.height > 1 or 2 * rows.height > table.height:  # a single value among others may be a name
        place, label = min(lost.rows())
        raise InputError(
            f"{place}: {lost.height} author labels, such as {label}, are floating-point numbers of so many digits that "
            "some are lost: several authors can have become one. Store them as whole numbers or as text."
        )


def joined(parts: Sequence[Dataset], labels: Sequence[str]) -> Dataset:
    """Join several datasets; a repeated id becomes `label/id` in all but the first.

    Splits of a dataset without splits are named by its label.
    """
    renamed = []
    for part, label in zip(parts, labels, strict=True):
        if len(parts) > 1 and part.splits == [ALL]:
            part = _with_split(part, label)
        renamed.append(part)
    tables = [part.documents.with_columns(part=pl.lit(n, pl.Int64)) for n, part in enumerate(renamed)]
    if not tables:
        return Dataset("", DOCUMENTS.to_frame())
    stated = [part.answers for part in renamed]
    known = [one for one in stated if one is not None]
    return unique_ids(
        Dataset(
            form=" and ".join(dict.fromkeys(part.form for part in renamed)),
            documents=pl.concat(tables),
            answers=pl.concat(known) if len(known) == len(stated) else None,
            ignored=pl.concat([part.ignored for part in renamed]),
            problems=pl.concat([part.problems for part in renamed]),
            positives={split: table for part in renamed for split, table in part.positives.items()},
            pairs={split: table for part in renamed for split, table in part.pairs.items()},
            repeated=tuple(dict.fromkeys(ident for part in renamed for ident in part.repeated)),
            unasked=tuple(dict.fromkeys(ident for part in renamed for ident in part.unasked)),
            notes=tuple(dict.fromkeys(note for part in renamed for note in part.notes)),
            sources=tuple(source for part in renamed for source in part.sources),
            unreadable=tuple(one for part in renamed for one in part.unreadable),
        )
    )  # fmt: skip


def _with_split(part: Dataset, name: str) -> Dataset:
    return replace(
        part,
        documents=part.documents.with_columns(split=pl.lit(name)),
        answers=None if part.answers is None else part.answers.with_columns(split=pl.lit(name)),
        ignored=part.ignored.with_columns(split=pl.lit(name)),
        problems=part.problems.with_columns(split=pl.lit(name)),
        positives=dict(zip([name], part.positives.values(), strict=False)),
        pairs=dict(zip([name], part.pairs.values(), strict=False)),
    )


def unique_ids(dataset: Dataset) -> Dataset:
    """Return the dataset with a unique id for each document.

    The first document keeps a repeated id; the ids of the others get their split, file and row appended. A reference to
    an id within its split means the first document of that split.
    """
    documents = dataset.documents.with_row_index("at")
    twice = documents.filter(pl.col("id").is_duplicated())
    if not twice.height:
        return replace(dataset, documents=_with_units(dataset.documents))
    ids = documents["id"].to_list()
    of_split: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for at, ident, split, place, row in twice.select("at", "id", "split", "place", "row").iter_rows():
        name = ident
        if name in taken:
            name = f"{split}/{ident}"
        if name in taken:
            name = f"{place or split}:{row + 1}/{ident}"
        taken.add(name)
        of_split.setdefault((split, ident), name)
        ids[at] = name
    changed = pl.DataFrame(
        [(split, ident, name) for (split, ident), name in of_split.items()],
        {"split": pl.String, "old": pl.String, "new": pl.String},
        orient="row",
    )
    return replace(
        dataset,
        documents=_with_units(documents.with_columns(pl.Series("id", ids, pl.String)).drop("at")),
        answers=None if dataset.answers is None else _renamed(dataset.answers, changed, ("query_id", "candidate_id")),
        ignored=_renamed(dataset.ignored, changed, ("query_id", "candidate_id")),
        problems=_renamed(dataset.problems, changed, ("one", "other")),
        repeated=tuple(dict.fromkeys([*dataset.repeated, *twice["id"].to_list()])),
    )


def _with_units(documents: pl.DataFrame) -> pl.DataFrame:
    return documents.with_columns(unit=pl.coalesce("unit", "id"))


def _renamed(table: pl.DataFrame, changed: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    names = table.columns
    for column in columns:
        table = (
            table.join(changed, left_on=["split", column], right_on=["split", "old"], how="left", maintain_order="left")
            .with_columns(pl.coalesce("new", column).alias(column))
            .drop("new")
        )
    return table.select(names)
