"""A folder with a test split, as a release has it, for claims about evaluating models."""

import orjson


def write_release(folder, authors, texts=3):
    """A test split whose authors each have words of their own; the first text of each asks."""
    rows = {"candidates": [], "queries": [], "ground_truth": []}
    for author in range(authors):
        ids = [f"doc_{author * texts + k:06d}" for k in range(texts)]
        for k, ident in enumerate(ids):
            text = {"lang": ("en", "de")[author % 2], "genre": "blog/arts", "source": "s", "token_length": 9}
            text["content"] = f"word{author} and also word{author} number{k}"
            rows["candidates"].append({"candidate_id": ident, "author_id": f"{author:064x}", **text})
            if not k:
                rows["queries"].append({"query_id": ident, **text})
        rows["ground_truth"].append({"query_id": ids[0], "positive_ids": ids[1:], "author_id": f"{author:064x}"})
    (folder / "test").mkdir(parents=True)
    for name, table in rows.items():
        (folder / "test" / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in table))
    return folder
