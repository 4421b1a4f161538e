"""What describes a published folder: a DOI's metadata, RO-Crate, CITATION.cff, and the sheet on data protection."""

import hashlib
import json
import shutil
import subprocess
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import jsonschema
import polars as pl
import pytest
import yaml
from published import ABOUT, exported, opened, sources_of
from scored_release import write_scored_release

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.publish.export.data_protection import read_risk
from authbench.publish.export.datacite import datacite
from authbench.publish.export.run import FORMS, describe_folder, export, export_public
from authbench.release.format.release import open_release

DOI = {**ABOUT, "doi": "10.5281/zenodo.1234567", "publisher": "Zenodo"}


@pytest.fixture(scope="module")
def folders(published):
    return published[1:]


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A release of enough authors, and two models scored on its test split: a shortcut, and one of style."""
    folder, out = tmp_path_factory.mktemp("scored"), tmp_path_factory.mktemp("scores")
    write_scored_release(folder, 40)
    models = ("--model", "random", "--model", "char-ngram")
    assert main(["evaluate", str(folder), *models, "--out", str(out), "--cache", str(out / "vectors")]) == 0
    return folder, out


def described(folder, name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def datacite_schema():
    """The schema 4.5 that the package `datacite` ships; its import alone needs more."""
    try:
        return json.loads(str(distribution("datacite").read_text("../datacite/schemas/datacite-v4.5.json")))
    except PackageNotFoundError:
        pytest.skip("needs the extra `publish`")


def test_a_dois_metadata_fit_the_schema_of_datacite(folders):
    schema = datacite_schema()
    for folder in folders:
        found = datacite(opened(folder), DOI)
        jsonschema.validate(found, schema)
        assert found["doi"] == DOI["doi"]
        assert found["publisher"] == {"name": "Zenodo"}
        assert found["publicationYear"] == "2026"
    with pytest.raises(jsonschema.ValidationError, match="publicationYear"):
        jsonschema.validate(datacite(opened(folders[0]), {**DOI, "date": None}), schema)


@pytest.mark.parametrize("form", [*FORMS, "public"])
def test_every_form_is_an_ro_crate_of_its_files(form, folders, tmp_path):
    folder = folders[1] if form == "public" else exported(folders[1], form, tmp_path / form)
    crate = described(folder, "ro-crate-metadata.json")
    entities = {one["@id"]: one for one in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {part["@id"] for part in entities["./"]["hasPart"]} == there - {"ro-crate-metadata.json"}
    for path in there - {"ro-crate-metadata.json", "SHA256SUMS"}:
        assert entities[path]["sha256"] == hashlib.sha256((folder / path).read_bytes()).hexdigest()
        assert entities[path]["contentSize"] == str((folder / path).stat().st_size)
    named = {reference for one in entities.values() for reference in references(one)}
    assert named - entities.keys() <= {"https://w3id.org/ro/crate/1.1"}


def test_a_crate_names_the_publisher_and_no_checksums_where_there_are_none(folders, tmp_path):
    release = replace(opened(folders[1]), unverified="changed")
    export(release, "beir", tmp_path / "out", DOI)
    entities = {one["@id"]: one for one in described(tmp_path / "out", "ro-crate-metadata.json")["@graph"]}
    assert all((tmp_path / "out" / part["@id"]).is_file() for part in entities["./"]["hasPart"])
    assert "SHA256SUMS" not in entities and entities[entities["./"]["publisher"]["@id"]]["name"] == "Zenodo"


def references(entity):
    values = [one for value in entity.values() for one in (value if isinstance(value, list) else [value])]
    return {one["@id"] for one in values if isinstance(one, dict)}


def test_ro_crates_library_reads_the_crate(folders):
    rocrate = pytest.importorskip("rocrate.rocrate", reason="needs the extra `publish`")
    crate = rocrate.ROCrate(str(folders[1]))
    assert crate.name == "tiny"
    assert crate.datePublished.date().isoformat() == ABOUT["date"]
    made = next(one for one in crate.get_entities() if one.type == "CreateAction")
    assert made["instrument"].properties()["name"] == "AuthBench"
    assert made["object"]["identifier"] == "posts"
    assert all((folders[1] / one.id).is_file() for one in crate.data_entities)


def test_the_validator_of_ro_crates_finds_nothing(folders, tmp_path):
    validator = shutil.which("rocrate-validator")
    if validator is None:
        pytest.skip("needs roc-validator, which wants other versions of packages: pipx install roc-validator")
    wanted = ("publish", "validate", str(folders[1]), "--profile-identifier", "process-run-crate-0.5", "--no-paging")
    found = subprocess.run([validator, *wanted, "--offline"], capture_output=True, text=True, cwd=tmp_path)
    if "cache" in found.stdout + found.stderr and found.returncode:
        pytest.skip("the validator has no network and no filled cache")
    assert found.returncode == 0, found.stdout


def test_of_a_frozen_version_no_other_release_is_published(folders, tmp_path):
    release = opened(folders[0])
    own = hashlib.sha256((folders[0] / "SHA256SUMS").read_bytes()).hexdigest()
    export_public(release, tmp_path / "same", {**ABOUT, "sha256": own}, sources_of())
    with pytest.raises(InputError, match=f"is not the frozen release 2.1.0: .* is {own}"):
        export_public(release, tmp_path / "other", {**ABOUT, "sha256": "0" * 64}, sources_of())
    assert not (tmp_path / "other").exists()


def test_the_benchmark_says_how_to_cite_itself(folders):
    found = yaml.safe_load((folders[1] / "CITATION.cff").read_text(encoding="utf-8"))
    assert found["cff-version"] == "1.2.0"
    assert found["type"] == "dataset"
    assert found["authors"] == [{"name": "A publisher"}]
    assert (found["version"], found["date-released"]) == ("2.1.0", "2026-01-31")


def test_the_risk_is_how_often_the_best_model_of_style_links_texts(scored):
    risk = read_risk(scored[1], open_release(scored[0]))
    assert risk is not None
    stated = described(scored[1] / "char-ngram", "scores.json")["overall"]
    assert (risk["model"], risk["complete"]) == ("char-ngram", True)
    assert (risk["linked"], risk["queries"]) == (stated["success@1"], stated["queries"])
    queries = pl.read_parquet(scored[1] / "char-ngram/queries.parquet")
    assert risk["linked"] == pytest.approx(queries["success@1"].mean())
    assert risk["low"] <= risk["linked"] <= risk["high"]
    assert risk["chance"] == stated["random_expectation"]["success@1"] < risk["linked"]


def test_a_model_that_gave_scores_of_pairs_only_tells_no_risk(scored, tmp_path):
    held = described(scored[1] / "char-ngram", "scores.json")
    held["overall"] |= {"success@1": None, "intervals": {}}
    (tmp_path / "scores.json").write_text(json.dumps(held))
    assert read_risk(tmp_path, open_release(scored[0])) is None


def test_the_sheet_of_a_bundle_and_of_its_forms_states_the_measured_risk(folders, scored, tmp_path):
    risk = read_risk(scored[1], open_release(scored[0]))
    assert risk is not None
    bundle = Path(shutil.copytree(folders[1], tmp_path / "public"))
    describe_folder(bundle, opened(folders[1]), ABOUT, risk)
    form = exported(bundle, "huggingface", tmp_path / "hf")
    for folder in (bundle, form):
        assert described(folder, "data_protection.json")["risk"] == risk
        sheet = (folder / "DATA_PROTECTION.md").read_text(encoding="utf-8")
        assert f"for {100 * risk['linked']:.1f} % of {risk['queries']} texts" in sheet
        assert f"By chance it would be {100 * risk['chance']:.1f} %" in sheet
        assert ABOUT["contact"] in sheet


def test_without_scores_the_sheet_says_that_nothing_was_measured(folders):
    assert described(folders[1], "data_protection.json")["risk"] is None
    sheet = (folders[1] / "DATA_PROTECTION.md").read_text(encoding="utf-8")
    assert "**Not measured here.**" in sheet
    assert "| posts | CC BY 4.0 | yes |" in sheet
    assert "Not stated." in sheet
    release, rows = opened(folders[1]), described(folders[1], "data_protection.json")["sources"]
    for row in rows:
        own = (release.provenance if row["texts_here"] else release.absent).filter(pl.col("source") == row["source"])
        assert (row["documents"], row["authors"]) == (own.height, own["author_id"].n_unique())
        assert row["kinds"] == sorted(own["author_kind"].unique())
    assert {row["source"] for row in rows} == {"books", "letters", "posts"}


def test_scores_of_other_texts_say_nothing_of_the_risk(scored, tmp_path):
    other = write_scored_release(tmp_path / "release", 40)
    line, *rest = (other / "test/candidates.jsonl").read_text(encoding="utf-8").splitlines()
    changed = line.replace("habit", "hobby", 1)
    assert changed != line
    (other / "test/candidates.jsonl").write_text("\n".join([changed, *rest]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="another edition of the test split"):
        read_risk(scored[1], open_release(other))


def test_shortcuts_alone_measure_no_risk(scored):
    assert read_risk(scored[1] / "random", open_release(scored[0])) is None
