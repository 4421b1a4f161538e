"""Is every text in its form, and as long as it says?"""

import re
import unicodedata
from collections.abc import Iterator

from authbench.check.claims import Finding
from authbench.check.reading import Release

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff]")


def check_texts(release: Release) -> Iterator[Finding]:
    """The form of each content, and its tokens counted anew. InputError where the vocabulary is missing."""
    from authbench.tokens import count, load_encoding

    contents = release.documents["content"].to_list()
    for ident, content in zip(release.documents["id"], contents, strict=True):
        if problem := _unfit(content):
            yield Finding("content_form", ident, problem)
    counted = count(load_encoding(), contents)
    said = release.documents.select("id", "token_length").iter_rows()
    for (ident, length), tokens in zip(said, counted, strict=True):
        if length != tokens:
            yield Finding("token_length", ident, f"{ident} says {length}, has {tokens}")


def _unfit(content: str) -> str:
    if content != content.strip():
        return "white space at an end"
    if found := CONTROL.search(content):
        return f"U+{ord(found.group()):04X}"
    return "" if unicodedata.is_normalized("NFC", content) else "not NFC"
