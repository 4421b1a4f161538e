"""Score pairs of texts by a logistic regression on their similarities, trained on pairs of the train split.

These are the two baselines of the second AuthBench paper besides TF-IDF:

calibrated_ngrams   cosine of counts of character n-grams (3 to 5, within words), cosine of counts of words (1 and 2),
                    and seven similarities of plain measurements: the numbers of characters and of words, the shares of
                    punctuation, digits, capitals and white space, and the mean length of words
cross_entropy       mean and absolute difference of the two cross-entropies, of each text by a model of the other:
                    counts of hashed character 5-grams, smoothed by adding 0.5. The paper calls it ppm; PPM itself,
                    which builds a model per text, is a verifier of pairs (`verifiers.ppm`) and too slow for a pool

A regression is calibrated on a same-author and a different-author pair for each text of train, drawn by hash.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from authbench.core.arrays import F64, I32, I64, Sparse
from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash
from authbench.core.json_values import JsonObject
from authbench.models.entries import ModelEntry
from authbench.models.model import Model, Reference, Rows, Scorer
from authbench.models.parameters import CalibratedNgramsParameters, CrossEntropyParameters

SMOOTHING = 0.5
_CHARACTER_COLUMNS, _WORD_COLUMNS, _CONTEXT_COLUMNS = 1 << 16, 1 << 15, 1 << 13
_DIGITS = 9  # the regression is rounded to these: the last bits depend on the number of threads


class CalibratedModel(Model):
    """A model that scores pairs and gives no vectors."""

    def __init__(self, entry: ModelEntry) -> None:
        assert isinstance(entry.parameters, CalibratedNgramsParameters | CrossEntropyParameters)
        self.entry, self.parameters = entry, entry.parameters
        self.embedded = 0

    def identity(self) -> JsonObject:
        return {"kind": self.entry.kind, "parameters": self.parameters.as_dict()}

    def embed(self, documents: pl.DataFrame, reference: Reference | None = None) -> Rows:
        """Refuse to give vectors.

        Raises:
            InputError: always: the model compares texts.
        """
        raise InputError(f"{self.entry.name}: compares texts, and has no vector for one.")

    def compare(
        self, documents: pl.DataFrame, candidates: int, queries: I32, reference: Reference | None = None
    ) -> Scorer:
        """Return a scorer of queries with all candidates.

        Memory: the n-grams of train and of the documents, and five times a block of scores.

        Args:
            documents: with `id`, `content`; the first `candidates` are the candidates.
            queries: shape (queries,), rows of documents.
            reference: texts of another split, for calibration.

        Raises:
            InputError: no other split has two texts of an author for calibration.
        """
        train = pl.concat([batch.select("id", "author_id", "content") for batch in reference or ()] or [_NOTHING])
        one, other, same = calibration_pairs(train, self.parameters.seed, self.parameters.pairs)
        if not len(one):
            raise InputError(
                f"{self.entry.name}: is calibrated on the texts of another split than the one that is scored, and none "
                "has an author with two texts, and others. Expected a release with a split such as train."
            )
        texts = [*train["content"], *documents["content"]]
        self.embedded += len(texts)
        ngrams = isinstance(self.parameters, CalibratedNgramsParameters)
        found = NgramSimilarities(texts) if ngrams else CrossEntropies(texts)
        weights, constant = _fit(found.of_pairs(one, other), same)
        asking, pool = queries.astype(np.int64) + train.height, np.arange(candidates) + train.height

        def score(first: int, last: int) -> np.ndarray:
            scores = np.full((last - first, candidates), constant)
            for weight, block in zip(weights, found.of_blocks(asking[first:last], pool), strict=True):
                scores += weight * block
            return scores

        return score


_NOTHING = pl.DataFrame(schema={"id": pl.String, "author_id": pl.String, "content": pl.String})


def calibration_pairs(train: pl.DataFrame, seed: int, most: int) -> tuple[I64, I64, I64]:
    """Return rows of two texts, and 1 for the same author: a pair of either kind for each text, by hash.

    Args:
        train: `id`, `author_id`; authors of a single text have no pairs.
        seed: of the hash.
        most: the most pairs; texts with the lowest hashes are preferred.

    Returns:
        Three arrays of shape (pairs,).
    """
    ids, authors = train["id"].to_list(), train["author_id"].to_list()
    of_author: dict[str, list[int]] = defaultdict(list)
    for row in sorted(range(len(ids)), key=lambda row: ids[row]):
        of_author[authors[row]].append(row)
    everyone = sorted(range(len(ids)), key=lambda row: ids[row])
    asking = [row for row in everyone if 1 < len(of_author[authors[row]]) < len(ids)]
    asking.sort(key=lambda row: (keyed_hash(seed, "calibration", ids[row]), ids[row]))
    pairs = []
    for row in asking[: most // 2]:
        own = [other for other in of_author[authors[row]] if other != row]
        pairs.append((row, own[keyed_hash(seed, "same", ids[row]) % len(own)], 1))
        start = keyed_hash(seed, "other", ids[row]) % len(everyone)
        stranger = next(
            other
            for step in range(len(everyone))
            if authors[other := everyone[(start + step) % len(everyone)]] != authors[row]
        )
        pairs.append((row, stranger, 0))
    table = np.array(pairs, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _fit(similarities: F64, same: I64) -> tuple[F64, float]:
    """Return weights of similarities and the intercept of a logistic regression on standardised similarities.

    Both kinds of pairs have equal weight.
    """
    from sklearn.linear_model import LogisticRegression

    centre, spread = similarities.mean(axis=0), similarities.std(axis=0)
    spread[spread < 1e-12] = 1.0
    fitted = LogisticRegression(class_weight="balanced", max_iter=1_000).fit((similarities - centre) / spread, same)
    weights = _rounded(fitted.coef_[0] / spread)
    return weights, float(_rounded(fitted.intercept_ - (weights * centre).sum())[0])


def _rounded(values: F64) -> F64:
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values])


class NgramSimilarities:
    """Cosines of n-grams and words, and similarities of plain measurements (`calibrated_ngrams`)."""

    def __init__(self, texts: Sequence[str]) -> None:
        hashed = {"alternate_sign": False, "norm": "l2"}
        characters = {"analyzer": "char_wb", "ngram_range": (3, 5), "n_features": _CHARACTER_COLUMNS}
        words = {"analyzer": "word", "ngram_range": (1, 2), "n_features": _WORD_COLUMNS}
        self.rows = [_counts(texts, **hashed, **kind) for kind in (characters, words)]
        self.sizes, self.shares = np.split(np.array([_measured(text) for text in texts]).reshape(-1, 7), [2], axis=1)

    def of_pairs(self, one: I64, other: I64) -> F64:
        """Return the similarities of pairs of rows of documents, shape (pairs, similarities)."""
        cosines = [_products(rows[one], rows[other]) for rows in self.rows]
        likenesses = [_ratio(sizes[one], sizes[other]) for sizes in self.sizes.T]
        likenesses += [_closeness(shares[one], shares[other]) for shares in self.shares.T]
        return np.stack([*cosines, *likenesses], axis=1)

    def of_blocks(self, one: I64, other: I64) -> Iterator[F64]:
        """Yield for each similarity its values for every row `one` with every row `other`, shape (n, m)."""
        for rows in self.rows:
            yield (rows[one] @ rows[other].T).toarray()
        for sizes in self.sizes.T:
            yield _ratio(sizes[one][:, None], sizes[other][None])
        for shares in self.shares.T:
            yield _closeness(shares[one][:, None], shares[other][None])


class CrossEntropies:
    """Mean and absolute difference of two cross-entropies in nats per 5-gram, of each text by a model of the other."""

    def __init__(self, texts: Sequence[str]) -> None:
        from scipy.sparse import diags_array

        kind = {"analyzer": "char", "ngram_range": (5, 5), "n_features": _CONTEXT_COLUMNS, "lowercase": False}
        counts = _counts(texts, **kind, alternate_sign=False, norm=None)
        totals = np.asarray(counts.sum(axis=1)).ravel()
        self.shares = (diags_array(1 / np.maximum(totals, 1)) @ counts).tocsr()
        self.asked = totals > 0
        # ln((count + s) / (total + s columns)) = ln(1 + count / s) + ln(s / (total + s columns)): the first is sparse
        self.logs = counts.copy()
        self.logs.data = np.log1p(counts.data / SMOOTHING)
        self.unseen = np.log(SMOOTHING / (totals + SMOOTHING * _CONTEXT_COLUMNS))

    def of_pairs(self, one: I64, other: I64) -> F64:
        """Return the similarities of pairs as `NgramSimilarities.of_pairs`."""
        first = self.asked[one] * -(_products(self.shares[one], self.logs[other]) + self.unseen[other])
        second = self.asked[other] * -(_products(self.shares[other], self.logs[one]) + self.unseen[one])
        return np.stack([(first + second) / 2, np.abs(first - second)], axis=1)

    def of_blocks(self, one: I64, other: I64) -> Iterator[F64]:
        """Yield the values of each similarity as `NgramSimilarities.of_blocks`."""
        first = (self.shares[one] @ self.logs[other].T).toarray()
        first = self.asked[one][:, None] * -(first + self.unseen[other][None])
        second = (self.logs[one] @ self.shares[other].T).toarray()
        second = self.asked[other][None] * -(second + self.unseen[one][:, None])
        yield (first + second) / 2
        yield np.abs(first - second)


def _counts(texts: Sequence[str], **settings: Any) -> Sparse:
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(**settings).transform(texts).tocsr()


def _products(one: Sparse, other: Sparse) -> F64:
    """Return the dot products of rows with the same number."""
    return np.asarray(one.multiply(other).sum(axis=1), np.float64).ravel()


def _ratio(one: F64, other: F64) -> F64:
    return np.minimum(one, other) / np.maximum(np.maximum(one, other), 1.0)


def _closeness(one: F64, other: F64) -> F64:
    return 1.0 - np.minimum(np.abs(one - other), 1.0)


def _measured(text: str) -> list[float]:
    """Return characters and words, the shares of punctuation, digits, capitals and white space, and words' mean length.

    Punctuation is any character that is not a letter, digit or white space; white space separates words.
    """
    words, length = text.split(), max(len(text), 1)
    kinds = [
        sum(not letter.isalnum() and not letter.isspace() for letter in text),
        *(sum(map(kind, text)) for kind in (str.isdigit, str.isupper, str.isspace)),
    ]
    mean = sum(map(len, words)) / max(len(words), 1)
    return [len(text), len(words), *(count / length for count in kinds), mean]
