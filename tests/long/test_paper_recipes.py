"""The recipes of the paper build from small raw folders in the formats of their sources."""

import json
import shutil

import polars as pl
import pytest
from project import ROOT, copy_project
from sound_release import prose

from authbench.publish.merging.run import merge
from authbench.release.checking import check_release
from authbench.release.format.release import open_complete_release, read_manifest

AUTHORS, TEXTS = 6, 4
WORDS = {"en": 60, "de": 45}
CRAWLED = ("stackexchange", "project_gutenberg", "wikisource", "ytcomments")


def crawled(tag):
    """What a crawler writes: a few texts of a few authors in two languages."""
    genres = {
        "stackexchange": ("qna/question", "qna/answer"),
        "project_gutenberg": ("literature", "poetry"),
        "wikisource": ("literature/speech_essay", "poetry"),
        "ytcomments": ("social_media/youtube_comment",),
    }[tag]
    names = ("Adam", "Berta", "Cyrus", "Doris", "Egon", "Flora")
    for lang, words in WORDS.items():
        for author in range(AUTHORS):
            for text in range(TEXTS):
                name = (
                    f"{names[author]} {tag.title()}{lang}"
                    if tag in ("project_gutenberg", "wikisource")
                    else str(author)
                )
                yield {
                    "raw_id": f"{tag}:{lang}:{author}:{text}",
                    "author": f"UC{lang}{author}" if tag == "ytcomments" else name,
                    "text": prose(f"{tag} {author} {text}", lang, words),
                    "lang": lang,
                    "genre": genres[text % len(genres)],
                    "title": f"Work {lang} {author} {text}",
                    "source_site": f"{lang}.stackoverflow.com",
                    "creation_date": "2024-05-01T10:00:00",
                    "published_at": "2024-05-01T10:00:00Z",
                }


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """The demo's corpora, and four as they are crawled."""
    folder = tmp_path_factory.mktemp("raw") / "raw"
    shutil.copytree(ROOT / "resources/demo/raw", folder)
    for tag in CRAWLED:
        (folder / tag).mkdir(exist_ok=True)
        lines = (json.dumps(row) + "\n" for row in crawled(tag))
        (folder / tag / f"{tag}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("recipes"))


RECIPES = {"authbench-300k": (13, 8), "authbench-428k": (17, 9)}  # how many sources and primary genres each has


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_of_the_paper_builds_a_sound_release_of_all_its_sources(project, raw, recipe):
    choices = [
        f"raw_dir={raw}",
        "shards=1",
        "safety={scorers: [wordlist]}",
    ]  # Detoxify's weights are not to be had here
    project.build("release", "--configfile", f"config/recipes/{recipe}.yaml", "--config", *choices)
    release = project.folder / "results" / recipe / "release"
    manifest = read_manifest(release)
    assert check_release(release, manifest["config"]) == []
    provenance = pl.read_parquet(release / "provenance.parquet")
    wanted = set(manifest["config"]["sources"])
    assert set(provenance["source"]) == wanted
    genres = set(provenance["genre"].str.split("/").list.first())
    assert (len(wanted), len(genres)) == RECIPES[recipe]
    for split in manifest["splits"]:  # a text is a query or a candidate
        lines = [(release / split / f"{name}.jsonl").read_text().splitlines() for name in ("candidates", "queries")]
        candidates = {json.loads(line)["candidate_id"] for line in lines[0]}
        assert candidates.isdisjoint(json.loads(line)["query_id"] for line in lines[1])


@pytest.mark.parametrize("fidelity", ["plan", "paper"])
def test_the_demo_to_the_letter_of_the_plan_or_the_paper_is_sound_where_that_is_granted(project, raw, fidelity):
    stated = [f"fidelity={fidelity}", f"name={fidelity}", f"raw_dir={raw}", "shards=1", "safety={scorers: [wordlist]}"]
    project.build("release", "--configfile", "config/recipes/demo.yaml", "--config", *stated)
    release = project.folder / "results" / fidelity / "release"
    manifest = read_manifest(release)
    assert check_release(release, manifest["config"]) == []
    assert any("release.ids: sorted" in line for line in manifest["warnings"]) == (fidelity == "plan")
    provenance = pl.read_parquet(release / "provenance.parquet").sort("id")
    texts = pl.concat(pl.read_ndjson(path) for path in release.glob("*/candidates.jsonl"))
    several = provenance.group_by("author_id").agg(pl.col("source").n_unique(), pl.col("split").n_unique())
    assert several["source"].max() == 1
    neighbours = provenance["author_id"].rle_id().max() + 1 == several.height  # an author's texts follow each other
    assert (several["split"].max() > 1) == neighbours == (fidelity == "plan")
    assert texts["content"].str.contains("\n.").any() == (fidelity == "plan")
    assert texts["content"].str.ends_with("\n").all() == (fidelity == "paper")
    assert "work" in provenance["author_kind"].to_list()


def test_the_releases_of_the_two_recipes_merge(project, raw, tmp_path):
    folders = [project.folder / "results" / recipe / "release" for recipe in RECIPES]
    for recipe, folder in zip(RECIPES, folders, strict=True):
        if not folder.is_dir():
            test_a_recipe_of_the_paper_builds_a_sound_release_of_all_its_sources(project, raw, recipe)
    stated = merge(*map(open_complete_release, folders), tmp_path / "both", "both")
    first, second = stated["merged"]
    assert first["removed"] == {}
    assert second["kept"] > 0
    assert second["kept"] + sum(second["removed"].values()) == second["documents"]
    assert stated["totals"]["documents"] == first["kept"] + second["kept"]
