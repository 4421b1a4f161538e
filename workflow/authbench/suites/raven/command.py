"""Run all steps of RAVEN in a process; docs/raven.md lists them with the files that they write."""

import sys
from pathlib import Path

from authbench.config.settings.evaluate import Raven
from authbench.core.storage.json_files import read_json
from authbench.models.model import VectorCache
from authbench.scoring.verifiers import Bench
from authbench.suites.raven.answers import write_answers
from authbench.suites.raven.checks import load_verifiers
from authbench.suites.raven.documents import VERIFICATION, write_documents
from authbench.suites.raven.duration import expected
from authbench.suites.raven.encoders import load_encoder
from authbench.suites.raven.layout import write_subsets
from authbench.suites.raven.page import write_report
from authbench.suites.raven.results import Run, read_run
from authbench.suites.raven.subsets import batches, fold_parts
from authbench.suites.raven.vectors import write_topics


def run(settings: Raven, seed: int, out: Path, unverified: bool = False, cache: VectorCache | None = None) -> str:
    """Run RAVEN into the folder `out` and return the shortcut table for a terminal.

    Args:
        cache: of vectors; None: in `out`.
    """
    found = answer_all(settings, seed, out, unverified, cache)
    verification = read_json(out / VERIFICATION)
    return write_report(found, settings, out / "report", verification)


def answer_all(
    settings: Raven, seed: int, out: Path, unverified: bool = False, cache: VectorCache | None = None
) -> Run:
    """Run all steps of `run` except the report, and return their results."""
    documents, metadata, pairs = out / "documents.parquet", out / "subsets.json", out / "pairs"
    cache = cache or VectorCache(out / "work" / "embeddings")
    bench = Bench(seed, out / "work", cache)
    encoders = [load_encoder(name) for name in settings["encoders"]]
    verifiers = load_verifiers(settings)
    topics = {encoder.name: out / "topics" / f"{encoder.name}.parquet" for encoder in encoders}
    write_documents(settings["documents"], documents, seed, unverified=unverified)
    for encoder in encoders:
        write_topics(documents, encoder, settings, seed, topics[encoder.name], cache)
    described = write_subsets(documents, topics, settings, settings, seed, metadata, pairs)
    print(expected(verifiers, described), file=sys.stderr, flush=True)
    written = []
    for batch, subsets in batches(settings, settings["subsets_per_job"]).items():
        drawn = [pairs / f"{subset}.parquet" for subset in subsets]
        for name, verifier in verifiers.items():
            for part, folds in fold_parts(settings).items():
                written.append(out / "answers" / batch / name / f"{part}.parquet")
                write_answers(documents, metadata, drawn, verifier, folds, bench, written[-1])
    return read_run(metadata, pairs, written, list(verifiers))
