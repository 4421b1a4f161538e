"""Find texts that reveal each other across splits."""

import unicodedata
from functools import cache
from itertools import chain
from typing import NamedTuple

import polars as pl

from authbench.build.dedup.containment import COMMON, contained_pairs
from authbench.build.dedup.similar_pairs import similar_pairs
from authbench.build.dedup.similarity import similarity_text
from authbench.config.settings.split import Containment
from authbench.config.settings.values import Backend
from authbench.core.lookalikes import LOOKALIKES

TEXTS_AT_ONCE = 500
FOLDED_CHARS = 40  # shorter texts, such as `Good.` and `good.`, may be written by two people


class Leaks(NamedTuple):
    """Hold similar texts (a, b, similarity), and long texts of different works that contain each other (a, b, share).

    Pairs are of doc_keys, sorted; `common` texts have passages too common for the search (`contained_pairs`).
    """

    similar: pl.DataFrame
    contained: pl.DataFrame
    common: int


def find_leaks(
    documents: pl.DataFrame,
    leak: float,
    near: float,
    shingle_chars: int,
    containment: Containment,
    most: int = COMMON,
    backend: Backend = "kernels",
) -> Leaks:
    """Return the leaks among `documents` (doc_key, origin_id, lang, content).

    Similar texts reach `leak` or `near`, whichever is lower: the search at the lower threshold finds more of the pairs
    at the higher. Texts are also similar if their folded forms are much more alike than `near`; their similarity is
    then of these forms. Passages in more than `most` texts are not used for the search.
    """
    texts = documents.select("doc_key", "origin_id", content=_stripped(documents))
    similar = similar_pairs(texts["doc_key"], texts["content"], min(leak, near), shingle_chars, near, backend=backend)
    alike = pl.concat([similar, _disguised_copies(texts, near, shingle_chars, backend)])
    similar = alike.group_by("a", "b").agg(pl.col("similarity").max()).sort("a", "b")
    return Leaks(similar, *contained_pairs(texts, containment, most))


def _disguised_copies(texts: pl.DataFrame, near: float, shingle_chars: int, backend: Backend) -> pl.DataFrame:
    """Return pairs (a, b, similarity) of texts whose folded forms are half as far from equality as near copies are."""
    long = texts.filter(pl.col("content").str.len_chars() >= FOLDED_CHARS)
    folded = long.select("doc_key", content=fold(long["content"]))
    threshold = (1 + near) / 2
    return similar_pairs(folded["doc_key"], folded["content"], threshold, shingle_chars, threshold, backend=backend)


def _stripped(documents: pl.DataFrame) -> pl.Series:
    """Return the texts to compare; for parts without boilerplate, the uncopied contents."""
    parts = []
    for start in range(0, max(documents.height, 1), TEXTS_AT_ONCE):
        part = documents[start : start + TEXTS_AT_ONCE]
        text, content = similarity_text(part), part["content"]
        parts.append(content if content.equals(text) else text)
    return pl.concat(parts)


_VARIATION_SELECTORS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810))
_FILLERS = (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x640)  # the last is the tatweel
_PLANES = (range(0x80, 0x20000), range(0xE0000, 0xE0200))  # planes with format characters and digits
_LATIN = str.maketrans(LOOKALIKES)


def fold(texts: pl.Series) -> pl.Series:
    """Return the folded form of each text, e.g. `text3` for the full-width `Ｔｅｘｔ ٣`.

    It makes copies with other encodings of the same characters equal: compatibility forms (NFKC), lower case, Latin
    letters for letters like them, digits 0-9, neither white space nor invisible characters.
    """
    return pl.Series(texts.name, map(_folded, texts), dtype=pl.String)


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_replacements()).lower().translate(_LATIN)
    return "".join(text.lower().split())


@cache
def _replacements() -> dict[int, str | None]:
    """Return the dropped characters, and decimal digits with their ASCII digit."""
    characters = {point: unicodedata.category(chr(point)) for point in chain(*_PLANES)}
    return {
        **{point: None for point, category in characters.items() if category == "Cf"},
        **dict.fromkeys((*_VARIATION_SELECTORS, *_FILLERS)),
        **{point: str(unicodedata.decimal(chr(point))) for point, category in characters.items() if category == "Nd"},
    }
