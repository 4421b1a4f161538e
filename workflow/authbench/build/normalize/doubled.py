"""Find texts that contain themselves twice: some editions print a poem, and then the same poem again.

Such a text is A + A', cut at a line break near its middle, where A and A' share nearly all character shingles, as
near-duplicates do (AuthBench paper, A.1). Time and memory are linear in the length of the text.
"""

from collections import Counter

import polars as pl

SIMILAR = 0.9
LEAST_SHARE = 0.4  # minimum share of A' in the text
LEAST_CHARACTERS = 40  # minimum length of A'; short repetitions are intentional
SHINGLE = 5
FEW_DISTINCT = 0.7  # maximum distinct lines over lines of a candidate text


def suspected(texts: pl.Series) -> pl.Series:
    """Return which normal texts may contain themselves twice: long enough, and with enough repeated lines."""
    lines = texts.str.replace_all("\n\n", "\n", literal=True).str.split("\n")
    again = lines.list.n_unique() <= FEW_DISTINCT * lines.list.len()
    return again & (texts.str.len_chars() >= 2 * LEAST_CHARACTERS)


def first_of_two(text: str) -> str | None:
    """Return A if the text is A + A', else None.

    >>> first_of_two("The moon has risen\\nand hangs over the dark wood.\\n" * 2)
    'The moon has risen\\nand hangs over the dark wood.'
    """
    folded, breaks = _folded(text)
    shingles = [folded[at : at + SHINGLE] for at in range(len(folded) - SHINGLE + 1)]
    least = max(LEAST_CHARACTERS, LEAST_SHARE * len(folded))
    cuts = [(at, end) for at, end in breaks if least <= at <= len(folded) - least + 1]
    if not cuts:
        return None
    before: Counter[str] = Counter()
    after = Counter(shingles[cuts[0][0] :])
    taken, left, shared = 0, cuts[0][0], 0
    best = (SIMILAR, -1)
    for at, end in cuts:
        for shingle in shingles[left:at]:
            shared -= after[shingle] <= before[shingle]
            after[shingle] -= 1
        for shingle in shingles[taken : at - SHINGLE]:
            before[shingle] += 1
            shared += before[shingle] <= after[shingle]
        taken, left = max(taken, at - SHINGLE), at
        everything = taken + len(shingles) - left
        if (similarity := shared / (everything - shared)) > best[0] or (best[1] < 0 and similarity >= SIMILAR):
            best = (similarity, end)
    return text[: best[1]].rstrip() if best[1] >= 0 else None


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text with white space folded, and the offsets of each line but the first in both forms."""
    parts: list[str] = []
    breaks: list[tuple[int, int]] = []
    length, end = 0, 0
    for line in text.split("\n"):
        if words := " ".join(line.split()):
            if parts:
                length += 1
                breaks.append((length, end))
            parts.append(words)
            length += len(words)
        end += len(line) + 1
    return " ".join(parts), breaks
