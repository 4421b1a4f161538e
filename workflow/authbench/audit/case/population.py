"""Draw pairs of texts that resemble a case from other authors' texts, by hashes of authors' and texts' ids."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

from authbench.audit.auditing.findings import identified
from authbench.audit.auditing.read import read_dataset
from authbench.audit.auditing.read_authbench import splits_below
from authbench.audit.case.material import joined
from authbench.core.errors import InputError
from authbench.core.identity import digest, keyed_hash
from authbench.core.records import primary_genre
from authbench.release.format.hub import SCHEME
from authbench.release.format.verify import open_verified
from authbench.scoring.verifiers import PAIRS

NEAR = 0.75  # of the case's length: shorter texts are not drawn, longer texts are cut to it
LEAST_AUTHORS = 40
LEAST, MOST = 126, 500  # pairs by one author in each half, and as many by two
PER_AUTHOR = 10  # most questioned texts of an author
FIRST, HELD, SECOND = "first", "held out", "second"  # two disjoint quarters of the authors, and the other half
TEXTS = pl.Schema({"id": pl.String, "author": pl.String, "lang": pl.String, "genre": pl.String, "text": pl.String})


class Case(NamedTuple):
    """What the population must resemble: the two texts, their language and, if given, the genre."""

    questioned: str
    known: str
    language: str
    genre: str = ""


class Population(NamedTuple):
    """The texts of a population (TEXTS), and why it is not verified, if so."""

    texts: pl.DataFrame
    unverified: str = ""


def read_population(place: Path, language: str, unverified: bool = False) -> Population:
    """Read a release, or any other form that `authbench audit` reads, such as a folder of texts by author.

    Of a release, texts in other languages are null. Memory: the other texts; of any other form, all texts.
    """
    if str(place).startswith(SCHEME) or (place.is_dir() and splits_below(place)):
        release = open_verified(place, unverified=unverified)
        text = pl.when(pl.col("lang") == language).then("content").alias("text")
        batches = [
            batch.select("id", pl.col("author_id").alias("author"), "lang", "genre", text)
            for split in release.splits
            for batch in release.texts(split)
        ]
        return Population(pl.concat(batches), release.unverified)
    dataset = read_dataset([place])
    documents = identified(dataset.documents).rename({"content": "text"})
    return Population(documents.select(TEXTS.names()), f"no release. {' '.join(dataset.notes)}")


def draw(texts: pl.DataFrame, case: Case, seed: int) -> pl.DataFrame:
    """Return PAIRS with `part`: FIRST and SECOND together as many as HELD, as many pairs by two authors as by one.

    `text1` is like the known texts of the case, `text2` like the questioned text. The same questioned texts are in
    pairs of both kinds. No author is in two parts, and the result does not depend on the order of the texts.

    Args:
        texts: TEXTS.

    Raises:
        InputError: the population does not fit the case.
    """
    fitting = _like(texts, case)
    rows = sorted(_same_author(fitting, case, seed))
    authors = sorted({row.author for row in rows}, key=lambda author: (keyed_hash(seed, "case author", author), author))
    part_of = {author: (FIRST, HELD, SECOND, HELD)[place % 4] for place, author in enumerate(authors)}
    own = {part: [row for row in rows if part_of[row.author] == part] for part in (FIRST, SECOND, HELD)}
    fewest = min(len(own[FIRST]), len(own[SECOND]), len(own[HELD]) // 2)
    if len(authors) < LEAST_AUTHORS or 2 * fewest < LEAST:
        raise InputError(_too_few(fitting, case, len(authors), len(rows)))
    half = min(fewest, MOST // 2)
    wanted = {FIRST: half, SECOND: half, HELD: 2 * half}
    parts = [_paired(own[part][:number], case, seed).with_columns(part=pl.lit(part)) for part, number in wanted.items()]
    return pl.concat(parts)


class _Row(NamedTuple):
    """A questioned text of an author, and the author's other texts; sorted by an author's turn, then by hash."""

    turn: int
    order: int
    author: str
    ident: str
    questioned: str
    known: str


def _like(texts: pl.DataFrame, case: Case) -> pl.DataFrame:
    """Return the texts of authors in the case's language and genre, equal texts once."""
    for name, wanted, found in (
        ("language", case.language, texts["lang"]),
        ("genre", case.genre, texts.filter(lang=case.language)["genre"].map_elements(primary_genre, pl.String)),
    ):
        if wanted and wanted not in found:
            there = ", ".join(
                f"{one} {count:,}" for one, count in found.drop_nulls().value_counts(sort=True).iter_rows()
            )
            raise InputError(f"The population has no text of the {name} {wanted} (it has: {there or 'none stated'}).")
    own = texts.filter(pl.col("lang") == case.language).drop_nulls(["author", "text"])
    if case.genre:
        own = own.filter(pl.col("genre").map_elements(primary_genre, pl.String) == case.genre)
    return own.sort("id", "author").unique("text", keep="first", maintain_order=True)


def _same_author(texts: pl.DataFrame, case: Case, seed: int) -> Iterator[_Row]:
    """Yield up to PER_AUTHOR questioned texts of each author who has enough other text."""
    asked, wanted = NEAR * len(case.questioned), NEAR * len(case.known)
    for (author,), own in texts.select("author", "id", "text").sort("id").group_by("author"):
        ranked = sorted(own.select("id", "text").iter_rows(), key=lambda row: (keyed_hash(seed, "case", row[0]), row))
        turn = 0
        for ident, text in ranked:
            if len(text) < asked or turn == PER_AUTHOR:
                continue
            others = joined([other for name, other in ranked if name != ident])[: len(case.known)]
            if len(others) >= wanted:
                order = keyed_hash(seed, "case row", ident)
                yield _Row(turn, order, str(author), ident, text[: len(case.questioned)], others)
                turn += 1


def _paired(rows: list[_Row], case: Case, seed: int) -> pl.DataFrame:
    """Return PAIRS: of each row by one author, and its questioned text with the next other author's known texts."""
    pairs = []
    for place, row in enumerate(rows):
        after = (rows[(place + step) % len(rows)] for step in range(1, len(rows)))
        other = next(one for one in after if one.author != row.author)
        for known in (row, other):
            ident = digest("case pair", str(seed), known.ident, row.ident)
            same = known.author == row.author
            pairs.append(
                (ident, known.known, row.questioned, same, None, None, known.author, row.author, case.language)
            )
    return pl.DataFrame(pairs, PAIRS, orient="row")


def _too_few(texts: pl.DataFrame, case: Case, authors: int, pairs: int) -> str:
    lengths = texts.group_by("author").agg(size=pl.col("text").str.len_chars().sort(descending=True))["size"].to_list()
    best = [sorted(sizes, reverse=True)[:LEAST_AUTHORS] for sizes in (
        [own[0] for own in lengths], [sum(own[1:]) for own in lengths]
    )]  # fmt: skip
    reach = f"; {LEAST_AUTHORS} have {best[0][-1]:,} and {best[1][-1]:,}" if len(lengths) >= LEAST_AUTHORS else ""
    return (
        f"The population does not fit the case: {authors:,} of its {len(lengths):,} authors in {case.language}"
        f"{f', {case.genre},' if case.genre else ''} have a text of {NEAR:.0%} of the questioned text's "
        f"{len(case.questioned):,} characters, and {NEAR:.0%} of the known texts' {len(case.known):,} in other "
        f"texts{reach}. They give {pairs:,} pairs by one author. Expected {LEAST_AUTHORS} authors and {2 * LEAST} such "
        "pairs, in equal halves of the authors. Cut the texts of the case, or give another population."
    )
