"""Counts of batches add up, and what is said of an author is said of all his texts."""

import polars as pl
import pytest

from authbench.filter.activity import count_activity, measure_authors

ROWS = pl.DataFrame(
    {
        "author_id": ["a", "a", "a", "b", "c", "c", "c"],
        "date": ["2024-12-01T08:00", "2024-12-01T09:00", "2024-12-02", None, "1890", "1890", "1890"],
        "content": ["Day 1: [URL] up 3 %", "Day 2: up 14 %", "Nothing new", "So it is.", "One.", "Two.", "Three."],
        "chunk_start": [None, None, None, None, 0, 500, 1000],
    }
)


def test_activity_is_the_busiest_day_and_the_commonest_template():
    assert measure_authors([count_activity(ROWS)]).sort("author_id").rows() == [
        ("a", 2, pytest.approx(2 / 3)),
        ("b", None, None),
    ]


def test_batches_add_up_to_the_whole():
    parts = [count_activity(ROWS[row]) for row in range(ROWS.height)]
    assert measure_authors(parts).sort("author_id").equals(measure_authors([count_activity(ROWS)]).sort("author_id"))


def test_pieces_of_a_book_are_no_posts():
    assert "c" not in measure_authors([count_activity(ROWS)])["author_id"]
