"""Compiled inner loops over characters and words, with each text decoded once.

A document is its code points (`codes`) and their `scripts.properties` (`properties`). Words are words of UAX #29 that
contain a letter or a number, with two exceptions: each Han and Kana character is a word, and emoji and Hebrew quotation
marks are never part of a word.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.build.filter.scripts import (
    ALETTER,
    ALPHABETIC,
    BREAK,
    CONNECTOR,
    EXTEND,
    KIND,
    LETTER,
    MARK,
    MID_BOTH,
    MID_LETTER,
    MID_NUMBER,
    NUMBER,
    NUMERIC,
    OTHER,
    QUOTING,
    SCRIPT_SHIFT,
    SINGLE,
    SPACE,
    SYMBOL,
    WORD_BREAK,
)
from authbench.core.arrays import F64, I64, U8, U32, U64
from authbench.core.runtime.jit import compiled
from authbench.core.text_bytes import utf8

KEPT_RUN = 3  # of one repeated character, this many count towards symbols and letters
LONG_RUN = 20

CITING = ord(">")
LINE_BREAK = ord("\n")

WINDOW = 200  # words
FNV_OFFSET, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)

# A slot of a hash table is in use if it has the `stamp` of the document, so tables are never cleared.
SLOT = np.dtype([("hash", np.uint64), ("stamp", np.int32), ("window", np.int32), ("count", np.int32)])

Characters = U32
Table = NDArray[np.void]


def hash_texts(texts: pl.Series) -> pl.Series:
    """Return a 64-bit hash of each text, the same on every machine. Raises ValueError for a null."""
    content, offsets = utf8(texts)
    hashes = np.empty(len(texts), np.uint64)
    _hash_bytes(content, offsets, hashes)
    return pl.Series("hash", hashes)


@compiled
def _hash_bytes(content: U8, offsets: I64, hashes: U64) -> None:
    """Write FNV-1a of every text, mixed once more to make the low bits depend on all of it."""
    for row in range(len(hashes)):
        value = FNV_OFFSET
        for at in range(offsets[row], offsets[row + 1]):
            value = (value ^ np.uint64(content[at])) * FNV_PRIME
        hashes[row] = value ^ (value >> np.uint64(32))


@compiled
def decode(text: U8, table: Characters, codes: Characters, properties: Characters) -> tuple[int, np.uint32]:
    """Write the code points of valid UTF-8 and their entries in `table`; return their number, and the union of bits.

    Args:
        text: shape (bytes,).
        table: shape (CODE_POINTS,), bits.
        codes: large enough for each character; written from the front.
        properties: likewise.
    """
    at, number, said = 0, 0, np.uint32(0)
    while at < len(text):
        code = np.uint32(text[at])
        length = 1 if code < 0x80 else 2 if code < 0xE0 else 3 if code < 0xF0 else 4
        if length > 1:
            code &= np.uint32(0x7F >> length)
            for place in range(1, length):
                code = (code << np.uint32(6)) | np.uint32(text[at + place] & 0x3F)
        codes[number] = code
        properties[number] = table[code]
        said |= table[code]
        number += 1
        at += length
    return number, said


@compiled
def _measure_characters(
    codes: Characters, properties: Characters, expected: int
) -> tuple[float, float, float, float, float, float, float, float, float, float, float, float, float, float]:
    """Return `measure.CHARACTER_COLUMNS` except the last; NaN for undefined shares. `expected` is a mask of scripts."""
    by_kind = np.zeros(5, np.int64)
    collapsed = np.zeros(5, np.int64)
    longest_run, in_long_runs = 0, 0
    symbol_run, longest_symbols, mark_run, longest_marks = 0, 0, 0, 0
    scripted, fitting = 0, 0
    at = 0
    while at < len(codes):
        start, code = at, codes[at]
        at += 1
        while at < len(codes) and codes[at] == code:
            at += 1
        run = at - start
        kind = properties[start] & KIND
        by_kind[kind] += run
        if kind == LETTER:
            used = properties[start] >> SCRIPT_SHIFT
            if used:
                scripted += run
                fitting += run * (expected == 0 or used & expected != 0)
        if kind in (LETTER, NUMBER, SPACE):
            symbol_run, mark_run = 0, 0
        else:
            mark_run += run
            longest_marks = max(longest_marks, mark_run)
            symbol_run = 0 if kind == MARK else symbol_run + run
            longest_symbols = max(longest_symbols, symbol_run)
        if kind != SPACE:
            collapsed[kind] += min(run, KEPT_RUN)
            longest_run = max(longest_run, run)
            if run > LONG_RUN:
                in_long_runs += run
    letters, numbers, spaces = by_kind[LETTER], by_kind[NUMBER], by_kind[SPACE]
    visible = len(codes) - spaces
    shown = collapsed.sum()
    all_visible = float(visible) if visible else np.nan
    all_shown = float(shown) if shown else np.nan
    return (
        float(visible),
        float(shown),
        float(letters),
        collapsed[SYMBOL] / all_shown,
        (collapsed[LETTER] + collapsed[MARK]) / all_shown,
        (visible - letters - numbers) / all_visible,
        (len(codes) - letters - numbers) / (all_visible + spaces),
        letters / all_visible,
        float(longest_run),
        in_long_runs / all_visible,
        float(longest_symbols),
        float(longest_marks),
        float(scripted),
        fitting / scripted if scripted else np.nan,
    )


@compiled
def _quoted_characters(codes: Characters, properties: Characters, opens: U8, closes: U8) -> int:
    """Return the number of visible characters between quotation marks of a line, or on lines that begin with `>`."""
    quoted, pending, quotation = 0, 0, 0
    cited, fresh = False, True
    for at in range(len(codes)):
        code = codes[at]
        if code == LINE_BREAK:
            pending, quotation, cited, fresh = 0, 0, False, True
            continue
        if properties[at] & KIND == SPACE:
            continue
        if fresh:
            cited, fresh = code == CITING, False
        if cited:
            quoted += 1
        elif quotation and (closes[code] >> quotation) & 1:
            quoted += pending
            pending, quotation = 0, 0
        elif quotation:
            pending += 1
        elif properties[at] & QUOTING:
            quotation = int(opens[code])
    return quoted


@compiled
def _joins(before: int, left: int, right: int, after: int) -> bool:
    """Return whether two neighbouring characters are in a segment (UAX #29, WB5-WB13b), by their Word_Break classes.

    `before` and `after` are the characters around them, skipping extending characters.
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


@compiled
def _segment_end(properties: Characters, start: int) -> int:
    """Return the end of the UAX #29 segment that begins at `start`."""
    end = len(properties)
    before, left = BREAK, properties[start] & WORD_BREAK
    at = start + 1
    if left == BREAK:
        return at
    alone = left in (OTHER, SINGLE)
    while at < end:
        right = properties[at] & WORD_BREAK
        if right == EXTEND or (right == ALETTER and left == ALETTER):
            at += 1
            continue
        if alone:
            return at
        following = at + 1
        while following < end and properties[following] & WORD_BREAK == EXTEND:
            following += 1
        after = properties[following] & WORD_BREAK if following < end else BREAK
        if not _joins(before, left, right, after):
            return at
        before, left = left, right
        at = following
    return end


@compiled
def _count_word(table: Table, stamp: int, window: int, word: np.uint64) -> tuple[int, bool]:
    """Return how often the document has had this word so far, and whether it is new to the window.

    `word` is its hash; the length of `table` is a power of two, and above the number of words.
    """
    last = np.uint64(len(table) - 1)
    place = word & last
    while table[place]["stamp"] == stamp and table[place]["hash"] != word:
        place = (place + np.uint64(1)) & last
    slot = table[place]
    if slot["stamp"] != stamp:
        slot["hash"], slot["stamp"], slot["window"], slot["count"] = word, stamp, -1, 0
    new = slot["window"] != window
    slot["window"] = window
    slot["count"] += 1
    return slot["count"], new


@compiled
def _median_share(windows: I64, total: int) -> float:
    """Return the median share of distinct words, from the number of windows by their distinct words."""
    lower, upper, passed = -1, -1, 0
    for distinct in range(len(windows)):
        passed += windows[distinct]
        if lower < 0 and 2 * passed >= total:
            lower = distinct
        if upper < 0 and 2 * passed > total:
            upper = distinct
    return (lower / WINDOW + upper / WINDOW) / 2


@compiled
def _measure_words(
    codes: Characters, properties: Characters, table: Table, stamp: int
) -> tuple[float, float, float, float, float, float]:
    """Return the measures of words.

    These are their number; the median share of distinct words over whole windows of WINDOW words (a shorter text is a
    single window); the shares of the most frequent word, of words with a letter, and of single letters of alphabetic
    scripts (a letter with a vowel sign is a syllable); and the longest run of such letters. Shares are NaN without
    words.
    """
    words, distinct, most, with_letter, single, run, longest = 0, 0, 0, 0, 0, 0, 0
    windows = np.zeros(WINDOW + 1, np.int64)  # by their number of distinct words
    at = 0
    while at < len(codes):
        kind = properties[at] & KIND
        if properties[at] & WORD_BREAK == OTHER and kind != LETTER and kind != NUMBER:
            at += 1  # begins no word; only extending characters join it, which begin none either
            continue
        start, at = at, _segment_end(properties, at)
        letters, numbers, word = 0, 0, FNV_OFFSET
        for position in range(start, at):
            word = (word ^ np.uint64(codes[position])) * FNV_PRIME
            if properties[position] & WORD_BREAK != EXTEND:
                letters += properties[position] & KIND == LETTER
                numbers += properties[position] & KIND == NUMBER
        if letters == 0 and numbers == 0:
            continue
        count, new = _count_word(table, stamp, words // WINDOW, word)
        most = max(most, count)
        distinct += new
        words += 1
        if words % WINDOW == 0:
            windows[distinct] += 1
            distinct = 0
        with_letter += letters > 0
        if at - start == 1 and properties[start] & ALPHABETIC:
            single += 1
            run += 1
            longest = max(longest, run)
        else:
            run = 0
    if words == 0:
        return 0.0, np.nan, np.nan, np.nan, np.nan, 0.0
    varied = distinct / words if words < WINDOW else _median_share(windows, words // WINDOW)
    return float(words), varied, most / words, with_letter / words, single / words, float(longest)


@compiled
def _measure_tokens(
    codes: Characters, properties: Characters, table: Table, stamp: int
) -> tuple[float, float, float, float, float]:
    """Return the paper's measures of tokens between white space.

    These are their number, the shares of distinct tokens, of tokens with a letter and of single letters of any script,
    and the longest run of these. Shares are NaN without tokens.
    """
    tokens, distinct, with_letter, single, run, longest = 0, 0, 0, 0, 0, 0
    at = 0
    while at < len(codes):
        if properties[at] & KIND == SPACE:
            at += 1
            continue
        start, letters, token = at, 0, FNV_OFFSET
        while at < len(codes) and properties[at] & KIND != SPACE:
            token = (token ^ np.uint64(codes[at])) * FNV_PRIME
            letters += properties[at] & KIND == LETTER
            at += 1
        distinct += _count_word(table, stamp, 0, token)[1]
        tokens += 1
        with_letter += letters > 0
        if letters == 1 and at - start == 1:
            single += 1
            run += 1
            longest = max(longest, run)
        else:
            run = 0
    if tokens == 0:
        return 0.0, np.nan, np.nan, np.nan, 0.0
    return float(tokens), distinct / tokens, with_letter / tokens, single / tokens, float(longest)


@compiled
def measure(
    text: U8,
    offsets: I64,
    masks: NDArray[np.uint16],
    known: U32,
    opens: U8,
    closes: U8,
    table: NDArray[np.void],
    numbers: F64,
) -> None:
    """Write the columns of every document, in the order of the schemas above, into its row of `numbers`.

    Each text is decoded once, and each of its characters looked up once in `known`.

    Args:
        text: UTF-8 bytes; document d is `text[offsets[d]:offsets[d + 1]]`.
        offsets: shape (documents + 1,).
        masks: shape (documents,), from `scripts.expected_masks`.
        known: shape (CODE_POINTS,), the properties of each character.
        opens, closes: from `scripts.quote_marks`.
        table: for words, with more slots than the longest text has bytes, a power of two; overwritten.
        numbers: shape (documents, columns); written.
    """
    longest = 0
    for row in range(len(masks)):
        longest = max(longest, offsets[row + 1] - offsets[row])
    all_codes, all_properties = np.empty(longest, np.uint32), np.empty(longest, np.uint32)
    for row in range(len(masks)):
        length, said = decode(text[offsets[row] : offsets[row + 1]], known, all_codes, all_properties)
        codes, properties = all_codes[:length], all_properties[:length]
        size = 2
        while size <= length:
            size *= 2
        slots = table[:size]
        quoted = _quoted_characters(codes, properties, opens, closes) if said & QUOTING else 0
        of_characters = _measure_characters(codes, properties, masks[row])
        of_words = _measure_words(codes, properties, slots, 2 * row + 1)
        of_tokens = _measure_tokens(codes, properties, slots, 2 * row + 2)
        column = 0
        for value in of_characters:
            numbers[row, column] = value
            column += 1
        numbers[row, column] = quoted / of_characters[0] if of_characters[0] else np.nan
        column += 1
        for value in of_words:
            numbers[row, column] = value
            column += 1
        for value in of_tokens:
            numbers[row, column] = value
            column += 1
