"""Audits of small datasets in every form, with what is wrong in them planted."""

import gzip
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from audited import SHARED, ids_of, release, rows, text, write_csv, write_lines, write_problems
from cases import cases

from authbench.app.api import audit
from authbench.app.cli import main
from authbench.audit.auditing.clean import removals, write_clean
from authbench.audit.auditing.copies import find_copies
from authbench.audit.auditing.findings import find_in_answers, find_in_texts
from authbench.audit.auditing.page import markdown, render, verdict, write_audit
from authbench.audit.auditing.published import read_scores
from authbench.audit.auditing.read import read_dataset
from authbench.build.labels.decision import BY_CONSTRUCTION
from authbench.core.errors import InputError


def planted():
    """Return rows with a copy of each kind between train and test, and an author in both."""
    table = rows()
    old = [
        {"id": "old-exact", "author": "a", "text": text(90, 1), "split": "train"},
        {"id": "old-near", "author": "b", "text": SHARED, "split": "train"},
        {"id": "old-case", "author": "c", "text": text(91, 1), "split": "train"},
        {"id": "both-1", "author": "in both", "text": text(92, 1), "split": "train"},
        {"id": "old-long", "author": "d", "text": text(93, 1, 200), "split": "train"},
    ]
    new = [
        {"id": "new-exact", "author": "a2", "text": f"{text(90, 1)}  ", "split": "test"},
        {"id": "new-near", "author": "b2", "text": SHARED.replace("number 7", "number 8"), "split": "test"},
        {"id": "new-case", "author": "c2", "text": text(91, 1).upper(), "split": "test"},
        {"id": "both-2", "author": "in both", "text": text(92, 2), "split": "test"},
        {"id": "new-long", "author": "e", "text": text(93, 1, 200)[:900] + text(94, 1, 160), "split": "test"},
    ]
    return [*new, *table, *old]


def test_copies_are_found_with_the_old_document_first(tmp_path):
    found = audit(write_csv(tmp_path / "posts.csv", planted()))
    for claim, old, new in (
        ("exact_copy", "old-exact", "new-exact"),
        ("near_copy", "old-near", "new-near"),
        ("disguised_copy", "old-case", "new-case"),
        ("contained_text", "old-long", "new-long"),
    ):
        [finding] = [one for one in found.findings if one.claim == claim]
        assert [(case.ids, case.old, case.splits) for case in finding.cases] == [((old, new), old, ("train", "test"))]
    assert ids_of(found, "author_in_splits") == ["in both"]
    assert sorted(ids_of(found, "two_labels")) == [
        "new-case",
        "new-exact",
        "new-near",
        "old-case",
        "old-exact",
        "old-near",
    ]


def test_a_clean_dataset_breaks_no_claim_about_leaks(tmp_path):
    table = rows()
    random.Random(1).shuffle(table)
    named = [{**row, "id": f"{random.Random(row['id']).random():.9f}"[2:]} for row in table]
    found = audit(write_csv(tmp_path / "posts.csv", named))
    assert [one.claim for one in found.broken if one.kind in ("leaks", "labels", "form")] == []


def test_the_clean_version_has_no_leak_left_and_the_diff_names_each_removal(tmp_path):
    source = write_csv(tmp_path / "posts.csv", planted())
    audit(source, clean=tmp_path / "clean")
    again = audit(tmp_path / "clean" / "posts.csv")
    leaks = {"exact_copy", "near_copy", "disguised_copy", "contained_text", "author_in_splits", "two_labels"}
    assert leaks & {one.claim for one in again.broken} == set()
    gone = [json.loads(line) for line in (tmp_path / "clean" / "diff.jsonl").read_text().splitlines()]
    left = pl.read_csv(tmp_path / "clean" / "posts.csv")["id"].to_list()
    assert sorted([*left, *(row["id"] for row in gone)]) == sorted(row["id"] for row in planted())
    assert {(row["id"], row["old"]) for row in gone if row["claim"] == "contained_text"} == {("new-long", "old-long")}


def test_a_clean_version_is_never_written_over_something(tmp_path, capsys):
    (tmp_path / "clean").mkdir()
    (tmp_path / "clean" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="there already"):
        audit(posts := write_csv(tmp_path / "posts.csv", planted()), clean=tmp_path / "clean")
    assert main(["audit", str(posts), "--clean", str(tmp_path / "clean")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2  # it is read, and no step comes after
    assert (tmp_path / "clean" / "mine.txt").read_text() == "mine"


def test_rows_score_at_chance_where_nothing_but_words_differs_and_ids_where_they_tell(tmp_path):
    table = [
        {"id": f"{1000 + 3 * author + number}", "author": f"writer {author}", "text": text(author, number)}
        for author in range(40)
        for number in range(3)
    ]
    [measured] = audit(write_csv(tmp_path / "posts.csv", table)).rows
    of = {row["row"]: row["scores"] for row in measured.rows}
    assert of["ids"]["success@5"]["value"] > 0.95 and of["ids"]["success@5"]["above_chance"]
    assert of["order"]["success@5"]["value"] > 0.95
    assert of["random"]["success@5"]["above_chance"] is False
    assert of["metadata"]["success@5"]["value"] < 0.3
    assert ids_of(audit(tmp_path / "posts.csv"), "ids_tell")


def test_a_large_split_is_scored_on_whole_authors_and_says_so(tmp_path):
    path = write_csv(tmp_path / "posts.csv", rows(authors=60))
    [measured] = audit(path, texts=90).rows
    assert measured.about["of"] == 180 and measured.about["texts"] == 90
    assert measured.about["authors"] == 30
    assert measured.rows


def test_one_author_without_splits_gives_no_row_and_says_why(tmp_path):
    table = [{"author": "only", "text": text(1, number)} for number in range(3)]
    [measured] = audit(write_csv(tmp_path / "posts.csv", table)).rows
    assert measured.split == "all" and not measured.rows
    assert "1 authors ask" in measured.left_out[0]
    few = audit(write_csv(tmp_path / "few.csv", rows(authors=3))).rows[0]
    assert {cell["low"] for row in few.rows for cell in row["scores"].values()} == {None}
    assert "no interval" in few.left_out[0]


def test_hostile_ids_are_escaped_on_the_page_and_no_text_is_quoted(tmp_path):
    bad = "<script>alert(1)</script>"
    table = [
        {"id": bad, "author": "=cmd()", "text": text(1, 1)},
        {"id": "=1+1", "author": "<b>x</b>", "text": text(1, 1)},
        *({"id": row["id"], "author": row["author"], "text": row["text"]} for row in rows()),
    ]
    audit(write_csv(tmp_path / "posts.csv", table), tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text()
    assert bad not in page and "&lt;script&gt;" in page
    for name in ("index.html", "audit.json", "audit.md"):
        assert text(1, 1)[:40] not in (tmp_path / "out" / name).read_text()
    assert bad in json.loads((tmp_path / "out" / "audit.json").read_text())["findings"][0]["ids"]


def test_a_text_of_ten_million_characters_is_audited(tmp_path):
    line = f"{text(5, 5, 90)}\n"
    half = "".join(f"{number} {line}" for number in range(5_000_000 // len(line)))
    table = [*rows(), {"id": "huge", "author": "x", "text": half + half, "split": "test"}]
    assert ids_of(audit(write_lines(tmp_path / "posts.jsonl", table)), "self_doubled") == ["huge"]


def test_a_doubled_poem_and_a_text_in_another_language_are_found(tmp_path):
    poem = "The moon has risen\nand hangs over the dark wood\nwhere nobody walks\n"
    spanish = "Los caballos corrían por la llanura mientras el viento traía la lluvia desde las montañas del norte."
    table = [
        {"id": "poem", "author": "a", "text": poem * 2, "lang": "en"},
        {"id": "other", "author": "b", "text": spanish, "lang": "en"},
        {
            "id": "mail",
            "author": "c",
            "text": "Write to me at someone@example.org when you can.",
            "lang": "en",
        },
    ]
    found = audit(write_csv(tmp_path / "posts.csv", table))
    assert ids_of(found, "self_doubled") == ["poem"]
    assert ids_of(found, "language") == ["other"]
    assert ids_of(found, "personal_data") == ["mail"]


def test_labels_of_two_accounts_are_impure(tmp_path):
    table = [{**row, "account": row["author"]} for row in rows(authors=30)]
    table += [
        {"id": f"m{k}", "author": "mask", "text": text(70, k), "split": "test", "account": f"a{k}"} for k in range(4)
    ]
    found = audit(write_csv(tmp_path / "posts.csv", table))
    assert ids_of(found, "impure_label") == ["mask"]
    [noise] = found.noise
    assert noise.as_dict()["estimator"] == "account"


def test_a_page_calls_labels_of_one_account_each_clean_by_construction(tmp_path):
    table = [{**row, "account": row["author"]} for row in rows(authors=30)]
    assert BY_CONSTRUCTION in render(audit(write_csv(tmp_path / "one.csv", table)))
    table[0]["account"] = "another"
    found = audit(write_csv(tmp_path / "two.csv", table))
    assert found.noise[0].as_dict()["decision"] == "clean" and BY_CONSTRUCTION not in render(found)


def test_folders_of_splits_are_one_dataset(tmp_path):
    release(tmp_path / "dev", rows(4))
    release(tmp_path / "test", [{**row, "id": f"u{row['id']}"} for row in rows(4)])
    together = audit([tmp_path / "dev", tmp_path / "test"])
    assert together.dataset["splits"].keys() == {"dev", "test"}
    assert len(ids_of(together, "exact_copy")) == 24
    assert len(ids_of(together, "author_in_splits")) == 4
    assert audit(tmp_path).as_dict()["findings"] == together.as_dict()["findings"]
    assert ids_of(audit(tmp_path / "dev"), "exact_copy") == []


def test_a_clean_split_loses_the_queries_without_an_answer(tmp_path):
    table = rows(6, 2)
    table[1] = {**table[1], "text": table[0]["text"]}
    audit(release(tmp_path / "test", table), clean=tmp_path / "clean")
    queries = [json.loads(line)["query_id"] for line in (tmp_path / "clean" / "queries.jsonl").read_text().splitlines()]
    truth = [
        json.loads(line)["query_id"] for line in (tmp_path / "clean" / "ground_truth.jsonl").read_text().splitlines()
    ]
    assert queries == truth and len(queries) == 5
    assert not audit(tmp_path / "clean").as_dict()["findings"][0]["ids"]


def test_answers_that_contradict_the_documents_are_found(tmp_path):
    folder = release(tmp_path / "test", rows(4))
    truth = [json.loads(line) for line in (folder / "ground_truth.jsonl").read_text().splitlines()]
    truth[0]["positive_ids"] = ["nobody"]
    truth[1]["positive_ids"].append("t3-1")
    write_lines(folder / "ground_truth.jsonl", truth)
    found = audit(folder)
    assert ids_of(found, "unknown_answer") == ["nobody"]
    assert "t3-1" in ids_of(found, "answer_by_another")
    assert ids_of(found, "missing_answer") == ["t3-0", "t3-1", "t3-2"]


def test_every_form_is_read(tmp_path):
    table = rows(4, 2)
    texts = [row["text"] for row in table]
    pairs = [
        {"id": f"p{k}", "fandoms": ["x", "y"], "pair": [texts[2 * k], texts[2 * k + 1 - k % 2 * 2]]} for k in range(4)
    ]
    writers = [f"w{k - k % 2}" for k in range(4)]
    truth = [{"id": f"p{k}", "same": k % 2 == 0, "authors": [f"w{k}", writers[k]]} for k in range(4)]
    write_lines(tmp_path / "pan" / "pairs.jsonl", pairs)
    write_lines(tmp_path / "pan" / "truth.jsonl", truth)
    write_lines(
        tmp_path / "beir" / "corpus.jsonl", [{"_id": row["id"], "title": "", "text": row["text"]} for row in table[4:]]
    )
    write_lines(tmp_path / "beir" / "queries.jsonl", [{"_id": row["id"], "text": row["text"]} for row in table[:4]])
    (tmp_path / "beir" / "qrels").mkdir()
    lines = "".join(f"{table[k]['id']}\t{table[k + 4]['id']}\t1\n" for k in range(4))
    (tmp_path / "beir" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + lines)
    targets = [{"author_id": k, "syms": [text(k, 3)]} for k in range(3)]
    asking = [{**row, "syms": [text(k, 1), text(k, 2)], "action_type": ["a", "b"]} for k, row in enumerate(targets)]
    write_lines(tmp_path / "luar" / "test_queries.jsonl", asking)
    write_lines(tmp_path / "luar" / "test_targets.jsonl", targets)
    steb = [{"text": row["text"], "label": row["author"], "is_query": row["id"].endswith("0")} for row in table]
    write_lines(tmp_path / "steb" / "set.jsonl", steb)
    corpus = {row["id"]: row["text"] for row in table}
    write_mteb(tmp_path / "mteb", corpus, {"q": text(50, 1)}, [("q", table[0]["id"])])
    sizes = {}
    for form in ("pan", "beir", "luar", "steb", "mteb"):
        dataset = read_dataset([tmp_path / form])
        sizes[form] = (dataset.form, dataset.documents.height, dataset.documents["query"].sum())
    assert sizes == {
        "pan": ("PAN pairs", 6, 6),
        "beir": ("BEIR retrieval folder", 8, 4),
        "luar": ("LUAR episodes", 9, 6),
        "steb": ("STEB JSON lines", 8, 4),
        "mteb": ("MTEB retrieval folder", 9, 1),
    }


def test_published_scores_stand_beside_the_rows_that_meet_them(tmp_path):
    table = [{"id": f"{1000 + 3 * author + number}", "author": f"w{author}", "text": text(author, number)}
             for author in range(30) for number in range(3)]  # fmt: skip
    (tmp_path / "scores.csv").write_text("model,S@5,EER\ngood,0.5,0.2\nperfect,1.01,0\n")
    found = audit(write_csv(tmp_path / "posts.csv", table), scores=[tmp_path / "scores.csv"])
    met = {(one["model"], one["score"]): one["shortcuts_as_good"] for one in found.published}
    assert "ids" in met["good", "success@5"]
    assert met["perfect", "success@5"] == []
    rows_below = {(one["model"], one["other"]) for one in found.differences if one["verdict"] == "separable"}
    assert {("good", "ids"), ("good", "random")} <= rows_below and not any("perfect" in pair for pair in rows_below)
    lines, page = verdict(found), markdown(found)
    assert any("of a model and a row that reads no style" in line for line in lines)
    assert "Not told apart from" in page


@pytest.mark.parametrize("content", ["model,EER\nm,.2\n", "\ufeffmodel,EER\r\nm,.2\r\n", "model\tEER\nm\t.2\n"])
def test_published_scores_are_read_alike_whatever_their_ends_of_lines(tmp_path, content):
    name = "scores.tsv" if "\t" in content else "scores.csv"
    (tmp_path / name).write_bytes(content.encode())
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content.encode()))
    for file in (name, f"{name}.gz"):
        assert [(one.model, one.score, one.value) for one in read_scores([tmp_path / file])] == [("m", "eer", 0.2)]


@pytest.mark.parametrize("header", ["model,EER,EER", "model,EER,eer", "nothing,EER,x"])
def test_published_scores_in_two_columns_or_of_no_model_are_refused(tmp_path, header):
    (tmp_path / "scores.csv").write_text(f"{header}\nm,.2,.3\n")
    with pytest.raises(InputError):
        read_scores([tmp_path / "scores.csv"])


def test_a_small_audit_compiles_nothing_and_finds_the_same(tmp_path):
    table, folder = write_csv(tmp_path / "posts.csv", planted()[:30]), tmp_path / "kernels"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "authbench", "audit", str(table), "--out", str(tmp_path / "out")]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert not [*folder.rglob("*.nbc")]
    assert json.loads((tmp_path / "out/audit.json").read_bytes()) == audit(table).as_dict()


def test_authors_with_years_of_their_own_are_told_by_the_date_row_and_texts_without_dates_have_no_such_row(tmp_path):
    table = rows(authors=24)
    dated = [row | {"date": f"{1700 + int(row['author'].split()[1])}"} for row in table]
    [measured] = audit(write_csv(tmp_path / "dated.csv", dated)).rows
    found = {row["row"]: row for row in measured.rows}
    assert found["date"]["shortcut"] and found["date"]["scores"]["success@1"]["value"] == 1
    [measured] = audit(write_csv(tmp_path / "undated.csv", table)).rows
    assert {"metadata", "format"} <= {row["row"] for row in measured.rows} and "date" not in {
        row["row"] for row in measured.rows
    }


def test_the_command_exits_0_1_and_2(tmp_path, capsys):
    path = write_csv(tmp_path / "posts.csv", planted())
    assert main(["audit", str(path), "--out", str(tmp_path / "out")]) == 0
    plain = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert {"claim", "count", "ids"} <= plain["findings"][0].keys()
    assert all(finding["count"] == len(finding["ids"]) for finding in plain["findings"])
    assert {row["row"] for row in plain["rows"]} <= {"random", "metadata", "date", "format", "edges", "content-words",
                                                     "punctuation", "masked", "ids", "order"}  # fmt: skip
    capsys.readouterr()
    to = ["--clean", str(tmp_path / "clean"), "--out", str(tmp_path / "out")]
    assert main(["audit", str(path), "--strict", *to]) == 1
    removed = json.loads((tmp_path / "out" / "audit.json").read_text())["cleaned"]["removed"]
    assert removed and all(number > 0 for number in removed.values())
    assert "order of lines stay as they were there, and still tell authors (ids_tell)" in capsys.readouterr().out
    assert main(["audit", str(path), str(tmp_path / "nowhere")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1, "nothing is announced that cannot begin"


def test_a_handle_in_a_long_table_takes_no_time(tmp_path):
    """Bounded repetitions of all letters made each text a thousand times dearer."""
    table = [{"author": f"w{k % 50}", "text": text(k, 1, 90)} for k in range(2_000)]
    dataset = read_dataset([write_csv(tmp_path / "posts.csv", [*table, {"author": "x", "text": "ask @someone_else"}])])
    assert [case.ids for case in find_in_texts(dataset, None)["personal_data"]] == [("row 2001",)]


def test_charts_are_files_that_the_page_links_to(tmp_path):
    pytest.importorskip("matplotlib")
    write_audit(audit(write_csv(tmp_path / "posts.csv", rows())), tmp_path / "out")
    page = (tmp_path / "out/index.html").read_text()
    linked = set(re.findall(r'href="(figures/[^"]+)"', page))
    files = {f"figures/{path.name}" for path in (tmp_path / "out/figures").iterdir()}
    assert linked == files and {Path(one).suffix for one in files} == {".svg", ".png", ".csv"}
    assert page.count("<svg") == len(files) / 3 > 0
    assert pl.read_csv(tmp_path / "out/figures/success_at_5_test.csv").columns == ["row", "value", "low", "high"]


def test_brief_results_have_counts_and_no_ids(tmp_path):
    write_audit(audit(write_csv(tmp_path / "posts.csv", planted())), tmp_path / "out", brief=True)
    plain = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert plain["findings"][0]["count"] == 2
    assert "new-exact" not in (tmp_path / "out" / "audit.json").read_text()


def test_clean_versions_have_the_form_of_what_they_are_made_from(tmp_path):
    texts = [text(author, number) for author in range(6) for number in range(2)]
    asking = [{"author_id": k, "syms": [texts[2 * k], texts[0]], "hour": [1, 2]} for k in range(6)]
    write_lines(tmp_path / "luar" / "test_queries.jsonl", asking)
    write_lines(
        tmp_path / "luar" / "test_targets.jsonl", [{"author_id": k, "syms": [texts[2 * k + 1]]} for k in range(6)]
    )
    pairs = [{"id": f"p{k}", "fandoms": ["x", "y"], "pair": [texts[2 * k], texts[2 * k + 1]]} for k in range(6)]
    pairs[5] = {**pairs[5], "pair": [texts[0], texts[11]]}
    write_lines(tmp_path / "pan" / "pairs.jsonl", pairs)
    truth = [{"id": f"p{k}", "same": True, "authors": [f"w{k}", f"w{k}"]} for k in range(6)]
    write_lines(tmp_path / "pan" / "truth.jsonl", truth)
    corpus = [{"_id": f"d{k}", "text": texts[2 * k + 1]} for k in range(6)]
    write_lines(tmp_path / "beir" / "corpus.jsonl", [*corpus, {"_id": "again", "text": texts[1]}])
    write_lines(tmp_path / "beir" / "queries.jsonl", [{"_id": f"q{k}", "text": texts[2 * k]} for k in range(6)])
    (tmp_path / "beir" / "qrels").mkdir()
    judged = "".join(f"q{k}\td{k}\t1\n" for k in range(6)) + "q0\tagain\t1\n"
    (tmp_path / "beir" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged)
    for form in ("luar", "pan", "beir"):
        audit(tmp_path / form, clean=tmp_path / f"{form} clean")
        again = audit(tmp_path / f"{form} clean")
        assert again.dataset["form"] == audit(tmp_path / form).dataset["form"]
        assert not {"exact_copy", "two_labels"} & {one.claim for one in again.broken}
    kept = [json.loads(line) for line in (tmp_path / "luar clean" / "test_queries.jsonl").read_text().splitlines()]
    assert all(len(row["syms"]) == len(row["hour"]) for row in kept)
    assert "again" not in (tmp_path / "beir clean" / "qrels" / "test.tsv").read_text()
    assert [json.loads(line)["id"] for line in (tmp_path / "pan clean" / "truth.jsonl").read_text().splitlines()] == [
        "p1", "p2", "p3", "p4"
    ]  # fmt: skip


def write_hub(folder, splits):
    """Write our form on Hugging Face: a release of these rows, and where each text comes from."""
    for split, table in splits.items():
        written = release(folder.parent / f"{folder.name} release" / split, table)
        for config in ("candidates", "queries", "ground_truth"):
            (folder / "data" / config).mkdir(parents=True, exist_ok=True)
            rows_of = pl.read_ndjson(written / f"{config}.jsonl")
            rows_of.write_parquet(folder / "data" / config / f"{split}-00000-of-00001.parquet")
        (folder / "data/provenance").mkdir(parents=True, exist_ok=True)
        origins = [{"id": row["id"], "origin": row.get("origin", row["id"])} for row in table]
        pl.DataFrame(origins).write_parquet(folder / f"data/provenance/{split}-00000-of-00001.parquet")
    return folder


def write_mteb(folder, corpus, queries, judged, lang=""):
    tables = {
        "corpus": {"_id": list(corpus), "title": [""] * len(corpus), "text": list(corpus.values())},
        "queries": {"_id": list(queries), "text": list(queries.values())},
        "default": {
            "query-id": [q for q, _ in judged],
            "corpus-id": [d for _, d in judged],
            "score": [1] * len(judged),
        },
    }
    for config, columns in tables.items():
        (folder / "data" / f"{lang}{config}").mkdir(parents=True)
        pl.DataFrame(columns).write_parquet(folder / "data" / f"{lang}{config}" / "test-00000-of-00001.parquet")
    return folder


def cleaned(source, folder):
    """Write the clean version, in which nothing leaks and all answers hold; return what leaked before, and it."""
    before = read_dataset([source])
    copies = find_copies(before)
    write_clean(before, copies, folder)
    after = read_dataset([folder])
    assert after.form == before.form and removals(after, find_copies(after)) == {}
    assert [case for cases in find_in_answers(after).values() for case in cases] == []
    found = [(old, claim) for claim, old in removals(before, copies).values()]
    return {claim for *_, claim in [*copies.pairs.iter_rows(), *found] if claim}, after


def test_a_clean_hugging_face_folder_has_no_leak_and_keeps_its_provenance(tmp_path):
    train = rows(5)
    test = [
        {**row, "id": f"u{row['id']}", "author": f"new {row['author']}", "text": text(k, 70)}
        for k, row in enumerate(rows(5))
    ]
    test[0] = {**test[0], "text": train[0]["text"]}
    test[4] = {**test[4], "text": train[3]["text"].upper()}
    test[7] = {**test[7], "origin": train[5]["id"]}
    hub = write_hub(tmp_path / "hub", {"train": train, "test": test})
    leaks, _ = cleaned(hub, tmp_path / "clean")
    assert {"exact_copy", "disguised_copy", "work_in_splits"} <= leaks
    gone = {json.loads(line)["id"] for line in (tmp_path / "clean/diff.jsonl").read_text().splitlines()}
    assert {"ut0-0", "ut1-1", "ut2-1"} <= gone
    left = pl.read_parquet(tmp_path / "clean/data/provenance/test-00000-of-00001.parquet")["id"]
    candidates = pl.read_parquet(tmp_path / "clean/data/candidates/test-00000-of-00001.parquet")
    queries = pl.read_parquet(tmp_path / "clean/data/queries/test-00000-of-00001.parquet")
    assert set(left) == {*candidates["candidate_id"], *queries["query_id"]}


def test_a_clean_mteb_folder_has_no_leak_and_no_judgement_of_what_went(tmp_path):
    corpus = {f"d{k}": text(k, 1) for k in range(6)} | {"again": text(2, 1), "near": SHARED, "nearer": f"{SHARED} end"}
    queries = {f"q{k}": text(k, 2) for k in range(6)} | {"q0 again": text(0, 2), "alone": text(30, 1)}
    judged = [(f"q{k}", f"d{k}") for k in range(6)] + [
        ("q2", "again"),
        ("q0 again", "d0"),
        ("alone", "nearer"),
        ("q3", "near"),
    ]
    folder = write_mteb(tmp_path / "mteb", corpus, queries, judged)
    leaks, _ = cleaned(folder, tmp_path / "clean")
    assert {"exact_copy", "near_copy"} <= leaks
    tables = {config: pl.read_parquet(tmp_path / f"clean/data/{config}/test-00000-of-00001.parquet")
              for config in ("corpus", "queries", "default")}  # fmt: skip
    assert set(tables["default"]["corpus-id"]) <= set(tables["corpus"]["_id"])
    assert set(tables["default"]["query-id"]) == set(tables["queries"]["_id"])
    assert tables["corpus"].schema == pl.read_parquet(folder / "data/corpus/test-00000-of-00001.parquet").schema


def test_each_language_of_an_mteb_folder_has_its_splits(tmp_path):
    for start, lang in enumerate(("de-", "en-")):
        corpus = {f"{lang}{k}": text(k, start) for k in range(4)} | {f"{lang}again": text(2, start)}
        judged = [(f"{lang}q{k}", f"{lang}{k}") for k in range(4)]
        write_mteb(tmp_path / "mteb", corpus, {q: text(k, 2 + start) for k, (q, _) in enumerate(judged)}, judged, lang)
    found = read_dataset([tmp_path / "mteb"])
    assert (found.splits, found.documents.height, found.answers.height) == (["de-test", "en-test"], 18, 8)
    leaks, _ = cleaned(tmp_path / "mteb", tmp_path / "clean")
    assert "exact_copy" in leaks and len(list((tmp_path / "clean/data").iterdir())) == 6


def test_clean_lines_of_steb_have_no_leak_and_are_otherwise_the_same_to_the_byte(tmp_path):
    table = [
        {"text": text(author, number), "label": f"w{author}", "is_query": number < 2}
        for author in range(6) for number in range(4)
    ]  # fmt: skip
    table += [
        {"text": text(1, 1), "label": "w1", "is_query": False},
        {"text": text(2, 3), "label": "w4", "is_query": False},
    ]
    lines = write_lines(tmp_path / "steb/set.jsonl", table).read_text().splitlines()
    leaks, _ = cleaned(tmp_path / "steb", tmp_path / "clean")
    assert {"exact_copy", "two_labels"} <= leaks
    kept = (tmp_path / "clean/set.jsonl").read_text().splitlines()
    assert kept == [line for line in lines if line in kept] and 22 <= len(kept) < 26


def test_a_link_out_of_pan_problems_is_not_followed_into_a_clean_version(tmp_path):
    problems = {f"EN{k:03}": ([text(k, 1)], text(k if k % 2 else k + 50, 3), bool(k % 2)) for k in range(4)}
    problems["EN004"] = ([text(3, 1) + " more"], text(40, 1), False)
    folder = write_problems(tmp_path / "pan15", problems)
    (tmp_path / "secret.txt").write_text(text(60, 1))
    (folder / "EN000/known01.txt").unlink()
    (folder / "EN000/known01.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(InputError, match="link"):
        cleaned(folder, tmp_path / "clean")
    assert not (tmp_path / "clean").exists()


def test_encodings_of_pan_problems_are_found_or_refused(tmp_path):
    words = "Ο κόσμος των λέξεων είναι μεγάλος"
    folder = write_problems(tmp_path / "pan15", {"GR000": ([text(0, 1)], text(0, 2), True)})
    for encoding in ("utf-16", "utf-8-sig"):
        (folder / "GR000/unknown.txt").write_bytes(words.encode(encoding))
        assert words in read_dataset([folder]).documents["content"].to_list()
    (folder / "GR000/unknown.txt").write_bytes(words.encode("iso8859-7"))
    with pytest.raises(InputError, match="unknown.txt: is neither UTF-8 nor Windows-1252"):
        read_dataset([folder])


def test_an_empty_split_of_pan_pairs_is_passed_over_and_noted(tmp_path):
    for split, asked in (("dev", []), ("test", [{"id": "1", "same": True}])):
        write_lines(tmp_path / split / "pairs.jsonl", [{"id": row["id"], "pair": ["one", "two"]} for row in asked])
        write_lines(tmp_path / split / "truth.jsonl", asked)
    found = read_dataset([tmp_path])
    assert found.problems.height == 1 and sum("dev" in note for note in found.notes) == 1


def test_folders_of_pan_problems_are_read_and_cleaned(tmp_path):
    problems = {f"EN{k:03}": ([text(k, 1), text(k, 2)], text(k if k % 2 else k + 50, 3), bool(k % 2)) for k in range(6)}
    problems["EN006"] = ([text(3, 1), text(3, 2) + " more"], text(40, 1), False)
    problems["EN007"] = ([text(41, 1)], text(5, 3) + " end", True)
    folder = write_problems(tmp_path / "pan15", problems)
    (folder / "EN001/unknown.txt").write_bytes("Ça va «là», disait-elle.".encode("cp1252"))
    dataset = read_dataset([folder])
    assert dataset.form == "PAN problem folders" and dataset.problems["same"].sum() == 4
    assert dataset.problems.height == 8 and set(dataset.problems["problem"]) == problems.keys()
    texts = dict(dataset.documents.select("id", "content").iter_rows())
    assert texts["EN000/1"] == f"{text(0, 1)}\n\n{text(0, 2)}" and texts["EN001/2"] == "Ça va «là», disait-elle."
    author = dict(dataset.documents.select("id", "author").iter_rows())
    assert author["EN001/1"] == author["EN001/2"] != author["EN000/1"] != author["EN000/2"]
    leaks, _ = cleaned(folder, tmp_path / "clean")
    assert leaks >= {"near_copy"}
    kept = (tmp_path / "clean/truth.txt").read_text(encoding="utf-8").split("\n")[:-1]
    assert {line.split()[0] for line in kept} == {path.name for path in (tmp_path / "clean").iterdir() if path.is_dir()}
    assert 4 <= len(kept) < 8 and (tmp_path / "clean/EN000/known02.txt").read_text(encoding="utf-8") == text(0, 2)


@cases
def test_problems_that_cannot_be_read_are_told(file, content, message, tmp_path):
    folder = write_problems(tmp_path / "pan15", {"EN000": ([text(1, 1), text(1, 2)], text(1, 3), True)})
    (folder / file).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        read_dataset([folder])


def test_the_folder_of_hugging_face_gives_what_the_release_gives(tmp_path):
    one, other = audit(release(tmp_path / "test", rows(6))), audit(write_hub(tmp_path / "hub", {"test": rows(6)}))
    assert other.dataset["form"] == "AuthBench on Hugging Face"
    assert one.as_dict()["findings"] == other.as_dict()["findings"]
    assert one.as_dict()["rows"] == other.as_dict()["rows"]


def test_a_truth_without_texts_is_examined_for_answers_alone(tmp_path):
    rows_of = [{"id": f"p{k}", "same": k % 2 == 0, "authors": [f"w{k}", f"w{k + k % 3 % 2}"]} for k in range(9)]
    found = audit(write_lines(tmp_path / "truth.jsonl", rows_of))
    claims = {"repeated_id", "label_variants", "wrong_truth", "repeated_pair", "one_class"}
    assert {one.claim for one in found.findings} == claims
    assert ids_of(found, "wrong_truth") == [
        row["id"] for row in rows_of if (row["authors"][0] == row["authors"][1]) != row["same"]
    ]
