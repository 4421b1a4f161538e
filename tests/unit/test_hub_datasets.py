"""Any dataset of the Hub with authors and texts, and any release on it, is found by one name for all commands."""

import io
import json
import os
import random
import shutil
from pathlib import Path

import polars as pl
import pytest
from audited import rows, write_csv
from cases import cases, read_cases
from hub_cache import put_into_cache, use_cache
from loopback_hosts import Host, serving
from loopback_hosts import hub as serve
from sound_release import write_sound
from split_folder import write_release

import authbench
from authbench.app.cli import main
from authbench.audit.auditing import read_first
from authbench.audit.auditing.read import How, read_dataset
from authbench.core.errors import InputError
from authbench.release.format import hub
from authbench.release.format.hub import NotARelease, local, release_of, stated_configs

CARD = read_cases(Path(__file__))["CARD"]
COMMANDS = (
    lambda place, out: ["audit", place, "--out", str(out)],
    lambda place, out: ["evaluate", place, "--model", "random", "--out", str(out)],
    lambda place, out: ["check", place],
    lambda place, out: ["release", "diff", place, place],
    lambda place, out: ["publish", "tables", "--release", place, "--out", str(out)],
    lambda place, out: ["release", "merge", place, place, "--out", str(out)],
)
OF_RELEASES = COMMANDS[2:]


@pytest.fixture(autouse=True)
def caches(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "user_cache", lambda: tmp_path / "cache")
    use_cache(tmp_path / "hub", monkeypatch)


@pytest.fixture
def texts(tmp_path):
    """A dataset whose README.md states the configurations of its shards."""
    folder = tmp_path / "texts"
    for name in ("data", "more", "mails"):
        (folder / name).mkdir(parents=True)
    table = [{key: value for key, value in row.items() if key != "split"} for row in rows(12, 4)]
    for number in range(2):
        pl.DataFrame(table[number * 12 : (number + 1) * 12]).write_parquet(folder / f"data/part-{number}.parquet")
    write_csv(folder / "more/first.csv", table[24:36])
    write_csv(folder / "more/second.csv", table[36:])
    write_csv(folder / "mails/train.csv", table[:8])
    (folder / "README.md").write_text(CARD)
    put_into_cache(tmp_path / "hub", "org/texts", folder)
    return "hf:org/texts"


@pytest.fixture
def sound(tmp_path):
    """The snapshot of a release that was uploaded file by file, as `hf:org/sound`."""
    write_sound(tmp_path / "sound")
    return put_into_cache(tmp_path / "hub", "org/sound", tmp_path / "sound")


def audited(out):
    return dict(json.loads((out / "audit.json").read_text())["dataset"])


@cases
def test_an_audit_reads_a_configuration_that_the_card_states_or_a_folder_has(texts, config, splits, tmp_path):
    assert main(["audit", f"{texts}{config}", "--out", str(tmp_path / "out")]) == 0
    found = audited(tmp_path / "out")
    assert found["name"] == f"{texts}{config}"
    assert {split: sizes["documents"] for split, sizes in found["splits"].items()} == splits


def test_the_only_configuration_of_a_card_needs_no_name(tmp_path):
    write_csv(tmp_path / "a.csv", rows(2, 2))
    write_csv(tmp_path / "b.csv", rows(3, 3))
    (tmp_path / "README.md").write_text("---\nconfigs: [{config_name: default, data_files: {dev: b.csv}}]\n---\n")
    assert read_dataset([tmp_path]).documents.height == 9
    (tmp_path / "deeper").mkdir()
    assert read_dataset([tmp_path / "deeper/.."]).documents.height == 9


@pytest.mark.parametrize("config", ["none", "data/posts", "..", "a:b"])
def test_a_configuration_that_is_not_there_ends_with_status_2(texts, config):
    assert main(["audit", f"{texts}:{config}"]) == 2


def test_an_audit_reads_the_first_rows_of_each_split(texts, tmp_path):
    assert main(["audit", f"{texts}:posts", "--rows", "5", "--out", str(tmp_path / "out")]) == 0
    found = audited(tmp_path / "out")
    assert found["documents"] == 10
    assert sum("--rows" in note for note in found["notes"]) == 2
    whole = read_dataset([tmp_path / "texts"], How(config="mails", rows=9))
    assert whole.documents.height == 8 and not any("--rows" in note for note in whole.notes)
    assert main(["audit", f"{texts}:posts", "--rows", "5", "--clean", str(tmp_path / "clean")]) == 2


@pytest.fixture
def stored(monkeypatch):
    """A Hub that answers."""
    with serving(Host()) as host:
        monkeypatch.setenv("HF_ENDPOINT", host.url)
        monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        monkeypatch.setattr(read_first, "user_cache", hub.user_cache)
        yield host


def shard(first, texts):
    """Parquet with two long texts in a row group."""
    file, chance = io.BytesIO(), random.Random(first)
    columns = {
        "author": [f"writer {number % 5}" for number in range(first, first + texts)],
        "text": [chance.randbytes(100_000).hex() for _ in range(texts)],
    }
    pl.DataFrame(columns).write_parquet(file, row_group_size=2, compression="uncompressed")
    return file.getvalue()


def test_of_a_dataset_of_the_hub_only_the_first_rows_are_fetched_and_only_once(stored, tmp_path):
    files = {f"data/train-0000{number}-of-00009.parquet": shard(20 * number, 20) for number in range(9)}
    lines = b"".join(b'{"author": "a%d", "text": "Some words."}\n' % (number % 3) for number in range(30))
    serve(stored, "org/large", {**files, "data/test.jsonl": lines, "README.md": b"# Texts", "notes.txt": b"no"})
    first = read_dataset([Path("hf:org/large")], How(rows=24))
    assert first.documents.group_by("split").len().sort("split").rows() == [("test", 24), ("train", 24)]
    assert set(first.documents.filter(split="train")["content"].str.len_bytes()) == {200_000}
    asked = [path for method, path, _ in stored.seen if method == "GET" and path.endswith(".parquet")]
    assert {path.rpartition("/")[2] for path in asked} == {Path(name).name for name in list(files)[:2]}
    assert len(asked) < 12  # of a block each; the two files have 8 million bytes
    before = len(asked)
    again = read_dataset([Path("hf:org/large")], How(rows=24))
    assert again.documents.equals(first.documents)
    assert len([path for method, path, _ in stored.seen if method == "GET" and path.endswith(".parquet")]) == before


@pytest.mark.parametrize(
    "files",
    [
        {"data/train.csv": b"author,text", "data/test.jsonl": b"{}"},
        {"test/candidates.jsonl": b"{}", "test/queries.jsonl": b"{}", "manifest.json": b"{}"},
        {"data/candidates/test-00000.parquet": b"", "release/manifest.json": b"{}"},
        {"corpus.jsonl": b"{}", "queries.jsonl": b"{}", "qrels/test.tsv": b""},
        {"corpus/test.jsonl": b"{}", "queries/test.jsonl": b"{}", "default/test.jsonl": b""},
        {"pairs.jsonl": b"{}", "truth.jsonl": b"{}"},
        {"posts.zip": b""},
    ],
)
def test_a_dataset_that_cannot_be_read_in_part_is_fetched_whole(stored, files):
    serve(stored, "org/parts", files)
    assert read_first.first_rows("hf:org/parts", 10, None) is None


def test_models_are_scored_on_texts_with_authors_and_results_say_that_queries_were_drawn(texts, tmp_path, capsys):
    place = f"{texts}:posts"
    assert main(["evaluate", place, "--model", "random", "--model", "tfidf", "--out", str(tmp_path / "out")]) == 0
    assert "24 queries among 24 of 24 texts, drawn by a keyed hash (seed 0)" in capsys.readouterr().err
    stated = json.loads((tmp_path / "out/tfidf/scores.json").read_text())["benchmark"]
    assert (stated["name"], stated["split"], stated["queries"], stated["verified"]) == (place, "test", 24, False)
    again = authbench.evaluate(tmp_path / "texts/mails/train.csv", "random")["random"]["benchmark"]
    assert again["queries"] == 8 and again["checksum"] != stated["checksum"]
    assert main(["evaluate", place, "--model", "random", "--split", "dev", "--out", str(tmp_path / "out")]) == 2


def test_models_are_scored_on_a_table_with_columns_of_other_names(texts, tmp_path):
    table = tmp_path / "strange.csv"
    pl.read_csv(tmp_path / "texts/mails/train.csv").rename({"author": "who"}).write_csv(table)
    command = ["evaluate", str(table), "--model", "random", "--out", str(tmp_path / "out")]
    assert main(command) == 2
    assert main([*command, "--column", "author=who"]) == 0
    release = write_release(tmp_path / "release", 8)
    assert main(["evaluate", str(release), *command[2:], "--column", "author=who"]) == 2


@pytest.mark.parametrize("columns", [["author=author", "author=text"], ["author=text", "content=text"]])
@pytest.mark.parametrize(
    "command", ["audit {}", "evaluate {} --model random --out out", "new source {} --name own --yes"]
)
def test_a_column_is_named_once_and_the_texts_are_nothing_else(columns, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = few_authors(tmp_path / "posts.csv", 3)
    named = [word for one in columns for word in ("--column", one)]
    assert main([*command.format(table).split(), *named]) == 2
    assert list(tmp_path.iterdir()) == [table]


def few_authors(path, authors):
    rows = [{"author": f"a{n % authors}", "text": f"It rained for {n} days, {n}."} for n in range(24)]
    pl.DataFrame(rows).write_csv(path)
    return path


def test_scores_on_a_table_state_the_rows_that_were_not_read(tmp_path):
    table = few_authors(tmp_path / "posts.csv", 3)
    with table.open("a") as file:
        file.write("a1,Rain,and,more\n")
    assert main(["evaluate", str(table), "--model", "random", "--out", str(tmp_path / "out")]) == 0
    stated = json.loads((tmp_path / "out/random/scores.json").read_text())["benchmark"]
    assert "line 26" in stated["reason"] and "author: author" in stated["reason"]


def test_texts_by_one_author_are_not_scored(tmp_path):
    table = few_authors(tmp_path / "posts.csv", 1)
    assert main(["evaluate", str(table), "--model", "random", "--out", str(tmp_path / "out")]) == 2


@pytest.mark.parametrize("command", OF_RELEASES)
def test_what_needs_a_release_names_the_command_that_makes_one(texts, command, tmp_path, refused):
    for place in (texts, f"{texts}:posts", str(tmp_path / "texts"), str(tmp_path / "texts/mails/train.csv")):
        assert "`authbench build`" in refused(command(place, tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", COMMANDS[1:])
def test_a_dataset_of_style_is_for_the_commands_that_read_it(command, tmp_path, refused):
    assert "`authbench style run`" in refused(command("style:blog_retrieval", tmp_path / "out"))


def test_the_published_layout_is_scored_from_the_hub_as_from_a_folder(tmp_path):
    write_release(tmp_path / "published", 8)
    write_release(tmp_path / "published/other", 5)
    put_into_cache(tmp_path / "hub", "org/bench", tmp_path / "published")
    for place, out in (("hf:org/bench", "named"), (tmp_path / "published", "folder"), ("hf:org/bench:other", "other")):
        assert main(["evaluate", str(place), "--model", "tfidf", "--out", str(tmp_path / out)]) == 0
    named, folder, other = (
        json.loads((tmp_path / out / "tfidf/scores.json").read_text()) for out in ("named", "folder", "other")
    )
    assert named["overall"] == folder["overall"] and named["benchmark"] == folder["benchmark"]
    assert (named["benchmark"]["queries"], other["benchmark"]["queries"]) == (8, 5)
    assert main(["check", "hf:org/bench"]) == main(["check", str(tmp_path / "published")]) == 1
    assert main(["audit", "hf:org/bench", "--out", str(tmp_path / "audit")]) == 0
    assert audited(tmp_path / "audit")["splits"]["test"]["queries"] == 8


def test_every_command_opens_a_snapshot_of_links(sound, tmp_path):
    for place, out in (("hf:org/sound", "named"), (str(sound), "snapshot")):
        for number, command in enumerate(COMMANDS):
            assert main(command(place, tmp_path / out / str(number))) == 0, command(place, tmp_path)
    assert authbench.check(sound) == []


@pytest.mark.parametrize("target", ["../../../../outside", "../../../datasets--org--other/blobs/0"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_that_leaves_the_dataset_in_the_cache_is_refused(sound, target, command, tmp_path, refused):
    moved = sound / target
    moved.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(os.path.realpath(sound / "funnel.csv"), moved)
    (sound / "funnel.csv").unlink()
    (sound / "funnel.csv").symlink_to(target)
    assert (sound / "funnel.csv").is_file()
    for place in ("hf:org/sound", str(sound)):
        assert "a link that leads out" in refused(command(place, tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_folder_that_only_looks_like_a_cache_holds_its_links(tmp_path):
    write_release(tmp_path / "mine/snapshots/one", 3)
    (tmp_path / "mine/blobs").mkdir()
    link = tmp_path / "mine/snapshots/one/test/queries.jsonl"
    link.rename(tmp_path / "mine/blobs/0")
    link.symlink_to(tmp_path / "mine/blobs/0")
    with pytest.raises(InputError, match="a link that leads out"):
        authbench.load(tmp_path / "mine/snapshots/one")


@pytest.mark.parametrize("place", ["hf:org/texts:", "hf:org/texts:..", "hf:org/texts:a/b", "hf:org/texts@v1:a:b"])
def test_a_name_that_is_not_in_the_form_is_refused(texts, place):
    with pytest.raises(InputError, match="expected hf:owner/name"):
        local(Path(place))


@cases
def test_a_card_names_no_file_outside_of_its_dataset(tmp_path, stated):
    (tmp_path / "own").mkdir()
    write_csv(tmp_path / "outside.csv", rows(1, 1))
    (tmp_path / "own/README.md").write_text(f"---\nconfigs: [{{config_name: a, data_files: {stated}}}]\n---\n")
    assert stated_configs(tmp_path / "own") == {"a": {}}


@pytest.mark.parametrize("card", ["", "# Texts\n", "---\nconfigs: 3\n---\n", "---\n[\n---\n", "---\na: 1\na: 2\n---\n"])
def test_a_card_without_configurations_states_none(tmp_path, card):
    (tmp_path / "README.md").write_text(card)
    assert stated_configs(tmp_path) == {}


def test_a_folder_that_is_not_there_is_not_taken_for_a_dataset(tmp_path):
    assert release_of(tmp_path / "none") == tmp_path / "none"
    with pytest.raises(NotARelease):
        release_of(tmp_path)


def test_a_folder_of_results_means_the_release_in_it(tmp_path):
    write_sound(tmp_path / "results/x/release")
    assert release_of(tmp_path / "results/x") == tmp_path / "results/x/release" == local(tmp_path / "results/x")[0]
    assert read_dataset([tmp_path / "results/x"]).documents.height
    for read in (release_of, lambda place: read_dataset([place])):
        with pytest.raises(InputError, match=str(tmp_path / "results/x")):
            read(tmp_path / "results")
