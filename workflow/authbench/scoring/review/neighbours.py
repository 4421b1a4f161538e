"""Find texts similar to a reviewed text: its removed duplicates, and its nearest neighbours in the corpus."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.storage.parquet import read_batches

WORDS = 4  # words at either end, by which a chunk is found in its document
LONGEST = 30_000  # characters; longer passages are not compared
EXCERPT = 600


def document_of(doc_key: str) -> str:
    """Return the key of the document from which a chunk was cut; for an uncut document, its key.

    >>> document_of("blog:17#chunk_3")
    'blog:17'
    """
    return re.sub(r"#chunk_\d+$", "", doc_key)


def passages(paths: Sequence[str | Path], texts: Mapping[str, str]) -> dict[str, str]:
    """Return by doc_key the passage of the ingested documents that became each text.

    Texts longer than LONGEST, or with changed first or last words, have no passage. Memory: a row group.

    Args:
        paths: Parquet files with `doc_key` and `content`.
    """
    chunks: dict[str, list[str]] = {}
    for key in texts:
        chunks.setdefault(document_of(key), []).append(key)
    found = {}
    for document, content in _of_these(paths, chunks.keys()):
        for key in chunks[document]:
            passage = content if key == document else passage_of(content, texts[key])
            if passage and len(passage) <= LONGEST:
                found[key] = passage
    return found


def passage_of(document: str, text: str) -> str | None:
    """Return the part of a document from a text's first words to its last, ignoring differences in white space."""
    words = text.split()
    ends = [r"\s+".join(map(re.escape, some)) for some in (words[:WORDS], words[-WORDS:])]
    if not words:
        return None
    start = re.search(ends[0], document)
    if start is None:
        return None
    stops = [match.end() for match in re.finditer(ends[1], document[start.start() :])]
    likely = min(stops, key=lambda stop: abs(stop - len(text)), default=None)
    return None if likely is None else document[start.start() : start.start() + likely]


def excerpts(paths: Sequence[str | Path], keys: Set[str]) -> dict[str, str]:
    """Return the beginnings of the documents with these keys."""
    return {key: content[:EXCERPT] for key, content in _of_these(paths, keys)}


def _of_these(paths: Sequence[str | Path], keys: Set[str]) -> Iterable[tuple[str, str]]:
    wanted = pl.Series(sorted(keys), dtype=pl.String).implode()
    for batch in read_batches(paths, ["doc_key", "content"]):
        yield from batch.filter(pl.col("doc_key").is_in(wanted)).iter_rows()


PERMUTATIONS = 128
LEAST = 0.2  # the lowest MinHash estimate of a neighbour's similarity
MOST = 3


def removed_copies(texts: Iterable[str], removed: pl.DataFrame) -> dict[str, list[tuple[str, str, float]]]:
    """Return by doc_key the removed duplicates of each text (key, reason, similarity), most similar first.

    Args:
        removed: the REMOVED rows of both de-duplications, with "stand-in <doc_key>" as `detail` and the similarity as
            `value`.
    """
    wanted = {key: {key, document_of(key)} for key in texts}
    stands = pl.Series(sorted(set().union(*wanted.values())), dtype=pl.String).implode()
    by_stand_in: dict[str, list[tuple[str, str, float]]] = {}
    named = removed.with_columns(pl.col("detail").str.strip_prefix("stand-in "))
    rows = named.filter(pl.col("detail").is_in(stands)).sort(-pl.col("value"), "doc_key")
    for stand_in, key, reason, value in rows.select("detail", "doc_key", "reason", "value").iter_rows():
        by_stand_in.setdefault(stand_in, []).append((key, reason, value))
    return {
        key: sorted(
            (copy for name in names for copy in by_stand_in.get(name, [])), key=lambda copy: (-copy[2], copy[0])
        )
        for key, names in wanted.items()
    }


def kept_neighbours(
    texts: pl.DataFrame, batches: Iterable[pl.DataFrame], shingle_chars: int
) -> dict[str, list[tuple[str, float, str]]]:
    """Return by doc_key the MOST most similar kept texts of its language: (key, multiset Jaccard similarity, content).

    MinHash finds them: two thirds of the pairs with a similarity of at least LEAST are estimated to within 0.09.
    Memory: a batch, its signatures, and MOST texts for each.
    """
    from authbench.build.dedup.minhash import draw_permutations, signatures

    permutations = draw_permutations(PERMUTATIONS)
    signed = {
        lang: (part, signatures(part["content"], permutations, shingle_chars)[0])
        for (lang,), part in texts.group_by("lang", maintain_order=True)
    }
    found: dict[str, list[tuple[float, str, str]]] = {key: [] for key in texts["doc_key"]}
    for batch in batches:
        for (lang,), part in batch.group_by("lang", maintain_order=True):
            if lang not in signed:
                continue
            ours, marks = signed[lang]
            keys, contents = part["doc_key"], part["content"]
            theirs = signatures(contents, permutations, shingle_chars)[0]
            for key, mark in zip(ours["doc_key"], marks, strict=True):
                alike = (theirs == mark).mean(axis=1)
                for place in np.argsort(-alike, kind="stable")[: MOST + 1].tolist():
                    if alike[place] >= LEAST and keys[place] != key:
                        found[key].append((-float(alike[place]), keys[place], contents[place]))
                found[key] = sorted(found[key])[:MOST]
    contents_of: Mapping[str, str] = dict(texts.select("doc_key", "content").iter_rows())
    nearest = {}
    for key, near in found.items():
        exact = [(other, jaccard(contents_of[key], content, shingle_chars), content) for _, other, content in near]
        nearest[key] = sorted(exact, key=lambda one: (-one[1], one[0]))
    return nearest


def jaccard(one: str, other: str, shingle_chars: int) -> float:
    """Return the Jaccard similarity of the multisets of two texts' shingles."""
    from authbench.build.dedup.shingles import shingle_hashes

    hashes, ends = shingle_hashes(pl.Series([one, other]), shingle_chars)
    first, second = (
        dict(zip(*np.unique(hashes[start:end], return_counts=True), strict=True))
        for start, end in zip(ends[:-1], ends[1:], strict=True)
    )
    common = sum(min(count, second.get(gram, 0)) for gram, count in first.items())
    return float(common / max(1, int(ends[-1]) - common))
