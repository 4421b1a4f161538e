"""Apply languages of texts that a person has corrected."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.records import LANGUAGES
from authbench.core.storage.exact_json import loads, read_lines

_EXPECTED = (
    'expected {"content_sha256": "64 hexadecimal digits", "lang": "en"}, as authbench release languages writes them'
)


def read_retags(path: str | Path) -> dict[str, str]:
    """Return the corrected language of each text in a list, by the SHA-256 of its content.

    Raises:
        InputError: a line is malformed, names an unsupported language or contradicts another; the message gives its
            number.
    """
    found: dict[str, str] = {}
    for place, line in read_lines(path):
        try:
            row = loads(line)
            digest, lang = row["content_sha256"], row["lang"]
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            raise InputError(f"{place}: {_EXPECTED} ({type(error).__name__}: {error})") from None
        if not isinstance(digest, str) or len(digest) != 64 or lang not in LANGUAGES:
            raise InputError(f"{place}: {_EXPECTED}; languages are {', '.join(LANGUAGES)}")
        if found.setdefault(digest, lang) != lang:
            raise InputError(f"{place}: {digest} is {lang} here and {found[digest]} before; keep one line")
    return found


def retag(documents: pl.DataFrame, languages: Mapping[str, str]) -> pl.DataFrame:
    """Return the documents (`content`, `lang`) with the languages that a person gave them, by SHA-256 of content."""
    if not languages:
        return documents
    langs = documents["lang"].to_list()
    right = [languages.get(sha256_of_text(text), lang) for text, lang in zip(documents["content"], langs, strict=True)]
    return documents.with_columns(pl.Series("lang", right, dtype=documents.schema["lang"]))
