"""Balance the splits by the choice of units.

Units are ordered by keyed hash and cut per language; then they are exchanged until every bucket is as near to its share
as units allow.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from authbench.core.identity import keyed_hash

TRAINS = (pl.col("author_kind") == "work") | pl.col("train_only")  # documents allowed only in training
BALANCED_FROM = 20  # a smaller bucket cannot be cut by shares
EXCHANGES = 200  # units of a bucket and split that an exchange considers


def fixed_splits(
    documents: pl.DataFrame, codes: NDArray[np.int64], units: int, names: list[str], lock: Mapping[str, str]
) -> NDArray[np.int64]:
    """Return the split of units without a choice, -1 for others.

    A unit with a train-only text (a `work`, or `train_only`) is in training: `train`, or the first split if none has
    that name. Others keep the split of an earlier lock; a unit that joins authors of several old splits takes the first
    of these in the settings.

    Args:
        documents: with author_id, author_kind and train_only.
        codes: shape (documents,), the unit of each.
        units: how many there are.
        names: of the splits.
        lock: the earlier split of each author.

    Returns:
        Shape (units,), places in `names`.
    """
    fixed = np.full(units, -1)
    authors: Iterable[str] = documents["author_id"]
    for code, author in zip(codes, authors, strict=True):
        old = names.index(lock[author]) if lock.get(author) in names else -1
        if old >= 0:
            fixed[code] = old if fixed[code] < 0 else min(fixed[code], old)
    fixed[codes[documents.select(TRAINS).to_series().to_numpy()]] = training(names)
    return fixed


def training(names: Sequence[str]) -> int:
    """Return the training split: `train`, or the first if none has that name."""
    return names.index("train") if "train" in names else 0


def due(
    documents: NDArray[np.float64], trains: NDArray[np.float64], shares: NDArray[np.float64], training: int
) -> NDArray[np.float64]:
    """Return the target number of documents per split and bucket: the split's share.

    If train-only documents exceed the training split's share, they are its target, and the other splits divide the rest
    by their shares.

    Args:
        documents: shape (buckets,), how many there are.
        trains: shape (buckets,), how many of these are train-only.
        shares: shape (splits,), summing to 1.
        training: the training split.

    Returns:
        Shape (splits, buckets).
    """
    everywhere = np.outer(shares, documents)
    others = shares.copy()
    others[training] = 0
    rest = np.outer(others / max(others.sum(), 1e-9), documents - trains)
    rest[training] = trains
    return np.where(trains > everywhere[training], rest, everywhere)


def cut_in_hash_order(
    documents: pl.DataFrame,
    units: NDArray[Any],
    codes: NDArray[np.int64],
    shares: NDArray[np.float64],
    seed: int,
    fixed: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Cut units of each language (a unit's most frequent), in hash order, at the splits' shares of documents.

    Args:
        documents: with `lang`.
        units: shape (units,), their names.
        codes: shape (documents,), the unit of each.
        shares: shape (splits,).
        seed: of the hash.
        fixed: shape (units,), the split of units without a choice, -1 for others.

    Returns:
        Shape (units,), the split of each.
    """
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


def balance(
    documents: pl.DataFrame,
    codes: NDArray[np.int64],
    cut: NDArray[np.int64],
    shares: NDArray[np.float64],
    fixed: NDArray[np.int64],
    training: int,
) -> NDArray[np.int64]:
    """Exchange units until every bucket is within a unit of its share, as far as exchanges can.

    Buckets are each (lang, genre, length) of 20 documents or more, and each language.

    Args:
        documents: with `lang`, `genre`, `length_bucket`, and the columns that TRAINS reads.
        codes: shape (documents,), the unit of each.
        cut: shape (units,), as from `cut_in_hash_order`.
        shares: shape (splits,).
        fixed: shape (units,), 0 or more for a unit without a choice.
        training: the split of train-only texts.

    Returns:
        Shape (units,), the split of each.
    """
    if not len(cut):
        return cut
    content, trains = _unit_by_bucket(documents, codes, len(cut))
    split = cut.copy()
    off = np.stack([content[split == number].sum(axis=0) for number in range(len(shares))])
    off -= due(content.sum(axis=0), trains, shares, training)
    _move_units(content, split, off, fixed < 0)
    _exchange_units(content, split, off, np.flatnonzero(fixed < 0))
    return split


def _move_units(content: Any, split: NDArray[np.int64], off: NDArray[np.float64], movable: NDArray[np.bool_]) -> None:
    """Move single units, each time the unit that most lowers the squared relative deviations, while any does.

    Decisive sums are computed with `np.bincount`, which adds in the order of its input: a product of BLAS differs by
    processor.
    """
    units = len(split)
    columns, entries = content.tocsc(), content.tocoo()
    unit, bucket, count = entries.row, entries.col, entries.data
    weight = 1.0 / np.maximum(content.sum(axis=0), 1)
    squares = np.bincount(unit, weight[bucket] * count**2, units)
    pull = np.stack([np.bincount(unit, (one * weight)[bucket] * count, units) for one in off])
    for _ in range(20 * units):
        # Moving u from s to t changes sum(weight * off**2) by 2 * (|u|^2 + (off_t - off_s) . u), all products weighted.
        change = squares[None, :] + pull - pull[split, np.arange(units)][None, :]
        change[split, np.arange(units)] = 0
        change[:, ~movable] = 0
        target, index = divmod(int(change.argmin()), units)
        if change[target, index] > -1e-9:
            return
        own = slice(*content.indptr[index : index + 2])
        has, held = content.indices[own], content.data[own]
        others = columns[:, has].tocoo()
        shift = np.bincount(others.row, (weight[has] * held)[others.col] * others.data, units)
        pull[split[index]] -= shift
        pull[target] += shift
        off[split[index], has] -= held
        off[target, has] += held
        split[index] = target


def _exchange_units(
    content: Any, split: NDArray[np.int64], off: NDArray[np.float64], movable: NDArray[np.int64]
) -> None:
    """Exchange two units, or move one, wherever that brings buckets closer to within a unit of their share."""
    allowed = content.max(axis=0).toarray().ravel()
    nobody = np.zeros((1, content.shape[1]))

    def excess(deviations: NDArray[np.float64]) -> NDArray[np.float64]:
        return (np.maximum(np.abs(deviations) - allowed, 0) ** 2).sum(axis=-1)  # type: ignore[no-any-return]

    for _ in range(len(split)):
        beyond = np.abs(off) - allowed
        best: tuple[float, int, int, int, int] | None = None
        for at in np.flatnonzero(beyond.ravel() > 1e-9):
            here, bucket = divmod(int(at), off.shape[1])
            inside = movable[(split[movable] == here)]
            involved = inside[content[inside, bucket].toarray().ravel() > 0][:EXCHANGES]
            giving = content[involved].toarray()
            for there in range(len(off)):
                others = movable[split[movable] == there]
                related = others[content[others] @ giving.sum(axis=0) > 0][:EXCHANGES] if len(involved) else others[:0]
                if there == here or not len(related):
                    continue
                give = np.concatenate([giving, nobody])[:, None, :]
                take = np.concatenate([content[related].toarray(), nobody])[None, :, :]
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
                has = content[unit].toarray().ravel()
                off[source] -= has
                off[target] += has
                split[unit] = target


def _unit_by_bucket(documents: pl.DataFrame, codes: NDArray[np.int64], units: int) -> tuple[Any, NDArray[np.float64]]:
    """Return documents of each unit in each bucket of 20 or more and in each language, a CSR array.

    Also return, per column, how many of the documents are train-only.
    """
    columns, only = [], []
    trains = documents.select(TRAINS).to_series().to_numpy()
    bucket = pl.concat_str("lang", "genre", "length_bucket", separator="\x1f")
    for label, least in ((bucket, BALANCED_FROM), (pl.col("lang"), 1)):
        names, inverse, counts = np.unique(
            documents.select(label).to_series().to_numpy(), return_inverse=True, return_counts=True
        )
        table = csr_array((np.ones(len(codes)), (codes, inverse)), (units, len(names)))
        columns.append(table[:, counts >= least])
        only.append(np.bincount(inverse[trains], minlength=len(names))[counts >= least])
    return hstack(columns, format="csr"), np.concatenate(only).astype(np.float64)
