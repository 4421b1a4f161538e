"""Does a corpus come whole, the same every time, or not at all? Hosts on loopback speak the protocols and fail."""

import gzip
import hashlib
import io
import itertools
import logging
import random
import traceback
import zlib
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loopback_hosts import COMMIT, Fault, Host, archive, hub, serving
from source_page import source_page

from authbench.build.acquire import WAYS, acquire_source, github, rows, transfer
from authbench.build.acquire.lock import Entry, File, add_to_lock, lock_path, read_raw_lock
from authbench.build.acquire.offers import ByHand, safe_path
from authbench.build.acquire.progress import Progress
from authbench.build.acquire.state import ABSENT, PARTIAL, PRESENT, VERIFIED, state
from authbench.config.registry.source_entry import make_source
from authbench.core.errors import InputError
from authbench.core.identity import uniform

TABLE = random.Random(7).randbytes(700_000)


@pytest.fixture
def host():
    with serving(Host({"/a/table.csv": TABLE})) as host:
        yield host


@pytest.fixture
def raw(tmp_path):
    return tmp_path / "raw"


def source(way, *fetch, files=("**/*.csv",)):
    get = {"from": way, "where": "owner/letters", "how": "Put the files here.", "fetch": list(fetch)}
    fields = dict.fromkeys(("text", "author", "lang", "genre"), "any")
    return make_source("letters", source_page(acquire=get, files=list(files), fields=fields))


def at(host, path="/a/table.csv"):
    return source("url", {"name": f"{host.url}{path}"})


def acquire(source, raw, **more):
    return acquire_source(source, raw, pause=more.pop("pause", lambda seconds: None), **more)


def how_is(source, raw):
    return state(source, raw, read_raw_lock(lock_path(raw)).get("letters")).word


def test_a_file_comes_is_recorded_and_then_verified_without_the_host(host, raw):
    assert how_is(at(host), raw) == ABSENT
    assert acquire(at(host), raw) == "letters: fetched and verified, 1 file, 700.0 kB"
    assert (raw / "letters/table.csv").read_bytes() == TABLE
    assert read_raw_lock(lock_path(raw))["letters"].files["table.csv"].bytes == len(TABLE)
    assert how_is(at(host), raw) == VERIFIED
    asked = len(host.seen)
    assert acquire(at(host), raw) == "letters: verified, 1 file, 700.0 kB"
    assert len(host.seen) == asked
    assert not list((raw / "letters").glob(".parts*"))


def test_a_cut_line_goes_on_where_it_broke(host, raw):
    host.faults["/a/table.csv"] = [Fault(cut_after=300_000), Fault(cut_after=200_000)]
    acquire(at(host), raw)
    assert (raw / "letters/table.csv").read_bytes() == TABLE
    first, *later = host.asked_for("/a/table.csv")
    assert first is None and len(later) == 2
    assert all(one is not None and int(one[6:-1]) >= 100_000 for one in later)


def test_a_later_run_goes_on_with_the_part_of_an_earlier_one(host, raw):
    host.faults["/a/table.csv"] = [Fault(cut_after=400_000), *[Fault(status=503)] * 6]
    with pytest.raises(InputError, match="Run the same command again"):
        acquire(at(host), raw)
    assert how_is(at(host), raw) == PARTIAL
    assert not (raw / "letters/table.csv").exists()
    acquire(at(host), raw)
    assert (raw / "letters/table.csv").read_bytes() == TABLE
    assert host.asked_for("/a/table.csv")[-1] is not None


@pytest.mark.parametrize(("ranges", "etag"), [(False, True), (True, False), (False, False)])
def test_a_host_that_cannot_go_on_or_does_not_name_its_file_begins_anew(host, raw, ranges, etag):
    host.ranges, host.etag = ranges, etag
    host.faults["/a/table.csv"] = [Fault(cut_after=400_000)]
    acquire(at(host), raw)
    assert (raw / "letters/table.csv").read_bytes() == TABLE


def test_a_busy_host_is_given_the_time_that_it_asks_for(host, raw):
    asked = Fault(status=429, headers={"Retry-After": "17"})
    host.faults["/a/table.csv"] = [asked, Fault(status=500), Fault(status=503)]
    paused = []
    acquire(at(host), raw, pause=paused.append)
    assert paused[0] == 17 and paused[1] < paused[2]
    host.faults["/a/table.csv"] = [Fault(status=429, headers={"Retry-After": "86400"})]
    with pytest.raises(InputError, match="asks to wait 86400 s"):
        acquire(at(host), raw.parent / "other", pause=paused.append)


def test_what_never_comes_is_given_up_after_a_while(host, raw):
    host.faults["/a/table.csv"] = [Fault(cut_after=0)] * 50
    paused = []
    with pytest.raises(InputError, match="letters: http.*Run the same command again later"):
        acquire(at(host), raw, pause=paused.append)
    assert 3 <= len(paused) <= 10 and sum(paused) < 120


@pytest.mark.parametrize("status", [401, 403])
def test_what_is_not_for_everyone_is_told_with_what_a_person_has_to_do(host, raw, status):
    host.faults["/a/table.csv"] = [Fault(status=status)]
    with pytest.raises(ByHand) as told:
        acquire(at(host), raw)
    assert all(word in str(told.value) for word in (str(status), "Put the files here.", str(raw / "letters"), "CC0"))
    assert how_is(at(host), raw) == ABSENT


def test_what_has_gone_is_told_at_once_without_what_may_be_secret_in_its_address(host, raw):
    with pytest.raises(InputError, match="is not there") as told:
        acquire(at(host, "/a/gone.csv?token=secret"), raw)
    assert len(host.seen) == 1 and "secret" not in str(told.value)


def test_a_busy_host_may_name_the_time_until_which_to_wait(host, raw):
    until = datetime.now(UTC) + timedelta(seconds=100)
    host.faults["/a/table.csv"] = [Fault(status=503, headers={"Retry-After": format_datetime(until, usegmt=True)})]
    paused = []
    acquire(at(host), raw, pause=paused.append)
    assert 60 < paused[0] <= 100


@pytest.mark.parametrize("heeds_if_range", [True, False])
def test_the_rest_of_another_version_is_never_mixed_in(host, raw, heeds_if_range):
    host.faults["/a/table.csv"] = [Fault(cut_after=400_000), *[Fault(status=503)] * 6]
    with pytest.raises(InputError):
        acquire(at(host), raw)
    host.files["/a/table.csv"] = TABLE[::-1]
    host.heeds_if_range = heeds_if_range
    acquire(at(host), raw)
    assert (raw / "letters/table.csv").read_bytes() == TABLE[::-1]


@pytest.mark.parametrize("name", ["/a/table.csv", "/a/table.csv.gz"])
def test_what_a_host_encodes_comes_as_the_file_that_it_is(host, raw, name):
    host.files[name] = gzip.compress(TABLE, mtime=0)
    host.headers[name] = {"Content-Encoding": "gzip"}
    host.faults[name] = [Fault(cut_after=200_000)]
    acquire(at(host, name), raw)
    (come,) = raw.glob("letters/table*")
    assert come.read_bytes() == (TABLE if name.endswith(".csv") else host.files[name])


@pytest.mark.parametrize("name", ["/a/table.csv", "/a/table.txt"])
@pytest.mark.parametrize("length", [True, False])
@pytest.mark.parametrize("cut", [1, 8, 40, 650_000])
def test_an_encoded_body_that_is_cut_off_is_never_taken(host, raw, name, length, cut):
    host.files[name] = gzip.compress(TABLE, mtime=0)[:-cut]
    host.headers[name] = {"Content-Encoding": "gzip"}
    host.length = length
    with pytest.raises(InputError, match="cut off"):
        acquire(at(host, name), raw)
    assert not list((raw / "letters").glob("table*")) and not lock_path(raw).exists()


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(TABLE[:9], mtime=0) + gzip.compress(TABLE[9:], mtime=0)),
        ("X-GZIP", gzip.compress(TABLE, mtime=0)),
        ("deflate", zlib.compress(TABLE)),
        ("identity", TABLE),
        ("", TABLE),
    ],
    ids=["gzip in two", "gzip", "deflate", "identity", "none"],
)
def test_every_known_encoding_gives_the_file(host, raw, coding, body):
    host.files["/a/table.csv"] = body
    host.headers["/a/table.csv"] = {"Content-Encoding": coding}
    acquire(at(host), raw)
    assert (raw / "letters/table.csv").read_bytes() == TABLE


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", TABLE),
        ("gzip", gzip.compress(TABLE, mtime=0) + b"more"),
        ("br", TABLE),
        ("gzip, gzip", gzip.compress(TABLE, mtime=0)),
    ],
    ids=["no gzip", "more than gzip", "brotli", "gzip once"],
)
def test_what_cannot_be_decoded_is_refused_at_once(host, raw, coding, body):
    host.files["/a/table.csv"] = body
    host.headers["/a/table.csv"] = {"Content-Encoding": coding}
    with pytest.raises(InputError):
        acquire(at(host), raw)
    assert len(host.asked_for("/a/table.csv")) == 1 and not list((raw / "letters").glob("table*"))


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_an_empty_answer_is_no_file(host, raw, coding):
    host.files["/a/table.csv"] = gzip.compress(b"") if coding == "gzip" else b""
    host.headers["/a/table.csv"] = {"Content-Encoding": coding}
    with pytest.raises(InputError, match="empty"):
        acquire(at(host), raw)
    assert how_is(at(host), raw) == ABSENT


def test_a_file_that_the_lock_says_is_empty_comes(host, raw):
    host.files["/a/table.csv"] = b""
    add_to_lock(lock_path(raw), "letters", Entry({}, {"table.csv": File(0, hashlib.sha256(b"").hexdigest())}))
    assert acquire(at(host), raw) == "letters: fetched and verified, 1 file, 0 B"


def test_an_encoded_body_that_expands_without_end_is_stopped_on_the_way(host, raw, monkeypatch):
    monkeypatch.setattr(transfer, "FREE_EXPANSION", 1 << 20)
    host.files["/a/table.csv"] = gzip.compress(bytes(30 << 20))
    host.headers["/a/table.csv"] = {"Content-Encoding": "gzip"}
    come = []
    with pytest.raises(InputError, match="expands to more than"):
        transfer.download(f"{host.url}/a/table.csv", raw / "part", come.append)
    assert max(itertools.accumulate(come)) < 4 << 20 and not (raw / "part").exists()


def test_a_body_without_a_length_is_taken_up_to_a_bound(host, raw, monkeypatch):
    host.length = False
    acquire(at(host), raw)
    assert (raw / "letters/table.csv").read_bytes() == TABLE
    monkeypatch.setattr(transfer, "MOST_UNDECLARED", len(TABLE) - 1)
    with pytest.raises(InputError, match="declares no length"):
        transfer.download(f"{host.url}/a/table.csv", raw / "part", lambda count: None)
    assert not (raw / "part").exists()


def test_no_more_is_taken_than_the_lock_says(host, raw):
    host.files["/a/table.csv"] = TABLE[:1000]
    acquire(at(host), raw)
    (raw / "letters/table.csv").unlink()
    host.files["/a/table.csv"] = bytes(8 << 20)
    host.length = False
    with pytest.raises(InputError, match="not what was first fetched: it has more than 1,000 bytes"):
        acquire(at(host), raw)
    assert not list((raw / "letters").rglob("*.part"))


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><html>Log in", b"\xef\xbb\xbf\n <!-- x -->\n<HTML lang=en>"])
def test_a_page_to_log_in_is_not_taken_for_the_file(host, raw, page):
    host.files["/a/table.csv"] = page
    with pytest.raises(ByHand, match="gives a web page instead of table.csv"):
        acquire(at(host), raw)
    assert not list(raw.rglob("*.csv")) and how_is(at(host), raw) == ABSENT


def test_the_signature_of_an_address_that_a_host_sends_one_to_is_never_told(host, raw):
    away = "http://127.0.0.1:1/table.csv"
    for status, address in ((302, away), (307, away), (302, "gopher://x/")):
        headers = {"Location": f"{address}?X-Signature=abc123"}
        host.faults["/a/table.csv"] = [Fault(status=status, headers=headers)] * 9
        with pytest.raises(InputError) as told:
            acquire(at(host), raw)
        assert "abc123" not in "".join(traceback.format_exception(told.value))


def test_what_the_owner_has_changed_since_is_refused(host, raw):
    acquire(at(host), raw)
    (raw / "letters/table.csv").unlink()
    host.files["/a/table.csv"] = TABLE[:-1] + b"!"
    with pytest.raises(InputError, match="is not what was first fetched"):
        acquire(at(host), raw)
    assert how_is(at(host), raw) == ABSENT


def test_a_file_that_was_changed_here_is_refused(host, raw):
    acquire(at(host), raw)
    (raw / "letters/table.csv").write_bytes(TABLE[::-1])
    assert how_is(at(host), raw) == PRESENT
    with pytest.raises(InputError, match="table.csv is not what was first fetched"):
        acquire(at(host), raw)


def test_a_touched_file_is_only_present_until_it_is_verified_again(host, raw):
    acquire(at(host), raw)
    (raw / "letters/table.csv").touch()
    assert how_is(at(host), raw) == PRESENT
    acquire(at(host), raw)
    assert how_is(at(host), raw) == VERIFIED


def test_files_that_a_person_has_brought_are_recorded_as_they_are(host, raw):
    (raw / "letters").mkdir(parents=True)
    (raw / "letters/mine.csv").write_bytes(b"a,b\n")
    assert how_is(at(host), raw) == PRESENT
    assert "found there and recorded" in acquire(at(host), raw)
    assert how_is(at(host), raw) == VERIFIED
    assert host.seen == []


@pytest.mark.parametrize("way", ["local", "url", "kaggle"])
def test_what_is_not_fetched_says_who_has_to_do_what(raw, way):
    with pytest.raises(ByHand, match=f"from {way}, owner/letters: Put the files here."):
        acquire(source(way), raw)


def test_nothing_is_put_among_the_corpora_of_the_demo(host):
    with pytest.raises(InputError, match="raw_dir=resources/raw"):
        acquire(at(host), Path(__file__).parents[2] / "resources/demo/raw")


# The Hugging Face Hub


@pytest.fixture
def letters(host, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", host.url)
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)  # which tests of exports may have set
    return hub(host, "owner/letters", {"data/a.csv": TABLE, "data/b.csv": b"b", "README.md": b"no"})


HUB = source("huggingface", {})


def test_a_data_set_comes_at_a_commit_and_stays_at_it(letters, raw):
    assert acquire(HUB, raw) == "letters: fetched and verified, 2 files, 700.0 kB"
    assert (raw / "letters/data/a.csv").read_bytes() == TABLE
    assert not (raw / "letters/README.md").exists()
    assert read_raw_lock(lock_path(raw))["letters"].revisions == {"owner/letters": COMMIT}
    (raw / "letters/data/b.csv").unlink()
    hub(letters, "owner/letters", {"data/a.csv": b"new", "data/b.csv": b"new"}, "f" * 40)
    hub(letters, "owner/letters", {"data/a.csv": TABLE, "data/b.csv": b"b"}, COMMIT)
    letters.files["/api/datasets/owner/letters"] = (
        b'{"id": "owner/letters", "sha": "' + b"f" * 40 + b'", "siblings": []}'
    )
    acquire(HUB, raw)
    assert (raw / "letters/data/b.csv").read_bytes() == b"b"


def test_a_data_set_goes_on_where_it_broke(letters, raw, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 50_000)
    path = f"/datasets/owner/letters/resolve/{COMMIT}/data/a.csv"
    letters.faults[path] = [Fault(cut_after=300_000)]
    acquire(HUB, raw)
    assert (raw / "letters/data/a.csv").read_bytes() == TABLE
    assert any(asked for asked in letters.asked_for(path))


@pytest.mark.parametrize(
    ("content", "told"), [(TABLE[::-1], "the host announced"), (TABLE[:1000], "a.csv")], ids=["content", "size"]
)
def test_a_data_set_of_another_content_or_size_than_the_hub_tells_is_refused(letters, raw, content, told):
    letters.files[f"/datasets/owner/letters/resolve/{COMMIT}/data/a.csv"] = content
    with pytest.raises(InputError, match=told):
        acquire(HUB, raw)
    assert not (raw / "letters/data/a.csv").exists()


def test_a_gated_data_set_says_where_to_accept_what(letters, raw):
    letters.faults["/api/datasets/owner/letters"] = [Fault(status=403, headers={"X-Error-Code": "GatedRepo"})]
    with pytest.raises(ByHand, match="gated: accept its terms at .*/datasets/owner/letters.*HF_TOKEN"):
        acquire(HUB, raw)


def test_a_data_set_that_is_not_there_is_told(letters, raw):
    letters.faults["/api/datasets/owner/letters"] = [Fault(status=404, headers={"X-Error-Code": "RepoNotFound"})]
    with pytest.raises(ByHand, match="is not there, or is private"):
        acquire(HUB, raw)


def test_a_busy_hub_is_asked_again(letters, raw):
    letters.faults["/api/datasets/owner/letters"] = [Fault(status=429, headers={"Retry-After": "3"})]
    paused = []
    acquire(HUB, raw, pause=paused.append)
    assert paused == [3]


def test_patterns_that_fit_nothing_name_what_there_is(letters, raw):
    with pytest.raises(InputError, match=r"no file fits \*\.parquet. It has data/a.csv"):
        acquire(source("huggingface", {"files": ["*.parquet"]}), raw)


@pytest.mark.parametrize(
    "name", ["../../etc/x.csv", "/etc/x.csv", "a/../b.csv", "a\\..\\b.csv", ".ssh/x.csv", "a\nb.csv"]
)
def test_a_name_that_leads_elsewhere_is_refused(letters, raw, name):
    hub(letters, "owner/letters", {"data/a.csv": TABLE, name: b"x"})
    with pytest.raises(InputError, match="no name for a file here"):
        acquire(HUB, raw)
    assert not list(raw.rglob("*.csv"))


@given(st.text(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_safe_name_stays_in_its_folder(tmp_path, name):
    try:
        path = tmp_path / safe_path(name)
    except InputError:
        return
    assert path.resolve().is_relative_to(tmp_path.resolve())
    assert not any(part.startswith(".") for part in path.relative_to(tmp_path).parts)


def test_a_name_with_joiners_or_of_255_bytes_is_one_for_a_file_here(host, raw):
    names = ["data/क्\u200dया.csv", "data/می\u200cخواهم.csv", "data/全\u3000集.csv", f"data/{'ü' * 125}x.csv"]
    from_github(host, archive(dict.fromkeys(names, b"x")))(GITHUB, raw)
    assert {path.relative_to(raw / "letters").as_posix() for path in raw.rglob("*.csv")} == set(names)
    for name in (f"data/{'ü' * 126}.csv", "data/\u202ex.csv", "data/\u2028.csv"):
        with pytest.raises(InputError, match="no name for a file here"):
            safe_path(name)


# GitHub


def from_github(host, repository):
    host.files[f"/owner/letters/tar.gz/{COMMIT}"] = repository
    return partial(acquire, ways={**WAYS, "github": partial(github.look, archives=host.url)})


GITHUB = source("github", {"revision": COMMIT, "files": ["data/**/*.csv"]})


def test_a_repository_comes_as_one_archive(host, raw):
    files = {f"data/{number}.csv": b"%d" % number for number in range(50)}
    fetch = from_github(host, archive({**files, "README.md": b"no", "data/picture.png": b"no"}))
    assert fetch(GITHUB, raw) == "letters: fetched and verified, 50 files, 90 B"
    assert {path.relative_to(raw / "letters").as_posix() for path in raw.rglob("*.*") if path.is_file()} - set(
        files
    ) == {".digests-letters.json"}
    assert len(host.seen) == 1


def test_pieces_go_to_folders_of_their_own(host, raw):
    fetch = from_github(host, archive({"data/a.csv": b"a"}))
    piece = {"revision": COMMIT, "files": ["data/*.csv"]}
    fetch(source("github", {**piece, "into": "one"}, {**piece, "into": "two"}), raw)
    assert (raw / "letters/one/data/a.csv").read_bytes() == (raw / "letters/two/data/a.csv").read_bytes()
    with pytest.raises(InputError, match="offered twice"):
        fetch(source("github", piece, piece), raw.parent / "other")


def hostile_members():
    import tarfile

    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
        member = tarfile.TarInfo(f"repository-{COMMIT}/data/link-{kind!r}.csv")
        member.type, member.linkname = kind, "/etc/passwd"
        yield member, b""


def test_links_and_devices_of_an_archive_are_left(host, raw):
    fetch = from_github(host, archive({"data/a.csv": b"a"}, hostile_members()))
    fetch(GITHUB, raw)
    assert [path.name for path in (raw / "letters/data").iterdir()] == ["a.csv"]


@pytest.mark.parametrize("name", ["data/../../../x.csv", "data/\a.csv"])
def test_nothing_is_taken_from_an_archive_with_one_wrong_name(host, raw, name):
    fetch = from_github(host, archive({"data/a.csv": b"a", name: b"x"}))
    with pytest.raises(InputError, match="no name for a file here"):
        fetch(GITHUB, raw)
    assert not list(raw.parent.rglob("*.csv"))


def test_every_pattern_that_an_entry_fetches_has_to_fit(host, raw):
    fetch = from_github(host, archive({"data/a.csv": b"a", "data/b.csv": b"b"}))
    both = source("github", {"revision": COMMIT, "files": ["data/a.csv", "view/c.csv"]})
    with pytest.raises(InputError, match=r"no file fits view/c\.csv\. It has data/a\.csv, data/b\.csv"):
        fetch(both, raw)
    assert not list(raw.rglob("*.csv")) and how_is(both, raw) == PARTIAL
    alternatives = source("github", {"revision": COMMIT}, files=("data/*.csv", "**/*.tsv"))
    assert "2 files" in fetch(alternatives, raw)


def test_a_pointer_of_git_lfs_is_not_taken_for_its_file(host, raw):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    fetch = from_github(host, archive({"data/a.csv": pointer}))
    with pytest.raises(InputError, match="data/a.csv is a pointer of Git LFS"):
        fetch(GITHUB, raw)
    assert not list(raw.rglob("*.csv"))
    (raw.parent / "mine/letters").mkdir(parents=True)
    (raw.parent / "mine/letters/a.csv").write_bytes(pointer)
    with pytest.raises(InputError, match="a.csv is a pointer of Git LFS"):
        acquire(GITHUB, raw.parent / "mine")


# A share of the files


def test_a_share_is_told_beforehand_and_a_larger_one_adds_to_it(letters, raw, caplog):
    names = [f"data/{number}.csv" for number in range(50)]
    hub(letters, "owner/letters", {name: b"%09d" % number for number, name in enumerate(names)})
    sizes = []
    for share in (0.001, 0.1, 0.05, 0.5, 1.0):
        acquire(HUB, raw, share=share)
        there = {path.relative_to(raw / "letters").as_posix() for path in raw.rglob("*.csv")}
        sizes.append(len(there))
        assert how_is(HUB, raw) == VERIFIED
        assert set(read_raw_lock(lock_path(raw))["letters"].files) == there
        assert f"letters: owner/letters: {len(there)} of 50 files, {len(there) * 9} B of 450 B" in caplog.text or (
            share in (0.05, 1.0)
        )
    assert sizes[0] == 1 and sizes[1] == sizes[2] and sizes[4] == 50
    assert 1 <= sizes[1] <= 12 and 15 <= sizes[3] <= 35


def test_a_limit_of_bytes_takes_the_files_of_the_largest_share_that_fits(letters, raw):
    names = [f"data/{number}.csv" for number in range(50)]
    hub(letters, "owner/letters", {name: b"%09d" % number for number, name in enumerate(names)})
    ordered = sorted(names, key=lambda name: uniform(0, "acquire.share", "letters", name))
    for most, files in ((8, 1), (98, 10), (90, 10), (200, 22), (450, 50)):
        acquire(HUB, raw, most_bytes=most)
        locked = read_raw_lock(lock_path(raw))["letters"]
        assert set(locked.files) == set(ordered[:files]) and how_is(HUB, raw) == VERIFIED
    assert locked.share == 1.0
    letters.seen.clear()
    acquire(HUB, raw, most_bytes=100)
    assert letters.seen == []


def test_a_limit_of_bytes_counts_a_source_of_several_datasets_as_a_whole(letters, raw):
    for name in ("owner/letters", "owner/more"):
        hub(letters, name, {f"data/{name[6:]}{number}.csv": bytes(100) for number in range(20)})
    both = source("huggingface", {"name": "owner/letters"}, {"name": "owner/more"})
    acquire(both, raw, most_bytes=1000)
    assert sum(path.stat().st_size for path in raw.rglob("*.csv")) == 1000


def rows_of(raw):
    return {path.name: pq.read_metadata(path).num_rows for path in raw.rglob("*.parquet")}


def parquet(first, rows):
    """A file of long texts, of which a page holds few rows."""
    chance, file = random.Random(first), io.BytesIO()
    table = pa.table({"id": range(first, first + rows), "text": [chance.randbytes(20_000).hex() for _ in range(rows)]})
    pq.write_table(table, file, row_group_size=150, compression="none", use_dictionary=False)
    return file.getvalue()


TABLES = {f"data/{number}.parquet": parquet(1000 * number, 300) for number in range(3)}
ORDERED = sorted(TABLES, key=lambda name: uniform(0, "acquire.share", "letters", name))
PARQUET = source("huggingface", {}, files=("**/*.parquet",))


def test_a_limit_of_rows_reads_the_first_rows_only_and_the_same_again(letters, raw):
    hub(letters, "owner/letters", TABLES)
    acquire(PARQUET, raw, most_rows=310)
    entry = read_raw_lock(lock_path(raw))["letters"]
    first, second = (Path(name).name for name in ORDERED[:2])
    assert rows_of(raw) == {first: 300, second: 10} and how_is(PARQUET, raw) == VERIFIED
    assert entry.rows == 310 and {name: file.rows for name, file in entry.files.items()} == dict(
        zip(ORDERED[:2], (300, 10), strict=True)
    )
    (cut,) = raw.rglob(second)
    before = cut.read_bytes()
    assert pq.read_table(cut)["id"].to_pylist() == list(range(1000 * int(second[0]), 1000 * int(second[0]) + 10))
    cut.unlink()
    letters.seen.clear()
    acquire(PARQUET, raw, most_rows=310)
    assert cut.read_bytes() == before
    asked = [one for one in letters.seen if one[1].endswith(".parquet") and one[0] == "GET"]
    bytes_asked = sum(int(end) - int(start) + 1 for start, end in (one[2][6:].split("-") for one in asked if one[2]))
    assert asked and all(one[1].endswith(second) for one in asked) and bytes_asked < len(TABLES[ORDERED[1]]) * 0.7
    letters.seen.clear()
    acquire(PARQUET, raw, most_rows=200)
    assert letters.seen == []
    for more in (None, 311):
        with pytest.raises(InputError, match="letters: the lock holds 310 of its rows"):
            acquire(PARQUET, raw, most_rows=more)


def short(rows, first=0, group=500):
    table, file = pa.table({"id": pa.array(range(first, first + rows), pa.int64())}), io.BytesIO()
    with pq.ParquetWriter(file, table.schema) as out:
        for start in range(0, rows, group):  # without rows there is no group
            out.write_table(table.slice(start, group))
    return file.getvalue()


def ids(raw):
    return sorted(number for path in raw.rglob("*.parquet") for number in pq.read_table(path)["id"].to_pylist())


def test_rows_of_a_sorted_dataset_come_from_its_files_and_places_in_them(letters, raw):
    hub(
        letters,
        "owner/letters",
        {f"data/{number}.parquet": short(4000 * (number < 5), 4000 * number) for number in range(6)},
    )
    acquire(PARQUET, raw, most_rows=10_500)
    places = Counter(number // 2000 for number in ids(raw))
    assert len(places) == 10 and set(places.values()) <= set(range(1000, 1100))
    for most in (19_999, 20_000, 30_000):
        acquire(PARQUET, raw / f"{most}", most_rows=most)
        assert len(ids(raw / f"{most}")) == min(most, 20_000)


@pytest.mark.parametrize("names", ["01", "10"])
def test_files_give_rows_in_proportion_to_their_rows_whatever_the_length_of_texts(letters, raw, names):
    long = pa.table({"id": range(90_000, 90_100), "text": [random.Random(n).randbytes(20_000) for n in range(100)]})
    pq.write_table(long, file := io.BytesIO(), compression="none", use_dictionary=False)
    few, many = names
    hub(letters, "owner/letters", {f"data/{few}.parquet": file.getvalue(), f"data/{many}.parquet": short(90_000)})
    acquire(PARQUET, raw, most_rows=20_000)
    rows = rows_of(raw)
    assert sum(rows.values()) == 20_000 and 22 <= rows[f"{few}.parquet"] <= 23


def test_of_a_large_row_group_only_pages_are_fetched(letters, raw):
    chance = random.Random(7)
    table = pa.table({"text": [chance.randbytes(2000) for _ in range(10_000)]})
    file = io.BytesIO()
    pq.write_table(table, file, compression="none", use_dictionary=False)
    hub(letters, "owner/letters", {"data/0.parquet": file.getvalue()})
    acquire(PARQUET, raw, most_rows=10)
    asked = [one[2][6:].split("-") for one in letters.seen if one[0] == "GET" and one[2]]
    assert asked and sum(int(end) - int(start) + 1 for start, end in asked) < 6e6
    assert sum(rows_of(raw).values()) == 10


def test_the_lock_holds_files_of_rows_while_others_are_on_their_way(letters, raw, monkeypatch):
    monkeypatch.setattr("authbench.build.acquire.LOCK_SECONDS", -1)
    hub(letters, "owner/letters", {f"data/{number}.parquet": short(1000) for number in range(3)})
    locked = []
    letters.gate = lambda path: locked.append(len(read_raw_lock(lock_path(raw)).get("letters", Entry()).files))
    acquire(PARQUET, raw, most_rows=3000)
    assert set(locked) == {0, 1, 2}


def test_what_is_cut_off_goes_on_to_the_same_rows(letters, raw):
    hub(letters, "owner/letters", TABLES)
    path = f"/datasets/owner/letters/resolve/{COMMIT}/{ORDERED[1]}"
    letters.faults[path] = [Fault(404)]
    with pytest.raises(InputError, match="is not there"):
        acquire(PARQUET, raw, most_rows=310)
    assert how_is(PARQUET, raw) == PARTIAL
    letters.faults[path] = [Fault(503), Fault(cut_after=1000)]
    acquire(PARQUET, raw, most_rows=310)
    assert sorted(rows_of(raw).values()) == [10, 300] and how_is(PARQUET, raw) == VERIFIED
    acquire(PARQUET, raw / "more", most_rows=5000)
    assert sorted(rows_of(raw / "more").values()) == [300] * 3


def test_a_limit_of_rows_adds_no_file_to_whole_files(letters, raw):
    hub(letters, "owner/letters", {f"data/{number}.parquet": short(1000) for number in range(50)})
    acquire(PARQUET, raw, share=0.001)
    whole = rows_of(raw)
    acquire(PARQUET, raw, most_rows=10)
    next(raw.rglob("*.parquet")).unlink()
    acquire(PARQUET, raw, most_rows=10)
    assert rows_of(raw) == whole and how_is(PARQUET, raw) == VERIFIED


def test_rows_replace_no_file_that_is_there(letters, raw):
    hub(letters, "owner/letters", TABLES)
    (raw / "letters/.parts-letters").mkdir(parents=True)  # of a download that was cut off
    own = raw / "letters" / ORDERED[0]
    own.parent.mkdir()
    own.write_bytes(TABLES[ORDERED[0]])
    with pytest.raises(InputError, match="is there and is not what is distributed"):
        acquire(PARQUET, raw, most_rows=10)
    assert own.read_bytes() == TABLES[ORDERED[0]]


def test_a_file_of_rows_that_was_put_back_is_kept_whatever_is_left_of_a_download(letters, raw):
    hub(letters, "owner/letters", TABLES)
    acquire(PARQUET, raw, most_rows=10)
    (own,) = raw.rglob("*.parquet")
    rows = own.read_bytes()
    own.unlink()
    letters.faults[f"/datasets/owner/letters/resolve/{COMMIT}/{ORDERED[0]}"] = [Fault(), Fault(), Fault(404)]
    with pytest.raises(InputError, match="is not there"):
        acquire(PARQUET, raw, most_rows=10)
    assert list((raw / "letters/.parts-letters").iterdir())
    own.write_bytes(rows)
    acquire(PARQUET, raw, most_rows=10)
    assert own.read_bytes() == rows and how_is(PARQUET, raw) == VERIFIED


@pytest.mark.parametrize("packed", [False, True])
def test_a_limit_of_rows_counts_lines_with_content(letters, raw, packed):
    lines = b"".join(b'{"text": "%d"}\n%s' % (number, b"\n" * (number % 2)) for number in range(50_000))
    name = "data/a.jsonl.gz" if packed else "data/a.jsonl"
    hub(letters, "owner/letters", {name: gzip.compress(lines) if packed else lines})
    acquire(source("huggingface", {}, files=("**/*.jsonl*",)), raw, most_rows=101)
    content = (raw / "letters" / name).read_bytes()
    content = gzip.decompress(content) if packed else content
    assert lines.startswith(content) and len(content.split()) == 2 * 101


def test_rows_of_other_forms_and_hosts_are_refused(letters, host, raw):
    with pytest.raises(InputError, match=r"csv: rows are read as a stream of .parquet, .jsonl"):
        acquire(HUB, raw, most_rows=1)
    with pytest.raises(InputError, match="of Hugging Face datasets only"):
        acquire(at(host), raw / "other", most_rows=1)
    hub(letters, "owner/letters", {"data/a.parquet": b"PAR1 and no table PAR1"})
    with pytest.raises(InputError, match="a.parquet: cannot be read as a stream"):
        acquire(PARQUET, raw / "damaged", most_rows=1)
    lines = bytearray(gzip.compress(random.Random(1).randbytes(50_000).hex().encode()))
    lines[30_000:32_000] = bytes(255 - byte for byte in lines[30_000:32_000])
    hub(letters, "owner/letters", {"data/a.jsonl.gz": bytes(lines)})
    with pytest.raises(InputError, match=r"a.jsonl.gz: cannot be read as a stream"):
        acquire(source("huggingface", {}, files=("**/*.gz",)), raw / "damaged too", most_rows=1)
    hub(letters, "owner/letters", {"data/a.jsonl.gz": gzip.compress(bytes(rows.LONGEST_LINE))})
    with pytest.raises(InputError, match="a line is longer than 67,108,864 bytes"):
        acquire(source("huggingface", {}, files=("**/*.gz",)), raw / "endless", most_rows=1)
    hub(letters, "owner/letters", TABLES)
    letters.ranges = False
    with pytest.raises(InputError, match="the host sends no ranges"):
        acquire(PARQUET, raw / "whole", most_rows=1)
    assert not [path for path in raw.rglob("*.*") if path.suffix in (".csv", ".parquet")]


def test_without_sizes_a_limit_of_bytes_is_refused(host, raw):
    host.length = False
    host.files["/a/table.csv"] = TABLE
    with pytest.raises(InputError, match="no size of table.csv"):
        acquire(at(host), raw, most_bytes=100)
    assert not list(raw.rglob("*.csv"))


def test_a_share_of_a_repository_is_one_too(host, raw):
    files = {f"data/{number}.csv": b"%d" % number for number in range(50)}
    fetch = from_github(host, archive(files))
    fetch(GITHUB, raw, share=0.2)
    few = sorted(raw.rglob("*.csv"))
    assert 2 <= len(few) <= 20
    fetch(GITHUB, raw)
    assert len(list(raw.rglob("*.csv"))) == 50


def test_an_archive_that_expands_without_end_is_stopped(host, raw, monkeypatch):
    monkeypatch.setattr(github, "FREE_EXPANSION", 0)
    monkeypatch.setattr(github, "MAX_EXPANSION", 10)
    fetch = from_github(host, archive({"data/a.csv": bytes(10 << 20)}))
    with pytest.raises(InputError, match="expands without end"):
        fetch(GITHUB, raw)
    assert not (raw / "letters/data/a.csv").exists()


def test_a_damaged_archive_is_fetched_anew(host, raw):
    whole = archive({"data/a.csv": TABLE})
    fetch = from_github(host, whole[: len(whole) // 2])
    with pytest.raises(InputError, match="damaged"):
        fetch(GITHUB, raw)
    from_github(host, whole)(GITHUB, raw)
    assert (raw / "letters/data/a.csv").read_bytes() == TABLE


def test_only_a_commit_is_taken(raw):
    with pytest.raises(InputError, match="a commit"):
        acquire(source("github", {"revision": "main"}), raw)


# The lock and the line of progress


def test_the_lock_only_grows_and_is_refused_where_it_is_none(tmp_path):
    lock = tmp_path / "raw.lock.yaml"
    add_to_lock(lock, "a", Entry({"x": "1"}, {"f": File(1, "aa")}))
    add_to_lock(lock, "b", Entry({}, {"g": File(2, "bb")}))
    add_to_lock(lock, "a", Entry({"x": "2"}, {"f": File(9, "zz"), "h": File(3, "cc")}))
    assert read_raw_lock(lock)["a"] == Entry({"x": "1"}, {"f": File(1, "aa"), "h": File(3, "cc")})
    assert set(read_raw_lock(lock)) == {"a", "b"}
    for wrong in (
        "a: 1\n",
        "a: {files: {f: {bytes: many, sha256: x}}}\n",
        "- a\n",
        "a: {files: [1]}\n",
        "a: {files: {1: {bytes: 1, sha256: x}}}\n",
    ):
        lock.write_text(wrong)
        with pytest.raises(InputError, match="raw.lock.yaml"):
            read_raw_lock(lock)


def test_progress_tells_bytes_rate_and_time_left():
    now, said = [0.0], list[str]()
    progress = Progress("letters", 100_000_000, said.append, lambda: now[0])
    progress.skip(20_000_000)
    for second in range(1, 21):
        now[0] = second
        progress.advance(1_000_000)
    assert said == [
        "letters: 30.0 MB of 100.0 MB, 1.0 MB/s, 70 s left",
        "letters: 40.0 MB of 100.0 MB, 1.0 MB/s, 60 s left",
    ]


def test_a_token_is_never_told(letters, raw, monkeypatch, caplog):
    monkeypatch.setenv("HF_TOKEN", "hf_verysecretverysecret")
    caplog.set_level(logging.DEBUG)
    letters.faults["/api/datasets/owner/letters"] = [Fault(status=403, headers={"X-Error-Code": "GatedRepo"})]
    with pytest.raises(ByHand) as told:
        acquire(HUB, raw)
    acquire(HUB, raw)
    assert "verysecret" not in str(told.value) + caplog.text + lock_path(raw).read_text()
