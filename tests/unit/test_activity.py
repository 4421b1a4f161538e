"""Counts of batches add up, and what is said of an author is said of all his texts."""

import polars as pl
import pytest

from authbench.build.filter.activity import count_activity, measure_authors, part_of

ROWS = pl.DataFrame(
    {
        "author_id": ["a", "a", "a", "b", "c", "c", "c"],
        "date": ["2024-12-01T08:00", "2024-12-01T09:00", "2024-12-02", None, "1890", "1890", "1890"],
        "content": ["Day 1: [URL] up 3 %", "Day 2: up 14 %", "Nothing new", "So it is.", "One.", "Two.", "Three."],
        "chunk_start": [None, None, None, None, 0, 500, 1000],
    }
)


def test_activity_is_the_busiest_day_and_the_commonest_template():
    assert measure_authors([count_activity(ROWS)]).rows() == [
        ("a", 2, pytest.approx(2 / 3)),
        ("b", None, None),
    ]


def test_batches_add_up_to_the_whole():
    parts = [count_activity(ROWS[row]) for row in range(ROWS.height)]
    assert measure_authors(parts).equals(measure_authors([count_activity(ROWS)]))


def test_authors_are_measured_the_same_in_parts():
    counts = count_activity(ROWS)
    parts = [measure_authors([part_of(counts, part, 3)]) for part in range(3)]
    assert pl.concat(parts).sort("author_id").equals(measure_authors([counts]))


def test_pieces_of_a_book_are_no_posts():
    assert "c" not in measure_authors([count_activity(ROWS)])["author_id"]
