"""Draw the pairs that people judge from the pool `matched` of a split.

Half of them are a query and its positive, half a query and a negative of it, which has the positive's language,
source, primary genre and approximate length. No author is in two pairs, so verdicts are independent. The draw only
depends on keyed hashes of ids. A pair's id also depends on its texts, so a verdict cannot be applied to other texts.

Memory: the pairs of the pool, and the drawn texts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import polars as pl

from authbench.core.errors import InputError
from authbench.core.identity import digest, keyed_hash
from authbench.release.format.release import Release

POOL = "matched"
_Group: TypeAlias = tuple[str, str, list[str]]  # a query, its positive and its negatives
_Pair: TypeAlias = tuple[str, str, str, bool]  # query, candidate, author of the query, same author
DRAWN = pl.Schema(
    {
        "pair": pl.String, "lang": pl.String, "query_id": pl.String, "candidate_id": pl.String,
        "author_id": pl.String, "same": pl.Boolean, "query": pl.String, "candidate": pl.String,
    }
)  # fmt: skip


def drawn_pairs(release: Release, split: str, per_language: int, seed: int) -> pl.DataFrame:
    """Return the pairs of a release for people (DRAWN), by language, then by pair.

    Raises:
        InputError: the split has no such pool, or no language has both kinds of pairs.
    """
    if split not in release.splits:
        raise InputError(f"{release.folder}: has no split {split}, only {', '.join(release.splits)}.")
    pairs = release.pairs(split).filter(pl.col("pool") == POOL)
    if pairs.is_empty():
        raise InputError(
            f"{release.folder / split}: has no pairs of the pool `{POOL}`, which people judge. It takes authors with "
            "texts of two works, and negatives of the same language, source and genre (docs/release-format.md)."
        )
    authors = dict(pl.concat(batch.select("id", "author_id") for batch in release.texts(split)).iter_rows())
    languages = dict(pl.concat(batch.select("id", "lang") for batch in release.texts(split)).iter_rows())
    chosen = choose_pairs(pairs, authors, languages, per_language, seed)
    if chosen.is_empty():
        raise InputError(f"{release.folder / split}: too few authors for one pair of each kind in any language.")
    wanted = pl.concat([chosen["query_id"], chosen["candidate_id"]]).unique().implode()
    texts: dict[str, str] = {}
    for batch in release.texts(split):
        texts |= dict(batch.filter(pl.col("id").is_in(wanted)).select("id", "content").iter_rows())
    return named_pairs(chosen, texts, seed)


def choose_pairs(
    pairs: pl.DataFrame, authors: Mapping[str, str], languages: Mapping[str, str], per_language: int, seed: int
) -> pl.DataFrame:
    """Return at most `per_language` pairs per language, half of them same-author pairs.

    Args:
        pairs: `group`, `query_id`, `candidate_id`, `same`; a group has a single query.
        authors: author by text id.
        languages: language by text id.
        per_language: an even number.

    Returns:
        `lang`, `query_id`, `candidate_id`, `author_id` (the query's), `same`.
    """
    groups: dict[str, dict[str, list[_Group]]] = {}
    rows = pairs.sort("group", "candidate_id").group_by("group", maintain_order=True)
    same = pl.col("candidate_id").filter("same").first()
    listed = rows.agg(pl.col("query_id").first(), same, negatives=pl.col("candidate_id").filter(~pl.col("same")))
    for group in listed.drop("group").iter_rows():
        groups.setdefault(languages[group[0]], {}).setdefault(authors[group[0]], []).append(group)
    found = [
        (lang, *pair) for lang in sorted(groups) for pair in _chosen(groups[lang], authors, per_language // 2, seed)
    ]
    names = ("lang", "query_id", "candidate_id", "author_id", "same")
    return pl.DataFrame(found, schema={name: DRAWN[name] for name in names}, orient="row")


def named_pairs(chosen: pl.DataFrame, texts: Mapping[str, str], seed: int) -> pl.DataFrame:
    """Return chosen pairs with their texts and a name that reveals neither the ids nor the answer (DRAWN)."""
    rows = [
        (digest("pair for people", str(seed), query, candidate, texts[query], texts[candidate]), lang, query, candidate)
        + (author, same, texts[query], texts[candidate])
        for lang, query, candidate, author, same in chosen.iter_rows()
    ]
    return pl.DataFrame(rows, schema=DRAWN, orient="row").sort("lang", "pair")


def _chosen(
    groups: Mapping[str, Sequence[_Group]], authors: Mapping[str, str], of_each: int, seed: int
) -> Iterator[_Pair]:
    """Yield equally many same-author and different-author pairs of a language, from its groups by author."""

    def rank(*parts: str) -> int:
        return keyed_hash(seed, "pairs for people", *parts)

    found: dict[bool, list[_Pair]] = {True: [], False: []}
    taken: set[str] = set()
    for author in sorted(groups, key=lambda one: (rank("author", one), one)):
        if author in taken:
            continue
        ahead = len(found[True]) - len(found[False])
        first = ahead < 0 or (ahead == 0 and rank("kind", author) % 2 == 0)
        for same in (first, not first):
            offered = [
                (query, candidate)
                for query, positive, negatives in groups[author]
                for candidate in ([positive] if same else negatives)
                if same or authors[candidate] not in taken
            ]
            if offered and len(found[same]) < of_each:
                query, candidate = min(offered, key=lambda one: (rank("pair", *one), one))
                found[same].append((query, candidate, author, same))
                taken |= {author, authors[candidate]}
                break
    least = min(map(len, found.values()))
    for kind in found.values():
        yield from kind[:least]
