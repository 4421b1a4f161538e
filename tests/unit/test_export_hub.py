"""The folder for the Hugging Face hub: its card by the hub's rules, pairs and triplets as libraries read them."""

import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
import yaml
from cases import cases
from published import exported, header, lines, opened, seal
from scored_release import evaluated
from split_folder import write_release

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.core.records import primary_genre
from authbench.publish.export import card as hub
from authbench.publish.export.examples import text_pairs, triplet_ids
from authbench.release.format.columns import POOLS
from authbench.reports.leaderboard.collect import collect
from authbench.reports.leaderboard.hub import TASK_SCORES, dataset_of, eval_results, write_eval_results


@pytest.fixture(scope="module")
def folder(paired, tmp_path_factory):
    return exported(paired, "huggingface", tmp_path_factory.mktemp("hub") / "hub", with_tier_b=True)


def test_the_card_keeps_the_rules_of_the_hub(folder):
    import huggingface_hub

    card = huggingface_hub.DatasetCard.load(folder / "README.md")
    data = card.data.to_dict()
    assert data["license"] == ["cc-by-4.0", "other"]
    assert re.fullmatch(r"[a-z0-9.-]+", data["license_name"])
    assert (folder / data["license_link"]).is_file()
    assert data["language"] == ["en"] and all(re.fullmatch(r"[a-z]{2,3}", lang) for lang in data["language"])
    assert set(data["task_categories"]) <= {"text-retrieval", "text-classification", "sentence-similarity"}
    assert data["size_categories"] == ["n<1K"]
    assert data["annotations_creators"] == data["language_creators"] == ["found"]
    names = [config["config_name"] for config in data["configs"]]
    assert len(set(names)) == len(names) and sum("default" in config for config in data["configs"]) == 1
    told = {info["config_name"]: {split["name"]: split for split in info["splits"]} for info in data["dataset_info"]}
    for config in data["configs"]:
        for one in config["data_files"]:
            files = sorted(folder.glob(one["path"]))
            assert files, one
            assert told[config["config_name"]][one["split"]]["num_examples"] == pl.read_parquet(files).height


@cases
def test_terms_that_the_hub_does_not_know_are_other_with_name_and_file(identifiers, stated):
    told = hub.terms(identifiers)
    assert told["license"] == stated
    assert ("license_link" in told) == ("other" in told["license"])


def test_the_terms_of_every_source_are_in_a_file_of_their_own(folder, published):
    told = (folder / "LICENSE.md").read_text(encoding="utf-8")
    assert "| posts | CC BY 4.0 | [`CC-BY-4.0`](https://spdx.org/licenses/CC-BY-4.0.html) |" in told
    for source in ("letters", "books", "posts"):
        assert f"| {source} |" in told
    of_bundle = hub.license_file(opened(published[2]))
    assert "| posts |" in of_bundle and "| letters |" not in of_bundle


def test_eval_yaml_names_the_scores_that_the_leaderboard_gives_and_configurations_that_are_there(
    folder, published, tmp_path
):
    told = yaml.safe_load((folder / "eval.yaml").read_text())
    assert set(told) == {"name", "description", "evaluation_framework", "tasks"}
    assert set(hub.TASKS) == set(TASK_SCORES)
    assert {"auc_matched", "ndcg_at_10"} <= {task["id"] for task in told["tasks"]} <= set(TASK_SCORES)
    for task in told["tasks"]:
        assert (folder / "data" / task["config"] / f"{task['split']}-00000-of-00001.parquet").is_file()
    without = exported(published[1], "huggingface", tmp_path / "without", with_tier_b=True)
    ids = {task["id"] for task in yaml.safe_load((without / "eval.yaml").read_text())["tasks"]}
    assert "auc_matched" not in ids and "ndcg_at_10" in ids


def test_eval_yaml_names_no_task_whose_pairs_are_of_another_split(paired, tmp_path):
    release = Path(shutil.copytree(paired, tmp_path / "release"))
    (release / "test/pairs.parquet").replace(release / "train/pairs.parquet")
    seal(release)
    folder = exported(release, "huggingface", tmp_path / "hub", with_tier_b=True)
    assert (folder / "data/matched").is_dir()
    for task in yaml.safe_load((folder / "eval.yaml").read_text())["tasks"]:
        assert (folder / "data" / task["config"] / f"{task['split']}-00000-of-00001.parquet").is_file()


def texts_of(release, split):
    return {row["candidate_id"]: row for row in lines(release / split / "candidates.jsonl")}


def test_datasets_loads_pairs_pools_with_texts_and_triplets(folder, paired, tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs the extra `publish`")
    loaded = {
        name: datasets.load_dataset(str(folder), name, split=split, cache_dir=str(tmp_path / "cache"))
        for name, split in (("pairs", "test"), ("matched", "test"), ("topic_matched", "test"), ("triplets", "train"))
    }
    released = opened(paired).pairs("test")
    assert loaded["pairs"].num_rows == released.height > 10
    texts = texts_of(paired, "test")
    for pool in ("matched", "topic_matched"):
        rows = list(loaded[pool])
        of_pool = released.filter(pl.col("pool") == pool)
        assert len(rows) == 2 * of_pool["group"].n_unique()
        known = {(group, query, one): same for _, group, query, one, same in of_pool.iter_rows()}
        for row in rows:
            assert known[row["group"], row["id1"], row["id2"]] == (row["label"] == 1)
            assert (row["sentence1"], row["sentence2"]) == (texts[row["id1"]]["content"], texts[row["id2"]]["content"])
        assert sum(row["label"] for row in rows) * 2 == len(rows)
    assert loaded["triplets"].column_names == ["anchor", "positive", "negative"]
    assert loaded["triplets"].num_rows > 3


def test_more_groups_than_are_written_are_chosen_by_a_hash(paired, monkeypatch):
    release = opened(paired)
    matched = release.pairs("test").filter(pl.col("pool") == "matched")
    whole = pl.concat(text_pairs(release, "test", "matched", matched))
    monkeypatch.setattr("authbench.publish.export.examples.MOST_GROUPS", 3)
    monkeypatch.setattr("authbench.publish.export.examples._ROWS", 2)
    some = pl.concat(text_pairs(release, "test", "matched", matched))
    assert some["group"].n_unique() == 3
    assert some.equals(whole.filter(pl.col("group").is_in(some["group"].unique().implode())))


def test_a_triplet_is_of_one_author_s_two_records_and_a_matched_text_of_another(paired):
    provenance = opened(paired).provenance
    known = {row["id"]: row for row in provenance.to_dicts()}
    found = triplet_ids(provenance, 7)
    assert len(found) > 3
    for anchor, positive, negative in (tuple(known[one] for one in ids) for ids in found):
        assert {anchor["split"], positive["split"], negative["split"]} == {"train"}
        assert anchor["author_id"] == positive["author_id"] != negative["author_id"]
        assert anchor["origin"] != positive["origin"]
        for column in ("lang", "source", "length_bucket"):
            assert positive[column] == negative[column]
        assert primary_genre(positive["genre"]) == primary_genre(negative["genre"])
    used = [one for anchor, positive, _ in found for one in (anchor, positive)]
    assert len(set(used)) == len(used)
    assert triplet_ids(provenance.sample(fraction=1, shuffle=True, seed=1), 7) == found
    assert triplet_ids(provenance, 8) != found
    assert triplet_ids(provenance.with_columns(scored=pl.lit(False)), 7) == []


def test_sentence_transformers_trains_a_step_on_the_triplets(folder, tmp_path):
    library = pytest.importorskip("sentence_transformers", reason="needs the extra `models`")
    from datasets import load_dataset
    from sentence_transformers.losses import MultipleNegativesRankingLoss
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    rows = load_dataset(str(folder), "triplets", split="train", cache_dir=str(tmp_path / "cache"))
    words = sorted({word for row in rows for text in row.values() for word in text.split()})
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(["[UNK]", *words])}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    model = library.SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu")
    before = model.encode([rows[0]["anchor"]])
    arguments = library.SentenceTransformerTrainingArguments(
        output_dir=str(tmp_path / "out"),
        max_steps=1,
        per_device_train_batch_size=4,
        report_to=[],
        use_cpu=True,
        learning_rate=0.1,
        save_strategy="no",
        disable_tqdm=True,
    )
    trainer = library.SentenceTransformerTrainer(
        model=model, args=arguments, train_dataset=rows, loss=MultipleNegativesRankingLoss(model)
    )
    trainer.train()
    assert trainer.state.global_step == 1
    assert abs(model.encode([rows[0]["anchor"]]) - before).max() > 0


def test_a_release_without_train_or_pairs_has_no_triplets_and_no_pairs(published, tmp_path):
    provenance = opened(published[1]).provenance
    assert triplet_ids(provenance.filter(pl.col("split") != "train"), 7) == []
    folder = exported(published[1], "huggingface", tmp_path / "hub", with_tier_b=True)
    names = {config["config_name"] for config in header(folder)["configs"]}
    stated = {pool for split in ("dev", "test") for pool in opened(published[1]).pairs(split)["pool"]}
    assert names & {*POOLS} == stated and "matched" not in stated and "triplets" in names


# --- results for the repositories of models ---


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scores")
    release = write_release(folder / "release", authors=44)
    return evaluated(release, folder / "out", "tfidf", "metadata")


def test_the_leaderboard_writes_results_that_the_hub_s_library_reads(scores, tmp_path):
    import huggingface_hub

    board = ["leaderboard", str(scores), "--out", str(tmp_path / "board"), "--hub-dataset", "org/demo"]
    assert main(board) == 0
    (path,) = (tmp_path / "board").rglob(".eval_results/*.yaml")
    assert path.relative_to(tmp_path / "board").as_posix() == "eval_results/tfidf/.eval_results/org--demo.yaml"
    found = huggingface_hub.parse_eval_result_entries(yaml.safe_load(path.read_text()))
    told = json.loads((scores / "tfidf/scores.json").read_text())
    assert {entry.task_id: entry.value for entry in found} == {
        task: value
        for task, value in (("ndcg_at_10", told["overall"]["ndcg@10"]), *_headline(told))
        if value is not None
    }
    assert "ndcg_at_10" in {entry.task_id for entry in found}
    assert {entry.dataset_id for entry in found} == {"org/demo"}
    assert huggingface_hub.eval_result_entries_to_yaml(found) == yaml.safe_load(path.read_text())
    assert f"split test, checksum {told['benchmark']['checksum'][:12]}" in found[0].notes


def _headline(told):
    keys = {"auc_matched": "auc_matched", "auc_topic": "auc_topic", "success_at_5_other_work": "s@5_other_work"}
    return [(task, (told["headline"].get(key) or {}).get("value")) for task, key in keys.items()]


def test_results_on_a_release_that_is_not_verified_say_so_and_a_wrong_id_is_refused(scores, tmp_path):
    results = collect([scores])
    result = next(one for one in results if one.name == "tfidf")
    result.scores["benchmark"].update(verified=False, reason="no checksums")
    assert eval_results(result, "org/demo")[0]["notes"].endswith("not verified: no checksums")
    with pytest.raises(InputError, match="Expected owner/name"):
        write_eval_results(tmp_path, results, "demo")
    assert dataset_of("https://huggingface.co/datasets/org/demo/") == "org/demo"
    assert dataset_of("https://huggingface.co/org/demo") is None
