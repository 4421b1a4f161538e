"""Which corpora are known? The list says what their pages say."""

from pathlib import Path

import pytest
from shipped_sources import shipped_sources

from authbench.app.cli import main
from authbench.build.catalogue import as_markdown, links, measured_labels

ROOT = Path(__file__).parents[2]
SOURCES = shipped_sources()


def test_the_page_of_sources_is_up_to_date():
    cure = "docs/sources.md is stale; run: authbench sources list --markdown > docs/sources.md"
    assert (ROOT / "docs/sources.md").read_text(encoding="utf-8") == as_markdown(SOURCES, measured_labels()), cure


def test_every_source_is_listed_with_its_entry_and_terms():
    assert list(SOURCES) == sorted(path.stem for path in (ROOT / "config/sources").glob("*.yaml"))
    page = as_markdown(SOURCES, {})
    for tag, source in SOURCES.items():
        assert f"| [`{tag}`](../config/sources/{tag}.yaml) | " in page
        assert source.license.name in page


def test_the_command_lists_one_source_a_line(capsys, tmp_path):
    assert main(["sources", "list", "--raw", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["source", *SOURCES]


def test_the_command_says_what_is_here(capsys, tmp_path):
    (tmp_path / "raw/exorde").mkdir(parents=True)
    (tmp_path / "raw/exorde/a.parquet").write_bytes(bytes(1000))
    raw = str(tmp_path / "raw")
    states = []
    for command in (["sources", "list"], ["sources", "acquire", "exorde"], ["sources", "list"]):
        assert main([*command, "--raw", raw]) == 0
        states += [line for line in capsys.readouterr().out.splitlines() if line.startswith("exorde ")]
    assert "1.0 kB  present" in states[0] and "1.0 kB  verified" in states[1]


def test_what_cannot_be_fetched_is_told_and_the_others_are(capsys, refused, tmp_path):
    (tmp_path / "raw/arxiv").mkdir(parents=True)
    (tmp_path / "raw/arxiv/a.json").write_bytes(b"{}")
    assert main(["sources", "acquire", "marc_sample", "arxiv", "--raw", str(tmp_path / "raw")]) == 2
    told = capsys.readouterr()
    assert told.out.startswith("arxiv: found there")
    assert "marc_sample: it is not fetched for you. To get it from github, huggingface/datasets: Unpack" in told.err
    assert "did you mean 'exorde" in refused(["sources", "acquire", "exord"])


def test_the_command_prints_the_page(capsys):
    assert main(["sources", "list", "--markdown"]) == 0
    assert capsys.readouterr().out == as_markdown(SOURCES, measured_labels())


@pytest.mark.parametrize(
    ("tag", "languages"), [("nsmc_raw_ko", "ko"), ("eltec_tei", "as labelled"), ("weibo_users_gbk", "zh")]
)
def test_languages_come_from_the_mapping_or_are_the_corpus_own(tag, languages):
    assert f"| {languages} |" in next(line for line in as_markdown(SOURCES, {}).splitlines() if f"`{tag}`" in line)


def test_a_page_says_what_was_measured_of_the_labels_and_dashes_where_nothing_was(tmp_path):
    head = "source,labels,texts,estimator,impurity,low,high,decision\n"
    (tmp_path / "labels.csv").write_text(head + "nsmc_raw_ko,40,200,same_item,0.617,0.43,0.86,impure\n")
    page = as_markdown(SOURCES, measured_labels(tmp_path / "labels.csv"))
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| [`")}
    assert "| masked | impure: 40, 0.62 [0.43, 0.86] |" in rows["nsmc_raw_ko"] and "| account | - |" in rows["douban"]
    assert "| work | work |" in rows["weibo_stock_posts"]
    assert measured_labels(tmp_path / "absent.csv") == {}


def test_the_page_says_what_has_to_be_got_by_hand():
    rows = {line.split("`")[1]: line for line in as_markdown(SOURCES, {}).splitlines() if line.startswith("| [`")}
    assert {tag for tag, row in rows.items() if row.endswith(" by hand |")} == {
        tag for tag, source in SOURCES.items() if not source.acquire.fetch
    }


def test_a_repository_without_an_owner_has_the_owner_before_it():
    made = list(links("https://github.com/", ["OpenITI/0025AH", "0075AH"]))
    assert made[1] == "[0075AH](https://github.com/OpenITI/0075AH)"
