"""The README shows what the demo gives."""

import json
from pathlib import Path

from project import Project

ROOT = Path(__file__).parents[2]


def test_the_readme_ends_the_demo_as_it_ends(demo: Project) -> None:
    summary = json.loads((demo.results / "check.json").read_text(encoding="utf-8"))["summary"]
    assert summary in (ROOT / "README.md").read_text(encoding="utf-8"), f"in README.md write: {summary}"


def test_the_picture_of_the_readme_is_the_demo_s(demo: Project) -> None:
    cure = "run: cp results/demo/release/figures/funnel.svg docs/figures/"
    drawn = (demo.release / "figures/funnel.svg").read_bytes()
    assert (ROOT / "docs/figures/funnel.svg").read_bytes() == drawn, cure
