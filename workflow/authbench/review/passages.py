"""Find the passages of ingested documents from which reviewed texts were made, and excerpts of other documents."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

import polars as pl

from authbench.storage.parquet import read_batches

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

    Texts longer than LONGEST, or with changed first or last words, have no passage. Memory: one row group.

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
