"""Train, dev or test?

By keyed hash of whatever must not straddle them (AuthBench paper, A.7): a unit is an author with his works and every
text that is nearly the same as one of his. Units are ordered by hash and cut per language; then units change places
until every bucket (language, genre, length) is as near to its share as units allow.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from authbench.funnel import Counts, Tally
from authbench.identity import keyed_hash

BALANCED_FROM = 20  # a smaller bucket cannot be cut by shares
EXCHANGES = 200  # units of a bucket and split that an exchange looks at


@dataclass(frozen=True)
class Splits:
    """doc_key, split, unit and left_out (`leak_bridge`, `author_of_leak_bridges`; split null), and what it took."""

    assigned: pl.DataFrame
    churn: int
    groups: int
    bridges: int


@dataclass(frozen=True)
class Outcome:
    """`documents` that stay, with `split` and `unit`; those left out (REMOVED); the tables for the report."""

    documents: pl.DataFrame
    removed: pl.DataFrame
    counts: Counts
    facts: dict[str, Any]


def split_documents(
    documents: pl.DataFrame,
    similar: pl.DataFrame,
    contained: pl.DataFrame,
    settings: Mapping[str, Any],
    sample: Mapping[str, Any],
    seed: int,
    lock: Mapping[str, Any],
) -> Outcome:
    """Give the selected documents their splits; `similar` and `contained` are the pairs of `leakage.find_leaks`.

    `settings` and `sample` are the sections `split` and `sample`, `lock` an earlier release.lock (or empty).
    """
    linked = pl.concat([similar.select("a", "b"), contained.select("a", "b")])
    fallback = sample["fallback_documents_per_author"]
    minimum = sample["min_documents_per_author"] if fallback is None else fallback
    splits = assign_splits(documents, linked, settings, minimum, seed, lock.get("authors", {}))
    judged = documents.sort("doc_key").join(splits.assigned, on="doc_key", how="left", maintain_order="left")
    kept = judged.filter(pl.col("left_out").is_null()).drop("left_out")
    removed = judged.filter(pl.col("left_out").is_not_null()).select(
        "source",
        "doc_key",
        stage=pl.lit("split"),
        reason="left_out",
        value=pl.lit(None, pl.Float64),
        threshold=pl.lit(None, pl.Float64),
        detail=pl.lit(None, pl.String),
    )
    tally = Tally("split")
    tally.add(documents, kept, removed)
    facts = {
        "units": splits.groups,
        "units_moved": splits.churn,
        "bridges": splits.bridges,
        "linked_pairs": linked.height,
        "near_copies": similar.height,
        "contained": contained.height,
        "buckets": split_deviation(kept, settings["splits"]),
    }
    return Outcome(kept, removed, tally.counts(), facts)


def assign_splits(
    documents: pl.DataFrame,
    linked: pl.DataFrame,
    settings: Mapping[str, Any],
    minimum: int,
    seed: int,
    lock: Mapping[str, str],
) -> Splits:
    """Assign every document to a split.

    `documents` has doc_key, source, author_id, author_kind, origin_id, lang, genre, length_bucket; `linked` pairs
    a, b of doc_keys that must share a split (near copies, containment); `lock` maps author ids to the splits they
    had. An author whom lost bridges leave with fewer than `minimum` documents goes too.
    """
    documents = documents.sort("doc_key")
    bridges = find_bridges(documents, linked, settings["bridge"], settings["unit"])
    kept = documents.filter(~pl.col("doc_key").is_in(bridges))
    if bridges:
        kept = kept.filter(pl.len().over("lang", "source", "author_id") >= minimum)
    unit = unit_of(kept, linked, settings["unit"])
    names, shares = list(settings["splits"]), np.array(list(settings["splits"].values()), float) / 100
    units, codes = np.unique(unit, return_inverse=True)
    fixed = _fixed_splits(kept, codes, len(units), names, lock)
    cut = _cut_in_hash_order(kept, units, codes, shares, seed, fixed)
    balanced = _balance(kept, codes, cut, shares, fixed)
    split = pl.Series("split", [names[index] for index in balanced[codes]])
    assigned = documents.select("doc_key").join(
        kept.select("doc_key", split, pl.Series("unit", unit)), on="doc_key", how="left", maintain_order="left"
    )
    reason = pl.when(pl.col("doc_key").is_in(bridges)).then(pl.lit("leak_bridge"))
    orphaned = pl.when(pl.col("split").is_null()).then(pl.lit("author_of_leak_bridges"))
    assigned = assigned.with_columns(pl.coalesce(reason, orphaned).alias("left_out"))
    churn = int((cut != balanced).sum())
    return Splits(assigned, churn, len(units), documents.height - kept.height)


def unit_of(documents: pl.DataFrame, linked: pl.DataFrame, unit: str) -> list[str]:
    """The unit each document moves with, named by its smallest doc_key: all that authors, works and links connect.

    With `document` as the unit authors connect nothing, works and links still do.
    """
    place = {doc_key: index for index, doc_key in enumerate(documents["doc_key"])}
    edges = [(place[a], place[b]) for a, b in linked.select("a", "b").iter_rows() if a in place and b in place]
    for column in ("author_id", "origin_id") if unit == "author" else ("origin_id",):
        edges += _chains(documents[column])
    group = _components(documents.height, edges)
    first: dict[int, str] = {}
    for doc_key, index in zip(documents["doc_key"], group, strict=True):
        first[index] = min(first.get(index, doc_key), doc_key)
    return [first[index] for index in group]


def find_bridges(documents: pl.DataFrame, linked: pl.DataFrame, bridge: Mapping[str, Any], unit: str) -> list[str]:
    """Documents to leave out so that no unit is larger than max(documents, language_share of its language).

    The document with the most links to other authors goes first (ties by doc_key), until its unit falls apart; an
    author's own documents never make a unit too large by themselves.
    """
    removed: list[str] = []
    left = documents
    while True:
        units = unit_of(left, linked, unit)
        allowed = left.group_by("lang").agg(
            (pl.len() * bridge["language_share"]).clip(lower_bound=bridge["documents"]).alias("most")
        )
        sizes = (
            left.with_columns(pl.Series("unit", units))
            .join(allowed, on="lang")
            .group_by("unit")
            .agg(pl.len().alias("size"), pl.col("most").max())
        )
        too_large = set(sizes.filter(pl.col("size") > pl.col("most"))["unit"])
        if not too_large:
            return sorted(removed)
        inside = left.with_columns(pl.Series("unit", units)).filter(pl.col("unit").is_in(list(too_large)))
        links = _links_across_authors(inside, linked, unit)
        if not links:
            return sorted(removed)
        worst: dict[str, tuple[int, str]] = {}
        unit_by_key = dict(inside.select("doc_key", "unit").iter_rows())
        for doc_key, number in links.items():
            name = unit_by_key[doc_key]
            worst[name] = max(worst.get(name, (0, "")), (number, doc_key))
        gone = [doc_key for _, doc_key in worst.values()]
        removed += gone
        left = left.filter(~pl.col("doc_key").is_in(gone))


def split_deviation(documents: pl.DataFrame, shares: Mapping[str, float]) -> list[dict[str, Any]]:
    """Per bucket of at least 20 documents and split: documents, those due, and the size of the largest unit in it."""
    bucket = ["lang", "genre", "length_bucket"]
    rows = []
    for key, part in sorted(documents.group_by(bucket), key=lambda group: group[0]):
        if part.height < BALANCED_FROM:
            continue
        largest = int(part.group_by("unit").len()["len"].max())  # type: ignore[arg-type]
        for name, share in shares.items():
            due, found = part.height * share / 100, int((part["split"] == name).sum())
            place = dict(zip(bucket, map(str, key), strict=True))
            rows.append({**place, "split": name, "documents": found, "due": round(due, 3), "largest_unit": largest})
    return rows


def _components(size: int, edges: Sequence[tuple[int, int]]) -> NDArray[np.int32]:
    if not edges:
        return np.arange(size, dtype=np.int32)
    a, b = np.array(edges).T
    graph = csr_array((np.ones(len(a), np.int8), (a, b)), shape=(size, size))
    return connected_components(graph, directed=False)[1]  # type: ignore[no-any-return]


def _chains(column: pl.Series) -> list[tuple[int, int]]:
    """Each row with the next one that has the same value."""
    last: dict[str, int] = {}
    edges = []
    for index, value in enumerate(column):
        if value in last:
            edges.append((last[value], index))
        last[value] = index
    return edges


def _links_across_authors(documents: pl.DataFrame, linked: pl.DataFrame, unit: str) -> dict[str, int]:
    """How many documents of other authors (with `document` as the unit: works) each document is tied to."""
    owner = dict(documents.select("doc_key", "author_id" if unit == "author" else "origin_id").iter_rows())
    links: dict[str, int] = {}
    pairs = list(linked.select("a", "b").iter_rows())
    if unit == "author":
        by_work = documents.select("origin_id", "doc_key").join(
            documents.select("origin_id", pl.col("doc_key").alias("other")), on="origin_id"
        )
        pairs += by_work.filter(pl.col("doc_key") < pl.col("other")).select("doc_key", "other").iter_rows()
    for a, b in pairs:
        if a in owner and b in owner and owner[a] != owner[b]:
            links[a] = links.get(a, 0) + 1
            links[b] = links.get(b, 0) + 1
    return links


def _fixed_splits(
    documents: pl.DataFrame, codes: NDArray[np.int64], units: int, names: list[str], lock: Mapping[str, str]
) -> NDArray[np.int64]:
    """The split of units that have no choice, -1 elsewhere: those of an earlier lock, and `work`s, which only train.

    A unit that joins authors of several old splits takes the split that comes first in the settings.
    """
    fixed = np.full(units, -1)
    rows: Iterable[tuple[str, str]] = documents.select("author_id", "author_kind").iter_rows()
    for code, (author, kind) in zip(codes, rows, strict=True):
        old = 0 if kind == "work" else names.index(lock[author]) if lock.get(author) in names else -1
        if old >= 0:
            fixed[code] = old if fixed[code] < 0 else min(fixed[code], old)
    return fixed


def _cut_in_hash_order(
    documents: pl.DataFrame,
    units: NDArray[Any],
    codes: NDArray[np.int64],
    shares: NDArray[np.float64],
    seed: int,
    fixed: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Per language (a unit's most frequent), units in hash order, cut where the shares of documents say."""
    sizes = np.bincount(codes, minlength=len(units))
    language, lang_codes = np.unique(documents["lang"].to_numpy(), return_inverse=True)
    per_language = np.zeros((len(units), len(language)), int)
    np.add.at(per_language, (codes, lang_codes), 1)
    main = per_language.argmax(axis=1) if len(units) else np.zeros(0, int)
    order = sorted(
        range(len(units)), key=lambda index: (keyed_hash(seed, "split", str(units[index])), str(units[index]))
    )
    cut = fixed.copy()
    for lang in range(len(language)):
        members = [index for index in order if main[index] == lang]
        due = shares * sizes[members].sum()
        have = np.array([sizes[[m for m in members if fixed[m] == s]].sum() for s in range(len(shares))], float)
        current = 0
        for index in members:
            if fixed[index] >= 0:
                continue
            while current < len(shares) - 1 and have[current] + sizes[index] / 2 > due[current]:
                current += 1
            cut[index] = current
            have[current] += sizes[index]
    return cut


def _balance(
    documents: pl.DataFrame,
    codes: NDArray[np.int64],
    cut: NDArray[np.int64],
    shares: NDArray[np.float64],
    fixed: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Let units change places until every bucket is within one unit of its share, as far as exchanges can.

    Buckets are those (lang, genre, length) of 20 documents or more, and each language.
    """
    if not len(cut):
        return cut
    content = _unit_by_bucket(documents, codes, len(cut))
    split = cut.copy()
    due = np.outer(shares, content.sum(axis=0))
    off = np.eye(len(shares))[split].T @ content - due
    _move_units(content, split, off, fixed < 0)
    _exchange_units(content, split, off, np.flatnonzero(fixed < 0))
    return split


def _move_units(
    content: NDArray[np.float64], split: NDArray[np.int64], off: NDArray[np.float64], movable: NDArray[np.bool_]
) -> None:
    """Move single units, each time the one that most lowers the squared relative deviations, while one does."""
    units = len(split)
    weight = 1.0 / np.maximum(content.sum(axis=0), 1)
    squares = (content**2) @ weight
    pull = (off * weight) @ content.T
    for _ in range(20 * units):
        # Moving u from s to t changes sum(weight * off**2) by 2 * (|u|^2 + (off_t - off_s) . u), all products weighted.
        change = squares[None, :] + pull - pull[split, np.arange(units)][None, :]
        change[split, np.arange(units)] = 0
        change[:, ~movable] = 0
        target, index = divmod(int(change.argmin()), units)
        if change[target, index] > -1e-9:
            return
        has = np.flatnonzero(content[index])
        shift = content[:, has] @ (weight * content[index])[has]
        pull[split[index]] -= shift
        pull[target] += shift
        off[split[index]] -= content[index]
        off[target] += content[index]
        split[index] = target


def _exchange_units(
    content: NDArray[np.float64], split: NDArray[np.int64], off: NDArray[np.float64], movable: NDArray[np.int64]
) -> None:
    """Exchange two units, or move one, wherever that brings buckets nearer to within one unit of their share."""
    allowed = content.max(axis=0)
    nobody = np.zeros((1, content.shape[1]))

    def excess(deviations: NDArray[np.float64]) -> NDArray[np.float64]:
        return (np.maximum(np.abs(deviations) - allowed, 0) ** 2).sum(axis=-1)  # type: ignore[no-any-return]

    for _ in range(len(split)):
        beyond = np.abs(off) - allowed
        best: tuple[float, int, int, int, int] | None = None
        for at in np.flatnonzero(beyond.ravel() > 1e-9):
            here, bucket = divmod(int(at), off.shape[1])
            inside = movable[(split[movable] == here)]
            involved = inside[content[inside, bucket] > 0][:EXCHANGES]
            for there in range(len(off)):
                others = movable[split[movable] == there]
                related = (
                    others[content[others] @ content[involved].sum(axis=0) > 0][:EXCHANGES]
                    if len(involved)
                    else others[:0]
                )
                if there == here or not len(related):
                    continue
                give = np.concatenate([content[involved], nobody])[:, None, :]
                take = np.concatenate([content[related], nobody])[None, :, :]
                after = excess(off[here] - give + take) + excess(off[there] + give - take)
                gain = after - excess(off[here]) - excess(off[there])
                row, column = divmod(int(gain.argmin()), gain.shape[1])
                found = (
                    float(gain[row, column]),
                    here,
                    there,
                    int(involved[row]) if row < len(involved) else -1,
                    int(related[column]) if column < len(related) else -1,
                )
                best = found if best is None or found < best else best
        if best is None or best[0] > -1e-9:
            return
        _, here, there, given, taken = best
        for unit, source, target in ((given, here, there), (taken, there, here)):
            if unit >= 0:
                off[source] -= content[unit]
                off[target] += content[unit]
                split[unit] = target


def _unit_by_bucket(documents: pl.DataFrame, codes: NDArray[np.int64], units: int) -> NDArray[np.float64]:
    """Documents of each unit in each bucket of 20 or more and in each language, as a units x columns table."""
    columns = []
    bucket = pl.concat_str("lang", "genre", "length_bucket", separator="\x1f")
    for label, least in ((bucket, BALANCED_FROM), (pl.col("lang"), 1)):
        names, inverse, counts = np.unique(
            documents.select(label).to_series().to_numpy(), return_inverse=True, return_counts=True
        )
        table = np.zeros((units, len(names)))
        np.add.at(table, (codes, inverse), 1)
        columns.append(table[:, counts >= least])
    return np.concatenate(columns, axis=1)
