"""What does one model score on every dataset, on disk?

    <out>/<model>/<long texts>.json         a result per dataset and task, what was not run, versions
    <out>/<model>/<long texts>.speed.json   texts per second: alone of all of it not the same twice

Every table can be made again from these without the model. What a dataset gave is kept beside the vectors, by a digest
of all that decides it, so that a changed page, a new dataset or a corrected file is all that is scored anew.
"""

import hashlib
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson
import polars as pl
from threadpoolctl import threadpool_limits  # scikit-learn brings it

from authbench import __version__, tokens
from authbench.errors import InputError
from authbench.models.registry import Model
from authbench.runtime.code import code_hash
from authbench.storage.json_files import read_json, write_json, write_plain_json
from authbench.style import features
from authbench.style.datasets import Dataset
from authbench.style.rows import Rows, missing_files, read_rows
from authbench.style.tasks import TASKS
from authbench.style.vectors import decided_by, encoded_so_far, flops_per_text, texts_per_second, vectors_of

FEW = 3  # datasets without files that are told where there are files of none
LIBRARIES = ("numpy", "polars", "scikit-learn", "scipy")


def read_all(datasets: Sequence[Dataset], data: Path, missing: str) -> tuple[dict[str, Rows], dict[str, str]]:
    """The rows of the datasets whose files are there, and what is said of the others.

    With `missing: error` raises InputError where files of one are not there.
    """
    absent = {one.name: problem for one in datasets if (problem := missing_files(one, data))}
    if absent and missing == "error":
        told = "\n".join(f"  {name}: {problem}" for name, problem in absent.items())
        raise InputError(
            f"Nothing was run: files of {len(absent)} datasets are missing\n{told}\nmissing: skip runs the others."
        )
    if len(absent) == len(datasets):
        if not data.is_dir():
            raise InputError(f"{data}: there is no such folder. Expected the one that holds the datasets' folders.")
        told = "\n".join(f"  {name}: {problem}" for name, problem in list(absent.items())[:FEW])
        count = "1 dataset" if len(datasets) == 1 else f"{len(datasets)} datasets"
        raise InputError(
            f"{data}: no files of what was asked for, {count}\n{told}" + ("\n  ..." if len(absent) > FEW else "")
        )
    return {one.name: read_rows(one, data) for one in datasets if one.name not in absent}, absent


def run(
    model: Model,
    datasets: Sequence[Dataset],
    rows: Mapping[str, Rows],
    absent: Mapping[str, str],
    out: Path,
    cache: Path,
    long_texts: str = "chunk_and_pool",
    seed: int = 0,
    half: bool = False,
) -> dict[str, Any]:
    """Score a model on all datasets with rows, and write the result, which is returned, and its speed."""
    results: dict[str, Any] = {}
    rate = texts_per_second(rates_file(cache, model, long_texts), 0, 0.0)
    versions = {"authbench": __version__, "python": platform.python_version()} | {
        library: version(library) for library in LIBRARIES
    }
    decides = {"code": code_hash(Path(__file__)), "versions": versions, "seed": seed, "model": model.name}
    decides |= {"vectors": decided_by(model, long_texts, half), "long_texts": long_texts}
    for dataset in datasets:
        if dataset.name in rows:
            started = time.monotonic()
            path = cache / "scores" / model.name / f"{digest_of(decides, dataset, rows[dataset.name])}.json"
            known = path.is_file()
            if not known:
                found, speed = of_dataset(model, dataset, rows[dataset.name], cache, long_texts, seed, half)
                rate = speed or rate
                write_json(path, found)
            results[dataset.name] = read_json(path)
            how = "scored before" if known else f"in {time.monotonic() - started:.1f} s"
            print(f"{model.name}: {dataset.name} {how}", file=sys.stderr, flush=True)
    told = {
        "model": model.as_dict(),
        "settings": {"long_texts": long_texts, "seed": seed},
        "versions": versions,
        "datasets": results,
        "not_run": dict(absent),
    }
    write_plain_json(out / model.name / f"{long_texts}.json", told)
    write_plain_json(speed_file(out / model.name / f"{long_texts}.json"), {"texts_per_second": rate})
    return told


def digest_of(decides: Mapping[str, Any], dataset: Dataset, rows: Rows) -> str:
    """A digest of all that decides the result of a dataset: its tasks, its rows, and `decides` of any dataset."""
    whole = {
        **decides,
        "dataset": [dataset.name, dataset.attribute, dataset.languages, dataset.paper, dataset.tasks],
        "features": features.measured_by(dataset.probed_for),
        "rows": [rows.digest, rows.bad_rows],
    }
    return hashlib.sha256(orjson.dumps(whole, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


def rates_file(cache: Path, model: Model, long_texts: str) -> Path:
    return cache / "rates" / f"{model.name}-{long_texts}.json"


def speed_file(scores: Path) -> Path:
    return scores.with_suffix(".speed.json")


def of_dataset(
    model: Model, dataset: Dataset, rows: Rows, cache: Path, long_texts: str, seed: int, half: bool = False
) -> tuple[dict[str, Any], float | None]:
    """The results of a dataset's tasks, what was read and what its texts cost; and texts per second so far, if known.

    Raises InputError, naming the dataset, where rows and tasks do not fit.
    """
    try:
        asked = {task: TASKS[task].asked(rows.frame, settings) for task, settings in dataset.tasks.items()}
    except InputError as problem:
        raise InputError(f"{dataset.name}: {problem}") from None
    documents = texts_of(dataset, asked)
    if documents.is_empty():
        nothing = {"tasks": {task: {"undefined": "no text"} for task in asked}, **facts(dataset, rows, documents)}
        return nothing, None
    before, started = encoded_so_far(model, cache), time.monotonic()
    vectors = vectors_of(model, documents, dataset.name, cache, long_texts, half)
    seconds = time.monotonic() - started
    new = encoded_so_far(model, cache) - before if model.kind == "transformer" else documents.height
    rate = texts_per_second(rates_file(cache, model, long_texts), new, seconds)
    mean = float(documents["token_length"].mean() or 0)  # type: ignore[arg-type]
    with threadpool_limits(1):  # thousands of small products: more threads wait for each other
        scored = {
            task: TASKS[task].score(asked[task], vectors, settings, seed, cache)
            for task, settings in dataset.tasks.items()
        }
    cost = {"flops_per_text": flops_per_text(model, mean), "tokens_per_text": mean}
    return {"tasks": scored, "cost": cost, **facts(dataset, rows, documents)}, rate


def facts(dataset: Dataset, rows: Rows, documents: pl.DataFrame) -> dict[str, Any]:
    return {
        "attribute": dataset.attribute,
        "languages": list(dataset.languages),
        "paper": dataset.paper,
        "rows": rows.frame.height,
        "bad_rows": rows.bad_rows,
        "texts": documents.height,
        "digest": rows.digest,
    }


def texts_of(dataset: Dataset, asked: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Every text that a task asks about, once: `content`, `lang`, `token_length` (cl100k)."""
    parts = []
    for task, frame in asked.items():
        language = pl.col("lang") if "lang" in frame.columns else pl.lit(dataset.languages[0])
        for column in TASKS[task].texts(dataset.tasks[task]):
            parts.append(frame.select(content=column, lang=language))
    found = pl.concat(parts).unique("content", keep="first", maintain_order=True).sort("content")
    counted = tokens.load_tokenizer().count(found["content"])
    return found.with_columns(token_length=pl.Series(counted, dtype=pl.Int64))
