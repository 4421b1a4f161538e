"""A release with relations and pools, for claims about headline scores."""

import orjson
import polars as pl

from authbench.app.cli import main
from authbench.release.format.columns import PAIRS, POSITIVES

TEXTS = 4  # of each author: two of one work, two of others


def evaluated(release, out, *models, options=()):
    """Score models on a release; return the folder of their results."""
    named = [word for model in models for word in ("--model", model)]
    assert main(["evaluate", str(release), *named, *options, "--out", str(out)]) == 0
    return out


def write_scored_release(folder, authors, splits=("dev", "test")):
    """Splits whose authors have a habit each (a word that all their texts hold); every text asks."""
    for split_number, split in enumerate(splits):
        rows = {"candidates": [], "queries": [], "ground_truth": []}
        ids = [
            [f"doc_{split_number * 100_000 + author * TEXTS + k:06d}" for k in range(TEXTS)]
            for author in range(authors)
        ]
        relations, pairs, group = [], [], 0
        for author in range(authors):
            name = f"{split_number * authors + author:064x}"
            for k, ident in enumerate(ids[author]):
                content = f"habit{author % (authors - 1)} of the topic{k} and {'very ' * (author % 7)}long words"
                text = {
                    "lang": ("en", "de")[author % 2],
                    "genre": "blog",
                    "source": "s",
                    "token_length": 9 + author % 5,
                }
                text["content"] = content
                same_work = [other for other in range(TEXTS) if other != k and {other, k} == {0, 1}]
                others = [other for other in range(TEXTS) if other != k and other not in same_work]
                rows["candidates"].append({"candidate_id": ident, "author_id": name, **text})
                rows["queries"].append({"query_id": ident, **text})
                rows["ground_truth"].append(
                    {
                        "query_id": ident,
                        "positive_ids": [ids[author][other] for other in others],
                        "author_id": name,
                        "ignored_ids": [ids[author][other] for other in same_work],
                    }
                )
                for other in others + same_work:
                    relations.append(
                        (ident, ids[author][other], False, other in same_work, False, None, 0.5, 1.0, None)
                    )
                for other in others:
                    for pool in ("matched", "topic_matched", "time_matched"):
                        strangers = [ids[(author + 2 * step) % authors][other] for step in range(1, 6)]
                        candidates = [(ids[author][other], True), *((one, False) for one in strangers)]
                        pairs += [(pool, group, ident, candidate, same) for candidate, same in candidates]
                        group += 1
        (folder / split).mkdir(parents=True)
        for name, table in rows.items():
            (folder / split / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in table))
        for stated, table in ((relations, POSITIVES), (pairs, PAIRS)):
            pl.DataFrame(stated, schema=table.schema, orient="row").write_parquet(folder / split / table.file)
    return folder
