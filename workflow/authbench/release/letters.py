"""Decide whether a text has enough letters for attribution."""

import polars as pl

_PLACEHOLDER = r"\[[A-Z]+\]"
_LETTER, _SIGN_OF_A_WORD = r"\p{L}", r"[\p{Han}\p{Hiragana}\p{Katakana}]"


def has_letters(content: str, least: int) -> pl.Expr:
    """Return whether each text of a column has `least` letters; a letter in Han or Kana counts as two.

    Letters of placeholders such as `[URL]` do not count.

    >>> frame = pl.DataFrame({"content": ["a text [HANDLE]", "一篇文"]})
    >>> [frame.select(has_letters("content", least))["content"].to_list() for least in (5, 6)]
    [[True, True], [False, True]]
    """
    own = pl.col(content).str.replace_all(_PLACEHOLDER, "")
    return own.str.count_matches(_LETTER) + own.str.count_matches(_SIGN_OF_A_WORD) >= least


def may_ask(documents: pl.DataFrame, least: int) -> pl.Expr:
    """Return whether each document has `least` letters: from its column `asks`, or from its content without it."""
    return pl.col("asks") if "asks" in documents.columns else has_letters("content", least)
