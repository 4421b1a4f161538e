"""Compiled loops over the last characters of texts: find and hash their endings."""

from functools import cache

import numpy as np
import polars as pl
import regex

from authbench.core.arrays import BOOL, I64, U8, U32, U64
from authbench.core.runtime.jit import compiled
from authbench.core.text_bytes import utf8

LONGEST = 60  # maximum characters of an ending
MOST = 30  # maximum endings of a text
LEAST_LETTERS = 3

LETTER, WORD, SPACE, SINGLE, STOP = 1, 2, 4, 8, 16  # character classes, a bit each
_CLASSES = (
    (LETTER, r"\p{L}"),
    (WORD, r"[\p{L}\p{M}\p{N}_]"),
    (SPACE, r"\s"),
    (SINGLE, r"[\p{Han}\p{Hiragana}\p{Katakana}]"),
    (STOP, r"[.,;:!?…。，、！？]"),
)
_CODE_POINTS = 0x110000
_ASSIGNED = ((0, 0x40000), (0xE0000, 0xE1000))  # no letters, marks, numbers or spaces are outside these ranges
_FNV_OFFSET, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_MIX_ONE, _MIX_TWO = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)


@cache
def _classes() -> U8:
    """Return the bits of every code point, shape (0x110000,)."""
    table = np.zeros(_CODE_POINTS, np.uint8)
    for start, end in _ASSIGNED:
        characters = "".join(map(chr, range(start, end)))
        for bit, pattern in _CLASSES:
            for match in regex.finditer(f"{pattern}+", characters):
                table[start + match.start() : start + match.end()] |= bit
    return table


def find_endings(texts: pl.Series) -> tuple[I64, I64, U64]:
    """Return the endings of texts, in text order and longest first.

    An ending begins with a word, an ideograph or a run of signs, is preceded by other text, and contains at least three
    letters. Sentence punctuation belongs to the preceding text; placeholders (`[URL]`) count as a sign.

    Args:
        texts: strings without null.

    Returns:
        The text of each ending, its start byte in that text, and its hash, which is never 0.
    """
    content, offsets = utf8(texts)
    room = len(texts) * MOST
    row, start, value = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.uint64)
    number = _find_endings(content, offsets, _classes(), row, start, value)
    return row[:number], start[:number], value[:number]


@compiled
def _find_endings(content: U8, offsets: I64, classes: U8, row: I64, start: I64, value: U64) -> int:
    begins = np.empty(LONGEST + 1, np.int64)  # of the last characters, backwards: their byte offset,
    codes = np.empty(LONGEST + 1, np.uint32)
    bits = np.empty(LONGEST + 2, np.uint8)  # and their classes; before the first, a marker for the text's start
    inside = np.empty(LONGEST + 1, np.bool_)
    hashes = np.empty(LONGEST + 1, np.uint64)
    found = 0
    for text in range(len(offsets) - 1):
        first, at = offsets[text], offsets[text + 1]
        number = 0
        running = _FNV_OFFSET
        while at > first and number <= LONGEST:  # one more than an ending has: the preceding character
            code, shift = np.uint32(0), np.uint32(0)
            while True:
                at -= 1
                byte = content[at]
                running = (running ^ np.uint64(byte)) * _FNV_PRIME
                if byte & 0xC0 != 0x80:
                    break
                code |= np.uint32(byte & 0x3F) << shift
                shift += np.uint32(6)
            if byte < 0x80:
                code = np.uint32(byte)
            else:
                lead = 0x1F if shift == 6 else 0x0F if shift == 12 else 0x07
                code |= np.uint32(byte & lead) << shift
            begins[number], codes[number], bits[number] = at, code, classes[code]
            hashes[number] = running
            inside[number] = False
            number += 1
        bits[number] = SPACE
        tail = min(number, LONGEST)
        _mark_placeholders(codes, inside, tail)
        last = _third_letter(bits, inside, tail)
        if last < 0:
            continue
        # The last MOST beginnings, then those that are preceded by text and leave at least three letters.
        counted, furthest = 0, -1
        for place in range(tail):
            if not inside[place] and _begins(bits[place], bits[place + 1], place + 1 < number):
                counted += 1
                furthest = place
                if counted == MOST:
                    break
        for place in range(furthest, last - 1, -1):
            if begins[place] == first or inside[place]:
                continue
            if _begins(bits[place], bits[place + 1], place + 1 < number):
                row[found], start[found] = text, begins[place] - first
                value[found] = _mixed(hashes[place])
                found += 1
    return found


@compiled
def _begins(bits: np.uint8, before: np.uint8, has_before: bool) -> bool:
    """Return whether an ending can begin with a character, given the preceding character."""
    if bits & SINGLE:
        return True
    if bits & WORD:
        return not (has_before and before & WORD)
    if bits & (SPACE | STOP):
        return False
    return not has_before or before & (SPACE | WORD) != 0


@compiled
def _mark_placeholders(codes: U32, inside: BOOL, tail: int) -> None:
    """Mark the inside of `[URL]` and the like after the bracket; indices run backwards from the last character."""
    place = tail - 1
    while place >= 0:
        if codes[place] == 0x5B:
            end = place - 1
            while end >= 0 and 0x41 <= codes[end] <= 0x5A:
                end -= 1
            if end >= 0 and codes[end] == 0x5D and 3 <= place - 1 - end <= 8:
                inside[end:place] = True
                place = end
        place -= 1


@compiled
def _third_letter(bits: U8, inside: BOOL, tail: int) -> int:
    """Return the index of the third letter from the end; -1 if there are fewer."""
    letters = 0
    for place in range(tail):
        if bits[place] & LETTER and not inside[place]:
            letters += 1
            if letters == LEAST_LETTERS:
                return place
    return -1


@compiled
def _mixed(value: np.uint64) -> np.uint64:
    """Return a mixed hash that is never 0."""
    value = (value ^ (value >> np.uint64(33))) * _MIX_ONE
    value = (value ^ (value >> np.uint64(33))) * _MIX_TWO
    value ^= value >> np.uint64(33)
    return value if value else np.uint64(1)
