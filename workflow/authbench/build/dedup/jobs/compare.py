"""Verify the candidate pairs of a part of the components (`compare`), from files to files."""

from collections.abc import Sequence
from pathlib import Path

from authbench.build.dedup.compare import compare_components
from authbench.build.dedup.links import components, members, share_of_work
from authbench.build.dedup.shards import Paths, read_documents, starts_of
from authbench.build.dedup.signatures import SKETCH
from authbench.build.dedup.similarity import stored_texts
from authbench.config.settings.dedup import Copies
from authbench.core.storage.json_files import write_json
from authbench.core.storage.parquet import read_columns, write_parquet


def compare_part(
    signatures: Paths,
    texts: Paths,
    links: Paths,
    pairs: str | Path,
    counts: str | Path,
    share: tuple[int, int],
    order: Sequence[str],
    settings: Copies,
) -> None:
    """Verify the candidate pairs of a share of the components.

    Memory: 16 bytes per document, 200 per document of the share, and the shingles of a block.
    """
    component = components(int(starts_of(signatures)[-1]), (read_columns([path]) for path in links))
    rows = members(component)
    sizes = read_documents(signatures, rows, ["grams"])["grams"].to_numpy()
    rows = rows[share_of_work(component[rows], sizes, *share)]
    table = (
        read_documents(signatures, rows, ["doc_key", "source", "grams", *SKETCH], order)
        .with_columns(row=rows, component=component[rows])
        .sort("component", "place", "doc_key")
    )
    rows = table["row"].to_numpy()
    similar, work = compare_components(
        table["component"].to_numpy(writable=True),
        table["grams"].to_numpy(),
        table.select(SKETCH).to_numpy(order="c"),
        stored_texts(texts, rows),
        settings,
        only_accepted=settings["cross_author_duplicates"] == "keep_first",
    )
    write_parquet(similar.with_columns(earlier=rows[similar["earlier"]], later=rows[similar["later"]]), pairs)
    write_json(counts, work.counts())
