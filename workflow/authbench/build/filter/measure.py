"""Measure whether a text is usable.

`decide` applies thresholds to these measurements. A statistic has two forms where the paper's formula (AuthBench, A.3)
drops clean text in some language: the paper's form has the suffix `_paper`, or counts tokens instead of words.
Placeholders, addresses and emoji codes are not informative about the text around them and are removed first.
"""

import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from authbench.build.filter import language, scripts
from authbench.build.filter.text_kernels import SLOT, measure
from authbench.config.settings.values import Backend
from authbench.core.records import MEASUREMENTS, MIN_LANGUAGE_LETTERS, MIN_SCRIPT_LETTERS, MOSTLY
from authbench.core.text_bytes import utf8

# `[URL]` and other placeholders in brackets, emoji codes (`[doge]`, `[捂脸R]`, `:smile:`), addresses, and the word that
# replaces them in the Blog Authorship Corpus. Without flags and word boundaries, which cost 80 times more.
PLACEHOLDERS = r"\[[A-Za-z_\p{Han}]{1,20}\]|<[A-Za-z_]{1,20}>|:[a-z0-9_+-]{2,30}:|https?://[!-~]+|www\.[!-~]+|urlLink"
OTHER_LETTERS = r"[\p{L}\p{M}--\p{Latin}]+"
REPEATED_LETTERS = re.compile(r"([^\W\d_]{1,5}?)\1{2,}")
MIN_PLAIN_LETTERS = 30  # of distinct words, from which a language is identified
_ASKED = ("doc_key", "langid", "langid_probability")

MEASURES = pl.Schema({"doc_key": pl.String, **{name: dtype for name, (dtype, _) in MEASUREMENTS.items()}})
NUMBERS = pl.Schema([(name, dtype) for name, dtype in MEASURES.items() if name not in _ASKED])


def measure_texts(documents: pl.DataFrame, languages: Sequence[str], backend: Backend = "kernels") -> pl.DataFrame:
    """Return a row of MEASURES per document (columns `doc_key`, `lang`, `content`), in the same order.

    Shares of an empty set (no words, no letters of a definite script) are null. langid is applied, among `languages`
    and frequent intruders, where letters are of an unexpected script or too few, and for languages in Latin script from
    60 letters on; elsewhere `langid` is null.
    """
    texts = without_placeholders(documents["content"])
    measured = documents.select("doc_key", "lang").hstack(_numbers(texts, documents["lang"]))
    return _identify_where_asked(measured, texts, languages, backend).select(MEASURES.names()).cast(MEASURES)


def measure_numbers(documents: pl.DataFrame) -> pl.DataFrame:
    """Return NUMBERS of every document (columns `lang`, `content`): all measurements except the language."""
    return _numbers(without_placeholders(documents["content"]), documents["lang"])


def without_placeholders(texts: pl.Series) -> pl.Series:
    return texts.fill_null("").str.replace_all(PLACEHOLDERS, " ").str.strip_chars()


def _numbers(texts: pl.Series, langs: pl.Series) -> pl.DataFrame:
    text, offsets = utf8(texts)
    masks = scripts.expected_masks(langs.to_list())
    longest = int(np.diff(offsets).max(initial=0))
    table = np.zeros(1 << longest.bit_length(), SLOT)  # more than it has words
    numbers = np.empty((len(texts), len(NUMBERS)))
    measure(text, offsets, masks, scripts.properties(), *scripts.quote_marks(), table, numbers)
    return pl.DataFrame(numbers, list(NUMBERS), orient="row").fill_nan(None).cast(NUMBERS)


def _identify_where_asked(
    measured: pl.DataFrame, texts: pl.Series, languages: Sequence[str], backend: Backend
) -> pl.DataFrame:
    """Add `langid` and `langid_probability`.

    If a text is mostly in Latin letters, as expected, only these are used, among languages in Latin script: otherwise a
    few Korean or Thai hashtags outweigh an English sentence. Any other text is used whole, among all candidates.
    """
    latin = pl.col("lang").is_in(scripts.written_in("Latin"))
    mostly_latin = latin & (pl.col("letters") >= MIN_LANGUAGE_LETTERS) & (pl.col("script") >= MOSTLY)
    doubtful = (pl.col("script") < 1) | (pl.col("letters") < MIN_SCRIPT_LETTERS)
    asked = measured.with_columns(text=texts, row=pl.int_range(pl.len()))
    whole = asked.filter(doubtful & ~mostly_latin.fill_null(False) & (pl.col("visible") > 0)).select("row", "text")
    lettered = asked.filter(mostly_latin).select("row", pl.col("text").str.replace_all(OTHER_LETTERS, " "))
    among = language.latin_candidates(languages)
    judged = lettered.with_columns(_identified(lettered["text"], among, backend))
    found = [
        whole.select("row").with_columns(_identified(whole["text"], language.candidates(languages), backend)),
        _spared(judged.join(asked.select("row", "lang"), on="row"), among, backend),
    ]
    return asked.join(pl.concat(found), on="row", how="left", maintain_order="left").drop("row", "text")


def _spared(judged: pl.DataFrame, among: Sequence[str], backend: Backend) -> pl.DataFrame:
    """Return `row`, `langid`, `langid_probability` of texts that langid may have misjudged by their letters.

    Alternating case, laughter and repeated words mislead langid, which knows runs of bytes. A text judged foreign is
    judged again in its plain form, and counts as foreign only if both judgements say so; a plain form with few letters
    gets no judgement.
    """
    strange = judged.filter(pl.col("langid") != pl.col("lang"))
    plain = pl.Series("text", list(map(plain_form, strange["text"])), pl.String)
    labels, probabilities = _identified(plain, among, backend)
    few = plain.str.count_matches(r"\p{L}") < MIN_PLAIN_LETTERS
    again = strange.select("row", "lang").with_columns(
        few=few,
        label=pl.when(few).then(None).otherwise(labels),
        probability=pl.when(few).then(None).otherwise(probabilities),
    )
    again = again.filter(pl.col("few") | (pl.col("label") == pl.col("lang")))
    joined = judged.join(again, on="row", how="left", maintain_order="left")
    return joined.select(
        "row",
        langid=pl.when(pl.col("few").is_null()).then("langid").otherwise("label"),
        langid_probability=pl.when(pl.col("few").is_null()).then("langid_probability").otherwise("probability"),
    )


def plain_form(text: str) -> str:
    """Return the distinct words of a text in lower case, with repeated letters or syllables reduced to a single one.

    >>> plain_form("aLtErNaTiNg hahahaha ha ha sooooo SO blahblahblah")
    'alternating ha so blah'
    """
    words = REPEATED_LETTERS.sub(r"\1", text.lower()).split()
    return " ".join(dict.fromkeys(words))


def _identified(texts: pl.Series, languages: Sequence[str], backend: Backend) -> list[pl.Series]:
    labels, probabilities = language.identify(texts, languages, backend)
    return [pl.Series("langid", labels, pl.String), pl.Series("langid_probability", probabilities, pl.Float64)]
