from counted_documents import DOCUMENTS, FUNNEL, QUERIES

from authbench.build.release import statistics

TABLES = statistics.tables(DOCUMENTS, QUERIES, ["train", "test"], {"b"})


def rows(name, *columns):
    return TABLES[name].select(*columns).rows()


def test_sources_are_counted_by_language_and_marked_where_their_labels_are_noisy():
    assert rows("sources", "source", "language", "documents", "authors", "noisy") == [
        ("a", "en", 3, 2, False),
        ("b", "en", 1, 1, True),
        ("b", "fr", 2, 2, True),
    ]


def test_the_funnel_is_ordered_by_source_stage_and_what_happened():
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


def test_counts_that_do_not_add_up_are_found():
    table = statistics.funnel_table(FUNNEL)
    assert statistics.by_stage(table).rows()[0] == ("a", "chunk", 8, 10, 0, 18)
    assert statistics.unexplained(table).rows() == [("a", "filter", 18, 0, 5, 12)]


def test_an_empty_release_has_empty_tables():
    empty = statistics.tables(DOCUMENTS.clear(), QUERIES.clear(), ["train"])
    assert [table.height for name, table in empty.items()] == [0] * 6
