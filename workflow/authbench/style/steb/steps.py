"""Derive rows as STEB's loaders do, where they differ from our steps (rules in `loaders`)."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

import polars as pl
import regex

from authbench.style.steb import loaders

Tables = Mapping[str, pl.DataFrame]
_PAIRS = dict.fromkeys(("document", "first", "second", "same"), pl.String)


def line_levels(
    frame: pl.DataFrame, tables: Tables, by: str, level: str, levels: Sequence[str], text: str
) -> pl.DataFrame:
    """Make a row of each line number at which every version of a text has text (OneStopEnglish).

    `by` identifies the text, `level` the version, `levels` the versions in order; each becomes a column.
    """
    made = []
    for (name, *_), versions in frame.sort(by).group_by([by], maintain_order=True):
        there = dict(versions.select(level, text).iter_rows())
        if all(there.get(one) is not None for one in levels):
            rows = loaders.line_levels([there[one] for one in levels])
            made += [{by: name, **dict(zip(levels, row, strict=True))} for row in rows]
    return pl.DataFrame(made, schema=dict.fromkeys((by, *levels), pl.String))


def cut_in_two(frame: pl.DataFrame, tables: Tables, document: str, positions: str, text: str) -> pl.DataFrame:
    """Cut a document into the text before the first and up to the second change of author (PAN 2018)."""
    made = []
    for row in frame.sort(document).iter_rows(named=True):
        places = numbers(row[positions])
        first, second = loaders.cut_in_two(row[text], places)
        if not first.strip() or not second.strip():
            continue
        same = "false" if places else "true"
        made.append({"document": row[document], "first": first, "second": second, "same": same})
    return pl.DataFrame(made, schema=_PAIRS)


def neighbouring_lines(
    frame: pl.DataFrame, tables: Tables, document: str, text: str, changes: str, balanced: bool = False
) -> pl.DataFrame:
    """Make pairs of neighbouring lines (PAN 2022 to 2026); `balanced` drops most same-author pairs (PAN 2026)."""
    documents, pairs = [], []
    for row in frame.sort(document).iter_rows(named=True):
        found = loaders.neighbours(row[text], numbers(row[changes]))
        if found is not None:
            documents.append(row[document])
            pairs.append(found)
    pairs = loaders.balanced(pairs) if balanced else pairs
    made = [
        {"document": document, "first": first, "second": second, "same": str(same).lower()}
        for document, own in zip(documents, pairs, strict=True)
        for _, same, first, second in own
    ]
    return pl.DataFrame(made, schema=_PAIRS)


def chosen_by_digest(frame: pl.DataFrame, tables: Tables, by: str, of: str, into: str) -> pl.DataFrame:
    """Set `into` to an element of the list column `of`, selected by the SHA-256 of the text `by` (ASSET)."""
    chosen = [
        loaders.chosen_by_digest(original, several) if original is not None and several else None
        for original, several in frame.select(by, of).iter_rows()
    ]
    return frame.with_columns(pl.Series(into, chosen, dtype=pl.String)).drop_nulls(into)


def shuffled_trials(frame: pl.DataFrame, tables: Tables, same: str, each: int) -> pl.DataFrame:
    """Keep the first `each` trials with `same` and as many without, after shuffling (PAN 2020, 2021)."""
    return frame[loaders.shuffled_trials([one == "true" for one in frame[same]], each)]


def equal_pieces(frame: pl.DataFrame, tables: Tables, label: str, text: str, count: int) -> pl.DataFrame:
    """Cut each label's joined texts into `count` pieces of equal length in characters (MASC)."""
    made = [
        {label: name, text: piece}
        for (name,), rows in frame.group_by([label], maintain_order=True)
        for piece in loaders.equal_pieces(rows[text].drop_nulls().to_list(), count)
    ]
    return pl.DataFrame(made, schema={label: pl.String, text: pl.String})


def shuffled_verses(frame: pl.DataFrame, tables: Tables, label: str, text: str, by: Sequence[str]) -> pl.DataFrame:
    """Keep references that every label has in different wordings, and shuffle references as units (Bible versions).

    `by` names the columns of a reference; columns of digits are compared as numbers.
    """
    verses: dict[tuple[object, ...], dict[str, str]] = {}
    for name, words, *reference in frame.select(label, text, *by).drop_nulls().iter_rows():
        key = tuple(int(part) if part.isdigit() else part for part in reference)
        verses.setdefault(key, {})[name] = words
    labels = sorted(set(frame[label].drop_nulls()))
    apart = [
        key
        for key in sorted(verses)
        if len({" ".join(words.lower().split()) for words in verses[key].values()}) == len(labels)
    ]
    Random(loaders.SEED).shuffle(apart)
    made = [{label: name, text: verses[key][name]} for key in apart for name in labels]
    return pl.DataFrame(made, schema={label: pl.String, text: pl.String})


def in_order_of_files(frame: pl.DataFrame, tables: Tables, file: str, names: Sequence[str]) -> pl.DataFrame:
    """Sort rows by the first of `names` contained in the name of their `file`, stably."""
    place = pl.lit(len(names))
    for number in reversed(range(len(names))):
        place = pl.when(pl.col(file).str.contains(names[number], literal=True)).then(number).otherwise(place)
    return frame.with_columns(place.alias("#place")).sort("#place", maintain_order=True).drop("#place")


def trimmed(frame: pl.DataFrame, tables: Tables, columns: Sequence[str]) -> pl.DataFrame:
    """Strip white space from these columns, and drop rows in which any of them is empty or missing."""
    for name in columns:
        values = [value.strip() if value else None for value in frame[name]]
        frame = frame.with_columns(pl.Series(name, values, dtype=pl.String))
    return frame.filter(pl.all_horizontal(pl.col(name).fill_null("") != "" for name in columns))


def stack_in_turn(frame: pl.DataFrame, tables: Tables, columns: Sequence[Mapping[str, str]]) -> pl.DataFrame:
    """Make a row per entry from each row, as `stack`, but keep a row's results together (STEL)."""
    parts = [frame.select(pl.col(theirs).alias(ours) for ours, theirs in one.items()) for one in columns]
    numbered = pl.concat([part.with_row_index("#row") for part in parts])
    return numbered.sort("#row", maintain_order=True).drop("#row")


def held_out_last(frame: pl.DataFrame, tables: Tables, file: str, every: int) -> pl.DataFrame:
    """Move the rows of files whose index by name (from 0) is a multiple of `every` to the end (blogs)."""
    names = sorted(set(frame[file].drop_nulls()))
    place = {name: number for number, name in enumerate(names)}
    keys = [(place[name] % every == 0, place[name]) if name in place else (True, len(names)) for name in frame[file]]
    return frame[sorted(range(len(keys)), key=keys.__getitem__)]


def aligned(
    frame: pl.DataFrame, tables: Tables, by: str, source: str, label: str, labels: Sequence[str], text: str, each: int
) -> pl.DataFrame:
    """Keep at most `each` sources per part (`by`), among those with a text for all of `labels` (EnDive)."""
    made = []
    for (part,), rows in sorted(frame.drop_nulls([by, source, label, text]).group_by([by]), key=lambda one: one[0]):
        versions: dict[str, dict[str, str]] = {}
        for original, name, words in rows.select(source, label, text).iter_rows():
            versions.setdefault(original, {})[name] = words
        for original in loaders.aligned(versions, labels, each):
            made += [{by: part, label: name, text: versions[original][name]} for name in labels]
    return pl.DataFrame(made, schema=dict.fromkeys((by, label, text), pl.String))


def first_of_group(frame: pl.DataFrame, tables: Tables, of: str, by: str) -> pl.DataFrame:
    """Set `of` to the group's first value, in all rows that agree in `by` (M4: a file's model)."""
    return frame.with_columns(pl.col(of).first().over(by))


def join_role(frame: pl.DataFrame, tables: Tables, role: str, order: str) -> pl.DataFrame:
    """Join an author's texts of a role, separated by blank lines, sorted by `order` (PAN 2018)."""
    own = pl.col("role") == role
    joined = (
        frame.filter(own)
        .sort("author", order)
        .group_by("author", "role", maintain_order=True)
        .agg(pl.col("text").str.join("\n\n"), pl.exclude("author", "role", "text").first())
    )
    return pl.concat([joined.select(frame.columns), frame.filter(~own)])


def numbers(value: object) -> list[int]:
    """Return the numbers in a list or its text form; other elements (`-` for none) are left out."""
    parts = value if isinstance(value, list) else [value or ""]
    return [int(found) for part in parts for found in regex.findall(r"\d+", str(part))]


STEPS: Mapping[str, Callable[..., pl.DataFrame]] = {
    function.__name__: function
    for function in (
        line_levels, cut_in_two, neighbouring_lines, chosen_by_digest, shuffled_trials, equal_pieces, shuffled_verses,
        in_order_of_files, trimmed, stack_in_turn, held_out_last, aligned, first_of_group, join_role,
    )
}  # fmt: skip
