"""The release of a build: a copy of its draft, and refused once it is altered."""

import shutil
from contextlib import nullcontext

import pytest

from authbench.build.release.at_start import expect_same_benchmark, expect_unaltered
from authbench.build.release.publish import publish
from authbench.build.release.published import open_published, read_digests, write_digests
from authbench.core.errors import InputError
from authbench.core.storage.sha256sums import write_sums

FILES = {"manifest.json": "{}", "test/candidates.jsonl": "one\n", "test/queries.jsonl": "two\n"}


@pytest.fixture
def results(tmp_path):
    """A finished build."""
    for name, text in FILES.items():
        (tmp_path / "draft" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "draft" / name).write_text(text)
    write_sums(tmp_path / "draft")
    write_digests(tmp_path / "draft", tmp_path / "release_data.json")
    publish(tmp_path / "draft", tmp_path / "release")
    (tmp_path / "release/report.html").write_text("<p>")
    write_sums(tmp_path / "release")
    return tmp_path


def test_a_release_is_a_copy_of_its_draft_without_its_checksums(results):
    assert read_digests(results / "release_data.json").keys() == FILES.keys()
    (results / "release/test/queries.jsonl").write_text("edited")
    assert (results / "draft/test/queries.jsonl").read_text() == FILES["test/queries.jsonl"]


def test_a_release_that_is_published_again_keeps_its_report(results):
    (results / "release/manifest.json").unlink()
    publish(results / "draft", results / "release")
    assert (results / "release/report.html").read_text() == "<p>"
    expect_unaltered(results, results / "known.json")


def test_the_report_of_another_draft_goes(results):
    (results / "draft/manifest.json").write_text('{"name": "other"}')
    write_sums(results / "draft")
    publish(results / "draft", results / "release")
    assert {path.name for path in (results / "release").rglob("*") if path.is_file()} == {
        *("manifest.json", "candidates.jsonl", "queries.jsonl")
    }


def test_a_release_as_it_was_published_is_opened_and_lets_a_build_start(results):
    assert open_published(results / "release_data.json", results / "draft").splits == ("test",)
    expect_unaltered(results, results / "known.json")
    (results / "release/report.html").touch()
    expect_unaltered(results, results / "known.json")


def test_an_altered_release_stops_a_build(results):
    (results / "release/test/queries.jsonl").write_text("2wo\n")
    with pytest.raises(InputError) as stopped:
        expect_unaltered(results, results / "known.json")
    told = str(stopped.value)
    assert f"{results / 'release'} is not as it was published: test/queries.jsonl has changed" in told
    assert "build the target `release` again" in told and "\n" not in told


def test_an_altered_text_whose_checksum_was_altered_with_it_is_read_by_no_job(results):
    (results / "draft/test/queries.jsonl").write_text("2wo\n")
    write_sums(results / "draft")
    with pytest.raises(InputError, match=r"test/queries\.jsonl has changed"):
        open_published(results / "release_data.json", results / "draft")


def test_an_incomplete_release_names_what_is_missing(results):
    (results / "release/report.html").unlink()
    shutil.rmtree(results / "release/test")
    with pytest.raises(InputError, match=r"missing, test/candidates\.jsonl is missing, test/queries\.jsonl is missing"):
        expect_unaltered(results, results / "known.json")


@pytest.mark.parametrize("gone", ["release", "release/SHA256SUMS", "release/manifest.json"])
def test_what_a_run_has_yet_to_finish_lets_it_start(results, gone):
    shutil.rmtree(results / gone) if gone == "release" else (results / gone).unlink()
    expect_unaltered(results, results / "known.json")


def test_a_draft_that_changed_since_it_was_written_is_not_published(results):
    (results / "draft/test/queries.jsonl").write_text("2wo\n")
    with pytest.raises(InputError, match=r"draft is not as it was written: test/queries\.jsonl has changed"):
        publish(results / "draft", results / "elsewhere")
    assert not (results / "elsewhere").exists()


@pytest.mark.parametrize(("sources", "refused"), [(["letters"], True), (["a"], False), (["letters", "b"], False)])
def test_results_are_not_replaced_by_a_run_without_a_source_in_common(sources, refused, tmp_path):
    expect_same_benchmark(tmp_path, sources)  # of a name that is new
    for source in ("a", "b"):
        (tmp_path / "ingest" / source).mkdir(parents=True)
    with pytest.raises(InputError) if refused else nullcontext():
        expect_same_benchmark(tmp_path, sources)
