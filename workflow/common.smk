"""Share with all rules the package, the checked configuration, and what rules depend on besides their inputs.

A user's paths (`raw_dir`, `results/`, entries in `config/`) are relative to the working directory. Code, schemas,
templates, word lists and the entries shipped with AuthBench belong to the package: in a checkout the package next to
this file; if Snakemake reads this file from a repository, e.g. by `github(...)`, the installed one of the same version.
"""

import atexit
import gc
import logging
import os
import re
import sys
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.io import contains_wildcard
from snakemake.logging import logger
from snakemake.sourcecache import LocalSourceFile

if isinstance(workflow.current_basedir, LocalSourceFile):  # in a checkout
    sys.path.insert(0, str(workflow.current_basedir))
else:
    with workflow.sourcecache.open(workflow.current_basedir.join("authbench/core/version.py")) as source:
        VERSION = re.search(r'VERSION = "(.+?)"', source.read())[1]
    try:
        from authbench import __version__ as installed
    except ImportError:
        installed = "none"
    if installed != VERSION:
        raise WorkflowError(
            f"Nothing was run: these rules are of AuthBench {VERSION} and need the package of that version, installed "
            f"is {installed}. Run `pip install authbench=={VERSION}` where Snakemake is, or name another tag."
        )

try:
    from authbench.app.config import FACTS, expect_settings_of_run, known_folder, prepare
    from authbench.app.preflight.at_start import expect_usable
    from authbench.app.rates import Scoring, request_to_score
    from authbench.build.raw_facts import write_facts
    from authbench.build.release.at_start import expect_same_benchmark, expect_unaltered
    from authbench.build.safety.detoxify_scorer import weights_mark
    from authbench.config.plugins import identities
    from authbench.config.registry.typed_schema import part_for
    from authbench.config.settings.evaluate import Pairs, Training
    from authbench.core.errors import InputError
    from authbench.core.identity import author_key, key_mark
    from authbench.core.printable import printable
    from authbench.core.runtime.ahead import start_compiling
    from authbench.core.runtime.code import cache_parsed, code_hash, file_hash, share_code_with_jobs
    from authbench.core.runtime.inventory import shard_files
    from authbench.core.runtime.job_lines import tell_jobs_in_lines
    from authbench.core.runtime.resources import memory_mb, minutes, released_mb, share_of
    from authbench.core.runtime.snakemake_patches import keep_constraints_in_s3, keep_locks_of_other_runs
    from authbench.core.runtime.targets import (
        expect_targets,
        forget_places_of_ancient_inputs,
        judge_jobs_behind_ancient_inputs,
    )
    from authbench.core.shipped import shipped
    from authbench.core.storage.disk import check_room
    from authbench.core.words import plural
    from authbench.models.entries import evaluated_together
    from authbench.reports.overview.at_end import Closing
    from authbench.reports.overview.options import options_of
    from authbench.reports.overview.parts import back_link
    from authbench.scoring.train.planned import planned_trainings, with_tuned
except ModuleNotFoundError as missing:
    raise WorkflowError(
        f"Nothing was run: the Python of Snakemake lacks {missing.name}. Install the packages of requirements.lock there "
        "(`pip install --requirement requirements.lock` in a checkout; docs/installing.md)."
    ) from None

gc.set_threshold(100_000)  # a graph of many jobs is millions of objects without cycles
HERE = Path.cwd()
BEGAN = time.time()
share_code_with_jobs(HERE)
keep_locks_of_other_runs()
keep_constraints_in_s3()
judge_jobs_behind_ancient_inputs()
forget_places_of_ancient_inputs()
# While this file is read, only the command line gives the requested targets; `acquire` may lack raw files. A module may
# give its rules a prefix.
ACQUIRING = any(argument.rpartition("_")[2] == "acquire" for argument in sys.argv)
# Statistics of raw texts, and single files, do not need enough authors for a release.
MAKES_RELEASE = not any(part in argument for argument in sys.argv for part in ("raw_statistics", "--until", "results/"))

if workflow.is_main_process:
    tell_jobs_in_lines(logger)
    logger.info("Checking settings, sources and the digests of raw files ...")

try:
    check_room([".snakemake", "results"])
    cache_parsed(Path(".snakemake/parsed_code.json"))
    SETUP = prepare(config, HERE, not ACQUIRING, workflow.configfiles, of_job=not workflow.is_main_process)
    KNOWN = known_folder(HERE, SETUP.config)
    expect_settings_of_run(SETUP, starts_run=workflow.is_main_process)
    if workflow.is_main_process and not ACQUIRING:
        expect_same_benchmark(Path("results", SETUP.config["name"]), SETUP.sources)
        expect_unaltered(Path("results", SETUP.config["name"]), KNOWN / "release.json")
        WARNINGS = expect_usable(
            SETUP,
            HERE / SETUP.config["raw_dir"],
            KNOWN / "preflight.json",
            MAKES_RELEASE,
        )
        write_facts(SETUP.raw, KNOWN / FACTS)
        workflow.configfiles.append(str(KNOWN / FACTS))  # which Snakemake takes along to jobs on other machines
except InputError as problem:
    logging.raiseExceptions = False  # on a full disk Snakemake cannot write its log of this error either
    raise WorkflowError(str(problem)) from None

if workflow.is_main_process and not ACQUIRING:
    for message in (*map(printable, SETUP.raw.lock.messages()), *WARNINGS):
        logger.warning(message)
SETTINGS = SETUP.config
SOURCES = list(SETUP.sources)
FILES = {tag: source.files for tag, source in SETUP.sources.items()}
RESULTS = f"results/{SETTINGS['name']}"

SHARDS = SETUP.raw.shards
SHARD_FILES = shard_files(SHARDS)
RAW_MB = SETUP.raw.megabytes
CORPUS_MB = sum(RAW_MB.values())
if workflow.is_main_process:
    logger.info(
        f"{RESULTS}: {plural(len(SOURCES), 'source')}, {CORPUS_MB:,.1f} MB of raw files, {plural(SHARDS, 'shard')}"
    )


report: "report/workflow.rst"


scattergather:
    shards=SHARDS,


wildcard_constraints:
    source="|".join(SOURCES),
    unit="documents|chunks",


def result(path):
    """Return the path of a file of this run."""
    return f"{RESULTS}/{path}"


def intermediate(files):
    """Return files of all texts or signatures, which Snakemake deletes after use without `keep_tables`."""
    return files if SETTINGS["keep_tables"] else temp(files)


def here(*paths):
    """Return inputs that lie on the user's machine and in no storage; None is skipped.

    Neither their times nor their places rerun a job: a digest of their content is among its params. Paths with braces are
    left out, as Snakemake takes them for wildcards.
    """
    return local(ancient([str(path) for path in paths if path and not contains_wildcard(str(path))]))


def code(rule):
    """Return a hash of an adapter and the modules it imports: an edit reruns its jobs, a touch does not."""
    return code_hash(shipped(f"scripts/{rule}.py"))


def data_files(*names):
    """Return a hash of shipped files that a job reads, e.g. `text/boilerplate.yaml` or `templates/raw.html.j2`."""
    return file_hash(*map(shipped, names))


def page_templates(name):
    """Return a hash of a page's template and of the templates that pages share."""
    return data_files(f"templates/{name}", "templates/base.html.j2", "templates/parts.html.j2")


def shard_number(wildcards):
    """Return the number of a job's shard, from 1."""
    return int(wildcards.scatteritem.partition("-of-")[0])


def records_of_shard(wildcards):
    """Return the files that hold the records of a job's shard, one of each source."""
    file = SHARD_FILES[shard_number(wildcards) - 1]
    return expand(result("ingest/{source}/{file}.parquet"), source=SOURCES, file=file)


def input_mb(wildcards):
    """Return the MB of raw text that a job processes: of its source, of its shard, or all."""
    if "source" in wildcards.keys():
        return RAW_MB[wildcards.source]
    return CORPUS_MB / SHARDS if "scatteritem" in wildcards.keys() else CORPUS_MB


def memory(base, per_mb=0.0, per_corpus_mb=0.0):
    """Return the `mem_mb` of a job (authbench.core.runtime.resources) by attempt; it doubles with each retry."""
    return lambda wildcards, attempt: memory_mb(base, per_mb * input_mb(wildcards) + per_corpus_mb * CORPUS_MB, attempt)


def duration(base, per_mb=0.0):
    """Return the `runtime` of a job by attempt, in minutes, likewise."""
    return lambda wildcards, attempt: minutes(base, per_mb * input_mb(wildcards), attempt)


def weights():
    """Return a mark of Detoxify's checkpoint, if it is a user's file."""
    path = SETTINGS["safety"]["detoxify"]["checkpoint"]
    return weights_mark(path) if path and "detoxify" in SETTINGS["safety"]["scorers"] else None
