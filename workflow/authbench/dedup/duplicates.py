"""Which document stands for its copies?

Exact copies share the SHA-256 of their text. Near copies share at least `threshold` of their character shingles,
counted as multisets: J(t, t') = |G(t) ∩ G(t')| / |G(t) ∪ G(t')| (AuthBench paper, A.2). MinHash and banding name
the candidates, every candidate is verified by its true J, and a document goes if one accepted before it is that
similar. "Before" is the corpus order everywhere: (the source's place in the recipe, doc_key).

The steps, each independent of shards and of the order of its input:

1. `sign_texts`      a batch of texts -> hash of the text, number of shingles, one hash per band
2. `find_components` documents that share a bucket, directly or through others; no two components ever meet
3. `blocks`          components together, as many as fit the memory
4. `compare_block`   one pass in corpus order over a block's own texts -> verified pairs
5. `find_duplicates` verified pairs -> what goes, and which document stands for it

`similar_pairs` takes the same way to all pairs above a threshold, accepted or not.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import polars as pl

from authbench.dedup.arrays import F64, I32, I64, U32, U64
from authbench.errors import InputError

# The texts of the documents at these rows of the table given to `find_duplicates`, in their order.
Texts = Callable[[I64], Sequence[str]]
# The hashes of one band, of the documents at these positions.
Band = Callable[[int, I64], U64]

RECALL = 0.98  # the least expected share of pairs at the threshold that banding must find
PERMUTATIONS = 128  # at most, where bands are chosen
SIGNED_AT_ONCE = 10_000  # documents whose full signatures are held
BLOCK_SHINGLES = 1 << 25  # 256 MB of shingle hashes are held in memory; a larger component goes to a temporary file
DOCUMENT_OVERHEAD = 128  # what comparing a document takes beside its shingles, counted in shingles

EXACT, NEAR, CROSS = "exact_duplicate", "near_duplicate", "cross_author_duplicate"
REMOVED_COPY = pl.Schema(
    {
        "doc_key": pl.String,
        "source": pl.String,
        "reason": pl.String,
        "stand_in": pl.String,
        "similarity": pl.Float64,
        "same_author": pl.Boolean,
    }
)


@dataclass(frozen=True)
class DedupSettings:
    """The `dedup` section of the configuration. Raises InputError where the bands would miss near copies."""

    threshold: float = 0.8
    shingle_chars: int = 5
    bands: int = 25
    rows: int = 5
    cross_author_duplicates: Literal["keep_first", "drop_all"] = "keep_first"

    def __post_init__(self) -> None:
        recall = band_recall(self.threshold, self.bands, self.rows)
        if recall < RECALL:
            bands, rows = choose_bands(self.threshold)
            raise InputError(
                f"dedup.bands: {self.bands} and dedup.rows: {self.rows} find {recall:.1%} of the pairs that are "
                f"{self.threshold:g} similar; at least {RECALL:.0%} are wanted. Set dedup.bands: {bands} and "
                f"dedup.rows: {rows}, or more bands or fewer rows of your own."
            )


def band_recall(threshold: float, bands: int, rows: int) -> float:
    """Probability that two texts of similarity `threshold` agree in all rows of at least one band."""
    return float(1.0 - (1.0 - threshold**rows) ** bands)


def choose_bands(threshold: float, recall: float = 0.999) -> tuple[int, int]:
    """The bands and rows, of at most 128 permutations, that reach `recall` with the fewest false candidates.

    >>> choose_bands(0.8), choose_bands(0.7)
    ((25, 5), (32, 4))
    """
    for rows in range(PERMUTATIONS, 0, -1):
        if band_recall(threshold, PERMUTATIONS // rows, rows) >= recall:
            return PERMUTATIONS // rows, rows
    raise InputError(
        f"Pairs that are only {threshold:g} similar cannot be found with {PERMUTATIONS} permutations; "
        "set the threshold to 0.06 or more."
    )


def sign_texts(texts: pl.Series, contents: pl.Series, settings: DedupSettings) -> pl.DataFrame:
    """What de-duplication needs to know of each document until texts are compared.

    `contents` are the normalised texts, `texts` the same without boilerplate (similarity is computed on these).
    Returns, row by row: `text_hash` (SHA-256 of the content, 32 bytes), `grams` (number of shingles of the text,
    UInt32) and `band_0`, `band_1`, ... (UInt64).
    """
    hashes, sizes = _sign(texts, settings.bands, settings.rows, settings.shingle_chars)
    return pl.DataFrame(
        {
            "text_hash": [hashlib.sha256(content.encode()).digest() for content in contents],
            "grams": sizes,
            **{f"band_{j}": hashes[j] for j in range(settings.bands)},
        },
        schema_overrides={"text_hash": pl.Binary},
    )


def _sign(texts: pl.Series, bands: int, rows: int, shingle_chars: int) -> tuple[U64, U32]:
    from authbench.dedup import minhash

    hashes, sizes = np.empty((bands, len(texts)), np.uint64), np.empty(len(texts), np.uint32)
    for start in range(0, len(texts), SIGNED_AT_ONCE):
        part = slice(start, min(start + SIGNED_AT_ONCE, len(texts)))
        values, sizes[part] = minhash.signatures(texts[part], bands * rows, shingle_chars)
        hashes[:, part] = minhash.band_hashes(values, bands, rows)
    return hashes, sizes


def find_duplicates(
    documents: pl.DataFrame, texts: Texts, settings: DedupSettings
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Name every document that goes and the one that stands for it, and count the copies by kind and author.

    `documents` holds `doc_key`, `source`, `place` (of the source in the recipe), `author_id` and the columns of
    `sign_texts`, in any order; `texts(rows)` gives the similarity texts of the documents at these rows.

    Returns the removed documents in corpus order (REMOVED_COPY) and the counts. `exact_duplicate`: an earlier
    document has the same text. `near_duplicate`: an earlier accepted one is at least `threshold` similar. The
    stand-in is always accepted itself: for the copy of a text that went, it is what stands for that text, and
    `similarity` says how alike they are. Of several the most similar stands in, of equals the earliest.

    With `drop_all`, an accepted document goes too if a document of another author is that similar to it; its
    stand-in column then names the first such document. It and all that it stood for are `cross_author_duplicate`.
    """
    documents = documents.rechunk()
    copies = _in_corpus_order(documents)
    firsts = copies.filter(pl.col("rank") == pl.col("first"))
    rows = firsts["row"].to_numpy().astype(np.int64)
    drop_all = settings.cross_author_duplicates == "drop_all"
    alike, compared = _compare_all(
        lambda j, positions: documents[f"band_{j}"].to_numpy()[rows[positions]],
        settings.bands,
        documents["grams"].to_numpy()[rows],
        lambda positions: texts(rows[positions]),
        settings,
        only_accepted=not drop_all,
    )
    pairs = _with_accepted(alike) if drop_all else alike
    removed = _choose_stand_ins(copies, firsts, pairs)
    disputed = _find_disputed(copies, firsts, pairs, alike)
    counts = {
        f"{reason}_{author}": removed.filter((pl.col("reason") == reason) & (pl.col("same_author") == same)).height
        for reason in (EXACT, NEAR)
        for author, same in (("same_author", True), ("other_author", False))
    } | {"texts_of_several_authors": disputed.height, "pairs_compared": compared}
    if drop_all:
        theirs = pl.col("stands").is_in(disputed["stands"].implode())
        removed = removed.with_columns(reason=pl.when(theirs).then(pl.lit(CROSS)).otherwise(pl.col("reason")))
        removed = pl.concat([removed, disputed.select(removed.columns)])
    return removed.sort("rank").select(REMOVED_COPY.names()), counts


def _in_corpus_order(documents: pl.DataFrame) -> pl.DataFrame:
    """The documents with their `row`, their `rank` in corpus order and, of their text, a number and the `first` rank.

    Texts are numbered in the order of their first documents.
    """
    if documents["doc_key"].n_unique() < documents.height:
        raise ValueError("doc_key is not unique: of documents with one key no order can be told")
    return (
        documents.select("doc_key", "source", "place", "author_id", "text_hash")
        .with_row_index("row")
        .sort("place", "doc_key")
        .with_row_index("rank")
        .with_columns(first=pl.col("rank").min().over("text_hash"))
        .with_columns(text=(pl.col("first").rank("dense") - 1).cast(pl.UInt32))
    )


def _choose_stand_ins(copies: pl.DataFrame, firsts: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """The removed documents, each with the accepted text (`stands`) that is most like it, and the reason."""
    nearest = pairs.sort("later", "similarity", "earlier", descending=[False, True, False]).unique(
        "later", keep="first", maintain_order=True
    )
    return (
        copies.join(nearest.select("similarity", text="later", stands="earlier"), on="text", how="left")
        .filter((pl.col("rank") != pl.col("first")) | pl.col("stands").is_not_null())
        .with_columns(
            reason=pl.when(pl.col("rank") == pl.col("first")).then(pl.lit(NEAR)).otherwise(pl.lit(EXACT)),
            stands=pl.coalesce("stands", "text"),
            similarity=pl.col("similarity").fill_null(1.0),
        )
        .join(firsts.select(stands="text", stand_in="doc_key", stand_author="author_id"), on="stands")
        .with_columns(same_author=pl.col("author_id") == pl.col("stand_author"))
        .select("rank", "stands", *REMOVED_COPY)
    )


def _find_disputed(
    copies: pl.DataFrame, firsts: pl.DataFrame, pairs: pl.DataFrame, alike: pl.DataFrame
) -> pl.DataFrame:
    """The accepted documents that resemble one of another author, each with the first such document.

    `pairs` have an accepted earlier text; `alike` are all the pairs that were compared.
    """
    accepted = firsts.join(pairs, left_on="text", right_on="later", how="anti")
    themselves = accepted.select(earlier="text", later="text", similarity=pl.lit(1.0))
    backwards = alike.select(earlier="later", later="earlier", similarity="similarity")
    return (
        accepted.join(pl.concat([alike, backwards, themselves]), left_on="text", right_on="earlier")
        .join(copies.select(later="text", when="rank", stand_in="doc_key", other_author="author_id"), on="later")
        .filter(pl.col("author_id") != pl.col("other_author"))
        .sort("when")
        .unique("text", keep="first", maintain_order=True)
        .with_columns(reason=pl.lit(CROSS), same_author=pl.lit(False))
        .rename({"text": "stands"})
    )


def _with_accepted(alike: pl.DataFrame) -> pl.DataFrame:
    """Of all similar pairs those whose earlier text is accepted: similar to no accepted one before it."""
    gone: set[int] = set()
    for earlier, later in alike.sort("later").select("earlier", "later").iter_rows():
        if earlier not in gone:
            gone.add(later)
    return alike.filter(~pl.col("earlier").is_in(sorted(gone)))


def similar_pairs(keys: Sequence[str], texts: Sequence[str], threshold: float, shingle_chars: int = 5) -> pl.DataFrame:
    """All pairs of texts with J >= threshold, verified: frame(a, b, similarity) with a < b, sorted.

    For the groups that share a split (A.7) and the checks of a release. Bands are chosen for the threshold
    (`choose_bands`), so that a pair at the threshold is missed with probability under 0.001.
    """
    bands, rows = choose_bands(threshold)
    table = pl.DataFrame({"key": keys, "text": texts}, schema={"key": pl.String, "text": pl.String}).sort("key")
    hashes, sizes = _sign(table["text"], bands, rows, shingle_chars)
    settings = DedupSettings(threshold, shingle_chars, bands, rows)
    pairs, _ = _compare_all(
        lambda j, positions: hashes[j, positions],
        bands,
        sizes,
        lambda positions: table["text"].gather(positions).to_list(),
        settings,
        only_accepted=False,
    )
    key = table["key"]
    return pl.DataFrame(
        {
            "a": key.gather(pairs["earlier"]),
            "b": key.gather(pairs["later"]),
            "similarity": pairs["similarity"],
        }
    ).sort("a", "b")


def find_components(bands: Iterable[U64], count: int) -> I32:
    """For each of `count` documents the first one of its component.

    Two documents are in one component if they share a bucket or a chain of buckets links them; each item of
    `bands` holds one band's hashes.
    """
    from authbench.dedup import kernels

    parent = np.arange(count, dtype=np.int32)
    for hashes in bands:
        kernels.unite(parent, kernels.first_with_same(hashes))
    return kernels.roots(parent)


def blocks(component: I32, sizes: U32, limit: int) -> Iterator[I64]:
    """Positions of the documents of whole components, each block in ascending order.

    A block's `sizes` add up to at most `limit`, unless a single component is larger. Documents that are a
    component of their own are left out.
    """
    members = np.flatnonzero(np.bincount(component, minlength=len(component))[component] > 1)
    members = members[np.argsort(component[members], kind="stable")]
    bounds = [*np.flatnonzero(np.diff(component[members], prepend=-1)).tolist(), len(members)]
    held, begin = 0, 0
    for start, end in pairwise(bounds):
        size = int(sizes[members[start:end]].sum(dtype=np.int64))
        if held and held + size > limit:
            yield np.sort(members[begin:start])
            held, begin = 0, start
        held += size
    if held:
        yield np.sort(members[begin:])


def compare_block(
    positions: I64, bands: Sequence[U64], sizes: U32, texts: Texts, settings: DedupSettings, only_accepted: bool
) -> tuple[pl.DataFrame, int]:
    """Verified pairs of one block, frame(earlier, later, similarity), and the number of comparisons.

    `positions` are in corpus order, `bands[j]` their hashes in band j and `sizes` their numbers of shingles. With
    `only_accepted`, pairs whose earlier document is similar to one before it are left out: it does not stand.
    """
    from authbench.dedup import kernels

    first = np.stack([kernels.first_with_same(hashes) for hashes in bands])
    hashes, ends = _sorted_shingles(positions, sizes, texts, settings.shingle_chars)
    earlier, later, similarity, compared = kernels.compare_with_earlier(
        first, hashes, ends, settings.threshold, only_accepted
    )
    return _pairs(positions[earlier], positions[later], similarity), compared


def _compare_all(
    band: Band, bands: int, sizes: U32, texts: Texts, settings: DedupSettings, only_accepted: bool
) -> tuple[pl.DataFrame, int]:
    everything = np.arange(len(sizes))
    component = find_components((band(j, everything) for j in range(bands)), len(sizes))
    found, compared = [_pairs([], [], [])], 0
    for positions in blocks(component, sizes + np.uint32(DOCUMENT_OVERHEAD), BLOCK_SHINGLES):
        hashes = [band(j, positions) for j in range(bands)]
        pairs, comparisons = compare_block(positions, hashes, sizes[positions], texts, settings, only_accepted)
        found.append(pairs)
        compared += comparisons
    return pl.concat(found), compared


def _pairs(earlier: Sequence[int] | I64, later: Sequence[int] | I64, similarity: Sequence[float] | F64) -> pl.DataFrame:
    schema = {"earlier": pl.UInt32, "later": pl.UInt32, "similarity": pl.Float64}
    return pl.DataFrame({"earlier": earlier, "later": later, "similarity": similarity}).cast(schema)  # type: ignore[arg-type]


def _sorted_shingles(positions: I64, sizes: U32, texts: Texts, length: int) -> tuple[U64, I64]:
    """The sorted shingle hashes of the documents, one after another, and their ends; texts are fetched in parts."""
    from authbench.dedup.shingles import shingle_hashes

    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    hashes = _room(int(ends[-1]))
    part_of = ends[:-1] // BLOCK_SHINGLES
    for part in np.unique(part_of):
        chosen = np.flatnonzero(part_of == part)
        low, high = chosen[0], chosen[-1] + 1
        given, given_ends = shingle_hashes(pl.Series(texts(positions[low:high]), dtype=pl.String), length)
        if not np.array_equal(given_ends, ends[low : high + 1] - ends[low]):
            raise ValueError("the texts are not those that were signed: their numbers of shingles differ")
        for start, end in zip(given_ends[:-1].tolist(), given_ends[1:].tolist(), strict=True):
            given[start:end].sort()
        hashes[ends[low] : ends[high]] = given
    return hashes, ends


def _room(count: int) -> U64:
    """Room for `count` hashes: memory, or a temporary file that the system pages in and out."""
    if count <= BLOCK_SHINGLES:
        return np.empty(count, np.uint64)
    with tempfile.TemporaryFile() as file:
        return np.asarray(np.memmap(file, np.uint64, "w+", shape=(count,)))
