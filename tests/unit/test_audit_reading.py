"""A dataset is read alike in every form, or refused by name: no verdict comes of how it was read."""

import bz2
import gzip
import json
import lzma
import os
import shutil
import zipfile
from pathlib import Path

import polars as pl
import pytest
import zstandard
from audited import release
from audited import rows as few
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from authbench.app.api import audit
from authbench.app.cli import main
from authbench.audit.auditing.read import How, read_dataset
from authbench.core.errors import InputError

TEXTS = ["a plain text", "with, a comma", 'a "quoted" word', "two\nlines", "naïve café", "漢字、かな"]
ROWS = [{"id": n, "author": n % 3 + 7, "text": f"{TEXTS[n % 6]} of number {n}", "lang": "en"} for n in range(12)]
BIG = [{"id": n, "author": 2**64 + n % 3, "text": row["text"], "lang": "en"} for n, row in enumerate(ROWS)]


def csv_text(rows, separator=",", end="\n"):
    frame = pl.DataFrame([{name: str(value) for name, value in row.items()} for row in rows])
    return frame.write_csv(separator=separator, line_terminator=end)


def json_lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def parquet(path, rows, author):
    frame = pl.DataFrame(rows, {"id": pl.Int64, "author": pl.Int64, "text": pl.String, "lang": pl.String})
    frame.with_columns(pl.col("author").cast(pl.String).cast(author) if author == pl.Categorical
                       else pl.col("author").cast(author)).write_parquet(path)  # fmt: skip


def zipped(path, name, content, *notes):
    with zipfile.ZipFile(path, "w") as archive:
        for note in notes:
            archive.writestr(note, "{}")
        archive.writestr(f"__MACOSX/._{name}", b"\0")
        archive.writestr(name, content)


FORMS = {
    "CSV": ("x.csv", lambda path, rows: path.write_text(csv_text(rows), encoding="utf-8")),
    "CSV with a mark": ("x.csv", lambda path, rows: path.write_text(csv_text(rows), encoding="utf-8-sig")),
    "CSV with CRLF": ("x.csv", lambda path, rows: path.write_bytes(csv_text(rows, end="\r\n").encode())),
    "semicolons": ("x.csv", lambda path, rows: path.write_text(csv_text(rows, ";"), encoding="utf-8")),
    "TSV": ("x.tsv", lambda path, rows: path.write_text(csv_text(rows, "\t"), encoding="utf-8")),
    "UTF-16": ("x.csv", lambda path, rows: path.write_text(csv_text(rows), encoding="utf-16")),
    "JSON lines": ("x.jsonl", lambda path, rows: path.write_text(json_lines(rows), encoding="utf-8")),
    "blank lines": ("x.ndjson", lambda path, rows: path.write_text("\n" + json_lines(rows) + "\n", encoding="utf-8")),
    "JSON": ("x.json", lambda path, rows: path.write_text(json.dumps(rows), encoding="utf-8")),
    "indented JSON": ("x.json", lambda path, rows: path.write_text(json.dumps(rows, indent=2), encoding="utf-8")),
    "floats in JSON": (
        "x.jsonl",
        lambda path, rows: path.write_text(json_lines([{**row, "author": float(row["author"])} for row in rows])),
    ),
    "gzip": ("x.jsonl.gz", lambda path, rows: path.write_bytes(gzip.compress(json_lines(rows).encode()))),
    "bzip2": ("x.csv.bz2", lambda path, rows: path.write_bytes(bz2.compress(csv_text(rows).encode()))),
    "xz": ("x.csv.xz", lambda path, rows: path.write_bytes(lzma.compress(csv_text(rows).encode()))),
    "Zstandard": ("x.csv.zst", lambda path, rows: path.write_bytes(zstandard.compress(csv_text(rows).encode()))),
    "zip": ("x.zip", lambda path, rows: zipped(path, "x.csv", csv_text(rows).encode())),
    "zip with notes": (
        "x.zip",
        lambda path, rows: zipped(path, "x.csv", csv_text(rows).encode(), "README.txt", "LICENSE", "info.json"),
    ),
    **{
        f"Parquet {kind}": ("x.parquet", lambda path, rows, kind=kind: parquet(path, rows, kind))
        for kind in (pl.Int64, pl.Float64, pl.String, pl.Categorical, pl.Int16, pl.Float32)
    },
}  # fmt: skip


def documents(path):
    found = read_dataset([path])
    assert not found.unreadable
    return found.documents.select("id", "author", "content", "lang").sort("id").rows()


@pytest.mark.parametrize("form", FORMS)
def test_a_table_is_the_same_dataset_in_every_form(form, tmp_path):
    name, write = FORMS[form]
    write(tmp_path / name, ROWS)
    expected = sorted((str(row["id"]), str(row["author"]), row["text"], "en") for row in ROWS)
    assert documents(tmp_path / name) == expected
    (tmp_path / "._x.csv").write_bytes(b"\0")
    assert documents(tmp_path) == expected


@pytest.mark.parametrize("form", ["CSV", "UTF-16", "JSON lines", "JSON", "indented JSON", "zip"])
def test_labels_keep_all_their_digits(form, tmp_path):
    name, write = FORMS[form]
    write(tmp_path / name, BIG)
    assert {author for _, author, _, _ in documents(tmp_path / name)} == {str(2**64 + n) for n in range(3)}


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
@given(one=st.sampled_from(sorted(FORMS)), other=st.sampled_from(sorted(FORMS)), shift=st.integers(0, 3))
def test_findings_do_not_depend_on_form(tmp_path, one, other, shift):
    found = []
    for number, forms in enumerate([("CSV", "CSV"), (one, other)]):
        folder = tmp_path / f"{one}-{other}-{shift}-{number}"
        for split, form, rows in (("train", forms[0], ROWS[: 6 + shift]), ("test", forms[1], ROWS[6 - shift :])):
            (folder / split).mkdir(parents=True, exist_ok=True)
            name, write = FORMS[form]
            write(folder / split / name, rows)
        dataset = read_dataset([folder / "train", folder / "test"])
        found.append(dataset.documents.select("split", "author", "content").rows())
    assert found[0] == found[1]


@cases
def test_what_cannot_be_held_is_refused_by_name(name, content, said, tmp_path, refused):
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    assert said in refused(["audit", str(tmp_path / name)])


@cases
def test_rows_that_cannot_be_read_are_a_finding_and_take_the_verdict_away(name, content, places, tmp_path, capsys):
    another = "c,w\n" if name.endswith("csv") else '{"author": "c", "text": "w"}\n'
    (tmp_path / name).write_text(content + another)
    assert main(["audit", str(tmp_path / name), "--strict", "--out", str(tmp_path / "out")]) == 1
    findings = json.loads((tmp_path / "out/audit.json").read_text())["findings"]
    assert {one["claim"]: one["ids"] for one in findings}["unreadable_rows"] == [f"{name} {place}" for place in places]
    assert "No leak was found: " not in capsys.readouterr().out
    assert main(["audit", str(tmp_path / name), "--clean", str(tmp_path / "clean")]) == 2


def test_a_quotation_mark_that_is_not_matched_swallows_no_rows(tmp_path):
    lines = [f"{n},author{n % 40},{'words of the text ' * 3}{n}" for n in range(840)]
    lines[200] = lines[200].replace(",author", ',"author', 1)
    lines[700] += '",'
    (tmp_path / "x.csv").write_text("nr,author,text\n" + "\n".join(lines) + "\n")
    found = read_dataset([tmp_path / "x.csv"])
    assert found.documents.height + len(found.unreadable) == 840 and len(found.unreadable) == 2


def test_folders_of_one_split_are_configurations_of_which_one_is_chosen(tmp_path):
    for config in ("de", "en"):
        (tmp_path / config).mkdir()
        (tmp_path / config / "train.csv").write_text(csv_text(ROWS))
    with pytest.raises(InputError, match="--config de"):
        read_dataset([tmp_path])
    assert read_dataset([tmp_path], How(config="en")).documents.height == 12
    with pytest.raises(InputError, match="fr"):
        read_dataset([tmp_path], How(config="fr"))


@pytest.mark.parametrize(
    "how", [{"columns": {"author": "x"}}, {"rows": 5}, {"config": "x"}, {"encoding": "latin-1"}, {"data": Path()}]
)
def test_an_option_that_does_not_count_for_a_form_is_refused(tmp_path, how):
    folder = release(tmp_path / "test", few(4))
    assert read_dataset([folder]).documents.height
    with pytest.raises(InputError, match=f"--{next(iter(how)).removesuffix('umns')}"):
        read_dataset([folder], How(**how))


def test_folders_are_splits_where_their_names_are_those_of_splits(tmp_path):
    for split in ("training", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "documents.csv").write_text(csv_text(ROWS))
    assert read_dataset([tmp_path]).splits == ["train", "test"]


def test_tables_without_authors_or_rows_are_passed_over_and_noted(tmp_path):
    (tmp_path / "train.csv").write_text(csv_text(ROWS))
    (tmp_path / "dev.csv").write_text("author,text\n")
    (tmp_path / "validation.jsonl").write_text("")
    (tmp_path / "marked.csv").write_text("\ufeff")
    (tmp_path / "test.csv").write_text("id,text\n1,t\n")
    (tmp_path / "sample_submission.csv").write_text("id,target\n1,0\n")
    found = read_dataset([tmp_path])
    assert found.splits == ["train"] and found.documents.height == 12
    for name in ("dev.csv", "validation.jsonl", "marked.csv", "test.csv", "sample_submission.csv"):
        assert sum(name in note for note in found.notes) == 1


@cases
def test_folders_and_names_of_plain_texts_tell_authors(paths, authors, splits, tmp_path):
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"the text of {path}\n")
    found = read_dataset([tmp_path]).documents
    assert found["author"].sort().to_list() == sorted(authors)
    assert sorted(found["split"].unique()) == splits


def test_texts_whose_authors_cannot_be_told_are_refused(tmp_path):
    (tmp_path / "one.txt").write_text("a")
    (tmp_path / "two.txt").write_text("b")
    with pytest.raises(InputError, match="authors"):
        read_dataset([tmp_path])


def test_columns_without_headings_are_named_by_number(tmp_path):
    (tmp_path / "imdb.txt").write_text('1\tann\ta "text\n2\tbob\tother\n')
    found = read_dataset([tmp_path / "imdb.txt"], How({"author": "2", "content": "3"}))
    assert found.documents.select("author", "content").rows() == [("ann", 'a "text'), ("bob", "other")]


def test_a_reviewer_goes_before_the_name_of_a_product(tmp_path):
    (tmp_path / "x.csv").write_text("name,reviewer,text\nlamp,ann,t\nlamp,bob,u\n")
    assert read_dataset([tmp_path / "x.csv"]).documents["author"].to_list() == ["ann", "bob"]


def test_a_file_whose_name_is_no_utf_8_is_audited(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    path.write_text(json_lines(ROWS))
    audit(path, tmp_path / "out")
    assert (tmp_path / "out/audit.json").is_file()


def test_two_folders_of_one_name_keep_all_texts_in_the_clean_version(tmp_path):
    texts = [" ".join(f"{word}{seed * 37 + n}" for n in range(12)) for seed, word in enumerate("abcdefgh")]
    for number, half in enumerate((texts[:4], texts[4:])):
        (tmp_path / f"{number}/data").mkdir(parents=True)
        rows = [{"author": f"{number} {n % 2}", "text": text} for n, text in enumerate(half)]
        (tmp_path / f"{number}/data/x.csv").write_text(csv_text(rows))
    audit([tmp_path / "0/data", tmp_path / "1/data"], clean=tmp_path / "clean")
    kept = [read_dataset([file]).documents["content"].to_list() for file in sorted((tmp_path / "clean").rglob("*.csv"))]
    assert len(kept) == 2 and sorted(sum(kept, [])) == sorted(texts)


def test_a_link_out_of_a_dataset_is_not_followed_into_a_clean_version(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "secret.csv").write_text(csv_text(ROWS))
    (tmp_path / "data/x.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(InputError, match="link"):
        audit(tmp_path / "data", clean=tmp_path / "clean")
    assert not (tmp_path / "clean").exists()


def test_a_corpus_that_no_answer_names_is_refused_and_a_part_of_it_noted(tmp_path):
    qrels = "query-id\tcorpus-id\tscore\nq0\td0\t1\nq0\td1\t1\n"
    one = {"a": ("", None), "b": ('{"_id":"x","text":"a"}', None), "c": ('{"_id":"d0","text":"a"}', 1)}
    for folder, (corpus, found) in one.items():
        (tmp_path / folder / "qrels").mkdir(parents=True)
        (tmp_path / folder / "corpus.jsonl").write_text(f"{corpus}\n")
        (tmp_path / folder / "queries.jsonl").write_text('{"_id":"q0","text":"b"}\n')
        (tmp_path / folder / "qrels/test.tsv").write_text(qrels)
        if found is None:
            with pytest.raises(InputError):
                read_dataset([tmp_path / folder])
        else:
            assert any("1 answers of test" in note for note in read_dataset([tmp_path / folder]).notes)


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("nothing"), lambda path: path.symlink_to("/dev/zero"),
                                  os.mkfifo, Path.mkdir])  # fmt: skip
def test_what_is_no_file_is_not_left_out_of_a_release(make, tmp_path):
    folder = release(tmp_path / "a/test", few())
    shutil.copytree(folder, tmp_path / "a/train")
    for name in ("candidates.jsonl", "pairs.parquet"):
        (place := tmp_path / "a/train" / name).unlink(missing_ok=True)
        make(place)
        with pytest.raises(InputError, match=name):
            read_dataset([tmp_path / "a"])
        shutil.rmtree(place) if place.is_dir() else place.unlink()


def test_halves_of_characters_are_mended_in_texts_and_refused_in_ids(tmp_path):
    (path := tmp_path / "a.jsonl").write_text('{"author":"Ann","text":"rain \\ud83d"}\n')
    assert read_dataset([path]).documents["content"].to_list() == ["rain \ufffd"]
    path.write_text('{"author":"Ann \\ud83d","text":"rain"}\n')
    with pytest.raises(InputError, match="surrogate"):
        read_dataset([path])


def test_a_table_without_a_text_is_refused(tmp_path):
    (path := tmp_path / "a.jsonl").write_text('{"author":"Ann","text":null}\n' * 3)
    with pytest.raises(InputError, match="holds no text"):
        read_dataset([path])


@pytest.mark.parametrize(("authors", "each", "scored"), [(3, 1, False), (2, 8, True)])
def test_an_audit_that_can_score_nothing_says_so(authors, each, scored, tmp_path, capsys):
    rows = [f"a{author},{'words of the text ' * 3}{author} {text}" for author in range(authors) for text in range(each)]
    (tmp_path / "x.csv").write_text("author,text\n" + "\n".join(rows) + "\n")
    assert main(["audit", str(tmp_path / "x.csv")]) == 0
    assert ("Nothing was scored: " in capsys.readouterr().out) is not scored


def test_texts_by_one_author_are_refused(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("author,text\n" + "".join(f"a,text {number}\n" for number in range(3)))
    assert main(["audit", str(tmp_path / "x.csv"), "--out", str(tmp_path / "out")]) == 2
    assert "one author" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_a_table_in_windows_encoding_is_read_and_damaged_utf8_is_not(tmp_path):
    (path := tmp_path / "a.csv").write_bytes("author,text\nJörg,Grüße aus Köln\nAnn,Rain.\n".encode("cp1252"))
    dataset = read_dataset([path])
    assert dataset.documents["author"].to_list() == ["Jörg", "Ann"] and "cp1252" in "".join(dataset.notes)
    path.write_bytes("author,text\nJörg,Grüße aus Köln\nAnn,Rain".encode() + b"\xe9.\n")
    with pytest.raises(InputError, match="line 3"):
        read_dataset([path])
