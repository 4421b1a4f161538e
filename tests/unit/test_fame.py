"""Are works that language models have read told apart, from the source's entry to the leaderboard?"""

import json

import polars as pl
import pytest
from scored_release import evaluated, write_scored_release
from shipped_sources import shipped_sources
from small_corpus import FACTS, SOURCES, corpus, release

from authbench.app.cli import main
from authbench.build.release.manifest import make_manifest
from authbench.config.registry.source_entry import Author, Description, License
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.split import read_split


def test_a_manifest_states_the_fame_of_each_released_source():
    known = Description("Classics", License("CC0 1.0", "A"), Author("person"), fame="classic")
    findings = {**FACTS, "warnings": [], "scorers": []}
    for sources, stated in ((SOURCES, "none"), ({"news": known, "elsewhere": known}, "classic")):
        assert make_manifest(release(corpus()), sources, findings)["fame"] == {"news": stated}


def test_every_shipped_source_of_literature_says_whether_it_is_famous():
    famous = {tag for tag, source in shipped_sources().items() if source.fame == "classic"}
    assert {"eltec_tei", "aozora_txt_ja", "openiti_ar"} <= famous
    assert not famous & {"exorde", "blog_authorship", "douban", "arxiv"}


def scored(folder, fame):
    made = write_scored_release(folder / "release", authors=24)
    if fame is not None:
        (made / "manifest.json").write_text(json.dumps({"fame": fame}))
    return made


@pytest.mark.parametrize(("fame", "slices"), [({"s": "classic"}, ["classic"]), ({"t": "none"}, [None]), (None, [None])])
def test_queries_are_sliced_by_what_the_manifest_says(tmp_path, fame, slices):
    split = read_split(open_release(scored(tmp_path, fame)), "test")
    assert split.facets["fame"].unique().to_list() == slices


def test_the_leaderboard_has_a_table_by_fame(tmp_path):
    made = scored(tmp_path, {"s": "classic"})
    evaluated(made, tmp_path / "out", "random", "metadata", options=["--unverified"])
    scores = json.loads((tmp_path / "out/random/scores.json").read_text())
    classic, overall = (part["headline"]["auc_matched"]["value"] for part in (scores["by_fame"]["classic"], scores))
    assert classic == overall
    assert main(["leaderboard", str(tmp_path / "out"), "--out", str(tmp_path / "board")]) == 0
    table = pl.read_csv(tmp_path / "board/by_fame_auc_matched.csv")
    assert table.columns == ["group", "model", "classic"] and table.height == 2
    assert "works that language models have read" in (tmp_path / "board/by_fame_auc_matched.md").read_text()
