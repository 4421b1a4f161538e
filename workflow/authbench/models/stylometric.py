"""Take a few dozen plain measurements of a text.

Lengths of words, sentences and paragraphs, richness of vocabulary, kinds of characters and single punctuation marks:
the counts of stylometry since Mendenhall (1887), for any script.
"""

from collections import Counter

import numpy as np
import polars as pl
import regex

from authbench.chunk.sentences import sentence_starts
from authbench.models.character_kinds import CharacterKinds
from authbench.models.function_words import WORD
from authbench.models.measured_once import MeasuredOnce
from authbench.models.parameters import StylometricParameters
from authbench.models.standardise import F32, standardised

MARKS = ".,;:!?…-–—_/\\|'\"“”‘’«»„()[]{}*&%$#@+=<>~^`。、，！？：；「」『』（）《》〈〉·・～،؛؟।"
KINDS = CharacterKinds(
    {
        "upper": r"\p{Lu}",
        "lower": r"\p{Ll}",
        "other letter": r"[\p{Lo}\p{Lm}]",
        "mark": r"\p{M}",
        "digit": r"\p{N}",
        "punctuation": r"\p{P}",
        "symbol": r"\p{S}",
        "space": r"[ \t]",
        "line": r"\n",
        "emoji": r"\p{Extended_Pictographic}",
        "latin": r"\p{Latin}",
        "han": r"\p{Han}",
        "hiragana": r"\p{Hiragana}",
        "katakana": r"\p{Katakana}",
    }
)
REPEATED = regex.compile(r"(\p{L})\1{2,}")
REPEATED_MARK = regex.compile(r"(\p{P})\1+")
LONGEST_WORD = 12
FIRST_WORDS = 100  # the share of distinct words is taken over these, since richness depends on length


def stylometric_vectors(documents: pl.DataFrame, candidates: int, parameters: StylometricParameters) -> F32:
    """Return standardised measurements, shape (documents, features of `measure`)."""
    return standardised(_MEASURED.table(documents["content"]), documents["lang"], candidates)


def measure(text: str) -> dict[str, float]:
    """Return every measurement of a text by its name: shares of characters or words, means, and their spread."""
    chars, words = max(1, len(text)), WORD.findall(text)
    counted = Counter(text)
    sizes = np.array([len(word) for word in words] or [0])
    starts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    sentences = np.diff(starts) if text else np.array([0])
    lines = np.array([len(line) for line in text.split("\n")])
    occurrences = Counter(word.lower() for word in words)
    values = {
        "word length": float(sizes.mean()),
        "word length, spread": float(sizes.std()),
        "sentence length": float(sentences.mean()),
        "sentence length, spread": float(sentences.std()),
        "line length": float(lines.mean()),
        "words used once": sum(count == 1 for count in occurrences.values()) / max(1, len(words)),
        "different words": len({word.lower() for word in words[:FIRST_WORDS]}) / max(1, min(len(words), FIRST_WORDS)),
        "capitalised words": sum(word[0].isupper() for word in words) / max(1, len(words)),
        "words in capitals": sum(len(word) > 1 and word.isupper() for word in words) / max(1, len(words)),
        "stretched letters": len(REPEATED.findall(text)) / chars,
        "stretched marks": len(REPEATED_MARK.findall(text)) / chars,
        "apostrophes": sum("'" in word or "’" in word for word in words) / max(1, len(words)),
    }
    values |= {kind: count / chars for kind, count in KINDS.count(counted).items()}
    values |= {f"mark {mark}": counted[mark] / chars for mark in MARKS}
    share = np.bincount(np.minimum(sizes, LONGEST_WORD), minlength=LONGEST_WORD + 1) / max(1, len(words))
    return values | {f"words of {size}": float(share[size]) for size in range(1, LONGEST_WORD + 1)}


_MEASURED = MeasuredOnce(measure)
