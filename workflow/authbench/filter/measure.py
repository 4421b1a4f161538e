"""What can be measured in a text that tells whether it is usable?

Measured once, decided elsewhere (`filters`). Both forms of a statistic stand side by side where the paper's formula
(AuthBench, A.3) costs clean text in some language: the paper's has the suffix `_paper`, or counts tokens where ours
counts words. Placeholders, addresses and emoji codes say nothing about the text around them and are left out first.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numba import njit
from numpy.typing import NDArray

from authbench.filter import language, scripts, words
from authbench.filter.scripts import ANY_SCRIPT, LETTER, MARK, NUMBER, SPACE, SYMBOL

KEPT_RUN = 3  # of one character repeated, so many count towards symbols and letters
LONG_RUN = 20
MIN_SCRIPT_LETTERS = 8
MIN_LANGUAGE_LETTERS = 60
MOSTLY = 0.5

# `[URL]` and other placeholders in brackets, emoji codes (`[doge]`, `[捂脸R]`, `:smile:`), addresses, and the word that
# stands for them in the Blog Authorship Corpus. Without flags and word boundaries, which cost 80 times more.
PLACEHOLDERS = r"\[[A-Za-z_\p{Han}]{1,20}\]|<[A-Za-z_]{1,20}>|:[a-z0-9_+-]{2,30}:|https?://[!-~]+|www\.[!-~]+|urlLink"
OTHER_LETTERS = r"[\p{L}\p{M}--\p{Latin}]+"

# A quotation ends at the mark that fits its beginning, or counts for nothing if its line ends first.
QUOTES = {"“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", '"': '"'}

CHARACTER_COLUMNS = {
    "visible": pl.Int32,  # characters that are not white space
    "collapsed": pl.Int32,  # the same after collapsing runs
    "all_letters": pl.Int32,
    "symbols": pl.Float64,
    "alphabetic": pl.Float64,
    "symbols_paper": pl.Float64,
    "symbols_spaced_paper": pl.Float64,
    "alphabetic_paper": pl.Float64,
    "longest_run": pl.Int32,
    "long_run_share": pl.Float64,
    "symbol_run": pl.Int32,
    "symbol_run_paper": pl.Int32,
    "letters": pl.Int32,  # of a definite script
    "script": pl.Float64,
    "quoted_share": pl.Float64,
}
WORD_COLUMNS = {
    "words": pl.Int32,
    "unique_words": pl.Float64,
    "dominant_word": pl.Float64,
    "alphabetic_words": pl.Float64,
    "single_letter_words": pl.Float64,
    "single_letter_run": pl.Int32,
}
TOKEN_COLUMNS = {
    "tokens_ws": pl.Int32,
    "unique_tokens_ws": pl.Float64,
    "alphabetic_tokens_ws": pl.Float64,
    "single_letter_tokens_ws": pl.Float64,
    "single_letter_token_run_ws": pl.Int32,
}
MEASURES = pl.Schema(
    {
        "doc_key": pl.String,
        **CHARACTER_COLUMNS,
        **WORD_COLUMNS,
        **TOKEN_COLUMNS,
        "langid": pl.String,
        "langid_probability": pl.Float64,
    }
)


def measure_texts(documents: pl.DataFrame, languages: Sequence[str]) -> pl.DataFrame:
    """One row of MEASURES per document (columns `doc_key`, `lang`, `content`), in the same order.

    Shares of nothing (no words, no letters of a definite script) are null. langid is asked, among `languages` and
    frequent intruders, where letters are of an unexpected script or too few to tell, and for languages in Latin
    script from 60 letters on; elsewhere `langid` is null.
    """
    texts = without_placeholders(documents["content"])
    langs = documents["lang"].to_list()
    codes, offsets = code_points(texts.to_list())
    kinds = scripts.kinds()
    by_character = _measure_characters(
        codes, offsets, kinds, scripts.script_masks(), scripts.expected_masks(langs), *_quote_marks()
    )
    by_word = words.measure_words(codes, offsets, kinds, scripts.word_breaks(), scripts.alphabetic_letters())
    by_token = words.measure_tokens(codes, offsets, kinds)
    measured = pl.concat(
        [
            documents.select("doc_key", "lang"),
            _columns(by_character, CHARACTER_COLUMNS),
            _columns(by_word, WORD_COLUMNS),
            _columns(by_token, TOKEN_COLUMNS),
        ],
        how="horizontal",
    )
    return _identify_where_asked(measured, texts, languages).select(MEASURES.names()).cast(MEASURES)


def without_placeholders(texts: pl.Series) -> pl.Series:
    return texts.fill_null("").str.replace_all(PLACEHOLDERS, " ").str.strip_chars()


def code_points(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """All code points in one array, and where each text begins (and the last one ends)."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32), offsets


def _identify_where_asked(measured: pl.DataFrame, texts: pl.Series, languages: Sequence[str]) -> pl.DataFrame:
    """Add `langid` and `langid_probability`.

    A text mostly in Latin letters, as expected, is judged by these alone and among languages written in them: a few
    Korean or Thai hashtags else outweigh an English sentence. Any other text is judged whole, among all candidates.
    """
    latin = pl.col("lang").is_in([lang for lang, expected in scripts.EXPECTED_SCRIPTS.items() if "Latin" in expected])
    mostly_latin = latin & (pl.col("letters") >= MIN_LANGUAGE_LETTERS) & (pl.col("script") >= MOSTLY)
    doubtful = (pl.col("script") < 1) | (pl.col("letters") < MIN_SCRIPT_LETTERS)
    asked = measured.with_columns(text=texts, row=pl.int_range(pl.len()))
    whole = asked.filter(doubtful & ~mostly_latin.fill_null(False) & (pl.col("visible") > 0)).select("row", "text")
    lettered = asked.filter(mostly_latin).select("row", pl.col("text").str.replace_all(OTHER_LETTERS, " "))
    found = [
        part.select("row").with_columns(_identified(part["text"], among))
        for part, among in (
            (whole, language.candidates(languages)),
            (lettered, language.latin_candidates(languages)),
        )
    ]
    return asked.join(pl.concat(found), on="row", how="left", maintain_order="left").drop("row", "text")


def _identified(texts: pl.Series, languages: Sequence[str]) -> list[pl.Series]:
    labels, probabilities = language.identify(texts.to_list(), languages)
    return [pl.Series("langid", labels, pl.String), pl.Series("langid_probability", probabilities, pl.Float64)]


def _columns(measured: NDArray[np.float64], schema: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    return pl.DataFrame(measured, schema=list(schema), orient="row").fill_nan(None)


def _quote_marks() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """For every code point the number of the quotation it opens (0: none), and a bit for each that it closes."""
    opens = np.zeros(scripts.CODE_POINTS, np.uint8)
    closes = np.zeros(scripts.CODE_POINTS, np.uint8)
    for number, (opening, closings) in enumerate(QUOTES.items(), start=1):
        opens[ord(opening)] = number
        for closing in closings:
            closes[ord(closing)] |= 1 << number
    return opens, closes


@njit(cache=True)
def _measure_characters(
    codes: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    script_masks: NDArray[np.uint16],
    expected: NDArray[np.uint16],
    opens: NDArray[np.uint8],
    closes: NDArray[np.uint8],
) -> NDArray[np.float64]:
    """CHARACTER_COLUMNS of every document; a share of nothing is nan."""
    measured = np.empty((len(offsets) - 1, 15))
    for document in range(len(offsets) - 1):
        start, end = offsets[document], offsets[document + 1]
        by_kind = np.zeros(5, np.int64)
        collapsed = np.zeros(5, np.int64)
        run, longest_run, in_long_runs = 0, 0, 0
        symbol_run, longest_symbols, mark_run, longest_marks = 0, 0, 0, 0
        scripted, fitting = 0, 0
        for at in range(start, end):
            code = codes[at]
            kind = kinds[code]
            by_kind[kind] += 1
            run = run + 1 if at > start and code == codes[at - 1] else 1
            if kind != SPACE:
                longest_run = max(longest_run, run)
                if run == LONG_RUN + 1:
                    in_long_runs += run
                elif run > LONG_RUN:
                    in_long_runs += 1
                if run <= KEPT_RUN:
                    collapsed[kind] += 1
            unlettered = kind != SPACE and kind != LETTER and kind != NUMBER
            mark_run = mark_run + 1 if unlettered else 0
            symbol_run = symbol_run + 1 if unlettered and kind != MARK else 0
            longest_marks = max(longest_marks, mark_run)
            longest_symbols = max(longest_symbols, symbol_run)
            if kind == LETTER and script_masks[code] != ANY_SCRIPT:
                scripted += 1
                fitting += expected[document] == 0 or (script_masks[code] & expected[document]) != 0
        letters, numbers, spaces = by_kind[LETTER], by_kind[NUMBER], by_kind[SPACE]
        visible = end - start - spaces
        shown = collapsed.sum()
        all_visible = float(visible) if visible else np.nan
        all_shown = float(shown) if shown else np.nan
        row = (
            float(visible),
            float(shown),
            float(letters),
            collapsed[SYMBOL] / all_shown,
            (collapsed[LETTER] + collapsed[MARK]) / all_shown,
            (visible - letters - numbers) / all_visible,
            (visible + spaces - letters - numbers) / (all_visible + spaces),
            letters / all_visible,
            float(longest_run),
            in_long_runs / all_visible,
            float(longest_symbols),
            float(longest_marks),
            float(scripted),
            fitting / scripted if scripted else np.nan,
            _quoted(codes[start:end], kinds, opens, closes) / all_visible,
        )
        for column, value in enumerate(row):
            measured[document, column] = value
    return measured


@njit(cache=True)
def _quoted(
    codes: NDArray[np.uint32], kinds: NDArray[np.uint8], opens: NDArray[np.uint8], closes: NDArray[np.uint8]
) -> int:
    """How many visible characters stand between quotation marks of one line, or on lines that begin with `>`."""
    quoted, pending, quotation = 0, 0, 0
    cited, fresh = False, True
    for code in codes:
        if code == ord("\n"):
            pending, quotation, cited, fresh = 0, 0, False, True
            continue
        if kinds[code] == SPACE:
            continue
        if fresh:
            cited, fresh = code == ord(">"), False
        if cited:
            quoted += 1
        elif quotation and (closes[code] >> quotation) & 1:
            quoted += pending
            pending, quotation = 0, 0
        elif quotation:
            pending += 1
        else:
            quotation = int(opens[code])
    return quoted
