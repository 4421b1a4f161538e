"""What a job asks of a cluster grows with its input and with its attempts, and the profiles agree."""

import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from authbench.app.rates import read_rates, request_to_score
from authbench.build.raw_facts import raw_mb
from authbench.core.runtime.resources import SNAKEMAKE_MB, memory_mb, minutes, released_mb
from authbench.core.storage.raw_paths import FileSet

ROOT = Path(__file__).parents[2]
RATES = ROOT / "benchmarks/rates.yaml"
GROUPING = {"groups", "group-components"}
SOURCES_MEASURED = 3  # of one size
HEADROOM = 1.15


def profile(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))


def rules():
    """The text of every rule, by its name."""
    found = {}
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        blocks = re.split(r"^rule (\w+):$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        found |= dict(zip(blocks[::2], blocks[1::2], strict=True))
    return found


def test_no_name_is_given_a_value_by_two_files_of_rules():
    """All files have one namespace: the later value would take the place of the earlier in functions of the first."""
    given, imported = Counter(), set()
    for path in (ROOT / "workflow/common.smk", *(ROOT / "workflow/rules").glob("*.smk")):
        text = path.read_text(encoding="utf-8")
        given.update(set(re.findall(r"^(\w+) = ", text, re.MULTILINE)))
        for names in re.findall(r"^from .* import (.*)$", text, re.MULTILINE):
            imported |= {name.rpartition(" ")[2] for name in names.split(", ")}
    assert not [name for name, number in given.items() if number > 1 or name in imported]


def asked_by(rule, documents, scored=0.8):
    """The figures in a rule's `memory(…)`: of any input, per MB of it, and per MB of the corpus."""
    (given,) = re.findall(r"mem_mb=(memory\(.*\)),", rules()[rule])
    settings = {"sample": {"documents": documents}}
    known = {"KERNELS": True, "SCORING": SimpleNamespace(mb=0), "SETTINGS": settings, "DOCUMENTS": documents}
    asked = lambda base, per_mb=0.0, per_corpus_mb=0.0: (base, per_mb, per_corpus_mb)  # noqa: E731
    return eval(given, {"memory": asked, "released_mb": released_mb, "SHARE_OF_SCORED": scored, **known})


def test_memory_is_that_of_snakemake_of_the_script_and_of_its_input():
    assert memory_mb(base=300, grown=0, attempt=1) == SNAKEMAKE_MB + 300
    assert memory_mb(base=300, grown=199.5, attempt=1) == SNAKEMAKE_MB + 500


def test_scoring_asks_for_the_model_and_for_the_time_of_the_texts_that_it_scores():
    known = read_rates()["detoxify"]
    slowest = max(known["cpu_s_by_tokens"].values())
    asked = request_to_score(300_000, 1e5)
    assert asked.mb == known["peak_mib"] and asked.batches == (150, 15)
    assert asked.minutes * 60 == pytest.approx(2_000 * slowest)
    assert asked.rest == pytest.approx(300_000 * slowest / 60 / 100)
    assert request_to_score(1, 1e5).batches == (1, 1)
    everything = request_to_score(None, 10.0)
    assert 6_000 * slowest < everything.minutes * 60 * everything.batches[0] < 11_000 * slowest


def test_every_further_attempt_asks_for_twice_as_much():
    asked = [memory_mb(base=300, grown=21.15, attempt=attempt) for attempt in (1, 2, 3)]
    assert asked[1] == pytest.approx(2 * asked[0], abs=1)
    assert asked[2] == pytest.approx(4 * asked[0], abs=3)
    assert [minutes(base=10, grown=10, attempt=attempt) for attempt in (1, 2, 3)] == [20, 40, 80]


def test_compressed_raw_files_count_for_the_text_in_them(tmp_path):
    for name in ("plain/a.jsonl", "packed/a.jsonl.zst", "packed/b.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(bytes(1_000_000))
    sources = {tag: FileSet(tag, ("**/*",)) for tag in ("plain", "packed")}
    inventory = {"plain": {"a.jsonl": ""}, "packed": {"a.jsonl.zst": "", "b.parquet": ""}}
    assert raw_mb(tmp_path, sources, inventory) == {"plain": 1.0, "packed": 8.0}


def test_the_profiles_for_slurm_keep_what_the_default_profile_says():
    default = profile("default")
    for name in ("slurm", "slurm-small"):
        own = profile(name)
        resources = {key: own["resources"].get(key) for key in default["resources"]}
        assert {**{key: own.get(key) for key in default}, "resources": resources} == default


def test_the_profiles_for_slurm_differ_in_their_groups_alone():
    large, small = (
        {key: value for key, value in profile(name).items() if key not in GROUPING} for name in ("slurm", "slurm-small")
    )
    assert large == small


@pytest.mark.parametrize("name", ["slurm", "slurm-small"])
def test_rules_that_are_submitted_together_run_in_series(name):
    """Without `in_series` the members of a group would ask for their cores and memory all at once."""
    for rule in profile(name)["groups"]:
        assert re.search(r"mem_mb=memory\(.*\n +runtime=duration\(.*\n +in_series=1,", rules()[rule]), rule


@pytest.mark.skipif(not RATES.exists(), reason="benchmarks/build.py --rates has not measured yet")
def test_every_rule_asks_for_more_memory_than_it_was_seen_to_take():
    for size in yaml.safe_load(RATES.read_text(encoding="utf-8"))["sizes"]:
        for name, seen in size["rules"].items():
            block = rules()[name.split()[0]]
            shares = {"{scatteritem}": size["shards"], "{source}": SOURCES_MEASURED}
            share = next((count for wildcard, count in shares.items() if wildcard in block.partition("output:")[2]), 1)
            base, per_mb, per_corpus_mb = asked_by(name.split()[0], size["documents"] // 10)
            script_mb = base + (per_mb / share + per_corpus_mb) * size["text_mb"]
            took_mb = seen["peak_mib"] * 2**20 / 1e6
            assert script_mb >= HEADROOM * took_mb, f"{name}, {size['documents']} documents: raise its `memory`"


@pytest.mark.parametrize(
    ("rule", "documents", "scored", "peak_mib"),
    [
        ("assign_splits", 99_999, 0.8, 717),
        ("assign_splits", 214_072, 0.2, 1_073),
        ("assign_splits", 428_150, 0.2, 1_614),
        ("write_release", 428_150, 0.2, 1_602),
        ("write_release", 428_149, 0.8, 3_741),
        ("check_release", 428_150, 0.2, 1_872),
        ("render_report", 428_150, 0.2, 837),
        ("bundle_release", 428_150, 0.2, 1_218),
        ("check_release", 428_149, 0.8, 4_459),
    ],
)
def test_a_rule_asks_for_the_memory_that_releases_were_seen_to_take(rule, documents, scored, peak_mib):
    assert asked_by(rule, documents, scored)[0] >= HEADROOM * peak_mib * 2**20 / 1e6


@pytest.mark.parametrize("rule", ["write_release", "check_release"])
def test_without_a_number_of_documents_the_input_decides(rule):
    assert asked_by(rule, None)[1] > 10 * asked_by(rule, 1)[1]
