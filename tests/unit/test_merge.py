"""Two releases become one: ids and splits stay, what both have is settled, and nothing vanishes."""

import json
import shutil
from dataclasses import replace

import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from published import ABOUT, opened, seal
from sound_release import CONFIG, documents, prose, write_sound

from authbench.app.cli import main
from authbench.build.release.part import possibly_one_by_truth
from authbench.config.registry.load import load_entry
from authbench.config.registry.sources import find_sources
from authbench.core.errors import InputError
from authbench.core.identity import author_id, sha256_of_text
from authbench.core.records import length_bucket_expr
from authbench.core.shipped import shipped
from authbench.core.tokens import load_tokenizer
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache
from authbench.publish.attestation.statement import make_statement
from authbench.publish.export.run import export_public
from authbench.publish.merging.bookkeeping import merged_funnel
from authbench.publish.merging.contents import new_numbers
from authbench.publish.merging.run import merge
from authbench.publish.merging.sides import differing, expect_fitting, merged_config, read_side
from authbench.release.checking import check_release
from authbench.release.checking.settings import merged as laid_over
from authbench.release.checking.settings import read_settings
from authbench.release.format import files
from authbench.release.format.columns import GROUND_TRUTH, MERGED
from authbench.release.format.release import open_complete_release
from authbench.release.format.tables import concat, read_pairs
from authbench.release.format.verify import NO_CHECKSUMS
from authbench.reports.report.verify import check_drawings
from authbench.scoring.evaluation.run import evaluate
from authbench.scoring.evaluation.split import read_split

BLOG = "blog_authorship"


def written(name, split, *texts, origins=None):
    """Blog posts of one author."""
    like = documents().filter(pl.col("source") == BLOG).head(1)
    rows = [
        like.with_columns(
            doc_key=pl.lit(f"{BLOG}:{name}-{place} b"),
            origin_id=pl.lit((origins or {}).get(place, f"{BLOG}:{name}-{place} b")),
            author_id=pl.lit(author_id(BLOG, name)),
            split=pl.lit(split),
            content=pl.lit(text),
            ordinal=pl.lit(1_000 + place, like.schema["ordinal"]),
            char_length=pl.lit(len(text), like.schema["char_length"]),
        )
        for place, text in enumerate(texts)
    ]
    frame = pl.concat(rows)
    counted = pl.Series("token_length", load_tokenizer().count(frame["content"]), pl.Int32)
    return frame.with_columns(counted).with_columns(length_bucket_expr("token_length").alias("length_bucket"))


def new(name, place):
    return prose(f"{name} b {place}", "en", 30 + 10 * place)


def said(name, place):
    return documents().filter(pl.col("doc_key") == f"{BLOG}:{name}-{place}")["content"][0]


def first_half():
    return documents().filter(pl.col("source") != "exorde")


def second_half():
    """New texts, and one of each kind that a merge has to settle."""
    base = documents()
    key = pl.col("doc_key")
    passage = prose("passage", "en", 140)
    return pl.concat(
        [
            base.filter(pl.col("source") == "exorde"),
            base.filter(key.str.starts_with(f"{BLOG}:Mary Shelley") | key.str.contains("Hans Huber")),
            written("Copycat", "test", said("Emily Bronte", 0), *(new("Copycat", n) for n in (1, 2, 3))),
            written("Echo", "test", said("Blogger 1", 1) + " indeed", *(new("Echo", n) for n in (1, 2, 3))),
            written("Ada Lovelace", "test", *(new("Ada", n) for n in range(3))),
            written("Heir", "test", *(new("Heir", n) for n in range(4)), origins={0: f"{BLOG}:Grace Hopper-0"}),
            written("Quoter", "test", f"{passage} {new('Quoter', 30)}", *(new("Quoter", n) for n in (1, 2, 3))),
            written("Jules Verne", "dev", *(new("Jules", n) for n in range(3))),
            written("Small", "test", said("Blogger 2", 2), new("Small", 1)),
        ]
    ).select(base.columns)


EXPECTED = {
    "taken_down_elsewhere": 1,
    "same_document": 4 + 2,
    "exact_duplicate": 1 + 1,
    "near_duplicate": 1,
    "author_in_another_split": 3,
    "work_in_another_split": 1,
    "contained_in_another_split": 1,
    "beyond_documents_per_author": 1,
    "author_with_too_few_documents": 1,
}


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    top = tmp_path_factory.mktemp("halves")
    down = first_half().filter(pl.col("doc_key").str.ends_with("Hans Huber-0"))["content"][0]
    write_sound(top / "first", made=first_half(), takedown=frozenset({sha256_of_text(down)}))
    write_sound(top / "second", made=second_half())
    return top / "first", top / "second"


@pytest.fixture(scope="module")
def both(halves, tmp_path_factory):
    out = tmp_path_factory.mktemp("merged") / "both"
    assert main(["release", "merge", *map(str, halves), "--out", str(out), "--name", "both"]) == 0
    return out


def table(folder):
    return read_pairs(folder / files.MERGED, MERGED)


def texts(folder):
    release = open_complete_release(folder)
    return pl.concat(batch for split in release.splits for batch in release.texts(split))


def test_a_merged_release_breaks_no_claim(both):
    assert check_release(both) == []
    assert check_drawings(both) == []
    assert main(["check", str(both)]) == 0


def test_what_both_have_goes_for_its_reason_and_nothing_vanishes(halves, both):
    rows = table(both)
    second = rows.filter(pl.col("release") == 2)
    assert dict(second.drop_nulls("reason").group_by("reason").len().iter_rows()) == EXPECTED
    for place, folder in enumerate(halves, start=1):
        assert rows.filter(pl.col("release") == place)["id_before"].to_list() == sorted(texts(folder)["id"])
    assert sorted(rows["id"].drop_nulls()) == sorted(texts(both)["id"])
    copies = second.filter(pl.col("reason") == "exact_duplicate")
    content = dict(texts(halves[1]).select("id", "content").iter_rows())
    kept = dict(texts(both).select("id", "content").iter_rows())
    assert all(content[before] == kept[by] for before, by in copies.select("id_before", "by").iter_rows())


def test_ids_splits_and_queries_of_the_first_stay(halves, both):
    columns = ("id", "split", "author_id", "content")
    mine, now = texts(halves[0]).select(columns), texts(both).select(columns)
    assert mine.join(now, on=columns, how="semi").height == mine.height
    asked = [
        {(split, query) for split in open_complete_release(folder).splits for query in asking(folder, split)}
        for folder in (halves[0], both)
    ]
    few = [author_id(BLOG, name) for name in ("Emily Bronte", "Blogger 1", "Blogger 2")]  # too few are scored now
    few.append(author_id("babel_briefings", "Hans Huber"))  # a text was taken down
    theirs = now.filter(pl.col("author_id").is_in(few))["id"]
    assert {query for _, query in asked[0] - asked[1]} <= set(theirs)
    assert {query for _, query in asked[0]} - set(theirs)


def asking(folder, split):
    return concat(open_complete_release(folder).rows(split, GROUND_TRUTH), GROUND_TRUTH)["query_id"].to_list()


def test_texts_of_the_second_stay_in_their_splits_under_ids_that_the_first_never_gave(halves, both):
    rows = table(both).filter((pl.col("release") == 2) & pl.col("id").is_not_null())
    before = dict(texts(halves[1]).select("id", "split").iter_rows())
    now = dict(texts(both).select("id", "split").iter_rows())
    assert all(before[one] == now[other] for one, other in rows.select("id_before", "id").iter_rows())
    given = json.loads((halves[0] / files.LOCK).read_text())["documents"].values()
    assert not set(rows["id"]) & set(given)


def test_a_text_that_another_author_of_the_second_also_signs_is_not_scored(both):
    release = open_complete_release(both)
    disputed = texts(both).filter(pl.col("content").is_in([said("Emily Bronte", 0), said("Blogger 1", 1)]))["id"]
    scored = dict(release.provenance.select("id", "scored").iter_rows())
    assert [scored[ident] for ident in disputed] == [False, False]
    assert not set(disputed) & set(asking(both, "test"))


def test_a_merged_release_is_evaluated_and_exported_as_any_other(both, tmp_path):
    split = read_split(opened(both), "test")
    evaluate(load_entry(MODELS, "random"), split, 0, tmp_path / "scores", VectorCache(tmp_path))
    scores = json.loads(next((tmp_path / "scores").rglob("scores.json")).read_text())
    assert scores["overall"]["queries"] == len(asking(both, "test"))
    export_public(opened(both), tmp_path / "public", ABOUT, find_sources(CONFIG["sources"]))
    assert check_release(tmp_path / "public") == []


def test_merging_again_adds_nothing_and_keeps_the_same_documents(halves, both, tmp_path):
    merge(opened(both), opened(halves[1]), tmp_path / "again", "both")
    assert texts(tmp_path / "again").sort("id").equals(texts(both).sort("id"))


def changed(folder, out, change):
    """A copy of a release with another manifest."""
    shutil.copytree(folder, out)
    manifest = json.loads((out / files.MANIFEST).read_text())
    change(manifest)
    (out / files.MANIFEST).write_text(json.dumps(manifest))
    seal(out)
    return out


def set_to(*place, value):
    def change(manifest):
        target = manifest
        for key in place[:-1]:
            target = target[key]
        target[place[-1]] = value

    return change


@cases
def test_releases_of_other_settings_are_refused_with_what_differs(halves, tmp_path, place, value, words):
    other = changed(halves[1], tmp_path / "other", set_to(*place, value=value))
    with pytest.raises(InputError, match=words):
        merge(opened(halves[0]), open_complete_release(other), tmp_path / "out", "both")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["../../elsewhere", "embeddings", "", "a" * 101])
def test_a_merged_release_has_a_name_that_a_build_could_have(halves, tmp_path, name):
    with pytest.raises(InputError):
        merge(*map(opened, halves), tmp_path / "out", name)
    assert not (tmp_path / "out").exists()


def test_the_two_large_recipes_merge():
    recipes = [read_settings(shipped(f"config/recipes/authbench-{size}.yaml")) for size in ("300k", "428k")]
    first, second = (laid_over(CONFIG, recipe) for recipe in recipes)
    assert list(differing(first, second)) == []
    loose = merged_config("both", first, second)
    assert (loose["release"]["queries_per_author"], len(loose["sources"])) == (2, 17)


def test_releases_whose_prompts_are_unique_do_not_merge_as_both_may_have_one():
    unique = laid_over(CONFIG, {"dedup": {"unique": {"authorship": ["topic"]}}})
    assert [line.partition(" is ")[0] for line in differing(unique, unique)] == ["dedup.unique"]


def choose_otherwise(manifest):
    """Settings that only choose documents, as another recipe may have them."""
    config = manifest["config"]
    config["filter"] |= {"symbols": 0.5, "script": {"default": 0.3, "zh": 0.15}, "max_tokens": 1500, "min_tokens": 4}
    config["safety"] |= {"threshold": 0.9, "exempt_genres": ["poetry"], "scorers": ["detoxify"]}
    config["sample"] |= {"documents": 40, "max_documents_per_author": 6, "shortfall": "fill", "spread": "ignore"}
    config["split"]["splits"] = {"train": 80, "dev": 10, "test": 10}
    config["release"] |= {"queries_per_author": 2, "topic": "words"}
    config["seed"] = 5
    manifest["scorers"] = [{"identity": "detoxify multilingual 1", "languages": ["en"]}]
    manifest["versions"]["detoxify"] = "0.5.2"


def test_releases_that_chose_documents_otherwise_merge_and_each_part_states_its_settings(halves, tmp_path):
    other = changed(halves[1], tmp_path / "other", choose_otherwise)
    out = tmp_path / "out"
    merge(opened(halves[0]), open_complete_release(other), out, "both")
    manifest = json.loads((out / files.MANIFEST).read_text())
    parts = [json.loads((folder / files.MANIFEST).read_text()) for folder in (halves[0], other)]
    assert [part["config"] for part in manifest["merged"]] == [part["config"] for part in parts]
    assert [part["scorers"] for part in manifest["merged"]] == [part["scorers"] for part in parts]
    config = manifest["config"]
    loose = [config["filter"]["symbols"], config["filter"]["max_tokens"], config["filter"]["min_tokens"]]
    assert loose == [0.7, 2000, 1]
    assert config["safety"]["scorers"] == ["wordlist", "detoxify"]
    assert (config["safety"]["threshold"], config["safety"]["exempt_genres"]) == (0.9, ["poetry"])
    assert config["sample"]["max_documents_per_author"] == 6
    assert (config["release"]["queries_per_author"], config["release"]["topic"]) == ("all", "words_and_pieces")
    assert (config["seed"], config["split"]["splits"]) == (parts[0]["config"]["seed"], CONFIG["split"]["splits"])
    assert manifest["versions"]["detoxify"] == "0.5.2"
    assert check_release(out, config) == []


def test_each_part_of_a_merge_is_held_to_its_own_thresholds(halves, tmp_path):
    other = changed(halves[1], tmp_path / "other", choose_otherwise)
    merge(opened(halves[0]), open_complete_release(other), tmp_path / "out", "both")
    second = set(table(tmp_path / "out").filter(pl.col("release") == 2)["id"].drop_nulls())
    strict = changed(tmp_path / "out", tmp_path / "strict", lambda manifest: stricter(manifest["merged"][1]))
    (found,) = [claim for claim in check_release(strict, CONFIG) if claim.code == "measures"]
    assert set(found.ids) <= second
    assert found.ids
    forged = changed(tmp_path / "out", tmp_path / "forged", set_to("merged", 1, "config", "filter", "symbols", value=1))
    assert "merge" in {claim.code for claim in check_release(forged)}


def test_what_is_made_of_a_release_without_checksums_is_not_verified_either(halves, tmp_path):
    copied = shutil.copytree(halves[1], tmp_path / "copied")
    (copied / "SHA256SUMS").unlink()
    merge(opened(halves[0]), opened(copied), tmp_path / "out", "both")
    made = opened(tmp_path / "out")
    assert not made.verification["verified"]
    assert NO_CHECKSUMS in made.verification["reason"]
    assert any(NO_CHECKSUMS in line for line in made.manifest["warnings"])
    assert check_release(tmp_path / "out") == []
    merge(opened(halves[0]), made, tmp_path / "again", "again")
    assert NO_CHECKSUMS in opened(tmp_path / "again").unverified
    with pytest.raises(InputError, match="not verified"):
        make_statement(tmp_path / "out", {})


def stricter(part):
    part["config"]["filter"]["max_tokens"] = 50


def test_a_release_counted_by_another_tokeniser_is_refused(halves, tmp_path):
    other = changed(halves[1], tmp_path / "other", lambda manifest: None)
    counted = pl.read_parquet(other / files.PROVENANCE).with_columns(pl.col("token_length") + 1)
    counted.write_parquet(other / files.PROVENANCE)
    with pytest.raises(InputError, match="was counted by another tokeniser"):
        merge(opened(halves[0]), open_complete_release(other), tmp_path / "out", "both")


def test_two_persons_of_one_document_are_a_contradiction(halves):
    first, second = (read_side(opened(folder)) for folder in halves)
    mine = pl.col("author_id") == author_id(BLOG, "Mary Shelley")
    percy = pl.when(mine).then(pl.lit(author_id(BLOG, "Percy"))).otherwise("author_id")
    other = replace(second, documents=second.documents.with_columns(author_id=percy))
    with pytest.raises(InputError, match=r"4 of 6 documents that both have are by two persons, such as doc_\d+"):
        expect_fitting(first, other)
    expect_fitting(first, second)


def test_what_the_second_took_down_leaves_the_first(halves, tmp_path):
    gone = said("Mary Shelley", 1)
    write_sound(tmp_path / "other", made=second_half(), takedown=frozenset({sha256_of_text(gone)}))
    merge(opened(halves[0]), opened(tmp_path / "other"), tmp_path / "out", "both")
    assert gone not in set(texts(tmp_path / "out")["content"])
    first = table(tmp_path / "out").filter(pl.col("release") == 1).drop_nulls("reason")
    assert first["reason"].to_list() == ["taken_down_elsewhere"]
    assert check_release(tmp_path / "out") == []


def test_an_author_whom_one_release_took_down_is_in_the_merge_with_no_text(tmp_path):
    """The second has a text of hers more, and the lock that it continues an author of whom there is no text."""
    gone, listed = (author_id(BLOG, name) for name in ("Mary Shelley", "Nobody"))
    more = written("Mary Shelley", "dev", *(new("Mary", n) for n in range(2)))
    write_sound(tmp_path / "first", made=first_half(), takedown=frozenset({gone}))
    write_sound(tmp_path / "second", made=pl.concat([second_half(), more]))
    lock = json.loads((tmp_path / "second" / files.LOCK).read_text())
    lock["authors"][listed] = "test"
    (tmp_path / "second" / files.LOCK).write_text(json.dumps(lock))
    seal(tmp_path / "second")
    both = [opened(tmp_path / name) for name in ("first", "second")]
    merge(*both, tmp_path / "out", "both", frozenset({listed}))
    assert not set(texts(tmp_path / "out")["content"]) & set(more["content"])
    found = "".join(path.read_text() for path in (tmp_path / "out").rglob("*") if path.suffix in (".lock", ".jsonl"))
    assert gone not in found and listed not in found
    assert check_release(tmp_path / "out") == []


def test_a_bundle_is_refused_with_the_way_to_its_release(halves, tmp_path):
    export_public(opened(halves[1]), tmp_path / "public", ABOUT, find_sources(CONFIG["sources"]))
    with pytest.raises(InputError, match="public bundle.*authbench release rebuild"):
        merge(opened(halves[0]), opened(tmp_path / "public"), tmp_path / "out", "both")


locks = st.dictionaries(
    st.sampled_from([f"key {number}" for number in range(12)]), st.integers(0, 15), max_size=12
).filter(lambda lock: len(set(lock.values())) == len(lock))


@given(locks, locks)
def test_numbers_are_given_once_and_documents_of_both_have_one(first, second):
    ours, theirs = ({key: f"doc_{n:06d}" for key, n in lock.items()} for lock in (first, second))
    numbers = new_numbers({"documents": ours}, {"documents": theirs})
    assert set(numbers) == set(theirs.values())
    assert len(set(numbers.values())) == len(numbers)
    for key, ident in theirs.items():
        if key in ours:
            assert numbers[ident] == ours[key]
        else:
            assert numbers[ident] not in ours.values()
            assert numbers[ident] == ident or ident in ours.values()


@pytest.mark.parametrize(("shared", "ignored"), [(True, ["b1", "b2"]), (False, ["b2"])])
def test_persons_are_possibly_one_where_all_candidates_are_ignored_in_either_form(shared, ignored):
    kept = pl.DataFrame({"id": ["a1", "a2", "b1", "b2", "c1"], "author_id": ["a", "a", "b", "b", "c"], "split": "test"})
    back = ["a1", "a2"] if shared else ["a2"]
    rows = {"query_id": ["a1", "b1"], "author_id": ["a", "b"], "ignored_ids": [ignored, back], "split": "test"}
    found = possibly_one_by_truth(pl.DataFrame(rows), kept, shared)
    assert found.rows() == [("a", "b"), ("b", "a")]
    fewer = pl.DataFrame(
        {**rows, "ignored_ids": [["c1"], back[:-1]]}, schema_overrides={"ignored_ids": pl.List(pl.String)}
    )
    assert possibly_one_by_truth(fewer, kept, shared).rows() == [("a", "c")]


def test_a_funnel_adds_up_where_only_one_release_has_a_stage():
    def row(stage, reason, number):
        return {"source": "s", "stage": stage, "reason": reason, "documents": number}

    one = [row("ingest", "in", 5), row("ingest", "no_author", 1), row("ingest", "kept", 4)]
    other = [*one, row("filter", "in", 4), row("filter", "symbols", 2), row("filter", "kept", 2)]
    merged = merged_funnel(one, other, {("s", "exact_duplicate"): 3}, {"s": 3})
    counts = {(row["stage"], row["reason"]): row["documents"] for row in merged}
    assert (counts["filter", "in"], counts["filter", "symbols"], counts["filter", "kept"]) == (8, 2, 6)
    assert (counts["merge", "in"], counts["merge", "exact_duplicate"], counts["merge", "kept"]) == (6, 3, 3)


def test_what_a_list_takes_down_at_a_merge_is_counted_and_never_comes_back(halves, tmp_path, capsys):
    """Two of the three texts of an author, whose list has upper case, and an entry that meets no text."""
    gone = [sha256_of_text(said("Mary Shelley", place)) for place in range(2)]
    (tmp_path / "list").write_text("\n".join([*gone, gone[0].upper(), "f" * 64]))
    given = ["--takedown", str(tmp_path / "list"), "--name", "both"]
    assert main(["release", "merge", *map(str, halves), "--out", str(tmp_path / "out"), *given]) == 0
    assert "1 entry" in capsys.readouterr().err
    places = table(tmp_path / "out").filter(pl.col("reason") == "taken_down")["release"].to_list()
    before, after = (
        [json.loads((folder / files.MANIFEST).read_text())["takedown"] for folder in folders]
        for folders in (halves, [tmp_path / "out"])
    )
    sums = {key: sum(one[key] for one in before) for key in before[0]}
    assert places and after[0]["documents"] == sums["documents"] + len(places)
    assert after[0]["entries"] == sums["entries"] + 3
    assert after[0]["entries_without_a_document"] == sums["entries_without_a_document"] + 1
    assert check_release(tmp_path / "out") == []
    again = ["release", "merge", str(tmp_path / "out"), str(halves[1]), "--out", str(tmp_path / "again")]
    assert main(again) == 0 and "entry" not in capsys.readouterr().err
    assert not set(gone) & {sha256_of_text(text) for text in texts(tmp_path / "again")["content"]}
