"""Balance the splits by the choice of units.

Units are ordered by keyed hash and cut per language; then they are exchanged until every bucket is as near to its share
as units allow.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from scipy.sparse import csr_array, hstack

from authbench.core.arrays import BOOL, F64, I64, Sparse
from authbench.core.identity import keyed_hash

TRAINS = (pl.col("author_kind") == "work") | pl.col("train_only")  # documents allowed only in training
BALANCED_FROM = 20  # a smaller bucket cannot be cut by shares
EXCHANGES = 200  # units of a bucket and split that an exchange considers
SWEEPS = 50
_ANY = 1e-9  # documents; less is rounding


def fixed_splits(documents: pl.DataFrame, codes: I64, units: int, names: list[str], lock: Mapping[str, str]) -> I64:
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


def due(documents: F64, trains: F64, shares: F64, training: int) -> F64:
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
    units: np.ndarray,
    codes: I64,
    shares: F64,
    seed: int,
    fixed: I64,
) -> I64:
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
    codes: I64,
    cut: I64,
    shares: F64,
    fixed: I64,
    training: int,
) -> I64:
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
    content, wanted = _units_by_bucket(documents, codes, len(cut), shares, training)
    split = cut.copy()
    off = np.stack([content[split == number].sum(axis=0) for number in range(len(shares))]) - wanted
    _move_units(content, split, off, fixed < 0)
    _exchange_units(content, split, off, fixed < 0)
    return split


def _move_units(content: Sparse, split: I64, off: F64, movable: BOOL) -> None:
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
        if change[target, index] > -_ANY:
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


def _exchange_units(content: Sparse, split: I64, off: F64, movable: BOOL) -> None:
    """Exchange two units, or move one, wherever that brings buckets closer to within a unit of their share.

    A sweep makes the best exchange for each bucket and split that is further off, the furthest first. There are at most
    SWEEPS: where units without a choice keep a bucket from its share, exchanges would gain ever less.
    """
    allowed = content.max(axis=0).toarray().ravel()
    columns = content.tocsc()

    def excess(at: I64, deviations: F64) -> F64:
        return (np.maximum(np.abs(deviations) - allowed[at], 0) ** 2).sum(axis=-1)  # type: ignore[no-any-return]

    def best_exchange(here: int, bucket: int) -> tuple[float, int, int, int] | None:
        """Return the gain (the lowest is the best), the other split, and the units given and taken; -1: none."""
        holders = columns.indices[slice(*columns.indptr[bucket : bucket + 2])]
        involved = np.sort(holders[movable[holders] & (split[holders] == here)])[:EXCHANGES]
        giving = content[involved].toarray()
        alike = movable & (content @ giving.sum(axis=0) > 0)
        best = None
        for there in range(len(off)):
            related = np.flatnonzero(alike & (split == there))[:EXCHANGES]
            if there == here or not len(related):
                continue
            taking = content[related].toarray()
            at = np.flatnonzero(giving.any(axis=0) | taking.any(axis=0))
            nobody = np.zeros((1, len(at)))
            give = np.concatenate([giving[:, at], nobody])[:, None, :]
            take = np.concatenate([taking[:, at], nobody])[None, :, :]
            after = excess(at, off[here, at] - give + take) + excess(at, off[there, at] + give - take)
            gain = after - excess(at, off[here, at]) - excess(at, off[there, at])
            row, column = divmod(int(gain.argmin()), gain.shape[1])
            given = int(involved[row]) if row < len(involved) else -1
            taken = int(related[column]) if column < len(related) else -1
            found = (float(gain[row, column]), there, given, taken)
            best = found if best is None or found < best else best
        return best

    for _ in range(SWEEPS):
        exchanged = False
        beyond = (np.abs(off) - allowed).ravel()
        for place in np.argsort(-beyond, kind="stable")[: int((beyond > _ANY).sum())]:
            here, bucket = divmod(int(place), off.shape[1])
            if abs(off[here, bucket]) - allowed[bucket] <= _ANY:
                continue  # earlier exchanges of the sweep have mended it
            found = best_exchange(here, bucket)
            if found is None or found[0] > -_ANY:
                continue
            exchanged = True
            _, there, given, taken = found
            for unit, source, target in ((given, here, there), (taken, there, here)):
                if unit >= 0:
                    has = content[[unit]].toarray().ravel()
                    off[source] -= has
                    off[target] += has
                    split[unit] = target
        if not exchanged:
            return


def _units_by_bucket(documents: pl.DataFrame, codes: I64, units: int, shares: F64, training: int) -> tuple[Sparse, F64]:
    """Return documents of each unit in each bucket of 20 or more and in each language, a CSR array, and their targets.

    The target of a language is its split's share, and what the targets of its buckets differ from theirs, so that all
    can be met at once.

    Returns:
        Shapes (units, columns) and (splits, columns).
    """
    trains = documents.select(TRAINS).to_series().to_numpy()
    bucket = pl.concat_str("lang", "genre", "length_bucket", separator="\x1f")
    names, inverse, counts = np.unique(
        documents.select(bucket).to_series().to_numpy(), return_inverse=True, return_counts=True
    )
    only = np.bincount(inverse[trains], minlength=len(names)).astype(np.float64)
    wanted = due(counts.astype(np.float64), only, shares, training)
    languages, spoken, of_language = np.unique(documents["lang"].to_numpy(), return_inverse=True, return_counts=True)
    place = np.searchsorted(languages, [str(name).partition("\x1f")[0] for name in names])
    beyond = wanted - np.outer(shares, counts)
    by_language = np.outer(shares, of_language)
    np.add.at(by_language.T, place, beyond.T)
    large = counts >= BALANCED_FROM
    tables = [
        csr_array((np.ones(len(codes)), (codes, column)), (units, number))
        for column, number in ((inverse, len(names)), (spoken, len(languages)))
    ]
    content = hstack([tables[0][:, large], tables[1]], format="csr")
    return content, np.concatenate([wanted[:, large], by_language], axis=1)
