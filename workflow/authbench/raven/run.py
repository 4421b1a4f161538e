"""Compute the steps of a RAVEN run, each from files to files.

documents.parquet            all texts, with author and topic (`documents`)
topics/<encoder>.parquet     the vector of every topic (`vectors`)
subsets.json, pairs/*.parquet  the topics, folds and pairs of every subset (`layout`)
answers/<subset>/<verifier>/<part>.parquet  a verifier's scores on some of the folds (`answers`)

`collect` reads the results, `page` presents them, `command` runs everything in one process.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from authbench.raven.answers import answer_folds
from authbench.raven.documents import KEYS, read_contents, read_keys, stream, with_enough
from authbench.raven.encoders import TopicEncoder
from authbench.raven.layout import Topics, lay_out
from authbench.raven.settings import SubsetSettings, TopicLimits
from authbench.raven.subsets import Subset, plan
from authbench.raven.vectors import document_rows, sample_rows, topic_vectors
from authbench.storage.json_files import write_json
from authbench.storage.parquet import read_batches, read_columns, write_parquet
from authbench.verifiers.entries import VerifierEntry


def write_topics(documents: Path, encoder: TopicEncoder, limits: TopicLimits, seed: int, path: Path) -> None:
    """Write the vectors of all topics that may be taken, by one encoder.

    Memory: a row group of texts, and for encoders that learn a sample (`vectors`).
    """
    keys = usable_keys(documents, limits, seed)
    sizes = pl.concat([frame["content"].str.len_bytes() for frame in read_batches([documents], ["content"])])
    rows = keys["row"].to_numpy()[sample_rows(keys["id"], sizes.gather(keys["row"]), seed)]
    sample = read_contents(documents, pl.DataFrame({"row": rows}), ("id", "lang", "topic", "content"))
    complete = sample.height == keys.height
    wanted = keys.select("id")
    batches = [sample] if complete else (frame.join(wanted, on="id", how="semi") for frame in stream(documents))
    names, vectors = topic_vectors(batches, document_rows(encoder, sample, complete, seed))
    width = vectors.shape[1]
    write_parquet(pl.DataFrame({"topic": names, "vector": pl.Series(vectors, dtype=pl.Array(pl.Float64, width))}), path)


def usable_keys(documents: Path, limits: TopicLimits, seed: int) -> pl.DataFrame:
    """Return the keys of the documents that take part, with their `row`."""
    return with_enough(read_keys(documents), limits.min_documents, limits.documents_per_topic, seed)


def write_subsets(
    documents: Path,
    topics: Mapping[str, Path],
    settings: SubsetSettings,
    limits: TopicLimits,
    seed: int,
    metadata: Path,
    pairs: Path,
) -> None:
    """Lay out every subset.

    Args:
        topics: the file of `write_topics` for each encoder's name; likeness is measured by the first.
        metadata: file to write, with topics, folds and sizes of each subset.
        pairs: folder to write, a file for each subset that verifiers run on.
    """
    keys = usable_keys(documents, limits, seed).select(KEYS)
    vectors = {name: read_topics(path) for name, path in topics.items()}
    described = {}
    for subset in plan(settings):
        described[subset.name], drawn = lay_out(subset, keys, vectors, next(iter(topics)), settings.folds, seed)
        if subset.trained:
            write_parquet(drawn, pairs / f"{subset.name}.parquet")
    write_json(metadata, described)


def read_topics(path: Path) -> Topics:
    """Return the topics and their vectors, as `write_topics` wrote them."""
    table = read_columns([path])
    return table["topic"].to_list(), np.asarray(table["vector"].to_numpy(), np.float64)


def write_answers(
    documents: Path, pairs: Path, verifier: VerifierEntry, folds: Sequence[int], work: Path, seed: int, path: Path
) -> None:
    """Write the scores of a verifier on the test pairs of these folds. Memory: the texts of one subset."""
    drawn = read_columns([pairs]).filter(pl.col("fold").is_in(list(folds)))
    wanted = pl.concat([drawn["first"], drawn["second"]]).unique().implode()
    texts = read_contents(documents, read_keys(documents).filter(pl.col("id").is_in(wanted)))
    own = work / verifier.name if verifier.shares_vectors else work / pairs.stem / verifier.name / path.stem
    write_parquet(answer_folds(verifier, drawn, texts, folds, own, seed), path)


def trained(settings: SubsetSettings) -> list[Subset]:
    """Return the subsets that verifiers run on."""
    return [subset for subset in plan(settings) if subset.trained]
