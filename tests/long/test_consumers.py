"""The demo, published, as the libraries that people use read it."""

import sys

import pytest
from project import ROOT

sys.path.append(str(ROOT / "benchmarks"))
import consumers


@pytest.fixture(scope="module")
def consumed(published_demo, tmp_path_factory):
    raw = published_demo.folder / "resources/demo/raw"
    return consumers.Published(published_demo.results, raw, tmp_path_factory.mktemp("consumed"), tokens=32)


@pytest.mark.parametrize("name", [name for name in consumers.CONSUMERS if "rebuild" not in name])
def test_the_demo_passes_a_consumer(name, consumed, tmp_path, monkeypatch):
    for module in consumers.CONSUMERS[name].modules:
        pytest.importorskip(module, reason="needs the extras `publish` and `models`")
    if name in ("datasets", "mteb"):
        monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    consumers.CONSUMERS[name].check(consumed)
