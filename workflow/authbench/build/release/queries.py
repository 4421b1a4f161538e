"""Choose the queries and ground truth of a release: queries, positives, and texts that are neither.

A query's positives are other texts of its author in its split. Texts that would make the answer too easy are ignored:
neither positive nor negative (processing plan, section 15).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache, partial
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

import polars as pl

from authbench.config.settings.release import Release
from authbench.core.errors import InputError
from authbench.core.identity import keyed_hashes
from authbench.core.letters import Least, may_ask
from authbench.core.records import table_of
from authbench.release.format.columns import GROUND_TRUTH

QUERIES = pl.Schema([("split", pl.String()), *GROUND_TRUTH.schema.items()])
_NOBODY: frozenset[str] = frozenset()


class _Text(NamedTuple):
    """Hold the fields of a document that the choice of queries needs."""

    doc_key: str
    id: str
    origin: str
    answers: bool
    asks: bool


def choose_queries(
    documents: pl.DataFrame,
    settings: Release,
    seed: int,
    containment: pl.DataFrame | None = None,
    among: Set[str] | None = None,
    possibly_one: pl.DataFrame | None = None,
    first: Mapping[str, int] | None = None,
) -> pl.DataFrame:
    """Return the queries of every author and split with their answers (QUERIES), sorted by id.

    An author with at least `min_documents_for_query` texts in a split gives `queries_per_author` of them, in the order
    of a keyed hash of their doc_key. Texts without a positive or with fewer than `min_letters_for_query` letters
    (letters.has_letters) are skipped. Texts of kind `work`, and texts that are not `scored`, are not counted and become
    neither queries nor positives. With `queries_in_candidates: false` queries leave the candidates, and a text that
    would leave itself or an earlier query without a positive does not become a query.

    Ignored are the author's other candidates that are not positives (the same work under `positives: other_work`, or a
    text that contains the query or is contained in it), such contained texts by any author, and every text of an author
    who is possibly the same person.

    Memory: some columns of `documents`, the ids of queries as Python strings, and the lists of the result twice.

    Args:
        documents: id, doc_key, split, author_id, author_kind, origin and content, or `asks` (letters.may_ask) instead
            of content; scored, if some texts are not.
        settings: the section `release:` of the configuration.
        seed: random seed of the draws.
        containment: pairs of doc_keys (`a`, `b`) of long texts that share much of their wording.
        among: ids of the queries chosen before documents were removed: no other text becomes a query, and those that
            keep a positive stay, however few texts their authors keep.
        possibly_one: pairs of author ids (`a`, `b`).
        first: texts (by id) that are taken before the other texts of their authors, lowest number first.
    """
    most = queries_per_author(settings["queries_per_author"])
    shared: bool = settings["queries_in_candidates"]
    other_work = settings["positives"] == "other_work"
    contained = partners(containment)
    people = partners(possibly_one)
    place = _places(documents, contained)
    drawn = _drawn(documents, settings["min_letters_for_query"], seed)

    chosen_of: dict[tuple[str, str], frozenset[str]] = {}
    beside: dict[tuple[str, str], list[str]] = {}  # the texts of authors who are possibly the same person
    answers: Callable[[str], frozenset[str]]
    for key, texts in _texts_of_authors(drawn):
        named = {text.id: text for text in texts if text.answers}
        if key[1] in people:
            beside[key] = [text.id for text in texts]
        if among is None and len(named) < settings["min_documents_for_query"]:
            continue
        answers = cache(partial(_answering, named=named, contained=contained, other_work=other_work))
        order = [text.id for text in named.values() if text.asks and (among is None or text.id in among)]
        if first is not None:
            order.sort(key=lambda ident: first.get(ident, len(first)))
        if chosen := choose(order, answers, most, shared):
            chosen_of[key] = chosen
    absent = _NOBODY if shared else frozenset(chain.from_iterable(chosen_of.values()))

    def rows() -> Iterator[tuple[str, str, list[str], str, list[str]]]:
        for (split, author), texts in _texts_of_authors(drawn):
            chosen = chosen_of.get((split, author), _NOBODY)
            named = {text.id: text for text in texts if text.answers} if chosen else {}
            aside = {ident for other in people.get(author, _NOBODY) for ident in beside.get((split, other), ())}
            for query in chosen:
                positives = _answering(query, named, contained, other_work) - absent
                own = {other.id for other in texts if other.id != query}
                copies = (place[key] for key in contained.get(named[query].doc_key, _NOBODY) if key in place)
                ignored = (own - positives) | aside | {ident for where, ident in copies if where == split}
                yield split, query, sorted(positives), author, sorted(ignored - absent)

    return table_of(rows(), QUERIES).sort("query_id")


def queries_per_author(value: object) -> int | None:
    """Return the maximum number of queries of an author in a split; None: no limit.

    Raises:
        InputError: the value is neither a number from 1 on nor `all`.
    """
    if value == "all":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise InputError(f"release.queries_per_author is {value!r}. Expected a number from 1 on, or `all`.")


def choose(order: Sequence[str], answers: Callable[[str], Set[str]], most: int | None, shared: bool) -> frozenset[str]:
    """Take texts as queries in the given order while every query keeps a positive.

    >>> answers = {"a": {"b", "c"}, "b": {"a", "c"}, "c": {"a", "b"}}
    >>> sorted(choose("abc", answers.__getitem__, None, shared=False))
    ['a', 'b']
    """
    chosen = _NOBODY
    for candidate in order:
        if most is not None and len(chosen) == most:
            break
        grown = chosen | {candidate}
        if answers(candidate) if shared else all(answers(query) - grown for query in grown):
            chosen = grown
    return chosen


def _answering(
    ident: str, named: Mapping[str, _Text], contained: Mapping[str, Set[str]], other_work: bool
) -> frozenset[str]:
    """Return the ids of the author's texts (`named`, by id) that may be positives of this text."""
    query = named[ident]
    return frozenset(
        text.id
        for text in named.values()
        if text.id != query.id
        and text.doc_key not in contained.get(query.doc_key, _NOBODY)
        and not (other_work and text.origin == query.origin)
    )


def is_scored(documents: pl.DataFrame) -> pl.Expr:
    """Return whether a document may be query, positive or negative: the label of its author means a single person."""
    named = pl.col("author_kind") != "work"
    return named & pl.col("scored").fill_null(True) if "scored" in documents.columns else named


def _places(documents: pl.DataFrame, contained: Mapping[str, Set[str]]) -> dict[str, tuple[str, str]]:
    """Return split and id of the documents (by doc_key) that contain others or are contained in them."""
    keys = pl.Series(list(contained), dtype=pl.String)
    met = documents.select("doc_key", "split", "id").filter(pl.col("doc_key").is_in(keys.implode()))
    return {key: (split, ident) for key, split, ident in met.iter_rows()}


def _drawn(documents: pl.DataFrame, letters: Least, seed: int) -> pl.DataFrame:
    """Return the texts of every (split, author) in turn, in the order of their draw."""
    return (
        documents.select(
            *("split", "author_id", "doc_key", "id", "origin"),
            keyed_hashes(seed, "query", documents["doc_key"]),
            answers=is_scored(documents),
            asks=may_ask(documents, letters),
        )
        .sort("split", "author_id", "rank", "doc_key")
        .drop("rank")
    )


def _texts_of_authors(drawn: pl.DataFrame) -> Iterator[tuple[tuple[str, str], list[_Text]]]:
    for key, rows in groupby(drawn.iter_rows(), itemgetter(0, 1)):
        yield key, [_Text(*row[2:]) for row in rows]


def partners(pairs: pl.DataFrame | None) -> dict[str, set[str]]:
    """Return each value of the pairs (`a`, `b`) with its partners in both directions."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    if pairs is not None:
        for a, b in pairs.select("a", "b").iter_rows():
            found[a].add(b)
            found[b].add(a)
    return dict(found)
