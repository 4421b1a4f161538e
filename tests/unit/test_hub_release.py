"""A dataset of Hugging Face, in a folder or in the hub's cache, is the release that it was made of."""

import json
import shutil
from pathlib import Path

import pytest
from cases import cases
from hub_cache import COMMIT, put_into_cache, use_cache
from published import contents, exported, seal

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.release.format import hub
from authbench.release.format.hub import release_of
from authbench.release.format.verify import open_verified


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "user_cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def dataset(published, tmp_path):
    return exported(published[2], "huggingface", tmp_path / "dataset")


@pytest.fixture
def cached(dataset, tmp_path, monkeypatch):
    put_into_cache(tmp_path / "hub", "org/name", dataset)
    use_cache(tmp_path / "hub", monkeypatch)
    return "hf:org/name"


def test_a_folder_of_the_form_gives_the_bundle_to_the_byte(published, dataset):
    assert contents(release_of(dataset)) == contents(published[2])
    assert open_verified(dataset, complete=True).verification == {"verified": True}


def test_a_complete_release_comes_back_too(published, tmp_path):
    folder = exported(published[1], "huggingface", tmp_path / "own", with_tier_b=True)
    assert contents(release_of(folder)) == contents(published[1])


@pytest.mark.parametrize("revision", ["", "@v1", f"@{COMMIT}"])
def test_a_dataset_in_the_cache_of_the_hub_is_read_without_a_network(published, cached, revision):
    assert contents(release_of(Path(cached + revision))) == contents(published[2])


def test_commands_take_a_dataset(published, cached, dataset, tmp_path, capsys):
    raw, release, public = published
    for place, out in ((cached, "cached"), (str(dataset), "folder"), (str(public), "public")):
        assert main(["evaluate", place, "--model", "tfidf", "--out", str(tmp_path / out)]) == 0
    scores = [json.loads((tmp_path / out / "tfidf/scores.json").read_text()) for out in ("cached", "folder", "public")]
    assert scores[0]["overall"] == scores[1]["overall"] == scores[2]["overall"]
    assert main(["release", "diff", cached, str(public)]) == 0
    assert main(["release", "rebuild", cached, "--raw", str(raw), "--out", str(tmp_path / "again")]) == 0
    assert contents(tmp_path / "again") == contents(release)
    assert main(["check", cached]) == main(["check", str(public)])
    style = ["style", "run", str(tmp_path), "--dataset", "release_retrieval", "--missing", "error", "--model", "tfidf"]
    assert main([*style, "--release", cached, "--out", str(tmp_path / "style")]) == 0


def test_an_audit_of_a_dataset_by_its_name_is_that_of_its_release(published, cached, tmp_path, capsys):
    found = []
    for place, out in ((f"{cached}@v1", "named"), (str(published[2]), "folder")):
        assert main(["audit", place, "--texts", "10", "--out", str(tmp_path / out)]) == 0
        found.append(json.loads((tmp_path / out / "audit.json").read_text()))
    named, folder = found
    assert named["dataset"].pop("name") == f"{cached}@v1" and folder["dataset"].pop("name") == published[2].name
    assert named == folder


def _text(folder):
    path = next((folder / "data/candidates").glob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")


def _missing(folder):
    next((folder / "data/queries").glob("test-*.parquet")).unlink()


def _added(folder):
    (folder / "release/more.json").write_text("{}")


def _manifest(folder):
    path = folder / "release/manifest.json"
    path.write_text(path.read_text().replace("tiny", "tyni"))


@pytest.mark.parametrize("damage", [_text, _missing, _added, _manifest])
def test_a_dataset_that_is_not_as_its_checksums_say_is_refused(dataset, own_cache, damage):
    damage(dataset)
    with pytest.raises(InputError, match="not as SHA256SUMS says, missing or not listed"):
        release_of(dataset)
    assert not own_cache.exists()


def test_checksums_made_again_do_not_hide_another_release(dataset):
    _manifest(dataset)
    seal(dataset)
    with pytest.raises(InputError, match="manifest.json is not what SHA256SUMS says"):
        open_verified(dataset)


def test_a_link_out_of_a_dataset_is_refused(dataset, tmp_path):
    shutil.move(dataset / "release/funnel.csv", tmp_path / "funnel.csv")
    (dataset / "release/funnel.csv").symlink_to(tmp_path / "funnel.csv")
    with pytest.raises(InputError, match="a link that leads out"):
        release_of(dataset)


@cases
def test_a_dataset_that_cannot_be_had_is_told(cached, place, problem):
    with pytest.raises(InputError, match=problem):
        release_of(Path(place))


def test_a_folder_that_is_no_dataset_is_left_as_it_is(published, tmp_path):
    assert release_of(published[1]) == published[1]
    assert release_of(tmp_path / "none") == tmp_path / "none"
