"""Score a model on every dataset, and write the results.

    <out>/<model>/<long texts>.json         per dataset and task: results, skipped tasks, versions; `datasets` holds
                                            the protocol strict, `steb` the protocol of STEB's code
    <out>/<model>/<long texts>.speed.json   texts per second, the only output that differs between runs

Every table can be rebuilt from these files without the model. A dataset's results are cached with the vectors under a
digest of all inputs, so only changed entries, new datasets and corrected files are scored again.
"""

import platform
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from threadpoolctl import threadpool_limits  # scikit-learn brings it

from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_json
from authbench.core.json_values import JsonObject
from authbench.core.runtime.code import code_hash
from authbench.core.storage.json_files import read_json, write_json, write_plain_json
from authbench.core.tokens import load_tokenizer
from authbench.core.version import VERSION
from authbench.core.words import plural, spaced
from authbench.models.entries import ModelEntry, with_long_texts
from authbench.models.model import Model, VectorCache, flops_per_text
from authbench.models.open import open_model
from authbench.models.parameters import LongTexts
from authbench.models.provenance import made_by
from authbench.release.format.release import Release
from authbench.suites.style import features
from authbench.suites.style.entries import PROTOCOLS, STEB, STRICT, Dataset
from authbench.suites.style.rows import Rows, missing_files, read_datasets
from authbench.suites.style.steb.tasks import TASKS as STEB_TASKS
from authbench.suites.style.tasks import TASKS, Task
from authbench.suites.style.vectors import texts_per_second, vectors_of

FEW = 3  # datasets named in the message when no dataset has files
LIBRARIES = ("numpy", "polars", "scikit-learn", "scipy")


def read_all(
    datasets: Sequence[Dataset], data: Path, missing: str, protocols: Sequence[str] = PROTOCOLS
) -> tuple[dict[str, Rows], dict[str, str]]:
    """Return the rows of the datasets whose files exist, and why the others have none, by name.

    Args:
        data: parent of the datasets' folders.
        missing: skip or error, for a dataset without files.

    Raises:
        InputError: no dataset has files, or `missing` is error and a dataset has none.
    """
    absent = {one.name: problem for one in datasets if (problem := missing_files(one, data))}
    if absent and missing == "error":
        listed = "\n".join(f"  {name}: {problem}" for name, problem in absent.items())
        raise InputError(
            f"Nothing was run: files of {len(absent)} datasets are missing\n{listed}\nmissing: skip runs the others."
        )
    if len(absent) == len(datasets):
        if not data.is_dir():
            raise InputError(f"{data}: there is no such folder. Expected the one that holds the datasets' folders.")
        listed = "\n".join(f"  {name}: {problem}" for name, problem in list(absent.items())[:FEW])
        more = "\n  ..." if len(absent) > FEW else ""
        raise InputError(f"{data}: no files of what was asked for, {plural(len(datasets), 'dataset')}\n{listed}{more}")
    there = [one for one in datasets if one.name not in absent]
    return read_datasets(there, data, STEB in protocols), absent


class Chosen(NamedTuple):
    """How long texts are read, the seed of k-means, and the protocols to score by.

    Protocols use separate texts and share a cache; neither affects the other's results.
    """

    long_texts: LongTexts = "chunk_and_pool"
    seed: int = 0
    protocols: Sequence[str] = PROTOCOLS


def run(
    entry: ModelEntry,
    datasets: Sequence[Dataset],
    rows: Mapping[str, Rows],
    absent: Mapping[str, str],
    out: Path,
    cache: VectorCache,
    chosen: Chosen = Chosen(),  # noqa: B008
    release: Release | None = None,
) -> JsonObject:
    """Score a model on all datasets with rows, write the result and its speed, and return the result.

    Args:
        absent: why other datasets are not run, by name.
        release: the release used as a dataset, if any; the result says whether it is verified.
    """
    long_texts, seed, protocols = chosen
    model = open_model(with_long_texts(entry, long_texts), cache)
    vectors = model.identity()
    mark = sha256_of_json(vectors)[:16]
    rates = cache.folder / "rates" / f"{entry.name}-{mark}.json"
    results: dict[str, dict[str, object]] = {protocol: {} for protocol in PROTOCOLS}
    passed_over: dict[str, str] = {}
    rate = texts_per_second(rates, 0, 0.0)
    versions = {"authbench": VERSION, "python": platform.python_version()} | {
        library: version(library) for library in LIBRARIES
    }
    decides = {"code": code_hash(Path(__file__)), "versions": versions, "seed": seed, "model": entry.name}
    decides |= {"vectors": vectors, "long_texts": long_texts}
    for dataset in datasets:
        for protocol in protocols:
            taken = _taken(dataset, rows.get(dataset.name), protocol)
            if taken is None:
                if protocol == STEB and dataset.name in rows:
                    passed_over[dataset.name] = rows[dataset.name].not_in_steb
                continue
            started = time.monotonic()
            marks = decides if protocol == STRICT else {**decides, "protocol": protocol}
            path = cache.folder / "scores" / entry.name / f"{_digest(marks, *taken)}.json"
            known = path.is_file()
            if not known:
                found, speed = of_dataset(model, *taken, cache.folder, rates, seed, protocol)
                rate = speed or rate
                write_json(path, found)
            results[protocol][dataset.name] = scored = read_json(path)
            how = "scored before" if known else f"in {time.monotonic() - started:.1f} s"
            which = dataset.name if protocol == STRICT else f"{dataset.name}, protocol {protocol},"
            how += f"; {scored['bad_rows']} rows cannot be read" if scored["bad_rows"] else ""
            for task, cell in scored["tasks"].items():
                how += f"; {spaced(task)}: no score ({cell['undefined']})" if "undefined" in cell else ""
            print(f"{entry.name}: {which} {how}", file=sys.stderr, flush=True)
    result = {
        "model": entry.as_dict(),
        "settings": {"long_texts": long_texts, "seed": seed, "protocols": list(protocols)},
        "made_by": made_by(entry.parameters),
        "versions": versions,
        "datasets": results[STRICT],
        **({"steb": results[STEB], "not_in_steb": passed_over} if STEB in protocols else {}),
        "not_run": dict(absent),
        **({"release": release.verification} if release else {}),
    }
    path = out / entry.name / f"{long_texts}.json"
    write_plain_json(path, result)
    write_plain_json(path.with_suffix(".speed.json"), {"texts_per_second": rate})
    return result


def _taken(dataset: Dataset, rows: Rows | None, protocol: str) -> tuple[Dataset, Rows] | None:
    """Return a dataset and its rows for a protocol; None if the protocol lacks it."""
    if rows is None or protocol == STRICT:
        return (dataset, rows) if rows else None
    return (dataset.in_steb, rows.steb) if dataset.in_steb and rows.steb else None


def _digest(decides: Mapping[str, object], dataset: Dataset, rows: Rows) -> str:
    """Return a digest of everything that determines a dataset's result: its tasks, its rows and `decides`."""
    parts = {
        **decides,
        "dataset": [dataset.name, dataset.attribute, dataset.languages, dataset.paper, dataset.tasks],
        "features": features.measured_by(dataset.probed_features),
        "rows": [rows.digest, rows.bad_rows],
    }
    return sha256_of_json(parts)[:32]


def of_dataset(
    model: Model, dataset: Dataset, rows: Rows, cache: Path, rates: Path, seed: int, protocol: str = STRICT
) -> tuple[dict[str, object], float | None]:
    """Return the results of a dataset's tasks with metadata, and the texts per second so far.

    STRICT adds costs. STEB adds `episodes`, the names of result folders; its random seed is always 42, and a task on
    which STEB's code would stop is `undefined`.

    Raises:
        InputError: rows and tasks do not fit STRICT; the message names the dataset.
    """
    steb, frames, episodes, undefined = protocol == STEB, {}, {}, {}
    tasks: Mapping[str, Task[Any]] = STEB_TASKS if steb else TASKS
    for task, settings in dataset.tasks.items():
        try:
            chosen = tasks[task].select(rows.frame, settings)
            frames[task], episodes[task] = chosen if isinstance(chosen, tuple) else (chosen, "")
        except InputError as problem:
            if not steb:
                raise InputError(f"{dataset.name}: {problem}") from None
            undefined[task] = {"undefined": str(problem)}
    documents = texts_of(dataset, frames)
    described: dict[str, object] = {
        **({"episodes": episodes} if steb else {}),
        "attribute": dataset.attribute,
        "languages": list(dataset.languages),
        "paper": dataset.paper,
        "rows": rows.frame.height,
        "bad_rows": rows.bad_rows,
        "texts": documents.height,
        "digest": rows.digest,
    }
    if documents.is_empty():
        return {"tasks": undefined | {task: {"undefined": "no text"} for task in frames}, **described}, None
    before, started = model.embedded, time.monotonic()
    vectors = vectors_of(model, documents, dataset.name, as_given=steb)
    rate = texts_per_second(rates, model.embedded - before, time.monotonic() - started)

    def score(task: str, frame: pl.DataFrame) -> JsonObject:
        given = vectors, dataset.tasks[task], seed, cache
        return tasks[task].score(frame, *given) if frame.height else {"undefined": "no row"}

    with threadpool_limits(1):  # thousands of small products: more threads only wait for each other
        scored = undefined | {task: score(task, frame) for task, frame in frames.items()}
    if steb:
        return {"tasks": scored, **described}, rate
    mean = float(documents["token_length"].mean() or 0)  # type: ignore[arg-type]
    cost = {"flops_per_text": flops_per_text(model, mean), "tokens_per_text": mean}
    return {"tasks": scored, "cost": cost, **described}, rate


def texts_of(dataset: Dataset, frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the distinct texts of all tasks: `content`, `lang`, `token_length` (cl100k)."""
    parts = [pl.DataFrame(schema={"content": pl.String, "lang": pl.String})]
    for task, frame in frames.items():
        language = pl.col("lang") if "lang" in frame.columns else pl.lit(dataset.languages[0])
        parts += [frame.select(content=name, lang=language) for name in TASKS[task].texts(dataset.tasks[task])]
    found = pl.concat(parts).unique("content", keep="first", maintain_order=True).sort("content")
    counted = load_tokenizer().count(found["content"])
    return found.with_columns(token_length=pl.Series(counted, dtype=pl.Int64))
