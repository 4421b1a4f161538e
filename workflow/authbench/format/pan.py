"""PAN's files of verification problems.

    pairs.jsonl     {"id", "fandoms": [topic, topic], "pair": [text, text], "lang": "en"}; of 2022 and 2023
                    "discourse_types" for "fandoms"
    truth.jsonl     {"id", "same": true, "authors": [author, author]}
    answers.jsonl   {"id", "value": 0.3}

`lang`, the language of both texts, is ours; PAN's files, which are English, lack it, and so may others. A line ends as
it likes; anything else that is not of this form is an error that names the line.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.errors import InputError
from authbench.storage.json_lines import value_batches, write_json_lines

NO_ANSWER = 0.5
_NUMBER = re.compile(r"[+-]?(?:\d{1,20}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,2})?", re.ASCII)
_SHOWN = 5
_ROWS_AT_ONCE = 2_000
_UNKNOWN = (None, None)
_Checks: TypeAlias = Mapping[str, Callable[[Any], bool]]
_NONE: _Checks = {}


def read_pairs(path: Path) -> pl.DataFrame:
    """Read `id`, `text1`, `text2`, `topic1`, `topic2`, `lang` (null where a line lacks it).

    Topics are `fandoms`, or else `discourse_types`; null without either.

    Memory: all texts, once.
    """
    optional = {"fandoms": _is_two, "discourse_types": _is_two, "lang": _is_text_or_null}
    rows = _read_rows(path, "pairs.jsonl", {"id": _is_text, "pair": _is_two_texts}, optional)
    values = (
        (row["id"], *row["pair"], *(row.get("fandoms") or row.get("discourse_types") or _UNKNOWN), row.get("lang"))
        for row in rows
    )
    names = ("id", "text1", "text2", "topic1", "topic2", "lang")
    return _as_table(values, pl.Schema(dict.fromkeys(names, pl.String)))


def read_truth(path: Path) -> pl.DataFrame:
    """Read `id`, `same`, `author1`, `author2` (null where the file has no `authors`)."""
    rows = _read_rows(path, "truth.jsonl", {"id": _is_text, "same": _is_truth}, {"authors": _is_two})
    values = ((row["id"], bool(row["same"]), *(row.get("authors") or _UNKNOWN)) for row in rows)
    return _as_table(
        values, pl.Schema({"id": pl.String, "same": pl.Boolean, "author1": pl.String, "author2": pl.String})
    )


def read_answers(path: Path) -> pl.DataFrame:
    """Read `id`, `value`, `listed` and `quoted`: whether the value stands in a list of one, or in quotation marks.

    A system of 2020 wrote lists; PAN's evaluator takes numbers in quotation marks, too. A value may lie outside [0, 1]:
    the evaluation reports it.
    """
    rows = _read_rows(path, "answers.jsonl", {"id": _is_text, "value": _is_score})
    parts = ((row["id"], _alone(row["value"]), isinstance(row["value"], list)) for row in rows)
    values = ((name, float(value), listed, isinstance(value, str)) for name, value, listed in parts)
    return _as_table(
        values, pl.Schema({"id": pl.String, "value": pl.Float64, "listed": pl.Boolean, "quoted": pl.Boolean})
    )


def _as_table(rows: Iterable[tuple[Any, ...]], schema: pl.Schema) -> pl.DataFrame:
    """Return rows, objects only a batch at a time, as a table."""
    waiting, parts = iter(rows), [pl.DataFrame(schema=schema)]
    while part := list(islice(waiting, _ROWS_AT_ONCE)):
        parts.append(pl.DataFrame(part, schema=schema, orient="row"))
    return pl.concat(parts)


def read_problems(folder: Path) -> pl.DataFrame:
    """Read the pairs of a folder with their truth, in the order of pairs.jsonl. Raises InputError where ids differ."""
    pairs, truth = read_pairs(folder / "pairs.jsonl"), read_truth(folder / "truth.jsonl")
    for one, other, has, lacks in ((pairs, truth, "pairs", "truth"), (truth, pairs, "truth", "pairs")):
        ids = one.join(other, on="id", how="anti")["id"]
        if len(ids):
            raise InputError(
                f"{folder}: {has}.jsonl has {len(ids)} ids that {lacks}.jsonl does not ({named(ids)}). "
                "Expected the same problems in both."
            )
    return pairs.join(truth, on="id", how="left", maintain_order="left")


def align(ids: pl.Series, answers: pl.DataFrame, place: str) -> F64:
    """Return the value of each id, NO_ANSWER where there is none. Raises InputError where another id has one."""
    extra = answers.filter(~pl.col("id").is_in(ids.implode()))["id"]
    if len(extra):
        raise InputError(
            f"{place}: {len(extra)} answers to problems that are not asked ({named(extra)}). Expected ids of the truth "
            "alone; are these answers to another data set?"
        )
    found = ids.to_frame("id").join(answers, on="id", how="left", maintain_order="left")["value"]
    return found.fill_null(NO_ANSWER).to_numpy().astype(np.float64)


def write_pairs(pairs: pl.DataFrame, path: Path) -> None:
    """Write pairs with their topics and their language, as far as the table has them."""
    topics = ("topic1", "topic2") if {"topic1", "topic2"} <= set(pairs.columns) else ()
    lang = "lang" if "lang" in pairs.columns else pl.lit(None, pl.String).alias("lang")
    rows = pairs.select("id", lang, "text1", "text2", *topics).iter_rows()
    write_json_lines(
        path,
        (
            {"id": row[0], "fandoms": row[4:], "pair": row[2:4], **({} if row[1] is None else {"lang": row[1]})}
            for row in rows
        ),
    )


def write_truth(pairs: pl.DataFrame, path: Path) -> None:
    authors = ("author1", "author2") if {"author1", "author2"} <= set(pairs.columns) else None
    rows = pairs.select("id", "same", *(authors or ())).iter_rows()
    write_json_lines(path, ({"id": row[0], "same": row[1], "authors": row[2:]} for row in rows))


def write_answers(answers: pl.DataFrame, path: Path) -> None:
    write_json_lines(path, answers.select("id", "value").iter_rows(named=True))


def _read_rows(path: Path, form: str, fields: _Checks, optional: _Checks = _NONE) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON lines file, each with these fields.

    Raises:
        InputError: names the first line that is wrong; an id comes twice, or the file has no line.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Expected PAN's {form}.")
    seen: set[str] = set()
    for first, rows in value_batches(path):
        for number, row in enumerate(rows, start=first):
            if problem := next(_problems(row, fields, optional), None):
                raise InputError(f"{path}, line {number}: {problem}")
            if row["id"] in seen:
                raise InputError(f"{path}, line {number}: the id {row['id']} comes twice. Expected each once.")
            seen.add(row["id"])
            yield row
    if not seen:
        raise InputError(f"{path}: holds no line. Expected PAN's {form}, a JSON object a line.")


def _problems(row: Any, fields: _Checks, optional: _Checks) -> Iterator[str]:
    if not isinstance(row, dict):
        yield f"{row!r:.40} is no object. Expected {', '.join(fields)}."
        return
    for field, is_right in {**fields, **optional}.items():
        if field not in row:
            if field in fields:
                yield f"no {field}. Expected {', '.join(fields)}."
        elif not is_right(row[field]):
            yield f"{field} is {row[field]!r:.40}. Expected {is_right.__doc__}."


def _is_text(value: Any) -> bool:
    """a text"""
    return isinstance(value, str)


def _is_text_or_null(value: Any) -> bool:
    """a text, or null"""
    return value is None or isinstance(value, str)


def _is_two_texts(value: Any) -> bool:
    """a list of two texts"""
    return isinstance(value, list) and len(value) == 2 and all(map(_is_text, value))


def _is_two(value: Any) -> bool:
    """a list of two texts or nulls, or nothing"""
    return not value or (isinstance(value, list) and len(value) == 2 and all(v is None or _is_text(v) for v in value))


def _is_truth(value: Any) -> bool:
    """true or false"""
    return isinstance(value, bool) or value in (0, 1)


def _is_score(value: Any) -> bool:
    """a number, from 0 to 1"""
    one = _alone(value)
    if isinstance(one, str):
        return bool(_NUMBER.fullmatch(one))
    return isinstance(one, int | float) and not isinstance(one, bool)


def _alone(value: Any) -> Any:
    """Return what a list of one holds; another value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def named(ids: pl.Series) -> str:
    return ", ".join(ids.sort().head(_SHOWN)) + (", …" if len(ids) > _SHOWN else "")
