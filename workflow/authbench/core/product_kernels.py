"""Multiply sparse matrices into dense tables by a compiled loop, where most products are not 0."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from authbench.core.arrays import F32, I64, U32, Sparse
from authbench.core.runtime.jit import compiled

Values = np.ndarray  # float32 or float64


class Rows(NamedTuple):
    """A CSR matrix: row r has the `values[starts[r]:starts[r + 1]]` in as many `columns`."""

    starts: I64
    columns: U32
    values: Values


def rows_of(matrix: Sparse) -> Rows:
    """Return the rows of a CSR matrix."""
    columns = matrix.indices
    small = columns.dtype == np.int32
    return Rows(
        matrix.indptr.astype(np.int64), columns.view(np.uint32) if small else columns.astype(np.uint32), matrix.data
    )


def products_with(matrix: Sparse) -> Callable[[Sparse], F32]:
    """Return a function that gives the products of the rows of a CSR matrix with the rows of this matrix."""
    turned = rows_of(matrix.T.tocsr())

    def products(others: Sparse) -> F32:
        found = np.empty((others.shape[0], matrix.shape[0]), np.float32)
        multiply(0, rows_of(others), turned, found)
        return found

    return products


def products_of_pairs(matrix: Sparse, one: I64, other: I64) -> F32:
    """Return the product of each pair of rows of a CSR matrix whose columns are sorted, shape (pairs,)."""
    found, one, other = np.empty(len(one), np.float32), one.view(), other.view()
    one.flags.writeable = other.flags.writeable = False  # else the loop is compiled for either kind
    _multiply_pairs(rows_of(matrix), one, other, found)
    return found


@compiled
def multiply(first: int, rows: Rows, turned: Rows, out: Values) -> None:
    """Write the products of rows `first`, ... with another matrix, given by its columns, summed in stored order.

    Args:
        first: the first row.
        rows: of a matrix.
        turned: the columns of the other matrix.
        out: shape (rows, rows of the other matrix); written.
    """
    for r in range(len(out)):
        row = out[r]
        row[:] = 0
        for k in range(rows.starts[first + r], rows.starts[first + r + 1]):
            start, end = turned.starts[rows.columns[k]], turned.starts[rows.columns[k] + 1]
            _add_products(rows.values[k], turned.columns[start:end], turned.values[start:end], row)


@compiled
def _add_products(value: float, places: U32, weights: Values, row: Values) -> None:
    """Add the products of a value and weights to the row at their distinct places: four at a time."""
    four = len(places) // 4 * 4
    for k in range(0, four, 4):
        row[places[k]] += value * weights[k]
        row[places[k + 1]] += value * weights[k + 1]
        row[places[k + 2]] += value * weights[k + 2]
        row[places[k + 3]] += value * weights[k + 3]
    for k in range(four, len(places)):
        row[places[k]] += value * weights[k]


@compiled
def _multiply_pairs(rows: Rows, one: I64, other: I64, found: F32) -> None:
    """Add up the products of the values in columns that both rows of a pair have, in 64 bits."""
    starts, columns, values = rows
    for p in range(len(one)):
        i, end_i = starts[one[p]], starts[one[p] + 1]
        j, end_j = starts[other[p]], starts[other[p] + 1]
        product = 0.0
        while i < end_i and j < end_j:
            if columns[i] == columns[j]:
                product += np.float64(values[i]) * np.float64(values[j])
                i, j = i + 1, j + 1
            elif columns[i] < columns[j]:
                i += 1
            else:
                j += 1
        found[p] = product
