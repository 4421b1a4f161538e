"""Define the tasks of STEB's protocol: the rows each takes from a dataset, and its scores.

Rows are taken in file order, the first of each label (`steps.take`). Texts are unchanged and duplicates are kept. Our
readers treat an empty text as missing; STEB's keep it.

Retrieval has a query and a target per author, ranked by cosine distance. An author's texts on a side are represented by
their plain mean, without normalising to unit length first. Authors with queries but no targets, or the reverse, are
removed before ranking, which shrinks the pool.

Pairs are scored by the area under the ROC curve, standardised partial areas, and the equal error rate.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, F64, I64
from authbench.core.identity import keyed_hash
from authbench.core.json_values import JsonObject
from authbench.suites.style import clustering, features, intervals, pairs
from authbench.suites.style.entries import LabelledTask, OrderTask, PairsTask, ProbingTask, RetrievalTask
from authbench.suites.style.pairs import all_cosines, compact, cosines, unit
from authbench.suites.style.retrieval import means
from authbench.suites.style.steb import order, probing
from authbench.suites.style.steb.steps import episodes_per_class, take
from authbench.suites.style.tasks import Task, level_columns, named, ordered
from authbench.suites.style.tasks import plain as drawn
from authbench.suites.style.vectors import Vectors

PARTS = (0.01, 0.05, 0.10, 0.20, 0.30, 0.50)  # maximum false positive rates


def measure(same: BOOL, scores: F64) -> JsonObject:
    """Return `auc`, `eer`, and `auc@x`: the standardised area up to a false positive rate of x (McClish 1989).

    If all pairs are of the same kind, the result is `undefined`.
    """
    from scipy.optimize import brentq
    from sklearn.metrics import roc_curve

    if same.all() or not same.any():
        return {"undefined": "all pairs of one kind"}
    false, true, _ = roc_curve(same, scores)
    found = {
        "eer": float(brentq(lambda x: 1 - x - np.interp(x, false, true), 0.0, 1.0)),
        "auc": float(np.trapezoid(true, false)),
    }
    return found | {f"auc@{most:.2f}": _partial(false, true, most) for most in PARTS}


def _partial(false: F64, true: F64, most: float) -> float:
    """Return the area below `most`, scaled such that chance is 0.5 and a perfect score is 1."""
    stop = int(np.searchsorted(false, most, "right"))
    edge = np.interp(most, false[stop - 1 : stop + 1], true[stop - 1 : stop + 1])
    area = np.trapezoid(np.append(true[:stop], edge), np.append(false[:stop], most))
    least = 0.5 * most**2
    return float(0.5 * (1 + (area - least) / (most - least)))


def predefined(first: object, second: object, same: BOOL) -> dict[str, object]:
    """Return the measures over predefined pairs, each a row of `first` with the same row of `second`, dense or CSR."""
    scores = cosines(unit(first), unit(second))
    found = measure(same, scores)
    return found if "undefined" in found else {**found, "interval": intervals.of_area(same, scores)}


def all_to_all(vectors: object, labels: Sequence[object]) -> dict[str, object]:
    """Return the measures over all pairs of texts.

    Memory: 17 bytes per pair, plus about five times that for scikit-learn's curve.
    """
    rows = unit(vectors)
    codes = np.unique(np.asarray(labels, dtype=str), return_inverse=True)[1]
    one, other = np.triu_indices(len(codes), 1)
    found = measure(codes[one] == codes[other], all_cosines(rows, rows)[one, other])
    if "undefined" not in found:  # area and interval equal those of the strict protocol
        found["interval"] = pairs.all_to_all(vectors, codes)["interval"]
    return found


CUTS = (1, 8, 16, 32, 64, 128)


def score_retrieval(queries: object, asking: Sequence[str], targets: object, answering: Sequence[str]) -> JsonObject:
    """Return `mrr`, `mean_rank` and `recall@k`, averaged over the targets of each query's author, then over queries.

    Args:
        queries: a row per query, `asking` its author.
        targets: a row per target, `answering` its author; every target of the query's author is relevant.
    """
    shared = set(asking) & set(answering)
    if not shared:
        return {"undefined": "no author is on both sides"}
    asked = [place for place, author in enumerate(asking) if author in shared]
    pool = [place for place, author in enumerate(answering) if author in shared]
    wanted, have = np.array([asking[place] for place in asked]), np.array([answering[place] for place in pool])
    order = np.argsort(1 - all_cosines(unit(queries)[asked], unit(targets)[pool]), axis=1, kind="stable")
    ranks = [1 + np.flatnonzero(have[row] == author) for row, author in zip(order, wanted, strict=True)]
    points = [float(np.mean(1 / own)) for own in ranks]
    return {
        "mrr": float(np.mean(points)),
        "interval": intervals.of_mean(points, [asking[place] for place in asked]),
        "mean_rank": float(np.mean([np.mean(own) for own in ranks])),
        **{f"recall@{cut}": float(np.mean([np.mean(own <= cut) for own in ranks])) for cut in CUTS},
        "queries": len(asked),
        "targets": len(pool),
    }


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


def _score_clustering(rows: pl.DataFrame, vectors: Vectors, *_: object) -> dict[str, object]:
    return clustering.score_once(vectors.of(rows["text"].to_list()), rows["label"].to_list())


def _score_all_to_all(rows: pl.DataFrame, vectors: Vectors, *_: object) -> dict[str, object]:
    return all_to_all(vectors.of(rows["text"].to_list()), rows["label"].to_list())


def _score_predefined(rows: pl.DataFrame, vectors: Vectors, *_: object) -> dict[str, object]:
    first, second = (vectors.of(rows[side].to_list()) for side in ("first", "second"))
    return predefined(first, second, rows["same"].to_numpy())


def _score_order(rows: pl.DataFrame, vectors: Vectors, settings: OrderTask, *_: object) -> dict[str, object]:
    levels = [vectors.of(rows[name].to_list()) for name in level_columns(settings)]
    return {**order.score(levels, rows["style"].to_list()), "levels": len(levels)}


def _score_retrieval(rows: pl.DataFrame, vectors: Vectors, *_: object) -> dict[str, object]:
    sides: list[Any] = []
    for role in ("query", "target"):
        own = rows.filter(pl.col("role") == role)
        authors = own["author"].to_list()
        names = list(dict.fromkeys(authors))
        sides += [means(vectors.of(own["text"].to_list()), authors, names) if names else 0, names]
    return score_retrieval(*sides)


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


def _parts(values: F64, queue: I64) -> tuple[list[int | None], list[str | None]] | None:
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
