"""Count the letters of texts, which decide whether a text can be attributed."""

from collections.abc import Mapping

import polars as pl

Least = int | Mapping[str, int]  # letters, or by language with an entry `default`
_PLACEHOLDER = r"\[[A-Z]+\]"
_LETTER, _SIGN_OF_A_WORD = r"\p{L}", r"[\p{Han}\p{Hiragana}\p{Katakana}]"
# A tag, a title, or what is left of a line.
_PIECE = r"#[^#\s](?:[^#\n]{0,38}[^#\s])?#|#[^#\s]+|《[^《》\n]+》|【[^【】\n]+】|[^#《【\n]+"
_TEXTS_AT_ONCE = 10_000


def letters(content: str) -> pl.Expr:
    """Return the number of letters of each text of a column; a letter in Han or Kana counts as two.

    Letters of placeholders such as `[URL]` do not count.

    >>> frame = pl.DataFrame({"content": ["a text [HANDLE]", "一篇文"]})
    >>> frame.select(letters("content"))["content"].to_list()
    [5, 6]
    """
    own = pl.col(content).str.replace_all(_PLACEHOLDER, "")
    return own.str.count_matches(_LETTER) + own.str.count_matches(_SIGN_OF_A_WORD)


def least_letters(least: Least) -> pl.Expr:
    """Return the letters that a text needs, by its language where `least` is a table."""
    if isinstance(least, int):
        return pl.lit(least)
    others = {lang: number for lang, number in least.items() if lang != "default"}
    return pl.col("lang").replace_strict(others, default=least["default"], return_dtype=pl.Int64)


def has_letters(content: str, least: Least) -> pl.Expr:
    """Return whether each text of a column has the least letters of its language."""
    return letters(content) >= least_letters(least)


def may_ask(documents: pl.DataFrame, least: Least) -> pl.Expr:
    """Return whether each document has `least` letters: from its column `asks`, or from its content without it."""
    return pl.col("asks") if "asks" in documents.columns else has_letters("content", least)


def is_borrowed(documents: pl.DataFrame, least: Least) -> pl.Series:
    """Return whether each document is too little of its author's to be scored (`mostly_shared`).

    Where 1 letter is enough for a query, no text is mostly shared.
    """
    return (
        documents.select(asked=least_letters(least) > 1, shared=mostly_shared(documents))
        .select(pl.all_horizontal("asked", "shared"))
        .to_series()
    )


def mostly_shared(documents: pl.DataFrame) -> pl.Series:
    """Return whether most letters of each text are in lines, tags and titles that a text of another author has, too.

    They are compared without case and white space at their ends.

    Memory: 20 bytes for each line.

    >>> texts = [("a", "#My Day# fine"), ("a", "#My Day# a sunny one"), ("b", "#my day#"), ("b", "My cat")]
    >>> mostly_shared(pl.DataFrame(texts, ["author_id", "content"], orient="row")).to_list()
    [True, False, True, False]
    """
    numbered = documents.select("content", author=pl.col("author_id").rank("dense")).with_row_index("text")
    empty = pl.DataFrame(schema={"text": pl.UInt32, "author": pl.UInt32, "piece": pl.UInt64, "letters": pl.UInt32})
    parts = [empty, *map(_pieces, numbered.iter_slices(_TEXTS_AT_ONCE))]
    author = pl.col("author")
    is_shared = author.min().over("piece") != author.max().over("piece")
    counted = pl.concat(parts).with_columns(own=pl.when(is_shared).then(0).otherwise("letters"))
    shared = counted.group_by("text").agg((pl.col("own").sum() * 2 < pl.col("letters").sum()).alias("shared"))
    joined = numbered.select("text").join(shared, on="text", how="left", maintain_order="left")
    return joined["shared"].fill_null(False)


def _pieces(texts: pl.DataFrame) -> pl.DataFrame:
    """Return for each piece of texts the text, its author, a hash of the piece and its letters."""
    pieces = texts.with_columns(pl.col("content").str.extract_all(_PIECE)).explode("content").drop_nulls()
    folded = pl.col("content").str.strip_chars().str.to_lowercase()
    return pieces.select("text", "author", piece=folded.hash(), letters=letters("content"))
