"""Weigh a case by several verifiers, on a population that resembles it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from authbench.audit.case.material import Material
from authbench.audit.case.population import FIRST, HELD, SECOND, Case, Population, draw
from authbench.audit.case.ratios import Ratio, Validation, verbal, weigh
from authbench.core.json_values import JsonMapping
from authbench.core.version import VERSION
from authbench.scoring.verifiers import lambdag
from authbench.scoring.verifiers.parameters import LambdagParameters
from authbench.scoring.verifiers.requested import VerifierEntry

Weighed = Mapping[str, tuple[Validation, Ratio]]


@dataclass(frozen=True)
class Report:
    """A weighed case.

    Attributes:
        about: the population: its name, the pairs and authors of each part, genre and seed.
        weighed: by verifier, in the order asked for.
        tokens: pieces of the questioned text and what each adds to LambdaG's score; empty without LambdaG.
    """

    material: Material
    about: JsonMapping
    weighed: Weighed
    tokens: Sequence[tuple[str, float]]

    def as_dict(self) -> dict[str, object]:
        """Return every figure as plain values, without texts."""
        return {
            "authbench": VERSION,
            "material": self.material.as_dict(),
            "population": dict(self.about),
            "verifiers": {name: _plain(*found) for name, found in self.weighed.items()},
        }


def _plain(validation: Validation, ratio: Ratio) -> dict[str, object]:
    """Return the figures of a verifier; `verbal` is null if it is not calibrated."""
    words = verbal(ratio.value) if validation.calibrated else None
    return {
        "log10_lr": ratio.value,
        **{name: value for name, value in ratio._asdict().items() if name != "value"},
        "verbal": words,
        "calibrated": validation.calibrated,
        **validation._asdict(),
        "pairs": validation.pairs.to_dicts(),
    }


def examine(
    material: Material, population: Population, verifiers: Sequence[VerifierEntry], name: str, genre: str, seed: int
) -> Report:
    """Weigh a case.

    Raises:
        InputError: the population does not fit the case.
    """
    case = Case(material.questioned, material.known, material.language, genre)
    own = pl.Series([text.content for text in material.texts])
    drawn = draw(
        population.texts.filter(~pl.col("text").str.strip_chars().is_in(own.implode()).fill_null(False)), case, seed
    )
    asked = pl.DataFrame({"id": "case", "text1": case.known, "text2": case.questioned, "lang": case.language})
    weighed: dict[str, tuple[Validation, Ratio]] = {}
    tokens: list[tuple[str, float]] = []
    for verifier in verifiers:
        validation, [ratio], halves = weigh(verifier, drawn, asked, seed)
        weighed[verifier.name] = (validation, ratio)
        if not tokens and isinstance(verifier.parameters, LambdagParameters):
            tokens = _tokens([half.ready for half in halves], case)
    sizes = {
        part: {"pairs": pairs.height, "authors": pairs["author2"].n_unique()}
        for part in (FIRST, SECOND, HELD)
        for pairs in [drawn.filter(part=part)]
    }
    about = {"name": name, "unverified": population.unverified, "genre": genre, "seed": seed, "parts": sizes}
    return Report(material, about, weighed, tokens)


def _tokens(halves: Sequence[Any], case: Case) -> list[tuple[str, float]]:
    """Return the pieces of the questioned text with the mean of their scores by LambdaG of either quarter."""
    found = [lambdag.token_scores(fitted, case.known, case.questioned, case.language) for fitted in halves]
    pieces = [piece for piece, _ in found[0]]
    means = np.mean([[weight for _, weight in one] for one in found], axis=0)
    return list(zip(pieces, means.tolist(), strict=True))
