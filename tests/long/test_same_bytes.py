"""What leaves no trace in the release, and what stops one."""

import json

import polars as pl

from authbench.core.storage.parquet import write_parquet

# An x86-64 of 2004: numpy and OpenBLAS choose their kernels by processor, and these add in another order.
OLD_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
}


def test_an_old_processor_builds_the_same_release_and_scores(another):
    made = [another.release, another.results / "evaluate", another.results / "leaderboard"]
    before = {path: path.read_bytes() for folder in made for path in folder.rglob("*") if path.is_file()}
    run = another.start("--cores", "2", "--forceall", env=OLD_PROCESSOR)
    said, _ = run.communicate(timeout=900)
    assert run.returncode == 0, said
    changed = [path for path, content in before.items() if path.read_bytes() != content]
    assert not changed and before


def test_packages_build_the_same_release_and_the_manifest_says_which_did(demo, another):
    another.build("release", "raw_statistics", "--config", "backend=packages")
    kernels, packages = (
        json.loads((one.release / "manifest.json").read_text(encoding="utf-8")) for one in (demo, another)
    )
    assert (kernels["config"].pop("backend"), packages["config"].pop("backend")) == ("kernels", "packages")
    assert kernels == packages
    files = [path.relative_to(demo.release) for path in demo.release.rglob("*") if path.is_file()]
    changed = {
        str(path) for path in files if (demo.release / path).read_bytes() != (another.release / path).read_bytes()
    }
    assert changed == {"manifest.json", "SHA256SUMS"} and len(files) > 10


def test_a_renamed_raw_file_changes_no_record(another):
    folder = another.folder / "resources/demo/raw/exorde"
    (before,) = folder.glob("*.parquet")
    records = {path: path.read_bytes() for path in (another.results / "ingest/exorde").glob("*-of-*.parquet")}
    assert records
    (folder / "week").mkdir()
    before.rename(folder / "week/another name.parquet")
    assert [job.wildcards for job in another.plan("--until", "ingest_source")] == ["source=exorde"]
    another.build("--until", "ingest_source")
    assert {path: path.read_bytes() for path in records} == records


def test_an_unsound_draft_never_becomes_the_release(another):
    path = another.results / "split/documents.parquet"
    documents = pl.read_parquet(path)
    astray = documents.filter(pl.col("split") == "train")["doc_key"][0]
    splits = pl.when(pl.col("doc_key") == astray).then(pl.lit("test")).otherwise("split").alias("split")
    write_parquet(documents.with_columns(splits), path)
    status, said = another.snakemake("--cores", "2", "release")
    assert status != 0
    assert "The release is not sound" in said
    assert "author" in said
    assert not another.release.exists()
    assert not (another.results / "check.json").exists()
    assert (another.results / "draft/manifest.json").exists()


def test_an_authbench_that_is_installed_elsewhere_is_not_what_runs(another, tmp_path):
    decoy = tmp_path / "site/authbench"
    decoy.mkdir(parents=True)
    (decoy / "__init__.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    arguments = ("--cores", "2", "--until", "list_removed", "--forcerun", "list_removed")
    run = another.start(*arguments, env={"PYTHONPATH": str(decoy.parent)})
    said, _ = run.communicate(timeout=600)
    assert run.returncode == 0, said
    assert "list_removed" in said
