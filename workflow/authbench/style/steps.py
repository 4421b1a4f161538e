"""Derive the rows of a task from a published corpus.

The derivations of STEB's appendix C, each a named step that maps rows of a table to new rows. Random draws use a hash
of the row, so they depend neither on row order nor on other rows.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import polars as pl
import regex

from authbench.errors import InputError
from authbench.identity import keyed_hash
from authbench.registry.values import did_you_mean
from authbench.style import arguments
from authbench.style.steb.steps import STEPS as STEPS_OF_STEB
from authbench.style.steb.steps import numbers

Tables = Mapping[str, pl.DataFrame]
Step = Callable[[pl.DataFrame, Any, Tables], pl.DataFrame]


def apply(steps: Sequence[Mapping[str, object]], frame: pl.DataFrame, tables: Tables, where: str) -> pl.DataFrame:
    """Return the rows after all steps; `join` may use `tables`. Raises InputError naming the step."""
    for place, step in enumerate(steps):
        name, argument = next(iter(step.items()))
        if name not in STEPS:
            raise InputError(f"{where}: steps[{place}]: there is no step '{name}'{did_you_mean(name, STEPS)}")
        try:
            frame = STEPS[name](frame, argument, tables)
        except pl.exceptions.ColumnNotFoundError as problem:
            have, what = ", ".join(frame.columns), str(problem).splitlines()[0].partition(";")[0]
            raise InputError(f"{where}: steps[{place}] ({name}): {what}; there are {have}") from None
    return frame


def draw(frame: pl.DataFrame, purpose: str, columns: Sequence[str] | None = None) -> pl.Series:
    """Return a uniform 64-bit number per row, a hash of its columns."""
    chosen_columns = frame.select(columns or frame.columns)
    return pl.Series(
        "draw", [keyed_hash(0, purpose, *map(str, row)) for row in chosen_columns.iter_rows()], dtype=pl.UInt64
    )


def lines(frame: pl.DataFrame, argument: Mapping[str, str], tables: Tables) -> pl.DataFrame:
    """Make a row of each non-blank line of `text`, with its line number in the file (from 1) as `number`."""
    text, number = argument["text"], argument["number"]
    cut = frame.with_row_index("#row").with_columns(pl.col(text).str.split("\n")).explode(text)
    numbered = cut.with_columns((pl.int_range(pl.len()).over("#row") + 1).cast(pl.String).alias(number))
    return numbered.drop("#row").with_columns(pl.col(text).str.strip_chars()).filter(pl.col(text) != "")


def align(frame: pl.DataFrame, argument: arguments.Align, tables: Tables) -> pl.DataFrame:
    """Join rows that agree in `by`, with a column per entry of `levels`: the `text` of the row at that `level`.

    Groups that lack a level are left out; of several rows at one level, the first is used.
    """
    wide = frame.pivot(
        on=argument["level"],
        index=argument["by"],
        values=argument["text"],
        aggregate_function="first",
        on_columns=argument["levels"],
    )
    return wide.drop_nulls(argument["levels"]).sort(argument["by"])


def stack(frame: pl.DataFrame, argument: Sequence[Mapping[str, str]], tables: Tables) -> pl.DataFrame:
    """Make one row per entry from each row, with columns renamed as in the entry (ours: theirs)."""
    return pl.concat([frame.select(pl.col(theirs).alias(ours) for ours, theirs in one.items()) for one in argument])


def orient(frame: pl.DataFrame, argument: Mapping[str, str], tables: Tables) -> pl.DataFrame:
    """Swap the texts of `first` and `second` where the column `when` is `backward`."""
    first, second = argument["first"], argument["second"]
    turned = pl.col(argument["when"]) == "backward"
    return frame.with_columns(
        pl.when(turned).then(second).otherwise(first).alias(first),
        pl.when(turned).then(first).otherwise(second).alias(second),
    )


def distinct(frame: pl.DataFrame, argument: Sequence[str], tables: Tables) -> pl.DataFrame:
    """Keep the first of rows with equal values in these columns."""
    return frame.unique(argument, keep="first", maintain_order=True)


def join(frame: pl.DataFrame, argument: arguments.Join, tables: Tables) -> pl.DataFrame:
    """Add the columns of another table of the entry, matched by `by`; leave out rows without a match."""
    return frame.join(tables[argument["table"]], on=argument["by"], how="inner", maintain_order="left")


def join_texts(frame: pl.DataFrame, argument: arguments.JoinTexts, tables: Tables) -> pl.DataFrame:
    """Join the texts of rows that agree in `by`, separated by blank lines, sorted by `order`.

    An author's known texts become one document (PAN 2013 to 2015, PAN 2018, Enron).
    """
    text = argument["text"]
    ordered = frame.sort([*argument["by"], argument["order"]])
    return ordered.group_by(argument["by"], maintain_order=True).agg(
        pl.col(text).str.join("\n\n"), pl.exclude(text, *argument["by"]).first()
    )


def consecutive_pairs(frame: pl.DataFrame, argument: Mapping[str, str], tables: Tables) -> pl.DataFrame:
    """Make a pair `first`, `second`, with `same`, of every two neighbouring parts of a document.

    `parts` is a pattern that matches between parts; `changes` is a list column of 0 and 1 (1: the author changes). A
    document is left out unless it has one entry per place between parts.
    """
    made = []
    for row in frame.iter_rows(named=True):
        parts = [part.strip() for part in regex.split(argument["parts"], row[argument["text"]]) if part.strip()]
        changes = numbers(row[argument["changes"]])
        if len(changes) != len(parts) - 1:
            continue
        for first, second, changed in zip(parts, parts[1:], changes, strict=False):
            here = {"first": first, "second": second, "same": "false" if changed else "true"}
            made.append({"document": row[argument["document"]], **here})
    return pl.DataFrame(made, schema=dict.fromkeys(("document", "first", "second", "same"), pl.String))


def cut_at_change(frame: pl.DataFrame, argument: Mapping[str, str], tables: Tables) -> pl.DataFrame:
    """Cut a document into a pair at the first change of author, or else at the paragraph break nearest the middle."""
    made = []
    for row in frame.iter_rows(named=True):
        text, places = row[argument["text"]], numbers(row[argument["positions"]])
        breaks = [found.start() for found in regex.finditer(r"\n\s*", text)]
        at = places[0] if places else min(breaks, key=lambda here: abs(here - len(text) // 2), default=0)
        if text[:at].strip() and text[at:].strip():
            pair = {"first": text[:at].strip(), "second": text[at:].strip(), "same": "false" if places else "true"}
            made.append({"document": row[argument["document"]], **pair})
    return pl.DataFrame(made, schema=dict.fromkeys(("document", "first", "second", "same"), pl.String))


def balance_per_document(frame: pl.DataFrame, argument: Mapping[str, str], tables: Tables) -> pl.DataFrame:
    """Keep all different-author pairs of a `document`, and draw equally many same-author pairs (PAN 2026)."""
    same = pl.col(argument["same"]) == "true"
    drawn = frame.with_columns(draw(frame, "balance")).with_columns(
        (~same).sum().over(argument["document"]).alias("#different"),
        pl.col("draw").rank("ordinal").over(argument["document"], argument["same"]).alias("#place"),
    )
    return drawn.filter(~same | (pl.col("#place") <= pl.col("#different"))).drop("draw", "#different", "#place")


def subset(frame: pl.DataFrame, argument: arguments.Subset, tables: Tables) -> pl.DataFrame:
    """Keep at most `each` drawn rows per value of `by`, reproducibly (PAN 2020: 250 + 250)."""
    drawn = frame.with_columns(draw(frame, "subset"))
    place = pl.col("draw").rank("ordinal").over(argument["by"])
    return drawn.filter(place <= argument["each"]).drop("draw")


def drop_equal(frame: pl.DataFrame, argument: Sequence[str], tables: Tables) -> pl.DataFrame:
    """Drop rows in which two of these columns contain the same text, ignoring case and white space."""
    plain = [bare(pl.col(name)) for name in argument]
    return frame.filter(~pl.any_horizontal(*(one == other for one, other in combinations(plain, 2))))


def drop_shared(frame: pl.DataFrame, argument: Mapping[str, str], tables: Tables) -> pl.DataFrame:
    """Drop texts that occur under several labels, ignoring case and white space (Bible versions)."""
    bared = frame.with_columns(bare(pl.col(argument["text"])).alias("#text"))
    return bared.filter(pl.col(argument["label"]).n_unique().over("#text") == 1).drop("#text")


def bare(text: pl.Expr) -> pl.Expr:
    return text.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


def every_label(frame: pl.DataFrame, argument: Mapping[str, str], tables: Tables) -> pl.DataFrame:
    """Make a row for each label of a text; `split` separates labels (CORE)."""
    name = argument["label"]
    return frame.with_columns(pl.col(name).str.split(argument["split"])).explode(name).filter(pl.col(name) != "")


def collapse(frame: pl.DataFrame, argument: arguments.Collapse, tables: Tables) -> pl.DataFrame:
    """Replace labels by the first entry of `into` whose pattern matches; keep others."""
    name = argument["label"]
    merged = pl.col(name)
    for pattern, label in reversed(argument["into"].items()):
        merged = pl.when(pl.col(name).str.contains(pattern)).then(pl.lit(label)).otherwise(merged)
    return frame.with_columns(merged.alias(name))


def leave_out(frame: pl.DataFrame, argument: arguments.Chosen, tables: Tables) -> pl.DataFrame:
    """Drop rows whose `label` is in `values` or matches the pattern `matching` (M4: BloomZ)."""
    return frame.filter(~chosen(argument))


def keep(frame: pl.DataFrame, argument: arguments.Chosen, tables: Tables) -> pl.DataFrame:
    """Keep only the rows that `leave_out` would drop."""
    return frame.filter(chosen(argument))


def chosen(argument: arguments.Chosen) -> pl.Expr:
    label = pl.col(argument["label"])
    found = label.is_in(argument["values"]) if "values" in argument else label.str.contains(argument["matching"])
    return found.fill_null(False)


def at_least(frame: pl.DataFrame, argument: arguments.AtLeast, tables: Tables) -> pl.DataFrame:
    """Drop labels with fewer than `rows` rows."""
    return frame.filter(pl.len().over(argument["label"]) >= argument["rows"])


def one_of_several(frame: pl.DataFrame, argument: arguments.OneOfSeveral, tables: Tables) -> pl.DataFrame:
    """Set `into` to one of the columns `of` (or an element of the list column), drawn per row (ASSET)."""
    chosen = []
    for number, row in zip(draw(frame, "one of several"), frame.iter_rows(named=True), strict=True):
        several = [row[name] for name in argument["of"]] if isinstance(argument["of"], list) else row[argument["of"]]
        chosen.append(several[number % len(several)] if several else None)
    return frame.with_columns(pl.Series(argument["into"], chosen, dtype=pl.String)).drop_nulls(argument["into"])


def flatten(frame: pl.DataFrame, argument: arguments.Text, tables: Tables) -> pl.DataFrame:
    """Make a row of each element of a list of texts; plain texts are unchanged."""
    text = argument["text"]
    listed = isinstance(frame.schema[text], pl.List)
    return frame.explode(text).drop_nulls(text) if listed else frame


def triplets(frame: pl.DataFrame, argument: arguments.Triplets, tables: Tables) -> pl.DataFrame:
    """Make a pair `first`, `second` of the two lines below each line that starts with one of `codes` (StylePTB)."""
    made = []
    for whole in frame[argument["text"]]:
        rows = whole.splitlines()
        for code, first, second in zip(rows, rows[1:], rows[2:], strict=False):
            if code[:3] in argument["codes"] and first and second:
                made.append({"style": code[:3], "first": first, "second": second})
    return pl.DataFrame(made, schema=dict.fromkeys(("style", "first", "second"), pl.String))


def pieces(frame: pl.DataFrame, argument: arguments.Pieces, tables: Tables) -> pl.DataFrame:
    """Cut texts at white space into pieces of at most `characters`, and keep at most `most` per text."""
    text, size = argument["text"], argument["characters"]
    cut = regex.compile(rf"(?s)\S(?:.{{0,{size - 2}}}\S)?(?=\s|$)|\S{{{size}}}")
    return (
        frame.drop_nulls(text)
        .with_columns(
            pl.Series(
                text,
                [cut.findall(whole)[: argument["most"]] for whole in frame[text].drop_nulls()],
                dtype=pl.List(pl.String),
            )
        )  # fmt: skip
        .explode(text)
        .drop_nulls(text)
    )


def verification_pairs(frame: pl.DataFrame, argument: arguments.VerificationPairs, tables: Tables) -> pl.DataFrame:
    """Make `pairs` same-author and `pairs` different-author pairs; a text occurs once per kind.

    Each author is in at most one pair of each kind, for equal weights (as in PAN 2020's open set).
    """
    author, text = argument["author"], argument["text"]
    frame = frame.drop_nulls([author, text])
    drawn = frame.with_columns(draw(frame, "pairs", [author, text])).sort("draw")
    by_author = drawn.group_by(author).agg(pl.col(text)).with_columns(pl.col(author).alias("who"))
    people = by_author.with_columns(draw(by_author, "people", [author])).sort("draw")
    made: list[dict[str, str]] = []
    for texts in people.filter(pl.col(text).list.len() > 1)[text].head(argument["pairs"]):
        made.append({"first": texts[0], "second": texts[1], "same": "true"})
    rest = people[text].list.last().to_list()
    others = rest[1:] + rest[:1] if len(rest) > 1 else []
    for first, second in list(zip(rest, others, strict=False))[: argument["pairs"]]:
        made.append({"first": first, "second": second, "same": "false"})
    return pl.DataFrame(made, schema=dict.fromkeys(("first", "second", "same"), pl.String))


def query_and_target(frame: pl.DataFrame, argument: arguments.QueryAndTarget, tables: Tables) -> pl.DataFrame:
    """Split each author's texts (at most `documents`) into queries and targets; `authors` are drawn.

    Authors with fewer than two texts are dropped. The result has `author`, `role` (query, target), `text`, and `lang`
    if present.
    """
    author, text = argument["author"], argument["text"]
    columns = {"author": author, "text": text} | ({"lang": "lang"} if "lang" in frame.columns else {})
    texts = frame.select(pl.col(theirs).alias(ours) for ours, theirs in columns.items()).drop_nulls().unique()
    texts = texts.with_columns(draw(texts, "roles")).with_columns(
        pl.col("draw").rank("ordinal").over("author").alias("#place")
    )
    texts = texts.filter(pl.col("#place") <= argument["documents"]).with_columns(
        pl.len().over("author").alias("#texts")
    )
    texts = texts.filter(pl.col("#texts") > 1)
    people = texts.select("author").unique()
    people = people.with_columns(draw(people, "authors")).sort("draw").head(argument["authors"])
    role = pl.when(pl.col("#place") * 2 <= pl.col("#texts")).then(pl.lit("query")).otherwise(pl.lit("target"))
    joined = texts.join(people.select("author"), on="author").sort("author", "#place")
    return joined.select("author", role.alias("role"), pl.exclude("author", "draw", "#place", "#texts"))


def known_and_unknown(frame: pl.DataFrame, argument: object, tables: Tables) -> pl.DataFrame:
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
