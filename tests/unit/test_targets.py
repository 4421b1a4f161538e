"""What was asked for is made, also behind an `ancient` input, or the run fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = """
from authbench.core.runtime.targets import expect_targets, judge_jobs_behind_ancient_inputs
judge_jobs_behind_ancient_inputs()
onsuccess:
    expect_targets(workflow.dag)
rule page:
    input: ancient("checked"), "other"
    output: "page"
    shell: "touch page"
rule check:
    input: "draft"
    output: "checked"
    shell: "{LAST} touch checked"
rule other:
    output: "other"
    shell: "touch other"
"""


def run(folder, *arguments):
    command = [sys.executable, "-m", "snakemake", *arguments, "--cores", "1", "--rerun-triggers", "mtime"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)


@pytest.fixture
def finished(tmp_path):
    (tmp_path / "Snakefile").write_text(RULES.replace("{LAST}", ""))
    (tmp_path / "draft").touch()
    assert run(tmp_path, "page").returncode == 0
    return tmp_path


def test_a_page_behind_an_ancient_input_that_is_made_again_is_made(finished):
    (finished / "page").unlink()
    (finished / "draft").write_text("changed")
    assert run(finished, "page").returncode == 0
    assert (finished / "page").exists()


def test_a_page_that_is_there_is_not_made_again_with_its_ancient_input(finished):
    before = (finished / "page").stat().st_mtime_ns
    (finished / "draft").write_text("changed")
    done = run(finished, "page")
    assert done.returncode == 0 and "rule check" in done.stderr
    assert (finished / "page").stat().st_mtime_ns == before


def test_a_run_that_ends_without_its_target_fails(finished):
    """Here a job takes away what another made."""
    (finished / "Snakefile").write_text(RULES.replace("{LAST}", "rm -f other;"))
    (finished / "checked").unlink()
    done = run(finished, "other", "checked")
    assert done.returncode != 0
    assert "ended without other" in done.stderr
