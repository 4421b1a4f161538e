"""Read and write PAN's files of verification problems.

    pairs.jsonl     {"id", "fandoms": [topic, topic], "pair": [text, text], "lang": "en"}; of 2022 and 2023
                    "discourse_types" for "fandoms"
    truth.jsonl     {"id", "same": true, "authors": [author, author]}
    answers.jsonl   {"id", "value": 0.3}

The task of 2024 asks which of two texts a person wrote, and the task of 2025 whether a machine wrote a text:

    2024            {"id", "text1", "text2"}, {"id", "is_human": [true, false]}, {"id", "is_human": 0.3}
    2025            {"id", "text"}, {"id", "label": 1, "model", "genre"}, {"id", "label": 0.3}

`lang`, the language of both texts, is our addition; PAN's files, which are English, lack it, as other files may. Any
line ending is accepted; any other deviation from this form is an error that names the line.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.author_labels import known_labels
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.printable import printable, shown
from authbench.core.records import table_of
from authbench.core.storage.json_lines import value_batches, write_json_lines

NO_ANSWER = 0.5
_NUMBER = re.compile(r"[+-]?(?:\d{1,20}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,2})?", re.ASCII)
_SHOWN = 5
_MOST = 1 << 63  # limit of the number in an answer
OF_MACHINES_FIELDS: Mapping[str, int] = {"is_human": 2024, "label": 2025}
_UNKNOWN = (None, None)
_Checks: TypeAlias = Mapping[str, Callable[[object], bool]]
_NONE: _Checks = {}


def read_pairs(path: Path) -> pl.DataFrame:
    """Read `id`, `text1`, `text2`, `topic1`, `topic2`, `lang` (null where a line lacks it).

    Topics are `fandoms`, or else `discourse_types`; null without either. The form of 2024 is accepted, too. Memory: all
    texts, once.
    """
    optional = {"fandoms": _is_two, "discourse_types": _is_two, "lang": _is_text_or_null}
    apart = "text1" in _first_row(path)
    texts = {"text1": _is_text, "text2": _is_text} if apart else {"pair": _is_two_texts}
    rows = _read_rows(path, "pairs.jsonl", {"id": _is_text, **texts}, optional)
    values = (
        (
            row["id"],
            *((row["text1"], row["text2"]) if apart else row["pair"]),
            *(row.get("fandoms") or row.get("discourse_types") or _UNKNOWN),
            row.get("lang"),
        )
        for row in rows
    )
    names = ("id", "text1", "text2", "topic1", "topic2", "lang")
    return table_of(values, pl.Schema(dict.fromkeys(names, pl.String)))


def read_truth(path: Path) -> pl.DataFrame:
    """Read `id`, `same`, `author1`, `author2` (null where the file has no `authors`).

    In the form of 2024, `same` says that the second text is by a human; in the form of 2025, that a machine wrote the
    text.
    """
    field = _field_of(path, "same")
    rows = _read_rows(path, "truth.jsonl", {"id": _is_text, field: _is_truth}, {"authors": _is_two})
    values = ((row["id"], bool(_second(row[field])), *(row.get("authors") or _UNKNOWN)) for row in rows)
    return table_of(
        values, pl.Schema({"id": pl.String, "same": pl.Boolean, "author1": pl.String, "author2": pl.String})
    )


def read_answers(path: Path) -> pl.DataFrame:
    """Read `id`, `value`, `listed` and `quoted`: whether the value is in a list of length 1, or in quotation marks.

    A system of 2020 wrote lists; PAN's evaluator accepts numbers in quotation marks, too. A value may be outside [0,
    1]: the evaluation reports it.
    """
    field = _field_of(path, "value")
    rows = _read_rows(path, "answers.jsonl", {"id": _is_text, field: _is_score})
    parts = ((row["id"], _alone(_second(row[field])), _is_one(row[field])) for row in rows)
    values = ((name, float(value), listed, isinstance(value, str)) for name, value, listed in parts)
    return table_of(
        values, pl.Schema({"id": pl.String, "value": pl.Float64, "listed": pl.Boolean, "quoted": pl.Boolean})
    )


def form_of(path: Path) -> int:
    """Return the year of PAN whose form a truth file has: 2021, 2024 (`is_human`) or 2025 (`label`)."""
    return OF_MACHINES_FIELDS.get(_field_of(path, "same"), 2021)


def _field_of(path: Path, field: str) -> str:
    """Return the name of the field with a file's statement on each problem: `field`, or the name in 2024 and 2025."""
    first = _first_row(path)
    return field if field in first else next((name for name in OF_MACHINES_FIELDS if name in first), field)


def _first_row(path: Path) -> JsonObject:
    """Return the first object of a file; an empty object for a file without any, which its reader reports."""
    if path.is_file():
        for _, rows in value_batches(path):
            if rows:
                return rows[0] if isinstance(rows[0], dict) else {}
    return {}


def read_problems(folder: Path) -> pl.DataFrame:
    """Read the pairs of a folder with their truth, in the order of pairs.jsonl; authors' labels are normalised.

    Raises:
        InputError: ids differ.
    """
    pairs, truth = read_pairs(folder / "pairs.jsonl"), read_truth(folder / "truth.jsonl")
    for one, other, has, lacks in ((pairs, truth, "pairs", "truth"), (truth, pairs, "truth", "pairs")):
        ids = one.join(other, on="id", how="anti")["id"]
        if len(ids):
            raise InputError(
                f"{folder}: {has}.jsonl has {len(ids)} ids that {lacks}.jsonl does not ({named(ids)}). "
                "Expected the same problems in both."
            )
    truth = truth.with_columns(known_labels(truth["author1"]), known_labels(truth["author2"]))
    return pairs.join(truth, on="id", how="left", maintain_order="left")


def align(ids: pl.Series, answers: pl.DataFrame, place: str) -> F64:
    """Return the value of each id, NO_ANSWER for an id without a value.

    Returns:
        Shape (ids,).

    Raises:
        InputError: another id has a value.
    """
    extra = answers.filter(~pl.col("id").is_in(ids.implode()))["id"]
    if len(extra):
        raise InputError(
            f"{place}: {len(extra)} answers to problems that are not asked ({named(extra)}). Expected ids of the truth "
            "alone; are these answers to another data set?"
        )
    found = ids.to_frame("id").join(answers, on="id", how="left", maintain_order="left")["value"]
    return found.fill_null(NO_ANSWER).to_numpy().astype(np.float64)


def write_pairs(pairs: pl.DataFrame | Iterable[pl.DataFrame], path: Path) -> None:
    """Write pairs, as a table or in batches, with their topics and language, if they have them."""
    batches = [pairs] if isinstance(pairs, pl.DataFrame) else pairs
    write_json_lines(path, chain.from_iterable(map(_lines_of, batches)))


def _lines_of(pairs: pl.DataFrame) -> Iterator[dict[str, object]]:
    topics = ("topic1", "topic2") if {"topic1", "topic2"} <= set(pairs.columns) else ()
    lang = "lang" if "lang" in pairs.columns else pl.lit(None, pl.String).alias("lang")
    for row in pairs.select("id", lang, "text1", "text2", *topics).iter_rows():
        yield {"id": row[0], "fandoms": row[4:], "pair": row[2:4], **({} if row[1] is None else {"lang": row[1]})}


def write_truth(pairs: pl.DataFrame, path: Path) -> None:
    authors = ("author1", "author2") if {"author1", "author2"} <= set(pairs.columns) else None
    rows = pairs.select("id", "same", *(authors or ())).iter_rows()
    write_json_lines(path, ({"id": row[0], "same": row[1], "authors": row[2:]} for row in rows))


def write_answers(answers: pl.DataFrame, path: Path) -> None:
    write_json_lines(path, answers.select("id", "value").iter_rows(named=True))


def _read_rows(path: Path, form: str, fields: _Checks, optional: _Checks = _NONE) -> Iterator[JsonObject]:
    """Yield the objects of a JSON lines file, each with these fields.

    Raises:
        InputError: names the first wrong line; an id is repeated, or the file has no line.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Expected PAN's {form}.")
    seen: set[str] = set()
    for first, rows in value_batches(path):
        for number, row in enumerate(rows, start=first):
            if problem := next(_problems(row, fields, optional), None):
                raise InputError(f"{path}, line {number}: {problem}")
            if row["id"] in seen:
                raise InputError(
                    f"{path}, line {number}: the id {printable(row['id'])[:60]} comes twice. Expected each once."
                )
            seen.add(row["id"])
            yield row
    if not seen:
        raise InputError(f"{path}: holds no line. Expected PAN's {form}, a JSON object a line.")


def _problems(row: object, fields: _Checks, optional: _Checks) -> Iterator[str]:
    if not isinstance(row, dict):
        yield f"is not an object. Expected {', '.join(fields)}."
        return
    for field, is_right in {**fields, **optional}.items():
        if field not in row:
            if field in fields:
                yield f"no {field}. Expected {', '.join(fields)}."
        elif not is_right(row[field]):
            yield f"{field} is {shown(row[field])}. Expected {is_right.__doc__}."


def _is_text(value: object) -> bool:
    """a text"""
    return isinstance(value, str)


def _is_text_or_null(value: object) -> bool:
    """a text, or null"""
    return value is None or isinstance(value, str)


def _is_two_texts(value: object) -> bool:
    """a list of two texts"""
    return isinstance(value, list) and len(value) == 2 and all(map(_is_text, value))


def _is_two(value: object) -> bool:
    """a list of two texts or nulls, or nothing"""
    return not value or (isinstance(value, list) and len(value) == 2 and all(v is None or _is_text(v) for v in value))


def _is_truth(value: object) -> bool:
    """true or false"""
    one = _second(value)
    return isinstance(one, bool) or (isinstance(one, int | float) and one in (0, 1))


def _is_score(value: object) -> bool:
    """a number, from 0 to 1"""
    one = _alone(_second(value))
    if isinstance(one, str):
        return bool(_NUMBER.fullmatch(one))
    return isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < _MOST


def _second(value: Any) -> Any:
    """Return whether the second of two truth values is the only true value, as 0 or 1; other values unchanged."""
    two = isinstance(value, list) and len(value) == 2 and all(isinstance(one, bool) for one in value)
    return int(value[1]) if two and value[0] != value[1] else value


def _is_one(value: object) -> bool:
    return isinstance(value, list) and len(value) == 1


def _alone(value: object) -> Any:
    """Return the element of a list of length 1; any other value unchanged."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def named(ids: pl.Series) -> str:
    return ", ".join(ids.sort().head(_SHOWN)) + (", …" if len(ids) > _SHOWN else "")
