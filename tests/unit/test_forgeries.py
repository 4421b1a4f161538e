"""A forged release is caught by the claim that its lie breaks, or nobody could tell; and a sound one is not."""

import json
import shutil
from pathlib import Path

import orjson
import polars as pl
import pytest
from forgeries import FORGERIES, REFUSED, alter_json, read, table, write
from made_once import made_once
from sound_release import CONFIG, documents, write_sound

from authbench.app.cli import main
from authbench.build.release import pool_kernels
from authbench.core.errors import InputError
from authbench.core.identity import author_id, sha256_of_text
from authbench.core.shipped import shipped
from authbench.core.storage.sha256sums import write_sums
from authbench.release.checking import check_release
from authbench.release.checking.settings import check_settings, defaults, merged, read_settings
from authbench.reports.report.verify import check_drawings

DRAWN = {"figures", "report"}  # claims about what is drawn from the rest, which the command checks after it


@pytest.fixture(scope="session")
def sound(request, tmp_path_factory):
    """The release, one for all processes; look at it, and change copies of it only."""
    return made_once("sound", write_sound, request.config, tmp_path_factory)


@pytest.fixture
def copy(sound, tmp_path):
    return Path(shutil.copytree(sound, tmp_path / "release"))


def broken(folder, claim=""):
    found = check_drawings(folder) if claim in DRAWN else check_release(folder)
    return {violation.code: violation for violation in found}


def test_the_release_that_is_forged_is_sound(sound):
    assert check_release(sound) == [] and check_drawings(sound) == []


CLAIM_OF = {
    "matched": "matched_pairs",
    "topic_matched": "topic_pairs",
    "topic_adversarial": "adversarial_pairs",
    "time_matched": "time_pairs",
    "topic_time": "time_pairs",
}
ADA, JANE = author_id("blog_authorship", "Ada Lovelace"), author_id("babel_briefings", "Jane Roe")


@pytest.mark.parametrize(
    "settings",
    [
        {"queries_in_candidates": False},
        {"positives": "any"},
        {"queries_per_author": 1},
        {"ids": "sorted"},
        {"topic": "words"},
        {"takedown": frozenset({ADA})},
        {"takedown": frozenset({ADA, JANE}), "queries_in_candidates": False},
    ],
    ids=["disjoint", "any positives", "one query", "sorted ids", "topics by words", "one taken down", "two taken down"],
)
def test_a_release_of_other_settings_is_sound_where_they_are_granted(settings, tmp_path):
    write_sound(tmp_path, **settings)
    own = {"release": {key: value for key, value in settings.items() if key != "takedown"}}
    assert check_release(tmp_path, own) == [] and check_drawings(tmp_path) == []


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "disjoint"])
def test_a_pool_that_is_left_out_is_missed_whatever_the_form(shared, tmp_path):
    write_sound(tmp_path, queries_in_candidates=shared)
    path = tmp_path / "test/pairs.parquet"
    pairs = pl.read_parquet(path)
    for pool in pairs["pool"].unique():
        pairs.filter(pl.col("pool") != pool).write_parquet(path)
        assert broken(tmp_path).keys() - {"checksum", "statistics", "looser_settings"} == {CLAIM_OF[pool]}, pool


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_release_of_an_earlier_version_has_topics_by_words_and_lengths_balanced_within_equal_topics(
    tmp_path, monkeypatch
):
    for name in ("_kind", "find_near", "find_by_similarity"):  # a compiled loop would not see the change
        monkeypatch.setattr(pool_kernels, name, getattr(pool_kernels, name).py_func)
    kind = pool_kernels._kind
    monkeypatch.setattr(pool_kernels, "_kind", lambda *apart: kind(*apart[:2], 0.0) if any(apart[:2]) else kind(*apart))
    write_sound(tmp_path, topic="words")
    assert {violation.code for violation in check_release(tmp_path)} == {"looser_settings", "topic_pairs", "time_pairs"}
    alter_json(tmp_path / "manifest.json", lambda told: told["config"]["release"].pop("topic"))
    write_sums(tmp_path)
    assert check_release(tmp_path) == []


def test_sorted_ids_are_a_looser_setting_where_they_are_not_granted(tmp_path):
    write_sound(tmp_path, ids="sorted")
    assert [violation.code for violation in check_release(tmp_path)] == ["looser_settings"]


def test_a_release_without_some_texts_and_one_that_keeps_the_ids_of_another_are_sound(tmp_path):
    made = documents()
    texts = frozenset(made.filter(pl.col("doc_key").str.contains("-0"))["content"].map_elements(sha256_of_text))
    write_sound(tmp_path / "less", texts)
    assert check_release(tmp_path / "less") == []
    earlier = made.filter(pl.col("author_id") != JANE)
    write_sound(tmp_path / "earlier", made=earlier)
    lock = json.loads((tmp_path / "earlier/release.lock").read_bytes())
    write_sound(tmp_path / "later", texts, lock)
    assert check_release(tmp_path / "later") == []
    write_sound(tmp_path / "fewer", lock=json.loads((tmp_path / "later/release.lock").read_bytes()), made=earlier)
    assert check_release(tmp_path / "fewer") == []


def test_an_earlier_release_without_years_and_pools_matched_in_time_is_sound(copy):
    FORGERIES["no_time"].forge(copy)
    for path in copy.glob("*/positives.parquet"):
        pl.read_parquet(path).drop("years").write_parquet(path)
    write_sums(copy)
    assert check_release(copy) == []


def test_a_forger_who_changes_nothing_leaves_no_trace(copy):
    write(read(copy), copy)
    assert check_release(copy) == [] and check_drawings(copy) == []


@pytest.mark.parametrize("forgery", [pytest.param(one, id=name) for name, one in FORGERIES.items() if one.claim])
def test_a_forgery_is_caught_by_the_claim_that_it_breaks(forgery, copy):
    forgery.forge(copy)
    if forgery.claim == REFUSED:
        with pytest.raises(InputError):
            check_release(copy)
        return
    found = broken(copy, forgery.claim)
    assert forgery.claim in found, f"{forgery.lie}: {list(found)}"


@pytest.mark.parametrize("forgery", [pytest.param(one, id=name) for name, one in FORGERIES.items() if not one.claim])
def test_what_nobody_can_tell_from_a_release_is_said_to_be_so(forgery, copy):
    assert forgery.undetectable
    forgery.forge(copy)
    assert broken(copy) == {}


def test_at_least_forty_of_forty_five_kinds_are_caught():
    caught = sum(bool(forgery.claim) for forgery in FORGERIES.values())
    assert caught >= 40 and caught / len(FORGERIES) > 40 / 45


# --- settings ---


@pytest.mark.parametrize("recipe", sorted(shipped("config/recipes").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_recipe_grants_its_own_settings(recipe):
    own = read_settings(recipe)
    assert list(check_settings(merged(defaults(), own), own)) == []


def test_a_looser_setting_is_named_with_its_value_the_granted_one_and_the_recipe_that_has_it():
    (paper, letters) = check_settings({"filter": {"preset": "paper", "alphabetic": 0.1}}, {})
    assert paper.note.endswith("granted is 'robust' (as in config/recipes/authbench-300k.yaml)")
    assert letters.note == "filter.alphabetic is 0.1, granted is 0.2"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "0.7", None, True, [0.7], {"a": "b"}])
def test_a_threshold_that_is_no_number_is_looser(value):
    assert [finding.id for finding in check_settings({"split": {"leak_threshold": value}}, {})] == [
        "split.leak_threshold"
    ]


def test_the_command_takes_granted_settings_from_a_file(copy, tmp_path, capsys):
    alter_json(copy / "manifest.json", lambda told: told["config"]["split"].update(leak_threshold=0.75))
    write_sums(copy)
    assert main(["check", str(copy)]) == 1
    assert "split.leak_threshold is 0.75, granted is 0.7" in capsys.readouterr().out
    (tmp_path / "granted.yaml").write_text(json.dumps({**CONFIG, "split": {"leak_threshold": 0.75}}), encoding="utf-8")
    assert main(["check", str(copy), "--config", str(tmp_path / "granted.yaml")]) == 0


def test_settings_whose_keys_are_data_are_replaced_and_others_merged():
    base = {"sample": {"genres": {"zh": {"news": 1}}}, "split": {"containment": {"share": 0.3, "min_chars": 500}}}
    more = {"sample": {"genres": {"zh": {"poetry": 1}}}, "split": {"containment": {"share": 0.2}}}
    assert merged(base, more) == {
        "sample": {"genres": {"zh": {"poetry": 1}}},
        "split": {"containment": {"share": 0.2, "min_chars": 500}},
    }


# --- what the command prints ---


def test_all_ids_of_a_violation_are_in_the_json_and_a_dozen_in_the_text(copy, capsys):
    table = pl.read_parquet(copy / "provenance.parquet").with_columns(toxicity=pl.lit(0.95))
    table.write_parquet(copy / "provenance.parquet")
    write_sums(copy)
    assert main(["check", str(copy), "--json"]) == 1
    (violation,) = orjson.loads(capsys.readouterr().out)["violations"]
    assert violation["ids"] == table["id"].to_list() and violation["count"] == table.height > 12
    assert main(["check", str(copy)]) == 1
    assert f"... and {table.height - 12} more" in capsys.readouterr().out


def test_no_sequence_of_a_release_reaches_the_terminal(copy, capsys):
    (copy / "\x1b]0;owned\x07.csv").write_text("", encoding="utf-8")
    assert main(["check", str(copy)]) == 1
    printed = capsys.readouterr().out
    assert r"\x1b]0;owned\x07.csv is extra" in printed and "\x1b" not in printed


@pytest.mark.parametrize("name", ["bookkeeping_removed", "no_counts", "other_splits", "no_scorer", "targets_met"])
def test_the_command_ends_with_violations_where_drawings_have_nothing_to_be_compared_with(name, copy, capsys):
    FORGERIES[name].forge(copy)
    assert main(["check", str(copy)]) == 1
    assert FORGERIES[name].claim in capsys.readouterr().out


@pytest.mark.parametrize("key", ["config", "raw_lock", "licences", "inputs", "warnings", "takedown"])
@pytest.mark.parametrize("value", [None, {"sources": 3}])
def test_a_manifest_that_is_not_in_its_form_is_refused_or_found(key, value, copy):
    alter_json(copy / "manifest.json", lambda told: told.update({key: value}))
    write_sums(copy)
    assert main(["check", str(copy)]) in (1, 2)


def test_what_a_release_without_bookkeeping_leaves_unchecked_is_said(copy, printed):
    for path in copy.iterdir():
        if path.is_file():
            path.unlink()
        elif path.name in ("statistics", "figures"):
            shutil.rmtree(path)
    said = printed(["check", str(copy)])
    assert [line.split(": ")[1].split(",")[0] for line in said.splitlines()[:-1]] == [
        "settings", "origins", "whether files were changed"
    ]  # fmt: skip


def test_the_documentation_counts_the_forgeries_and_lists_which_stay_hidden():
    page = Path(__file__).parents[2].joinpath("docs/reliability.md").read_text(encoding="utf-8")
    stated = page.partition("## Forgeries")[2]
    caught = sum(bool(forgery.claim) for forgery in FORGERIES.values())
    assert f"{caught} of {len(FORGERIES)} forgeries" in stated
    assert stated.endswith("\n\n" + table())
