"""Check that queries, candidates and ground truth belong together."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import polars as pl

from authbench.core.letters import is_borrowed, may_ask
from authbench.release.checking.claims import Finding
from authbench.release.checking.overlap import Pairs, contained_among
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import Rules
from authbench.release.format.columns import TEXT_FIELDS

_NOBODY: frozenset[str] = frozenset()


class _Truth(NamedTuple):
    """A row of the ground truth."""

    positives: list[str]
    author: str
    ignored: list[str]


Contained = Mapping[str, Set[str]]


class _Doubt(NamedTuple):
    """A finding that may be explained by what these texts share."""

    finding: Finding
    texts: Set[str]
    explained: Callable[[Contained], bool]


@dataclass(frozen=True)
class _Split:
    """A split whose truth is checked. `origin` and `aside` are empty without provenance.

    `aside` are the texts that may be neither query nor positive, `short` the texts with too few letters for a query,
    `borrowed` the texts that are mostly of lines, tags and titles that other authors share.
    """

    author_of: Mapping[str, str]
    truth: Mapping[str, _Truth]
    by_author: Mapping[str, frozenset[str]]
    shared: bool
    origin: Mapping[str, str]
    aside: Set[str]
    short: Set[str]
    borrowed: Set[str]
    contained: Pairs

    @cached_property
    def truth_of(self) -> dict[str, list[tuple[str, _Truth]]]:
        """Return the queries of each author with their rows."""
        found: defaultdict[str, list[tuple[str, _Truth]]] = defaultdict(list)
        for query, row in self.truth.items():
            found[self.author(query)].append((query, row))
        return dict(found)

    def author(self, query: str) -> str:
        """Return the author of a query: of its candidate, else as the truth states."""
        return self.author_of.get(query) or self.truth[query].author


def check_truth(release: Rows, rules: Rules, contained: Pairs) -> Iterator[Finding]:
    """Yield the findings in queries, in the ground truth, and in the number of queries of each author.

    `contained` are pairs of texts that may not be query and positive; it is used where the origins are known.
    """
    provenance = release.provenance
    origin: dict[str, str] = {}
    aside: frozenset[str] = _NOBODY
    if provenance is not None:
        origin = dict(provenance.select("id", "origin").iter_rows())
        unnamed = pl.col("author_kind") == "work"
        scored = pl.col("scored")
        aside = frozenset(provenance.filter(unnamed | ~scored)["id"])
    least, documents = rules.min_letters_for_query, release.documents
    short = frozenset(documents.filter(~may_ask(documents, least))["id"])
    borrowed = frozenset(documents.filter(is_borrowed(documents, least))["id"])
    shared = rules.queries_in_candidates
    if shared is None:
        queries = release.documents.filter("query")
        shared = bool(queries["candidate"].any()) or not queries.height
    for files in release.tables.values():
        candidates, rows = files["candidates"], files["ground_truth"]
        by_author = candidates.group_by("author_id").agg("candidate_id").iter_rows()
        split = _Split(
            author_of=dict(candidates.select("candidate_id", "author_id").iter_rows()),
            truth={
                query: _Truth(positives, author, ignored or [])
                for query, positives, author, ignored in rows.select(
                    "query_id", "positive_ids", "author_id", "ignored_ids"
                ).iter_rows()
            },
            by_author={author: frozenset(ids) for author, ids in by_author},
            shared=shared,
            origin=origin,
            aside=aside,
            short=short,
            borrowed=borrowed,
            contained=contained if origin else frozenset(),
        )
        yield from _check_queries(split, candidates, files["queries"])
        doubts: list[_Doubt] = []
        for query in split.truth:
            yield from _check_positives(split, query, rules, doubts)
        yield from _check_numbers(split, rules, doubts)
        yield from _settle(doubts, release, rules)


def _check_queries(split: _Split, candidates: pl.DataFrame, queries: pl.DataFrame) -> Iterator[Finding]:
    for query in queries["query_id"]:
        candidate = query in split.author_of
        if split.shared != candidate:
            yield Finding("query_place", query, "is a candidate" if candidate else "is no candidate")
        if query not in split.truth:
            yield Finding("query_without_truth", query)
        if query in split.short:
            yield Finding("short_query", query)
    both = queries.join(candidates, left_on="query_id", right_on="candidate_id", suffix="_said", maintain_order="left")
    for field in TEXT_FIELDS:
        for query in both.filter(pl.col(field) != pl.col(f"{field}_said"))["query_id"]:
            yield Finding("query_differs", query, f"{field} of {query}")
    own_queries = set(queries["query_id"])
    for query in split.truth:
        if query not in own_queries:
            yield Finding("truth_without_query", query)


def _check_positives(split: _Split, query: str, rules: Rules, doubts: list[_Doubt]) -> Iterator[Finding]:
    row = split.truth[query]
    positives, ignored = set(row.positives), set(row.ignored)
    author = split.author(query)
    if author != row.author:
        yield Finding("author_mismatch", query)
    if not positives:
        yield Finding("no_positive", query)
    if query in positives:
        yield Finding("own_positive", query)
    unknown = {ident for ident in positives if ident not in split.author_of} - {query}
    if unknown or len(positives) < len(row.positives):
        yield Finding("unknown_positive", query, ", ".join(sorted(unknown)[:3]) or "one is named twice")
    for ident in sorted(positives - unknown - {query}):
        if split.author_of[ident] != author:
            yield Finding("foreign_positive", query, f"{ident} for {query}")
        elif rules.other_work and split.origin and split.origin.get(ident) == split.origin.get(query):
            yield Finding("same_origin_positive", query, f"{ident} for {query}")
        if (query, ident) in split.contained:
            yield Finding("contained_positive", query, f"{ident} for {query}")
    if missing := split.by_author.get(author, _NOBODY) - positives - ignored - {query}:
        yield Finding("missing_positive", query, f"{min(missing)} for {query}")
    wrong = {ident for ident in ignored if ident not in split.author_of} | (ignored & (positives | {query}))
    if wrong:
        yield Finding("wrong_ignored", query, f"{min(wrong)} for {query}")
    if works := split.aside & {query, *positives}:
        yield Finding("work_in_truth", query, f"{min(works)} for {query}")
    if borrowed := split.borrowed & {query, *positives}:
        yield Finding("borrowed_text", query, f"{min(borrowed)} for {query}")
    for ident in sorted(ignored - wrong):
        same_origin = rules.other_work and ident in split.origin and split.origin[ident] == split.origin.get(query)
        own = split.author_of[ident] == author
        if not (own and (same_origin or ident in split.aside)) and not _ignore_each_other(split, query, ident):
            finding = Finding("unexplained_ignored", query, f"{ident} for {query}")
            doubts.append(_Doubt(finding, {query, ident}, partial(_contains, query, ident)))


def _ignore_each_other(split: _Split, query: str, ident: str) -> bool:
    """Return whether the queries of the authors of a query and of a text ignore all of each other's texts."""
    one, other = split.author(query), split.author_of[ident]
    if one == other:
        return False
    return all(
        split.by_author.get(second, _NOBODY) <= {*row.ignored, query}
        for first, second in ((one, other), (other, one))
        for query, row in split.truth_of.get(first, ())
    )


def _contains(one: str, other: str, contained: Contained) -> bool:
    return other in contained.get(one, _NOBODY)


def _check_numbers(split: _Split, rules: Rules, doubts: list[_Doubt]) -> Iterator[Finding]:
    queries: defaultdict[str, set[str]] = defaultdict(set)
    for query in split.truth:
        queries[split.author(query)].add(query)
    for author in sorted({*split.by_author, *queries}):
        own_queries = queries[author]
        texts = split.by_author.get(author, _NOBODY) | own_queries
        named = texts - split.aside
        most = rules.queries_per_author
        if most is not None and len(own_queries) > most:
            yield Finding("too_many_queries", author, f"{len(own_queries)} of {author[:8]}..., most {most}")
        if own_queries and len(named) < rules.min_documents_for_query and not rules.may_have_lost(author):
            yield Finding("query_of_small_author", min(own_queries), f"author with {len(named)} documents")
        if rules.may_have_lost(author) and not (most is None and split.shared):
            continue  # a text that was not a query before does not replace a query that is gone
        possible, fewest = partial(_possible_queries, split, named, rules), rules.fewest_queries
        wanted = possible({}) if fewest is None else min(fewest, possible({}))
        if len(named) >= rules.min_documents_for_query and len(own_queries) < wanted:
            finding = Finding("missing_query", author, f"{len(own_queries)} of {wanted} from {author[:8]}...")
            explained = partial(_cannot_give_more, possible, len(own_queries))
            doubts.append(_Doubt(finding, named if split.origin else _NOBODY, explained))


def _cannot_give_more(possible: Callable[[Contained], int], there: int, contained: Contained) -> bool:
    return possible(contained) <= there


def _possible_queries(split: _Split, named: Set[str], rules: Rules, contained: Contained) -> int:
    """Return the least number of an author's texts that can be queries: that another text can answer.

    In the disjoint form, each query must leave an answer to itself and to earlier queries. At least 1 of an author's
    texts can; where any text answers any other, all texts but 1 can.
    """
    answers = {text: named - {text} - contained.get(text, _NOBODY) for text in named}
    if rules.other_work:
        answers = {
            text: {other for other in others if split.origin.get(other) != split.origin.get(text)}
            for text, others in answers.items()
        }
    if split.shared:
        return sum(bool(others) for text, others in answers.items() if text not in split.short)
    if named & split.short:
        return 0
    if all(len(others) == len(named) - 1 for others in answers.values()):
        return len(named) - 1
    return int(any(answers.values()))


def _settle(doubts: list[_Doubt], release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield the findings that texts which contain each other do not explain.

    The few texts in doubt are searched again, because the search among all texts passes over passages that many share.
    """
    if doubts:
        contained: defaultdict[str, set[str]] = defaultdict(set)
        for one, other in contained_among(release, {text for doubt in doubts for text in doubt.texts}, rules):
            contained[one].add(other)
        yield from (doubt.finding for doubt in doubts if not doubt.explained(contained))
