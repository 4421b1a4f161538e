import polars as pl
from counted_documents import DOCUMENTS, FUNNEL, QUERIES

from authbench.report import statistics

TABLES = statistics.tables(DOCUMENTS, QUERIES, ["train", "test"], {"b"})


def rows(name: str, *columns: str) -> list[tuple[object, ...]]:
    return TABLES[name].select(*columns).rows()


def test_documents_authors_and_queries_are_counted_per_language_and_split_and_for_all() -> None:
    assert rows("languages", "language", "split", "documents", "authors", "queries") == [
        ("en", "train", 3, 2, 1),
        ("en", "test", 1, 1, 0),
        ("en", "all", 4, 3, 1),
        ("fr", "train", 1, 1, 0),
        ("fr", "test", 1, 1, 1),
        ("fr", "all", 2, 2, 1),
        ("all", "train", 4, 2, 1),
        ("all", "test", 2, 2, 1),
        ("all", "all", 6, 4, 2),
    ]


def test_a_split_without_documents_has_zeros() -> None:
    table = statistics.tables(DOCUMENTS, QUERIES, ["train", "dev", "test"])["languages"]
    assert table.filter(pl.col("split") == "dev").select("documents", "authors", "queries").rows() == [(0, 0, 0)] * 3


def test_genres_have_shares_of_their_language() -> None:
    assert rows("genres", "language", "genre", "documents", "authors", "share") == [
        ("en", "blog/arts", 1, 1, 0.25),
        ("en", "news", 3, 2, 0.75),
        ("fr", "news", 2, 2, 1.0),
        ("all", "blog/arts", 1, 1, 0.1667),
        ("all", "news", 5, 3, 0.8333),
    ]


def test_length_buckets_come_in_order_of_length() -> None:
    assert rows("lengths", "language", "length_bucket", "documents") == [
        ("en", "short", 1),
        ("en", "medium", 3),
        ("fr", "long", 1),
        ("fr", "extra_long", 1),
        ("all", "short", 1),
        ("all", "medium", 3),
        ("all", "long", 1),
        ("all", "extra_long", 1),
    ]


def test_authors_are_counted_by_how_many_documents_they_have() -> None:
    assert rows("documents_per_author", "language", "documents", "authors") == [
        ("en", 1, 2),
        ("en", 2, 1),
        ("fr", 1, 2),
        ("all", 1, 3),
        ("all", 3, 1),
    ]


def test_token_quantiles_lie_on_lines_between_neighbours() -> None:
    assert rows("token_lengths", "language", "documents", "p10", "p25", "p50", "p75", "p90") == [
        ("en", 4, 13.0, 17.5, 25.0, 32.5, 37.0),
        ("fr", 2, 240.0, 300.0, 400.0, 500.0, 560.0),
        ("all", 6, 15.0, 22.5, 35.0, 160.0, 400.0),
    ]


def test_sources_are_counted_by_language_and_marked_where_their_labels_are_noisy() -> None:
    assert rows("sources", "source", "language", "documents", "authors", "noisy") == [
        ("a", "en", 3, 2, False),
        ("b", "en", 1, 1, True),
        ("b", "fr", 2, 2, True),
    ]


def test_the_funnel_is_ordered_by_source_stage_and_what_happened() -> None:
    table = statistics.funnel_table(FUNNEL)
    assert table.equals(statistics.funnel_table(reversed(FUNNEL)))
    assert table.select("source", "stage", "reason").rows()[:7] == [
        ("a", "chunk", "in"),
        ("a", "chunk", "gained"),
        ("a", "chunk", "kept"),
        ("a", "filter", "in"),
        ("a", "filter", "language"),
        ("a", "filter", "symbols"),
        ("a", "filter", "kept"),
    ]


def test_counts_that_do_not_add_up_are_found() -> None:
    table = statistics.funnel_table(FUNNEL)
    assert statistics.by_stage(table).rows()[0] == ("a", "chunk", 8, 10, 0, 18)
    assert statistics.unexplained(table).rows() == [("a", "filter", 18, 0, 5, 12)]


def test_an_empty_release_has_empty_tables() -> None:
    empty = statistics.tables(DOCUMENTS.clear(), QUERIES.clear(), ["train"])
    assert [table.height for name, table in empty.items()] == [0] * 6
