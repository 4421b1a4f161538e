"""Show what cleaning changed in a text; invisible characters are shown as code points."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate, groupby
from math import isqrt

_SIGNS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"  # of scripts without spaces, a word each
PIECES = re.compile(rf"[{_SIGNS}]|[^\W{_SIGNS}]+|\s|.", re.S)
SHOWN = 50_000  # characters of one text
UNSEEN = {"Cc", "Cs", "Cf"}  # Unicode categories: control, surrogate, format
SPELLING = "\u200c\u200d"  # joiners, which some scripts need
Part = tuple[str, str]  # same | gone | new | mark, and a text


def difference(before: str, after: str) -> list[Part]:
    """Return the parts of two texts that are the same, gone and new, in the order of the texts.

    The number of words that are the same is maximal; white space is compared between them.
    """
    start = before.find(after)
    if start >= 0:
        parts = [("gone", before[:start]), ("same", after), ("gone", before[start + len(after) :])]
    else:
        parts = [*_by_words(PIECES.findall(before), PIECES.findall(after))]
    kinds = groupby((part for part in parts if part[1]), lambda part: part[0])
    return [(kind, "".join(text for _, text in some)) for kind, some in kinds]


def shown(text: str) -> list[Part]:
    """Return a text in parts that an HTML page may show, cut at SHOWN characters.

    Invisible characters that would change how others are shown become marks with their code points.
    """
    parts = list(_visible(text[:SHOWN], "same"))
    if len(text) > SHOWN:
        parts.append(("mark", f"and {len(text) - SHOWN:,} more characters"))
    return parts


def shown_difference(before: str, after: str) -> list[Part]:
    return [part for kind, text in difference(before, after) for part in _visible(text, kind)]


def _visible(text: str, kind: str) -> Iterator[Part]:
    start = 0
    for place, char in enumerate(text):
        if unicodedata.category(char) in UNSEEN and char not in "\n" + SPELLING:
            if place > start:
                yield kind, text[start:place]
            yield "mark", f"U+{ord(char):04X}"
            start = place + 1
    if start < len(text):
        yield kind, text[start:]


def _by_words(old: list[str], new: list[str]) -> Iterator[Part]:
    both = {piece for piece in {*old} & {*new} if not piece.isspace()}
    of_old, of_new = ([place for place, piece in enumerate(some) if piece in both] for some in (old, new))
    words = _common([old[place] for place in of_old], [new[place] for place in of_new])
    a = c = 0
    for b, d in [*((of_old[one], of_new[other]) for one, other in words), (len(old), len(new))]:
        yield from _between(old[a:b], new[c:d])
        yield "same", "".join(old[b : b + 1])
        a, c = b + 1, d + 1


def _between(old: Sequence[str], new: Sequence[str]) -> Iterator[Part]:
    """Yield the parts between two aligned words: only white space at either end can be the same."""
    start, end = _same_ends(old, new)
    yield "same", "".join(old[:start])
    yield "gone", "".join(old[start : len(old) - end])
    yield "new", "".join(new[start : len(new) - end])
    yield "same", "".join(old[len(old) - end :])


def _same_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many pieces are the same at the start, and at the end of the rest."""
    least = min(len(old), len(new))
    start = next((place for place in range(least) if old[place] != new[place]), least)
    left = least - start
    return start, next((place for place in range(left) if old[-1 - place] != new[-1 - place]), left)


def _common(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence, in order, each as close to the next as possible."""
    start, end = _same_ends(old, new)
    inner = _longest(old[start : len(old) - end], new[start : len(new) - end])
    found = [(place, place) for place in range(start)]
    found += [(start + one, start + other) for one, other in inner]
    found += [(len(old) - place, len(new) - place) for place in range(end, 0, -1)]
    for one in reversed(range(len(found) - 1)):
        (a, c), (b, d) = found[one : one + 2]
        found[one] = (b - 1 if old[b - 1] == old[a] else a, d - 1 if new[d - 1] == new[c] else c)
    return found


def _longest(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence.

    A row of the table of lengths is an integer (Hyyrö 2004): bit `a` of row `c` is 0 if old[: a + 1] has more in
    common with new[:c] than old[:a] has. The first row of each block is kept, the others are recomputed.

    Time: len(old) * len(new) bits, three times. Memory: the square root of len(new) rows, and a row for each word.
    """
    places = dict.fromkeys(new, 0)
    for place, word in enumerate(old):
        places[word] = places.get(word, 0) | 1 << place
    left = (1 << len(old)) - 1  # the places of old that may still be matched
    size = isqrt(len(new)) + 1
    blocks = [[places[word] for word in new[start : start + size]] for start in range(0, len(new), size)]
    firsts = [left]
    for block in blocks:
        firsts.append(reduce(_next_row, block, firsts[-1]) & left)
    found: list[tuple[int, int]] = []
    for number in reversed(range(len(blocks))):
        rows = [*accumulate((own & left for own in blocks[number]), _next_row, initial=firsts[number] & left)]
        for row in reversed(range(1, len(rows))):
            last = (left ^ (left & rows[row])).bit_length() - 1
            if last >= 0 and rows[row - 1] >> last & 1:
                found.append((last, number * size + row - 1))
                left >>= left.bit_length() - last
    return found[::-1]


def _next_row(row: int, places: int) -> int:
    """Return the row of the next word, given its places in old; bits beyond old are meaningless."""
    both = row & places
    return (row + both) | (row ^ both) if both else row
