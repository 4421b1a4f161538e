"""Are the counts that are probed for LFTK's, each text counted once, and is it told where LFTK is not there?"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml
from cases import read_cases

from authbench.config.registry.entries import read_yaml
from authbench.config.registry.load import list_entries
from authbench.core.errors import InputError
from authbench.suites.style import features, lftk
from authbench.suites.style.datasets import find_datasets
from authbench.suites.style.entries import DATASETS

TEXTS = read_cases(Path(__file__))["TEXTS"]
WITHOUT_A_RATING = "The dog fell into an ambuscade."  # Kuperman's table has the word, and no rating of it


def test_the_counts_are_those_of_lftk(monkeypatch):
    if lftk.installed() is None:
        pytest.skip("LFTK, spaCy and en_core_web_sm are not installed (the extra `probing`)")
    import pandas
    from lftk import Extractor

    ours = lftk.counts([*TEXTS, WITHOUT_A_RATING]).astype(np.float64).round(lftk.DECIMALS)
    monkeypatch.setattr(pandas, "read_csv", cache(pandas.read_csv))  # LFTK reads three tables for each text
    documents = list(lftk.english().pipe([*TEXTS, WITHOUT_A_RATING]))
    theirs = Extractor(docs=documents).extract(features=list(lftk.NAMES))
    assert len(lftk.NAMES) == len(set(lftk.NAMES)) == 12 + 34
    unrated = theirs.pop()
    assert ours[:-1].tolist() == [[one[name] for name in lftk.NAMES] for one in theirs]
    assert np.isnan(unrated["t_kup"]) and ours[-1][lftk.NAMES.index("t_kup")] > 0


def test_a_text_longer_than_spacy_takes_is_told_with_what_to_do(monkeypatch):
    if lftk.installed() is None:
        pytest.skip("LFTK, spaCy and en_core_web_sm are not installed (the extra `probing`)")
    monkeypatch.setattr(lftk.english(), "max_length", 9)
    with pytest.raises(InputError, match="10 characters; spaCy takes at most 9.*`pieces`"):
        lftk.counts(["short", "x" * 10])


@pytest.fixture
def counted(monkeypatch):
    """The texts that were counted, by a count that needs nothing installed."""
    seen = []

    def lengths(texts):
        seen.extend(texts)
        return np.array([[len(text)] * len(lftk.NAMES) for text in texts], np.float32)

    monkeypatch.setattr(lftk, "installed", lambda: "lftk 0")
    monkeypatch.setattr(lftk, "counts", lengths)
    return seen


def test_a_text_is_counted_once_whatever_dataset_it_is_in(counted, tmp_path):
    names, values = features.extract(["one", "three"], "lftk", tmp_path)
    assert (names, values[:, 0].tolist()) == (list(lftk.NAMES), [3, 5])
    _, values = features.extract(["three", "seventeen", "one"], "lftk", tmp_path)
    assert values[:, 0].tolist() == [5, 9, 3]
    assert sorted(counted) == ["one", "seventeen", "three"]


def test_other_versions_count_anew(counted, tmp_path, monkeypatch):
    features.extract(["one"], "lftk", tmp_path)
    monkeypatch.setattr(lftk, "installed", lambda: "lftk 1")
    features.extract(["one"], "lftk", tmp_path)
    assert counted == ["one", "one"]


def test_where_lftk_is_missing_surface_features_are_measured_and_named(monkeypatch, tmp_path):
    monkeypatch.setattr(lftk, "installed", lambda: None)
    assert features.measured_by("lftk") == features.measured_by("surface") == "surface"
    names, values = features.extract(TEXTS, "lftk", tmp_path)
    assert "word length" in names and values.shape == (len(TEXTS), len(names))


def test_a_page_cannot_ask_for_english_counts_of_other_languages(tmp_path):
    page = read_yaml(list_entries(DATASETS)["probing_blog"])
    assert page["tasks"]["probing"]["features"] == "lftk"
    (tmp_path / "german.yaml").write_text(yaml.safe_dump({**page, "languages": ["de"]}), encoding="utf-8")
    with pytest.raises(InputError, match="tasks.probing.features: lftk.* are de; expected surface"):
        find_datasets([str(tmp_path / "german.yaml")])


def test_a_misspelt_option_of_a_datasets_reader_is_refused(tmp_path):
    page = read_yaml(list_entries(DATASETS)["probing_blog"])
    (tmp_path / "own.yaml").write_text(
        yaml.safe_dump({**page, "reader": {"format": "csv", "delimeter": ";"}}), encoding="utf-8"
    )
    with pytest.raises(InputError, match="delimeter"):
        find_datasets([str(tmp_path / "own.yaml")])
