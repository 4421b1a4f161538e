"""Check for documents that share their text with others."""

from collections.abc import Generator, Set

import polars as pl

from authbench.checking.boilerplate import without_boilerplate
from authbench.checking.claims import Finding
from authbench.checking.contained import contained_texts
from authbench.checking.fold import fold
from authbench.checking.rows import Rows
from authbench.checking.rules import Rules
from authbench.checking.similar import similar_texts

Pairs = frozenset[tuple[str, str]]
_FOLDED_CHARS = 40  # a shorter text, as `Good.` and `good.`, may be written by two people


def check_overlap(release: Rows, rules: Rules) -> Generator[Finding, None, Pairs]:
    """Yield exact, near and disguised copies anywhere, and similar and contained texts across splits.

    Return the pairs of ids, in both orders, of long texts of different origins that share much of their text.
    """
    documents = release.documents.sort("id")
    repeated = documents.filter(pl.col("content").is_duplicated())
    for _, same in repeated.group_by("content", maintain_order=True):
        yield Finding("exact_duplicate", " = ".join(same["id"]), " and ".join(sorted(set(same["split"]))))
    firsts = _with_origins(documents.unique("content", keep="first", maintain_order=True), release)
    firsts = firsts.with_columns(without_boilerplate(firsts).alias("content"))
    known: set[tuple[str, str]] = set()
    across = min(rules.leak, rules.near)
    similar = similar_texts(firsts["id"], firsts["content"], firsts["part"], rules.near, across, rules.shingle_chars)
    for a, b, similarity, split, other in _with_splits(similar, documents).iter_rows():
        code = "near_duplicate" if similarity >= rules.near else "leak"
        where = "across splits" if split != other else split
        known.add((a, b))
        yield Finding(code, f"{a} ~ {b}", f"{a} ~ {b} {similarity:.3f}, {where}")
    for a, b, similarity in _disguised(firsts, rules).iter_rows():
        if (a, b) not in known:
            yield Finding("near_duplicate", f"{a} ~ {b}", f"{a} ~ {b} {similarity:.3f} in the folded form")
    contained = contained_texts(firsts["id"], firsts["content"], firsts["origin"], rules.containment)
    for a, b, share, split, other in _with_splits(contained, documents).iter_rows():
        if split != other:
            yield Finding("contained_leak", f"{a} ~ {b}", f"{a} ~ {b} {share:.3f}")
    return _both_ways(contained)


def _with_splits(pairs: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs with the split of each text."""
    for name in ("a", "b"):
        known = documents.select(pl.col("id").alias(name), pl.col("split").alias(f"split_{name}"))
        pairs = pairs.join(known, on=name, how="left", maintain_order="left")
    return pairs


def contained_among(release: Rows, ids: Set[str], rules: Rules) -> Pairs:
    """Return such pairs among these documents only, counting also passages that many texts share."""
    documents = _with_origins(release.documents.filter(pl.col("id").is_in(sorted(ids))), release)
    texts, settings = without_boilerplate(documents), rules.containment
    return _both_ways(contained_texts(documents["id"], texts, documents["origin"], settings, every_passage=True))


def _disguised(texts: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """Return pairs whose folded forms are equal or far more alike than near copies: (a, b, similarity).

    The stages compare texts unfolded, so a pair must exceed their threshold clearly: just above it, it may be chance.
    """
    long = texts.filter(pl.col("content").str.len_chars() >= _FOLDED_CHARS)
    folded = long.with_columns(fold(long["content"]).alias("content"))
    firsts = folded.unique("content", keep="first", maintain_order=True)
    equal = (
        folded.filter(pl.col("content").is_duplicated())
        .select(pl.col("id").first().over("content").alias("a"), pl.col("id").alias("b"), similarity=pl.lit(1.0))
        .filter(pl.col("a") != pl.col("b"))
    )
    threshold = (1 + rules.near) / 2
    near = similar_texts(firsts["id"], firsts["content"], firsts["part"], threshold, threshold, rules.shingle_chars)
    return pl.concat([equal, near])


def _with_origins(documents: pl.DataFrame, release: Rows) -> pl.DataFrame:
    """Return id, part, origin, lang and content of documents; without provenance each is a separate work.

    `part` numbers the split.
    """
    numbers = {split: number for number, split in enumerate(release.splits)}
    part = pl.col("split").replace_strict(numbers, return_dtype=pl.Int64).alias("part")
    texts = documents.select("id", part, "lang", "content", pl.col("id").alias("origin"))
    provenance = release.provenance
    if provenance is None:
        return texts
    known = provenance.select("id", known="origin").unique("id")
    texts = texts.join(known, on="id", how="left", maintain_order="left")
    return texts.with_columns(origin=pl.coalesce("known", "origin")).drop("known")


def _both_ways(pairs: pl.DataFrame) -> Pairs:
    listed = list(pairs.select("a", "b").iter_rows())
    return frozenset(listed) | frozenset((b, a) for a, b in listed)
