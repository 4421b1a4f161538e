"""Score pairs by LambdaG: the likelihood of a text under the grammar of another.

Nini et al. 2026, "Grammar as a behavioral biometric". A grammar is a Kneser-Ney language model of n-grams of tokens,
sentence by sentence, over texts with masked content words. The score is how much likelier the second text is under the
grammar of the first than under grammars of as many sentences by other authors, averaged over several draws. A
calibration converts it into a probability.

Equal to the package `lambdag` 0.2.0 if both get the same masked texts and the same sentences of others. Here a hash of
(seed, both texts) selects these sentences, which makes the result independent of the order of pairs.

Mask content, to show a verifier how a text is built and not what it is about.

It follows POSnoise (Halvani and Graner 2021), which keeps function words and punctuation and replaces every other word
by its part of speech. Parts of speech need a tagger for each language; here all words that are not function words of
the language become the same sign, and all numbers another.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import regex

from authbench.core.arrays import F64, I32, I64
from authbench.core.function_words import read_function_words
from authbench.core.identity import keyed_hash
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.lambdag_kernels import Sentences, log_likelihoods
from authbench.scoring.verifiers.node_table import Table, table_for
from authbench.scoring.verifiers.parameters import LambdagParameters
from authbench.scoring.verifiers.texts import References, distinct, drawn, languages, references

CONTENT, NUMBER = "§", "#"
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
_PIECE = regex.compile(rf"{_UNSPACED}|\p{{N}}+(?:[.,:]\p{{N}}+)*|[\p{{L}}\p{{M}}]+(?:['’\-][\p{{L}}\p{{M}}]+)*|\n|\S")
_LETTER = regex.compile(r"[\p{L}\p{M}]")
_ENDS = frozenset("。！？।॥؟")  # ends of sentences, besides . ? ! and the end of a line


def mask_content(text: str, lang: str) -> str:
    """Return function words and punctuation with spaces around, in lower case, CONTENT and NUMBER for the rest.

    Each character of Han and Kana is a word. Signs that end sentences outside Latin script are followed by a new line.
    Without a language the function words of all languages count.

    >>> mask_content("The sun, at 5:30, didn't rise.", "en")
    "the § , at # , didn't § ."
    """
    known = _function_words(lang)
    pieces = []
    for piece in _PIECE.findall(text.lower()):
        first = piece[0]
        if _LETTER.match(first):
            pieces.append(piece if _is_known(piece, known) else CONTENT)
        elif first.isnumeric():
            pieces.append(NUMBER)
        else:
            pieces.append(piece)
        if first in _ENDS:
            pieces.append("\n")
    return " ".join(pieces).replace(" \n ", "\n")


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Return whether the list contains a word, or each of its parts joined by apostrophes or hyphens."""
    plain = word.replace("’", "'")
    return plain in known or all(part in known for part in regex.split(r"['\-]", plain))


@cache
def _function_words(lang: str) -> frozenset[str]:
    """Return the words of a language's list and of its phrases, and contractions; without a language, of all lists."""
    lists = read_function_words()
    entries = lists.get(lang, ()) if lang else [entry for own in lists.values() for entry in own]
    found = {word for entry in entries for word in entry.lower().replace("’", "'").split()}
    signs = {sign for word in found for sign in word if regex.match(_UNSPACED, sign)}
    return frozenset(found | signs | _CONTRACTED)


_CONTRACTED = frozenset(
    """ain aren can couldn d didn doesn don hadn hasn haven isn l ll m mustn needn qu re s shan shouldn t ve wasn weren
    won wouldn c j n""".split()  # noqa: SIM905
)  # the parts before and after apostrophes


SENTENCE = re.compile(r".+?(?:[.?!\n]+|$)")
FIRST_WORD = 2  # tokens below are padding


@dataclass
class Grammar:
    """Count n-grams and compute likelihoods; the tables are reused from pair to pair.

    Memory: 40 bytes for each n-gram of the largest number of sentences that it has read.
    """

    order: int
    pads_count: bool
    _words: dict[str, int] = field(default_factory=dict)
    _table: Table = field(default_factory=lambda: table_for(0))
    _grams: I32 = field(default_factory=lambda: np.zeros((4, 1), np.int32))
    _stamp: int = 0

    def encode(self, sentences: Sequence[Sequence[str]]) -> Sentences:
        words = self._words
        tokens = [words.setdefault(token, len(words) + FIRST_WORD) for sentence in sentences for token in sentence]
        starts = np.cumsum([0, *(len(sentence) for sentence in sentences)])
        return Sentences(np.array(tokens, np.int64), starts.astype(np.int64))

    def log_likelihoods(self, pool: Sentences, draws: I64, disputed: Sentences) -> tuple[F64, F64]:
        """Return the decimal log likelihood of the disputed sentences under each row of drawn sentences of the pool.

        The second array is the mean over the rows for each token, and after them for the end of each sentence. `draws`,
        shape (rounds, drawn), are numbers of sentences of the pool.
        """
        lengths = np.diff(pool.starts)
        most = int(lengths[draws].sum(axis=1).max(initial=0))
        self._make_room(((most + draws.shape[1] * self.order) * self.order) + self.order)
        stamp, self._stamp = self._stamp + 1, self._stamp + len(draws)
        found, each = log_likelihoods(
            pool, draws, disputed, self.order, self.pads_count, self._table, stamp, self._grams
        )
        return found, each / len(draws)

    def _make_room(self, grams: int) -> None:
        if self._grams.shape[1] <= grams:
            self._table = table_for(grams)
            self._grams = np.zeros((4, grams + 1), np.int32)
            self._stamp = 0


@dataclass(frozen=True)
class _Fitted:
    """Hold the population as sentences with their texts, and a calibration once fitted."""

    parameters: LambdagParameters
    seed: int
    grammar: Grammar
    others: References
    pool: Sentences
    text_of: I64
    regression: object = None


def fit(train: pl.DataFrame, parameters: LambdagParameters, bench: Bench) -> _Fitted:
    """Keep the texts of the train pairs as population. Memory: these texts, and 8 bytes for each of their tokens."""
    grammar = Grammar(parameters.order, parameters.smoothing == "kneser_ney_shb_disabled")
    others = references(train, parameters.population, bench.seed)
    split = [sentences_of(text, lang, parameters) for text, lang in zip(others.texts, others.langs, strict=True)]
    pool = grammar.encode([sentence for own in split for sentence in own])
    text_of = np.repeat(np.arange(len(split)), [len(own) for own in split])
    return _Fitted(parameters, bench.seed, grammar, others, pool, text_of)


def calibrate(fitted: _Fitted, held_out: pl.DataFrame) -> _Fitted:
    """Fit a logistic regression on the scores, with both classes weighted equally; other calibrations need no fit."""
    if not fitted.parameters.calibration.startswith("logistic_regression"):
        return fitted
    from sklearn.linear_model import LogisticRegression

    disputed = drawn(held_out, fitted.parameters.calibration_pairs, fitted.seed)
    found, _ = scores(fitted, disputed)
    known = np.isfinite(found)
    same = disputed["same"].to_numpy()[known]
    if len(np.unique(same)) < 2:
        return fitted
    intercept = fitted.parameters.calibration != "logistic_regression_no_intercept"
    regression = LogisticRegression(class_weight="balanced", fit_intercept=intercept).fit(found[known, None], same)
    return replace(fitted, regression=regression)


def predict(fitted: _Fitted, pairs: pl.DataFrame) -> F64:
    """Return probabilities, shape (pairs,); 0.5 for a pair with a text that has no sentence."""
    found, sizes = scores(fitted, pairs)
    known = np.isfinite(found)
    chances = np.full(pairs.height, 0.5)
    if known.any():
        chances[known] = probabilities(found[known], sizes[known], fitted.parameters.calibration, fitted.regression)
    return chances


def probabilities(found: F64, sizes: F64, calibration: str, regression: Any) -> F64:
    """Return the probability of the same author for each score.

    Without a regression the score is divided by the root of the second text's tokens, or multiplied by the share of its
    tokens that occur once, and is then the binary logarithm of the odds (Barlow et al. 2026).

    Args:
        sizes: shape (n, 2), tokens of the second text, and tokens that occur in it once.
    """
    if calibration.startswith("logistic_regression"):
        if regression is None:
            return np.full(len(found), 0.5)
        return np.asarray(regression.predict_proba(found[:, None])[:, 1])
    tokens, once = sizes.T
    odds = found / np.sqrt(tokens) if calibration == "square_root" else found * once / tokens
    return np.asarray(1 / (1 + np.exp2(-odds)), np.float64)


def scores(fitted: _Fitted, pairs: pl.DataFrame) -> tuple[F64, F64]:
    """Return each pair's score in decimal logarithms (NaN without a sentence), and the sizes of its second text.

    Returns:
        Shape (pairs,), and shape (pairs, 2): tokens, and tokens that occur once.
    """
    texts, first, second = distinct(pairs)
    langs, grammar = languages(pairs, texts), fitted.grammar
    split = [sentences_of(text, lang, fitted.parameters) for text, lang in zip(texts, langs, strict=True)]
    coded = [grammar.encode(own) for own in split]
    once = [sum(many == 1 for many in Counter(token for own in one for token in own).values()) for one in split]
    found = np.full(pairs.height, np.nan)
    for row, (known, disputed) in enumerate(zip(first, second, strict=True)):
        draws = _drawn_for(fitted, texts[known], texts[disputed], coded[known].number)
        if draws.size and coded[disputed].number:
            found[row] = score(grammar, coded[known], coded[disputed], fitted.pool, draws)
    sizes = np.array([[len(coded[one].tokens), once[one]] for one in second], np.float64)
    return found, sizes.reshape(-1, 2)


def _drawn_for(fitted: _Fitted, known: str, disputed: str, sentences: int) -> I64:
    """Return so many sentences of other authors for each round, drawn by a hash of the texts."""
    free = np.flatnonzero(fitted.others.others(known, disputed)[fitted.text_of])
    size = min(sentences, len(free))
    chance = np.random.Generator(np.random.Philox(keyed_hash(fitted.seed, "lambdag", known, disputed)))
    rounds = range(fitted.parameters.references)
    return np.stack([chance.choice(free, size, replace=False, shuffle=False) for _ in rounds])


def token_scores(fitted: _Fitted, known: str, disputed: str, lang: str) -> list[tuple[str, float]]:
    """Return the disputed text in pieces, with what each adds to the score; the pieces joined are the text.

    The end of a sentence counts for its last token. Without sentences, or for texts that are masked already, every
    piece has 0.
    """
    lower = disputed.lower()
    pieces = [match for match in _PIECE.finditer(lower) if match[0] != "\n"]
    split = [sentences_of(text, lang, fitted.parameters) for text in (known, disputed)]
    own, asked = (fitted.grammar.encode(one) for one in split)
    draws = _drawn_for(fitted, known, disputed, own.number)
    if not draws.size or len(pieces) != len(asked.tokens):
        return [(disputed, 0.0)]
    every = np.arange(own.number)[None, :]
    by_known, by_others = (
        fitted.grammar.log_likelihoods(pool, rows, asked)[1] for pool, rows in ((own, every), (fitted.pool, draws))
    )
    added = by_known - by_others
    weights, ends = added[: len(pieces)], added[len(pieces) :]
    weights[asked.starts[1:] - 1] += ends
    shown = disputed if len(disputed) == len(lower) else lower
    cuts = [0, *(match.end() for match in pieces[:-1]), len(shown)]
    return [(shown[start:end], float(weight)) for start, end, weight in zip(cuts[:-1], cuts[1:], weights, strict=True)]


def score(grammar: Grammar, known: Sentences, disputed: Sentences, pool: Sentences, draws: I64) -> float:
    """Return in decimal logarithms how much likelier the disputed sentences are under the known than under the drawn.

    Args:
        known: sentences of the first text.
        disputed: sentences of the second text, which are scored.
        pool: sentences of other authors.
        draws: shape (rounds, drawn), numbers of sentences of the pool.
    """
    [own], _ = grammar.log_likelihoods(known, np.arange(known.number)[None, :], disputed)
    return float(own - grammar.log_likelihoods(pool, draws, disputed)[0].mean())


def sentences_of(text: str, lang: str, parameters: LambdagParameters) -> list[tuple[str, ...]]:
    """Return the tokens of each sentence of a text, in lower case, as the package `lambdag` splits masked texts."""
    if parameters.mask == "function_words":
        text = mask_content(text, lang)
    text = text.lower()
    found = [one for one in SENTENCE.findall(text) if one.strip()]
    if parameters.basis == "characters":
        return [tuple(one) for one in found]
    return [tuple(one.split()) for one in found]
