"""What all rules share: the checked configuration, where things are, and what a rule depends on."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "workflow"))

from authbench.code import code_hash, file_hash, share_code_with_jobs
from authbench.config import prepare, record_setup
from authbench.errors import InputError
from authbench.report.facts import NOT_OF_THE_DATA
from authbench.identity import author_id
from authbench.inventory import shard_count, source_digest
from authbench.tables import read_json

share_code_with_jobs(ROOT)

try:
    SETUP = prepare(config, ROOT)
except InputError as problem:
    raise WorkflowError(str(problem)) from None

SETTINGS = SETUP.config
SOURCES = list(SETUP.sources)
RESULTS = f"results/{SETTINGS['name']}"
# What this run was asked to do and from which files, for the jobs and for whoever comes later. Where the files lie
# changes nothing of the result, so rules take it as `ancient`; what they hold is in each rule's `params`.
RUN = f"{RESULTS}/run.json"
# A run that is under way holds a lock; a dry run beside it, with other settings, must not change what its jobs read.
if not Path(RUN).exists() or not any(Path(".snakemake/locks").glob("*")):
    record_setup(SETUP, Path(RUN))


scattergather:
    shards=shard_count(SETTINGS["shards"], ROOT / SETTINGS["raw_dir"], SETUP.sources, SETUP.inventory),


wildcard_constraints:
    source="|".join(SOURCES),
    unit="documents|chunks",


def result(path):
    """A file of this run's results."""
    return f"{RESULTS}/{path}"


def code(rule):
    """A hash of the rule's adapter and the library it imports: an edit reruns the rule, a touch does not."""
    return code_hash(ROOT / f"workflow/scripts/{rule}.py")


def text_resource(*names):
    """A hash of files in resources/text that a stage reads."""
    return file_hash(*(ROOT / f"resources/text/{name}" for name in names))


def key_mark(variable):
    """Tells one key for author ids from another, and does not tell the key."""
    return author_id("authbench", "which key", os.environ[variable].encode())[:8] if variable else None


def closing_line():
    checked = read_json(ROOT / result("check.json"))
    return f"\n{checked['summary']}\nThe benchmark: {result('release')}/   The story of it: {result('release/report.html')}"
