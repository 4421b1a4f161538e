"""Identify the language of a text among the expected languages.

The model and probabilities are langid's (Lui and Baldwin 2012), restricted to the languages of the recipe and to
foreign languages that are frequent in such corpora; the results equal langid's, computed in batches or, if a run's
`backend` is `packages`, by langid itself.
"""

from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any
from zipfile import BadZipFile

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.build.filter.scripts import written_in
from authbench.config.settings.values import Backend
from authbench.core.arrays import F64, I64, U8
from authbench.core.errors import InputError
from authbench.core.runtime.caches import compiled_code
from authbench.core.runtime.jit import compiled
from authbench.core.storage.atomic import atomic_file
from authbench.core.text_bytes import utf8

# Frequent languages of mislabelled texts; without them, such texts are forced into the nearest language of the recipe.
# On real corpora they triple the number of foreign texts found among English blogs, at the cost of 2 in 5,800 clean
# snippets of 14 words; all 58 languages that langid knows in Latin letters find hardly more and double the cost.
LATIN_INTRUDERS = ("pt", "it", "nl", "id", "ms", "tl", "tr", "vi", "pl", "sv", "da", "nb", "fi", "hu", "cs", "ro")
OTHER_INTRUDERS = ("uk", "fa", "ur")

LANES = 4
# Sums over a text in another order differ by less than this fraction. Languages whose scores are closer are summed
# again in langid's order, to select the same one as langid.
NEAR = 1e-9
DECIMALS = 6  # of a probability; further ones depend on the machine


@dataclass(frozen=True)
class Model:
    """langid's automaton over bytes, and its log probabilities per language.

    Moves are `moves[state << 8 | byte]`, the features that each state completes `features[starts[state]:starts[state +
    1]]`; their log probabilities are given for each feature and summed over the features of a state.
    """

    labels: tuple[str, ...]
    moves: NDArray[np.uint16]
    starts: I64
    features: I64
    given_language: F64  # features x languages
    by_state: F64  # states x languages
    languages: F64


def identified_languages() -> frozenset[str]:
    """Return the codes of the languages that langid identifies."""
    return frozenset(_whole_model()["labels"].tolist())


def latin_candidates(languages: Sequence[str]) -> tuple[str, ...]:
    """Return the languages among `languages` and the intruders that are written in Latin letters."""
    latin = written_in("Latin")
    return tuple(lang for lang in languages if lang in latin) + LATIN_INTRUDERS


def candidates(languages: Sequence[str]) -> tuple[str, ...]:
    """Return the possible languages of any text: `languages` and all intruders."""
    return (*languages, *LATIN_INTRUDERS, *OTHER_INTRUDERS)


def identify(
    texts: pl.Series | Sequence[str], languages: Sequence[str], backend: Backend = "kernels"
) -> tuple[list[str], F64]:
    """Return the most probable language of each text and its probability, among the `languages` that langid knows.

    Labels and probabilities equal langid's (`set_languages`, `classify` with `norm_probs`): a text without
    any feature gets the most frequent language in langid's training.

    Args:
        texts: any texts.
        languages: their codes.
        backend: what computes them: a kernel, or langid itself.

    Returns:
        A label for each text, and shape (texts,), in [0, 1].

    Raises:
        InputError: langid knows none of the languages.
    """
    known = _whole_model()["labels"].tolist()
    labels = tuple(label for label in known if label in languages)
    if not labels:
        raise InputError(f"langid knows none of the languages {', '.join(languages)}; it knows {', '.join(known)}")
    if backend == "packages":
        judged = [_langid(labels).classify(text) for text in texts]
        return [label for label, _ in judged], np.array([share for _, share in judged], float).round(DECIMALS)
    model = _restricted_model(labels)
    data, offsets = utf8(pl.Series(texts, dtype=pl.String))
    order = np.argsort(np.diff(offsets), kind="stable")
    scores = _log_scores(data, offsets, order, model.moves, model.by_state, model.languages)
    if len(model.labels) > 1:
        second, first = np.partition(scores, -2, axis=1)[:, -2:].T
        for row in np.flatnonzero(first - second <= NEAR * np.abs(first)):
            scores[row] = _summed_as_langid_does(data[offsets[row] : offsets[row + 1]], model)
    best = scores.argmax(axis=1)
    highest = scores.max(axis=1, initial=-np.inf)
    probability = 1 / np.exp(scores - highest[:, None]).sum(axis=1)
    return [model.labels[index] for index in best], probability.round(DECIMALS)


@cache
def _langid(labels: tuple[str, ...] = ()) -> Any:
    """Return langid's own identifier, among these languages or all."""
    from langid.langid import LanguageIdentifier, model

    if not labels:
        return LanguageIdentifier.from_modelstring(model, norm_probs=True)
    identifier = copy(_langid())
    identifier.set_languages(list(labels))
    return identifier


@cache
def _restricted_model(labels: tuple[str, ...]) -> Model:
    whole_model = _whole_model()
    columns = [index for index, label in enumerate(whole_model["labels"].tolist()) if label in labels]
    starts, features = whole_model["starts"], whole_model["features"]
    given_language = np.ascontiguousarray(whole_model["given_language"][:, columns])
    return Model(
        labels=tuple(whole_model["labels"][columns].tolist()),
        moves=whole_model["moves"],
        starts=starts,
        features=features,
        given_language=given_language,
        by_state=_by_state(starts, features, given_language),
        languages=whole_model["languages"][columns],
    )


@cache
def _whole_model() -> dict[str, np.ndarray]:
    """Return langid's model as arrays, named as in `Model`.

    Unpacking langid's file takes more than a second, so the arrays are stored with the compiled code.
    """
    kept = compiled_code() / f"langid-{version('langid')}.npz"
    with suppress(OSError, EOFError, ValueError, BadZipFile), np.load(kept) as arrays:
        return dict(arrays)
    model = _unpacked()
    with suppress(InputError, OSError), atomic_file(kept) as aside, aside.open("wb") as file:
        np.savez(file, **model)  # type: ignore[arg-type]
    return model


def _unpacked() -> dict[str, np.ndarray]:
    identifier = _langid()
    moves = np.array(identifier.tk_nextmove, np.uint16)
    outputs = [identifier.tk_output.get(state, ()) for state in range(len(moves) >> 8)]
    return {
        "labels": np.array(identifier.nb_classes),
        "moves": moves,
        "starts": np.cumsum([0, *map(len, outputs)]),
        "features": np.array([feature for output in outputs for feature in output], np.int64),
        "given_language": np.array(identifier.nb_ptc, np.float64),
        "languages": np.array(identifier.nb_pc, np.float64),
    }


def _by_state(starts: I64, features: I64, given_language: F64) -> F64:
    """Return the sum of the rows of each state's features."""
    sums = np.zeros((len(starts) - 1, given_language.shape[1]))
    np.add.at(sums, np.repeat(np.arange(len(starts) - 1), np.diff(starts)), given_language[features])
    return sums


def _summed_as_langid_does(text: U8, model: Model) -> F64:
    """Return log probabilities of a text; features are counted before their rows are added up."""
    counts = np.zeros(len(model.given_language), np.uint32)
    state = 0
    for byte in text.tolist():
        state = int(model.moves[(state << 8) + byte])
        counts[model.features[model.starts[state] : model.starts[state + 1]]] += 1
    had = np.flatnonzero(counts)
    sums: F64 = (counts[had, None] * model.given_language[had]).sum(axis=0)  # no BLAS: differs by processor
    return sums + model.languages


@compiled
def _log_scores(
    data: U8,
    offsets: I64,
    order: I64,
    moves: NDArray[np.uint16],
    by_state: F64,
    languages: F64,
) -> F64:
    """Return the log probability of every text (`data[offsets[i]:offsets[i + 1]]`) in every language, up to a constant.

    Each move through the automaton waits for memory, so LANES texts move in parallel, up to the length of the shortest;
    `order` groups texts of similar length.
    """
    texts, labels, shift = len(offsets) - 1, len(languages), np.uint64(8)
    scores = np.empty((texts, labels))
    state, start, length = np.empty(LANES, np.uint64), np.empty(LANES, np.uint64), np.empty(LANES, np.uint64)
    sums = np.empty((LANES, labels))
    for first in range(0, texts, LANES):
        lanes = min(LANES, texts - first)
        for lane in range(lanes):
            text = order[first + lane]
            state[lane], start[lane], length[lane] = 0, offsets[text], offsets[text + 1] - offsets[text]
            for label in range(labels):
                sums[lane, label] = languages[label]
        together = length[0] if lanes == LANES else np.uint64(0)
        for lane in range(lanes):
            together = min(together, length[lane])
        for at in range(together):
            for lane in range(LANES):
                moved = np.uint64(moves[(state[lane] << shift) | np.uint64(data[start[lane] + at])])
                state[lane] = moved
                for label in range(labels):
                    sums[lane, label] += by_state[moved, label]
        for lane in range(lanes):
            moved = state[lane]
            for at in range(together, length[lane]):
                moved = np.uint64(moves[(moved << shift) | np.uint64(data[start[lane] + at])])
                for label in range(labels):
                    sums[lane, label] += by_state[moved, label]
            for label in range(labels):
                scores[order[first + lane], label] = sums[lane, label]
    return scores
