"""Assign documents to train, dev and test.

Units, which must not cross splits, are assigned by keyed hash (AuthBench paper, A.7). A unit is an author with their
works and every text that is nearly the same as a text of theirs. Units are ordered by hash and cut per language. Then
units are exchanged until every bucket (language, genre, length) is as near to its share as units allow.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.build.labels.shared import known_under_two_labels
from authbench.build.split.balance import BALANCED_FROM, TRAINS, balance, cut_in_hash_order, due, fixed_splits, training
from authbench.build.split.leakage import Leaks
from authbench.build.split.persons import NO_SHARED, find_persons
from authbench.build.split.units import find_bridges, unit_of
from authbench.config.settings.split import Split
from authbench.core.funnel import Counts, Tally
from authbench.core.json_values import JsonObject
from authbench.core.records import as_removed
from authbench.release.format.release import Lock


@dataclass(frozen=True)
class _Splits:
    """Hold doc_key, split, unit and left_out (the reason; split null), and the facts of the assignment.

    Reasons are `near_duplicate`, `leak_bridge` and `author_with_too_few_left`.
    """

    assigned: pl.DataFrame
    churn: int
    groups: int
    bridges: int


@dataclass(frozen=True)
class _Outcome:
    """Hold the kept `documents` with `split`, `unit` and `scored`, the removed (REMOVED), and the report's tables.

    `possibly_one` are the kept authors who are possibly the same person (persons.POSSIBLY_ONE).
    """

    documents: pl.DataFrame
    possibly_one: pl.DataFrame
    removed: pl.DataFrame
    counts: Counts
    facts: JsonObject


class Labels(NamedTuple):
    """Authors whose label is of several people (source, author_id), and texts known under two labels (doc_key).

    `shared` are pairs of authors (a, b) with several texts in common.
    """

    train_only: pl.DataFrame | None = None
    known_twice: pl.DataFrame | None = None
    shared: pl.DataFrame = NO_SHARED


def split_documents(
    documents: pl.DataFrame,
    leaks: Leaks,
    settings: Split,
    minimum: int,
    near: float,
    seed: int,
    lock: Lock | None,
    labels: Labels = Labels(),  # noqa: B008
) -> _Outcome:
    """Assign the selected documents to splits, and mark which may be scored.

    Authors in `labels.train_only` are assigned to training and not `scored`. Texts known under two labels are not
    scored either: texts in `labels.known_twice`, pieces of such texts, and near copies of another author's text.
    `settings` is the section `split`, `minimum` the documents that an author must keep, `near` the similarity of copies
    of which a single copy is kept, `lock` an earlier release.lock (or empty). De-duplication found all but 1 in
    thousands of the copies; the rest are removed here, where few documents are left to compare.
    """
    alike = leaks.similar.filter(pl.col("similarity") >= near)
    copies = near_copies(alike)
    documents = documents.sort("doc_key")
    marked = _mark(documents.drop("content"), alike, labels.train_only, labels.known_twice)
    similar = leaks.similar.filter(pl.col("similarity") >= settings["leak_threshold"])
    linked = pl.concat([similar.select("a", "b"), leaks.contained.select("a", "b")])
    persons = find_persons(marked, settings["bridge"], settings["unit"], labels.shared)
    locked = lock["authors"] if lock else {}
    splits = assign_splits(marked, linked, settings, minimum, seed, locked, copies, persons.person_of)
    judged = marked.join(splits.assigned, on="doc_key", how="left", maintain_order="left")
    stays = judged.filter(pl.col("left_out").is_null())
    kept = documents.filter(judged["left_out"].is_null()).with_columns(stays["scored"], stays["split"], stays["unit"])
    removed = as_removed(judged.filter(pl.col("left_out").is_not_null()), "split", "left_out")
    tally = Tally("split")
    tally.add(judged, stays, removed)
    facts = {
        "units": splits.groups,
        "units_moved": splits.churn,
        "bridges": splits.bridges,
        "linked_pairs": linked.height,
        "near_copies": similar.height,
        "contained": leaks.contained.height,
        "train_only": int(stays["train_only"].sum()),
        "not_scored": int((~kept["scored"]).sum()),
        **persons.facts(),
        **({"common_passages": leaks.common} if leaks.common else {}),
        "buckets": split_deviation(stays, settings["splits"]),
    }
    stay = [pl.col(end).is_in(kept["author_id"].unique().implode()) for end in ("a", "b")]
    return _Outcome(kept, persons.pairs.filter(*stay), removed, tally.counts(), facts)


def _mark(
    documents: pl.DataFrame, alike: pl.DataFrame, train_only: pl.DataFrame | None, known_twice: pl.DataFrame | None
) -> pl.DataFrame:
    """Return the documents with `train_only` and `scored`; `alike` are pairs a, b of near copies."""
    owner = documents.select("doc_key", "author_id")
    both = alike.join(owner, left_on="a", right_on="doc_key").join(owner, left_on="b", right_on="doc_key", suffix="_b")
    of_two = both.filter(pl.col("author_id") != pl.col("author_id_b"))
    twice = pl.concat([of_two.select(doc_key="a"), of_two.select(doc_key="b")])
    if known_twice is not None:
        twice = pl.concat([twice, known_twice.select("doc_key")])
    label = ["source", "author_id"]
    names = pl.DataFrame(schema=dict.fromkeys(label, pl.String)) if train_only is None else train_only.select(label)
    marked = names.unique().with_columns(train_only=pl.lit(True))
    return (
        documents.join(marked, on=label, how="left", maintain_order="left")
        .with_columns(pl.col("train_only").fill_null(False))
        .with_columns(scored=~pl.col("train_only") & ~known_under_two_labels("doc_key", twice))
    )


def assign_splits(
    documents: pl.DataFrame,
    linked: pl.DataFrame,
    settings: Split,
    minimum: int,
    seed: int,
    lock: Mapping[str, str],
    copies: Set[str] = frozenset(),
    person_of: Mapping[str, str] = MappingProxyType({}),
) -> _Splits:
    """Assign every document to a split.

    `documents` has doc_key, source, author_id, author_kind, train_only, origin_id, lang, genre, length_bucket. `linked`
    pairs a, b of doc_keys that must share a split (near copies, containment). `lock` maps author ids to their earlier
    splits. `copies` are left out. Authors of one `person_of` move together. An author who loses documents is removed if
    they keep fewer than `minimum`, or than they had, if that was fewer.
    """
    author = ["lang", "source", "author_id"]
    documents = documents.sort("doc_key").with_columns(least=pl.len().over(author).clip(upper_bound=minimum))
    kept = documents.filter(~_among(copies))
    person = pl.col("author_id").replace(dict(person_of))
    bridges = find_bridges(kept.with_columns(person), linked, settings["bridge"], settings["unit"])
    kept = kept.filter(~_among(bridges)).filter(pl.len().over(author) >= pl.col("least"))
    unit = unit_of(kept.with_columns(person), linked, settings["unit"])
    names, shares = list(settings["splits"]), np.array(list(settings["splits"].values()), float) / 100
    units, codes = np.unique(unit, return_inverse=True)
    fixed = fixed_splits(kept, codes, len(units), names, lock)
    cut = cut_in_hash_order(kept, units, codes, shares, seed, fixed)
    settled = balance(kept, codes, cut, shares, fixed, training(names))
    places = {"split": [names[index] for index in settled[codes]], "unit": unit}
    placed = kept.select("doc_key").hstack(pl.DataFrame(places, schema=dict.fromkeys(places, pl.String)))
    assigned = documents.select("doc_key").join(placed, on="doc_key", how="left", maintain_order="left")
    left_out = [
        pl.when(_among(copies)).then(pl.lit("near_duplicate")),
        pl.when(_among(bridges)).then(pl.lit("leak_bridge")),
        pl.when(pl.col("split").is_null()).then(pl.lit("author_with_too_few_left")),
    ]
    assigned = assigned.with_columns(pl.coalesce(left_out).alias("left_out"))
    churn = int((cut != settled).sum())
    return _Splits(assigned, churn, len(units), len(bridges))


def near_copies(pairs: pl.DataFrame) -> frozenset[str]:
    """Return the documents to remove from pairs (a, b) of copies, a < b: copies of kept documents, by doc_key."""
    gone: set[str] = set()
    for stays, goes in pairs.select("a", "b").sort("b", "a").iter_rows():
        if stays not in gone:
            gone.add(goes)
    return frozenset(gone)


def _among(doc_keys: Iterable[str]) -> pl.Expr:
    return pl.col("doc_key").is_in(sorted(doc_keys))


def split_deviation(documents: pl.DataFrame, shares: Mapping[str, float]) -> list[dict[str, object]]:
    """Return per bucket of at least 20 documents and split: documents, target, and the size of the largest unit.

    Train-only texts have no target in other splits (`balance.due`).
    """
    percent = np.array(list(shares.values()), float) / 100
    bucket = ["lang", "genre", "length_bucket"]
    documents = documents.select(*bucket, "split", "unit", *TRAINS.meta.root_names())
    rows = []
    for key, part in sorted(documents.group_by(bucket), key=lambda group: group[0]):
        if part.height < BALANCED_FROM:
            continue
        largest = int(part.group_by("unit").len()["len"].max())  # type: ignore[arg-type]
        trains = np.array([part.select(TRAINS.sum()).item()], float)
        wanted = due(np.array([part.height], float), trains, percent, training(list(shares)))[:, 0]
        place = dict(zip(bucket, map(str, key), strict=True))
        for name, of_split in zip(shares, wanted.tolist(), strict=True):
            found = int((part["split"] == name).sum())
            rows.append(
                {**place, "split": name, "documents": found, "due": round(of_split, 3), "largest_unit": largest}
            )
    return rows
