"""Groups of pairs.parquet: the check finds exactly the malformed ones, and files out of order."""

from itertools import combinations_with_replacement, product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authbench.release.checking.pairs import _check_form

IDS, POOLS = pl.Enum(["a", "b", "c", "d"]), pl.Enum(["matched", "topic_matched"])
ROWS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.booleans(), st.integers(0, 3), st.integers(0, 1)))


def order(row):
    pool, group, same, candidate, _ = row
    return pool, group, not same, candidate


def found(rows):
    """The ids of the findings in rows of pool, group, same, candidate and query."""
    pools, groups, same, candidates, queries = zip(*rows, strict=True) if rows else [()] * 5
    table = pl.DataFrame(
        {
            "pool": pl.Series([POOLS.categories[one] for one in pools], dtype=POOLS),
            "group": pl.Series(groups, dtype=pl.Int32),
            "query_id": pl.Series([IDS.categories[one] for one in queries], dtype=IDS),
            "candidate_id": pl.Series([IDS.categories[one] for one in candidates], dtype=IDS),
            "same": pl.Series(same, dtype=pl.Boolean),
        }
    )
    return {finding.id for finding in _check_form(table, "pairs")}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_group_is_wrong_unless_it_is_a_positive_of_one_query_with_other_texts_in_one_pool(size):
    every = product((0, 1), (0,), (True, False), (0, 1), (0, 1))
    for rows in combinations_with_replacement(sorted(every, key=order), size):
        pools, _, same, candidates, queries = zip(*rows, strict=True)
        one = len({*pools}) == len({*queries}) == sum(same) == 1 and len({*candidates}) == size
        assert found([*rows]) & {"pairs 0"} == (set() if one else {"pairs 0"}), rows


@given(ROWS)
def test_rows_in_another_order_are_found_out(rows):
    assert ("pairs" in found(rows)) == (list(map(order, rows)) != sorted(map(order, rows)))
