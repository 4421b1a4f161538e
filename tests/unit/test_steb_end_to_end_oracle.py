"""From raw files to `metrics.json`, each task gives what STEB's rules give when they are written down line by line."""

import json
import random
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import yaml
from cases import read_cases
from scipy.optimize import brentq, linear_sum_assignment
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import roc_auc_score, roc_curve, v_measure_score
from style_page import style_page
from threadpoolctl import threadpool_limits

from authbench.app.cli import main

PAGES = read_cases(Path(__file__))["PAGES"]
MODEL = "test_steb_end_to_end_oracle:encode"


def encode(texts):
    """Return vectors of unequal length that tell labels apart a little."""
    drawn = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=8) for text in texts]
    leant = [vector + ord(text[0]) % 5 * np.eye(8)[ord(text[0]) % 8] for text, vector in zip(texts, drawn, strict=True)]
    return np.array(leant, np.float32)


def rows_of(page):
    """Return rows in the order of a file in which labels alternate, one of them with few rows."""
    chance = random.Random(6)  # labels are first met in the order d, c, b, a
    if page == "labelled":
        sizes = {"d": 40, "a": 31, "c": 33, "b": 12}
        rows = [
            {"text": f"{label} note {number}", "plain": f"plain {label} {number}", "label": label}
            for label, size in sizes.items()
            for number in range(size)
        ]
    elif page == "trials":
        rows = [
            {"first": f"{'abc'[number % 3]} {number}", "second": f"{'abca'[number % 4]} {number}'",
             "same": "true" if number % 3 == number % 4 else "false"}
            for number in range(60)
        ]  # fmt: skip
    else:
        rows = [
            {"text": f"{author} {role} {number}", "author": author, "role": role}
            for author in "abcdefghij"
            for role in ("query", "target")
            if (author, role) not in {("c", "query"), ("g", "target")}
            for number in range(1 + ord(author) % 3)
        ]
    chance.shuffle(rows)
    return rows


@pytest.fixture(scope="module")
def metrics(tmp_path_factory):
    """Return what `authbench style run` writes for each task of the pages, by STEB's name of the task."""
    folder = tmp_path_factory.mktemp("end")
    command = ["style", "run", str(folder / "data"), "--protocol", "steb", "--model", MODEL]
    command += ["--out", str(folder / "out")]
    for name, page in PAGES.items():
        (folder / f"data/{name}").mkdir(parents=True)
        lines = "".join(json.dumps(row) + "\n" for row in rows_of(name))
        (folder / f"data/{name}/rows.jsonl").write_text(lines, encoding="utf-8")
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(style_page(steb={}, **page)), encoding="utf-8")
        command += ["--dataset", str(folder / f"{name}.yaml")]
    assert main([*command, "--cache", str(folder / "cache")]) == 0
    return {path.parent.name: json.loads(path.read_bytes()) for path in (folder / "out").rglob("metrics.json")}


def taken(rows):
    """Return the first 25 rows, or as many as the smallest label has, of each label with enough, as first met."""
    by_label = defaultdict(list)
    for row in rows:
        by_label[row["label"]].append(row)
    wanted = min(max(min(map(len, by_label.values())), 25), 200)
    return {label: own[:wanted] for label, own in by_label.items() if len(own) >= wanted}


def cosine(one, other):
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def of_pairs(same, scores):
    false, true, _ = roc_curve(same, scores)
    parts = {f"auc@{most:.2f}": roc_auc_score(same, scores, max_fpr=most) for most in (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)}
    eer = brentq(lambda x: 1 - x - np.interp(x, false, true), 0.0, 1.0)
    return {"auc": roc_auc_score(same, scores), "eer": eer, **parts}


def clustering():
    labels = [label for label, own in taken(rows_of("labelled")).items() for _ in own]
    vectors = encode([row["text"] for own in taken(rows_of("labelled")).values() for row in own])
    with threadpool_limits(1):
        found = MiniBatchKMeans(len(set(labels)), random_state=42, batch_size=32, n_init="auto").fit_predict(vectors)
    return {"v_measure": v_measure_score(labels, found)}


def all_to_all():
    items = [(label, encode([row["text"]])[0]) for label, own in taken(rows_of("labelled")).items() for row in own]
    pairs = [(one, other) for place, one in enumerate(items) for other in items[place + 1 :]]
    return of_pairs([a[0] == b[0] for a, b in pairs], [cosine(a[1], b[1]) for a, b in pairs])


def predefined():
    rows = rows_of("trials")
    scores = [cosine(*encode([row["first"], row["second"]])) for row in rows]
    return of_pairs([row["same"] == "true" for row in rows], scores)


def retrieval():
    texts = defaultdict(list)
    for row in rows_of("asked"):
        texts[row["role"], row["author"]].append(row["text"])
    vectors = {key: encode(own).mean(axis=0) for key, own in texts.items()}
    shared = [author for role, author in vectors if role == "query" and ("target", author) in vectors]
    ranks = []
    for author in shared:
        near = {other: cosine(vectors["query", author], vectors["target", other]) for other in shared}
        ranks.append(1 + sum(value > near[author] for value in near.values()))
    recalls = {f"recall@{cut}": np.mean(np.array(ranks) <= cut) for cut in (1, 8, 16, 32, 64, 128)}
    return {"mrr": np.mean(1 / np.array(ranks)), "mean_rank": np.mean(ranks), **recalls}


def order_alignment():
    base, distracted = [], []
    for own in taken(rows_of("labelled")).values():
        items = [encode([row["text"], row["plain"]]) for row in own]
        for place, one in enumerate(items):
            for other in items[place + 1 :]:
                base.append(assigned(one, other, [0, 1]))
                distracted.append(assigned(one[:1], np.stack([other[0], one[1]]), [0]))
                distracted.append(assigned(one[1:], np.stack([one[0], other[1]]), [1]))
    return {"acc_mean": np.mean(base), "distractor_acc_mean": np.mean(distracted)}


def assigned(rows, columns, right):
    costs = np.array([[1 - max(cosine(row, column), 0) for column in columns] for row in rows])
    return float(np.mean(linear_sum_assignment(costs)[1] == np.array(right)))


EXPECTED = {
    "clustering": clustering,
    "all_to_all_pair_classification": all_to_all,
    "pre_defined_pair_classification": predefined,
    "retrieval": retrieval,
    "order_alignment": order_alignment,
}


@pytest.mark.parametrize("task", EXPECTED)
def test_the_oracle_of_a_task_from_file_to_metrics_holds(metrics, task):
    expected = EXPECTED[task]()
    assert {name: metrics[task][name] for name in expected} == pytest.approx(expected, abs=1e-7)
    assert min(expected.values()) > 0
