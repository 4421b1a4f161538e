"""Markup in every field that others write is shown by every page, and run by none: opened in Chromium."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tiny import ESSAYS, LETTERS, RECIPE, lines_text, make_tiny, rows

MARK = '"\'><script>document.title="RUN"</script><img src=x onerror="document.title=\'RUN\'"><!--{{7*7}}'
MODEL = yaml.safe_load(Path(__file__).parents[2].joinpath("config/models/char-ngram.yaml").read_text(encoding="utf-8"))
SETTINGS = {
    "evaluate": {"models": ["marked.yaml"]},
    "pan": {"verifiers": ["format"]},
    "publish": {"creators": [MARK], "contact": MARK, "publisher": MARK},
}
TARGETS = ("all", "pan", "tables", "review", "human_pairs", "raw_statistics", "publish", "index")


def marked_entry(entry):
    """Return an entry of a source with markup wherever a text of its writer's is taken."""
    content = yaml.safe_load(entry)
    content |= {"title": f"Title {MARK}", "about": f"About {MARK}", "legal_basis": f"Basis {MARK}"}
    content["license"] = {"name": f"LicenseRef-own {MARK}", "tier": "A"}
    content["acquire"] |= {"where": f"where {MARK}", "how": f"how {MARK}"}
    content["fields"] |= {"topic": "work", "labels": {"mark": "mark"}, "author_group": "mark", "item": "work"}
    content["cite"] = (
        "@misc{own, title = {" + MARK.replace("{{", "").replace("}}", "") + "}, author = {A}, year = {2020}}"
    )
    return str(yaml.safe_dump(content))


def marked_rows(lang):
    """Return the rows of a corpus with markup in every cell."""
    return [
        {key: f"{value} {MARK}" for key, value in row.items()} | {"mark": f"{number % 3} {MARK}"}
        for number, row in enumerate(rows(lang, 0))
    ]


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """A finished build, with all pages, of sources whose every text is markup."""
    project = make_tiny(tmp_path_factory.mktemp("marked"))
    for name, entry, lang in (("letters.yaml", LETTERS, "en"), ("essays.yaml", ESSAYS, "de")):
        entry = entry.replace('["*.csv"]', '["*.jsonl"]').replace("format: csv", "format: jsonl")
        (project.folder / name).write_text(marked_entry(entry), encoding="utf-8")
        (project.folder / f"raw/{name.partition('.')[0]}/part.jsonl").write_text(lines_text(marked_rows(lang)), "utf-8")
    (project.folder / "raw/letters/part0.csv").unlink()
    (project.folder / "raw/essays/part0.jsonl").unlink()
    model = MODEL | {"title": f"Model {MARK}"}
    (project.folder / "marked.yaml").write_text(yaml.safe_dump(model), encoding="utf-8")
    project.build(*TARGETS, *project.recipe(RECIPE | SETTINGS))
    (project.folder / "x.jsonl").write_text(lines_text(marked_rows("en")), encoding="utf-8")
    names = ("author=writer", "content=body", "split=mark", "source=work", "genre=mark", "item=work", "origin=work")
    columns = [word for name in names for word in ("--column", name)]
    results = project.results
    exploring = ["explore", results / "evaluate", "--release", project.release, "--out", results / "explorer"]
    for arguments in (["audit", "x.jsonl", *columns, "--out", "audit"], exploring):
        subprocess.run([sys.executable, "-m", "authbench", *arguments], cwd=project.folder, check=True)
    return project


def test_no_page_and_no_drawing_runs_markup(marked, browser, tmp_path):
    pages = sorted(path for end in ("html", "svg") for path in marked.folder.glob(f"[ar]*/**/*.{end}"))
    showing = set[str]()
    for path in pages:
        browser.open(path, tmp_path)
        found = browser.value("[document.title.startsWith('RUN'), document.querySelectorAll('[onerror]').length]")
        assert found == [False, 0], path
        if "&lt;script&gt;" in path.read_text(encoding="utf-8"):
            showing.add(path.relative_to(marked.folder).as_posix().removeprefix("results/tiny/"))
    assert len(pages) > 40
    assert {"audit/index.html", "leaderboard/index.html", "release/report.html", "review/en.html",
            "tables/index.html", "human_pairs/en.html", "explorer/queries-001.html"} <= showing  # fmt: skip


def test_a_card_shows_markup_as_text(marked):
    for path in (marked.results / "publish").rglob("*.md"):
        fenced = path.read_text(encoding="utf-8").split("```")
        assert not any("<script" in part or "<img" in part for part in fenced[::2]), path
