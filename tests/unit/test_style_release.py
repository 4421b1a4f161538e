"""Does any release give author retrieval?"""

import json

import pytest

from authbench.config.registry.load import load_entry
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache
from authbench.suites.style.datasets import RELEASE, digests_of_run, find_datasets, with_release
from authbench.suites.style.run import read_all, run


@pytest.fixture
def release(tmp_path):
    (tmp_path / "release/test").mkdir(parents=True)
    rows = [
        {"candidate_id": f"c{place}", "author_id": f"author {place % 5}", "lang": "de" if place % 2 else "en",
         "content": f"{'xyzuv'[place % 5] * 30} Text {place}"}
        for place in range(40)
    ]  # fmt: skip
    (tmp_path / "release/test/candidates.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    return tmp_path / "release"


def test_a_release_asks_for_its_authors_in_the_languages_of_its_texts(release, tmp_path):
    datasets = with_release(find_datasets(["STEL_feature"]), release)
    assert [one.name for one in datasets] == ["STEL_feature", RELEASE]
    rows, absent = read_all(datasets, tmp_path / "nothing", "skip")
    assert list(absent) == ["STEL_feature"]
    assert set(rows[RELEASE].frame["lang"]) == {"de", "en"}
    told = run(load_entry(MODELS, "tfidf"), datasets, rows, absent, tmp_path / "out", VectorCache(tmp_path / "cache"))
    result = told["datasets"][RELEASE]["tasks"]["retrieval"]
    assert (result["queries"], result["targets"], result["mrr"]) == (5, 5, 1.0)


def test_what_a_run_reads_is_marked_by_content(release, tmp_path):
    settings = {"datasets": ["STEL_feature"], "data": "."}
    before = digests_of_run(settings, release, tmp_path, tmp_path / "memory.json")
    assert digests_of_run(settings, release, tmp_path, tmp_path / "memory.json") == before
    path = release / "test/candidates.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    after = digests_of_run(settings, release, tmp_path, tmp_path / "memory.json")
    assert after["entries"] == before["entries"] and after["files"] != before["files"]
