import json
import re
import shutil
import zipfile

import polars as pl
import pytest
from examples import costly
from hypothesis import given
from hypothesis import strategies as st
from published import (
    ABOUT,
    CONFIG,
    contents,
    documents_of,
    exported,
    lines,
    opened,
    prose,
    publish,
    seal,
    sources_of,
    write_raw,
    write_whole,
)

from authbench.app.cli import main
from authbench.build.chunk.cut import with_final_newline
from authbench.core.errors import InputError
from authbench.core.tokens import load_tokenizer
from authbench.publish.export.run import export_public
from authbench.publish.rebuild.run import rebuild
from authbench.publish.rebuild.texts import single_breaks


def test_a_rebuilt_release_is_the_release_byte_for_byte(published, tmp_path):
    raw, release, public = published
    assert any(row["token_length"] > 100 for row in lines(release / "train/candidates.jsonl"))
    withheld = json.loads((public / "tier_b.json").read_text())["documents"]
    assert withheld > 16  # a long letter is several documents
    assert rebuild(opened(public), raw, tmp_path / "again") == []
    assert contents(tmp_path / "again") == contents(release)


def test_the_disjoint_form_is_rebuilt_too(tmp_path):
    raw, release, public = publish(tmp_path, queries_in_candidates=False)
    assert rebuild(opened(public), raw, tmp_path / "again") == []
    assert contents(tmp_path / "again") == contents(release)


def assert_comes_back(folder, documents):
    write_whole(folder / "release", documents)
    export_public(opened(folder / "release"), folder / "public", ABOUT, sources_of())
    assert rebuild(opened(folder / "public"), folder / "raw", folder / "again") == []
    assert contents(folder / "again") == contents(folder / "release")


def test_texts_that_end_with_a_line_break_come_back_from_the_same_and_from_another_file(tmp_path, monkeypatch):
    monkeypatch.setitem(CONFIG["normalize"], "final_newline", True)
    write_raw(tmp_path / "raw")
    made = documents_of(tmp_path / "raw", tmp_path / "work")
    assert_comes_back(tmp_path, with_final_newline(made, load_tokenizer()))
    with (tmp_path / "raw/letters/all.csv").open("ab") as file:
        file.write(b"99;ad;2020-05-17;Buy now.\n")
    assert rebuild(opened(tmp_path / "public"), tmp_path / "raw", tmp_path / "moved") == []


SIGNS = st.text(st.sampled_from("aé“”\n\t .,<&@-\u00ad\u3000b1"), max_size=30)


@costly(5)
@given(st.lists(SIGNS, min_size=3, max_size=9))
def test_whatever_the_texts_are_the_release_comes_back(tmp_path_factory, endings):
    folder = tmp_path_factory.mktemp("any")
    write_raw(folder / "raw", [(f"writer {n % 2}", f"Text {n} of it{ending}") for n, ending in enumerate(endings)])
    assert_comes_back(folder, documents_of(folder / "raw", folder / "work"))


def test_a_long_text_that_normalising_changes_in_its_midst_comes_back(tmp_path):
    letters = [(f"writer {n % 2}", f"{prose(n, 900)}\u00a0 (a@example.org)  {prose(n + 9, 900)}") for n in range(4)]
    write_raw(tmp_path / "raw", letters)
    documents = documents_of(tmp_path / "raw", tmp_path / "work")
    assert documents.filter(pl.col("doc_key").str.starts_with("letters:0")).height > 3
    assert_comes_back(tmp_path, documents)


def test_a_raw_file_is_known_by_what_it_holds_whatever_its_name(published, tmp_path):
    raw, release, public = published
    shutil.copytree(raw, tmp_path / "raw")
    (tmp_path / "raw/letters/all.csv").rename(tmp_path / "raw/letters/renamed.csv")
    (tmp_path / "raw/letters/another.csv").write_text("nr;writer;date;text\n", encoding="utf-8")
    assert rebuild(opened(public), tmp_path / "raw", tmp_path / "again") == []
    assert contents(tmp_path / "again") == contents(release)


def test_a_raw_file_that_is_there_twice_is_read_once(published, tmp_path):
    raw, release, public = published
    shutil.copytree(raw, tmp_path / "raw")
    shutil.copyfile(raw / "letters/all.csv", tmp_path / "raw/letters/copy.csv")
    assert rebuild(opened(public), tmp_path / "raw", tmp_path / "again") == []
    assert contents(tmp_path / "again") == contents(release)


@pytest.fixture
def without_books(published, tmp_path):
    """The raw folder without the books."""
    shutil.copytree(published[0], tmp_path / "raw")
    (tmp_path / "raw/books/books.zip").unlink()
    return tmp_path / "raw"


def test_what_no_longer_matches_is_named_and_nothing_is_written(published, without_books, tmp_path, capsys):
    command = ["release", "rebuild", str(published[2]), "--raw", str(without_books)]
    assert main([*command, "--out", str(tmp_path / "again")]) == 1
    said = capsys.readouterr()
    assert said.out.count(" of books: no file in ") == 8
    assert "8 texts no longer match" in said.err
    assert not (tmp_path / "again").exists()


def test_a_part_is_a_release_of_what_was_found_and_is_completed_with_the_rest(
    published, without_books, tmp_path, capsys
):
    raw, release, public = published
    command = ["release", "rebuild", str(public), "--raw", str(without_books), "--partial"]
    assert main([*command, "--out", str(tmp_path / "part")]) == 1
    assert "8 texts no longer match; the release of the others is" in capsys.readouterr().err
    part = opened(tmp_path / "part")
    whole = opened(release)
    lost = whole.provenance.filter(pl.col("source") == "books")["id"].to_list()
    assert pl.read_csv(tmp_path / "part/not_found.csv")["id"].to_list() == lost
    assert part.manifest["withheld"]["reasons"] == {"not_found": 8}
    assert part.provenance.equals(whole.provenance.filter(pl.col("source") != "books"))
    for split in whole.splits:
        kept = [row for row in lines(release / split / "candidates.jsonl") if row["candidate_id"] not in lost]
        assert lines(tmp_path / "part" / split / "candidates.jsonl") == kept
    assert rebuild(part, raw, tmp_path / "again") == []
    assert contents(tmp_path / "again") == contents(release)


def test_a_part_with_texts_of_tier_b_is_exported_to_nobody(published, without_books, tmp_path):
    assert len(rebuild(opened(published[2]), without_books, tmp_path / "part", partial=True)) == 8
    with pytest.raises(InputError, match="tier B, which nobody may pass on"):
        exported(tmp_path / "part", "beir", tmp_path / "beir")
    with pytest.raises(InputError, match="is a public bundle already, or a part of a release"):
        export_public(opened(tmp_path / "part"), tmp_path / "bundle", ABOUT, sources_of())


def with_more_letters(raw, edit):
    """Put three letters on top of the others, and change a word."""
    path = raw / "letters/all.csv"
    first, rest = path.read_text("cp1252").split("\n", 1)
    new = [f"{number};writer 1;2021-01-01;A new letter, {number}\n" for number in range(90, 93)]
    path.write_text(f"{first}\n{''.join(new)}{rest.replace(*edit, 1)}", "cp1252")


def test_of_corpora_that_were_crawled_anew_only_texts_that_changed_are_lost(published, tmp_path):
    raw, release, public = published
    shutil.copytree(raw, tmp_path / "raw")
    with_more_letters(tmp_path / "raw", ("Letter” 10;", "Letter” ten;"))
    (tmp_path / "raw/books/books.zip").unlink()
    with zipfile.ZipFile(raw / "books/books.zip") as old, zipfile.ZipFile(tmp_path / "raw/books/new.zip", "w") as new:
        for name in reversed(old.namelist()):
            parts = old.read(name).decode().split("\n* * *\n")
            new.writestr(name, "\n* * *\n".join(part for part in parts if not part.startswith("Part 2")))
    texts = [row for path in release.glob("*/candidates.jsonl") for row in lines(path)]
    changed = [row["candidate_id"] for row in texts if re.search(r"Letter\W* 10;|^Part 2 ", row["content"])]
    unmatched = rebuild(opened(public), tmp_path / "raw", tmp_path / "again")
    assert len(changed) == 3
    assert [one.id for one in unmatched] == sorted(changed)
    assert all("none has the text" in one.reason for one in unmatched)


@pytest.mark.parametrize("all_tried", [0, 2_000_000])
def test_a_part_of_a_long_text_is_found_in_whatever_file_the_text_stands_now(
    published, tmp_path, monkeypatch, all_tried
):
    monkeypatch.setattr("authbench.publish.rebuild.texts.ALL_TRIED", all_tried)
    raw, release, public = published
    shutil.copytree(raw, tmp_path / "raw")
    with_more_letters(tmp_path / "raw", ("A new letter, 91", "Another letter"))
    assert rebuild(opened(public), tmp_path / "raw", tmp_path / "again") == []
    assert contents(tmp_path / "again") == contents(release)


def test_a_record_that_says_something_else_under_a_changed_page_is_named(published, tmp_path):
    raw, _, public = published
    shutil.copytree(public, tmp_path / "public")
    told = json.loads((public / "tier_b.json").read_text())
    told["sources"]["letters"]["clean"] = []
    (tmp_path / "public/tier_b.json").write_text(json.dumps(told))
    seal(tmp_path / "public")
    unmatched = rebuild(opened(tmp_path / "public"), raw, tmp_path / "again")
    assert {one.source for one in unmatched} == {"letters"}
    assert all("something else" in one.reason for one in unmatched)


def test_a_damaged_bundle_gives_no_release(published, tmp_path):
    raw, _, public = published
    shutil.copytree(public, tmp_path / "public")
    path = tmp_path / "public/train/candidates.jsonl"
    path.write_bytes(path.read_bytes().replace(b"Post", b"Past", 1))
    with pytest.raises(InputError, match="train/candidates.jsonl is not what SHA256SUMS says"):
        rebuild(opened(tmp_path / "public"), raw, tmp_path / "again")
    with pytest.raises(InputError, match="train/candidates.jsonl is not what it was"):
        rebuild(opened(tmp_path / "public", unverified=True), raw, tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_a_whole_release_has_nothing_to_rebuild(published, tmp_path):
    raw, release, _ = published
    with pytest.raises(InputError, match="nothing to rebuild"):
        rebuild(opened(release), raw, tmp_path / "again")


@given(st.text(st.sampled_from("a\n"), max_size=12))
def test_runs_of_line_breaks_become_one(text):
    assert single_breaks(text) == re.sub("\n\n+", "\n", text)


def test_a_text_whose_signature_was_cut_comes_back(tmp_path):
    write_raw(tmp_path / "raw", [(f"writer {n % 2}", f"Text {n} of it.\n*ann*") for n in range(6)])
    signed = documents_of(tmp_path / "raw", tmp_path / "work")
    documents = signed.with_columns(pl.col("content").str.strip_suffix("\n*ann*"))
    assert not documents["content"].equals(signed["content"])
    assert_comes_back(tmp_path, documents)
