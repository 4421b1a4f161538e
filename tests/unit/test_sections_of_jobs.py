"""A job reads nothing of the configuration, which may lack what nobody has set: its rule gives it what it needs."""

import re
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[2] / "workflow"


@pytest.mark.parametrize("path", sorted((WORKFLOW / "scripts").glob("*.py")), ids=lambda path: path.stem)
def test_no_script_reads_the_configuration(path):
    assert "snakemake.config" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((WORKFLOW / "rules").glob("*.smk")), ids=lambda path: path.stem)
def test_no_rules_change_the_configuration(path):
    assert not re.findall(r"\bconfig(\[.*\])+ *=[^=]|\bconfig\.(update|setdefault)\b", path.read_text(encoding="utf-8"))
