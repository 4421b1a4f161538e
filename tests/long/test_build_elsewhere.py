"""Whatever the machine, and however the workflow came to it, the release is the same to the byte."""

import shutil
import zipfile
from pathlib import Path

from deployed import deploy, install
from installed import build_wheel
from published import contents

FEW_MODELS = "evaluate={models: [random, function-words]}"  # each model more is a job


def raw_files_elsewhere(demo, folder):
    """Copy the raw files of the demo to a folder of another name, in another order."""
    raw, moved = demo.folder / "resources/demo/raw", folder / "raw"
    for path in sorted((path for path in raw.rglob("*") if path.is_file()), reverse=True):
        (moved / path.relative_to(raw)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, moved / path.relative_to(raw))
    shutil.copyfile(raw.with_name("raw.lock.yaml"), folder / "raw.lock.yaml")
    return moved


def build_elsewhere(demo, folder):
    """Build the demo with all that may not matter otherwise.

    A module by github() and the wheel in place of a checkout, one core, three shards in place of two, raw files in
    another folder and written in another order, another locale, time zone and seed of Python's own hashes.
    """
    (folder / "source").mkdir()
    zipfile.ZipFile(build_wheel(folder / "source")).extractall(folder / "packages")
    cached = install(folder / "cached")
    user = deploy(folder / "a folder of another name", cached.source)
    arguments = ("--cores", "1", "--config", "shards=3", f"raw_dir={raw_files_elsewhere(demo, folder)}", FEW_MODELS)
    other = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C", "POLARS_MAX_THREADS": "1"}
    cached.build(user, *arguments, packages=folder / "packages", env=other)
    return user


def test_deployment_cores_shards_folder_order_of_files_locale_and_hash_seed_leave_no_trace(demo, another, tmp_path):
    other = build_elsewhere(demo, tmp_path)
    another.build("--config", FEW_MODELS)
    ours, theirs = contents(demo.release), contents(other.release)
    assert sorted(theirs) == sorted(ours)
    assert [name for name, content in ours.items() if theirs[name] != content] == []
    assert (other.results / "dirty_docs.log").read_bytes() == (demo.results / "dirty_docs.log").read_bytes()
    compared = sorted(path.relative_to(other.results) for path in other.results.glob("evaluate/*/scores.json"))
    assert len(compared) == 2
    for name in (*compared, Path("leaderboard/index.html")):
        assert (other.results / name).read_bytes() == (another.results / name).read_bytes(), name
