"""What all rules share: the checked configuration, where things are, and what a rule depends on."""

import logging
import os
import sys
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(str(workflow.current_basedir)).parent
sys.path.insert(0, str(ROOT / "workflow"))

from authbench.runtime.resources import memory_mb, minutes, raw_mb
from authbench.runtime.code import code_hash, file_hash, remember, share_code_with_jobs
from authbench.config import expect_in_project, prepare, record_setup
from authbench.storage.disk import check_room
from authbench.errors import InputError
from authbench.report.closing import closing_lines
from authbench.report.facts import NOT_OF_THE_DATA
from authbench.identity import author_id
from authbench.runtime.inventory import shard_count, source_digest
from authbench.safety.detoxify_scorer import weights_mark

share_code_with_jobs(ROOT)
ACQUIRING = "acquire" in sys.argv  # what is asked for stands nowhere else while this is read; files may be missing then

try:
    expect_in_project(ROOT, Path.cwd())
    check_room([".snakemake", "results"])
    remember(Path(".snakemake/said.json"))
    SETUP = prepare(config, ROOT, need_files=not ACQUIRING)
except InputError as problem:
    logging.raiseExceptions = False  # where there is no room, Snakemake's log of this finds none either
    raise WorkflowError(str(problem)) from None

SETTINGS = SETUP.config
SOURCES = list(SETUP.sources)
RESULTS = f"results/{SETTINGS['name']}"
# What this run was asked to do and from which files, for the jobs and for whoever comes later. Where the files lie
# changes nothing of the result, so jobs take it as `ancient`; what they hold is in each job's `params`.
RUN = f"{RESULTS}/run.json"
# A run that is under way holds a lock; a dry run beside it, with other settings, must not change what its jobs read.
if not ACQUIRING and (not Path(RUN).exists() or not any(Path(".snakemake/locks").glob("*"))):
    record_setup(SETUP, Path(RUN))

SHARDS = shard_count(
    SETTINGS["shards"],
    ROOT / SETTINGS["raw_dir"],
    SETUP.sources,
    SETUP.inventory,
    ROOT / RESULTS / "shards.json",
)
RAW_MB = raw_mb(ROOT / SETTINGS["raw_dir"], SETUP.sources, SETUP.inventory)
CORPUS_MB = sum(RAW_MB.values())


report: "report/workflow.rst"


scattergather:
    shards=SHARDS,


wildcard_constraints:
    source="|".join(SOURCES),
    unit="documents|chunks",


def result(path):
    """A file of this run's results."""
    return f"{RESULTS}/{path}"


def code(rule):
    """A hash of an adapter and the library it imports, so that an edit reruns its jobs and a touch does not."""
    return code_hash(ROOT / f"workflow/scripts/{rule}.py")


def text_resource(*names):
    """A hash of files in resources/text that a stage reads."""
    return file_hash(*(ROOT / f"resources/text/{name}" for name in names))


def input_mb(wildcards):
    """The raw text, in MB, that a job stands for: its source's, its shard's, or all."""
    if "source" in wildcards.keys():
        return RAW_MB[wildcards.source]
    return CORPUS_MB / SHARDS if "scatteritem" in wildcards.keys() else CORPUS_MB


def memory(base, per_mb=0.0, per_corpus_mb=0.0):
    """The `mem_mb` of a job (authbench.runtime.resources), twice as much when it is tried again."""
    return lambda wildcards, attempt: memory_mb(base, per_mb * input_mb(wildcards) + per_corpus_mb * CORPUS_MB, attempt)


def duration(base, per_mb=0.0):
    """The `runtime` of a job, in minutes, likewise."""
    return lambda wildcards, attempt: minutes(base, per_mb * input_mb(wildcards), attempt)


def key_mark(variable):
    """Tells one key for author ids from another, and does not tell the key."""
    return author_id("authbench", "which key", os.environ[variable].encode())[:8] if variable else None


def weights():
    """Tells the checkpoint that Detoxify reads from another in its place."""
    path = SETTINGS["safety"]["detoxify"]["checkpoint"]
    return weights_mark(path) if path and "detoxify" in SETTINGS["safety"]["scorers"] else None
