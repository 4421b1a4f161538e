"""Scores in the form in which the Hugging Face hub collects them.

A benchmark of the hub is a dataset with `eval.yaml`; scores lie with the models, as `.eval_results/*.yaml` (Evaluation
Results, huggingface.co/docs/hub/eval-results), and the hub makes the benchmark's leaderboard of them.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from authbench.errors import InputError
from authbench.leaderboard.collect import Result
from authbench.storage.atomic import write_text

# The tasks of the benchmark (`eval.yaml`), and where their scores are in scores.json.
TASK_SCORES = {
    "auc_matched": ("headline", "auc_matched", "value"),
    "auc_topic": ("headline", "auc_topic", "value"),
    "success_at_5_other_work": ("headline", "s@5_other_work", "value"),
    "ndcg_at_10": ("overall", "ndcg@10"),
}
FOLDER = "eval_results"
_DATASET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
_ADDRESS = "https://huggingface.co/datasets/"


def dataset_of(address: str | None) -> str | None:
    """Return the id of the dataset at an address of the hub.

    >>> dataset_of("https://huggingface.co/datasets/org/name"), dataset_of("https://example.org/x"), dataset_of(None)
    ('org/name', None, None)
    """
    place = (address or "").removeprefix(_ADDRESS).rstrip("/")
    return place if (address or "").startswith(_ADDRESS) and _DATASET.fullmatch(place) else None


def write_eval_results(folder: Path, results: Sequence[Result], dataset: str) -> None:
    """Write `<model>/.eval_results/<dataset>.yaml` of every model that is no shortcut: what to add to its repository.

    Raises:
        InputError: `dataset` is no `owner/name`.
    """
    if not _DATASET.fullmatch(dataset):
        raise InputError(f"{dataset} is no dataset of the hub. Expected owner/name.")
    for result in results:
        entries = eval_results(result, dataset)
        if entries and not result.shortcut:
            place = folder / result.name / ".eval_results"
            place.mkdir(parents=True)
            text = yaml.safe_dump(entries, sort_keys=False, width=1000)
            write_text(place / f"{dataset.replace('/', '--')}.yaml", text)


def eval_results(result: Result, dataset: str) -> list[dict[str, Any]]:
    """Return the entries of a model, one for each task that it has a score of, from 0 to 1."""
    benchmark, versions = result.scores["benchmark"], result.scores["versions"]
    notes = f"AuthBench {versions['authbench']}, split {benchmark['split']}, checksum {benchmark['checksum'][:12]}"
    if result.unverified:
        notes += f"; not verified: {result.unverified}"
    found = []
    for task, place in TASK_SCORES.items():
        value: Any = result.scores
        for key in place:
            value = (value or {}).get(key)
        if value is not None:
            source = {"url": f"{_ADDRESS}{dataset}"}
            entry = {"dataset": {"id": dataset, "task_id": task}, "value": value, "source": source, "notes": notes}
            found.append(entry)
    return found
