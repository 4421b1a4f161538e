"""Adapter of the rule write_sheets."""

from authbench.core.runtime.job import log_to
from authbench.core.runtime.progress import progress
from authbench.core.storage.atomic import atomic_folder
from authbench.core.storage.parquet import read_batches, read_columns
from authbench.scoring.review.neighbours import excerpts, kept_neighbours, passages, removed_copies
from authbench.scoring.review.sheets import Beside, choose_texts, with_measures, write_sheets

log_to(snakemake.log[0])
given, params = snakemake.input, snakemake.params
cells = read_columns([given.documents], ["doc_key", "lang", "genre", "length_bucket"])
chosen = choose_texts(cells, params.texts_per_cell, params.seed).select("doc_key", "primary")
texts = chosen.join(read_columns([given.documents]), on="doc_key", maintain_order="left")
texts = with_measures(texts, (read_columns([path]) for path in given.measures))

columns = ["doc_key", "lang", "content"]
kept = progress(read_batches([given.documents], columns), "batches of texts compared")
copies = removed_copies(texts["doc_key"], read_columns(given.copies, ["doc_key", "reason", "value", "detail"]))
gone = {key for some in copies.values() for key, _, _ in some}
beside = Beside(
    passages(given.ingested, dict(texts.select("doc_key", "content").iter_rows())),
    copies,
    {**excerpts(given.ingested, gone), **excerpts(given.chunks, gone)},
    kept_neighbours(texts.select(columns), kept, params.shingle_chars),
)
with atomic_folder(snakemake.output.sheets) as folder:
    write_sheets(folder, params.name, texts, params.filter, beside, params.texts_per_cell)
