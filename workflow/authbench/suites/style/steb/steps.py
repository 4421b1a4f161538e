"""Select and derive rows as STEB's loaders do, where they differ from our steps."""

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from random import Random

import polars as pl
import regex

from authbench.core.errors import InputError

PAIRS = dict.fromkeys(("document", "first", "second", "same"), pl.String)
SEED = 42
FEWEST, MOST = 25, 200  # limits of the texts per label


def episodes_per_class(labels: Sequence[Hashable]) -> int:
    """Return the number of texts per label: that of the smallest label within FEWEST and MOST."""
    return min(max(min(Counter(labels).values(), default=0), FEWEST), MOST)


def take(labels: Sequence[Hashable]) -> list[int]:
    """Return the indices of the selected records: label by label as first met, in file order within a label.

    Labels with too few are left out. Mini-batch k-means depends on this order.

    Raises:
        InputError: no label has enough records.
    """
    wanted = episodes_per_class(labels)
    places: dict[Hashable, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    kept = [place for own in places.values() if len(own) >= wanted for place in own[:wanted]]
    if not kept:
        most = max(map(len, places.values()), default=0)
        raise InputError(f"no label has {wanted} texts, which STEB's protocol asks for; the largest has {most}")
    return kept


def line_levels(frame: pl.DataFrame, by: str, level: str, levels: Sequence[str], text: str) -> pl.DataFrame:
    """Make a row of each line number at which every version of a text has text (OneStopEnglish).

    `by` identifies the text, `level` the version, `levels` the versions in order; each becomes a column.
    """
    made = []
    for (name, *_), versions in frame.sort(by).group_by([by], maintain_order=True):
        there = dict(versions.select(level, text).iter_rows())
        if all(there.get(one) is not None for one in levels):
            numbered = zip(*(there[one].split("\n") for one in levels), strict=False)
            stripped = ([line.strip() for line in lines] for lines in numbered)
            made += [{by: name, **dict(zip(levels, lines, strict=True))} for lines in stripped if all(lines)]
    return pl.DataFrame(made, schema=dict.fromkeys((by, *levels), pl.String))


def cut_in_two(frame: pl.DataFrame, document: str, positions: str, text: str) -> pl.DataFrame:
    """Cut a document into the text before the first and up to the second change of author (PAN 2018).

    Without a change, cut at the white space nearest to the middle (ties: the left).
    """
    made = []
    for row in frame.sort(document).iter_rows(named=True):
        whole, places = row[text] or "", numbers(row[positions])
        middle = len(whole) // 2
        spaces = (found.start() for found in regex.finditer(r"\s", whole))
        nearest = min(spaces, key=lambda place: abs(place - middle), default=middle - 1) + 1
        at, end = (*places, len(whole))[:2] if places else (nearest, len(whole))
        first, second = whole[:at], whole[at:end]
        if first.strip() and second.strip():
            made.append((row[document], first, second, "false" if places else "true"))
    return pl.DataFrame(made, schema=PAIRS, orient="row")


def neighbouring_lines(
    frame: pl.DataFrame, document: str, text: str, changes: str, balanced: bool = False
) -> pl.DataFrame:
    """Make pairs of neighbouring non-blank lines, a document's same-author pairs first (PAN 2022 to 2026).

    A document is left out unless it has a change, or none, for each place between lines. `balanced` drops most
    same-author pairs (PAN 2026): of these, each document keeps the share (all different-author pairs) / (all
    same-author pairs), drawn by a single generator across documents.
    """
    same, different = list[list[tuple[str, ...]]](), list[list[tuple[str, ...]]]()
    for row in frame.sort(document).iter_rows(named=True):
        lines, changed = [line for line in (row[text] or "").splitlines() if line.strip()], numbers(row[changes])
        if len(changed) == len(lines) - 1:
            pairs = [(row[document], *pair) for pair in pairwise(lines)]
            for kind, here in ((same, 0), (different, 1)):
                kind.append([pair for pair, change in zip(pairs, changed, strict=True) if bool(change) == here])
    if balanced:
        rate = sum(map(len, different)) / max(1, sum(map(len, same)))
        random = Random(SEED)
        same = [random.sample(pairs, min(len(pairs), round(rate * len(pairs)))) for pairs in same]
    made = []
    for ones, others in zip(same, different, strict=True):
        made += [(*pair, "true") for pair in ones] + [(*pair, "false") for pair in others]
    return pl.DataFrame(made, schema=PAIRS, orient="row")


def chosen_by_digest(frame: pl.DataFrame, by: str, of: str, into: str) -> pl.DataFrame:
    """Set `into` to an element of the list column `of`, selected by the SHA-256 of the text `by` (ASSET)."""
    chosen = [
        several[int(hashlib.sha256(original.encode()).hexdigest(), 16) % len(several)]
        if original is not None and several
        else None
        for original, several in frame.select(by, of).iter_rows()
    ]
    return frame.with_columns(pl.Series(into, chosen, dtype=pl.String)).drop_nulls(into)


def shuffled_trials(frame: pl.DataFrame, same: str, each: int) -> pl.DataFrame:
    """Keep the first `each` trials with `same` and as many without, shuffled in sequence (PAN 2020, 2021)."""
    random = Random(SEED)
    kinds = [[place for place, one in enumerate(frame[same]) if (one == "true") == kind] for kind in (True, False)]
    for places in kinds:
        random.shuffle(places)
    return frame[[place for places in kinds for place in places[:each]]]


def equal_pieces(frame: pl.DataFrame, label: str, text: str, count: int) -> pl.DataFrame:
    """Cut each label's texts, joined by line breaks, into `count` pieces of equal length in characters (MASC)."""
    made = []
    for (name,), rows in frame.group_by([label], maintain_order=True):
        whole = "\n".join(rows[text].drop_nulls())
        edges = [place * len(whole) // count for place in range(count + 1)]
        made += [{label: name, text: whole[start:stop]} for start, stop in pairwise(edges)]
    return pl.DataFrame(made, schema={label: pl.String, text: pl.String})


def shuffled_verses(frame: pl.DataFrame, label: str, text: str, by: Sequence[str]) -> pl.DataFrame:
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
    Random(SEED).shuffle(apart)
    made = [{label: name, text: verses[key][name]} for key in apart for name in labels]
    return pl.DataFrame(made, schema={label: pl.String, text: pl.String})


def in_order_of_files(frame: pl.DataFrame, file: str, names: Sequence[str]) -> pl.DataFrame:
    """Sort rows by the first of `names` contained in the name of their `file`, stably."""
    place = pl.lit(len(names))
    for number in reversed(range(len(names))):
        place = pl.when(pl.col(file).str.contains(names[number], literal=True)).then(number).otherwise(place)
    return frame.with_columns(place.alias("#place")).sort("#place", maintain_order=True).drop("#place")


def trimmed(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Strip white space from these columns, and drop rows in which any of them is empty or missing."""
    for name in columns:
        values = [value.strip() if value else None for value in frame[name]]
        frame = frame.with_columns(pl.Series(name, values, dtype=pl.String))
    return frame.filter(pl.all_horizontal(pl.col(name).fill_null("") != "" for name in columns))


def stack_in_turn(frame: pl.DataFrame, columns: Sequence[Mapping[str, str]]) -> pl.DataFrame:
    """Make a row per entry from each row, as `stack`, but keep a row's results together (STEL)."""
    parts = [frame.select(pl.col(theirs).alias(ours) for ours, theirs in one.items()) for one in columns]
    numbered = pl.concat([part.with_row_index("#row") for part in parts])
    return numbered.sort("#row", maintain_order=True).drop("#row")


def held_out_last(frame: pl.DataFrame, file: str, every: int) -> pl.DataFrame:
    """Move the rows of files whose index by name (from 0) is a multiple of `every` to the end (blogs)."""
    names = sorted(set(frame[file].drop_nulls()))
    place = {name: number for number, name in enumerate(names)}
    keys = [(place[name] % every == 0, place[name]) if name in place else (True, len(names)) for name in frame[file]]
    return frame[sorted(range(len(keys)), key=keys.__getitem__)]


def aligned(
    frame: pl.DataFrame, by: str, source: str, label: str, labels: Sequence[str], text: str, each: int
) -> pl.DataFrame:
    """Keep at most `each` drawn sources per part (`by`), of those with a text for all of `labels` (EnDive)."""
    made = []
    for (part,), rows in sorted(frame.drop_nulls([by, source, label, text]).group_by([by]), key=lambda one: one[0]):
        versions: dict[str, dict[str, str]] = {}
        for original, name, words in rows.select(source, label, text).iter_rows():
            versions.setdefault(original, {})[name] = words
        whole = sorted(source for source, there in versions.items() if all(label in there for label in labels))
        for original in sorted(Random(SEED).sample(whole, each)) if len(whole) > each else whole:
            made += [{by: part, label: name, text: versions[original][name]} for name in labels]
    return pl.DataFrame(made, schema=dict.fromkeys((by, label, text), pl.String))


def first_of_group(frame: pl.DataFrame, of: str, by: str) -> pl.DataFrame:
    """Set `of` to the group's first value, in all rows that agree in `by` (M4: a file's model)."""
    return frame.with_columns(pl.col(of).first().over(by))


def join_role(frame: pl.DataFrame, role: str, order: str) -> pl.DataFrame:
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
