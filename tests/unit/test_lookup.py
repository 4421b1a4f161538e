"""An author is found by handle in a release and its bundle, by the rules of ingestion, without a name in the output."""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml
from published import ABOUT, PAGES, contents, documents_of, opened, sources_of, write_raw, write_whole
from sound_release import write_sound

from authbench.app.cli import main
from authbench.build.release.takedown import read_takedown
from authbench.core.errors import InputError
from authbench.core.identity import author_id
from authbench.publish.export.run import export_public
from authbench.publish.lookup import look_up

SOURCES = sources_of(PAGES)


@pytest.mark.parametrize(("tag", "handle"), [("posts", "poster 1"), ("letters", "writer 2"), ("books", "Ann")])
def test_every_spelling_of_a_handle_finds_the_texts_of_its_author(published, tag, handle):
    release, bundle = opened(published[1]), opened(published[2])
    rows = release.provenance.filter(author_id=author_id(tag, handle))
    assert rows.height and set(rows["source"]) == {tag}
    for written in (handle, f" {handle}\u00a0", handle.replace(" ", "  ")):
        found = look_up(release, written, SOURCES, None, {})
        assert found["id"].to_list() == rows["id"].to_list()
        assert found.equals(look_up(bundle, written, SOURCES, None, {}))  # the withheld texts, too


def test_another_key_a_stranger_and_a_placeholder_find_none(published):
    release = opened(published[1])
    assert look_up(release, "poster 1", SOURCES, b"key", {}).is_empty()
    for handle in ("poster 9", "[deleted]", "", "\ud800"):
        assert look_up(release, handle, SOURCES, None, {}).is_empty()
    with pytest.raises(InputError, match="has no text of elsewhere"):
        look_up(release, "Ann", {"elsewhere": SOURCES["posts"]}, None, {})


def test_the_command_gives_the_lines_of_a_takedown_and_no_name(tmp_path, capsys, printed):
    folder = tmp_path / "release"
    write_sound(folder)
    tags = pl.read_parquet(folder / "provenance.parquet")["source"].unique().sort().to_list()
    assert main(["release", "lookup", str(folder), "--handle", "Nobody Here"]) == 1
    assert "Nobody" not in "".join(capsys.readouterr())
    assert main(["release", "lookup", str(folder), "--handle", "x", "--source", "nowhere"]) == 2
    rows = pl.read_parquet(folder / "provenance.parquet").with_columns(
        author_id=pl.when(pl.col("source") == tags[0])
        .then(pl.lit(author_id(tags[0], "Someone")))
        .otherwise("author_id")
    )
    rows.write_parquet(folder / "provenance.parquet")
    capsys.readouterr()
    said = printed(["release", "lookup", str(folder), "--handle", "Someone", "--unverified"])
    assert said.splitlines()[-1] == author_id(tags[0], "Someone") and "Someone" not in said
    assert said.count(f" {tags[0]}\n") == rows.filter(source=tags[0]).height


def test_an_author_found_by_handle_is_taken_down_and_old_scores_name_their_version(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for tag, page in PAGES.items():
        (tmp_path / "config/sources").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"config/sources/{tag}.yaml").write_text(yaml.safe_dump(page), encoding="utf-8")
    write_raw(tmp_path / "raw")
    documents = documents_of(tmp_path / "raw", tmp_path / "work")

    def publish(version, takedown=frozenset()):
        write_whole(tmp_path / version / "release", documents, takedown=takedown)
        about = {**ABOUT, "version": version}
        export_public(opened(tmp_path / version / "release"), tmp_path / version / "public", about, SOURCES)

    def said(*command, status=0):
        assert main(list(command)) == status
        return capsys.readouterr().out

    publish("1.0.0")
    tested = documents.filter(source="posts", split="test")["author_id"]
    handle = next(name for n in range(4) if author_id("posts", name := f"poster {n}") in set(tested))
    found = said("release", "lookup", "1.0.0/public", "--handle", handle)
    entry = found.splitlines()[-1]
    assert handle not in found and any(entry.encode() in data for data in contents(tmp_path / "1.0.0").values())
    said("evaluate", "1.0.0/public", "--model", "tfidf", "--out", "old")
    board = said("leaderboard", "old", "--release", "1.0.0/public", "--out", "board")
    assert "not of" not in board and "1.0.0, test split</h1>" in Path("board/index.html").read_text(encoding="utf-8")

    Path("takedown.txt").write_text(found.partition(":\n")[2], encoding="utf-8")
    publish("1.0.1", read_takedown("takedown.txt"))
    assert said("release", "lookup", "1.0.1/public", "--handle", handle, status=1).startswith("Not in")
    assert not any(entry.encode() in data for data in contents(tmp_path / "1.0.1").values())
    old = json.loads(Path("old/tfidf/scores.json").read_text(encoding="utf-8"))["benchmark"]["checksum"][:12]
    stale = f"made on another edition of the test split (version 1.0.0, checksum {old})."
    board = said("leaderboard", "old", "--release", "1.0.1/public", "--out", "board")
    page = Path("board/index.html").read_text(encoding="utf-8")
    assert all("not of public (version 1.0.1, checksum " in text and stale in text for text in (board, page))
    said("evaluate", "1.0.1/public", "--model", "tfidf", "--out", "new")
    board = said("leaderboard", "new", "--release", "1.0.1/public", "--out", "board")
    assert "not of" not in board and "1.0.1, test split</h1>" in Path("board/index.html").read_text(encoding="utf-8")
    assert main(["leaderboard", "new", "old", "--out", "board"]) == 0
    assert f", on version 1.0.0, checksum {old}, not version 1.0.1, " in capsys.readouterr().err
