"""Write the benchmark in the layout of BEIR, and its answers and models' rankings for trec_eval.

BEIR has a single corpus for all qrels and a release a pool per split, so each split gets a folder:
`<split>/corpus.jsonl`, `<split>/queries.jsonl`, `<split>/qrels/<split>.tsv`. `<split>/ignored.tsv` lists the candidates
that count neither way, for which BEIR has no field.

For trec_eval `<split>.qrels` contains `query 0 document relevance`, a run `query Q0 document rank score tag`. trec_eval
reads scores as 32-bit numbers, ignores ranks, and sorts ties by descending id, whereas AuthBench sorts them by
ascending id. Scores of a run that would tie are therefore lowered to the next smaller 32-bit number.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import polars as pl

from authbench.config.settings.publish import Publish
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_lines import write_json_lines
from authbench.publish.export.card import write_card
from authbench.release.format.release import Release
from authbench.reports.leaderboard.collect import read_results


def write_trec(folder: Path, release: Release, about: Publish) -> None:
    """Write the qrels of all splits. Memory: the ids of a split."""
    for split in release.splits:
        pairs = release.truth(split).select("query_id", "positive_ids").explode("positive_ids")
        lines = (f"{query} 0 {document} 1\n" for query, document in pairs.iter_rows())
        write_text(folder / f"{split}.qrels", "".join(lines))
    write_card(folder, release, about, "trec")


def write_runs(folder: Path, results: Path) -> list[Path]:
    """Write the run of every model that `authbench evaluate` left in `results`; return the files."""
    runs = []
    for result in read_results(results):
        runs.append(folder / result.scores["benchmark"]["split"] / f"{result.name}.run")
        runs[-1].parent.mkdir(parents=True, exist_ok=True)
        write_text(runs[-1], "".join(run_lines(result.queries(), result.name)))
    return runs


def run_lines(queries: pl.DataFrame, tag: str) -> Iterator[str]:
    """Yield the lines of a run from `id`, `nearest` and `scores` of queries (evaluate.run.queries_table)."""
    for query, documents, scores in queries.select("id", "nearest", "scores").iter_rows():
        for rank, (document, score) in enumerate(zip(documents, falling(scores), strict=True), start=1):
            yield f"{query} Q0 {document} {rank} {score} {tag}\n"


def falling(scores: list[float]) -> list[np.float32]:
    """Return non-increasing scores as strictly decreasing 32-bit numbers.

    >>> [float(one) for one in falling([1.0, 1.0, 0.5])]
    [1.0, 0.9999999403953552, 0.5]
    """
    fallen: list[np.float32] = []
    for score in map(np.float32, scores):
        fallen.append(min(score, np.nextafter(fallen[-1], np.float32(-np.inf))) if fallen else score)
    return fallen


_QRELS = ("query-id", "corpus-id", "score")


def write_beir(folder: Path, release: Release, about: Publish) -> None:
    """Write the folders of all splits. Memory: a batch of texts, and the ids of a split."""
    ignored = 0
    for split in release.splits:
        place, truth = folder / split, release.truth(split)
        (place / "qrels").mkdir(parents=True)
        corpus = _objects(release.candidates(split), "candidate_id", {"title": ""})
        write_json_lines(place / "corpus.jsonl", corpus)
        write_json_lines(place / "queries.jsonl", _objects(release.queries(split), "query_id", {}))
        judged(truth, "positive_ids", 1).write_csv(place / "qrels" / f"{split}.tsv", separator="\t")
        aside = judged(truth, "ignored_ids", 0)
        aside.write_csv(place / "ignored.tsv", separator="\t")
        ignored += aside["query-id"].n_unique()
    write_card(folder, release, about, "beir", ignored=in_words(ignored))


def in_words(queries: int) -> str:
    """Return a sentence on how many queries have ignored ids."""
    if not queries:
        return "here no query has any."
    return "1 query has some." if queries == 1 else f"{queries:,} queries have some."


def _objects(batches: Iterable[pl.DataFrame], ident: str, more: Mapping[str, str]) -> Iterator[dict[str, str]]:
    for batch in batches:
        for name, text in batch.select(ident, "content").iter_rows():
            yield {"_id": name, **more, "text": text}


def judged(truth: pl.DataFrame, column: str, score: int) -> pl.DataFrame:
    """Return a row per query and document that is named in `column`: query-id, corpus-id, score."""
    return (
        truth.select(pl.col("query_id").alias(_QRELS[0]), pl.col(column).alias(_QRELS[1]))
        .explode(_QRELS[1])
        .drop_nulls()
        .with_columns(pl.lit(score, pl.Int32).alias(_QRELS[2]))
    )
