"""Does the workflow meet what catalogues of workflows and `snakemake --report` ask for?"""

import re
import zipfile
from pathlib import Path

import yaml
from project import surroundings

ROOT = Path(__file__).parents[2]


def test_the_workflow_starts_where_catalogues_look(fresh):
    status, ours = fresh.snakemake("--dry-run", "--quiet", "host")
    assert status == 0
    status, theirs = fresh.snakemake("--snakefile", "workflow/Snakefile", "--dry-run", "--quiet", "host")
    assert status == 0
    jobs = re.compile(r"^(\w+) +\d+$", re.M)
    assert set(jobs.findall(ours)) == set(jobs.findall(theirs)) > {"all", "write_release"}


def test_the_catalogue_finds_its_files():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["report"] is True
    assert not any(usage["software-stack-deployment"].values()), "it installs Snakemake alone (test_bad_input.py)"
    readme = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in readme and "workflow" in readme, "what the catalogue searches for"
    assert all((ROOT / path).exists() for path in ("workflow/Snakefile", "config/README.md", "envs/text.yaml"))
    text = (ROOT / "config/README.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z]+)/`", text.partition("| folder |")[2].partition("\n\n")[0])
    assert sorted(named) == sorted(path.name for path in (ROOT / "config").iterdir() if path.is_dir())


def test_every_table_and_figure_in_the_report_has_a_caption(bench):
    """The report is a ZIP archive, as a page of the leaderboard is a folder."""
    status, said = bench.snakemake("--report", "report.zip", env=surroundings())
    assert status == 0, said
    with zipfile.ZipFile(bench.folder / "report.zip") as report:
        page = report.read("report/report.html").decode()
    for name in ("leaderboard", "languages.csv", "token_lengths.csv", "funnel.csv", "funnel.svg", "report.html"):
        assert name in page
    for rules in (bench.folder / "workflow/rules").glob("*.smk"):
        for told in re.findall(r"=report\((.*?)\n        \)", rules.read_text(encoding="utf-8"), re.S):
            (caption,) = re.findall(r'caption="\.\./(.+?)"', told)
            assert (bench.folder / "workflow" / caption).read_text(encoding="utf-8").strip(), caption
    assert "What became of the documents of each source" in page
