"""A plan is what was measured, carried on along straight lines."""

import copy
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from cases import read_cases
from extras import needs
from hypothesis import given
from hypothesis import strategies as st
from sound_release import write_sound

from authbench.app import plan
from authbench.app.cli import main
from authbench.app.plan import HELD, OF_TEXTS, REAL_TEXTS, Corpus, make_plan
from authbench.app.plan_text import as_text
from authbench.app.power import Measured, authors_at_hand, needed_authors, needed_for_mean
from authbench.app.rates import line, read_rates, seconds_to_score
from authbench.build.sample.reservoir import TALLIES
from authbench.config.registry.entries import default_settings
from authbench.core.errors import InputError
from authbench.core.runtime.inventory import MOST_SHARDS
from authbench.core.storage.parquet import write_parquet
from authbench.scoring.metrics.significance import smallest_difference, standard_error_of_mean

ROOT = Path(__file__).parents[2]


def rules(jobs, cpu, peak, whole):
    return {
        "normalize_text": {"jobs": jobs, "cpu_s": cpu, "wall_s": cpu, "peak_mib": peak},
        "link_texts documents": {"jobs": 1, "cpu_s": cpu / 2, "wall_s": cpu, "peak_mib": whole},
        "measure_authors": {"jobs": 1, "cpu_s": cpu / 10, "wall_s": cpu, "peak_mib": whole},
        "write_release": {"jobs": 1, "cpu_s": cpu / 4, "wall_s": cpu, "peak_mib": 100.0 + whole},
    }


def measured_size(documents, expanded, shards, **of_rules):
    sizes = {"characters": 600 * documents, "released": documents // 10, "raw_bytes": 500 * documents}
    disk = {"normalize": 400 * documents, "draft": 120 * documents, "release": 130 * documents, "logs": 10_000 * shards}
    text = {"expanded_bytes": expanded, "text_mb": 90 * documents // 100_000, "shards": shards}
    few = {"scored": 0.1, "rules": {"write_release": {"jobs": 1, "cpu_s": 0.5, "wall_s": 0.5, "peak_mib": 90}}}
    few["disk_bytes"] = {"draft": 60 * documents, "release": 60 * documents}
    measured = {"rules": rules(shards, **of_rules), "disk_bytes": disk, "scored": 0.8, "few": few}
    return {"documents": documents, **sizes, **text, **measured}


RATES = {
    **{"machine": "a machine", "versions": "Python 3", "commit": "abc1234", "cores": 2},
    "sizes": [
        measured_size(100_000, 80_000_000, 2, cpu=12.0, peak=300.0, whole=250.0),
        measured_size(1_000_000, 500_000_000, 8, cpu=102.0, peak=600.0, whole=700.0),
    ],
}
LARGE = Corpus([(100_000_000, 600)], 300_000, 256)


def stage(made, rule):
    return next(stage for stage in made.stages if stage.rule == rule)


def of_measured(rates, size):
    documents = size["documents"]
    return make_plan(Corpus([(documents, size["characters"] / documents)], size["released"], rates["cores"]), rates)


@pytest.mark.parametrize("rates", [RATES, pytest.param(None, id="the project's")])
@pytest.mark.parametrize("place", [0, 1])
def test_the_plan_of_a_measured_size_is_what_was_measured(rates, place):
    rates = dict(read_rates()) if rates is None else rates
    size = rates["sizes"][place]
    made = of_measured(rates, size)
    assert made.shards == size["shards"]
    assert made.raw_bytes == pytest.approx(size["raw_bytes"])
    for one in made.stages:
        measured = size["rules"][one.rule]
        assert one.jobs == measured["jobs"], one.rule
        assert one.cpu == pytest.approx(measured["cpu_s"], abs=1e-6), one.rule
        assert one.peak == pytest.approx(measured["peak_mib"], abs=1e-6), one.rule
    for folder, held in made.disk.items():
        of_real = REAL_TEXTS if folder in OF_TEXTS else 1
        assert held == pytest.approx(size["disk_bytes"][folder] * of_real), folder


def test_text_stages_run_in_shards_and_their_jobs_share_the_cores():
    made = make_plan(LARGE, RATES)
    normalize = stage(made, "normalize_text")
    assert made.shards == normalize.jobs > LARGE.cores
    assert normalize.wall == pytest.approx(-(-made.shards // LARGE.cores) * normalize.cpu / made.shards)


def test_near_copies_are_looked_for_in_as_many_parts_as_the_rules_make():
    assert stage(make_plan(LARGE, RATES), "link_texts documents").jobs == 23


def test_where_it_is_known_what_a_document_takes_memory_grows_by_that():
    peak = stage(make_plan(LARGE, RATES), "link_texts documents").peak
    assert peak == pytest.approx(700 + 99_000_000 * HELD["link_texts"](1) / 2**20)


def test_what_one_process_holds_of_the_whole_corpus_grows_with_it():
    made = make_plan(LARGE, RATES)
    assert stage(made, "measure_authors").jobs == 1
    assert stage(made, "measure_authors").peak == pytest.approx(200 + 100_000_000 * 0.0005)


def test_shards_have_the_same_size_until_they_are_as_many_as_snakemake_plans_quickly():
    fewer, more, most = (
        stage(make_plan(Corpus([(documents, 600)], 300_000, 256), RATES), "normalize_text")
        for documents in (90_000_000, 100_000_000, 200_000_000)
    )
    assert fewer.jobs < more.jobs < most.jobs == MOST_SHARDS
    assert fewer.peak == pytest.approx(more.peak, rel=0.01) and most.peak > 1.2 * more.peak


def test_what_works_on_the_release_does_not_grow_with_the_corpus():
    larger = Corpus([(2 * LARGE.documents, LARGE.mean_chars)], LARGE.released, LARGE.cores)
    one, other = make_plan(LARGE, RATES), make_plan(larger, RATES)
    assert stage(one, "write_release") == stage(other, "write_release")
    for folder in ("draft", "release"):
        assert one.disk[folder] == other.disk[folder]
    assert one.disk["normalize"] < other.disk["normalize"]
    assert "logs" not in one.disk


@pytest.mark.parametrize(("asked", "train", "at"), [("all", 20, 1), (5, 45, 1 / 4), (1, 80, 0), (1, 100, 0)])
def test_what_the_queries_cost_lies_between_few_and_many(asked, train, at):
    """Of an author's 10 documents 5 are queries, in 55 % of the texts: .275, between .1 and .8 as measured."""
    defaults = default_settings()
    sample = {**defaults["sample"], "min_documents_per_author": 2, "max_documents_per_author": 18}
    changed = {"sample": sample, "split": {"splits": {"train": train, "test": 100 - train}}}
    asking = replace(LARGE, settings={**defaults, **changed, "release": {"queries_per_author": asked}})
    one = make_plan(asking, RATES)
    few, many = copy.deepcopy(RATES), make_plan(LARGE, RATES)
    for size in few["sizes"]:
        size["rules"] |= size["few"]["rules"]
        size["disk_bytes"] |= size["few"]["disk_bytes"]
    few = make_plan(LARGE, few)
    costs = [stage(made, "write_release").cpu for made in (few, many, one)]
    held = [made.disk["draft"] for made in (few, many, one)]
    for least, most, found in (costs, held):
        assert found == pytest.approx(least + at * (most - least), abs=1e-6) and least < most


BOOKS = Corpus([(300_000, 400_000)], 150_000, 16)


def test_a_release_of_books_holds_chunks_and_is_no_larger_than_these():
    made = make_plan(BOOKS, RATES)
    assert BOOKS.chunks == 50 * BOOKS.documents and 1_500 < BOOKS.chunk_chars < 2_000
    of_short = make_plan(Corpus([(1e8, BOOKS.chunk_chars)], BOOKS.released, 16), RATES)
    assert made.disk["release"] == pytest.approx(of_short.disk["release"])
    assert made.disk["release"] < 1e9 < 50e9 < made.disk["normalize"]
    assert stage(made, "write_release").cpu == pytest.approx(stage(of_short, "write_release").cpu)


def test_chunks_of_long_documents_are_counted_where_stages_read_them():
    rates = copy.deepcopy(RATES)
    for size in rates["sizes"]:
        size["rules"]["measure_texts"] = size["rules"]["normalize_text"]
        size["rules"]["link_texts chunks"] = size["rules"]["link_texts documents"]
        size["disk_bytes"] |= {"chunk": size["characters"], "dedup": 100 * size["documents"]}
    made = make_plan(BOOKS, rates)
    assert stage(made, "measure_texts").cpu < stage(made, "normalize_text").cpu / 3
    assert stage(made, "link_texts chunks").peak == pytest.approx(700 + 14_000_000 * HELD["link_texts"](1) / 2**20)
    assert stage(made, "link_texts documents").peak < 700
    assert made.disk["chunk"] == pytest.approx(BOOKS.chunks * BOOKS.chunk_chars * REAL_TEXTS)
    assert made.disk["dedup"] == pytest.approx(100 * (BOOKS.documents + BOOKS.chunks) / 2)
    assert Corpus([(1e6, 600)], 1e5, 2).chunks == 1e6 and Corpus([(1e6, 600)], 1e5, 2).chunk_chars == 600


def test_books_among_posts_are_cut_and_their_chunks_are_few_among_the_released():
    posts, books = (1_000_000.0, 500.0), (10_000.0, 20_000.0)
    mixed, of_books = Corpus([posts, books], 1e5, 2), Corpus([books], 1e5, 2)
    assert mixed.documents == 1_010_000
    assert mixed.mean_chars == pytest.approx(700e6 / 1_010_000)
    assert mixed.chunks == pytest.approx(1e6 + of_books.chunks)
    assert mixed.chunks * mixed.chunk_chars == pytest.approx(700e6)
    assert 500 < mixed.chunk_chars < mixed.mean_chars


def test_a_plan_says_what_share_of_the_files_is_enough():
    said = as_text(make_plan(BOOKS, RATES), RATES)
    assert "in 15,000,000 chunks of 1,7" in said and "acquire --share 0.1`" in said and "--documents 3e+04" in said
    assert "--share" not in as_text(make_plan(Corpus([(1e6, 600)], 3e5, 2), RATES), RATES)


def test_a_build_that_keeps_signatures_has_no_rules_and_no_second_texts_for_them():
    rates, cut = read_rates(), default_settings()
    kept = {**cut, "normalize": {**cut["normalize"], "signatures": "keep"}}
    one, other = (make_plan(replace(LARGE, settings=settings), rates) for settings in (cut, kept))
    rules = {stage.rule for stage in one.stages} - {stage.rule for stage in other.stages}
    assert rules == {"count_endings", "find_signatures", "cut_signatures"}
    assert other.disk == {**one.disk, "normalize": one.disk["normalize"] / 2}


@pytest.mark.parametrize("signatures", ["cut", "keep"])
def test_deleted_tables_take_no_more_at_a_time_than_all_of_them(signatures):
    settings = {**default_settings(), "normalize": {"signatures": signatures}}
    kept = make_plan(replace(LARGE, settings=settings), read_rates())
    deleted = make_plan(replace(LARGE, settings={**settings, "keep_tables": False}), read_rates())
    tables = kept.disk.keys() - deleted.disk.keys()
    assert tables == {"ingest", "normalize", "dedup", "chunk"}
    assert max(kept.disk[name] for name in tables) <= deleted.at_once < sum(kept.disk[name] for name in tables)
    assert deleted.raw_bytes < deleted.on_disk < kept.on_disk == kept.raw_bytes + sum(kept.disk.values())


def test_a_plan_says_that_an_early_draw_is_not_counted():
    settings = default_settings()
    drawn = replace(LARGE, settings={**settings, "sample": {**settings["sample"], "early_authors": 2_000}})
    line = "Only 2,000 authors of each source and language"
    assert line in as_text(make_plan(drawn, RATES), RATES) and line not in as_text(make_plan(LARGE, RATES), RATES)


def test_a_plan_has_no_line_for_a_rule_of_under_a_minute():
    made = make_plan(LARGE, RATES)
    one, other, *_ = made.stages
    stages = [replace(one, cpu=59.9), replace(other, cpu=60.0)]
    said = as_text(replace(made, stages=stages), RATES)
    assert f"\n{other.rule} " in said and f"\n{one.rule} " not in said and "\n1 under a minute each" in said
    assert "under a minute" not in as_text(replace(made, stages=stages[1:]), RATES)


def test_a_rule_may_be_in_one_measured_size_only():
    rates = copy.deepcopy(RATES)
    del rates["sizes"][0]["rules"]["measure_authors"]
    assert stage(make_plan(LARGE, rates), "measure_authors").cpu == 10.2


DETOXIFY = {"machine": "a machine", "torch": "2.13.0", "commit": "abc1234", "peak_mib": 1600}
SCORED = RATES | {"detoxify": DETOXIFY | {"cpu_s_by_tokens": {32: 0.1, 64: 0.2, 128: 0.4, 256: 1.0}}}


def test_detoxify_takes_its_time_for_each_released_text_in_jobs_of_2000():
    made = make_plan(LARGE, SCORED, detoxify=True)
    cpu = 300_000 * (0.4 + 22 / 128 * 0.6)
    wall = cpu / 150 * -(-150 // LARGE.cores)
    assert made.stages[-1] == plan.Stage("score_texts, Detoxify", 150, pytest.approx(cpu), pytest.approx(wall), 1600)
    assert "Detoxify scores each released text on one core, its first 256 tokens" in as_text(made, SCORED)
    without = make_plan(LARGE, SCORED)
    assert [one.rule for one in without.stages] == [one.rule for one in made.stages[:-1]]
    assert "Detoxify" not in as_text(without, SCORED)


@pytest.mark.parametrize(("tokens", "seconds"), [(8, 0.025), (32, 0.1), (96, 0.3), (256, 1.0), (2000, 1.0)])
def test_a_text_takes_detoxify_as_long_as_its_tokens_up_to_the_most_that_it_reads(tokens, seconds):
    assert seconds_to_score(tokens, SCORED["detoxify"]["cpu_s_by_tokens"]) == pytest.approx(seconds)


# Rules of other targets, or of settings that are off by default.
UNPLANNED = {
    *("acquire", "all", "release", "index"),  # write no data
    *("acquire_source", "count_raw", "raw_statistics"),  # take the time of downloads and raw files
    *("count_activity", "measure_authors", "draw_authors", "load_scorers", "ask_scores", "score_texts"),  # are off
    *("embed_texts", "evaluate_sanity", "evaluate_model", "join_results", "leaderboard", "tables"),  # depend on models
    "measure_familiarity",
    *("build_pairs", "answer_pairs", "pan", "score_style", "style_report", "train", "train_model", "draw_curves"),
    *("raven", "raven_documents", "raven_topics", "raven_subsets", "raven_answers", "raven_duration", "raven_report"),
    *("bundle_release", "export_release", "publish"),  # copy the release in another form
    *("review", "write_sheets", "review_summary", "sum_up_review"),  # people work longer
    *("human_pairs", "write_pair_sheets", "score_people"),
}


def test_every_rule_of_the_workflow_is_planned_or_left_to_another_target():
    files = [*sorted((ROOT / "workflow/rules").glob("*.smk")), ROOT / "workflow/Snakefile"]
    found = {name for path in files for name in re.findall(r"^rule (\w+):", path.read_text(encoding="utf-8"), re.M)}
    planned = {rule.partition(" ")[0] for rule in plan.RULES}
    assert found == planned | UNPLANNED
    assert not planned & UNPLANNED


def test_a_plan_names_the_rules_that_were_not_measured_and_no_others():
    rates = copy.deepcopy(RATES)
    said = as_text(make_plan(LARGE, rates), rates)
    assert "Not measured, so not counted: ingest_source, count_endings," in said
    measured = {rule: {"jobs": 1, "cpu_s": 1.0, "wall_s": 1.0, "peak_mib": 1.0} for rule in plan.RULES}
    for size in rates["sizes"]:
        size["rules"] = measured
    assert "Not measured" not in as_text(make_plan(LARGE, rates), rates)


@given(
    st.lists(st.tuples(st.floats(1, 1e9), st.floats(0, 1e9)), min_size=1, max_size=3),
    st.floats(1, 1e12),
)
def test_no_cost_is_below_nothing_and_the_ends_are_kept(points, at):
    points.sort()
    assert line(points, at) >= 0
    assert line(points, points[-1][0]) == points[-1][1]


def test_a_cost_that_fell_does_not_fall_further():
    assert line([(1.0, 9.0), (2.0, 4.0)], 10.0) == 4.0


def test_rates_of_one_size_are_refused(tmp_path):
    path = tmp_path / "rates.yaml"
    path.write_text("sizes: [{documents: 1}]\n", encoding="utf-8")
    with pytest.raises(InputError, match="two measured builds"):
        read_rates(path)


def test_the_command_prints_the_plan(capsys):
    assert main(["plan", "--documents", "1e8", "--mean-chars", "600", "--cores", "256"]) == 0
    rates = read_rates()
    assert capsys.readouterr().out == as_text(make_plan(LARGE, rates), rates)


WRONG = [("--documents", "0"), ("--documents", "many"), ("--documents", "1e300"), ("--mean-chars", "-1")]


@pytest.mark.parametrize("wrong", WRONG)
def test_amounts_are_numbers_above_nothing(wrong, capsys):
    given = {"--documents": "1e6", "--mean-chars": "600", "--cores": "2"} | dict([wrong])
    with pytest.raises(SystemExit):
        main(["plan", *(part for pair in given.items() for part in pair)])
    assert wrong[0] in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [".5", "1.5", "0"])
def test_rows_and_bytes_to_fetch_are_whole_numbers(wrong, capsys):
    for name in ("--rows", "--bytes"):
        with pytest.raises(SystemExit):
            main(["sources", "acquire", "arxiv", name, wrong])
        assert name in capsys.readouterr().err.splitlines()[-1]


def test_the_command_takes_kinds_of_documents_with_a_length_of_each(capsys, refused):
    given = ["plan", "--documents", "1e8", "1e6", "--mean-chars", "600", "2e4", "--cores", "2"]
    assert main(given) == 0
    rates = read_rates()
    assert capsys.readouterr().out == as_text(make_plan(Corpus([(1e8, 600), (1e6, 2e4)], 300_000, 2), rates), rates)
    given.remove("2e4")
    assert "--mean-chars: expected 2 numbers" in refused(given)


def test_the_command_counts_detoxify_where_asked(capsys):
    assert main(["plan", "--documents", "1e8", "--mean-chars", "600", "--cores", "256", "--detoxify"]) == 0
    rates = read_rates()
    assert capsys.readouterr().out == as_text(make_plan(LARGE, rates, detoxify=True), rates)
    taken = [seconds for _, seconds in sorted(rates["detoxify"]["cpu_s_by_tokens"].items())]
    assert taken == sorted(taken) and 0.01 < taken[-1] < 60


def test_at_least_one_core_is_needed(capsys):
    assert main(["plan", "--documents", "1e6", "--mean-chars", "600", "--cores", "0"]) == 2
    assert "--cores: expected 1 or more" in capsys.readouterr().err


@needs("detoxify", "toxicity")
def test_a_recipe_states_the_size_of_the_release_and_its_scorers(tmp_path, capsys):
    recipe = tmp_path / "mine.yaml"
    recipe.write_text("name: demo\nsample: {documents: 90000}\nsafety: {scorers: [detoxify]}\n", encoding="utf-8")
    line = "plan --documents 1e7 --mean-chars 600 --cores 8"
    told = []
    for more in ("--release 90000 --detoxify", f"--configfile {recipe}", f"--configfile {recipe} --release 1000", ""):
        assert main([*line.split(), *more.split()]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] and len(set(told)) == 3
    assert main([*line.split(), "--configfile", str(tmp_path / "absent.yaml")]) == 2


# --- how many authors a difference needs ---


@given(st.floats(0.05, 0.5), st.integers(2, 500), st.integers(1, 40), st.floats(0.005, 0.5))
def test_as_many_authors_as_needed_show_the_difference_and_one_fewer_does_not(spread, authors, tests, wanted):
    def shown(number):
        return smallest_difference(spread / math.sqrt(number), tests)

    needed = needed_authors(Measured(authors, shown(authors)), wanted)
    assert shown(needed) <= wanted * (1 + 1e-9)
    assert needed == 1 or shown(needed - 1) > wanted * (1 - 1e-9)


def mean_difference(languages, numbers):
    return standard_error_of_mean(
        [one.difference * math.sqrt(one.authors / numbers[lang]) for lang, one in languages.items()]
    )


SOME = st.builds(Measured, st.integers(10, 60), st.floats(0.02, 0.4))


@given(st.dictionaries(st.sampled_from(["ar", "de", "en", "zh"]), SOME, min_size=1), st.floats(0.02, 0.3))
def test_authors_for_a_mean_reach_it_and_count_alike_wherever_one_is_added(languages, wanted):
    needed = needed_for_mean(languages, wanted)
    assert all(needed[lang] >= one.authors for lang, one in languages.items())
    assert mean_difference(languages, needed) <= wanted * (1 + 1e-6)
    worth = {lang: one.difference * math.sqrt(one.authors) / needed[lang] for lang, one in languages.items()}
    grown = {lang for lang, one in languages.items() if needed[lang] > one.authors}
    for lang in grown:  # each number is rounded up
        assert all(worth[other] <= worth[lang] * (1 + 1.01 / (needed[lang] - 1)) for other in languages)
        fewer = {other: needed[other] - (other in grown) for other in languages}
        assert mean_difference(languages, fewer) > wanted * (1 - 1e-6)


def test_no_language_has_no_mean():
    assert needed_for_mean({}, 0.03) == {}


POWER = read_cases(Path(__file__))["POWER"]


def a_build(folder, power=POWER):
    """The files of a build that `plan --power` reads, with authors of four sources in two shards."""
    write_sound(folder / "release")
    (folder / "leaderboard").mkdir()
    (folder / "leaderboard/power.json").write_text(json.dumps(power), encoding="utf-8")
    (folder / "sample/authors").mkdir(parents=True)
    rows = [
        *(("en", "blogs", number, "account", 5, [1], False) for number in range(40)),
        *(("en", "blogs", 100 + number, "account", 1, [1], False) for number in range(7)),  # too few texts
        *(("en", "books", 200 + number, "person", 4, [1], number < 3) for number in range(9)),  # three only train
        *(("de", "films", 300 + number, "masked", 500, [1], False) for number in range(6)),  # several people each
        *(("de", "posts", 400 + number, "account", 9, [1], False) for number in range(5)),
        *(("fr", "posts", 500 + number, "account", 9, [1], False) for number in range(5)),  # the recipe has no French
    ]
    shards = [rows, [("en", "blogs", 100, "account", 1, [2], False)]]  # with it an author has enough
    for number, shard in enumerate(shards):
        write_parquet(pl.DataFrame(shard, TALLIES, orient="row"), folder / f"sample/authors/{number}.parquet")
    return folder


def test_the_sources_that_have_the_authors_are_counted_as_sampling_counts_them(tmp_path):
    assert authors_at_hand(a_build(tmp_path)).rows() == [("en", "blogs", 41), ("en", "books", 6), ("de", "posts", 5)]


def test_the_command_says_how_many_authors_a_difference_needs(tmp_path, capsys):
    assert main(["plan", "--power", str(a_build(tmp_path)), "--difference", ".06"]) == 0
    told = capsys.readouterr().out.splitlines()
    rows = [line.split(maxsplit=6) for line in told if line[:4] in ("en  ", "de  ")]
    assert rows == [
        ["de", "1", "–", "~84", "–", "5", "posts 5"],
        ["en", "25", "0.120", "100", "100", "47", "blogs 41, books 6"],
    ]
    assert "0.100 over authors, 0.120 over languages (Holm over 4 tests)" in told[0]


@pytest.mark.parametrize(
    ("power", "said"),
    [
        ({"tests": 0}, "no model has auc_matched"),
        ({"tests": 4, "auc_matched": {"authors": 3}}, "not the power.json of a leaderboard"),
        ({"tests": 4, "auc_matched": 3}, "not the power.json of a leaderboard"),
        ({**POWER, "auc_matched": {**POWER["auc_matched"], "difference": None}}, "a spread needs two"),
    ],
)
def test_a_build_that_shows_no_spread_of_authors_is_refused(power, said, tmp_path, refused):
    assert said in refused(["plan", "--power", str(a_build(tmp_path, power))])


def test_a_plan_needs_a_corpus_or_a_build(capsys):
    assert main(["plan", "--documents", "9", "--cores", "1"]) == 2
    assert "--mean-chars and --cores, or --power" in capsys.readouterr().err
