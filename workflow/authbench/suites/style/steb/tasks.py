"""Define the tasks of STEB's protocol: the rows each takes from a dataset, and its scores.

Rows are taken in file order, the first of each label (`steps.take`). Texts are unchanged and duplicates are kept. Our
readers treat an empty text as missing; STEB's keep it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.core.identity import keyed_hash
from authbench.suites.style import clustering, features
from authbench.suites.style.entries import LabelledTask, OrderTask, PairsTask, ProbingTask, RetrievalTask
from authbench.suites.style.pairs import compact
from authbench.suites.style.retrieval import means
from authbench.suites.style.steb import order, pairs, probing, retrieval
from authbench.suites.style.steb.steps import episodes_per_class, take
from authbench.suites.style.tasks import Task, level_columns, named, ordered
from authbench.suites.style.tasks import plain as drawn
from authbench.suites.style.vectors import Vectors

GIVEN = "the files"  # source of the probed features


def _first_of_each(frame: pl.DataFrame, label: str) -> tuple[pl.DataFrame, str]:
    labels = frame[label].to_list()
    return frame[take(labels)], f"1_{episodes_per_class(labels)}"


def _labelled(frame: pl.DataFrame, settings: LabelledTask) -> tuple[pl.DataFrame, str]:
    return _first_of_each(named(frame, {"text": settings.text, "label": settings.label}).drop_nulls(), "label")


def _paired(frame: pl.DataFrame, settings: PairsTask) -> tuple[pl.DataFrame, str]:
    found = named(frame, {"first": settings.first, "second": settings.second, "same": settings.same}).drop_nulls()
    return found.with_columns(pl.col("same") == "true"), "1_2"


def _leveled(frame: pl.DataFrame, settings: OrderTask) -> tuple[pl.DataFrame, str]:
    return _first_of_each(ordered(frame, settings).drop_nulls(), "style")


def _collected(frame: pl.DataFrame, settings: RetrievalTask) -> tuple[pl.DataFrame, str]:
    columns = {"text": settings.text, "author": settings.author, "role": settings.role}
    return named(frame, columns).drop_nulls(), "-1_1"


def _probed(frame: pl.DataFrame, settings: ProbingTask) -> tuple[pl.DataFrame, str]:
    if settings.classes and settings.parts:
        columns = {"text": settings.text, "classes": settings.classes, "parts": settings.parts}
        return named(frame, columns, ("classes", "parts")).drop_nulls(), "1_1"
    return drawn(frame, settings), "1_1"  # STEB also draws, without a seed


def _score_clustering(
    rows: pl.DataFrame, vectors: Vectors, settings: object, seed: int, cache: Path
) -> dict[str, object]:
    return clustering.score_once(vectors.of(rows["text"].to_list()), rows["label"].to_list())


def _score_all_to_all(
    rows: pl.DataFrame, vectors: Vectors, settings: object, seed: int, cache: Path
) -> dict[str, object]:
    return pairs.all_to_all(vectors.of(rows["text"].to_list()), rows["label"].to_list())


def _score_predefined(
    rows: pl.DataFrame, vectors: Vectors, settings: object, seed: int, cache: Path
) -> dict[str, object]:
    first, second = (vectors.of(rows[side].to_list()) for side in ("first", "second"))
    return pairs.predefined(first, second, rows["same"].to_numpy())


def _score_order(
    rows: pl.DataFrame, vectors: Vectors, settings: OrderTask, seed: int, cache: Path
) -> dict[str, object]:
    levels = [vectors.of(rows[name].to_list()) for name in level_columns(settings)]
    return {**order.score(levels, rows["style"].to_list()), "levels": len(levels)}


def _score_retrieval(
    rows: pl.DataFrame, vectors: Vectors, settings: object, seed: int, cache: Path
) -> dict[str, object]:
    sides: list[Any] = []
    for role in ("query", "target"):
        own = rows.filter(pl.col("role") == role)
        authors = own["author"].to_list()
        names = list(dict.fromkeys(authors))
        sides += [means(vectors.of(own["text"].to_list()), authors, names) if names else 0, names]
    return retrieval.score(*sides)


def _score_probing(
    rows: pl.DataFrame, vectors: Vectors, settings: ProbingTask, seed: int, cache: Path
) -> dict[str, object]:
    given = settings.classes is not None
    measured = {"measured_by": GIVEN if given else features.measured_by(settings.features)}
    if not probing.installed():
        return {"undefined": "PyTorch, which STEB's probe is made with, is not installed", **measured}
    texts = rows["text"].to_list()
    if given:
        labels, splits = probing.given(rows["classes"].to_list(), rows["parts"].to_list())
        return {**probing.score(compact(vectors.of(texts)), labels, splits), **measured}
    names, values = features.extract(texts, settings.features, cache)
    queue = np.argsort([keyed_hash(0, "probing", text) for text in texts], kind="stable")
    labels, splits = {}, {}
    for column, name in enumerate(names):
        if found := _parts(values[:, column], queue):
            labels[name], splits[name] = found
    if not labels:
        return {"undefined": "no feature falls into two bins", **measured}
    # at most as many dimensions as texts: a dense table of sparse counts would not fit
    return {**probing.score(compact(vectors.of(texts)), labels, splits), **measured}


def _parts(values: Any, queue: Any) -> tuple[list[int | None], list[str | None]] | None:
    """Return the class and the part of each text for a feature; None unless two bins have test texts."""
    bins, edges = probing.quantile_bins(values)
    if len(edges) < 3:
        return None
    sizes = probing.sizes_of_pieces(bins, len(edges) - 1)
    if not sizes["train"] or not sizes["val"] or not sizes["test"]:
        return None
    parts: list[str | None] = [None] * len(bins)
    for one in range(sizes["bins"]):
        own = [place for place in queue if bins[place] == one][: sizes["kept"]]
        names = [part for part in ("train", "val", "test") for _ in range(sizes[part])]
        for place, part in zip(own, names, strict=True):
            parts[place] = part
    return bins.tolist(), parts


TASKS: Mapping[str, Task[tuple[pl.DataFrame, str]]] = {
    "clustering": Task(_labelled, _score_clustering),
    "all_to_all": Task(_labelled, _score_all_to_all),
    "predefined": Task(_paired, _score_predefined),
    "order_alignment": Task(_leveled, _score_order),
    "retrieval": Task(_collected, _score_retrieval),
    "probing": Task(_probed, _score_probing),
}
