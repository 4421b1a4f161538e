"""The leaderboard states the worst measure of topic, over all queries and by source."""

from pathlib import Path

import polars as pl
import pytest

from authbench.reports.leaderboard.collect import Result
from authbench.reports.leaderboard.topic import topic_table

AUTHORS = {"blogs": 25, "poems": 20, "letters": 19}


def scored(name, kind, by_source):
    rows = [
        {"id": f"{source}{author}_{text}", "author_id": f"{source}{author}", "source": source, "lang": "en",
         "auc_topic": by_source[source] + spread, "topic_matched_groups": 2}
        for source, size in AUTHORS.items() for author in range(size) for text, spread in enumerate((-0.05, 0.05))
    ]  # fmt: skip
    return Result(Path(name), {"model": {"name": name, "kind": kind}}), pl.DataFrame(rows).sort("id")


def table(*models):
    return topic_table([result for result, _ in models], [queries for _, queries in models], seed=0)


def even(value):
    return dict.fromkeys(AUTHORS, value)


WORDS = scored("content-words", "content_words", even(0.5))
TOPICS = scored("my-topics", "topic_model", {"blogs": 0.52, "poems": 0.45, "letters": 0.9})
CHARACTERS = scored("content-characters", "content_characters", {"blogs": 0.6, "poems": 0.4, "letters": 0.5})
OTHER = scored("tfidf", "ngrams", even(0.9))


def test_the_worst_measure_is_the_furthest_above_half_in_each_source_of_enough_authors():
    (found,) = table(OTHER, WORDS, TOPICS, CHARACTERS)
    assert found.data["source"].to_list() == ["all", "blogs", "poems"]
    assert found.data["measure"].to_list() == ["my-topics", "content-characters", "content-words"]
    assert found.data["value"].to_list() == pytest.approx([(25 * 0.52 + 20 * 0.45 + 19 * 0.9) / 64, 0.6, 0.5])
    assert found.data["authors"].to_list() == [64, 25, 20]
    assert found.data["low"][0] < found.data["value"][0] < found.data["high"][0]
    assert found.data["p_holm"][1] < 0.05 and found.data["p_holm"][2] == 1
    assert [row.cells[2].text for row in found.rows[1:]] == ["0.600 *", "0.500"]
    assert "over 9 tests" in found.notes[0] and "tfidf" not in found.notes[0]


def test_more_measures_correct_p_for_more_tests():
    (alone,), (three,) = table(CHARACTERS), table(WORDS, TOPICS, CHARACTERS)
    assert alone.data["p_holm"][1] < three.data["p_holm"][1]


def test_without_a_measure_or_its_score_there_is_no_table():
    result, queries = WORDS
    assert table(OTHER) == table((result, queries.drop("auc_topic"))) == []
    (found,) = table((result, queries.with_columns(source=pl.lit(None, pl.String))))
    assert found.data["source"].to_list() == ["all"]
