"""Check the form of each text and personal data in it, and count its tokens again."""

from collections.abc import Collection

import polars as pl
import tiktoken

from authbench.checking.claims import Finding
from authbench.checking.normal_form import abnormal
from authbench.checking.personal_data import find_personal_data
from authbench.tokens import Tokenizer, encode

_RECOUNTED = 10  # in this many texts, one is counted by tiktoken itself


def check_texts(
    tokenizer: Tokenizer, encoding: tiktoken.Encoding, masked: Collection[str], documents: pl.DataFrame
) -> list[Finding]:
    """Return texts not in the normal form, with unmasked personal data, or with another number of tokens."""
    ids, contents = documents["id"], documents["content"]
    findings = [Finding("content_form", ids[place], problem) for place, problem in abnormal(contents)]
    found = find_personal_data(contents, masked)
    findings += [Finding("personal_data", ids[place], f"{data} in {ids[place]}") for place, data in found]
    counted = tokenizer.count(contents)
    for row in range(0, len(contents), _RECOUNTED):
        counted[row] = len(encode(encoding, contents[row]))
    for row in (documents["token_length"].to_numpy() != counted).nonzero()[0].tolist():
        said = documents["token_length"][row]
        findings.append(Finding("token_length", ids[row], f"{ids[row]} says {said}, has {counted[row]}"))
    return findings
