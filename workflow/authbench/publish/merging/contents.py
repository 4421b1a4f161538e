"""Build a merged release's contents: documents, ids, and recomputed queries, relations and pools."""

from collections.abc import Mapping, Sequence, Set

import polars as pl

from authbench.build.release.contents import Contents, content_words_of, pair_up
from authbench.build.release.part import ignored_pairs
from authbench.build.release.queries import choose_queries
from authbench.build.release.takedown import takedown_counts
from authbench.build.split.leakage import Leaks
from authbench.config.settings.data import DataConfig
from authbench.core.letters import is_borrowed
from authbench.publish.merging.settle import Settled
from authbench.publish.merging.sides import Side
from authbench.release.format.columns import MERGED
from authbench.release.format.release import VERSION, Lock


def new_numbers(first: Lock, second: Lock) -> dict[str, str]:
    """Return the merged id of every id in the second release's lock.

    A document in both locks gets the first's id. An id not used by the first is kept; every other id is replaced by the
    next number above the highest of both, in the second's order.

    >>> new_numbers({"documents": {"a": "doc_000000"}}, {"documents": {"a": "doc_000001", "b": "doc_000000"}})
    {'doc_000000': 'doc_000002', 'doc_000001': 'doc_000000'}
    """
    ours, theirs = first["documents"], second["documents"]
    given = {*ours.values()}
    highest = max((int(ident[4:]) for ident in (*given, *theirs.values())), default=-1)
    numbers: dict[str, str] = {}
    for key, ident in sorted(theirs.items(), key=lambda item: int(item[1][4:])):
        if key in ours:
            numbers[ident] = ours[key]
        elif ident in given:
            highest += 1
            numbers[ident] = f"doc_{highest:06d}"
        else:
            numbers[ident] = ident
    return numbers


def renumbered(side: Side, numbers: Mapping[str, str]) -> Side:
    """Return a release with new ids."""

    def of(column: str) -> pl.Expr:
        return pl.col(column).replace(numbers)

    documents = side.documents.with_columns(of("id")).sort("id")
    lists = [pl.col(name).list.eval(pl.element().replace(numbers)) for name in ("positive_ids", "ignored_ids")]
    truth = side.truth.with_columns(of("query_id"), *lists)
    lock: Lock = {**side.lock, "documents": {key: numbers[ident] for key, ident in side.lock["documents"].items()}}
    return Side(side.release, documents, truth, lock)


def merge_contents(
    first: Side, second: Side, settled: Settled, leaks: Leaks, config: DataConfig, takedown: Set[str] = frozenset()
) -> Contents:
    """Return the contents of the merged release.

    Queries of both are kept within the limit per author: first the first release's queries, then the second's, then
    other texts. Pairs of texts that contain each other come from `leaks` and from the lists of pairs that both releases
    ignore.

    Memory: the texts, and 2 KB of content words per text in a split.
    """
    stays = ~pl.col("id").is_in(settled.gone["id"].implode())
    documents = pl.concat([first.documents, second.documents.select(first.documents.columns)]).filter(stays).sort("id")
    disputed = pl.col("id").is_in(settled.disputed.implode())
    borrowed = is_borrowed(documents, config["release"]["min_letters_for_query"])
    documents = documents.with_columns(scored=pl.col("scored") & ~disputed & ~borrowed, doc_key=pl.col("id"))
    contained = leaks.contained.select("a", "b")
    truth = pl.concat([first.truth, second.truth.select(first.truth.columns)])
    alike = pl.concat([contained, ignored_pairs(truth, documents["id"])]).unique()
    settings, seed, splits = config["release"], first.release.seed, first.release.splits
    query_side = {ident: place for place, side in ((1, second), (0, first)) for ident in side.truth["query_id"]}
    queries = choose_queries(documents, settings, seed, alike, None, settled.possibly_one, query_side)
    vectors_of = content_words_of(documents, splits, settings)
    positives, pairs, pools = pair_up(
        documents, queries, settings, splits, seed, vectors_of, alike, settled.possibly_one
    )
    down = settled.gone.filter(pl.col("reason") == "taken_down")["id"]
    takedowns = [side.release.manifest["takedown"] for side in (first, second)]
    takedowns.append(_taken_down(first, second, takedown, down))
    return Contents(
        documents=documents,
        queries=queries,
        positives=positives,
        pairs=pairs,
        pools=pools,
        splits=splits,
        queries_in_candidates=settings["queries_in_candidates"],
        lock=_lock(first, second, documents, set(down), takedown),
        removed=settled.gone,  # by id
        takedown={key: sum(one.get(key, 0) for one in takedowns) for key in takedowns[0]},
    )


def _taken_down(first: Side, second: Side, takedown: Set[str], down: pl.Series) -> dict[str, int]:
    """Return the counts of a takedown list; `down` are ids of the documents on the list."""
    sides, listed = (first, second), pl.lit(down).implode()
    taken = [side.documents.filter(pl.col("id").is_in(listed)).select("author_id", "content_sha256") for side in sides]
    left = pl.col("positive_ids").list.set_difference(listed).list.len()
    lost = (left == 0) | pl.col("query_id").is_in(listed)
    queries = sum(side.truth.filter(lost).height for side in sides) if len(down) else 0
    authors = [author for side in sides for author in side.lock["authors"]]
    return takedown_counts(takedown, pl.concat(taken), authors, queries)


def _lock(first: Side, second: Side, documents: pl.DataFrame, listed: Set[str], takedown: Set[str]) -> Lock:
    """Return the lock of current and taken-down documents; authors with neither, or on the list, have no entry."""
    here = set(documents["id"])
    ids: dict[str, str] = {}
    authors: dict[str, str] = {}
    for side in (second, first):  # the first's entries overwrite the second's
        before = set(side.documents["id"])
        down = first.taken_down | second.taken_down
        kept = {
            key: ident
            for key, ident in side.lock["documents"].items()
            if ident in here or ident not in before or key in down or ident in listed
        }
        ids |= kept
        left = takedown | set(side.documents["author_id"]) - set(documents["author_id"])
        authors |= {author: split for author, split in side.lock["authors"].items() if author not in left}
    authors |= dict(documents.select("author_id", "split").unique().sort("author_id", "split").iter_rows())
    return {
        "version": VERSION,
        "authors": {author: authors[author] for author in sorted(authors)},
        "documents": {key: ids[key].rstrip("'") for key in sorted(ids)},
    }


def merged_table(before: Sequence[pl.DataFrame], numbers: Mapping[str, str], settled: Settled) -> pl.DataFrame:
    """Return a row for every document of both releases (MERGED): its ids before and now, or why it was removed.

    Args:
        before: the documents of each release with their original ids.
        numbers: the id in `settled` of every id of the second.
    """
    rows = []
    for place, documents in enumerate(before, start=1):
        ids = documents["id"]
        now = ids if place == 1 else ids.replace_strict(numbers, return_dtype=pl.String)
        rows.append(pl.DataFrame({"id_before": ids, "id": now}).with_columns(release=pl.lit(place, pl.Int8)))
    table = pl.concat(rows).join(settled.gone, on="id", how="left", maintain_order="left")
    gone = pl.col("reason").is_not_null()
    return table.with_columns(id=pl.when(~gone).then("id")).select(
        "release", "id_before", "id", "reason", pl.col("by").str.strip_chars_end("'")
    ).cast(MERGED.schema).sort("release", "id_before")  # fmt: skip
