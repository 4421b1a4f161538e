"""Probing as in STEB's code: a linear layer, a sigmoid, and cross-entropy on the sigmoid's output.

The sigmoid bounds the softmax input to (0, 1), so this differs from logistic regression: training is stopped by
patience rather than by convergence. The optimiser is Adam; the best of four penalties is chosen by validation.
PyTorch's generator sets the initial weights: with the same seed, set before the first feature, accuracies are
reproducible.
"""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from authbench.core.arrays import F64, I64, Tensor
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.models.model import Rows
from authbench.suites.style import intervals

SEED = 42
PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2)
RATE = 0.01
BATCH = 512
EPOCHS = 200
_NULLS = ("None", "nan")  # null as text
PATIENCE = 5  # total epochs without a better validation accuracy
BINS = 5
TOTAL = 38_400  # maximum texts per feature, over all bins


def installed() -> bool:
    """Return whether PyTorch, which the probe requires, is installed."""
    return find_spec("torch") is not None


def score(
    vectors: object,
    labels: Mapping[str, Sequence[int | None]],
    splits: Mapping[str, Sequence[str | None]],
    seed: int = SEED,
) -> JsonObject:
    """Return the test accuracy of each feature and `average`, their mean.

    Args:
        vectors: a row per text, not normalised.
        labels: the class of each text by feature; a text without a class is left out.
        splits: `train`, `val` or `test` of each text by feature; a text without a split is left out.
    """
    import torch

    rows = torch.as_tensor(np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors, np.float32))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            made = {name: _of_feature(rows, labels[name], splits[name]) for name in labels}
    finally:
        torch.set_num_threads(threads)
    found: dict[str, object] = {name: accuracy for name, (accuracy, _) in made.items()}
    interval = intervals.of_hits(np.stack([hits for _, hits in made.values()]))
    return found | {"average": float(np.mean(list(found.values()))), "interval": interval}


def _of_feature(rows: Rows, labels: Sequence[int | None], splits: Sequence[str | None]) -> tuple[float, F64]:
    """Return the test accuracy, and for each text 1 if correct, 0 if wrong, NaN if not tested."""
    import torch

    parts, owners = {}, {}
    for name in ("train", "val", "test"):
        own = [
            at for at, (one, part) in enumerate(zip(labels, splits, strict=True)) if part == name and one is not None
        ]
        owners[name] = own
        parts[name] = rows[own], torch.as_tensor([labels[at] for at in own], dtype=torch.long)
    train, check, test = (parts[name] for name in ("train", "val", "test"))
    classes = len(torch.unique(train[1]))
    best_score, best = float("-inf"), None
    for penalty in PENALTIES:
        layer = torch.nn.Linear(rows.shape[1], classes)
        found, weights = _fit(layer, train, check, penalty)
        if found > best_score:
            best_score, best = found, weights
    if best is not None:
        layer.load_state_dict(best)
    _draw()
    hits = np.full(len(labels), np.nan)
    hits[owners["test"]] = _right(layer, *test).numpy()
    return _accuracy(layer, *test), hits


def _fit(layer: Any, train: Sequence[Tensor], check: Sequence[Tensor], penalty: float) -> tuple[float, object]:
    """Return the best validation accuracy and the weights of its epoch."""
    import torch

    rows, truth = train
    adam = torch.optim.Adam(layer.parameters(), lr=RATE, weight_decay=penalty)
    best, kept, without = float("-inf"), None, 0
    for _ in range(EPOCHS):
        _draw()  # STEB's batch loader draws a seed even without shuffling
        for start in range(0, len(truth), BATCH):
            out = torch.sigmoid(layer(rows[start : start + BATCH]))
            loss = torch.nn.functional.cross_entropy(out, truth[start : start + BATCH])
            adam.zero_grad()
            loss.backward()
            adam.step()
        _draw()
        found = _accuracy(layer, *check) if len(check[1]) else float("nan")
        if found > best:
            best, kept = found, {name: value.clone() for name, value in layer.state_dict().items()}
        else:
            without += 1
            if without > PATIENCE:
                break
    return best, kept


def _draw() -> None:
    import torch

    torch.empty((), dtype=torch.int64).random_()


def _accuracy(layer: Any, rows: Tensor, truth: Tensor) -> float:
    """Return the share of correctly classified rows, in single precision; 0 without rows."""
    return float((_right(layer, rows, truth).float().sum() / len(truth)).item()) if len(truth) else 0.0


def _right(layer: Any, rows: Tensor, truth: Tensor) -> Tensor:
    import torch

    with torch.no_grad():
        return torch.sigmoid(layer(rows)).argmax(dim=1) == truth


def given(
    classes: Sequence[Sequence[str]], parts: Sequence[Sequence[str]]
) -> tuple[dict[str, list[int | None]], dict[str, list[str | None]]]:
    """Return each text's class and part by feature, from a list per text with an element per feature.

    Features are named by position (`feature 1`); null means no class or no part.

    Raises:
        InputError: the lists differ in length, or a class is not a number.
    """
    if len({len(one) for one in (*classes, *parts)}) != 1:
        raise InputError("The lists of classes and parts of a probing file have not all the same length.")
    labels: dict[str, list[int | None]] = {}
    splits: dict[str, list[str | None]] = {}
    by_feature = zip(zip(*classes, strict=True), zip(*parts, strict=True), strict=True)
    for place, (of_texts, in_parts) in enumerate(by_feature, start=1):
        name = f"feature {place}"
        try:
            labels[name] = [None if one in _NULLS else int(float(one)) for one in of_texts]
        except ValueError as problem:
            raise InputError(f"A class of {name} in a probing file is no number: {problem}.") from None
        splits[name] = [None if one in _NULLS else one for one in in_parts]
    return labels, splits


def quantile_bins(values: F64) -> tuple[I64, F64]:
    """Return the bin of each value, shape (n,), and the bin edges: five quantile bins, fewer if edges coincide."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)))
    bins = np.searchsorted(edges, values, "left") - 1
    bins[values == edges[0]] = 0
    return bins.astype(np.int64), edges


def sizes_of_pieces(bins: I64, count: int, total: int = TOTAL) -> dict[str, int]:
    """Return how many texts of each of `count` bins are kept, and how many go to train, validation and test.

    At most `total` are kept over all bins.
    """
    counts = np.bincount(bins, minlength=count)
    kept = int(min(counts.min(), total // len(counts)))
    train, check = int(0.8 * kept), int(0.1 * kept)
    return {"bins": len(counts), "kept": kept, "train": train, "val": check, "test": kept - train - check}
