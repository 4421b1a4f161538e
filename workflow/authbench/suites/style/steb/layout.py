"""Read and write results in STEB's layout: `<dataset>/<model>/<episode>/<task>/metrics.json`.

An episode is named `<texts per episode>_<episodes per label>`. If a dataset and model have several episodes, the first
by name with the task's score is used, as on STEB's board.
"""

import math
from collections.abc import Mapping
from pathlib import Path

import orjson

from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import read_foreign_json

# STEB's names of our tasks, and the score of each that its board uses.
_TASKS = {
    "clustering": ("clustering", "v_measure"),
    "all_to_all": ("all_to_all_pair_classification", "auc"),
    "predefined": ("pre_defined_pair_classification", "auc"),
    "order_alignment": ("order_alignment", "distractor_acc_mean"),
    "retrieval": ("retrieval", "mrr"),
    "probing": ("probing", "average"),
}
NAMES = {ours: theirs for ours, (theirs, _) in _TASKS.items()}
FIGURES = {ours: score for ours, (_, score) in _TASKS.items()}
ACCURACY = "order_accuracy"  # order alignment's `acc_mean`; its distractor is separate


METRICS = "metrics.json"
OURS = {theirs: ours for ours, theirs in NAMES.items()}
_NOT_THEIRS = ("comparisons", "distractor_comparisons", "levels", "queries", "targets", "measured_by")


def write(folder: Path, results: Mapping[str, JsonMapping]) -> None:
    """Write the metrics of models below a folder.

    Args:
        results: by model, `steb` of its result: by dataset its `tasks` and `episodes`.
    """
    for model, datasets in results.items():
        for dataset, cell in datasets.items():
            for task, measured in cell["tasks"].items():
                if FIGURES[task] in measured:
                    path = folder / dataset / model / cell["episodes"][task] / NAMES[task] / METRICS
                    path.parent.mkdir(parents=True, exist_ok=True)
                    kept = {name: value for name, value in measured.items() if name not in _NOT_THEIRS}
                    kept = {name: value for name, value in kept.items() if not name.endswith("interval")}
                    write_text(path, orjson.dumps(kept, option=orjson.OPT_INDENT_2).decode() + "\n")


def read(*folders: Path) -> dict[str, dict[tuple[str, str], JsonMapping]]:
    """Return the metrics below folders, by model and by task (our name) and dataset.

    If a result occurs in several folders, the first is used.

    Raises:
        InputError: a folder has no metrics, or a file is unreadable.
    """
    found: dict[str, dict[tuple[str, str], Mapping[str, object]]] = {}
    for folder in folders:
        # sorted by path, the first episode by name comes first
        paths = [path for path in sorted(folder.glob(f"*/*/*/*/{METRICS}")) if path.parts[-2] in OURS]
        if not paths:
            raise InputError(
                f"{folder}: no results of STEB. Expected <dataset>/<model>/<episode>/<task>/{METRICS} below it, "
                f"tasks: {', '.join(OURS)}."
            )
        here: dict[tuple[str, str, str], Mapping[str, object]] = {}
        for path in paths:
            dataset, model, _, task, _ = path.relative_to(folder).parts
            metrics: Mapping[str, object] = read_foreign_json(path, nan=True)  # as theirs may have it
            if _figure(metrics, FIGURES[OURS[task]]) is not None:
                here.setdefault((model, OURS[task], dataset), metrics)
        for (model, task, dataset), metrics in here.items():
            found.setdefault(model, {}).setdefault((task, dataset), metrics)
    return found


def figures(metrics: Mapping[tuple[str, str], Mapping[str, object]]) -> dict[tuple[str, str], float]:
    """Return the score of each task and dataset, and `acc_mean` of order alignment as the task "order_accuracy"."""
    found = {}
    for (task, dataset), measured in metrics.items():
        for name, key in ((task, FIGURES[task]), *([(ACCURACY, "acc_mean")] if task == "order_alignment" else [])):
            value = _figure(measured, key)
            if value is not None:
                found[name, dataset] = value
    return found


def _figure(metrics: Mapping[str, object], key: str) -> float | None:
    value = metrics.get(key)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and math.isfinite(value) else None  # type: ignore[arg-type]
