"""Tables that are small enough to count by hand: released documents, their queries, and a funnel."""

import polars as pl

DOCUMENTS = pl.DataFrame(
    [
        ("d0", "train", "en", "news", "a", "x", "short", 10),
        ("d1", "train", "en", "news", "a", "x", "medium", 20),
        ("d2", "train", "en", "blog/arts", "a", "y", "medium", 30),
        ("d3", "test", "en", "news", "b", "z", "medium", 40),
        ("d4", "test", "fr", "news", "b", "w", "long", 200),
        ("d5", "train", "fr", "news", "b", "x", "extra_long", 600),
    ],
    schema=["id", "split", "lang", "genre", "source", "author_id", "length_bucket", "token_length"],
    orient="row",
)
QUERIES = pl.DataFrame({"split": ["train", "test"], "query_id": ["d0", "d4"]})
FUNNEL = [
    {"source": "b", "stage": "ingest", "reason": "kept", "documents": 2},
    {"source": "b", "stage": "ingest", "reason": "in", "documents": 2},
    {"source": "a", "stage": "filter", "reason": "kept", "documents": 12},
    {"source": "a", "stage": "chunk", "reason": "in", "documents": 8},
    {"source": "a", "stage": "chunk", "reason": "gained", "documents": 10},
    {"source": "a", "stage": "chunk", "reason": "kept", "documents": 18},
    {"source": "a", "stage": "filter", "reason": "symbols", "documents": 1},
    {"source": "a", "stage": "filter", "reason": "language", "documents": 4},
    {"source": "a", "stage": "filter", "reason": "in", "documents": 18},
]
