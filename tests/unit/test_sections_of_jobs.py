"""A job reads nothing of the configuration but what its rules have made whole."""

import re
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[2] / "workflow"
READ = {
    (path.stem, section)
    for path in sorted((WORKFLOW / "scripts").glob("*.py"))
    for section in re.findall(r"snakemake\.config\b(?:\[\"(\w+)\"\])?", path.read_text(encoding="utf-8"))
}
MADE_WHOLE = {
    section
    for path in sorted((WORKFLOW / "rules").glob("*.smk"))
    for section in re.findall(r"^config\[\"(\w+)\"\] = ", path.read_text(encoding="utf-8"), re.M)
}


def test_a_job_reads_a_section() -> None:
    assert READ


@pytest.mark.parametrize(("job", "section"), sorted(READ))
def test_a_section_that_a_job_reads_is_whole_though_nobody_sets_it(job: str, section: str) -> None:
    assert section in MADE_WHOLE, f"{job} reads config[{section!r}], which a user's configuration may lack"
