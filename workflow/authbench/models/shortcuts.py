"""Compare texts by what is not style: their origin and length, topic, dates, or the numbers in their ids.

A model that scores no higher has shown no evidence about authorship.
"""

from bisect import bisect_left

import numpy as np
import polars as pl

from authbench.core.arrays import F32, I32
from authbench.core.content_words import content_vectors, count_content_words, fit_words
from authbench.core.dates import middle_day
from authbench.models.lexical import tfidf
from authbench.models.model import Reference, Scorer
from authbench.models.parameters import ContentCharactersParameters, MetadataParameters, TopicsParameters
from authbench.models.topics import draw_texts, topic_vectors

LENGTHS_PER_OCTAVE = 2
HASHES = 1 << 18  # of n-grams of characters
_TOPIC_DIGITS = 4  # decimals of shares of topics; processors differ in the 13th


def metadata_vectors(
    documents: pl.DataFrame, candidates: int, parameters: MetadataParameters, *_: object
) -> np.ndarray:
    """Return one-hot `fields` and the length in tokens, shape (documents, columns).

    A length is a bump over points on a logarithmic scale, two to an octave, so texts of similar length agree.
    """
    described = documents.with_columns(primary_genre=pl.col("genre").str.split("/").list.first())
    parts = [_one_hot(described[field]) for field in parameters.fields]
    if parameters.length:
        octaves = np.log2(np.maximum(documents["token_length"].to_numpy(), 1))[:, None] * LENGTHS_PER_OCTAVE
        bumps = np.exp(-((octaves - np.arange(0, octaves.max(initial=1) + 2)) ** 2))
        parts.append((bumps / np.linalg.norm(bumps, axis=1, keepdims=True)).astype(np.float32))
    return np.concatenate(parts, axis=1) / np.float32(np.sqrt(len(parts)))


def _one_hot(values: pl.Series) -> np.ndarray:
    codes = (values.rank("dense") - 1).to_numpy().astype(np.int64)
    table = np.zeros((len(codes), int(codes.max(initial=0)) + 1), np.float32)
    table[np.arange(len(codes)), codes] = 1.0
    return table


def content_word_vectors(documents: pl.DataFrame, candidates: int, parameters: object, reference: Reference) -> object:
    """Return TF-IDF of content words by the statistics of the reference.

    The shape is (documents, `content_words.COLUMNS`).
    """
    return content_vectors(documents, fit_words(reference))


def topic_model_vectors(
    documents: pl.DataFrame, candidates: int, parameters: TopicsParameters, reference: Reference
) -> object:
    """Return shares of topics, which are learnt from the reference texts of each language.

    The shape is (documents, topics of all languages), CSR.
    """
    from scipy.sparse import block_diag

    learnt: dict[object, list[str]] = {}
    for batch in reference:
        for (lang,), part in batch.group_by("lang", maintain_order=True):
            learnt[lang] = draw_texts([*learnt.get(lang, []), *part["content"]], parameters.seed)
    parts, places = [np.zeros((0, 1))], [np.empty(0, np.int64)]
    numbered = documents.select("lang", "content", row=pl.int_range(pl.len()))
    for (lang,), part in numbered.group_by("lang", maintain_order=True):
        rows, _ = topic_vectors(learnt.get(lang, []), part["content"].to_list(), parameters.topics, parameters.seed)
        parts.append(rows.round(_TOPIC_DIGITS))
        places.append(part["row"].to_numpy())
    return block_diag(parts, "csr", np.float32)[np.argsort(np.concatenate(places))]


def content_character_vectors(
    documents: pl.DataFrame, candidates: int, parameters: ContentCharactersParameters, reference: Reference
) -> object:
    """Return TF-IDF of hashed n-grams within content words, which are defined by the reference.

    The shape is (documents, HASHES), CSR.
    """
    from scipy.sparse import csr_matrix, vstack
    from sklearn.feature_extraction.text import HashingVectorizer

    hashed = HashingVectorizer(
        analyzer="char_wb", ngram_range=parameters.n, n_features=HASHES, alternate_sign=False, norm=None,
        dtype=np.float32,
    )  # fmt: skip
    counts = []
    for size, words in count_content_words(documents, fit_words(reference)):
        distinct = pl.Series(["", *words["word"].unique().sort()])  # no list without words can be transformed
        column = distinct.search_sorted(words["word"]).to_numpy()
        times = csr_matrix((words["times"].to_numpy().astype(np.float32), (words["row"].to_numpy(), column)),
                           shape=(size, len(distinct)))  # fmt: skip
        counts.append(times @ hashed.transform(distinct))
    table = vstack([csr_matrix((0, HASHES), dtype=np.float32), *counts], "csr")
    return tfidf(table, candidates, documents.height, sublinear=True)


def id_vectors(documents: pl.DataFrame, *_: object) -> np.ndarray:
    """Return points on a half circle by the number at the end of each id; near numbers have a high cosine.

    The shape is (documents, 2), in 64 bits.
    """
    numbers = documents["id"].str.extract(r"(\d{1,15})$").cast(pl.Int64).fill_null(0).to_numpy()
    angles = np.pi * numbers / (numbers.max(initial=0) + 1)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def date_scorer(documents: pl.DataFrame, candidates: int, queries: I32, *_: object) -> Scorer:
    """Return a scorer by minus the days between two texts; an unknown date scores as the middle of all distances."""
    days = middle_day("date") if "date" in documents.columns else pl.lit(None, pl.Float64)
    placed = documents.with_columns(days=days)["days"].to_numpy().astype(np.float32)  # differences are exact
    asking, pool = placed[queries], placed[:candidates]
    middle = _middle_distance(np.sort(pool[~np.isnan(pool)]))

    def score(first: int, last: int) -> np.ndarray:
        found = asking[first:last, None] - pool
        np.negative(np.abs(found, out=found), out=found)
        found[np.isnan(found)] = -middle
        return found

    return score


def _middle_distance(days: F32) -> int:
    """Return the least whole distance that at least half of the pairs of sorted days do not exceed; 0 without pairs.

    >>> _middle_distance(np.array([0, 1, 5, 100], np.float32))
    5
    """
    if len(days) < 2:
        return 0
    later = np.arange(1, len(days) + 1)

    def pairs_within(distance: int) -> int:
        return int((np.searchsorted(days, days + np.float32(distance), "right") - later).sum())

    return bisect_left(range(int(days[-1] - days[0]) + 1), len(days) * (len(days) - 1) / 4, key=pairs_within)
