"""Remove signatures: repeated last words of an author's texts, which identify the author but are not style.

A signature is an ending of at most 60 characters that begins with a word or a sign, not necessarily on a separate line.
Endings are counted as hashes, shard by shard. The counts over all of the author's texts, and over other authors' texts,
decide which are signatures. Repeated openings are kept: most are conventional beginnings.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise

import polars as pl
import regex

from authbench.build.normalize.ending_kernels import find_endings
from authbench.core.identity import keyed_hashes

LEAST_TEXTS = 3
LEAST_WORKS = 3
LEAST_SHARE = 0.3  # minimum share of the author's texts
MOST_ELSEWHERE = 0.01  # maximum share of other authors' texts in the language
PART = 2_000_000  # endings in memory at a time
SORTED = 1_000_000  # endings sorted at a time, and
GROUP = 8_192  # endings of adjacent authors read at a time

LETTER = regex.compile(r"\p{L}")
AUTHORS = 1 << 64  # author numbers are hashes: equal parts of this range have about equally many authors
WHOLE = 0  # the ending that represents the full text

# An ending of a text, all as hashes; every text also has a row with the ending WHOLE. A row takes 32 bytes plus its
# language.
ENDINGS = pl.Schema({"author": pl.UInt64, "ending": pl.UInt64, "text": pl.UInt64, "work": pl.UInt64, "lang": pl.String})
SIGNATURES = pl.Schema({"author": pl.UInt64, "ending": pl.UInt64})


def count_endings(records: pl.DataFrame) -> pl.DataFrame:
    """Return ENDINGS of the texts of records (`author_id, author_kind, origin_id, lang, content`).

    Texts without a personal author (author kind `work`: lists, templates, scriptures) have no signatures.
    """
    records = records.filter(pl.col("author_kind") != "work")
    own = records.select(
        author=_author("author_id"),
        text=keyed_hashes(0, "text", records["content"]),
        work=keyed_hashes(0, "work", records["origin_id"]),
        lang="lang",
    )
    rows, _, hashes = find_endings(records["content"])
    found = own[rows].with_columns(ending=pl.Series(hashes))
    return pl.concat(
        [own.with_columns(ending=pl.lit(WHOLE, pl.UInt64)).select(ENDINGS.names()), found.select(ENDINGS.names())]
    )


def by_author(endings: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield ENDINGS sorted by author within batches of SORTED, in frames of GROUP rows.

    A range of authors thus occurs in few frames. Memory: about 100 bytes per ending in SORTED and in an input frame.
    """
    held: list[pl.DataFrame] = []
    for one in endings:
        held.append(one)
        if sum(part.height for part in held) >= SORTED:
            yield from _sorted_groups(held)
            held = []
    yield from _sorted_groups(held)


def _sorted_groups(endings: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    yield from pl.concat([ENDINGS.to_frame(), *endings]).sort(ENDINGS.names()).iter_slices(GROUP)


def find_signatures(counts: Callable[[int, int], Iterable[pl.DataFrame]], rows: int) -> pl.DataFrame:
    """Return the SIGNATURES among all ENDINGS.

    An ending is a signature if it occurs in at least three texts of an author on three works, in at least 30 % of the
    author's texts, and in less than 1 % of other authors' texts in the language. Equal texts count once. Memory: about
    150 bytes per ending in PART, and 60 per author.

    Args:
        counts: returns the ENDINGS of authors with numbers from its first to its second argument, inclusive.
        rows: the number of all ENDINGS.
    """
    parts = rows // PART + 1
    ends = [part * AUTHORS // parts for part in range(parts + 1)]
    ranges = [(low, end - 1) for low, end in pairwise(ends)]
    frequent, sizes = [], []
    for of_authors in ranges:
        own = pl.concat([ENDINGS.to_frame(), *counts(*of_authors)])
        texts = own.group_by("author", "lang", "ending").agg(
            texts=pl.col("text").n_unique(), works=pl.col("work").n_unique()
        )
        sizes.append(texts.filter(ending=WHOLE).select("author", "lang", size="texts"))
        often = texts.filter(
            pl.col("ending") != WHOLE, pl.col("texts") >= LEAST_TEXTS, pl.col("works") >= LEAST_WORKS
        ).join(sizes[-1], on=["author", "lang"])
        frequent.append(often.filter(pl.col("texts") >= LEAST_SHARE * pl.col("size")))
    asked = pl.concat(frequent)
    wanted = asked["ending"].unique().implode()
    counted = pl.concat(_count_texts(counts(*of_authors), wanted) for of_authors in ranges)
    everywhere = counted.group_by("lang", "ending").agg(everywhere=pl.col("texts").sum())
    all_texts = pl.concat(sizes).group_by("lang").agg(everything=pl.col("size").sum())
    elsewhere = (pl.col("everywhere") - pl.col("texts")) / (pl.col("everything") - pl.col("size"))
    found = asked.join(everywhere, on=["lang", "ending"]).join(all_texts, on="lang")
    others = pl.col("everything") > pl.col("size")
    return (
        found.filter(~others | (elsewhere < MOST_ELSEWHERE))
        .select("author", "ending")
        .unique()
        .sort(SIGNATURES.names())
    )


def _count_texts(counts: Iterable[pl.DataFrame], wanted: pl.Series) -> pl.DataFrame:
    """Return the number of texts with each wanted ending, by language, an author's equal texts once."""
    found = pl.concat([ENDINGS.to_frame(), *counts]).filter(pl.col("ending").is_in(wanted))
    return found.unique(["author", "lang", "ending", "text"]).group_by("lang", "ending").agg(texts=pl.len())


def cut_signatures(
    records: pl.DataFrame, signatures: pl.DataFrame, edited: Collection[str]
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the records without their authors' signatures, and the number of changed texts by source.

    Texts of `edited` sources are unchanged. The longest of several signatures is removed.
    """
    asked = records.with_row_index("row").select("row", "source", "content", author=_author("author_id"))
    asked = asked.filter(pl.col("author").is_in(signatures["author"].implode()), ~pl.col("source").is_in(list(edited)))
    rows, starts, hashes = find_endings(asked["content"])
    found = asked[rows].with_columns(ending=pl.Series(hashes), start=pl.Series(starts))
    found = found.join(signatures, on=["author", "ending"], how="semi", maintain_order="left")
    contents, cut = records["content"].to_list(), dict[str, int]()
    for row, source, text, start in (
        found.unique("row", keep="first", maintain_order=True).select("row", "source", "content", "start").iter_rows()
    ):
        left = text.encode()[:start].decode()
        if LETTER.search(left):
            contents[row] = left.rstrip()
            cut[source] = cut.get(source, 0) + 1
    return records.with_columns(pl.Series("content", contents, pl.String)), cut


def without_ending(text: str) -> Iterator[str]:
    """Yield the text without each of its possible signatures, longest first.

    >>> list(without_ending("So it is. ~Ann"))
    ['So', 'So it', 'So it is.', 'So it is. ~']
    """
    content = text.encode()
    for start in find_endings(pl.Series([text], dtype=pl.String))[1]:
        yield content[:start].decode().rstrip()


def _author(name: str) -> pl.Expr:
    return pl.col(name).str.slice(0, 16).str.to_integer(base=16, dtype=pl.UInt64)
