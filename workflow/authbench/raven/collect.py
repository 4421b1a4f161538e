"""Read the results of a RAVEN run."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from authbench.raven.results import Run
from authbench.raven.scores import fold_scores
from authbench.storage.json_files import read_json
from authbench.storage.parquet import read_columns


def read_run(facts: Path, pairs: Path, answers: Sequence[Path], verifiers: Sequence[str]) -> Run:
    """Return the metadata of all subsets and the scores of every verifier on every fold.

    Args:
        facts: subsets.json.
        pairs: the folder with a file for each subset that verifiers ran on.
        answers: files of `write_answers`, each in a folder named after its verifier.
        verifiers: names of the verifiers to read.
    """
    metadata = read_json(facts)
    given = {name: read_columns([path for path in answers if path.parent.name == name]) for name in verifiers}
    tables = []
    for name in (name for name, about in metadata.items() if about["trained"]):
        drawn = read_columns([pairs / f"{name}.parquet"])
        for verifier in verifiers:
            said = given[verifier].filter(pl.col("subset") == name)
            who = (pl.lit(name).alias("subset"), pl.lit(verifier).alias("verifier"))
            tables.append(fold_scores(drawn, said).select(*who, pl.all()))
    return Run(metadata, pl.concat(tables), verifiers)
