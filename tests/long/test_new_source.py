"""Two commands lead from files to a release: `new source` and the build."""

from pathlib import Path

import polars as pl
from project import copy_project
from tiny import csv_text, rows

from authbench.app.cli import main
from authbench.core.storage.json_files import read_json

NAME = "letters"


def test_a_table_in_windows_encoding_becomes_a_release_by_two_commands(tmp_path, monkeypatch):
    project = copy_project(tmp_path)
    table = [{**row, "body": f"{row['body']} Ça va à Zürich."} for row in rows("en", 0)]
    content = csv_text(table).encode("cp1252", "replace")
    monkeypatch.chdir(tmp_path)
    Path("Letters.csv").write_bytes(content)
    assert main(["new", "source", "Letters.csv", "--yes"]) == 0
    project.build("release", "--configfile", f"{NAME}.yaml")
    release = tmp_path / "results" / NAME / "release"
    assert read_json(tmp_path / "results" / NAME / "check.json")["violations"] == 0
    provenance = pl.read_parquet(release / "provenance.parquet")
    assert provenance.height == len(table) and provenance["author_id"].n_unique() == 7
    assert provenance.select(pl.col("source", "lang", "genre").n_unique()).row(0) == (1, 1, 1)
    texts = pl.concat([pl.read_ndjson(path) for path in sorted(release.glob("*/candidates.jsonl"))])
    assert texts["content"].str.contains("Ça va à Zürich.").all()
    assert "Writer en" not in "".join(path.read_text() for path in sorted(release.rglob("*.jsonl")))
