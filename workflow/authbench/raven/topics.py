"""Write and read the vectors of topics."""

from pathlib import Path

import numpy as np
import polars as pl

from authbench.models.model import VectorCache
from authbench.raven.documents import read_contents, read_keys, stream, with_enough
from authbench.raven.encoders import TopicEncoder
from authbench.raven.select import Topics
from authbench.raven.vectors import document_rows, sample_rows, topic_vectors
from authbench.settings.evaluate import TopicLimits
from authbench.storage.parquet import read_batches, read_columns, write_parquet


def write_topics(
    documents: Path, encoder: TopicEncoder, limits: TopicLimits, seed: int, path: Path, cache: VectorCache | None = None
) -> None:
    """Write the vectors of all selectable topics by an encoder.

    Memory: a row group of texts, and a sample for encoders that learn (`vectors`).
    """
    keys = usable_keys(documents, limits, seed)
    sizes = pl.concat([frame["content"].str.len_bytes() for frame in read_batches([documents], ["content"])])
    rows = keys["row"].to_numpy()[sample_rows(keys["id"], sizes.gather(keys["row"]), seed)]
    sample = read_contents(documents, pl.DataFrame({"row": rows}), ("id", "lang", "topic", "content"))
    complete = sample.height == keys.height
    wanted = keys.select("id")
    batches = [sample] if complete else (frame.join(wanted, on="id", how="semi") for frame in stream(documents))
    names, vectors = topic_vectors(batches, document_rows(encoder, sample, complete, seed, cache))
    width = vectors.shape[1]
    write_parquet(pl.DataFrame({"topic": names, "vector": pl.Series(vectors, dtype=pl.Array(pl.Float64, width))}), path)


def read_topics(path: Path) -> Topics:
    """Return the topics and vectors written by `write_topics`."""
    table = read_columns([path])
    return table["topic"].to_list(), np.asarray(table["vector"].to_numpy(), np.float64)


def usable_keys(documents: Path, limits: TopicLimits, seed: int) -> pl.DataFrame:
    """Return the keys of the selectable documents, with their `row`."""
    return with_enough(read_keys(documents), limits["min_documents"], limits["documents_per_topic"], seed)
