"""Tables that are small enough to count by hand: released documents, their queries, and a funnel."""

from pathlib import Path

import polars as pl
from cases import read_cases

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
FUNNEL = read_cases(Path(__file__))["FUNNEL"]
