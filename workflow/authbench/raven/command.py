"""Run all steps of RAVEN in one process."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from authbench.raven.collect import read_run
from authbench.raven.documents import write_documents
from authbench.raven.page import write_report
from authbench.raven.run import encoder_name, fold_parts, trained, write_answers, write_subsets, write_topics
from authbench.verifiers.registry import Verifier


def run(settings: Mapping[str, Any], verifiers: Iterable[Verifier], models: Path, seed: int, out: Path) -> str:
    """All steps, in one process, into the folder `out`; returned is the shortcut table in Markdown."""
    documents, facts, pairs, answers = out / "documents.parquet", out / "subsets.json", out / "pairs", out / "answers"
    topics = {encoder: out / "topics" / f"{encoder_name(encoder)}.parquet" for encoder in settings["encoders"]}
    write_documents(settings["documents"], documents, seed)
    for encoder, path in topics.items():
        write_topics(documents, encoder, models, settings, seed, path)
    write_subsets(documents, topics, settings, seed, facts, pairs)
    verifiers = list(verifiers)
    for subset in trained(settings):
        for verifier in verifiers:
            for part, folds in fold_parts(settings).items():
                path = answers / subset.name / verifier.name / f"{part}.parquet"
                write_answers(documents, pairs / f"{subset.name}.parquet", verifier, folds, out / "work", seed, path)
    found = read_run(facts, pairs, answers, [verifier.name for verifier in verifiers])
    return write_report(found, settings, out / "report")
