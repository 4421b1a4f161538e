"""A test split for claims about ranks and pairs."""

import polars as pl

from authbench.scoring.evaluation.split import make_split


def a_split(candidates, queries, positives, ignored=None, **columns):
    """A split of texts that all look alike but for `columns` (by id)."""

    usual = {"author_id": "a", "lang": "en", "genre": "blog/arts", "source": "s", "content": "text", "token_length": 50}

    def table(ids, name):
        fields = {field: [columns.get(field, {}).get(ident, value) for ident in ids] for field, value in usual.items()}
        return pl.DataFrame({name: ids} | fields)

    truth = pl.DataFrame(
        {
            "query_id": queries,
            "positive_ids": [list(positives.get(query, [])) for query in queries],
            "author_id": ["a"] * len(queries),
            "ignored_ids": [list((ignored or {}).get(query, [])) for query in queries],
        },
        schema_overrides={"positive_ids": pl.List(pl.String), "ignored_ids": pl.List(pl.String)},
    )
    return make_split("test", table(candidates, "candidate_id"), table(queries, "query_id").drop("author_id"), truth)
