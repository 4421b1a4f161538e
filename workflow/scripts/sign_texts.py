"""Adapter of the rule sign_texts."""

from authbench.dedup.duplicates import DedupSettings, sign_texts
from authbench.dedup.similarity import similarity_text
from authbench.job import log_to, progress
from authbench.tables import read_batches, write_frames

log_to(snakemake.log[0])
settings = DedupSettings(threshold=1.0, **snakemake.params.signature)  # no signature depends on the threshold
columns = ["doc_key", "source", "author_id", "lang", "content"]


def signed():
    for texts in progress(read_batches([snakemake.input.texts], columns), "sign: batches"):
        signatures = sign_texts(similarity_text(texts), texts["content"], settings)
        yield texts.select("doc_key", "source", "author_id").hstack(signatures)


write_frames(snakemake.output.signatures, signed())
