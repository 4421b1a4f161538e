"""An author is found by handle in a release and its bundle, by the rules of ingestion, without a name in the output."""

from pathlib import Path

import polars as pl
import pytest
from published import PAGES, Published, opened, sources_of
from sound_release import write_sound

from authbench.cli import main
from authbench.errors import InputError
from authbench.identity import author_id
from authbench.lookup import look_up

SOURCES = sources_of(PAGES)


@pytest.mark.parametrize(("tag", "handle"), [("posts", "poster 1"), ("letters", "writer 2"), ("books", "Ann")])
def test_every_spelling_of_a_handle_finds_the_texts_of_its_author(published: Published, tag: str, handle: str) -> None:
    release, bundle = opened(published[1]), opened(published[2])
    rows = release.provenance.filter(author_id=author_id(tag, handle))
    assert rows.height and set(rows["source"]) == {tag}
    for written in (handle, f" {handle}\u00a0", handle.replace(" ", "  ")):
        found = look_up(release, written, SOURCES, None, {})
        assert found["id"].to_list() == rows["id"].to_list()
        assert found.equals(look_up(bundle, written, SOURCES, None, {}))  # the withheld texts, too


def test_another_key_a_stranger_and_a_placeholder_find_none(published: Published) -> None:
    release = opened(published[1])
    assert look_up(release, "poster 1", SOURCES, b"key", {}).is_empty()
    for handle in ("poster 9", "[deleted]", "", "\ud800"):
        assert look_up(release, handle, SOURCES, None, {}).is_empty()
    with pytest.raises(InputError, match="has no text of elsewhere"):
        look_up(release, "Ann", {"elsewhere": SOURCES["posts"]}, None, {})


def test_the_command_gives_the_lines_of_a_takedown_and_no_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "release"
    write_sound(folder)
    tags = pl.read_parquet(folder / "provenance.parquet")["source"].unique().sort().to_list()
    assert main(["lookup", str(folder), "--handle", "Nobody Here"]) == 1
    assert "Nobody" not in "".join(capsys.readouterr())
    assert main(["lookup", str(folder), "--handle", "x", "--source", "nowhere"]) == 2
    rows = pl.read_parquet(folder / "provenance.parquet").with_columns(
        author_id=pl.when(pl.col("source") == tags[0])
        .then(pl.lit(author_id(tags[0], "Someone")))
        .otherwise("author_id")
    )
    rows.write_parquet(folder / "provenance.parquet")
    capsys.readouterr()
    assert main(["lookup", str(folder), "--handle", "Someone", "--unverified"]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == author_id(tags[0], "Someone") and "Someone" not in said
    assert said.count(f" {tags[0]}\n") == rows.filter(source=tags[0]).height
