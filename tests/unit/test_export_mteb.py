"""The form for MTEB, as MTEB itself reads, describes, validates and scores it."""

import hashlib
import importlib
import importlib.util
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from extras import needs
from published import ABOUT, exported, header, lines, opened, seal

from authbench.publish.export.mteb import write_mteb
from authbench.publish.export.mteb_task import dates, domains

pytestmark = needs("mteb", extra="publish")


@pytest.fixture(scope="module", autouse=True)
def mteb():
    return importlib.import_module("mteb")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")


@pytest.fixture(scope="module")
def chinese(published, tmp_path_factory):
    """The release with half of its authors writing Chinese: most in traditional characters, some in simplified."""
    folder = Path(shutil.copytree(published[1], tmp_path_factory.mktemp("chinese") / "release"))
    provenance = pl.read_parquet(folder / "provenance.parquet")
    number = {ident: place for place, ident in enumerate(provenance["id"].sort())}
    author = dict(provenance.select("id", "author_id").iter_rows())
    halves = {one: place % 2 for place, one in enumerate(sorted(set(author.values())))}
    changed = {}
    for split in ("train", "test"):
        for table in ("candidates", "queries"):
            path = folder / split / f"{table}.jsonl"
            rows = lines(path)
            for row in rows:
                ident = row.get("candidate_id") or row["query_id"]
                if halves[author[ident]]:
                    said = "这个国家的语言学" if number[ident] % 3 == 0 else "這個國家的語言學"
                    row |= {"lang": "zh", "content": f"{said}。{number[ident]}"}
                    changed[ident] = row["content"]
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = pl.DataFrame(
        [(ident, "zh", len(text), hashlib.sha256(text.encode()).hexdigest()) for ident, text in changed.items()],
        {"id": pl.String, "lang": pl.String, "char_length": pl.Int32, "content_sha256": pl.String},
        orient="row",
    )
    provenance.update(told, on="id").write_parquet(folder / "provenance.parquet")
    seal(folder)
    return folder


def task_of(folder):
    spec = importlib.util.spec_from_file_location(f"task_{folder.name}_{abs(hash(str(folder)))}", folder / "task.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Authorship()


@pytest.fixture
def folder(chinese, tmp_path):
    write_mteb(tmp_path / "mteb", opened(chinese), ABOUT)
    yield tmp_path / "mteb"


def test_mteb_s_own_validation_passes_and_all_metadata_is_filled(folder):
    metadata = task_of(folder).metadata
    metadata._validate_metadata()
    assert metadata.is_filled()
    assert metadata.descriptive_stats is not None
    assert metadata.n_samples is not None and metadata.n_samples["test"] > 0
    assert isinstance(metadata.simplified_task_type, str)
    assert not metadata.dataset.get("trust_remote_code", False)
    assert metadata.intext_citation().startswith("\\cite{") and " " not in metadata.intext_citation()
    assert metadata.reference == ABOUT["url"]
    assert (metadata.license, metadata.sample_creation, metadata.annotations_creators) == (
        "multiple",
        "found",
        "derived",
    )


def test_a_publisher_without_an_address_refers_to_the_card(chinese, tmp_path):
    write_mteb(tmp_path / "mteb", opened(chinese), {**ABOUT, "url": None, "date": None})
    metadata = task_of(tmp_path / "mteb").metadata
    assert metadata.is_filled()
    assert metadata.reference == (tmp_path / "mteb/README.md").resolve().as_uri()


def test_the_statistics_are_those_that_mteb_calculates(folder):
    task = task_of(folder)
    path = task.metadata.descriptive_stat_path
    assert folder in path.parents
    ours = json.loads(path.read_text())
    path.unlink()
    theirs = task.calculate_descriptive_statistics()
    assert set(ours["test"]["hf_subset_descriptive_stats"]) == {"en", "zh"}
    assert ours == json.loads(json.dumps(theirs))


def test_what_mteb_s_tests_of_quality_refuse_is_not_there(folder):
    """Texts of at most 3 characters, more than 1 % of copies, queries without answers, answers not in the corpus."""
    split = json.loads(next((folder / "descriptive_stats/Retrieval").iterdir()).read_text())["test"]
    for told in (split, *split["hf_subset_descriptive_stats"].values()):
        for part in ("documents", "queries"):
            texts = told[f"{part}_text_statistics"]
            assert texts["min_text_length"] > 3
            assert told[f"num_{part}"] * 0.99 <= texts["unique_texts"] <= told[f"num_{part}"]
        assert told["relevant_docs_statistics"]["min_relevant_docs_per_query"] > 0
        assert told["relevant_docs_statistics"]["unique_relevant_docs"] <= told["num_documents"]


def test_a_language_is_a_subset_whose_texts_are_all_in_it_and_in_the_scripts_named(folder, chinese):
    task = task_of(folder)
    assert task.metadata.eval_langs == {"en": ["eng-Latn"], "zh": ["zho-Hant", "zho-Hans"]}
    task.load_data()
    rows = {row["candidate_id"]: row for row in lines(chinese / "test/candidates.jsonl")}
    answers = {row["query_id"]: set(row["positive_ids"]) for row in lines(chinese / "test/ground_truth.jsonl")}
    seen = 0
    for lang in ("en", "zh"):
        of_lang = {ident for ident, row in rows.items() if row["lang"] == lang}
        part = task.dataset[lang]["test"]
        assert dict(zip(part["corpus"]["id"], part["corpus"]["text"], strict=True)) == {
            ident: rows[ident]["content"] for ident in of_lang
        }
        asked = {query: found & of_lang for query, found in answers.items() if query in of_lang and found & of_lang}
        assert {query: set(found) for query, found in part["relevant_docs"].items()} == asked
        assert set(part["queries"]["id"]) == set(asked)
        seen += len(asked)
    assert seen > 5
    readme = (folder / "README.md").read_text(encoding="utf-8")
    counts = {
        script: sum(("這" in row["content"]) == (script == "Hant") for row in rows.values() if row["lang"] == "zh")
        for script in ("Hant", "Hans")
    }
    assert min(counts.values()) > 0
    for script, number in counts.items():
        assert f"| Chinese | {script} | {number} |" in readme


def test_texts_that_mteb_refuses_as_too_short_are_left_out_and_counted(chinese, tmp_path):
    release = opened(chinese)
    path = Path(shutil.copytree(chinese, tmp_path / "release")) / "test/candidates.jsonl"
    rows = lines(path)
    gone = {row["candidate_id"] for row in rows[:2]}
    path.write_text(
        "".join(json.dumps(row | ({"content": "ok"} if row["candidate_id"] in gone else {})) + "\n" for row in rows)
    )
    short = release.provenance.with_columns(
        char_length=pl.when(pl.col("id").is_in(list(gone))).then(2).otherwise("char_length").cast(pl.Int32)
    )
    short.write_parquet(tmp_path / "release/provenance.parquet")
    write_mteb(tmp_path / "mteb", opened(tmp_path / "release", unverified=True), ABOUT)
    there = {
        ident for file in (tmp_path / "mteb/data").glob("*-corpus/test-*") for ident in pl.read_parquet(file)["_id"]
    }
    assert there == {row["candidate_id"] for row in rows} - gone
    readme = " ".join((tmp_path / "mteb/README.md").read_text(encoding="utf-8").split())
    assert "2 texts of fewer than 4 characters, which MTEB refuses" in readme


def test_the_card_s_link_to_the_terms_is_a_file(folder):
    assert header(folder)["license_link"] == "LICENSE.md"
    assert "| posts | CC BY 4.0 |" in (folder / "LICENSE.md").read_text(encoding="utf-8")


def test_eval_yaml_is_what_mteb_writes_for_the_hub(folder):
    told = (folder / "eval.yaml").read_text()
    assert told == task_of(folder)._create_task_hf_config().to_yaml()
    assert yaml.safe_load(told)["evaluation_framework"] == "mteb"


class Drawn:
    """A model whose vectors are drawn by the text."""

    @property
    def mteb_model_meta(self):
        from mteb.models import ModelMeta

        return ModelMeta.create_empty({"name": "of/hashes", "revision": "1"})

    def encode(self, inputs, **_):
        texts = [text for batch in inputs for text in batch["text"]]
        seeds = [np.frombuffer(text.encode()[:40].ljust(40), np.uint8) for text in texts]
        return np.stack([np.random.default_rng(seed.tolist()).normal(size=32) for seed in seeds]).astype(np.float32)

    def similarity(self, one, other):
        return np.asarray(one) @ np.asarray(other).T

    def similarity_pairwise(self, one, other):
        return (np.asarray(one) * np.asarray(other)).sum(axis=1)


def test_versions_share_neither_name_nor_revision_and_one_cache_tells_them_apart(mteb, published, chinese, tmp_path):
    """The public bundle, the whole release, and the next version, in one cache, score as each does alone."""
    releases = {"public": published[2], "whole": published[1], "next": chinese}
    tasks = {}
    for name, place in releases.items():
        exported(place, "mteb", tmp_path / name, with_tier_b=True)
        tasks[name] = task_of(tmp_path / name)
    assert len({task.metadata.name for task in tasks.values()}) == 3
    assert len({task.metadata.revision for task in tasks.values()}) == 3
    shared = mteb.cache.ResultCache(tmp_path / "results")
    for name, task in tasks.items():
        alone = mteb.evaluate(Drawn(), task_of(tmp_path / name), cache=None).task_results[0].scores
        among = mteb.evaluate(Drawn(), task, cache=shared).task_results[0].scores
        assert [one["main_score"] for one in among["test"]] == [one["main_score"] for one in alone["test"]], name
    exported(published[1], "mteb", tmp_path / "same", with_tier_b=True)
    assert task_of(tmp_path / "same").metadata.name == tasks["whole"].metadata.name


def test_dates_are_days_and_domains_are_mteb_s():
    from mteb.abstasks.task_metadata import TaskDomain

    assert dates(pl.Series([None], dtype=pl.String), "2026-01-31") == ("0001-01-01", "2026-01-31")
    assert dates(pl.Series(["1613", "2024-02"]), None) == ("1613-01-01", "2024-02-29")
    genres = [
        "news",
        "blog/arts",
        "media_reviews",
        "ecommerce_reviews",
        "poetry",
        "literature",
        "letters",
        "research_paper",
    ]
    found = domains(pl.Series([*genres, "social_media"]))
    assert set(found) <= set(TaskDomain.__args__)
    assert {"Blog", "News", "Written", "Fiction", "Academic", "Social"} <= set(found)
    assert domains(pl.Series(["letters"])) == ["Written"]
