"""Is every text in its form, and as long as it says?"""

import re
import unicodedata

from authbench.check.claims import Finding
from authbench.check.reading import Release

TEXTS_AT_ONCE = 1_000
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff]")


def check_texts(release: Release) -> list[Finding]:
    """The form of each content, and its tokens counted anew. InputError where the vocabulary is missing."""
    from authbench.tokens import count, load_encoding

    encoding = load_encoding()
    findings = []
    for part in release.documents.select("id", "token_length", "content").iter_slices(TEXTS_AT_ONCE):
        contents = part["content"].to_list()
        counted = count(encoding, contents)
        for ident, length, tokens, content in zip(part["id"], part["token_length"], counted, contents, strict=True):
            if problem := _unfit(content):
                findings.append(Finding("content_form", ident, problem))
            if length != tokens:
                findings.append(Finding("token_length", ident, f"{ident} says {length}, has {tokens}"))
    return findings


def _unfit(content: str) -> str:
    if content != content.strip():
        return "white space at an end"
    if found := CONTROL.search(content):
        return f"U+{ord(found.group()):04X}"
    return "" if unicodedata.is_normalized("NFC", content) else "not NFC"
