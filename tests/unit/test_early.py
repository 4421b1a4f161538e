"""Authors are drawn before their texts are processed: by hash, of each source and language, whole."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.sample.early import DRAWN, draw_authors, undrawn
from authbench.core.identity import keyed_hash

SEED = 7
AUTHORS = [f"author {number}" for number in range(12)]
records = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(["en", "de"]), st.sampled_from(AUTHORS)), max_size=60
)


def table(rows):
    return pl.DataFrame(rows, schema={"source": pl.String, "lang": pl.String, "author_id": pl.String}, orient="row")


def by_hash(authors):
    return sorted(authors, key=lambda author: keyed_hash(SEED, "early author", author))


@given(records, st.integers(1, 13), st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_first_authors_by_hash_of_each_source_and_language_are_drawn_in_any_batches(rows, most, size, chance):
    expected = set()
    for stratum in {row[:2] for row in rows}:
        expected |= set(by_hash({row[2] for row in rows if row[:2] == stratum})[:most])
    chance.shuffle(rows)
    batches = [table(rows[start : start + size]) for start in range(0, len(rows), size)]
    drawn = draw_authors(batches, most, SEED)
    assert drawn.schema == DRAWN
    assert drawn["author_id"].to_list() == sorted(expected)


def test_records_without_an_author_draw_none_and_go_on_to_be_counted_as_incomplete():
    rows = table([("a", "en", "ann"), ("a", "en", None), ("a", "en", "bob")])
    drawn = draw_authors([rows], 1, SEED)
    assert drawn.height == 1
    assert undrawn(rows, drawn).to_list() == [drawn["author_id"][0] != "ann", False, drawn["author_id"][0] != "bob"]
    assert undrawn(rows[:0], drawn).to_list() == []


def test_another_seed_draws_other_authors():
    rows = table([("a", "en", author) for author in AUTHORS])
    assert (
        draw_authors([rows], 3, SEED)["author_id"].to_list() != draw_authors([rows], 3, SEED + 1)["author_id"].to_list()
    )
