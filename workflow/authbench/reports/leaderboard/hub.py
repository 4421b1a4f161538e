"""Write scores in the format that the Hugging Face hub collects.

A hub benchmark is a dataset with `eval.yaml`. Scores are in the models' repositories, as `.eval_results/*.yaml`
(Evaluation Results, huggingface.co/docs/hub/eval-results), and the hub compiles the leaderboard.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from authbench.core.errors import InputError
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import value_at
from authbench.reports.leaderboard.collect import Result

# The benchmark's tasks (`eval.yaml`), and the location of their scores in scores.json.
TASK_SCORES = {
    "auc_matched": ("headline", "auc_matched", "value"),
    "auc_topic": ("headline", "auc_topic", "value"),
    "auc_time": ("headline", "auc_time", "value"),
    "success_at_5_other_work": ("headline", "s@5_other_work", "value"),
    "ndcg_at_10": ("overall", "ndcg@10"),
}
FOLDER = "eval_results"
_DATASET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
_ADDRESS = "https://huggingface.co/datasets/"


def dataset_of(address: str | None) -> str | None:
    """Return the dataset id in a hub address.

    >>> dataset_of("https://huggingface.co/datasets/org/name"), dataset_of("https://example.org/x"), dataset_of(None)
    ('org/name', None, None)
    """
    place = (address or "").removeprefix(_ADDRESS).rstrip("/")
    return place if (address or "").startswith(_ADDRESS) and _DATASET.fullmatch(place) else None


def write_eval_results(folder: Path, results: Sequence[Result], dataset: str) -> None:
    """Write `<model>/.eval_results/<dataset>.yaml`, a file for the model's repository, for all models except shortcuts.

    Raises:
        InputError: `dataset` is not `owner/name`.
    """
    if not _DATASET.fullmatch(dataset):
        raise InputError(f"{dataset} is not a dataset of the hub. Expected owner/name.")
    for result in results:
        entries = eval_results(result, dataset)
        if entries and not result.shortcut:
            place = folder / result.name / ".eval_results"
            place.mkdir(parents=True)
            text = yaml.safe_dump(entries, sort_keys=False, width=1000)
            write_text(place / f"{dataset.replace('/', '--')}.yaml", text)


def eval_results(result: Result, dataset: str) -> list[dict[str, object]]:
    """Return a model's entries, an entry per task with a score, from 0 to 1."""
    benchmark, versions = result.scores["benchmark"], result.scores["versions"]
    notes = f"AuthBench {versions['authbench']}, split {benchmark['split']}, {result.edition}"
    if result.unverified:
        notes += f"; not verified: {result.unverified}"
    found = []
    for task, place in TASK_SCORES.items():
        if (value := value_at(result.scores, place)) is not None:
            source = {"url": f"{_ADDRESS}{dataset}"}
            entry = {"dataset": {"id": dataset, "task_id": task}, "value": value, "source": source, "notes": notes}
            found.append(entry)
    return found
