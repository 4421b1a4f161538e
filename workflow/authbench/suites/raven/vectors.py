"""Compute, write and read topic vectors.

A topic's vector is the mean of its documents' L2-normalised vectors (equation 1, as in the authors' code). Documents
are embedded by a model of the registry or by a topic model: NMF or LDA with 50 components over the 5,000 most frequent
words that occur in at most half of the documents (section 7.3).

Documents are streamed: a process holds a batch, the sums of the topics, and, for models that learn from the corpus, a
sample of at most FIT_DOCUMENTS and FIT_BYTES, drawn by hash.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from authbench.config.settings.evaluate import TopicLimits
from authbench.core.arrays import F64, Sparse
from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash
from authbench.core.storage.parquet import read_batches, read_columns, write_parquet
from authbench.models.model import VectorCache
from authbench.models.open import open_model
from authbench.suites.raven.documents import read_contents, read_keys, with_enough
from authbench.suites.raven.encoders import TopicEncoder
from authbench.suites.raven.subsets import Topics

COMPONENTS = 50
MOST_WORDS = 5_000
FIT_DOCUMENTS = 10_000
FIT_BYTES = 64 << 20
# documents (id, author, topic, lang, content) -> a row per document, an array or a CSR matrix
Rows: TypeAlias = Callable[[pl.DataFrame], object]


def _in_fewer_dimensions(rows: Sparse) -> F64:
    """Return dense rows with the inner products of these sparse rows, exact up to rounding (rows x rows)."""
    products = np.asarray((rows @ rows.T).todense(), np.float64)
    values, axes = np.linalg.eigh(products)
    return np.asarray(axes * np.sqrt(np.maximum(values, 0.0)))


def topic_vectors(names: Sequence[str], batches: Iterable[pl.DataFrame], rows: Rows) -> F64:
    """Return the vectors of topics that have documents, shape (topics, dimensions).

    A batch has `topic` and the columns that `rows` reads. Means of CSR rows have as many dimensions as topics, with
    equal inner products.
    """
    from scipy.sparse import csr_matrix, issparse
    from sklearn.preprocessing import normalize

    place = {name: row for row, name in enumerate(names)}
    sums: Any = 0
    counts = np.zeros(len(names))
    for batch in batches:
        if batch.height:
            at = np.array([place[topic] for topic in batch["topic"]], np.int64)
            counts += np.bincount(at, minlength=len(names))
            member = csr_matrix((np.ones(len(at)), (at, np.arange(len(at)))), shape=(len(names), len(at)))
            sums = sums + member @ normalize(rows(batch)).astype(np.float64)
    means = sums / counts[:, None]
    return _in_fewer_dimensions(means) if issparse(means) else means


def document_rows(
    encoder: TopicEncoder, sample: pl.DataFrame, complete: bool, seed: int, cache: VectorCache | None = None
) -> Rows:
    """Return a function from documents to vectors, fitted on `sample` if the encoder learns.

    Args:
        sample: `id`, `lang`, `content`.
        complete: whether the sample is the full corpus, which then arrives as a single batch.
    """
    if encoder.model is None:
        return topic_model(encoder.name, sample["content"], keyed_hash(seed, "topic model", encoder.name) % (1 << 32))
    model = open_model(encoder.model, cache)
    reference = None if complete else [_as_documents(sample)]
    return lambda batch: model.embed(_as_documents(batch), reference)


def _as_documents(frame: pl.DataFrame) -> pl.DataFrame:
    unknown, tokens = pl.lit(""), pl.col("content").str.len_chars() // 4
    return frame.select("id", "lang", "content", genre=unknown, source=unknown, token_length=tokens)


def topic_model(name: str, texts: pl.Series, seed: int) -> Rows:
    """Return a topic model fitted on these texts; it gives the weights of its components.

    NMF uses TF-IDF, LDA the presence of words.

    Raises:
        InputError: no word is in two texts and in at most half of them.
    """
    from sklearn.decomposition import LatentDirichletAllocation, MiniBatchNMF
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    words: Mapping[str, object] = {"max_df": 0.5, "min_df": 2, "max_features": MOST_WORDS}
    if name == "nmf":
        steps = make_pipeline(
            TfidfVectorizer(**words), MiniBatchNMF(COMPONENTS, init="nndsvda", random_state=seed, max_iter=200)
        )
    else:
        steps = make_pipeline(
            CountVectorizer(**words, binary=True),
            LatentDirichletAllocation(COMPONENTS, learning_method="online", random_state=seed),
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # accurate enough for a mean of documents
            steps.fit(texts.to_list())
    except ValueError as problem:
        raise InputError(
            f"{name}: of the {len(texts)} documents it learns from no word is in two and in no more than half of "
            f"them ({problem}). Give more documents, or another encoder."
        ) from None

    def rows(batch: pl.DataFrame) -> object:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return steps.transform(batch["content"].to_list())

    return rows


def sample_rows(ids: pl.Series, sizes: pl.Series, seed: int) -> np.ndarray:
    """Return the rows of the documents that models learn from, ascending.

    They are drawn by hash, within FIT_DOCUMENTS and FIT_BYTES.
    """
    order = pl.DataFrame({"row": np.arange(len(ids)), "id": ids, "size": sizes}).with_columns(
        rank=pl.Series([keyed_hash(seed, "fit", ident) for ident in ids], dtype=pl.UInt64)
    )
    drawn = order.sort("rank", "id").head(FIT_DOCUMENTS)
    return (
        drawn.filter((pl.col("size").cum_sum() <= FIT_BYTES) | (pl.int_range(pl.len()) == 0))["row"].sort().to_numpy()
    )


def write_topics(
    documents: Path, encoder: TopicEncoder, limits: TopicLimits, seed: int, path: Path, cache: VectorCache | None = None
) -> None:
    """Write the vectors of all selectable topics by an encoder.

    Memory: a row group of texts, and a sample for encoders that learn.
    """
    keys = usable_keys(documents, limits, seed)
    sizes = pl.concat([frame["content"].str.len_bytes() for frame in read_batches([documents], ["content"])])
    rows = keys["row"].to_numpy()[sample_rows(keys["id"], sizes.gather(keys["row"]), seed)]
    sample = read_contents(documents, pl.DataFrame({"row": rows}), ("id", "lang", "topic", "content"))
    complete = sample.height == keys.height
    wanted = keys.select("id")
    batches = [sample] if complete else (frame.join(wanted, on="id", how="semi") for frame in read_batches([documents]))
    names = keys["topic"].unique().sort()
    vectors = topic_vectors(names.to_list(), batches, document_rows(encoder, sample, complete, seed, cache))
    width = vectors.shape[1]
    write_parquet(pl.DataFrame({"topic": names, "vector": pl.Series(vectors, dtype=pl.Array(pl.Float64, width))}), path)


def read_topics(path: Path) -> Topics:
    """Return the topics and vectors written by `write_topics`."""
    table = read_columns([path])
    return table["topic"].to_list(), np.asarray(table["vector"].to_numpy(), np.float64)


def usable_keys(documents: Path, limits: TopicLimits, seed: int) -> pl.DataFrame:
    """Return the keys of the selectable documents, with their `row`."""
    return with_enough(read_keys(documents), limits["min_documents"], limits["documents_per_topic"], seed)
