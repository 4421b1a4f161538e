"""Compute TF-IDF over content words, which measures topic with as little style as possible.

A content word is neither a function word of its language nor among its 300 most frequent words, the words in most
texts. Text in Han, Hiragana or Katakana is counted by pairs of adjacent characters; a single character between other
signs counts by itself. Pairs that contain a function word of a single character are not content words. The pieces of a
word are its sequences of three letters, the pieces of a pair its two characters: forms of a word share most of them.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from authbench.core.arrays import F32, F64, I32, I64, Sparse
from authbench.core.function_words import read_function_words

FREQUENT = 300  # words of a language that count as frequent
COLUMNS = 1 << 20  # a word's column is its hash: two words share a column by chance once in a million pairs of words
Topic = Literal["words", "words_and_pieces"]
EARLIER: Topic = "words"  # of a release that states none
_SHARES: Mapping[Topic, tuple[float, ...]] = {"words": (1.0,), "words_and_pieces": (2 / 3, 1 / 3)}  # of the cosine
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\u3005"
_WORD = rf"[{_UNSPACED}]+|[\p{{L}}\p{{M}}--[{_UNSPACED}]]+"
_MOST_LETTERS = 100  # of a word that is cut into pieces; a dataset may hold a word of many millions
_IN_SIGNS = pl.col("word").str.contains(f"^[{_UNSPACED}]")
_AT_ONCE = 1_000_000  # characters
_PAIR = pl.Schema({"lang": pl.String, "word": pl.String})
_COUNTED = pl.Schema({"lang": pl.String, "word": pl.String, "documents": pl.UInt32, "occurrences": pl.UInt64})


@dataclass(frozen=True)
class WordStatistics:
    """Hold the statistics of the words of each language.

    `texts` is the number of texts by language; `frequent` its 300 words (pairs of characters in Han and Kana) that
    occur in most texts (at least two), in that order; `documents` the number of texts (two or more) in which a word
    occurs, as columns lang, word and documents.
    """

    texts: Mapping[str, int]
    frequent: Mapping[str, tuple[str, ...]]
    documents: pl.DataFrame

    @cached_property
    def of_pieces(self) -> "WordStatistics":
        """Return the statistics of pieces; `documents` counts a text for each word with the piece that it contains."""
        pieces = _pieces(self.documents).group_by("lang", "word").agg(pl.col("documents").sum())
        return WordStatistics(self.texts, self.frequent, pieces)


def fit_words(batches: Iterable[pl.DataFrame]) -> WordStatistics:
    """Count the words of texts (columns lang and content).

    The order of texts and the boundaries of batches do not matter. Memory: a batch's words, and about 120 bytes for
    each distinct word of a language: a million of them in 100,000 texts of a few hundred words.
    """
    texts: dict[str, int] = {}
    counted, waiting = pl.DataFrame(schema=_COUNTED), list[pl.DataFrame]()
    for batch in batches:
        for lang, number in batch.group_by("lang").len().iter_rows():
            texts[lang] = texts.get(lang, 0) + number
        for part in _words(batch.select("lang", "content"), _AT_ONCE):
            of_words = part.counts.group_by("at").agg(
                pl.len().cast(pl.UInt32).alias("documents"), pl.col("times").sum().cast(pl.UInt64).alias("occurrences")
            )
            waiting.append(part.distinct[of_words["at"]].hstack(of_words.drop("at")))
            if sum(part.height for part in waiting) >= counted.height:  # otherwise each batch would recount all words
                counted, waiting = _added([counted, *waiting]), []
    repeated = _added([counted, *waiting]).filter(pl.col("documents") > 1)
    most = repeated.sort("lang", "documents", "occurrences", "word", descending=[False, True, True, False]).group_by(
        "lang", maintain_order=True
    )
    return WordStatistics(
        texts=dict(sorted(texts.items())),
        frequent={str(lang): tuple(words) for lang, words in most.agg(pl.col("word").head(FREQUENT)).iter_rows()},
        documents=repeated.select("lang", "word", "documents").sort("lang", "word"),
    )


def _added(counts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return the joined counts of several parts (_COUNTED)."""
    return pl.concat(counts).group_by("lang", "word").agg(pl.col("documents").sum(), pl.col("occurrences").sum())


def content_vectors(texts: pl.DataFrame, statistics: WordStatistics, topic: Topic = "words") -> Sparse:
    """Return TF-IDF of the content words of texts (columns lang and content), CSR of float32 with rows of length 1.

    A word's weight is 1 + ln(occurrences) times ln((1 + texts) / (1 + texts with it)) + 1; a word in no text of the
    statistics counts as in a single text. With pieces, two thirds of a cosine are the cosine by words, a third is the
    cosine by pieces. A text without content words has an empty row. Vectors from the same statistics are comparable.
    The shape is (texts, COLUMNS), with pieces (texts, 2 COLUMNS).
    """
    return content_vectors_of_batches([texts], statistics, topic)


def content_vectors_of_batches(
    batches: Iterable[pl.DataFrame], statistics: WordStatistics, topic: Topic = "words"
) -> Sparse:
    """Return `content_vectors` of texts in batches; memory: the result, half of it again, and a batch."""
    from scipy.sparse import csr_matrix

    shares = _SHARES[topic]
    weights, columns, sizes = ([np.empty(0, dtype)] for dtype in (np.float32, np.int32, np.int64))
    for batch in batches:
        for words in _words(batch.select("lang", "content"), _AT_ONCE):
            content = _content(words, statistics)
            parts = [_weighted(content, statistics)]
            if len(shares) > 1:
                parts.append(_weighted_pieces(content, statistics.of_pieces))
            rows = np.concatenate([part[0] for part in parts])
            order = np.argsort(rows, kind="stable")
            columns.append(np.concatenate([part[1] + COLUMNS * place for place, part in enumerate(parts)])[order])
            scaled = [part[2] * np.sqrt(share) for part, share in zip(parts, shares, strict=True)]
            weights.append(np.concatenate(scaled)[order].astype(np.float32))
            sizes.append(np.bincount(rows, minlength=words.texts))
    ends = np.cumsum(np.concatenate([[0], *sizes]))
    if ends[-1] <= np.iinfo(np.int32).max:
        ends = ends.astype(np.int32)
    return csr_matrix((_emptied(weights), _emptied(columns), ends), shape=(len(ends) - 1, COLUMNS * len(shares)))


def similarities_with(vectors: Sparse) -> Callable[[Sparse], tuple[F32, F32]]:
    """Return a function that gives the topic similarities of vectors to these vectors, and how much of it is by words.

    Without pieces the latter has no columns.
    """
    from authbench.core.product_kernels import products_with

    products = [products_with(part) for part in _words_and_pieces(vectors)]

    def similarities(others: Sparse) -> tuple[F32, F32]:
        parts = _words_and_pieces(others)
        by_words = products[0](parts[0])
        if len(parts) == 1:
            return by_words, by_words[:, :0].copy()
        whole = products[1](parts[1])
        whole += by_words
        return whole, by_words

    return similarities


def words_of(vectors: Sparse) -> Sparse:
    """Return the part of vectors that words define."""
    return vectors if vectors.shape[1] == COLUMNS else vectors[:, :COLUMNS].tocsr()


def _words_and_pieces(vectors: Sparse) -> list[Sparse]:
    """Return the part of vectors that words define, and the part that pieces define where they count."""
    pieces = [vectors[:, COLUMNS:].tocsr()] if vectors.shape[1] > COLUMNS else []
    return [words_of(vectors), *pieces]


def count_content_words(texts: pl.DataFrame, statistics: WordStatistics) -> Iterator[tuple[int, pl.DataFrame]]:
    """Yield parts of texts: their number, and the content words of each as columns row (of the part), word, times."""
    for words in _words(texts.select("lang", "content"), _AT_ONCE):
        content = _content(words, statistics)
        named = content.counts.select("row", content.distinct["word"].gather(content.counts["at"]), "times")
        yield words.texts, named.sort("row", "word")


def _emptied(parts: list[np.ndarray]) -> np.ndarray:
    """Return the joined parts, and empty the list, so only a single array at a time is in memory twice."""
    found = np.concatenate(parts)
    parts.clear()
    return found


class _Words(NamedTuple):
    """Hold the words of a part of texts: `counts` (row, at, times), and the `distinct` words (lang, word) by `at`."""

    texts: int
    counts: pl.DataFrame
    distinct: pl.DataFrame


def _weighted(words: _Words, statistics: WordStatistics) -> tuple[I64, I32, F64]:
    """Return row, column and weight of content words, as `_scaled`."""
    rated, at = _rated(words.distinct, statistics), words.counts["at"]
    weighted = words.counts.select(
        "row", rated["column"].gather(at), weight=(1 + pl.col("times").log()) * rated["rarity"].gather(at)
    )
    rows, columns, weights = weighted.sort("row", "column", "weight").to_dict().values()
    return _scaled(rows.to_numpy(), columns.to_numpy(), weights.to_numpy())


def _weighted_pieces(words: _Words, statistics: WordStatistics) -> tuple[I64, I32, F64]:
    """Return row, column and weight of the pieces of content words, as `_scaled`.

    Pieces are counted in the distinct words, and these in the texts: words recur.
    """
    from scipy.sparse import csr_matrix

    split = _pieces(words.distinct.with_row_index("at"))
    numbers, distinct = _numbered(split["lang"], split["word"])
    rated = distinct.hstack(_rated(distinct, statistics)).with_row_index("piece").sort("column", "lang", "word")
    places = np.empty(rated.height, np.int64)
    places[rated["piece"].to_numpy()] = np.arange(rated.height)
    counts, pieces = (
        csr_matrix((values.astype(np.float64), (rows, columns)), shape)
        for (rows, columns, values), shape in (
            ([column.to_numpy() for column in words.counts], (words.texts, words.distinct.height)),
            ((split["at"].to_numpy(), places[numbers], np.ones(split.height)), (words.distinct.height, rated.height)),
        )
    )
    found = counts @ pieces
    found.sort_indices()
    weights = (1 + pl.Series(found.data).log()) * rated["rarity"].gather(found.indices)
    rows = np.repeat(np.arange(words.texts), np.diff(found.indptr))
    return _scaled(rows, rated["column"].to_numpy()[found.indices], weights.to_numpy())


def _scaled(rows: I64, columns: I32, weights: F64) -> tuple[I64, I32, F64]:
    """Return row, column and weight, sorted by row and column; weights of a row and column are added up.

    The weights of a row have length 1.
    """
    starts = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(columns, prepend=-1) != 0))
    added = np.add.reduceat(weights, starts) if len(starts) else weights
    found, first, sizes = np.unique(rows[starts], return_index=True, return_counts=True)
    lengths = np.sqrt(np.add.reduceat(added**2, first)) if len(found) else added
    return np.repeat(found, sizes), columns[starts], added / np.repeat(lengths, sizes)


def _content(words: _Words, statistics: WordStatistics) -> _Words:
    """Return the words that are neither frequent nor function words."""
    of_style = pl.lit(False)
    for lang in words.distinct["lang"].unique():
        listed, signs = _function_words(lang)
        is_one = pl.col("word").is_in(listed)
        if signs:
            is_one |= _IN_SIGNS & pl.col("word").str.contains_any(signs)
        of_style |= (pl.col("lang") == lang) & is_one
    frequent = [
        pl.DataFrame({"lang": lang, "word": list(found)}, schema=_PAIR) for lang, found in statistics.frequent.items()
    ]
    common = pl.concat(frequent or [pl.DataFrame(schema=_PAIR)])
    content = words.distinct.with_row_index("at").join(common, on=["lang", "word"], how="anti").filter(~of_style)
    places = np.full(words.distinct.height, -1)
    places[content["at"].to_numpy()] = np.arange(content.height)
    counts = words.counts.with_columns(at=places[words.counts["at"].to_numpy()]).filter(pl.col("at") >= 0)
    return _Words(words.texts, counts, content.select("lang", "word"))


def _rated(distinct: pl.DataFrame, statistics: WordStatistics) -> pl.DataFrame:
    """Return `column` and `rarity` of distinct words (lang, word), in their order."""
    numbers = pl.DataFrame(
        {"lang": list(statistics.texts), "texts": list(statistics.texts.values())},
        schema={"lang": pl.String, "texts": pl.Int64},
    )
    there = statistics.documents.join(distinct, on=["lang", "word"], how="semi")
    known = distinct.join(there, on=["lang", "word"], how="left", maintain_order="left").join(
        numbers, on="lang", how="left", maintain_order="left"
    )
    texts, documents = pl.col("texts").fill_null(0), pl.col("documents").clip(upper_bound="texts").fill_null(1)
    return known.select(
        pl.Series(
            "column", [zlib.crc32(word) % COLUMNS for word in known["word"].cast(pl.Binary).to_list()], dtype=pl.Int32
        ),
        rarity=((1 + texts) / (1 + documents)).log() + 1,
    )


def _numbered(langs: pl.Series, words: pl.Series) -> tuple[I64, pl.DataFrame]:
    """Return the number of each row's pair of language and word, and the distinct pairs (lang, word) by number."""
    names, codes = zip(*(_encoded(column) for column in (langs, words)), strict=True)
    pairs = codes[0] * len(names[1]) + codes[1]
    occurs = np.zeros(len(names[0]) * len(names[1]), bool)
    occurs[pairs] = True
    lang, word = np.divmod(np.flatnonzero(occurs), max(len(names[1]), 1))
    distinct = pl.DataFrame({"lang": names[0].gather(lang), "word": names[1].gather(word)}, schema=_PAIR)
    return (np.cumsum(occurs) - 1)[pairs], distinct


def _encoded(column: pl.Series) -> tuple[pl.Series, I64]:
    """Return the distinct values of a column, and the place of each row's value among them."""
    encoded = column.to_arrow(compat_level=pl.CompatLevel.oldest()).dictionary_encode()
    return pl.Series(encoded.dictionary, dtype=pl.String), encoded.indices.to_numpy().astype(np.int64)


def _pieces(words: pl.DataFrame) -> pl.DataFrame:
    """Return rows with a piece of each `word` in its place; among three letters, ^ and $ are the word's ends."""
    cut = pl.col("word").str.slice(0, _MOST_LETTERS)
    bounded = words.filter(~_IN_SIGNS).with_columns(pl.format("^{}$", cut).alias("word"))
    places = bounded.with_columns(place=pl.int_ranges(0, pl.col("word").str.len_chars() - 2)).explode("place")
    of_letters = places.with_columns(pl.col("word").str.slice("place", 3)).drop("place")
    of_signs = words.filter(_IN_SIGNS).with_columns(pl.col("word").str.split("")).explode("word")
    return pl.concat([of_letters, of_signs])


@cache
def _function_words(lang: str) -> tuple[list[str], list[str]]:
    """Return the words of the entries of a language's list, and its words of a single character in Han or Kana."""
    entries = pl.Series(read_function_words().get(lang, ()), dtype=pl.String)
    words = entries.filter(~entries.str.starts_with("-")).str.to_lowercase().str.extract_all(_WORD).explode()
    words = words.drop_nulls().unique().sort()
    return words.to_list(), words.filter(words.str.contains(f"^[{_UNSPACED}]$")).to_list()


def _words(texts: pl.DataFrame, at_once: int) -> Iterator[_Words]:
    """Yield the words of texts in parts of `at_once` characters."""
    lengths = texts["content"].str.len_chars().to_numpy()
    part_of = np.cumsum(lengths) // at_once
    bounds = [0, *(np.flatnonzero(np.diff(part_of)) + 1).tolist(), texts.height]
    for start, end in pairwise(bounds):
        part = texts[start:end]
        spread = part.select(
            pl.int_range(pl.len(), dtype=pl.Int64).alias("row"),
            pl.col("content").str.to_lowercase().str.extract_all(_WORD).alias("word"),
        )
        spread = spread.explode("word").drop_nulls("word")
        spread = pl.concat([spread.filter(~_IN_SIGNS), _pairs(spread.filter(_IN_SIGNS))])
        numbers, distinct = _numbered(part["lang"].gather(spread["row"]), spread["word"])
        counts = spread.select("row", at=numbers).group_by("row", "at").agg(pl.len().alias("times"))
        yield _Words(end - start, counts, distinct)


def _pairs(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of adjacent characters of each `word`; a single character is returned itself."""
    signs = runs.with_row_index("run").with_columns(pl.col("word").str.split("")).explode("word")
    first = pl.col("run") != pl.col("run").shift().fill_null(pl.col("run").max() + 1)
    alone = first & (pl.col("run") != pl.col("run").shift(-1).fill_null(pl.col("run").max() + 1))
    pair = pl.when(first).then("word").otherwise(pl.col("word").shift() + pl.col("word"))
    return signs.select("row", pair.alias("word"), kept=~first | alone).filter("kept").drop("kept")
