"""Does a data set come from Kaggle by Kaggle's own client, which talks to a host on loopback here?"""

import io
import json
import zipfile

import pytest
from loopback_hosts import Fault, Host, serving

from authbench.build.acquire import acquire_source
from authbench.build.acquire.lock import lock_path, read_raw_lock
from authbench.build.acquire.offers import ByHand
from authbench.config.registry.readers import CsvReader
from authbench.config.registry.source_entry import Acquire, Author, Extraction, Fetch, Fields, License, Source
from authbench.core.errors import InputError

SERVICE = "/v1/datasets.DatasetApiService"
TABLE = b"text,author\n" + b"a letter,me\n" * 20_000
LETTERS = Source(
    "letters",
    "Letters",
    "Made up.",
    License("none stated", "B"),
    Acquire("kaggle", "owner/letters", "Put it here.", (Fetch(files=("**/*.csv",)),)),
    Extraction(("**/*.csv",), CsvReader(), Fields("text", "author", "lang", "genre"), Author("person")),
    {},
)


@pytest.fixture
def kaggle(monkeypatch, tmp_path):
    for variable in ("KAGGLE_API_TOKEN", "KAGGLE_CONFIG_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KAGGLE_USERNAME", "me")
    monkeypatch.setenv("KAGGLE_KEY", "verysecret")
    hosts = pytest.importorskip("kagglesdk.kaggle_env", reason="the extra `acquire` is not installed")
    with serving(Host()) as host:
        for one in hosts._env_to_endpoint:
            monkeypatch.setitem(hosts._env_to_endpoint, one, host.url)
        yield host


def offering(host, names, body, at):
    """Let the host list files, and send every download to one address, as Kaggle does."""
    listed = [{"name": name, "totalBytes": len(TABLE)} for name in names]
    host.files[f"{SERVICE}/ListDatasetFiles"] = json.dumps({"datasetFiles": listed, "nextPageToken": ""}).encode()
    host.files[f"{SERVICE}/GetDataset"] = b'{"currentVersionNumber": 7}'
    for call in ("ListDatasetFiles", "GetDataset"):
        host.headers[f"{SERVICE}/{call}"] = {"Content-Type": "application/json"}
    host.faults[f"{SERVICE}/DownloadDataset"] = [Fault(status=302, headers={"Location": f"{host.url}{at}"})] * 9
    host.files[at] = body


def packed(name, body):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, body)
    return archive.getvalue()


def acquire(raw):
    return acquire_source(LETTERS, raw, pause=lambda seconds: None)


@pytest.mark.parametrize("body", [TABLE, packed("table.csv", TABLE)], ids=["plain", "packed"])
def test_a_table_comes_as_it_is_listed_however_it_is_sent(kaggle, tmp_path, body, capsys):
    at = "/storage/table.csv" if body == TABLE else "/storage/table.csv.zip"
    offering(kaggle, ["data/table.csv", "picture.png"], body, at)
    assert acquire(tmp_path / "raw") == "letters: fetched and verified, 1 file, 240.0 kB"
    assert (tmp_path / "raw/letters/data/table.csv").read_bytes() == TABLE
    assert read_raw_lock(lock_path(tmp_path / "raw"))["letters"].files["data/table.csv"].bytes == len(TABLE)
    told = capsys.readouterr()
    assert "verysecret" not in told.out + told.err + lock_path(tmp_path / "raw").read_text()


def test_the_newest_version_is_locked_and_stays(kaggle, tmp_path):
    offering(kaggle, ["table.csv", "more.csv"], TABLE, "/storage/table.csv")
    acquire(tmp_path / "raw")
    assert read_raw_lock(lock_path(tmp_path / "raw"))["letters"].revisions == {"owner/letters": "7"}
    (tmp_path / "raw/letters/more.csv").unlink()
    kaggle.files[f"{SERVICE}/GetDataset"] = b'{"currentVersionNumber": 8}'
    kaggle.sent.clear()
    acquire(tmp_path / "raw")
    assert kaggle.sent and all(json.loads(body)["datasetVersionNumber"] == 7 for body in kaggle.sent)


def test_an_archive_with_other_files_in_it_is_refused(kaggle, tmp_path):
    offering(kaggle, ["table.csv"], packed("table.csv", bytes(10 << 20)), "/storage/table.csv.zip")
    with pytest.raises(InputError, match="holds 10,485,760 bytes, 240,012 were listed"):
        acquire(tmp_path / "raw")
    offering(kaggle, ["table.csv"], packed("other.csv", TABLE), "/storage/table.csv.zip")
    with pytest.raises(InputError, match="expected table.csv alone"):
        acquire(tmp_path / "other")
    assert not list(tmp_path.rglob("table.csv"))


def test_another_size_than_listed_is_refused(kaggle, tmp_path):
    offering(kaggle, ["table.csv"], TABLE[:-1], "/storage/table.csv")
    with pytest.raises(InputError, match="the host announced 240,012"):
        acquire(tmp_path / "raw")


@pytest.mark.parametrize("status", [401, 403])
def test_who_may_not_have_it_is_told_what_to_do(kaggle, tmp_path, status):
    kaggle.faults[f"{SERVICE}/GetDataset"] = [Fault(status=status)] * 9
    with pytest.raises(
        ByHand, match="KAGGLE_API_TOKEN.*accept the terms of https://www.kaggle.com/datasets/owner/letters"
    ):
        acquire(tmp_path / "raw")


def test_without_an_account_nothing_is_asked(kaggle, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("KAGGLE_USERNAME")
    monkeypatch.delenv("KAGGLE_KEY")
    with pytest.raises(ByHand, match="KAGGLE_API_TOKEN.*Put it here"):
        acquire(tmp_path / "raw")
    assert kaggle.seen == []


def test_a_name_that_leads_elsewhere_is_refused(kaggle, tmp_path):
    offering(kaggle, ["../table.csv"], TABLE, "/storage/table.csv")
    with pytest.raises(InputError, match="no name for a file here"):
        acquire(tmp_path / "raw")
