"""Compute the steps of a RAVEN run, each from files to files.

documents.parquet            all texts, with author and topic (`documents`)
topics/<encoder>.parquet     the vector of every topic (`vectors`)
subsets.json, pairs/*.parquet  the topics, folds and pairs of every subset (`layout`)
answers/<subset>/<verifier>/<part>.parquet  a verifier's scores on some of the folds (`answers`)

`collect` reads the results, `page` presents them, `command` runs everything in one process.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.raven.answers import answer_folds
from authbench.raven.documents import KEYS, read_contents, read_keys, stream, with_enough
from authbench.raven.layout import Topics, lay_out
from authbench.raven.subsets import Subset, plan_of
from authbench.raven.vectors import document_rows, expect_encoder, sample_rows, topic_vectors
from authbench.storage.json_files import write_json
from authbench.storage.parquet import read_batches, read_columns, write_parquet
from authbench.verifiers.registry import Verifier

Settings = Mapping[str, Any]


def write_topics(documents: Path, encoder: str, models: Path, settings: Settings, seed: int, path: Path) -> None:
    """The vectors of all topics that may be taken, by one encoder. Holds a row group of texts, and for encoders that
    learn a sample (`vectors`)."""
    model = expect_encoder(encoder, models)
    keys = usable_keys(documents, settings, seed)
    sizes = pl.concat([frame["content"].str.len_bytes() for frame in read_batches([documents], ["content"])])
    rows = keys["row"].to_numpy()[sample_rows(keys["id"], sizes.gather(keys["row"]), seed)]
    sample = read_contents(documents, pl.DataFrame({"row": rows}), ("id", "lang", "topic", "content"))
    whole = sample.height == keys.height
    wanted = keys.select("id")
    batches = [sample] if whole else (frame.join(wanted, on="id", how="semi") for frame in stream(documents))
    names, vectors = topic_vectors(batches, document_rows(encoder, model, sample, whole, seed))
    width = vectors.shape[1]
    write_parquet(pl.DataFrame({"topic": names, "vector": pl.Series(vectors, dtype=pl.Array(pl.Float64, width))}), path)


def usable_keys(documents: Path, settings: Settings, seed: int) -> pl.DataFrame:
    return with_enough(read_keys(documents), settings["min_documents"], settings["documents_per_topic"], seed)


def read_topics(path: Path) -> Topics:
    table = read_columns([path])
    return table["topic"].to_list(), np.asarray(table["vector"].to_numpy(), np.float64)


def write_subsets(
    documents: Path, topics: Mapping[str, Path], settings: Settings, seed: int, facts: Path, pairs: Path
) -> None:
    """Lay out every subset: its facts into one file, the pairs, if verifiers run on them, into the folder `pairs`."""
    keys = usable_keys(documents, settings, seed).select(KEYS)
    vectors = {name: read_topics(path) for name, path in topics.items()}
    told = {}
    for subset in plan_of(settings):
        told[subset.name], drawn = lay_out(subset, keys, vectors, settings["encoders"][0], settings["folds"], seed)
        if subset.trained:
            write_parquet(drawn, pairs / f"{subset.name}.parquet")
    write_json(facts, told)


def write_answers(
    documents: Path, pairs: Path, verifier: Verifier, folds: Sequence[int], work: Path, seed: int, path: Path
) -> None:
    """The answers of a verifier to the test pairs of these folds. Holds the texts of one subset."""
    drawn = read_columns([pairs]).filter(pl.col("fold").is_in(list(folds)))
    wanted = pl.concat([drawn["first"], drawn["second"]]).unique().implode()
    texts = read_contents(documents, read_keys(documents).filter(pl.col("id").is_in(wanted)))
    own = work / verifier.name if shares_vectors(verifier) else work / pairs.stem / verifier.name / path.stem
    write_parquet(answer_folds(verifier, drawn, texts, folds, own, seed), path)


def shares_vectors(verifier: Verifier) -> bool:
    """Whether all a verifier keeps in its folder are vectors of texts, which serve every subset."""
    return verifier.kind == "model" and not verifier.parameters["fine_tune"]


def fold_parts(settings: Settings) -> dict[str, list[int]]:
    """The folds of each job, by the name of its file."""
    folds, size = settings["folds"], settings["folds_per_job"]
    return {
        f"folds-{start}-{min(start + size, folds) - 1}": list(range(start, min(start + size, folds)))
        for start in range(0, folds, size)
    }


def trained(settings: Settings) -> list[Subset]:
    return [subset for subset in plan_of(settings) if subset.trained]


def encoder_name(encoder: str) -> str:
    """What an encoder's file is called: its name, or that of the page that a path names."""
    return Path(encoder).stem if encoder.endswith((".yaml", ".yml")) else encoder
