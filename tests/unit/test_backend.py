"""`backend: packages`: tiktoken, langid and datasketch do the work, to the same files, and no kernel does."""

import re

import polars as pl
import pytest
from dedup_stage import ORDER, made_up, run_jobs, whole
from defaults import section

from authbench.build.dedup import links, packages, pair_kernels, shingle_kernels
from authbench.build.dedup.jobs.link import link_part
from authbench.build.dedup.jobs.sign import sign_shard
from authbench.build.dedup.similar_pairs import similar_pairs
from authbench.build.filter import language
from authbench.build.filter.measure import measure_texts
from authbench.core import tokens
from authbench.core.runtime.code import closure
from authbench.core.shipped import shipped
from authbench.core.storage.parquet import write_frames
from authbench.reports.raw.count import count_records

DEDUP = section("dedup")
TABLE = made_up(60).with_columns(genre=pl.lit("news"))
PARTS = {
    "kernels": (
        (tokens.Gigatoken, "__init__"),
        (language, "_log_scores"),
        *((shingle_kernels, name) for name in ("sign", "hash_bands", "sketch")),
        (pair_kernels, "unite_buckets"),
    ),
    "packages": (
        (tokens.Tiktoken, "encode"),
        (language, "_langid"),
        *((packages, name) for name in ("signatures", "band_hashes", "sketches", "components")),
    ),
}


def counted(backend, folder):
    tokens.load_tokenizer.cache_clear()
    return [frame.rows() for frame in count_records([TABLE], backend)]


def judged(backend, folder):
    lines = ["The river was cold and the wind had gone to sleep among the reeds by the mill." * 2, "Река!", "川の水"]
    texts = pl.DataFrame({"doc_key": ["a", "b", "c"], "lang": ["de", "en", "zh"], "content": lines})
    found = measure_texts(texts, ["en", "de", "zh", "ru", "ja"], backend)
    assert found["langid"].to_list()[0] == "en"
    return found.rows()


def paired(backend, folder):
    return similar_pairs(TABLE["doc_key"], TABLE["content"], 0.5, backend=backend).rows()


def signed(backend, folder):
    texts, signatures = folder / "texts.parquet", folder / f"{backend}.parquet"
    write_frames(texts, [TABLE])
    sign_shard(texts, signatures, DEDUP, backend)
    found = pl.read_parquet(signatures)
    return found.select(name for name in found.columns if not name.startswith("band_")).rows()


def linked(backend, folder):
    link_part([folder / f"{backend}.parquet"], [], folder / "links.parquet", (0, 1), ORDER, DEDUP, backend)
    assert pl.read_parquet(folder / "links.parquet").height > 5
    return (folder / "links.parquet").read_bytes()


@pytest.mark.parametrize(
    "tasks", [[counted], [judged], [paired], [signed, linked]], ids=lambda tasks: tasks[-1].__name__
)
def test_a_task_is_done_by_the_backend_that_its_job_states_and_by_no_other(tasks, tmp_path):
    expected = {(backend, task): task(backend, tmp_path) for backend in PARTS for task in tasks}
    for asked, other in (("kernels", "packages"), ("packages", "kernels")):
        with pytest.MonkeyPatch.context() as patch:
            for where, name in PARTS[other]:
                patch.setattr(where, name, None)
            for task in tasks:
                assert task(asked, tmp_path) == expected[other, task]
                with pytest.raises(TypeError):
                    task(other, tmp_path)
    tokens.load_tokenizer.cache_clear()


@pytest.mark.parametrize("widest", [1, 1_000])
def test_both_backends_remove_the_same_texts(tmp_path, monkeypatch, widest):
    monkeypatch.setattr(links, "WIDEST", widest)
    done = {name: run_jobs(tmp_path / name, made_up(400), DEDUP, ORDER, 3, 2, backend=name) for name in PARTS}
    files = {
        name: sorted(folder.glob("links/*.parquet")) + [folder / "removed.parquet"] for name, folder in done.items()
    }
    assert [path.read_bytes() for path in files["kernels"]] == [path.read_bytes() for path in files["packages"]]
    assert whole(done["kernels"]) == whole(done["packages"]) and len(files["kernels"]) == 3
    assert pl.read_parquet(files["kernels"][-1]).height > 50


@pytest.mark.parametrize("rows", [1, 2])
def test_a_band_of_any_width_finds_all_texts_and_few_texts_have_no_pair(rows):
    settings = {**DEDUP, "bands": 1, "rows": rows, "threshold": 1.0}
    for texts in ([], ["so"], ["so", "so"], ["so", "no"]):
        pairs = {
            backend: similar_pairs(list(map(str, range(len(texts)))), texts, 1.0, backend=backend).rows()
            for backend in PARTS
        }
        assert pairs["kernels"] == pairs["packages"] and len(pairs["kernels"]) == (texts == ["so", "so"])
        signatures = {b: links_of(texts, settings, b) for b in PARTS}
        assert signatures["kernels"].equals(signatures["packages"])


def links_of(texts, settings, backend):
    from authbench.build.dedup.minhash import draw_permutations
    from authbench.build.dedup.signatures import SKETCH, sign_texts

    given = pl.Series(texts, dtype=pl.String)
    found = sign_texts(given, given, draw_permutations(settings["rows"]), settings, backend)
    sketches = found.select(SKETCH).to_numpy(order="c")
    rows = pl.int_range(len(texts), eager=True).to_numpy()
    return links.link([found["band_0"].to_numpy()], rows, sketches, settings, backend)


# These jobs use what a backend replaces, but make no part of a release by it: the check recounts and verifies as it
# likes, sheets and scores are not of the release, and `compare_texts` only verifies, which no package does.
OTHERWISE = {"check_release", "compare_texts", "raw_statistics", "score_style", "write_sheets"}
REPLACED = {
    f"authbench.{name}" for name in ("core.tokens", "build.filter.language", "build.dedup.links", "build.dedup.minhash")
}


def test_every_job_that_makes_a_release_hands_its_backend_on():
    rules = "".join(path.read_text("utf-8") for path in (shipped("scripts").parent / "rules").glob("*.smk"))
    stating = set(re.findall(r'backend=SETTINGS\["backend"\],\n +code=code\("(\w+)"\)', rules))
    using = {path.stem for path in shipped("scripts").glob("*.py") if REPLACED & closure(path).keys()}
    handing = {path.stem for path in shipped("scripts").glob("*.py") if "params.backend" in path.read_text("utf-8")}
    assert using - OTHERWISE == stating == handing
    assert using >= OTHERWISE and len(stating) == 6
