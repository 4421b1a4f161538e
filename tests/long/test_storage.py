"""A build whose files lie in a storage, as with S3: Snakemake's provider `fs` copies them there and back."""

import os
from pathlib import Path

from extras import needs
from project import Project, copy_project, surroundings

# What the provider calls, where no rsync is installed: rsync --recursive --times --copy-links SOURCE TARGET
RSYNC = """#!/bin/sh
for one; do source=$target; target=$one; done
exec cp -RLp --no-target-directory "${source%/}" "${target%/}"
"""
KEPT_HERE = {"index.html", "sample/scores.parquet"}  # the page of a folder of results, and scores of earlier runs


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@needs("snakemake_storage_plugin_fs", "dev")
def test_a_build_through_a_storage_has_the_same_release_and_every_file_there(demo: Project, tmp_path: Path) -> None:
    project, store = copy_project(tmp_path / "project"), tmp_path / "store"
    (tmp_path / "rsync").write_text(RSYNC)
    (tmp_path / "rsync").chmod(0o755)
    storage = ("--default-storage-provider", "fs", "--default-storage-prefix", str(store))
    path = os.pathsep.join((surroundings()["PATH"], str(tmp_path)))
    project.build(*storage, env={"PATH": path})
    stored = store / "results/demo"
    assert (stored / "release/SHA256SUMS").read_bytes() == (demo.release / "SHA256SUMS").read_bytes()
    assert files_of(demo.results) - files_of(stored) == KEPT_HERE
    assert files_of(project.results) <= KEPT_HERE
    assert project.plan(*storage, env={"PATH": path}) == []
