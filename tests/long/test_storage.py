"""A build whose files lie in a storage, as with S3: Snakemake's provider `fs` copies them there and back."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from confined import may_confine
from extras import needs
from project import Project, copy_project, surroundings
from style_datasets import write_datasets

pytestmark = needs("snakemake_storage_plugin_fs", "dev")

# What the provider calls, where no rsync is installed: rsync --recursive --times --copy-links SOURCE TARGET
RSYNC = """#!/bin/sh
for one; do source=$target; target=$one; done
exec cp -RLp --no-target-directory "${source%/}" "${target%/}"
"""
KEPT_HERE = {"index.html", "sample/scores.parquet"}  # the page of a folder of results, and scores of earlier runs
CACHES = ("/results/demo/sample/scores.parquet", "/results/embeddings/")  # without which jobs compute again
ON_DEMAND = ("publish", "style_report", "pan", "raven", "tables", "review", "human_pairs", "raw_statistics")
VERIFIERS = ["naive"]
RAVEN = {"topics": 6, "folds": 2, "seeds": 1, "sizes": [], "group": False, "encoders": ["tfidf"]}


def files_of(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


class Stored(NamedTuple):
    """A build in a project, the results in its storage, and how a run is told of that."""

    project: Project
    results: Path
    options: tuple[str, ...]
    env: dict[str, str]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored")
    (folder / "rsync").write_text(RSYNC)
    (folder / "rsync").chmod(0o755)
    env = {"PATH": os.pathsep.join((surroundings()["PATH"], str(folder)))}
    project = copy_project(folder / "project")
    styled = write_datasets(project.folder / "own")
    styled |= {"data": "own/data", "datasets": [f"own/{name}" for name in styled["datasets"]], "release": True}
    recipe = {"style": styled, "pan": {"verifiers": VERIFIERS}, "raven": RAVEN | {"verifiers": VERIFIERS}}
    storage = ("--default-storage-provider", "fs", "--default-storage-prefix", str(folder / "store"))
    options = (*project.recipe(recipe), *storage)
    if may_confine():
        hidden = ("results", "resources/demo", "own", ".snakemake/storage", str(folder / "store"))
        env["HIDDEN_FROM_JOBS"] = os.pathsep.join(hidden)
    project.build("all", *ON_DEMAND, *options, env=env)
    return Stored(project, folder / "store/results/demo", options, env)


@pytest.mark.skipif(not may_confine(), reason="this machine has no user namespaces")
def test_every_job_declares_all_files_that_it_reads_or_writes(stored):
    """Jobs found what they read, although they saw declared files only; here is what they wrote."""
    written = (stored.project.folder / "undeclared.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in written if not any(cache in line for cache in CACHES)] == []


def test_a_build_through_a_storage_has_the_same_release_and_every_file_there(demo, stored):
    assert (stored.results / "release/SHA256SUMS").read_bytes() == (demo.release / "SHA256SUMS").read_bytes()
    assert files_of(demo.results) - files_of(stored.results) == KEPT_HERE
    assert files_of(stored.project.results) <= KEPT_HERE
    assert stored.project.plan(*stored.options, env=stored.env) == []


@needs("snakemake_storage_plugin_s3", "s3")
@needs("moto", "s3")
def test_a_build_whose_files_lie_in_s3_has_the_same_release_and_models(demo, tmp_path):
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    project = copy_project(tmp_path / "project")
    storage = ("--default-storage-provider", "s3", "--default-storage-prefix", "s3://bucket")
    told = ("--storage-s3-endpoint-url", address, "--storage-s3-access-key", "a", "--storage-s3-secret-key", "b")
    options = ("all", *storage, *told)
    try:
        project.build(*options)
        assert project.plan(*options) == []
        bucket = boto3.client("s3", "us-east-1", endpoint_url=address, aws_access_key_id="a", aws_secret_access_key="b")
        sums = bucket.get_object(Bucket="bucket", Key="results/demo/release/SHA256SUMS")["Body"].read()
        assert sums == (demo.release / "SHA256SUMS").read_bytes()
        pages = bucket.get_paginator("list_objects_v2").paginate(Bucket="bucket", Prefix="results/demo/")
        stored = {one["Key"].removeprefix("results/demo/") for page in pages for one in page["Contents"]}
        assert files_of(demo.results) - stored <= KEPT_HERE
    finally:
        server.stop()
    assert files_of(project.results) <= KEPT_HERE


def test_a_job_on_a_machine_without_raw_files_and_results_states_the_same(stored, tmp_path):
    """The job writes into a copy of the storage, so that the build of the other tests stays as it is."""
    store = shutil.copytree(stored.results.parents[1], tmp_path / "store")
    sums = store / "results/demo/draft/SHA256SUMS"
    before = sums.read_bytes()
    elsewhere = stored.project.copy(tmp_path / "elsewhere", with_results=False)
    shutil.rmtree(elsewhere.folder / "resources/demo/raw")
    (elsewhere.folder / "resources/demo/raw").mkdir()
    known = ".snakemake/authbench/demo/raw.json"
    job = ("--mode", "remote", "--target-jobs", "write_release:", "--allowed-rules", "write_release", "--force")
    options = (*stored.options[:-1], str(store))
    asked = (*options, *job, "--shared-fs-usage", "none", "--nolock", "--no-hooks", "--cores", "1")
    assert elsewhere.snakemake(*asked, env=stored.env)[0] != 0
    (elsewhere.folder / known).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(stored.project.folder / known, elsewhere.folder / known)  # Snakemake sends it with the rules
    sums.unlink()
    status, said = elsewhere.snakemake(*asked, env=stored.env)
    assert status == 0, said
    assert sums.read_bytes() == before
