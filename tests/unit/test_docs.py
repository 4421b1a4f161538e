"""Does the documentation say what is so? Its examples are run, its links and names followed."""

import re
from pathlib import Path

import polars as pl
import pytest
import yaml
from defaults import section
from jsonschema import Draft202012Validator

from authbench.app.config import prepare
from authbench.build.ingest.fields import as_text, compile_expression
from authbench.build.ingest.source import ingest_source
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import make_extraction
from authbench.config.registry.sources import source_schema
from authbench.core.storage.atomic import sha256_of_file

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "workflow/authbench"
CONTRIBUTED = [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "resources/submissions/README.md"]
PAGES = [ROOT / "README.md", *CONTRIBUTED, *sorted((ROOT / "docs").glob("*.md"))]
GUIDE = (ROOT / "docs/adding-a-source.md").read_text(encoding="utf-8")


def block(language, number=0):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.M | re.S)[number]


def expressions():
    table = GUIDE.partition("## Expressions")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \| `(.+?)` \|$", table, re.M)
    assert len(rows) > 10
    return rows


@pytest.mark.parametrize(("expression", "row", "value"), expressions())
def test_an_expression_gives_what_the_guide_says(expression, row, value):
    (computed,) = compile_expression(yaml.safe_load(expression), "docs")([yaml.safe_load(row)])
    assert as_text(computed) == yaml.safe_load(value)


def test_the_page_of_the_guide_is_a_source():
    assert not list(Draft202012Validator(source_schema()).iter_errors(yaml.safe_load(block("yaml"))))


def test_the_letters_of_the_guide_become_what_it_says(tmp_path):
    (tmp_path / "2024.csv").write_text(block("csv"), encoding="cp1252")
    settings, shard, removed = section("ingest", max_bad_rows=1), tmp_path / "1.parquet", tmp_path / "removed.parquet"
    source = yaml.safe_load(block("yaml"))
    files = {"2024.csv": sha256_of_file(tmp_path / "2024.csv")}
    ingest_source("letters", make_extraction(source), tmp_path, files, [shard], removed, settings)
    (letter,) = pl.read_parquet(shard).to_dicts()
    assert letter["content"].startswith("the new crossing") and letter["content"].endswith("the shoe back.")
    assert (letter["date"], letter["topic"], letter["names_author"]) == ("2024-02-03", "traffic", False)
    assert pl.read_parquet(removed)["reason"].to_list() == ["advertisement", "no_author"]


def test_the_recipe_of_the_guide_can_be_run(tmp_path):
    for part in ("resources", "workflow"):
        (tmp_path / part).symlink_to(ROOT / part)
    (tmp_path / "config/sources").mkdir(parents=True)
    (tmp_path / "config/config.yaml").symlink_to(ROOT / "config/config.yaml")
    for registry in ("models", "verifiers"):
        (tmp_path / "config" / registry).symlink_to(ROOT / "config" / registry)
    (tmp_path / "config/sources/letters.yaml").write_text(block("yaml"), encoding="utf-8")
    (tmp_path / "raw/letters").mkdir(parents=True)
    (tmp_path / "raw/letters/2024.csv").write_text(block("csv"), encoding="cp1252")
    setup = prepare({**yaml.safe_load(block("yaml", 1)), "raw_dir": "raw"}, tmp_path)
    assert list(setup.sources) == ["letters"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"(?:\]\(|src=\"|srcset=\")([^)#\":]+)[)#\"]", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_settings_that_a_page_names_exist(page):
    text = page.read_text(encoding="utf-8").replace("`release.lock`", "")
    files = re.findall(r"`((?:config|docs|resources|workflow|profiles|tests)/[\w./-]+)`", text)
    ours = {"config/sources/letters.yaml", "config/recipes/letters.yaml", "resources/raw", "resources/raw.lock.yaml"}
    ours |= {"config/models/mine.yaml", "resources/vocabulary/"}
    files = [file for file in files if file not in ours and not file.startswith("resources/raw/")]
    absent = [file for file in files if not any((at / file).exists() for at in (ROOT, LIBRARY))]
    assert absent == []
    defaults = read_yaml(ROOT / "config/config.yaml")
    for part, path in re.findall(
        r"`(ingest|authors|normalize|chunk|filter|dedup|safety|sample|split|release)\.(?!py\b)([a-z_.]+)`", text
    ):
        here = defaults[part]
        for key in path.split("."):
            assert key in here, f"{page.name}: {part}.{path}"
            here = here[key]


def test_the_stages_name_every_rule():
    rules = {
        name
        for file in (ROOT / "workflow/rules").glob("*.smk")
        for name in re.findall(r"^rule (\w+):", file.read_text(), re.M)
    }
    page = (ROOT / "docs/how-it-works.md").read_text(encoding="utf-8")
    table = page.partition("## The stages")[2].partition("\n## ")[0]
    assert rules == set(re.findall(r"`([a-z_]+)`(?=[^|]*\| `[a-z]+/)", table))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_that_a_page_names_exist(page):
    named = re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", page.read_text(encoding="utf-8"))
    assert [one for one in named if not any((at / one).exists() for at in (ROOT, LIBRARY))] == []
