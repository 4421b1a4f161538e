"""Which documents share their text with others?"""

from collections.abc import Generator

import polars as pl

from authbench.check.claims import Finding
from authbench.check.reading import Release
from authbench.check.rules import Rules

Pairs = frozenset[tuple[str, str]]


def check_overlap(release: Release, rules: Rules) -> Generator[Finding, None, Pairs]:
    """Exact and near copies anywhere, similar and contained texts across splits.

    Returns the pairs of ids, both ways round, of long texts of different origins that contain much of each other.
    """
    from authbench.split.leakage import find_leaks

    documents = release.documents.sort("id")
    split = dict(documents.select("id", "split").iter_rows())
    repeated = documents.filter(pl.col("content").is_duplicated())
    for _, same in repeated.group_by("content", maintain_order=True):
        yield Finding("exact_duplicate", " = ".join(same["id"]), " and ".join(sorted(set(same["split"]))))
    firsts = documents.unique("content", keep="first", maintain_order=True)
    origin = firsts.select("lang", "content", doc_key="id", origin_id="id")
    provenance = release.provenance
    if provenance is not None and "origin" in provenance.columns:
        known = provenance.select(doc_key="id", origin="origin").unique("doc_key")
        origin = origin.join(known, on="doc_key", how="left").with_columns(origin_id=pl.coalesce("origin", "origin_id"))
    similar, contained = find_leaks(origin, rules.leak, rules.near, rules.shingle_chars, rules.containment)
    for a, b, similarity in similar.iter_rows():
        across = split[a] != split[b]
        code = "near_duplicate" if similarity >= rules.near else "leak"
        if code == "near_duplicate" or (across and similarity >= rules.leak):
            yield Finding(code, f"{a} ~ {b}", f"{a} ~ {b} {similarity:.3f}, {'across splits' if across else split[a]}")

    for a, b, share in contained.iter_rows():
        if split[a] != split[b]:
            yield Finding("contained_leak", f"{a} ~ {b}", f"{a} ~ {b} {share:.3f}")
    listed = [(a, b) for a, b, _ in contained.iter_rows()]
    return frozenset(listed) | frozenset((b, a) for a, b in listed)
