"""The README shows what the demo gives."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_readme_ends_the_demo_as_it_ends(demo):
    summary = json.loads((demo.results / "check.json").read_text(encoding="utf-8"))["summary"]
    assert summary in (ROOT / "README.md").read_text(encoding="utf-8"), f"in README.md write: {summary}"
