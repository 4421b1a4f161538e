"""What croissant.json says of responsible use: every property of the vocabulary, from the release's own texts."""

import json
import re

import polars as pl
import pytest
from published import ABOUT, exported, opened

from authbench.publish.export.responsible import responsible

ASKED = {  # the properties of Croissant RAI 1.0
    *("dataCollection", "dataCollectionType", "dataCollectionMissingData", "dataCollectionRawData"),
    *("dataCollectionTimeframe", "dataImputationProtocol", "dataManipulationProtocol", "dataPreprocessingProtocol"),
    *("dataAnnotationProtocol", "dataAnnotationPlatform", "dataAnnotationAnalysis", "dataReleaseMaintenancePlan"),
    *("personalSensitiveInformation", "dataSocialImpact", "dataBiases", "dataLimitations", "dataUseCases"),
    *("annotationsPerItem", "annotatorDemographics", "machineAnnotationTools"),
}


@pytest.fixture(scope="module")
def folders(published):
    return published[1:]


def test_every_property_of_the_vocabulary_is_filled(folders):
    found = responsible(opened(folders[0]), ABOUT)
    assert set(found) == {f"rai:{name}" for name in ASKED}
    assert all(found.values())


def test_numbers_are_those_of_the_texts_that_are_here(folders):
    for folder in folders:
        rows = [
            json.loads(line)
            for split in ("train", "test")
            for line in (folder / split / "candidates.jsonl").read_text(encoding="utf-8").splitlines()
        ]
        found = responsible(opened(folder), ABOUT)
        authors = {row["author_id"] for row in rows}
        assert f"{len(rows):,} texts by {len(authors):,} authors" in found["rai:dataCollection"]
        provenance = pl.read_parquet(folder / "provenance.parquet").filter(
            pl.col("id").is_in([row["candidate_id"] for row in rows])
        )
        undated = 100 * provenance["date"].null_count() / len(rows)
        assert f"{undated:.1f} % of the texts have no date" in found["rai:dataCollectionMissingData"]
        named = 100 * provenance["names_author"].sum() / len(rows)
        assert f"{named:.1f} % of the texts hold the name" in " ".join(found["rai:personalSensitiveInformation"])
        sources = {part.split(":")[0] for part in re.findall(r"\w+: ", found["rai:dataCollectionRawData"])}
        assert sources == set(provenance["source"])


def test_warnings_of_the_build_are_limitations_and_the_contact_takes_texts_down(folders):
    release = opened(folders[0])
    found = responsible(release, ABOUT)
    assert set(release.manifest["warnings"]) <= set(found["rai:dataLimitations"])
    assert ABOUT["contact"] in found["rai:dataReleaseMaintenancePlan"]


def test_a_field_says_what_it_means(folders, tmp_path):
    folder = exported(folders[1], "huggingface", tmp_path / "hf")
    described = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    fields = {one["@id"]: one for part in described["recordSet"] for one in part["field"]}
    assert "pseudonym" in fields["candidates_test/author_id"]["description"]
    assert fields["ground_truth_test/positive_ids"]["isArray"] is True
