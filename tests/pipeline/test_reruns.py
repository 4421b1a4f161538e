"""What reruns when something changes, and what does not."""

import json
from pathlib import Path

import polars as pl
from cases import cases, read_cases
from project import rules_of

from authbench.config.registry.entries import read_yaml
from authbench.core.shipped import shipped

USUAL_MODELS = read_yaml(shipped("config/config.yaml"))["evaluate"]["models"]
RULES = read_cases(Path(__file__))["RULES"]


def named(rules):
    """Return rules and all those of sets that are named among them."""
    return {rule for name in rules for rule in (named(RULES[name]) if name in RULES else [name])}


def setting(old, new):
    def change(text):
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
        return text.replace(old, new)

    return change


def another_function(text):
    return f"{text}\n\ndef added_by_a_test() -> int:\n    return 1\n"


def a_remark_and_another_docstring(text):
    return text.replace('"""', '"""In other words: ', 1) + "\n# A remark.\n"


def first_of(jobs):
    """The rules that run for a reason of their own."""
    return {job.rule for job in jobs if job.first}


def plan_after(bench, path, change):
    with bench.changed(path, change):
        return bench.plan()


def test_a_second_run_has_nothing_to_do(demo):
    assert demo.plan() == []


def test_a_touched_and_moved_checkout_with_its_raw_files_elsewhere_reruns_nothing(demo, tmp_path):
    moved = demo.copy(tmp_path / "elsewhere")
    for path in moved.folder.rglob("*"):
        if path.is_file() and not {".snakemake", "results"} & set(path.parts):
            path.touch()
    (moved.folder / "resources/demo/raw").rename(tmp_path / "raw files")
    (moved.folder / "resources/demo/raw.lock.yaml").rename(tmp_path / "raw files.lock.yaml")
    assert moved.plan("--config", f"raw_dir={tmp_path / 'raw files'}") == []


def test_comments_and_docstrings_rerun_nothing(bench):
    with (
        bench.changed("config/config.yaml", lambda text: f"# A remark.\n{text}"),
        bench.changed("config/sources/douban.yaml", lambda text: f"{text}# A remark.\n"),
        bench.changed("workflow/authbench/core/records.py", a_remark_and_another_docstring),
        bench.changed("workflow/authbench/release/reading/table_csv.py", a_remark_and_another_docstring),
        bench.changed("workflow/scripts/chunk_documents.py", a_remark_and_another_docstring),
    ):
        assert bench.plan() == []


@cases
def test_a_setting_reruns_the_stage_that_reads_it_and_what_follows(bench, settings, first, rules):
    jobs = bench.plan(*bench.recipe(settings))
    assert first_of(jobs) - {"write_release"} <= {*first}  # which states every setting
    assert rules_of(jobs) == named([*rules, *first])


def test_a_changed_duplicate_threshold_signs_no_text_again(bench):
    jobs = bench.plan(*bench.recipe({"dedup": {"threshold": 0.85}}))
    assert "link_texts" in first_of(jobs)
    assert not [job for job in jobs if job.rule == "sign_texts" and "unit=documents" in job.wildcards]


def test_more_bands_sign_every_text_anew(bench):
    jobs = bench.plan(*bench.recipe({"dedup": {"bands": 30}}))
    assert "sign_texts" in first_of(jobs)
    assert not rules_of(jobs) & {"ingest_source", "normalize_text"}


def test_a_changed_source_mapping_ingests_that_source_alone(bench):
    jobs = plan_after(bench, "config/sources/douban.yaml", setting("media_reviews/douban", "media_reviews/other"))
    assert [job.wildcards for job in jobs if job.rule == "ingest_source"] == ["source=douban"]
    assert rules_of(jobs) == named(["EVERY_RULE"])


def test_a_changed_raw_file_ingests_its_source_alone(bench):
    jobs = plan_after(
        bench, "resources/demo/raw/douban/bookreviews_cleaned.txt", lambda text: text + text.splitlines(True)[-1]
    )
    assert [job.wildcards for job in jobs if job.rule == "ingest_source"] == ["source=douban"]


def test_what_a_source_is_about_reruns_the_report_alone(bench):
    jobs = plan_after(bench, "config/sources/douban.yaml", setting("about: The author", "about: Well, the author"))
    assert rules_of(jobs) == {"render_report", "all"}


def test_how_a_source_is_normalised_does_not_ingest_it_again(bench):
    jobs = plan_after(bench, "config/sources/amazon_multi.yaml", setting("{html: 1}", "{html: 2}"))
    assert first_of(jobs) == {"normalize_text"}
    assert "ingest_source" not in rules_of(jobs)


@cases
def test_an_edited_module_reruns_the_stages_that_import_it(bench, module, first):
    assert first_of(plan_after(bench, f"workflow/authbench/{module}", another_function)) == {first}


@cases
def test_an_edited_part_reruns_what_it_makes_alone(bench, path, rules):
    assert rules_of(plan_after(bench, f"workflow/{path}", another_function)) == named(rules)


def test_a_changed_metric_evaluates_anew_and_leaves_the_release_alone(bench):
    jobs = plan_after(bench, "workflow/authbench/scoring/metrics/ranking.py", another_function)
    assert rules_of(jobs) == named(["AFTER_RELEASE"])
    assert first_of(jobs) == {"evaluate_sanity", "evaluate_model"}


@cases
def test_a_model_that_is_added_is_the_only_one_that_embeds_and_is_evaluated(bench, name, rules):
    jobs = bench.plan(*bench.recipe({"evaluate": {"models": [*USUAL_MODELS, name]}}))
    assert rules_of(jobs) == named(rules)
    assert {job.wildcards for job in jobs} - {""} == {f"model={name}"}


def test_a_sanity_row_that_is_added_evaluates_these_rows_alone(bench):
    jobs = bench.plan(*bench.recipe({"evaluate": {"models": [*USUAL_MODELS, "ids"]}}))
    assert rules_of(jobs) == {"evaluate_sanity", "join_results", "leaderboard", "all"}


def test_how_models_are_evaluated_leaves_the_release_alone(bench):
    assert rules_of(bench.plan(*bench.recipe({"evaluate": {"split": "dev"}}))) == named(["AFTER_RELEASE"])
    assert bench.plan("release", *bench.recipe({"evaluate": {"split": "dev", "models": ["tfidf"]}})) == []


def test_an_edited_release_stops_a_build_before_anything_runs(bench):
    with bench.changed("results/demo/release/test/queries.jsonl", lambda text: f"{text}\n"):
        assert "results/demo/release is not as it was published: test/queries.jsonl has changed" in bench.refusal()
    assert bench.plan() == []


def test_a_release_that_is_moved_away_is_published_again_and_evaluated_never(bench):
    bench.release.rename(bench.results / "set aside")
    try:
        assert rules_of(bench.plan()) == {"publish_release", "render_report", "all"}
    finally:
        (bench.results / "set aside").rename(bench.release)


def test_without_models_there_is_a_release_and_no_leaderboard(bench, fresh):
    nothing = {"evaluate": {"models": []}}
    assert bench.plan(*bench.recipe(nothing)) == []
    assert not rules_of(fresh.plan(*fresh.recipe(nothing))) & {
        "embed_texts",
        "evaluate_sanity",
        "evaluate_model",
        "join_results",
        "leaderboard",
    }


def test_an_edited_list_of_words_of_the_users_own_reruns_the_selection(another):
    words = another.folder / "words.yaml"
    words.write_text("en: {terms: {0.9: [zounds]}}\n", encoding="utf-8")
    settings = another.recipe({"safety": {"wordlist": {"extra": str(words)}}})
    another.build("--until", "select_documents", *settings)
    assert another.plan("--until", "select_documents", *settings) == []
    words.write_text("en: {terms: {0.9: [zounds, gadzooks]}}\n", encoding="utf-8")
    assert rules_of(another.plan("--until", "select_documents", *settings)) == {"select_documents"}


def test_an_edited_module_reruns_every_stage_that_imports_it(bench):
    rerun = rules_of(plan_after(bench, "workflow/authbench/build/dedup/shingle_kernels.py", another_function))
    assert rerun >= {"sign_texts", "link_texts", "compare_texts", "assign_splits"}
    assert not rerun & {"ingest_source", "normalize_text"}


def test_a_changed_toxicity_threshold_scores_no_text_twice_and_is_stated_beside_any_lock(another):
    scores, selected = another.results / "sample/scores.parquet", another.results / "sample/selected.parquet"
    before, chosen = pl.read_parquet(scores), selected.read_bytes()
    lock = another.folder / ".snakemake/locks/0.output.lock"  # of another name's run, or left by a crash
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text("results/other/ingest/douban/counts.json\n", encoding="utf-8")
    another.build("--until", "write_release", *another.recipe({"safety": {"threshold": 0.25}}))
    stated = json.loads((another.results / "draft/manifest.json").read_bytes())["config"]
    assert stated["safety"]["threshold"] == 0.25
    after = pl.read_parquet(scores)
    assert after.join(before, on=["scorer", "text"], how="semi").equals(before)
    assert selected.read_bytes() != chosen

    another.build("--until", "select_documents")
    assert pl.read_parquet(scores).equals(after)
    assert selected.read_bytes() == chosen
