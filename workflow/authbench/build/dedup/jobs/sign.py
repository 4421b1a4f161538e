"""Sign the texts of a shard, from file to file."""

from pathlib import Path

from authbench.build.dedup.minhash import draw_permutations
from authbench.build.dedup.signatures import sign_texts
from authbench.build.dedup.similarity import similarity_text
from authbench.config.settings.dedup import Signing
from authbench.config.settings.values import Backend
from authbench.core.runtime.progress import progress
from authbench.core.storage.parquet import read_batches, write_frames

AT_ONCE = 50_000  # documents whose signatures, 300 bytes each, are in memory: a row group of tiny texts has a million
KEYS = ["doc_key", "source", "author_id"]


def sign_shard(texts: str | Path, signatures: str | Path, settings: Signing, backend: Backend = "kernels") -> None:
    """Sign the texts of a shard. Memory: a row group of texts, and AT_ONCE signatures."""
    permutations = draw_permutations(settings["bands"] * settings["rows"])
    batches = progress(read_batches([texts], [*KEYS, "lang", "content"]), "sign: batches")
    signed = (
        part.select(KEYS).hstack(sign_texts(similarity_text(part), part["content"], permutations, settings, backend))
        for batch in batches
        for part in (batch.iter_slices(AT_ONCE) if batch.height else [batch])
    )
    write_frames(signatures, signed)
