"""What a run says and shows at its end: everything that it made, and how the rest is made."""

import json
import logging
import os
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cases import cases

from authbench.core.shipped import shipped
from authbench.core.storage.json_files import write_json
from authbench.reports.overview.at_end import Closing
from authbench.reports.overview.found import find
from authbench.reports.overview.options import options_of
from authbench.reports.overview.page import close_run, closing_lines, command, render, write_index
from authbench.reports.overview.parts import PARTS

RULES = shipped("scripts").parent / "rules"
NO_LISTS = {"name": "demo", "filter": {"exclude": None}, "release": {"takedown": None}}
LISTS = {"name": "demo", "filter": {"exclude": "lists/out.jsonl"}, "release": {"takedown": None}}
LATER = 4e9
PAGE = '<h1>Board</h1>\n<p class="lead"><strong>{}</strong></p><p class="lead"><strong>no</strong></p>'


class Links(HTMLParser):
    """The targets of all links of a page, and its text."""

    def __init__(self, page):
        super().__init__()
        self.links = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name == "href" and value]

    def handle_data(self, data):
        self.text += data


def results(folder):
    """A folder of results with a release, but no models on it."""
    for name in ("release", "leaderboard", "logs"):
        (folder / name).mkdir(parents=True)
    (folder / "release/report.html").touch()
    write_json(folder / "check.json", {"summary": "demo: 3 documents"})
    (folder / "release_data.json").touch()
    return folder


def everything(folder):
    """A folder of results in which every part is made."""
    results(folder)
    for part in PARTS:
        for path in (part.made, *part.files):
            file = folder / path.replace("*", "one")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    (folder / "leaderboard/index.html").write_text(PAGE.format("a &lt;b&gt; leads"))
    return folder


def test_every_page_of_the_rules_is_a_part_of_the_index():
    written = "".join(path.read_text(encoding="utf-8") for path in RULES.glob("*.smk"))
    pages = set(re.findall(r'result\("([^"]+\.html)"\)', written))
    assert pages and pages <= {part.made for part in PARTS}


@pytest.mark.parametrize("target", sorted({part.target for part in PARTS} - {""}))
def test_the_target_of_a_part_is_a_rule(target):
    written = [*RULES.glob("*.smk"), RULES.parent / "Snakefile"]
    assert any(f"\nrule {target}:" in path.read_text(encoding="utf-8") for path in written)


def test_the_index_links_all_that_is_there_and_nothing_else(tmp_path):
    folder = everything(tmp_path)
    page = Links(write_index(folder, "demo").read_text())
    assert {part.made for part in PARTS} <= set(page.links)
    assert all((folder / link).exists() for link in page.links)
    assert "Not made yet" not in page.text


def test_the_index_names_the_command_for_what_is_not_there(tmp_path):
    page = Links(render(results(tmp_path), "demo", ["--config", "name=my demo"]))
    assert "snakemake --cores 2 pan --config 'name=my demo'" in page.text
    assert "snakemake --cores 2 --config 'name=my demo'" in page.text  # the leaderboard, by the default target
    assert page.links == ["release/report.html", "logs/"]


def test_the_index_repeats_the_sentence_that_opens_a_page(tmp_path):
    folder = everything(tmp_path)
    found = {one.part.made: one.summary for one in find(folder)}
    assert found["leaderboard/index.html"] == "a <b> leads" and found["pan/report/index.html"] == ""
    assert "a &lt;b&gt; leads" in render(folder, "demo")


def test_what_is_older_than_the_release_is_marked_and_its_command_told(tmp_path):
    folder = everything(tmp_path)
    os.utime(folder / "pan/report/index.html", (1, 1))
    os.utime(folder / "raw/index.html", (1, 1))  # not made of the release
    assert [one.part.made for one in find(folder) if one.old] == ["pan/report/index.html"]
    assert "snakemake --cores 2 pan makes it anew" in Links(render(folder, "demo")).text


def test_names_are_escaped(tmp_path):
    folder = everything(tmp_path)
    hostile = folder / "raw/<img src=x onerror=alert(1)>.csv"
    hostile.touch()
    page = render(folder, "<b>demo</b>", ["--config", "name=<i>"])
    assert "<img" not in page and "<b>demo" not in page and "<i>" not in page
    assert "raw/%3Cimg" in page


def test_a_folder_without_results_has_an_index_of_what_can_be_made(tmp_path):
    page = Links(render(tmp_path, "demo"))
    assert "Nothing yet." in page.text and "snakemake --cores 2 raven" in page.text


def test_a_command_can_be_pasted_into_a_shell():
    options = options_of([Path("/here/a b.yaml"), Path("/there/c.yaml")], ["filter={'symbols': 0.4}"], Path("/here"))
    told = command("pan", options)
    assert shlex.split(told)[4:] == ["--configfile", "a b.yaml", "/there/c.yaml", "--config", "filter={'symbols': 0.4}"]


def test_a_run_that_made_no_release_says_nothing_of_one(tmp_path):
    assert closing_lines(tmp_path, NO_LISTS, 0) == []


def test_a_run_without_a_folder_writes_none(tmp_path):
    assert close_run(tmp_path / "none", NO_LISTS, 0) == []
    assert not (tmp_path / "none").exists()


def said(message):
    return logging.LogRecord("snakemake", logging.INFO, "", 0, message, None, None)


@cases
def test_a_run_in_which_nothing_was_left_to_do_has_its_index_and_names_it(message, is_dry, closed, tmp_path, capsys):
    closing = Closing(results(tmp_path), NO_LISTS, LATER)
    assert closing.hear(said(message))
    closing.at_exit(is_dry)
    assert (tmp_path / "index.html").exists() == closed
    assert (f"All of it: {tmp_path}/index.html" in capsys.readouterr().out) == closed


def test_a_run_that_failed_leaves_an_index_of_what_is_there_and_says_no_more(tmp_path, capsys):
    Closing(results(tmp_path), NO_LISTS, 0).write()
    assert "demo: 3 documents" in (tmp_path / "index.html").read_text() and capsys.readouterr().out == ""


def test_a_run_says_what_it_made_and_where(tmp_path):
    told = close_run(results(tmp_path), NO_LISTS, 0)
    assert told == [
        "demo: 3 documents",
        f"The benchmark: {tmp_path}/release/   Its report: {tmp_path}/release/report.html",
        f"All of it: {tmp_path}/index.html",
    ]
    assert "demo: 3 documents" in (tmp_path / "index.html").read_text()


def test_a_run_of_a_suite_names_its_page_and_no_earlier_suite(tmp_path):
    folder = everything(tmp_path)
    for part in PARTS:
        os.utime(folder / part.made, (5, 5))
    os.utime(folder / "release_data.json", (5, 5))
    os.utime(folder / "style/report/index.html", (LATER, LATER))
    told = closing_lines(folder, NO_LISTS, since=10)
    assert told[-1] == f"Style (STEB): {folder}/style/report/index.html"
    assert not any("pan/" in line or "review/" in line for line in told)


@pytest.mark.parametrize("part", [part for part in PARTS if part.target not in ("", "release")])
def test_every_suite_is_named_by_its_run(tmp_path, part):
    told = closing_lines(everything(tmp_path), NO_LISTS, 0)
    assert any(line.endswith(str(tmp_path / part.made)) for line in told)


def test_a_leaderboard_is_named_unless_it_is_of_an_older_release(tmp_path):
    board = results(tmp_path) / "leaderboard/index.html"
    board.touch()
    assert closing_lines(tmp_path, NO_LISTS, 0)[-1] == f"Models on it: {board}"
    os.utime(board, (1, 1))
    assert len(closing_lines(tmp_path, NO_LISTS, 0)) == 2


def test_values_that_ingestion_lost_are_told_at_the_end(tmp_path):
    folder = results(tmp_path)
    (folder / "report").mkdir(exist_ok=True)
    write_json(folder / "report/facts.json", {"funnel": [], "ingest": {"letters": {"lost": {"date": [9, 5]}}}})
    assert any("5 of 9 values of the field date" in line for line in closing_lines(folder, NO_LISTS, 0))


def test_an_entry_of_a_list_that_met_nothing_is_told(tmp_path):
    folder = results(tmp_path)
    (folder / "release/manifest.json").write_text(json.dumps({"takedown": {}}))
    (folder / "report").mkdir()
    write_json(
        folder / "report/facts.json",
        {"exclusions": {"entries": 2, "without_a_document": ["s:1"]}, "funnel": [], "ingest": {}},
    )
    assert any("s:1" in line for line in closing_lines(folder, LISTS, 0))
