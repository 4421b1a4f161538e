"""A complete release of which only the documents, queries and pairs of its public bundle are left."""

import json
import shutil

import polars as pl


def restricted(release, public, out):
    """Write a copy of the release whose texts and answers are its own, and whose questions are those of the bundle."""
    shutil.copytree(release, out)
    (out / "SHA256SUMS").unlink()
    here = set(pl.read_parquet(public / "provenance.parquet")["id"])
    for split in ("train", "dev", "test"):
        asked = {row["query_id"] for row in _rows(public / split / "ground_truth.jsonl")}
        for name, ident, ids in (
            ("candidates", "candidate_id", here),
            ("queries", "query_id", asked),
            ("ground_truth", "query_id", asked),
        ):
            path = out / split / f"{name}.jsonl"
            rows = [row for row in _rows(path) if row[ident] in ids]
            for row in rows if name == "ground_truth" else ():
                row |= {key: [one for one in row[key] if one in here] for key in row if key.endswith("_ids")}
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        for name in ("positives", "pairs"):
            shutil.copyfile(public / split / f"{name}.parquet", out / split / f"{name}.parquet")
    table = pl.read_parquet(out / "provenance.parquet")
    table.filter(pl.col("id").is_in(list(here))).write_parquet(out / "provenance.parquet")
    return out


def _rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
