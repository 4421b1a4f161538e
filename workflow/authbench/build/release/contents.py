"""Make the content of a release: numbered documents, queries and answers, after takedown."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial

import polars as pl

from authbench.build.release.numbering import LOCKED, make_lock, number_documents
from authbench.build.release.pools import COUNTS, as_categories, make_pools
from authbench.build.release.queries import choose_queries
from authbench.build.release.relations import RELATIONS, relate
from authbench.build.release.takedown import is_taken_down, removed_documents, takedown_counts
from authbench.config.settings.release import Release
from authbench.config.settings.split import Split
from authbench.core.arrays import Sparse
from authbench.core.content_words import EARLIER, WordStatistics, content_vectors, fit_words
from authbench.core.errors import InputError
from authbench.core.identity import digest, sha256_of_text
from authbench.core.letters import is_borrowed, may_ask
from authbench.release.format.columns import PAIRS
from authbench.release.format.files import FOLDERS
from authbench.release.format.names import reference_splits, scored_splits
from authbench.release.format.release import Lock

_TEXTS_AT_ONCE = 10_000
_RELATED_AT_ONCE = 30_000  # texts; the last author of a part may have more


@dataclass(frozen=True)
class Contents:
    """Hold the content of a release.

    `documents` are sorted by id (with id, origin, content_sha256), `queries` as `queries.QUERIES`. `positives` are the
    relations between texts of an author (`relations.RELATIONS`), `pairs` the pairs that evaluations score (split, and
    `PAIRS`), and `pools` counts the positives that the pools keep and leave out (split, and `pools.COUNTS`). `lock` is
    for later builds, `removed` lists the documents taken down (`records.REMOVED`), `takedown` their counts.
    """

    documents: pl.DataFrame
    queries: pl.DataFrame
    positives: pl.DataFrame
    pairs: pl.DataFrame
    pools: pl.DataFrame
    splits: tuple[str, ...]
    queries_in_candidates: bool
    lock: Lock
    removed: pl.DataFrame
    takedown: Mapping[str, int]


def make_contents(
    documents: pl.DataFrame,
    settings: Release,
    split: Split,
    seed: int,
    lock: Lock | None = None,
    takedown: Set[str] = frozenset(),
    containment: pl.DataFrame | None = None,
    possibly_one: pl.DataFrame | None = None,
) -> Contents:
    """Number the documents, choose the queries, apply the takedown, and pair the remaining documents.

    The order of the documents does not affect the result. A takedown replaces no text: numbers keep their gaps, all
    other documents, queries and positives stay, and an author left with fewer texts stays. A query is removed with its
    text or its last positive. In the disjoint form the text of a removed query, if it stays, becomes a candidate, and a
    positive where it is eligible.

    Args:
        documents: columns records.DOCUMENT, `split` and `toxicity`, and `scored` if some texts are not scored.
        settings: the section `release:` of the configuration.
        split: the section `split:`.
        seed: random seed of the choice of queries.
        lock: the `release.lock` of an earlier release.
        takedown: author ids and SHA-256 of contents to take down.
        containment: pairs of doc_keys (`a`, `b`) of long texts that share much of their wording.
        possibly_one: pairs of author ids (`a`, `b`) that are possibly the same person.

    Raises:
        InputError: a split's name cannot name a folder, a document has another split, or documents share a doc_key.
    """
    splits = tuple(split["splits"])
    _check_splits(documents, splits)
    origins = [digest("origin", origin) for origin in documents["origin_id"]]
    hashes = [sha256_of_text(content) for content in documents["content"]]
    documents = documents.with_columns(
        pl.Series("origin", origins, dtype=pl.String),
        pl.Series("content_sha256", hashes, dtype=pl.String),
        scored=(pl.col("scored").fill_null(True) if "scored" in documents.columns else pl.lit(True))
        & ~is_borrowed(documents, settings["min_letters_for_query"]),
    )
    del origins, hashes
    documents = number_documents(documents, seed, lock, settings.get("ids", "hashed"))
    queries = left = choose_queries(documents, settings, seed, containment, None, possibly_one)
    taken = documents.filter(is_taken_down(takedown))
    if taken.height:
        documents = documents.filter(~is_taken_down(takedown))
        left = choose_queries(documents, settings, seed, containment, set(queries["query_id"]), possibly_one)
    vectors_of = content_words_of(documents, splits, settings)
    positives, pairs, pools = pair_up(documents, left, settings, splits, seed, vectors_of, containment, possibly_one)
    return Contents(
        documents=documents,
        queries=left,
        positives=positives,
        pairs=pairs,
        pools=pools,
        splits=splits,
        queries_in_candidates=settings["queries_in_candidates"],
        lock=make_lock(pl.concat(part.select(LOCKED) for part in (documents, taken)), lock, takedown),
        removed=removed_documents(taken),
        takedown=takedown_counts(takedown, taken, lock["authors"] if lock else (), queries.height - left.height),
    )


def pair_up(
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    settings: Release,
    splits: Sequence[str],
    seed: int,
    vectors_of: Callable[[str, pl.DataFrame], Sparse],
    containment: pl.DataFrame | None,
    possibly_one: pl.DataFrame | None,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the relations of all splits, and the scored splits' pairs with their counts (as in `Contents`).

    `vectors_of` takes a split's name and its documents, and returns their content words, rows in the same order.
    """
    positives = [pl.DataFrame(schema=RELATIONS)]
    empty = (pl.DataFrame(schema={"split": pl.String, **schema}) for schema in (PAIRS.schema, COUNTS))
    pairs, counts = ([as_categories(next(empty))], [next(empty)])
    kept_apart = containment, possibly_one
    shared, letters = settings["queries_in_candidates"], settings["min_letters_for_query"]
    for split in splits:
        own_queries = queries.filter(pl.col("split") == split)
        if split not in scored_splits(splits):
            some = (
                relate(part, own_queries, shared, vectors_of(split, part)) for part in _by_authors(documents, split)
            )
            positives.append(pl.concat([positives[0], *some]).sort("query_id", "candidate_id"))
            continue
        texts = documents.filter(pl.col("split") == split)
        vectors = vectors_of(split, texts)
        texts = texts.with_columns(asks=may_ask(texts, letters)).drop("content", strict=False)
        positives.append(relate(texts, own_queries, shared, vectors))
        found = make_pools(texts, positives[-1], own_queries, vectors, letters, seed, shared, kept_apart)
        for rows, kind in zip(found, (pairs, counts), strict=True):
            kind.append(rows.select(pl.lit(split, kind[0]["split"].dtype).alias("split"), pl.all()))
    return pl.concat(positives), pl.concat(pairs), pl.concat(counts)


def _by_authors(documents: pl.DataFrame, split: str) -> Iterator[pl.DataFrame]:
    """Yield the texts of a split, all texts of some authors at a time; only texts of one author are related."""
    own = pl.col("split") == split
    sizes = documents.select("author_id", "split").filter(own).group_by("author_id").len().sort("author_id")
    for _, some in sizes.group_by(pl.col("len").cum_sum() // _RELATED_AT_ONCE, maintain_order=True):
        yield documents.filter(own & pl.col("author_id").is_in(some["author_id"].implode()))


def content_words_of(
    documents: pl.DataFrame, splits: Sequence[str], settings: Release
) -> Callable[[str, pl.DataFrame], Sparse]:
    """Return a function that gives the content words of a split's texts, fitted on the splits it may learn from."""
    fitted, topic = cache(partial(_fit_words, documents)), settings.get("topic", EARLIER)
    return lambda split, texts: content_vectors(texts, fitted(tuple(reference_splits(splits, split))), topic)


def _fit_words(documents: pl.DataFrame, splits: Sequence[str]) -> WordStatistics:
    return fit_words(documents.filter(pl.col("split").is_in(splits)).iter_slices(_TEXTS_AT_ONCE))


def _check_splits(documents: pl.DataFrame, splits: Sequence[str]) -> None:
    for name in splits:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name) or name in FOLDERS:
            raise InputError(f"split.splits: {name!r} cannot name a folder. Expected letters, digits, _ and -.")
    if unknown := sorted(set(documents["split"].fill_null("(none)")) - set(splits)):
        raise InputError(f"Documents have the splits {unknown}; split.splits names {list(splits)}.")
