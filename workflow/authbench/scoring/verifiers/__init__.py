"""Score whether two texts are by the same author.

The `kind` of a config entry (`requested`) names a module of this package (`model`: `encoder`). A kind learns from pairs
(`fit`), is calibrated on pairs that may be held out (`calibrate`), and scores pairs (`predict`):

>>> from authbench.config.registry.load import load_entry
>>> from authbench.scoring.verifiers.requested import VERIFIERS
>>> scores = answer(load_entry(VERIFIERS, "naive"), train, train, test, Bench(1, Path("work")))  # doctest: +SKIP

Pairs are a table with `id`, `text1`, `text2`; to learn and to calibrate also `same` (whether both are by the same
author); `lang` where the language of both texts is known.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.errors import InputError
from authbench.models.model import VectorCache
from authbench.scoring.verifiers.requested import VerifierEntry

# Columns of pairs: id, text1, text2 always; `same` to learn from; the others if known.
PAIRS = pl.Schema(
    dict.fromkeys(("id", "text1", "text2"), pl.String)
    | {"same": pl.Boolean}
    | dict.fromkeys(("topic1", "topic2", "author1", "author2", "lang"), pl.String)
)


@dataclass(frozen=True)
class Bench:
    """Hold the resources of a verifier: a random seed, a folder for exchanged files, and a cache of vectors.

    Without a cache, vectors are cached in the folder.
    """

    seed: int
    folder: Path
    cache: VectorCache | None = None


@dataclass(frozen=True)
class Kind:
    """Hold the functions of a kind; the results of `fit` and `calibrate` are opaque to others.

    Attributes:
        fit: learns from pairs with `same`.
        predict: returns a score in [0, 1] per pair: above 0.5 the same author, below two authors, exactly 0.5 no
            answer; shape (pairs,).
        calibrate: sets thresholds on pairs with `same`: the train pairs or others.
    """

    fit: Callable[[pl.DataFrame, Any, Bench], object]
    predict: Callable[[Any, pl.DataFrame], F64]
    calibrate: Callable[[Any, pl.DataFrame], object] = lambda fitted, held_out: fitted


def kind(name: str) -> Kind:
    """Return a kind by its name; its optional dependencies are imported when they are used."""
    from authbench.scoring.verifiers import (
        encoder,
        ensemble,
        external,
        impostors,
        lambdag,
        naive,
        plugged,
        ppm,
        topicfit,
        unmasking,
    )
    from authbench.scoring.verifiers.thresholds import thresholded

    kinds: Mapping[str, Kind] = {
        "naive": thresholded(naive.fit, naive.similarities),
        "ppm": Kind(ppm.fit, ppm.predict),
        "unmasking": thresholded(unmasking.fit, unmasking.probabilities),
        "topicfit": thresholded(topicfit.fit, topicfit.similarities),
        "lambdag": Kind(lambdag.fit, lambdag.predict, lambdag.calibrate),
        "impostors": thresholded(impostors.fit, impostors.wins, impostors.sample),
        "model": thresholded(encoder.fit, encoder.similarities),
        "external": Kind(external.fit, external.predict, external.calibrate),
        "ensemble": Kind(ensemble.fit, ensemble.predict, ensemble.calibrate),
        "plugin": Kind(plugged.fit, plugged.predict, plugged.calibrate),
    }
    return kinds[name]


def answer(
    verifier: VerifierEntry, train: pl.DataFrame, held_out: pl.DataFrame, pairs: pl.DataFrame, bench: Bench
) -> pl.DataFrame:
    """Return the scores of a verifier, columns `id` and `value`, in the order of `pairs`; see `learnt`."""
    return learnt(verifier, train, held_out, bench)(pairs)


@dataclass(frozen=True)
class Learnt:
    """A verifier that has learnt; `ready` is what its kind has fitted and calibrated."""

    ready: object
    predict: Callable[[object, pl.DataFrame], F64]

    def __call__(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Return the scores of pairs, columns `id` and `value`, in their order."""
        return pl.DataFrame({"id": pairs["id"], "value": np.clip(self.predict(self.ready, pairs), 0.0, 1.0)})


def learnt(verifier: VerifierEntry, train: pl.DataFrame, held_out: pl.DataFrame, bench: Bench) -> Learnt:
    """Fit and calibrate a verifier.

    Args:
        train: PAIRS with `same`, to learn from.
        held_out: likewise, to calibrate on; PAN's baselines use the train pairs for both.

    Raises:
        InputError: pairs to learn from are of a single class.
    """
    for name, table in (("train", train), ("held-out", held_out)):
        _expect_both_classes(table, f"the {name} pairs")
    steps = kind(verifier.kind)
    return Learnt(steps.calibrate(steps.fit(train, verifier.parameters, bench), held_out), steps.predict)


def _expect_both_classes(pairs: pl.DataFrame, what: str) -> None:
    """Raise InputError if same-author or different-author pairs are missing."""
    same = int(pairs["same"].sum())
    if not same or same == pairs.height:
        missing = "by two authors" if same else "by one author"
        raise InputError(
            f"{what}: none of the {pairs.height} pairs is {missing}, so a verifier cannot learn the difference. "
            "Expected both; make the fold or the set of pairs larger."
        )
