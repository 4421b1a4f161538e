"""Where are the words of a text, and how varied are they?

Words are those of UAX #29 that hold a letter or a number, with two departures: each Han and Kana character is a
word, and neither emoji nor Hebrew quotation marks are ever part of one. Compiled loops over code points; a document
is `codes[start:end]`.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from authbench.filter.scripts import (
    ALETTER,
    BREAK,
    CONNECTOR,
    EXTEND,
    LETTER,
    MID_BOTH,
    MID_LETTER,
    MID_NUMBER,
    NUMBER,
    NUMERIC,
    SPACE,
)

WINDOW = 200  # words
FNV_OFFSET, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)

Codes = NDArray[np.uint32]
Table = NDArray[np.uint8]


@njit(cache=True)
def joins(before: int, left: int, right: int, after: int) -> bool:
    """Whether two neighbouring characters belong to one segment (UAX #29, WB5-WB13b), by their Word_Break classes.

    `before` and `after` are the neighbours' neighbours, extending characters skipped.
    """
    if left in (ALETTER, NUMERIC, CONNECTOR) and right in (ALETTER, NUMERIC, CONNECTOR):
        return True
    if right == MID_LETTER:
        return left == ALETTER and after == ALETTER
    if right == MID_NUMBER:
        return left == NUMERIC and after == NUMERIC
    if right == MID_BOTH:
        return left in (ALETTER, NUMERIC) and after == left
    if left == MID_LETTER:
        return right == ALETTER and before == ALETTER
    if left == MID_NUMBER:
        return right == NUMERIC and before == NUMERIC
    if left == MID_BOTH:
        return right in (ALETTER, NUMERIC) and before == right
    return False


@njit(cache=True)
def segment_end(codes: Codes, start: int, end: int, breaks: Table) -> int:
    """Where the UAX #29 segment that begins at `start` ends."""
    before, left = BREAK, breaks[codes[start]]
    at = start + 1
    if left == BREAK:
        return at
    while at < end:
        right = breaks[codes[at]]
        if right == EXTEND:
            at += 1
            continue
        following = at + 1
        while following < end and breaks[codes[following]] == EXTEND:
            following += 1
        after = breaks[codes[following]] if following < end else BREAK
        if not joins(before, left, right, after):
            return at
        before, left = left, right
        at = following
    return end


@njit(cache=True)
def hash_of(codes: Codes, start: int, end: int) -> np.uint64:
    value = FNV_OFFSET
    for at in range(start, end):
        value = (value ^ np.uint64(codes[at])) * FNV_PRIME
    return value


@njit(cache=True)
def distinct_and_most(hashes: NDArray[np.uint64]) -> tuple[int, int]:
    """How many different values there are, and how often the most frequent one occurs."""
    ordered = np.sort(hashes)
    distinct, most, run = 0, 0, 0
    for at in range(len(ordered)):
        if at > 0 and ordered[at] == ordered[at - 1]:
            run += 1
        else:
            distinct += 1
            run = 1
        most = max(most, run)
    return distinct, most


@njit(cache=True)
def median_distinct_share(hashes: NDArray[np.uint64]) -> float:
    """Median over whole windows of WINDOW words of distinct/all; a shorter text is one window. Nan without words."""
    if len(hashes) == 0:
        return np.nan
    windows = max(1, len(hashes) // WINDOW)
    shares = np.empty(windows)
    for window in range(windows):
        part = hashes[window * WINDOW : (window + 1) * WINDOW]
        shares[window] = distinct_and_most(part)[0] / len(part)
    return float(np.median(shares))


@njit(cache=True)
def measure_words(
    codes: Codes, offsets: NDArray[np.int64], kinds: Table, breaks: Table, alphabetic: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Per document: words, median distinct share, share of the most frequent, share with a letter, share of
    single letters of alphabetic scripts (one with a vowel sign is a syllable), longest run of such. Shares are nan
    without words."""
    measured = np.full((len(offsets) - 1, 6), np.nan)
    for document in range(len(offsets) - 1):
        end = offsets[document + 1]
        hashes = np.empty(end - offsets[document], np.uint64)
        words, with_letter, single, run, longest = 0, 0, 0, 0, 0
        at = offsets[document]
        while at < end:
            start, at = at, segment_end(codes, at, end, breaks)
            letters, numbers = 0, 0
            for position in range(start, at):
                code = codes[position]
                if breaks[code] == EXTEND:
                    continue
                letters += kinds[code] == LETTER
                numbers += kinds[code] == NUMBER
            if letters == 0 and numbers == 0:
                continue
            hashes[words] = hash_of(codes, start, at)
            words += 1
            with_letter += letters > 0
            if at - start == 1 and alphabetic[codes[start]]:
                single += 1
                run += 1
                longest = max(longest, run)
            else:
                run = 0
        measured[document, 0] = words
        measured[document, 5] = longest
        if words:
            measured[document, 1] = median_distinct_share(hashes[:words])
            measured[document, 2] = distinct_and_most(hashes[:words])[1] / words
            measured[document, 3] = with_letter / words
            measured[document, 4] = single / words
    return measured


@njit(cache=True)
def measure_tokens(codes: Codes, offsets: NDArray[np.int64], kinds: Table) -> NDArray[np.float64]:
    """Per document, of the tokens between white space: how many, distinct share of them all, share with a letter,
    share of single letters of any script, longest run of such: the paper's formulas. Shares are nan without tokens."""
    measured = np.full((len(offsets) - 1, 5), np.nan)
    for document in range(len(offsets) - 1):
        end = offsets[document + 1]
        hashes = np.empty(end - offsets[document], np.uint64)
        tokens, with_letter, single, run, longest = 0, 0, 0, 0, 0
        at = offsets[document]
        while at < end:
            if kinds[codes[at]] == SPACE:
                at += 1
                continue
            start, letters = at, 0
            while at < end and kinds[codes[at]] != SPACE:
                letters += kinds[codes[at]] == LETTER
                at += 1
            hashes[tokens] = hash_of(codes, start, at)
            tokens += 1
            with_letter += letters > 0
            if letters == 1 and at - start == 1:
                single += 1
                run += 1
                longest = max(longest, run)
            else:
                run = 0
        measured[document, 0] = tokens
        measured[document, 4] = longest
        if tokens:
            measured[document, 1] = distinct_and_most(hashes[:tokens])[0] / tokens
            measured[document, 2] = with_letter / tokens
            measured[document, 3] = single / tokens
    return measured
