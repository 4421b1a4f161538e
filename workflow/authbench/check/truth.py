"""Do queries, candidates and ground truth belong together?"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from authbench.check.claims import Finding
from authbench.check.overlap import Pairs
from authbench.check.reading import TEXT_FIELDS, Release, Row
from authbench.check.rules import Rules


@dataclass(frozen=True)
class Split:
    """What the truth of a split is compared with. `origin` and `kind` are empty without provenance."""

    candidates: Mapping[str, Row]
    queries: Mapping[str, Row]
    truth: Mapping[str, Row]
    by_author: Mapping[str, frozenset[str]]
    shared: bool
    origin: Mapping[str, str]
    kind: Mapping[str, str]
    contained: Pairs


def check_truth(release: Release, rules: Rules, contained: Pairs) -> Iterator[Finding]:
    """Queries against candidates, ground truth both ways, and how many queries each author gives.

    `contained` are pairs of texts that may not be query and positive; it is used where the origins are known.
    """
    provenance = release.provenance
    origin: dict[str, str] = {}
    kind: dict[str, str] = {}
    if provenance is not None and {"origin", "author_kind"} <= set(provenance.columns):
        origin = dict(provenance.select("id", "origin").iter_rows())
        kind = dict(provenance.select("id", "author_kind").iter_rows())
    shared = rules.queries_in_candidates
    if shared is None:
        queries = release.documents.filter("query")
        shared = bool(queries["candidate"].any()) or not queries.height
    for files in release.rows.values():
        by_author: defaultdict[str, set[str]] = defaultdict(set)
        for row in files["candidates"]:
            by_author[row["author_id"]].add(row["candidate_id"])
        split = Split(
            candidates={row["candidate_id"]: row for row in files["candidates"]},
            queries={row["query_id"]: row for row in files["queries"]},
            truth={row["query_id"]: row for row in files["ground_truth"]},
            by_author={author: frozenset(ids) for author, ids in by_author.items()},
            shared=shared,
            origin=origin,
            kind=kind,
            contained=contained if origin else frozenset(),
        )
        yield from _check_queries(split)
        for query, row in split.truth.items():
            yield from _check_positives(split, query, row, rules)
        yield from _check_numbers(split, rules)


def _check_queries(split: Split) -> Iterator[Finding]:
    for query, row in split.queries.items():
        candidate = split.candidates.get(query)
        if split.shared != (candidate is not None):
            yield Finding("query_place", query, "is no candidate" if split.shared else "is a candidate")
        if candidate is not None:
            for field in (*TEXT_FIELDS, "token_length"):
                if row[field] != candidate[field]:
                    yield Finding("query_differs", query, f"{field} of {query}")
        if query not in split.truth:
            yield Finding("query_without_truth", query)
    for query in split.truth:
        if query not in split.queries:
            yield Finding("truth_without_query", query)


def _check_positives(split: Split, query: str, row: Row, rules: Rules) -> Iterator[Finding]:
    positives, ignored = set(row["positive_ids"]), set(row.get("ignored_ids") or ())
    candidate = split.candidates.get(query)
    author = candidate["author_id"] if candidate else row["author_id"]
    if author != row["author_id"]:
        yield Finding("author_mismatch", query)
    if not positives:
        yield Finding("no_positive", query)
    if query in positives:
        yield Finding("own_positive", query)
    unknown = {ident for ident in positives if ident not in split.candidates} - {query}
    if unknown or len(positives) < len(row["positive_ids"]):
        yield Finding("unknown_positive", query, ", ".join(sorted(unknown)[:3]) or "one is named twice")
    for ident in sorted(positives - unknown - {query}):
        if split.candidates[ident]["author_id"] != author:
            yield Finding("foreign_positive", query, f"{ident} for {query}")
        elif rules.other_origin and split.origin and split.origin.get(ident) == split.origin.get(query):
            yield Finding("same_origin_positive", query, f"{ident} for {query}")
        if (query, ident) in split.contained:
            yield Finding("contained_positive", query, f"{ident} for {query}")
    own = split.by_author.get(author, frozenset()) - {query}
    if missing := own - positives - ignored:
        yield Finding("missing_positive", query, f"{min(missing)} for {query}")
    wrong = {ident for ident in ignored if ident not in split.candidates} | (ignored & (positives | {query}))
    if wrong:
        yield Finding("wrong_ignored", query, f"{min(wrong)} for {query}")
    if split.origin:
        for ident in sorted(ignored - wrong):
            same_origin = rules.other_origin and split.origin.get(ident) == split.origin.get(query)
            if not (same_origin or split.kind.get(ident) == "work" or (query, ident) in split.contained):
                yield Finding("unexplained_ignored", query, f"{ident} for {query}")


def _check_numbers(split: Split, rules: Rules) -> Iterator[Finding]:
    queries: defaultdict[str, set[str]] = defaultdict(set)
    for query, row in split.truth.items():
        candidate = split.candidates.get(query)
        queries[candidate["author_id"] if candidate else row["author_id"]].add(query)
    for author in sorted({*split.by_author, *queries}):
        asked = queries[author]
        texts = split.by_author.get(author, frozenset()) | asked
        named = {ident for ident in texts if split.kind.get(ident) != "work"}
        most = rules.queries_per_author
        if most is not None and len(asked) > most:
            yield Finding("too_many_queries", author, f"{len(asked)} of {author[:8]}..., most {most}")
        if rules.taken_down:
            continue
        if asked and len(named) < rules.min_documents_for_query:
            yield Finding("query_of_small_author", min(asked), f"author with {len(named)} documents")
        possible = len(named) if split.shared else 1 if rules.other_origin else len(named) - 1
        wanted = possible if most is None else min(most, possible)
        if len(named) >= rules.min_documents_for_query and len(asked) < wanted and _free(split, named, rules):
            yield Finding("missing_query", author, f"{len(asked)} of {wanted} from {author[:8]}...")


def _free(split: Split, texts: set[str], rules: Rules) -> bool:
    """Whether each of an author's texts has a positive, whatever else is a query."""
    if rules.other_origin and len({split.origin.get(ident) for ident in texts}) < 2:
        return False
    return not any((a, b) in split.contained for a in texts for b in texts)
