"""Documents that share their text with others."""

from collections.abc import Generator, Set

import polars as pl

from authbench.check.claims import Finding
from authbench.check.rows import Rows
from authbench.check.rules import Rules
from authbench.dedup.containment import COMMON, contained_pairs

Pairs = frozenset[tuple[str, str]]


def check_overlap(release: Rows, rules: Rules) -> Generator[Finding, None, Pairs]:
    """Yield exact and near copies anywhere, similar and contained texts across splits.

    Return the pairs of ids, both ways round, of long texts of different origins that contain much of each other.
    A passage counts as too common to search by from half as many texts on as when the splits were made: there more
    texts may have had it, and what was passed over then may not be a violation now.
    """
    from authbench.split.leakage import find_leaks

    documents = release.documents.sort("id")
    split = dict(documents.select("id", "split").iter_rows())
    repeated = documents.filter(pl.col("content").is_duplicated())
    for _, same in repeated.group_by("content", maintain_order=True):
        yield Finding("exact_duplicate", " = ".join(same["id"]), " and ".join(sorted(set(same["split"]))))
    firsts = _with_origins(documents.unique("content", keep="first", maintain_order=True), release)
    leaks = find_leaks(firsts, rules.leak, rules.near, rules.shingle_chars, rules.containment, COMMON // 2)
    for a, b, similarity in leaks.similar.iter_rows():
        across = split[a] != split[b]
        code = "near_duplicate" if similarity >= rules.near else "leak"
        if code == "near_duplicate" or (across and similarity >= rules.leak):
            yield Finding(code, f"{a} ~ {b}", f"{a} ~ {b} {similarity:.3f}, {'across splits' if across else split[a]}")
    for a, b, share in leaks.contained.iter_rows():
        if split[a] != split[b]:
            yield Finding("contained_leak", f"{a} ~ {b}", f"{a} ~ {b} {share:.3f}")
    return _both_ways(leaks.contained)


def contained_among(release: Rows, ids: Set[str], rules: Rules) -> Pairs:
    """Return such pairs of these documents alone, with passages that more texts have."""
    from authbench.dedup.similarity import similarity_text

    documents = _with_origins(release.documents.filter(pl.col("id").is_in(sorted(ids))), release)
    texts = documents.with_columns(similarity_text(documents).alias("content"))
    return _both_ways(contained_pairs(texts, rules.containment).pairs)


def _with_origins(documents: pl.DataFrame, release: Rows) -> pl.DataFrame:
    """Return doc_key, origin_id, lang and content of documents; without provenance each is a work of its own."""
    texts = documents.select("lang", "content", doc_key="id", origin_id="id")
    provenance = release.provenance
    if provenance is None or "origin" not in provenance.columns:
        return texts
    known = provenance.select(doc_key="id", origin="origin").unique("doc_key")
    texts = texts.join(known, on="doc_key", how="left", maintain_order="left")
    return texts.with_columns(origin_id=pl.coalesce("origin", "origin_id"))


def _both_ways(pairs: pl.DataFrame) -> Pairs:
    listed = list(pairs.select("a", "b").iter_rows())
    return frozenset(listed) | frozenset((b, a) for a, b in listed)
