"""Does a build leave out what a person ruled out, and account for it?"""

import json

import polars as pl
from project import Project

from authbench.tables import read_json


def test_ruled_out_texts_are_left_out_listed_and_counted(another: Project) -> None:
    results = another.folder / "results/demo"
    released = pl.read_parquet(results / "split/documents.parquet")["doc_key"].sort()
    ruled_out = released.gather_every(200).to_list()
    lines = [{"doc_key": key, "reason": "boilerplate", "note": "a menu"} for key in [*ruled_out, "blogs:nobody"]]
    (another.folder / "verdicts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = another.recipe({"filter": {"exclude": "verdicts.jsonl"}})
    status, said = another.snakemake("--cores", "2", "release", *settings)
    assert status == 0, said
    assert not set(ruled_out) & set(pl.read_parquet(results / "split/documents.parquet")["doc_key"])
    log = [json.loads(line) for line in (results / "dirty_docs.log").read_text().splitlines()]
    told = {row["doc_key"]: row for row in log if row["reason"] == "review_boilerplate"}
    assert sorted(told) == sorted(ruled_out)
    assert {(row["stage"], row["detail"]) for row in told.values()} == {("filter", "a menu")}
    funnel = pl.read_csv(results / "release/funnel.csv").filter(pl.col("reason") == "review_boilerplate")
    assert funnel["documents"].sum() == len(ruled_out)
    assert read_json(results / "check.json")["violations"] == 0
    manifest = json.loads((results / "release/manifest.json").read_text())
    assert manifest["config"]["filter"]["exclude"] == "verdicts.jsonl"
    lost = f"1 entry of {len(lines)} in the list filter.exclude"
    assert f"{lost} (blogs:nobody) matched no document" in said
    assert f"{lost} matched no document that came to the filters." in manifest["warnings"]
    assert lost in (results / "release/report.html").read_text()
