"""Generate a synthetic corpus with a known answer, to demonstrate and test the method.

Topics belong to families that share words; most families have one topic, a few have many. A random subset of topics
thus contains many similar topics, and a HITS subset hardly any. Every author writes on one topic, with preferences for
function words and punctuation that are independent of the topic. A verifier that recognises topics by their words must
therefore lose if topics are dissimilar, and a verifier that uses function words must not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

from authbench.function_words import read_function_words
from authbench.identity import keyed_hash

WORDS = 100  # of a text
CONTENT = 0.5  # share of topic words
OWN = 0.1  # share of topic words unique to the topic
FAMILY_WORDS, TOPIC_WORDS = 200, 8
LEAN = 0.25  # concentration of an author's function words: lower means greater differences between authors
FUNCTION_WORDS = 80  # from the English list
MARKS = (".", ";", "!", "?", "...", " -", ":")


@dataclass(frozen=True)
class Design:
    """Numbers of families with one and with `many` topics, of authors per topic, of texts per author, and of words."""

    single: int = 85
    large: int = 10
    many: int = 25
    authors: int = 3
    texts: int = 3
    alone: int = WORDS  # words per text on a topic without relatives: fewer confound similarity with length
    alone_texts: int = 3  # texts per author on such a topic: fewer confound similarity with size


def planted_documents(seed: int, design: Design = Design()) -> Iterator[pl.DataFrame]:
    """Return the corpus as `documents.DOCUMENTS`, a frame per topic; topics are named `family-<f>-topic-<t>`."""
    for family in range(design.single + design.large):
        for topic in range(1 if family < design.single else design.many):
            sizes = (design.alone_texts, design.alone) if family < design.single else (design.texts, WORDS)
            yield _planted_topic(seed, f"family-{family:02}", f"topic-{topic:02}", design.authors, *sizes)


def _planted_topic(seed: int, family: str, topic: str, authors: int, texts: int, words: int) -> pl.DataFrame:
    name = f"{family}-{topic}"
    rows = []
    shared, own = _made_up(seed, FAMILY_WORDS, family), _made_up(seed, TOPIC_WORDS, name)
    for number in range(authors):
        author = f"{name}-author-{number}"
        chance = _generator(seed, author)
        habits = chance.dirichlet(np.full(len(function_words()), LEAN))
        marks = chance.dirichlet(np.full(len(MARKS), LEAN))
        for text in range(texts):
            written = _written(chance, words, shared, own, habits, marks)
            rows.append((f"{author}-{text}", author, name, "en", written))
    return pl.DataFrame(rows, schema=["id", "author", "topic", "lang", "content"], orient="row")


def _written(
    chance: np.random.Generator, count: int, shared: list[str], own: list[str], habits: np.ndarray, marks: np.ndarray
) -> str:
    """Return a text of `count` words in sentences of about twelve."""
    content = chance.random(count) < CONTENT
    words = np.where(
        content,
        np.where(chance.random(count) < OWN, chance.choice(own, count), chance.choice(shared, count)),
        chance.choice(function_words(), count, p=habits),
    )
    ends = np.where(chance.random(count) < 1 / 12, chance.choice(MARKS, count, p=marks), "")
    return " ".join(word + end for word, end in zip(words, ends, strict=True)) + "."


@cache
def function_words() -> list[str]:
    return [word for word in read_function_words()["en"] if word.isalpha()][:FUNCTION_WORDS]


@cache
def _made_up(seed: int, count: int, whose: str) -> list[str]:
    """Return meaningless words of three or four syllables."""
    chance = _generator(seed, "words", whose)
    syllables = [consonant + vowel for consonant in "bcdfghjklmnprstvwz" for vowel in "aeiou"]
    drawn = chance.integers(len(syllables), size=(count, 4))
    lengths = chance.integers(3, 5, size=count)
    return ["".join(syllables[at] for at in row[:length]) for row, length in zip(drawn, lengths, strict=True)]


def _generator(seed: int, *whose: str) -> np.random.Generator:
    return np.random.default_rng(keyed_hash(seed, "planted", *whose))
