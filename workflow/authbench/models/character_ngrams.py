"""Count character n-grams as scikit-learn's CountVectorizer does, in a fraction of the time.

The columns have CountVectorizer's order. An n-gram is encoded as a number whose digits are its characters (or pairs of
characters, if too many are in use), the first character as the highest digit. Numbers then sort as strings do, and
counting is sorting.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from authbench.core.arrays import I64, U32, Sparse

_CODE_POINTS = 0x110000
_LARGEST = 2**63 - 1
_WHITE_SPACE = re.compile(r"\s\s+")
_BLOCK = 1 << 24  # numbers sorted at a time
_NONE: I64 = np.empty(0, np.int64)


@dataclass(frozen=True)
class _Digits:
    """The encoding of n-grams of at most `longest` characters as numbers of equally many digits in base `base`.

    A digit encodes a character if `step` is 1, and two if it is 2, where the second may be missing. `ranks` gives the
    number of each character in use, from 1, and `pairs` the known pairs as `first * characters + second`.
    """

    ranks: U32
    characters: int
    pairs: I64 | None
    longest: int

    @property
    def base(self) -> int:
        return self.characters if self.pairs is None else len(self.pairs) + 1

    @property
    def step(self) -> int:
        return 1 if self.pairs is None else 2

    @property
    def places(self) -> int:
        return -(-self.longest // self.step)

    @property
    def fit(self) -> bool:
        return bool(self.base**self.places <= _LARGEST)

    def numbers(self, codes: U32) -> Iterator[tuple[int, I64]]:
        """Yield each length from 1, and at each position the number of the n-gram of this length, if any begins there.

        Args:
            codes: shape (characters,), positions in `ranks`.

        Yields:
            The length, and shape (characters - length + 1,).
        """
        ranks = self.ranks[codes].astype(np.int64)
        if self.pairs is None:
            first = last = ranks
        else:
            last = np.searchsorted(self.pairs, ranks * self.characters) + 1
            first = np.searchsorted(self.pairs, ranks[:-1] * self.characters + ranks[1:]) + 1
        whole = np.zeros(len(ranks) + 1, np.int64)  # of all digits before the last
        for length in range(1, min(self.longest, len(ranks)) + 1):
            place = length - 1 - (length - 1) % self.step
            count = len(ranks) - length + 1
            digit = first[place : place + count] if length % self.step == 0 else last[place : place + count]
            number = whole[:count] * self.base + digit
            yield length, number * self.base ** (self.places - place // self.step - 1)
            if length % self.step == 0:
                whole = number


def count_ngrams(texts: Sequence[str], learnt: int, analyzer: str, n: tuple[int, int], lower_case: bool) -> Sparse:
    """Return how often each n-gram of the first `learnt` texts is in each text, CSR of float32; None without n-grams.

    Columns are in the order of the n-grams' code points. Memory: 4 bytes per character, and about 9 per distinct n-gram
    of each text.

    Args:
        texts: the texts, those that define the n-grams first.
        learnt: how many texts define the n-grams.
        analyzer: `char`, or `char_wb`: within words, each between two spaces.
        n: shortest and longest.
        lower_case: whether texts are lower-cased first.
    """
    from scipy.sparse import csr_matrix

    read = [_read(text.lower() if lower_case else text, analyzer) for text in texts]
    digits = _digits_for(read, n[1])
    if digits is None:
        return count_by_scikit_learn(texts, learnt, n, lower_case, analyzer=analyzer)
    numbers, counts = [], []
    for codes in read:
        of_text, times = np.unique(_ngrams(codes, digits, analyzer, n[0]), return_counts=True)
        numbers.append(of_text)
        counts.append(times.astype(np.min_scalar_type(times.max(initial=0))))
    del read
    known = _distinct_of(numbers[:learnt])
    if not len(known):
        return None
    columns = []
    for row in range(len(numbers)):
        at = np.searchsorted(known, numbers[row])
        inside = known[np.minimum(at, len(known) - 1)] == numbers[row]
        columns.append(at[inside].astype(np.int32))
        numbers[row], counts[row] = _NONE, counts[row][inside]
    starts = np.cumsum([0, *map(len, columns)])
    indices = np.concatenate(columns)
    del columns
    return csr_matrix((np.concatenate(counts, dtype=np.float32), indices, starts), shape=(len(counts), len(known)))


def _read(text: str, analyzer: str) -> U32:
    """Return the code points that n-grams are taken from; for `char_wb`, each word is put between two spaces."""
    text = _WHITE_SPACE.sub(" ", text)
    if analyzer == "char_wb":
        text = "".join(f" {word} " for word in text.split())
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _digits_for(read: Sequence[U32], longest: int) -> _Digits | None:
    """Return digits that encode n-grams as numbers of 63 bits; None if there are none."""
    present = np.zeros(_CODE_POINTS, bool)
    for codes in read:
        present[codes] = True
    ranks = np.cumsum(present).astype(np.uint32)
    characters = int(ranks[-1]) + 1
    plain = _Digits(ranks, characters, None, longest)
    if plain.fit:
        return plain
    alone = np.arange(1, characters, dtype=np.int64) * characters
    pairs = [alone]
    for codes in read:
        known = ranks[codes].astype(np.int64)
        pairs.append(_distinct(known[:-1] * characters + known[1:]))
    paired = _Digits(ranks, characters, _distinct(np.concatenate(pairs)), longest)
    return paired if paired.fit else None


def _ngrams(codes: U32, digits: _Digits, analyzer: str, shortest: int) -> I64:
    """Return the number of every n-gram of a text."""
    if analyzer == "char":
        parts = [numbers for length, numbers in digits.numbers(codes) if length >= shortest]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)
    ends, lengths = _words(codes)
    parts = [np.empty(0, np.int64)]
    for length, numbers in digits.numbers(codes):
        begins = np.arange(len(numbers))
        inside = begins + length <= ends[: len(numbers)]
        if length >= shortest:
            parts.append(numbers[inside])
        else:  # a word shorter than any n-gram counts once, as a whole
            whole = lengths[: len(numbers)] == length
            parts.append(numbers[whole])
    return np.concatenate(parts)


def _words(codes: U32) -> tuple[I64, I64]:
    """Return the end of each character's word, and the length of the word at its beginning, else 0."""
    spaces = np.flatnonzero(codes == ord(" "))
    begins, last = spaces[::2], spaces[1::2] + 1
    sizes = last - begins
    lengths = np.zeros(len(codes), np.int64)
    lengths[begins] = sizes
    return np.repeat(last, sizes), lengths


def _distinct(numbers: I64) -> I64:
    """Return the distinct numbers in order; `numpy.unique` hashes them first, which takes several times as long."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    found: I64 = ordered[first]
    return found


def _distinct_of(parts: Sequence[I64]) -> I64:
    """Return the distinct numbers of all parts in order; some `_BLOCK` numbers are sorted at a time."""
    found, waiting, size = _NONE, [], 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size > _BLOCK:
            found, waiting, size = _distinct(np.concatenate([found, *waiting])), [], 0
    return _distinct(np.concatenate([found, *waiting]))


def count_by_scikit_learn(
    texts: Sequence[str], learnt: int, n: tuple[int, int], lower_case: bool, **settings: str
) -> Sparse:
    """Return counts as `count_ngrams`, by the CountVectorizer with these settings."""
    from scipy.sparse import vstack
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(ngram_range=n, lowercase=lower_case, dtype=np.float32, **settings)
    try:
        first = counter.fit_transform(texts[:learnt])
    except ValueError as problem:
        if "empty vocabulary" in str(problem):
            return None
        raise
    first.sort_indices()
    return vstack([first, counter.transform(texts[learnt:])], "csr") if texts[learnt:] else first
