"""Write the benchmark in the layout of BEIR.

BEIR has one corpus for all qrels and a release one pool per split, so each split gets a folder: `<split>/corpus.jsonl`,
`<split>/queries.jsonl`, `<split>/qrels/<split>.tsv`. `<split>/ignored.tsv` lists the candidates that count neither way,
for which BEIR has no field.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import polars as pl

from authbench.export.card import write_card
from authbench.export.licences import licence_table
from authbench.format.release import Release
from authbench.presentation.spreadsheets import as_csv
from authbench.settings.publish import Publish
from authbench.storage.atomic import write_text
from authbench.storage.json_lines import write_json_lines

_QRELS = ("query-id", "corpus-id", "score")
_USAGE = """
A folder per split, each a dataset of its own with the split's pool as corpus: `corpus.jsonl` (`_id`, `title`, which
is empty, `text`), `queries.jsonl` (`_id`, `text`), `qrels/<split>.tsv`. A query keeps its id among the documents:
evaluate with `ignore_identical_ids=True`, as BEIR does by default. `ignored.tsv` lists, in the form of the qrels,
documents that count neither way, which the layout cannot say; {ignored}
"""


def write_beir(folder: Path, release: Release, about: Publish) -> None:
    """Write the folders of all splits. Memory: a batch of texts, and the ids of a split."""
    ignored = 0
    for split in release.splits:
        place, truth = folder / split, release.truth(split)
        (place / "qrels").mkdir(parents=True)
        corpus = (texts(batch, "candidate_id") for batch in release.candidates(split))
        queries = (texts(batch, "query_id") for batch in release.queries(split))
        write_json_lines(place / "corpus.jsonl", _objects(corpus, {"title": ""}))
        write_json_lines(place / "queries.jsonl", _objects(queries, {}))
        judged(truth, "positive_ids", 1).write_csv(place / "qrels" / f"{split}.tsv", separator="\t")
        aside = judged(truth, "ignored_ids", 0)
        aside.write_csv(place / "ignored.tsv", separator="\t")
        ignored += aside["query-id"].n_unique()
    write_text(folder / "licences.csv", as_csv(licence_table(release)))
    write_text(folder / "README.md", write_card(release, about, _USAGE.format(ignored=in_words(ignored))))


def in_words(queries: int) -> str:
    """Return a sentence on how many queries have ignored ids."""
    if not queries:
        return "here no query has any."
    return "1 query has some." if queries == 1 else f"{queries:,} queries have some."


def texts(batch: pl.DataFrame, ident: str) -> pl.DataFrame:
    """Return `_id` and `text` of a batch of candidates or queries."""
    return batch.select(pl.col(ident).alias("_id"), pl.col("content").alias("text"))


def _objects(batches: Iterable[pl.DataFrame], more: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for batch in batches:
        for ident, text in batch.iter_rows():
            yield {"_id": ident, **more, "text": text}


def judged(truth: pl.DataFrame, column: str, score: int) -> pl.DataFrame:
    """Return a row per query and document that is named in `column`: query-id, corpus-id, score."""
    return (
        truth.select(pl.col("query_id").alias(_QRELS[0]), pl.col(column).alias(_QRELS[1]))
        .explode(_QRELS[1])
        .drop_nulls()
        .with_columns(pl.lit(score, pl.Int32).alias(_QRELS[2]))
    )
