"""Adapter of the rule chunk_documents."""

from authbench.build.chunk.cut import chunk_records
from authbench.build.chunk.retag import read_retags, retag
from authbench.core.funnel import Tally
from authbench.core.records import DOCUMENT
from authbench.core.runtime.job import log_to
from authbench.core.runtime.progress import progress
from authbench.core.storage.json_files import write_json
from authbench.core.storage.parquet import read_batches, read_columns, split_by_bytes, without, write_batches
from authbench.core.tokens import load_tokenizer

log_to(snakemake.log[0])
params = snakemake.params
tokenizer = load_tokenizer(params.backend)
tally = Tally("chunk")
languages = read_retags(params.chunk["retag"]) if params.chunk["retag"] else {}


def chunked():
    gone = read_columns([snakemake.input.duplicates], ["doc_key"])
    for batch in progress(read_batches([snakemake.input.records]), "chunk: batches"):
        records = without(batch, [gone])
        documents, over_cap = chunk_records(records, tokenizer, params.chunk, params.seed, params.final_newline)
        documents = retag(documents, languages)
        tally.add(records, documents)
        tally.note("over_chunk_cap", over_cap)
        yield from split_by_bytes(documents)


write_batches(snakemake.output.documents, DOCUMENT, chunked())
write_json(snakemake.output.counts, tally.counts())
