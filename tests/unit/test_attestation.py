"""The statement of a release is in-toto's, its signatures hold, and what it says can be built anew and compared."""

import base64
import json
import shutil
from pathlib import Path

import pytest
import yaml
from cases import cases
from published import PAGES, publish, sources_of

from authbench.app.cli import main
from authbench.build.acquire.lock import Entry, File, lock_text
from authbench.core.errors import InputError
from authbench.core.runtime.inventory import take_inventory
from authbench.core.storage.raw_paths import describe
from authbench.core.storage.sha256sums import write_sums
from authbench.publish.attestation.reproduce import differences, reproduce
from authbench.publish.attestation.statement import (
    code_digest,
    expect_statement,
    make_statement,
    read_envelope,
    sign,
    statement_bytes,
    subjects,
    unsigned_by,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Raw files, the release of them, and its statement."""
    folder = tmp_path_factory.mktemp("attested")
    raw, release, _ = publish(folder)
    files = {tag: source.files for tag, source in sources_of().items()}
    inputs = {tag: describe(found) for tag, found in take_inventory(raw, files, folder / "inventory.json").items()}
    manifest = json.loads((release / "manifest.json").read_text()) | {"inputs": inputs}
    (release / "manifest.json").write_text(json.dumps(manifest))
    write_sums(release)
    return raw, release, make_statement(release, PAGES)


def keys(folder, name):
    """Write a pair of keys; return the private and the public one."""
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    from cryptography.hazmat.primitives import serialization as form

    key = ed25519.Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.pub"
    private.write_bytes(key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo))
    return private, public


def build_of(release, change=lambda _: None):
    """Return a build that gives a copy of a release, changed."""

    def build(folder, targets):
        assert json.loads((folder / "config.json").read_text())["name"] == "tiny"
        made = folder / Path(targets[0]).parent
        shutil.copytree(release, made)
        change(made)
        write_sums(made)
        return 0, ""

    return build


def test_a_statement_is_one_of_in_toto_about_every_file_and_all_that_made_it(made):
    _, release, statement = made
    in_toto = pytest.importorskip("in_toto_attestation.v1.statement")
    descriptor = pytest.importorskip("in_toto_attestation.v1.resource_descriptor").ResourceDescriptor
    files = [descriptor(name=one["name"], digest=one["digest"]).pb for one in statement["subject"]]
    in_toto.Statement(files, statement["predicateType"], statement["predicate"]).validate()
    there = {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
    assert set(subjects(statement)) == there
    build = statement["predicate"]["buildDefinition"]
    assert build["externalParameters"]["sources"] == PAGES
    names = {one["name"] for one in build["resolvedDependencies"]}
    assert names == {"authbench", *(f"raw files of {tag}" for tag in PAGES)}
    assert differences(statement, release) == []
    assert make_statement(release, PAGES) == statement


def test_another_byte_of_code_is_another_digest(monkeypatch):
    before = code_digest()
    real = "authbench.publish.attestation.statement.sha256_of_file"
    monkeypatch.setattr(real, lambda path: "0" * 64 if path.name == "identity.py" else "1" * 64)
    one = code_digest()
    monkeypatch.setattr(real, lambda path: "2" * 64 if path.name == "identity.py" else "1" * 64)
    assert len({before, one, code_digest()}) == 3


def test_no_statement_is_made_of_a_release_that_was_changed(made, tmp_path):
    shutil.copytree(made[1], tmp_path / "release")
    with (tmp_path / "release/train/queries.jsonl").open("a") as file:
        file.write("\n")
    with pytest.raises(InputError, match=r"train/queries.jsonl is not what SHA256SUMS says"):
        make_statement(tmp_path / "release", PAGES)
    with pytest.raises(InputError, match="no config entry of books"):
        make_statement(made[1], {tag: page for tag, page in PAGES.items() if tag != "books"})


def test_a_release_is_reproduced_by_a_build_that_gives_its_bytes(made):
    raw, release, statement = made
    outcome = reproduce(statement, raw, build_of(release))
    assert (outcome.status, outcome.reasons) == (0, ())


def test_settings_keep_the_order_of_splits_from_the_manifest_to_the_build(made, tmp_path):
    raw, release, statement = made
    path = tmp_path / "a.intoto.json"
    path.write_bytes(statement_bytes(statement))

    def build(folder, targets):
        settings = json.loads((folder / "config.json").read_text())
        assert list(settings["split"]["splits"]) == ["train", "test"]
        return build_of(release)(folder, targets)

    assert list(json.loads((release / "manifest.json").read_text())["config"]["split"]["splits"]) == ["test", "train"]
    assert reproduce(read_envelope(path)[0], raw, build).status == 0


def test_settings_keep_the_order_of_targets_in_which_a_release_lists_them(made, tmp_path):
    release = shutil.copytree(made[1], tmp_path / "release")
    manifest = json.loads((release / "manifest.json").read_text())
    genres = {"de": {"news": 60, "blog/*": 40}, "en": {"news": 55, "blog/*": 45}}
    targets = {"languages": {"de": 30, "en": 70}, "lengths": {"long": 50, "short": 50}, "genres": genres}
    manifest["config"]["sample"] = {**targets, "window": 64}
    cells = [
        {"language": language, "dimension": dimension, "key": key, "target": 1, "available": 1, "taken": 1}
        for language in ("en", "de")
        for dimension, keys in (("length", ("short", "long")), ("genre", ("blog/*", "(no target)", "news")))
        for key in keys
    ]
    numbers = {"target": 1, "available": 1, "taken": 1, "deficit": 0}
    languages = [{"language": "en", **numbers}, {"language": "de", **numbers}]
    deviation = {
        **json.loads((release / "sampling_deviation.json").read_text()),
        "languages": languages,
        "cells": cells,
    }
    (release / "manifest.json").write_text(json.dumps(manifest))
    (release / "sampling_deviation.json").write_text(json.dumps(deviation))
    write_sums(release)

    sample = make_statement(release, PAGES)["predicate"]["buildDefinition"]["externalParameters"]["config"]["sample"]
    assert list(sample["languages"]) == list(sample["genres"]) == ["en", "de"]
    assert list(sample["lengths"]) == ["short", "long"]
    assert [list(shares) for shares in sample["genres"].values()] == [["blog/*", "news"]] * 2
    assert sample == manifest["config"]["sample"]


def test_a_build_that_gives_other_bytes_differs_and_it_is_said_where(made):
    raw, release, statement = made

    def change(folder):
        (folder / "funnel.csv").write_text("other")
        (folder / "release.lock").unlink()
        (folder / "more.txt").write_text("more")

    outcome = reproduce(statement, raw, build_of(release, change))
    assert outcome.status == 1
    assert {"funnel.csv is another file", "release.lock is in the statement alone"} < set(outcome.reasons)
    assert "more.txt is not in the statement" in outcome.reasons


def test_other_code_is_named_as_a_cause_only_where_bytes_differ(made):
    raw, release, statement = made
    other = json.loads(json.dumps(statement))
    other["predicate"]["buildDefinition"]["resolvedDependencies"][0]["digest"]["sha256"] = "0" * 64
    assert reproduce(other, raw, build_of(release)).status == 0
    outcome = reproduce(other, raw, build_of(release, lambda folder: (folder / "funnel.csv").unlink()))
    assert "perhaps because the code of AuthBench is not that of the statement" in outcome.reasons


def test_another_lock_of_raw_files_is_named_as_a_cause(made):
    raw, release, statement = made

    def with_lock(folder):
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["raw_lock"] = {"sha256": "0" * 64, "sources": {}}
        (folder / "manifest.json").write_text(json.dumps(manifest))

    for change, named in ((with_lock, True), (lambda folder: (folder / "funnel.csv").unlink(), False)):
        outcome = reproduce(statement, raw, build_of(release, change), release=release)
        assert outcome.status == 1 and any("raw.lock.yaml" in reason for reason in outcome.reasons) == named


def test_with_other_raw_files_or_a_build_that_fails_it_cannot_be_told(made, tmp_path):
    raw, release, statement = made
    failed = reproduce(statement, raw, lambda *_: (1, "Nothing was run: 1 problem to mend"))
    assert failed.status == 2 and "Nothing was run: 1 problem to mend" in failed.reasons
    shutil.copytree(raw, tmp_path / "raw")
    (tmp_path / "raw/books/books.zip").unlink()
    (tmp_path / "raw/letters/all.csv").write_text("nr;writer;date;text\n")

    def never(*_):
        raise AssertionError("nothing is built from other raw files")

    outcome = reproduce(statement, tmp_path / "raw", never)
    assert outcome.status == 2
    assert any(reason.startswith("there are no raw files of books") for reason in outcome.reasons)
    assert any(reason.startswith("the raw files of letters in") for reason in outcome.reasons)
    assert len(outcome.reasons) == 2


def test_the_lock_of_raw_files_tells_which_of_them_is_another(made, tmp_path):
    raw, _, statement = made
    digests = take_inventory(raw, {"letters": sources_of()["letters"].files}, tmp_path / "inventory.json")["letters"]
    entry = Entry(files={name: File(0, digest) for name, digest in digests.items()})
    shutil.copytree(raw, tmp_path / "raw")
    (tmp_path / "raw.lock.yaml").write_text(lock_text({"letters": entry}))
    changed = tmp_path / "raw/letters/all.csv"
    changed.write_bytes(changed.read_bytes()[:-1] + b"?")

    outcome = reproduce(statement, tmp_path / "raw", lambda *_: (0, ""))
    assert outcome.status == 2
    assert outcome.reasons[0].endswith("are not those of the statement: all.csv")

    (tmp_path / "raw.lock.yaml").write_text(lock_text({"letters": Entry(files={"all.csv": File(0, "0" * 64)})}))
    assert reproduce(statement, tmp_path / "raw", lambda *_: (0, "")).reasons[0].endswith("of the statement")


def test_a_build_gets_the_entries_and_files_that_the_statement_and_settings_name(made, tmp_path):
    raw, release, statement = made
    planted = (
        "profiles/default/config.yaml",
        "yaml.py",
        "Snakefile",
        ".hidden.yaml",
        "config/models/a.yaml",
        "other.yaml",
    )
    statement = json.loads(json.dumps(statement))
    config = statement["predicate"]["buildDefinition"]["externalParameters"]["config"]
    config["files"] = ["words.yaml", "../outside.yaml", "link.yaml", *planted[:-1]]
    (tmp_path / "outside.yaml").write_text("secret")
    tmp_path /= "files"
    for name in (*planted, "words.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("en: {}")
    (tmp_path / "link.yaml").symlink_to(tmp_path.parent / "outside.yaml")

    def build(folder, targets):
        assert (folder / "words.yaml").read_text() == "en: {}"
        assert {path.name for path in folder.iterdir()} == {"words.yaml", "config", "config.json"}
        assert not (folder / "config/models").exists()
        for tag, page in PAGES.items():
            assert yaml.safe_load((folder / f"config/sources/{tag}.yaml").read_text(encoding="utf-8")) == page
        return build_of(release)(folder, targets)

    assert reproduce(statement, raw, build, tmp_path).status == 0
    forged = json.loads(json.dumps(statement))
    given = forged["predicate"]["buildDefinition"]["externalParameters"]
    given["config"]["sources"] = ["../../letters.yaml"]
    with pytest.raises(InputError, match="outside of the folder of the build"):
        reproduce(forged, raw, build)


def test_two_keys_sign_one_statement_and_a_forged_one_is_signed_by_none(made, tmp_path):
    pytest.importorskip("securesystemslib.dsse")
    payload = statement_bytes(made[2])
    (one, one_public), (two, two_public), (_, third) = (keys(tmp_path, name) for name in ("one", "two", "three"))
    envelope = sign(payload, two, sign(payload, one))
    path = tmp_path / "a.intoto.json"
    path.write_text(json.dumps(envelope))
    statement, read = read_envelope(path)
    assert statement == made[2]
    assert unsigned_by(read, [one_public, two_public, third]) == [third]

    other = json.loads(payload)
    other["subject"][0]["digest"]["sha256"] = "0" * 64
    forged = {**envelope, "payload": base64.b64encode(statement_bytes(other)).decode()}
    assert unsigned_by(forged, [one_public, two_public]) == [one_public, two_public]
    swapped = json.loads(json.dumps(envelope))
    first, second = swapped["signatures"]
    first["sig"], second["sig"] = second["sig"], first["sig"]
    assert unsigned_by(swapped, [one_public, two_public]) == [one_public, two_public]
    assert unsigned_by(None, [one_public]) == [one_public]
    with pytest.raises(InputError, match="holds another statement"):
        sign(statement_bytes(other), two, envelope)


@cases
def test_what_is_no_statement_is_refused(tmp_path, content):
    path = tmp_path / "no.json"
    path.write_text(content)
    with pytest.raises(InputError):
        read_envelope(path)


def test_a_key_of_another_kind_is_refused(made, tmp_path):
    private, public = keys(tmp_path, "one")
    with pytest.raises(InputError, match="private ed25519 key"):
        sign(b"{}", public)
    envelope = sign(statement_bytes(made[2]), private)
    with pytest.raises(InputError, match="public ed25519 key"):
        unsigned_by(envelope, [private])


def test_the_commands_sign_verify_and_refuse(made, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made[1], "release")
    manifest = json.loads(Path("release/manifest.json").read_text())
    manifest["config"]["sources"] = sorted(PAGES)
    Path("release/manifest.json").write_text(json.dumps(manifest))
    write_sums(Path("release"))
    Path("config/sources").mkdir(parents=True)
    for tag, page in PAGES.items():
        Path(f"config/sources/{tag}.yaml").write_text(yaml.safe_dump(page))
    (one, public), (_, stranger) = keys(tmp_path, "one"), keys(tmp_path, "two")
    assert main(["release", "attest", "release"]) == 0
    assert expect_statement(json.loads(Path("release.intoto.json").read_text()), tmp_path)
    assert main(["release", "verify", "release", "--key", str(public)]) == 1
    assert main(["release", "attest", "release", "--key", str(one)]) == 0
    assert main(["release", "verify", "release", "--key", str(public)]) == 2
    assert "The files are those of the statement" in capsys.readouterr().out
    assert main(["release", "verify", "release", "--key", str(public), "--key", str(stranger)]) == 1
    assert "is not signed by" in capsys.readouterr().out
    assert main(["release", "attest", "release"]) == 0  # without a key, signatures stay
    assert main(["release", "verify", "release", "--key", str(public)]) == 2
    Path("notes.md").write_text("of somebody else")
    assert main(["release", "attest", "release", "--out", "notes.md"]) == 2
    assert Path("notes.md").read_text() == "of somebody else"
    shutil.copytree("release/test", "release/more")
    Path("release/notes.txt").write_text("of somebody else")
    assert main(["release", "verify", "release", "--key", str(public)]) == 1
    told = capsys.readouterr().out
    assert "notes.txt is not in the statement" in told and "more/candidates.jsonl is not in the statement" in told
    shutil.rmtree("release/more")
    Path("release/notes.txt").unlink()
    Path("release/funnel.csv").write_text("other")
    assert main(["release", "verify", "release", "--key", str(public)]) == 1
    assert "funnel.csv is another file" in capsys.readouterr().out
    assert main(["release", "verify", "release", "--statement", "none.json"]) == 2


def test_a_key_that_cannot_countersign_is_refused_before_the_build(made, tmp_path, monkeypatch):
    raw, release, statement = made
    path = tmp_path / "statement.json"
    path.write_bytes(statement_bytes(statement))
    monkeypatch.setattr("authbench.publish.attestation.reproduce.reproduce", None)
    given = ["--raw", raw, "--statement", path, "--countersign", keys(tmp_path, "one")[1]]
    assert main(["release", "verify", str(release), *map(str, given)]) == 2
