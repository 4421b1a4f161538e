"""Check for documents that share their text with others, by exact searches.

Similar texts are compared by their multisets of grams. Long texts of different origins contain each other by the share
of the smaller text's distinct grams (of 24 characters by default) that also occur in the other.

Folding makes copies equal that differ only in how characters are written. Compatibility forms (full-width letters,
ligatures, presentation forms) are replaced as in NFKC, letters are lower-cased, letters that look Latin become Latin,
and digits of all scripts become 0 to 9. White space is removed, as are characters that are invisible by themselves:
joiners, variation selectors, soft hyphens, fillers, the tatweel.
"""

import unicodedata
from collections import OrderedDict
from collections.abc import Generator, Set
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import polars as pl

from authbench.config.settings.split import Containment
from authbench.core.arrays import F64, I64, U8, U64
from authbench.core.lookalikes import LOOKALIKES
from authbench.release.checking.boilerplate import without_boilerplate
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import Rules

_UNSEEN = r"[\p{Cf}\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{640}]"
_TEXTS_AT_ONCE = 8_000
_SPACE = r"[\s\x1c-\x1f]"


def fold(contents: pl.Series) -> pl.Series:
    """Return the folded form of each text; memory: the folded texts, and some forms of a few texts."""
    parts = [_fold(contents.slice(start, _TEXTS_AT_ONCE)) for start in range(0, len(contents), _TEXTS_AT_ONCE)]
    return pl.concat(parts) if parts else contents


def _fold(contents: pl.Series) -> pl.Series:
    places = (~contents.str.contains(r"\A[\x00-\x7f]*\z")).arg_true()
    folded = contents.str.to_lowercase()
    if len(places):
        some = contents.gather(places).str.normalize("NFKC").str.replace_all(_UNSEEN, "").str.to_lowercase()
        folded = folded.scatter(places, some.str.replace_many(_digits() | LOOKALIKES))
    return folded.str.replace_all(_SPACE, "")


@cache
def _digits() -> dict[str, str]:
    """Return the ASCII digit of every decimal digit beyond ASCII."""
    points = map(chr, range(0x80, 0x20000))
    return {one: str(unicodedata.decimal(one)) for one in points if unicodedata.category(one) == "Nd"}


MOST = 10  # similar texts that are named for one text
_HASHES_KEPT = 1 << 24  # hashes of compared texts that are kept for further comparisons: 128 MB


def similar_texts(
    ids: pl.Series, texts: pl.Series, parts: pl.Series, within: float, across: float, length: int
) -> pl.DataFrame:
    """Return pairs of texts whose multisets of grams have a Jaccard similarity of the threshold or more.

    The search is exact: without a cap it finds every such pair (`similar_kernels`). For each text, at most `MOST`
    similar texts among those no longer than it are named. A crowd of k copies thus gives at most `MOST * k` pairs, and
    every text of it is in a pair.
    Memory: at most a byte per character for the bitmaps, at most 128 MB of hashes, and 16 bytes per text and core.
    Time: some four nanoseconds for each pair of texts of similar length and the same script, divided by the cores.

    Args:
        ids: names of the texts.
        parts: a number for each text.
        within: the threshold for texts of the same part.
        across: the threshold for texts of different parts.
        length: characters of a gram.

    Returns:
        frame(a, b, similarity) with a < b, sorted.
    """
    from authbench.core.text_bytes import utf8
    from authbench.release.checking import similar_kernels

    data, offsets = utf8(texts)
    number = len(texts)
    del texts  # if the caller has let go of them, they are in memory once
    sizes, groups = np.zeros(number, np.int64), np.zeros(number, np.int64)
    similar_kernels.count_grams(data, offsets, length, 1 / (1 + min(within, across)), sizes, groups)
    order = np.lexsort((sizes, groups))
    sizes, part = sizes[order], parts.to_numpy()[order].astype(np.int64)
    group_starts = np.searchsorted(groups[order], np.arange(similar_kernels.GROUPS + 1)).astype(np.int64)
    bitmaps, starts = similar_kernels.draw_bitmaps(data, offsets, length, order, sizes)
    workers = pl.thread_pool_size()
    room = min(_HASHES_KEPT // workers, 2 * int(offsets[-1] - offsets[0]) + 2)
    known = similar_kernels.Texts(data, offsets, order, sizes, part, group_starts, bitmaps, starts)
    limits = similar_kernels.Limits(within, across, length, MOST)
    with ThreadPoolExecutor(workers) as pool:
        found = pool.map(lambda worker: similar_kernels.join(known, limits, room, worker, workers), range(workers))
        earlier, later, similarity = map(np.concatenate, zip(*(some[:3] for some in found), strict=True))
    return _pairs(ids.gather(order[earlier]), ids.gather(order[later]), similarity=similarity)


def _pairs(ids: pl.Series, others: pl.Series, **numbers: F64) -> pl.DataFrame:
    """Return pairs of texts (a, b) with a < b and their numbers, sorted."""
    least, most = pl.min_horizontal("a", "b"), pl.max_horizontal("a", "b")
    return pl.DataFrame({"a": ids, "b": others, **numbers}).with_columns(a=least, b=most).sort("a", "b")


_COMMON = 100  # texts; a passage in more texts than this is not evidence that two texts belong together
_WIDEST = 50  # texts; passages in at most this many lead to pairs
_PART = 1 << 26  # grams that are counted at once, in 64 MB
_KEPT = 1 << 23  # grams of compared texts that are kept for further comparisons: 64 MB


def contained_texts(
    ids: pl.Series, texts: pl.Series, origins: pl.Series, settings: Containment, every_passage: bool = False
) -> pl.DataFrame:
    """Return pairs of long texts of different origins whose share of grams reaches the threshold of the settings.

    When pairs are searched, passages in more than 100 texts are ignored on both sides, and passages in more than 50
    texts count only towards the size of a text. The splits search in the same way, so the check reports no pair that
    they passed over. With `every_passage`, all passages count. The share itself is computed over all grams. The search
    is exact: grams are counted range by range and never sampled.
    Memory: a table of 64 MB, and 30 bytes for each gram in several texts.

    Returns:
        frame(a, b, share) with a < b, sorted.
    """
    from authbench.core.text_bytes import utf8
    from authbench.release.checking import contained_kernels

    long = (texts.str.len_chars() >= settings["min_chars"]).arg_true()
    ids, texts = ids.gather(long), texts.gather(long)
    origin = origins.gather(long).rank("dense").to_numpy().astype(np.int64)
    data, offsets = utf8(texts)
    number, length = len(texts), settings["shingle_chars"]
    common, widest = (number, number) if every_passage else (_COMMON, _WIDEST)
    sizes, repeats, too_common = (np.zeros(number, np.int64) for _ in range(3))
    parts = 1 + int(offsets[-1] - offsets[0]) // _PART
    members, ends, shared = [np.empty(0, np.int32)], [np.zeros(1, np.int64)], 0
    for part in range(parts):
        counts = np.zeros(_table_size(int(offsets[-1] - offsets[0]) // parts), np.uint8)
        hashes, owner = contained_kernels.collect_part(data, offsets, length, parts, part, counts, sizes)
        del counts
        left = contained_kernels.leave_repeated(hashes, owner, np.zeros(_table_size(len(hashes)), np.uint8))
        hashes, owner = hashes[:left], owner[:left]
        order = np.argsort(hashes, kind="stable")
        some, their_ends = contained_kernels.group_part(hashes, owner, order, common, widest, repeats, too_common)
        members.append(some)
        ends.append(their_ends[1:] + shared)
        shared += len(some)
    least = sizes - repeats - too_common
    one, other = contained_kernels.pairs_that_share(
        np.concatenate(members), np.concatenate(ends), origin, least, settings["share"]
    )
    share = _shares(data, offsets, one, other, length)
    enough = share >= settings["share"]
    return _pairs(ids.gather(one[enough]), ids.gather(other[enough]), share=share[enough])


def _table_size(grams: int) -> int:
    """Return the bytes of a table with at least four counters per gram, four counters in a byte: a power of two."""
    size = 1 << 12
    while size < grams:
        size *= 2
    return size


def _shares(data: U8, offsets: I64, one: I64, other: I64, length: int) -> F64:
    """Return the share of each pair; at most `_KEPT` grams of texts that are compared again are kept."""
    from authbench.release.checking import contained_kernels, gram_kernels

    kept: OrderedDict[int, U64] = OrderedDict()
    buffered = 0

    def grams(text: int) -> U64:
        nonlocal buffered
        if text in kept:
            kept.move_to_end(text)
            return kept[text]
        kept[text] = contained_kernels.distinct_grams(data, int(offsets[text]), int(offsets[text + 1]), length)
        buffered += len(kept[text])
        while buffered > _KEPT and len(kept) > 1:
            buffered -= len(kept.popitem(last=False)[1])
        return kept[text]

    share = np.empty(len(one))
    for place, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        mine, theirs = grams(a), grams(b)
        share[place] = gram_kernels.overlap(mine, theirs, 0.0) / min(len(mine), len(theirs))
    return share


Pairs = frozenset[tuple[str, str]]
_FOLDED_CHARS = 40  # a shorter text, as `Good.` and `good.`, may be written by two people


def check_overlap(release: Rows, rules: Rules) -> Generator[Finding, None, Pairs]:
    """Yield exact, near and disguised copies anywhere, and similar and contained texts across splits.

    Return the pairs of ids, in both orders, of long texts of different origins that share much of their text.
    """
    documents = release.documents.select("id", "split", "lang", "content").sort("id")
    repeated = documents.filter(pl.col("content").is_duplicated())
    for _, same in repeated.group_by("content", maintain_order=True):
        yield Finding("exact_duplicate", " = ".join(same["id"]), " and ".join(sorted(set(same["split"]))))
    firsts = _with_origins(documents.filter(pl.col("content").is_first_distinct()), release)
    documents = documents.drop("content")
    firsts = firsts.with_columns(without_boilerplate(firsts).alias("content"))
    known: set[tuple[str, str]] = set()
    across = min(rules.leak, rules.near)
    similar = similar_texts(firsts["id"], firsts["content"], firsts["part"], rules.near, across, rules.shingle_chars)
    for a, b, similarity, split, other in _with_splits(similar, documents).iter_rows():
        code = "near_duplicate" if similarity >= rules.near else "leak"
        where = "across splits" if split != other else split
        known.add((a, b))
        yield Finding(code, f"{a} ~ {b}", f"{a} ~ {b} {similarity:.3f}, {where}")
    contained = contained_texts(firsts["id"], firsts["content"], firsts["origin"], rules.containment)
    for a, b, share, split, other in _with_splits(contained, documents).iter_rows():
        if split != other:
            yield Finding("contained_leak", f"{a} ~ {b}", f"{a} ~ {b} {share:.3f}")
    for a, b, similarity in _disguised(firsts, rules).iter_rows():
        if (a, b) not in known:
            yield Finding("near_duplicate", f"{a} ~ {b}", f"{a} ~ {b} {similarity:.3f} in the folded form")
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
    texts = texts.select("id", "part", "content").filter(pl.col("content").str.len_chars() >= _FOLDED_CHARS)
    texts = texts.with_columns(fold(texts["content"]).alias("content"))
    equal = (
        texts.filter(pl.col("content").is_duplicated())
        .select(pl.col("id").first().over("content").alias("a"), pl.col("id").alias("b"), similarity=pl.lit(1.0))
        .filter(pl.col("a") != pl.col("b"))
    )
    threshold = (1 + rules.near) / 2
    texts = texts.filter(pl.col("content").is_first_distinct())
    ids, parts = texts["id"], texts["part"]
    near = similar_texts(ids, texts.drop_in_place("content"), parts, threshold, threshold, rules.shingle_chars)
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
