"""Datasets of style of a few made-up texts."""

import json
from pathlib import Path

from cases import read_cases

DATA = read_cases(Path(__file__))
PAGE = DATA["PAGE"]
TASKS = DATA["TASKS"]
MODELS = ["tfidf", "random"]


def write_datasets(folder):
    """Three pages in a project, the files of two of them, and settings that ask for all three."""
    folder.mkdir(exist_ok=True)
    for name, tasks in TASKS.items():
        (folder / f"{name}.yaml").write_text(PAGE.format(name=name, tasks=tasks), encoding="utf-8")
    for name in ("letters", "notes"):
        rows = [
            {"text": f"{name} {place}: {'oh ' * (place % 5)}well!", "plain": f"{name}: {place}.",
             "label": "ab"[place % 2], "author": f"w{place % 4}", "role": ("query", "target")[place // 4 % 2]}
            for place in range(32)
        ]  # fmt: skip
        (folder / f"data/{name}").mkdir(parents=True)
        (folder / f"data/{name}/rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return {"data": "data", "datasets": [f"{name}.yaml" for name in TASKS], "models": MODELS}
