"""The form of each text, and its tokens counted again."""

import re
import unicodedata

import polars as pl
import tiktoken

from authbench.check.claims import Finding
from authbench.tokens import Tokenizer, encode

_RECOUNTED = 10  # of so many texts one is counted by tiktoken itself
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff]")


def check_texts(tokenizer: Tokenizer, encoding: tiktoken.Encoding, documents: pl.DataFrame) -> list[Finding]:
    """Return texts that are not in their form, and those with another number of tokens than they say."""
    findings = []
    contents = documents["content"].to_list()
    counted = tokenizer.count(documents["content"])
    for row in range(0, len(contents), _RECOUNTED):
        counted[row] = len(encode(encoding, contents[row]))
    for ident, length, tokens, content in zip(
        documents["id"], documents["token_length"], counted, contents, strict=True
    ):
        if problem := _unfit(content):
            findings.append(Finding("content_form", ident, problem))
        if length != tokens:
            findings.append(Finding("token_length", ident, f"{ident} says {length}, has {tokens}"))
    return findings


def _unfit(content: str) -> str:
    if content != content.strip():
        return "white space at an end"
    if found := _CONTROL.search(content):
        return f"U+{ord(found.group()):04X}"
    return "" if unicodedata.is_normalized("NFC", content) else "not NFC"
