"""Derive the rows of a task from a published corpus.

The derivations of STEB's appendix C, each a named step that maps rows of a table to new rows. Random draws use a hash
of the row, so they depend neither on row order nor on other rows.
"""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from itertools import combinations

import polars as pl
import regex

from authbench.core.errors import InputError, first_line
from authbench.core.identity import keyed_hash
from authbench.core.words import did_you_mean
from authbench.suites.style.steb.steps import PAIRS, numbers
from authbench.suites.style.steb.steps import STEPS as STEPS_OF_STEB

Tables = Mapping[str, pl.DataFrame]
Step = Callable[..., pl.DataFrame]  # of rows, what the entry states, and if asked for the entry's other tables


def apply(steps: Sequence[Mapping[str, object]], frame: pl.DataFrame, tables: Tables, where: str) -> pl.DataFrame:
    """Return the rows after all steps; `join` may use `tables`. Raises InputError naming the step."""
    for place, step in enumerate(steps):
        name, given = next(iter(step.items()))
        if name not in STEPS:
            raise InputError(f"{where}: steps[{place}]: there is no step '{name}'{did_you_mean(name, STEPS)}")
        named = {**given} if isinstance(given, Mapping) else {"columns": given}
        if "tables" in signature(STEPS[name]).parameters:
            named["tables"] = tables
        try:
            signature(STEPS[name]).bind(frame, **named)
        except TypeError as problem:
            raise InputError(f"{where}: steps[{place}] ({name}): {problem}") from None
        try:
            frame = STEPS[name](frame, **named)
        except (pl.exceptions.PolarsError, KeyError, TypeError) as problem:
            have, what = ", ".join(frame.columns), first_line(problem).partition(";")[0]
            raise InputError(f"{where}: steps[{place}] ({name}): {what}; there are {have}") from None
    return frame


def draw(frame: pl.DataFrame, purpose: str, columns: Sequence[str] | None = None) -> pl.Series:
    """Return a uniform 64-bit number per row, a hash of its columns."""
    chosen_columns = frame.select(columns or frame.columns)
    return pl.Series(
        "draw", [keyed_hash(0, purpose, *map(str, row)) for row in chosen_columns.iter_rows()], dtype=pl.UInt64
    )


def lines(frame: pl.DataFrame, text: str, number: str) -> pl.DataFrame:
    """Make a row of each non-blank line of `text`, with its line number in the file (from 1) as `number`."""
    cut = frame.with_row_index("#row").with_columns(pl.col(text).str.split("\n")).explode(text)
    numbered = cut.with_columns((pl.int_range(pl.len()).over("#row") + 1).cast(pl.String).alias(number))
    return numbered.drop("#row").with_columns(pl.col(text).str.strip_chars()).filter(pl.col(text) != "")


def align(frame: pl.DataFrame, by: Sequence[str], level: str, levels: Sequence[str], text: str) -> pl.DataFrame:
    """Join rows that agree in `by`, with a column per entry of `levels`: the `text` of the row at that `level`.

    Groups that lack a level are left out; of several rows at the same level, the first is used.
    """
    wide = frame.pivot(on=level, index=by, values=text, aggregate_function="first", on_columns=levels)
    return wide.drop_nulls(levels).sort(by)


def stack(frame: pl.DataFrame, columns: Sequence[Mapping[str, str]]) -> pl.DataFrame:
    """Make a row per entry from each row, with columns renamed as in the entry (ours: theirs)."""
    return pl.concat([frame.select(pl.col(theirs).alias(ours) for ours, theirs in one.items()) for one in columns])


def orient(frame: pl.DataFrame, first: str, second: str, when: str) -> pl.DataFrame:
    """Swap the texts of `first` and `second` where the column `when` is `backward`."""
    turned = pl.col(when) == "backward"
    return frame.with_columns(
        pl.when(turned).then(second).otherwise(first).alias(first),
        pl.when(turned).then(first).otherwise(second).alias(second),
    )


def distinct(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Keep the first of rows with equal values in these columns."""
    return frame.unique(columns, keep="first", maintain_order=True)


def join(frame: pl.DataFrame, table: str, by: Sequence[str], tables: Tables) -> pl.DataFrame:
    """Add the columns of another table of the entry, matched by `by`; leave out rows without a match."""
    return frame.join(tables[table], on=by, how="inner", maintain_order="left")


def join_texts(frame: pl.DataFrame, by: Sequence[str], text: str, order: str) -> pl.DataFrame:
    """Join the texts of rows that agree in `by`, separated by blank lines, sorted by `order`.

    An author's known texts become a single document (PAN 2013 to 2015, PAN 2018, Enron).
    """
    ordered = frame.sort([*by, order])
    return ordered.group_by(by, maintain_order=True).agg(pl.col(text).str.join("\n\n"), pl.exclude(text, *by).first())


def consecutive_pairs(frame: pl.DataFrame, parts: str, text: str, changes: str, document: str) -> pl.DataFrame:
    """Make a pair `first`, `second`, with `same`, of every two neighbouring parts of a document.

    `parts` is a pattern that matches between parts; `changes` is a list column of 0 and 1 (1: the author changes). A
    document is left out unless it has an entry per place between parts.
    """
    made = []
    for row in frame.iter_rows(named=True):
        there = [part.strip() for part in regex.split(parts, row[text] or "") if part.strip()]
        changed_at = numbers(row[changes])
        if len(changed_at) != len(there) - 1:
            continue
        for first, second, changed in zip(there, there[1:], changed_at, strict=False):
            made.append((row[document], first, second, "false" if changed else "true"))
    return pl.DataFrame(made, schema=PAIRS, orient="row")


def cut_at_change(frame: pl.DataFrame, text: str, positions: str, document: str) -> pl.DataFrame:
    """Cut a document into a pair at the first change of author, or else at the paragraph break nearest the middle."""
    made = []
    for row in frame.iter_rows(named=True):
        whole, places = row[text] or "", numbers(row[positions])
        breaks = [found.start() for found in regex.finditer(r"\n\s*", whole)]
        at = places[0] if places else min(breaks, key=lambda here: abs(here - len(whole) // 2), default=0)
        first, second = whole[:at].strip(), whole[at:].strip()
        if first and second:
            made.append((row[document], first, second, "false" if places else "true"))
    return pl.DataFrame(made, schema=PAIRS, orient="row")


def balance_per_document(frame: pl.DataFrame, same: str, document: str) -> pl.DataFrame:
    """Keep all different-author pairs of a `document`, and draw equally many same-author pairs (PAN 2026)."""
    is_same = pl.col(same) == "true"
    drawn = frame.with_columns(draw(frame, "balance")).with_columns(
        (~is_same).sum().over(document).alias("#different"),
        pl.col("draw").rank("ordinal").over(document, same).alias("#place"),
    )
    return drawn.filter(~is_same | (pl.col("#place") <= pl.col("#different"))).drop("draw", "#different", "#place")


def subset(frame: pl.DataFrame, by: str | Sequence[str], each: int) -> pl.DataFrame:
    """Keep at most `each` drawn rows per value of `by`, reproducibly (PAN 2020: 250 + 250)."""
    drawn = frame.with_columns(draw(frame, "subset"))
    place = pl.col("draw").rank("ordinal").over(by)
    return drawn.filter(place <= each).drop("draw")


def drop_equal(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Drop rows in which two of these columns contain the same text, ignoring case and white space."""
    plain = [bare(pl.col(name)) for name in columns]
    return frame.filter(~pl.any_horizontal(*(one == other for one, other in combinations(plain, 2))))


def drop_shared(frame: pl.DataFrame, text: str, label: str) -> pl.DataFrame:
    """Drop texts that occur under several labels, ignoring case and white space (Bible versions)."""
    bared = frame.with_columns(bare(pl.col(text)).alias("#text"))
    return bared.filter(pl.col(label).n_unique().over("#text") == 1).drop("#text")


def bare(text: pl.Expr) -> pl.Expr:
    return text.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


def every_label(frame: pl.DataFrame, label: str, split: str) -> pl.DataFrame:
    """Make a row for each label of a text; `split` separates labels (CORE)."""
    return frame.with_columns(pl.col(label).str.split(split)).explode(label).filter(pl.col(label) != "")


def collapse(frame: pl.DataFrame, label: str, into: dict[str, str]) -> pl.DataFrame:
    """Replace labels by the first entry of `into` whose pattern matches; keep others."""
    merged = pl.col(label)
    for pattern, name in reversed(into.items()):
        merged = pl.when(pl.col(label).str.contains(pattern)).then(pl.lit(name)).otherwise(merged)
    return frame.with_columns(merged.alias(label))


def leave_out(
    frame: pl.DataFrame, label: str, values: Sequence[str] | None = None, matching: str | None = None
) -> pl.DataFrame:
    """Drop rows whose `label` is in `values` or matches the pattern `matching` (M4: BloomZ)."""
    return frame.filter(~chosen(label, values, matching))


def keep(
    frame: pl.DataFrame, label: str, values: Sequence[str] | None = None, matching: str | None = None
) -> pl.DataFrame:
    """Keep only the rows that `leave_out` would drop."""
    return frame.filter(chosen(label, values, matching))


def chosen(label: str, values: Sequence[str] | None, matching: str | None) -> pl.Expr:
    of = pl.col(label)
    return (of.str.contains(matching or "") if values is None else of.is_in(values)).fill_null(False)


def at_least(frame: pl.DataFrame, label: str, rows: int) -> pl.DataFrame:
    """Drop labels with fewer than `rows` rows."""
    return frame.filter(pl.len().over(label) >= rows)


def one_of_several(frame: pl.DataFrame, of: str | list[str], into: str) -> pl.DataFrame:
    """Set `into` to a column of `of` (or an element of the list column), drawn per row (ASSET)."""
    chosen = []
    for number, row in zip(draw(frame, "one of several"), frame.iter_rows(named=True), strict=True):
        several = [row[name] for name in of] if isinstance(of, list) else row[of]
        chosen.append(several[number % len(several)] if several else None)
    return frame.with_columns(pl.Series(into, chosen, dtype=pl.String)).drop_nulls(into)


def flatten(frame: pl.DataFrame, text: str) -> pl.DataFrame:
    """Make a row of each element of a list of texts; plain texts are unchanged."""
    listed = isinstance(frame.schema[text], pl.List)
    return frame.explode(text).drop_nulls(text) if listed else frame


def triplets(frame: pl.DataFrame, text: str, codes: Sequence[str]) -> pl.DataFrame:
    """Make a pair `first`, `second` of the two lines below each line that starts with a code of `codes` (StylePTB)."""
    made = []
    for whole in frame[text].drop_nulls():
        rows = whole.splitlines()
        for code, first, second in zip(rows, rows[1:], rows[2:], strict=False):
            if code[:3] in codes and first and second:
                made.append({"style": code[:3], "first": first, "second": second})
    return pl.DataFrame(made, schema=dict.fromkeys(("style", "first", "second"), pl.String))


def pieces(frame: pl.DataFrame, text: str, characters: int, most: int) -> pl.DataFrame:
    """Cut texts at white space into pieces of at most `characters`, and keep at most `most` per text."""
    cut = regex.compile(rf"(?s)\S(?:.{{0,{characters - 2}}}\S)?(?=\s|$)|\S{{{characters}}}")
    return (
        frame.drop_nulls(text)
        .with_columns(
            pl.Series(text, [cut.findall(whole)[:most] for whole in frame[text].drop_nulls()], dtype=pl.List(pl.String))
        )
        .explode(text)
        .drop_nulls(text)
    )


def verification_pairs(frame: pl.DataFrame, author: str, text: str, pairs: int) -> pl.DataFrame:
    """Make `pairs` same-author and `pairs` different-author pairs; a text occurs once per kind.

    Each author is in at most 1 pair of each kind, for equal weights (as in PAN 2020's open set).
    """
    frame = frame.drop_nulls([author, text]).unique([author, text], maintain_order=True)
    drawn = frame.with_columns(draw(frame, "pairs", [author, text])).sort("draw")
    by_author = drawn.group_by(author).agg(pl.col(text)).with_columns(pl.col(author).alias("who"))
    people = by_author.with_columns(draw(by_author, "people", [author])).sort("draw")
    made: list[dict[str, str]] = []
    for texts in people.filter(pl.col(text).list.len() > 1)[text].head(pairs):
        made.append({"first": texts[0], "second": texts[1], "same": "true"})
    rest = people[text].list.last().to_list()
    others = rest[1:] + rest[:1] if len(rest) > 1 else []
    for first, second in list(zip(rest, others, strict=False))[:pairs]:
        made.append({"first": first, "second": second, "same": "false"})
    return pl.DataFrame(made, schema=dict.fromkeys(("first", "second", "same"), pl.String))


def query_and_target(frame: pl.DataFrame, author: str, text: str, documents: int, authors: int) -> pl.DataFrame:
    """Split each author's texts (at most `documents`) into queries and targets; `authors` are drawn.

    Authors with fewer than two texts are dropped. The result has `author`, `role` (query, target), `text`, and `lang`
    if present.
    """
    columns = {"author": author, "text": text} | ({"lang": "lang"} if "lang" in frame.columns else {})
    texts = frame.select(pl.col(theirs).alias(ours) for ours, theirs in columns.items()).drop_nulls().unique()
    texts = texts.with_columns(draw(texts, "roles")).with_columns(
        pl.col("draw").rank("ordinal").over("author").alias("#place")
    )
    texts = texts.filter(pl.col("#place") <= documents).with_columns(pl.len().over("author").alias("#texts"))
    texts = texts.filter(pl.col("#texts") > 1)
    people = texts.select("author").unique()
    people = people.with_columns(draw(people, "authors")).sort("draw").head(authors)
    role = pl.when(pl.col("#place") * 2 <= pl.col("#texts")).then(pl.lit("query")).otherwise(pl.lit("target"))
    joined = texts.join(people.select("author"), on="author").sort("author", "#place")
    return joined.select("author", role.alias("role"), pl.exclude("author", "draw", "#place", "#texts"))


def known_and_unknown(frame: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Make queries of the texts in the folder `unknown`, candidates of all others (PAN 2018 attribution).

    The column `author` of the table `truth` gives an unknown text's author by `problem` and `file`; problems do not
    share candidates. Adds `author`, `role` and `query` (the unknown text's name).
    """
    joined = frame.join(tables["truth"], on=["problem", "file"], how="left", maintain_order="left")
    asks = pl.col("folder") == "unknown"
    author = pl.when(asks).then("author").otherwise("folder")
    return joined.with_columns(
        pl.concat_str("problem", author, separator="/").alias("author"),
        pl.when(asks).then(pl.lit("query")).otherwise(pl.lit("target")).alias("role"),
        pl.concat_str("problem", "file", separator="/").alias("query"),
    ).drop_nulls("author")


_OWN = (
    lines, align, orient, stack, distinct, join, join_texts, consecutive_pairs, cut_at_change, balance_per_document,
    subset, drop_equal, drop_shared, every_label, collapse, leave_out, keep, at_least, one_of_several, pieces,
    verification_pairs, query_and_target, known_and_unknown, flatten, triplets,
)  # fmt: skip
STEPS: Mapping[str, Step] = {function.__name__: function for function in _OWN} | dict(STEPS_OF_STEB)
