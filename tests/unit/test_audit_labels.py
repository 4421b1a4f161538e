"""An audit sees one author in all spellings of a label, none in a placeholder, and answers that nothing asks for."""

import unicodedata

import polars as pl
import pytest
from audited import ids_of, release, rows, text, write_csv, write_lines, write_problems
from cases import cases

from authbench.app.api import audit
from authbench.app.cli import main
from authbench.audit.auditing.read import read_dataset
from authbench.core.errors import InputError

SPELLINGS = {
    "a space without a break": lambda label: f"{label}\u00a0",
    "two spaces": lambda label: label.replace(" ", "  "),
    "NFD": lambda label: unicodedata.normalize("NFD", label),
    "a mark of direction": lambda label: f"\u200f{label}",
    "no width": lambda label: f"{label[:2]}\u200b{label[2:]}",
}


def halves(spelled=str):
    """Return texts of six authors for train and for test, the labels in test as they are spelled there."""
    train = [{"author": f"Zoë {k}", "text": text(k, j)} for k in range(6) for j in range(3)]
    test = [{"author": spelled(f"Zoë {k}"), "text": text(k, j)} for k in range(6) for j in range(3, 6)]
    return train, test


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_author_who_is_spelled_otherwise_in_another_split_is_in_both(spelling, tmp_path):
    train, test = halves(SPELLINGS[spelling])
    write_lines(tmp_path / "train.jsonl", train)
    write_lines(tmp_path / "test.jsonl", test)
    found = audit(tmp_path)
    assert found.dataset["authors"] == 6
    assert ids_of(found, "author_in_splits") == ids_of(found, "label_variants") == [f"Zoë {k}" for k in range(6)]
    [variants] = [one for one in found.findings if one.claim == "label_variants"]
    assert all(case.note.isprintable() and case.note.count("'") == 4 for case in variants.cases)


def test_a_work_and_an_account_are_one_in_every_spelling(tmp_path):
    table = [
        {"author": f"w{k}", "text": text(k, j), "split": "test" if j else "train",
         "work": [f"{k}.0", f"{k}"][j], "account": [f"u{k}", f"u{k}\u200b"][j]} for k in range(3) for j in range(2)
    ]  # fmt: skip
    found = audit(write_csv(tmp_path / "x.csv", table))
    assert ids_of(found, "work_in_splits") == ["0", "1", "2"] and ids_of(found, "impure_label") == []
    assert ids_of(found, "label_variants") == ["0", "1", "2", "u0", "u1", "u2"]


def test_one_spelling_of_a_label_is_no_variant(tmp_path):
    for spelled in (str, *SPELLINGS.values()):
        train, _ = halves()
        write_lines(tmp_path / "all.jsonl", [{**row, "author": spelled(row["author"])} for row in train])
        assert ids_of(audit(tmp_path / "all.jsonl"), "label_variants") == []


@pytest.mark.parametrize("kinds", [(pl.Float64, pl.Int64), (pl.Int32, pl.String), (pl.UInt64, pl.Float32)])
def test_numbers_are_one_label_in_every_type(kinds, tmp_path, capsys):
    for split, kind, tables in zip(("train", "test"), kinds, halves(), strict=True):
        table = pl.DataFrame(tables).with_columns(author=pl.col("author").str.slice(4).cast(pl.Int64).cast(kind))
        table.write_parquet(tmp_path / f"{split}.parquet")
    assert main(["audit", str(tmp_path), "--strict"]) == 1
    found = audit(tmp_path)
    assert found.dataset["authors"] == 6
    assert ids_of(found, "author_in_splits") == [str(k) for k in range(6)]
    assert "No leak was found" not in capsys.readouterr().out


def test_numbers_of_which_a_program_lost_digits_are_refused(tmp_path):
    train, test = halves()
    for split, rows_of in (("train", train), ("test", test)):
        numbers = [12345678901234567890 + int(row["author"][4:]) for row in rows_of]
        written = numbers if split == "train" else [float(number) for number in numbers]
        lines = [f"{one},{row['text']}\n" for one, row in zip(written, rows_of, strict=True)]
        (tmp_path / f"{split}.csv").write_text("author,text\n" + "".join(lines))
    with pytest.raises(InputError, match=r"test\.csv: 1 author labels"):
        read_dataset([tmp_path])
    (tmp_path / "test.csv").write_text((tmp_path / "test.csv").read_text().replace("e+19", "e+18", 3))
    with pytest.raises(InputError, match=r"test\.csv: 2 author labels"):
        read_dataset([tmp_path])
    (tmp_path / "test.csv").write_text("author,text\n1e+16,one\nAnn,two\n")
    assert read_dataset([tmp_path / "test.csv"]).documents["author"].n_unique() == 2


def test_placeholders_are_no_authors(tmp_path, capsys):
    nobody = ["[deleted]", "nan", "None", "AutoModerator"]
    table = [
        {"id": f"t{k}-{j}", "author": [*nobody, "x", "2"][k], "text": text(k, j)} for k in range(6) for j in range(6)
    ]
    found = audit(write_lines(tmp_path / "x.jsonl", table))
    assert found.dataset["authors"] == 2
    assert ids_of(found, "no_author") == [f"t{k}-{j}" for k in range(4) for j in range(6)]
    [finding] = [one for one in found.findings if one.claim == "no_author"]
    assert {case.note for case in finding.cases} == {f"says '{label}'" for label in nobody}
    assert main(["audit", str(tmp_path / "x.jsonl"), "--strict"]) == 1
    assert "no_author: 24 cases" in capsys.readouterr().out


def test_pairs_are_by_one_author_however_the_truth_spells_him(tmp_path):
    pairs = [{"id": f"p{k}", "pair": [text(k // 2, k), text(k // 2, k + 50)]} for k in range(4)]
    labels = [["Ann", "Ann "], ["\u200eAnn", "Ann"], ["3.0", "3"], ["3", "nan"]]
    truth = [{"id": f"p{k}", "same": k < 3, "authors": labels[k]} for k in range(4)]
    write_lines(tmp_path / "pan/pairs.jsonl", pairs)
    write_lines(tmp_path / "pan/truth.jsonl", truth)
    found = audit(tmp_path / "pan")
    assert found.dataset["authors"] == 2
    assert ids_of(found, "wrong_truth") == [] and ids_of(found, "no_author") == ["p3/2"]
    assert ids_of(found, "label_variants") == ["3", "Ann"]
    alone = audit(write_lines(tmp_path / "truth.jsonl", truth))
    assert ids_of(alone, "label_variants") == ["3", "Ann"] and ids_of(alone, "wrong_truth") == []


def test_ids_of_a_corpus_without_authors_are_no_labels(tmp_path):
    corpus = [{"_id": one, "text": text(k, 1)} for k, one in enumerate(("3", "3.0"))]
    folder = beir(tmp_path, corpus, "query-id\tcorpus-id\tscore\nq0\t3\t1\nq1\t3.0\t1\n")
    assert read_dataset([folder]).documents["author"].to_list() == ["3", "3.0", "3", "3.0"]


def test_a_truth_of_no_pair_is_found(tmp_path):
    write_lines(tmp_path / "pairs.jsonl", [{"id": f"p{k}", "pair": [text(k, 1), text(k, 2)]} for k in range(3)])
    truth = [{"id": f"p{k}", "same": True, "authors": [f"w{k}", f"w{k}"]} for k in range(5)]
    write_lines(tmp_path / "truth.jsonl", truth)
    assert ids_of(audit(tmp_path), "unasked_truth") == ["p3", "p4"]
    assert main(["audit", str(tmp_path), "--strict"]) == 1


def test_answers_to_no_query_are_found(tmp_path):
    folder = release(tmp_path / "test", rows(4))
    line = {"query_id": "nobody", "author_id": "writer 0", "positive_ids": ["t0-1"], "ignored_ids": []}
    with (folder / "ground_truth.jsonl").open("a") as file:
        file.write(pl.DataFrame([line]).write_ndjson())
    assert ids_of(audit(folder), "unasked_truth") == ["nobody"]
    qrels = "query-id\tcorpus-id\tscore\nq0\td0\t1\nq1\td9\t1\nq7\td2\t1\n"
    found = audit(beir(tmp_path / "beir", [{"_id": f"d{k}", "text": text(k, 1)} for k in range(3)], qrels))
    assert ids_of(found, "unasked_truth") == ["q7"] and ids_of(found, "unknown_answer") == ["d9"]


def test_an_ignored_document_that_is_none_is_found(tmp_path):
    folder = release(tmp_path / "test", rows(4))
    truth = pl.read_ndjson(folder / "ground_truth.jsonl")
    truth.with_columns(ignored_ids=pl.lit(["t3-1", "none such"])).write_ndjson(folder / "ground_truth.jsonl")
    assert ids_of(audit(folder), "unknown_answer") == ["none such"]


def test_a_problem_without_a_truth_is_refused(tmp_path):
    folder = write_problems(tmp_path / "pan15", {f"EN{k:03}": ([text(k, 1)], text(k, 2), True) for k in range(3)})
    lines = (folder / "truth.txt").read_text().splitlines()
    (folder / "truth.txt").write_text("\n".join(lines[:2]) + "\n")
    with pytest.raises(InputError, match="EN002"):
        read_dataset([folder])


def beir(folder, corpus, qrels):
    write_lines(folder / "corpus.jsonl", corpus)
    write_lines(folder / "queries.jsonl", [{"_id": f"q{k}", "text": text(k, 2)} for k in range(2)])
    (folder / "qrels").mkdir()
    (folder / "qrels/test.tsv").write_text(qrels)
    return folder


def test_a_corpus_with_an_id_twice_says_so(tmp_path):
    corpus = [{"_id": f"d{k % 2}", "text": text(k, 1)} for k in range(3)]
    found = audit(beir(tmp_path, corpus, "query-id\tcorpus-id\tscore\nq0\td0\t1\nq1\td1\t1\n"))
    assert ids_of(found, "repeated_id") == ["d0"] and found.dataset["documents"] == 4


@pytest.mark.parametrize("ids", [[12345678901234567890120, 12345678901234567890121], [1, 2], [1.0, 2.0]])
def test_ids_of_a_corpus_keep_their_digits(ids, tmp_path):
    qrels = "query-id\tcorpus-id\tscore\n" + "".join(f"q{k}\t{int(ids[k])}\t1\n" for k in range(2))
    found = audit(beir(tmp_path, [{"_id": ids[k], "text": text(k, 1)} for k in range(2)], qrels))
    assert found.dataset["documents"] == 4 and ids_of(found, "unknown_answer") == []


@cases
def test_judgements_without_their_columns_or_numbers_are_refused(qrels, tmp_path):
    folder = beir(tmp_path, [{"_id": f"d{k}", "text": text(k, 1)} for k in range(2)], qrels)
    with pytest.raises(InputError, match=r"test\.tsv"):
        read_dataset([folder])


@pytest.mark.parametrize("row", [{"_id": 1.5, "text": "a"}, {"_id": ["a"], "text": "a"}, {"_id": "a"}, {"text": "a"}])
def test_a_corpus_without_ids_or_texts_is_refused(row, tmp_path):
    with pytest.raises(InputError, match=r"corpus\.jsonl"):
        read_dataset([beir(tmp_path, [{"_id": "b", "text": "b"}, row], "query-id\tcorpus-id\tscore\nq0\tb\t1\n")])


@pytest.mark.parametrize("column", ["candidate_id", "author_id", "content"])
def test_a_table_of_the_format_with_numbers_for_texts_is_refused(column, tmp_path):
    folder = release(tmp_path / "test", rows(4))
    for config in ("candidates", "queries", "ground_truth"):
        (tmp_path / "hub/data" / config).mkdir(parents=True)
        table = pl.read_ndjson(folder / f"{config}.jsonl")
        if config == "candidates":
            table = table.with_columns(pl.int_range(pl.len()).cast(pl.Float64).alias(column))
        table.write_parquet(tmp_path / "hub/data" / config / "test-00000-of-00001.parquet")
    with pytest.raises(InputError, match=f"the column {column} is of Float64"):
        read_dataset([tmp_path / "hub"])
