"""Compute TF-IDF vectors of n-grams of characters, words or parts of speech."""

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from pathlib import Path

import numpy as np
import polars as pl
import regex

from authbench.core.arrays import I32, Sparse
from authbench.models.character_ngrams import count_by_scikit_learn, count_ngrams
from authbench.models.model import Reference, Vectors
from authbench.models.parameters import CANDIDATES, NgramsParameters

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}"
# A character of Han or Kana is a word.
_WORD = regex.compile(
    rf"[{_UNSPACED}]|[[\p{{L}}\p{{M}}]--[{_UNSPACED}]]+(?:['’][[\p{{L}}\p{{M}}]--[{_UNSPACED}]]+)*", regex.V1
)
_DIGIT = regex.compile(r"\p{N}")


def frequent_words(reference: Reference, count: int) -> dict[str, frozenset[str]]:
    """Return the most frequent words of each language in lower case; ties are broken by order.

    Memory: a batch, and about 100 bytes for each distinct word of a language.
    """
    often: dict[str, Counter[str]] = {}
    for batch in reference:
        for lang, text in batch.select("lang", "content").iter_rows():
            often.setdefault(lang, Counter()).update(_WORD.findall(text.lower()))
    return {
        lang: frozenset(word for _, word in nsmallest(count, ((-times, word) for word, times in words.items())))
        for lang, words in often.items()
    }


def distorted(documents: pl.DataFrame, kept: Mapping[str, frozenset[str]]) -> pl.DataFrame:
    """Return the documents with an asterisk for each letter of words that are not kept, and a # for each digit."""
    texts = [
        distort(text, kept.get(lang, frozenset())) for lang, text in documents.select("lang", "content").iter_rows()
    ]
    return documents.with_columns(content=pl.Series(texts, dtype=pl.String))


def distort(text: str, kept: frozenset[str]) -> str:
    """Mask all words of a text except the kept words.

    >>> distort("The cat sat on the mat in 1999.", frozenset({"the", "on", "in"}))
    'The *** *** on the *** in ####.'
    """
    masked = _WORD.sub(lambda found: found[0] if found[0].lower() in kept else "*" * len(found[0]), text)
    return _DIGIT.sub("#", masked)


# What analyzers count: words of any script, where a character of Chinese or Japanese is a word, and names of tags.
_TOKENS = {
    "word": r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+",
    "pos": r"\S+",
}
_ROWS = 1_000  # scaled at a time
_ENTRIES = 1 << 24  # of a matrix, weighted at a time
_NOTHING = 1e-6  # squared length below which a text is the mean of its language, but for rounding


def ngram_vectors(
    documents: pl.DataFrame, candidates: int, parameters: NgramsParameters, reference: Reference
) -> Sparse:
    """Return TF-IDF of n-grams, concatenated over `parts`, shape (documents, n-grams).

    The vocabulary and its frequencies are fitted on the candidates, or on the file that `fit_on` names (JSON lines with
    `content`, and `lang` for parts of speech). A part has an `analyzer` (scikit-learn's `char`, `char_wb` and `word`,
    `pos`: parts of speech, or `shape`: characters, where a word is one letter and a number one digit), `n` (shortest,
    longest) and `weight`. With `kept_words`, all words that are not frequent in the reference are masked first.
    """
    from scipy.sparse import hstack

    learnt, apart = candidates, 0
    if parameters.fit_on != CANDIDATES:
        corpus = _read_corpus(Path(parameters.fit_on))
        documents = pl.concat([corpus, documents.select(pl.col(corpus.columns).cast(pl.String))])
        learnt = apart = corpus.height
    if parameters.kept_words is not None:
        documents = distorted(documents, frequent_words(reference, parameters.kept_words))
    parts = []
    for part in parameters.parts:
        texts = _counted(documents, part.analyzer)
        if pattern := _TOKENS.get(part.analyzer):
            counts = count_by_scikit_learn(texts, learnt, part.n, parameters.lower_case, token_pattern=pattern)
        else:
            analyzer = "char" if part.analyzer == "shape" else part.analyzer
            counts = count_ngrams(texts, learnt, analyzer, part.n, parameters.lower_case)
        parts.append(tfidf(counts, learnt, documents.height, parameters.sublinear))
        parts[-1].data *= np.float32(part.weight)
    rows = parts[0] if len(parts) == 1 else with_rows_of_length_1(hstack(parts, "csr", dtype=np.float32))
    return rows[apart:] if apart else rows


def centred_ngrams(
    documents: pl.DataFrame, candidates: int, queries: I32, parameters: NgramsParameters, reference: Reference
) -> Vectors:
    """Return vectors whose products are the cosines of TF-IDF less its mean over the candidates.

    All of it is by language: TF-IDF (`ngram_vectors`), the mean m, and the products, which are 0 between languages. To
    stay sparse, m is not subtracted: (a - m)(b - m) = ab - bm + (m - a)m is the product of a query (a, 1, (m - a)m) and
    a candidate (b, -bm, 1). Memory: the TF-IDF of all texts twice.
    """
    from scipy.sparse import block_diag, csr_matrix, diags, hstack

    asks, answers, places = [], [], []
    for lang in documents["lang"].unique().sort():
        of = np.flatnonzero((documents["lang"] == lang).to_numpy())
        known = int(np.searchsorted(of, candidates))
        rows = ngram_vectors(documents[of], known, parameters, reference)
        mean = csr_matrix(rows[:known].sum(axis=0) / max(known, 1))
        along, square = (rows @ mean.T).toarray(), float(mean.multiply(mean).sum())
        squares = rows.multiply(rows).sum(axis=1).A1 - 2 * along[:, 0] + square
        scale = diags(np.where(squares > _NOTHING, 1 / np.sqrt(np.maximum(squares, _NOTHING)), 0.0))
        one = np.ones((len(of), 1))
        asks.append(scale @ hstack([rows, one, square - along], "csr"))
        answers.append((scale @ hstack([rows, -along, one], "csr"))[:known])
        places.append(of)
    row = np.argsort(np.concatenate(places))
    held = np.concatenate([of[of < candidates] for of in places])
    asking, answering = (block_diag(parts, "csr", np.float32) for parts in (asks, answers))
    return Vectors(asking[row[queries]], answering[np.argsort(held)])


def _read_corpus(path: Path) -> pl.DataFrame:
    """Return `content` and `lang` of the rows of a JSON lines file; `lang` is empty where a row has none."""
    from authbench.core.errors import InputError
    from authbench.core.storage.json_lines import read_objects

    rows = []
    for number, row in read_objects(path):
        if not isinstance(row.get("content"), str):
            raise InputError(f"{path}, line {number}: no content. Expected JSON lines with the text as `content`.")
        rows.append(row)
    return pl.DataFrame({"content": [row["content"] for row in rows], "lang": [row.get("lang") or "" for row in rows]})


def _counted(documents: pl.DataFrame, analyzer: str) -> Sequence[str]:
    """Return the input of an analyzer: the texts, their shapes or their parts of speech."""
    if analyzer == "shape":
        shapes = documents["content"].str.replace_all(r"[\p{L}\p{M}]+", "a").str.replace_all(r"\p{N}+", "0")
        return shapes.to_list()
    if analyzer != "pos":
        return documents["content"].to_list()
    from authbench.models.parts_of_speech import tags

    return tags(documents["content"], documents["lang"])


def tfidf(counts: Sparse, learnt: int, texts: int, sublinear: bool) -> Sparse:
    """Return TF-IDF fitted on the first `learnt` rows of counts; zeros for each of the texts without counts (None).

    The result is bit-identical to scikit-learn's TfidfTransformer, whose import would cost every job a second, and is
    written over the counts.
    """
    from scipy.sparse import csr_matrix

    if counts is None:
        return csr_matrix((texts, 1), dtype=np.float32)
    known, size = np.zeros(counts.shape[1], np.int64), counts.indptr[learnt]
    for first in range(0, size, _ENTRIES):
        known += np.bincount(counts.indices[first : min(first + _ENTRIES, size)], minlength=len(known))
    rarity = np.log(np.float32(learnt + 1) / (known.astype(np.float32) + np.float32(1.0))) + np.float32(1.0)
    for first in range(0, counts.nnz, _ENTRIES):
        values = counts.data[first : first + _ENTRIES]
        if sublinear:
            values[:] = np.log(values) + np.float32(1.0)
        values *= rarity[counts.indices[first : first + _ENTRIES]]
    return with_rows_of_length_1(counts)


def with_rows_of_length_1(rows: Sparse) -> Sparse:
    """Scale the rows of a CSR matrix of float32 to length 1 in place, and return it; rows of zeros are unchanged."""
    for first in range(0, rows.shape[0], _ROWS):
        starts = rows.indptr[first : first + _ROWS + 1]
        values = rows.data[starts[0] : starts[-1]]
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        lengths = np.sqrt(np.bincount(row, values**2, len(starts) - 1))
        lengths[lengths == 0] = 1.0
        values /= lengths[row]
    return rows
