"""What a stranger's release says is believed only after it was verified, and leads nowhere outside its folder."""

import json
import os
import re
import shutil
from pathlib import Path

import orjson
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from published import ABOUT, contents, lines, opened, seal, sources_of
from split_folder import write_release

from authbench.app.cli import main
from authbench.build.release.published import DATA, write_digests
from authbench.core.errors import InputError
from authbench.core.storage.json_files import read_foreign_json, read_json
from authbench.core.storage.sha256sums import write_sums
from authbench.publish.export.run import export_public
from authbench.publish.rebuild.run import rebuild
from authbench.release.format.names import collision, expect_paths, name_problem, path_problem, split_problem
from authbench.release.format.release import open_release
from authbench.release.format.verify import NO_CHECKSUMS, open_verified
from authbench.reports.leaderboard.collect import read_results
from authbench.suites.raven.documents import write_documents

OUTSIDE = ("../evil", "../.bashrc", "/tmp/evil", "a/../../evil", "C:\\evil", "..\\evil", "a\nb", "a\x00b", ".", "")


@pytest.fixture(scope="module")
def all_scores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scored")
    release = write_release(folder / "release", 3)
    assert main(["evaluate", str(release), "--model", "random", "--out", str(folder / "scores")]) == 0
    return folder / "scores"


@pytest.fixture
def scored(all_scores, tmp_path):
    return Path(shutil.copytree(all_scores, tmp_path / "in/scores"))


@pytest.fixture
def release(published, tmp_path):
    return Path(shutil.copytree(published[1], tmp_path / "in/release"))


@pytest.fixture
def public(published, tmp_path):
    return Path(shutil.copytree(published[2], tmp_path / "in/public"))


def change(path, turn):
    value = json.loads(path.read_text(encoding="utf-8"))
    turn(value)
    path.write_text(json.dumps(value), encoding="utf-8")


def changed_row(path, field, value):
    rows = lines(path)
    rows[0][field] = value
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


def everything_below(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def commands(release, out):
    """Return every command that takes a release."""
    again, model = str(out), ["--model", "tfidf"]
    of_release = ["--release", str(release), "--dataset", "release_retrieval"]
    return [
        ["evaluate", str(release), *model, "--out", again],
        ["train", str(release), "--model", "all-minilm-l6-v2", "--from", "test", "--watch", "test", "--out", again],
        ["style", "run", str(out.parent), *model, *of_release, "--out", again],
        ["pan", "pairs", str(release), "--out", again],
        ["raven", "run", str(release), "--out", again],
        ["release", "export", str(release), "--form", "trec", "--with-tier-b", "--out", again],
        ["release", "export", str(release), "--form", "public", "--out", again],
        ["release", "diff", str(release), str(release)],
    ]


# --- names ---


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_bundle_makes_rebuild_write_nowhere_but_its_output(published, public, tmp_path, path, capsys):
    change(public / "tier_b.json", lambda told: told["files"].update({path: "0" * 64}))
    seal(public)
    before = everything_below(tmp_path)
    command = ["release", "rebuild", str(public), "--raw", str(published[0])]
    assert main([*command, "--out", str(tmp_path / "out/again")]) == 2
    assert everything_below(tmp_path) == before
    assert "tier_b.json" in capsys.readouterr().err


@pytest.mark.parametrize("split", [*OUTSIDE, "figures", "Statistics", "manifest.json", "TEST", "nul", "a/b"])
@pytest.mark.parametrize("place", ["splits", "config"])
def test_a_manifest_names_no_split_outside_its_folder(tmp_path, split, place):
    folder = write_release(tmp_path / "release", 1)
    named = (
        {"splits": ["test", split]} if place == "splits" else {"config": {"split": {"splits": {"test": 1, split: 1}}}}
    )
    (folder / "manifest.json").write_text(json.dumps(named))
    with pytest.raises(InputError, match="manifest.json"):
        open_verified(folder, unverified=True)


@pytest.mark.parametrize("path", OUTSIDE)
def test_checksums_name_no_file_outside_their_folder(tmp_path, path):
    folder = write_release(tmp_path / "release", 1)
    (folder / "SHA256SUMS").write_text(f"{'0' * 64}  {path}\n")
    with pytest.raises(InputError, match="SHA256SUMS"):
        open_verified(folder, unverified=True)


@pytest.mark.parametrize("file", ["test/candidates.jsonl", "test", "statistics/languages.csv"])
def test_a_link_that_leads_out_is_refused_and_one_that_stays_is_read(release, tmp_path, file, refused):
    (release / file).rename(tmp_path / "elsewhere")
    (release / file).symlink_to(tmp_path / "elsewhere")
    options = ["--form", "public", "--out", str(tmp_path / "out"), "--unverified"]
    assert "a link that leads out" in refused(["release", "export", str(release), *options])
    (release / file).unlink()
    (release / "more").mkdir()
    (tmp_path / "elsewhere").rename(release / "more/inside")
    (release / file).symlink_to(release / "more/inside")
    assert open_verified(release).verification == {"verified": True}


def test_what_is_no_regular_file_is_not_opened(release):
    (release / "test/candidates.jsonl").unlink()
    os.mkfifo(release / "test/candidates.jsonl")
    with pytest.raises(InputError, match="no regular file"):
        open_release(release)


@given(st.text())
def test_a_name_that_is_let_through_is_one_part_of_a_path_that_stays(name):
    if not name_problem(name):
        assert Path(name).parts == (name,) and not name.startswith(".") and name.isprintable()
        assert (Path("/base") / name).resolve().parent == Path("/base")


def test_usual_names_are_let_through():
    assert not any(map(path_problem, ("train/candidates.jsonl", "report.html", "figures/übersicht 1.svg")))
    assert not any(map(split_problem, ("train", "dev", "test", "test_2", "Prüfung")))


def test_files_that_are_one_where_case_does_not_count_are_refused(tmp_path):
    assert collision(["a", "b", "ab"]) == ""
    assert "one file where case" in collision(["test/a", "Test/a"])
    assert "is the folder of" in collision(["test/a", "test"])
    with pytest.raises(InputError, match="one file"):
        expect_paths(tmp_path, ["straße", "STRASSE"])


@pytest.mark.parametrize("folder", ["../private", "/etc", ".."])
def test_an_entry_reads_no_raw_files_outside_the_raw_folder(published, public, tmp_path, folder, capsys):
    change(public / "tier_b.json", lambda told: told["sources"]["letters"].update(folder=folder))
    seal(public)
    assert main(["release", "rebuild", str(public), "--raw", str(published[0]), "--out", str(tmp_path / "again")]) == 2
    assert "the entry of letters: the folder" in capsys.readouterr().err


def test_an_entry_that_does_not_fit_the_schema_is_refused(public):
    change(public / "tier_b.json", lambda told: told["sources"]["letters"].update(reader={"format": "pickle"}))
    seal(public)
    with pytest.raises(InputError, match="the entry of letters: reader"):
        opened(public)


@pytest.mark.parametrize("field", ["name", "split"])
def test_results_name_no_file_outside_an_export(scored, release, tmp_path, field):
    part = "model" if field == "name" else "benchmark"
    change(scored / "random/scores.json", lambda told: told[part].update({field: "../../evil"}))
    with pytest.raises(InputError, match="a name may not begin with a dot"):
        list(read_results(scored))
    before = everything_below(tmp_path)
    export = ["release", "export", str(release), "--form", "trec", "--with-tier-b", "--out", str(tmp_path / "out")]
    assert main([*export, "--runs", str(scored)]) == 2
    assert everything_below(tmp_path) == before


def test_rankings_of_other_texts_are_not_exported(scored, release, tmp_path):
    export = ["release", "export", str(release), "--form", "trec", "--with-tier-b", "--out", str(tmp_path / "out")]
    assert main([*export, "--runs", str(scored)]) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"content_sha256": pl.lit(1)}, "content_sha256 is Int32, expected String"),
        ({"tier": pl.lit(None, pl.String)}, "tier may not be null"),
        ({"split": pl.lit("../evil")}, "names the split '../evil', which is not there"),
        ({"source": pl.lit("..")}, "has no licence of the source '..'"),
    ],
    ids=["type", "null", "split", "source"],
)
def test_a_provenance_of_another_form_is_refused(release, change, problem):
    path = release / "provenance.parquet"
    pl.read_parquet(path).with_columns(**change).write_parquet(path)
    seal(release)
    for complete in (True, False):
        with pytest.raises(InputError, match=re.escape(problem)):
            open_verified(release, complete=complete)


def test_a_withheld_text_without_a_place_is_not_looked_for(published, public, tmp_path):
    path = public / "complete/provenance.parquet"
    pl.read_parquet(path).with_columns(ordinal=pl.lit(None, pl.Int64)).write_parquet(path)
    with pytest.raises(InputError, match="no file or no ordinal"):
        rebuild(opened(public, unverified=True), published[0], tmp_path / "again")


@pytest.mark.parametrize("lock", ["[" * 100_000, '{"version": 1, "authors": {}, "documents": {"a": 7}}', "[]"])
def test_a_lock_of_another_form_is_refused(release, lock, refused):
    (release / "release.lock").write_text(lock)
    seal(release)
    assert "is not a release.lock" in refused(["release", "diff", str(release), str(release)])


def test_checksums_are_not_read_from_outside(tmp_path):
    folder = write_release(tmp_path / "release", 1)
    (tmp_path / "elsewhere").touch()
    (folder / "SHA256SUMS").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="a link that leads out"):
        open_verified(folder)


# --- contradictions ---


def _text(release):
    changed_row(release / "test/candidates.jsonl", "content", "Somebody wrote this later.")


def _text_and_checksums(release):
    _text(release)
    seal(release)


def _missing(release):
    (release / "funnel.csv").unlink()


def _unlisted(release):
    (release / "figures/more.svg").write_text("<svg/>")


def _another_split(release):
    shutil.copytree(release / "test", release / "more")
    seal(release)


def _fewer_texts(release):
    gone = lines(release / "test/candidates.jsonl")[0]["candidate_id"]
    for name, ident in (("candidates", "candidate_id"), ("queries", "query_id"), ("ground_truth", "query_id")):
        path = release / f"test/{name}.jsonl"
        rows = [row for row in lines(path) if row[ident] != gone]
        for row in rows if name == "ground_truth" else ():
            row["positive_ids"] = [other for other in row["positive_ids"] if other != gone]
        path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    seal(release)


def _provenance(release, turn):
    path = release / "provenance.parquet"
    turn(pl.read_parquet(path)).write_parquet(path)
    seal(release)


def _all_of_tier_a(release):
    _provenance(release, lambda rows: rows.with_columns(tier=pl.lit("A")))


def _a_line_twice(release):
    path = release / "test/candidates.jsonl"
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])
    seal(release)


def _a_bundle_that_hides_it(release):
    change(release / "manifest.json", lambda manifest: manifest.update(withheld={"documents": 3}))
    seal(release)


CONTRADICTIONS = {
    _text: "test/candidates.jsonl is not what SHA256SUMS says it is",
    _text_and_checksums: "is not the text that provenance.parquet says it is",
    _missing: "funnel.csv, which SHA256SUMS lists, is missing",
    _unlisted: "figures/more.svg is not in SHA256SUMS",
    _another_split: "only one of them has the split more",
    _fewer_texts: "texts of provenance.parquet",
    _all_of_tier_a: "in tier A, manifest.json in another",
    _a_line_twice: "test/candidates.jsonl has several rows of 'doc_",
    _a_bundle_that_hides_it: "says that documents are withheld, and there is no tier_b.json",
}


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        (lambda rows: rows.with_columns(tier=pl.lit("C")), "Expected A or B"),
        (lambda rows: rows.with_columns(tier=pl.col("tier").str.to_lowercase()), "Expected A or B"),
        (lambda rows: rows.with_columns(tier=pl.lit("")), "Expected A or B"),
        (lambda rows: pl.concat([rows, rows[:1]]), "has several rows of 'doc_"),
    ],
    ids=["C", "lower case", "empty", "a document twice"],
)
def test_another_tier_or_a_document_twice_is_refused_whatever_is_asked_for(release, tmp_path, turn, said, refused):
    _provenance(release, turn)
    for form in ("public", "beir"):
        options = ["--form", form, "--out", str(tmp_path / "out"), "--unverified"]
        assert said in refused(["release", "export", str(release), *options])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("damage", [_text, _text_and_checksums], ids=lambda damage: damage.__name__[1:])
def test_a_release_that_contradicts_itself_is_refused_by_every_command(release, tmp_path, damage, capsys):
    damage(release)
    before = everything_below(tmp_path)
    for command in commands(release, tmp_path / "out"):
        assert main(command) == 2, command
        assert CONTRADICTIONS[damage] in capsys.readouterr().err
    assert everything_below(tmp_path) == before


@pytest.mark.parametrize("damage", CONTRADICTIONS, ids=lambda damage: damage.__name__[1:])
def test_a_contradiction_may_be_overridden_and_is_stated(release, damage):
    damage(release)
    with pytest.raises(InputError, match=re.escape(CONTRADICTIONS[damage])):
        open_verified(release)
    told = open_verified(release, unverified=True).verification
    assert told["verified"] is False and CONTRADICTIONS[damage] in told["reason"]


def test_a_bundle_whose_files_are_not_those_of_the_release_is_refused(public):
    (public / "complete/funnel.csv").write_text("none\n")
    seal(public)
    with pytest.raises(InputError, match=r"funnel.csv is not what tier_b.json says it is"):
        opened(public)


def test_an_answer_that_is_no_document_is_named(release, refused):
    changed_row(release / "test/ground_truth.jsonl", "query_id", "doc_999999")
    seal(release)
    assert "doc_999999" in refused(["release", "diff", str(release), str(release)])


def test_one_split_of_a_release_is_evaluated_where_that_is_asked_for(release, tmp_path):
    shutil.rmtree(release / "train")
    arguments = ["evaluate", str(release), "--model", "random", "--out", str(tmp_path / "scores")]
    assert main(arguments) == 2
    assert main([*arguments, "--unverified"]) == 0
    reason = json.loads((tmp_path / "scores/random/scores.json").read_text())["benchmark"]["reason"]
    assert "train/candidates.jsonl, which SHA256SUMS lists, is missing" in reason


def test_files_of_ones_own_beside_those_of_a_release_do_not_contradict_it(release):
    (release / "notes.txt").write_text("mine")
    (release / ".git").mkdir()
    (release / ".git/candidates.jsonl").write_text("mine")
    assert open_verified(release, complete=True).verification == {"verified": True}


# --- what results say ---


def test_a_release_as_it_was_made_and_its_bundle_are_verified(published):
    for folder in published[1:]:
        assert opened(folder).verification == {"verified": True}


def test_files_without_checksums_or_manifest_are_opened_and_their_results_say_so(release, tmp_path, capsys):
    alone = tmp_path / "alone"
    shutil.copytree(release / "test", alone / "test")
    assert main(["evaluate", str(alone), "--model", "random", "--out", str(tmp_path / "scores")]) == 0
    assert "is not verified: no checksums" in capsys.readouterr().err
    benchmark = json.loads((tmp_path / "scores/random/scores.json").read_text())["benchmark"]
    assert (benchmark["verified"], benchmark["reason"]) == (False, NO_CHECKSUMS)
    assert main(["leaderboard", str(tmp_path / "scores")]) == 0
    board = tmp_path / "scores/leaderboard"
    for name in ("overall.md", "overall.tex", "index.html"):
        assert "not verified (no checksums)" in (board / name).read_text()
    assert "verified" in (board / "overall.csv").read_text().splitlines()[0]


def test_results_of_a_verified_release_say_so(release, tmp_path):
    assert main(["evaluate", str(release), "--model", "random", "--out", str(tmp_path / "scores")]) == 0
    benchmark = json.loads((tmp_path / "scores/random/scores.json").read_text())["benchmark"]
    assert benchmark["verified"] is True and "reason" not in benchmark


def test_pairs_say_whether_their_release_is_verified(tmp_path):
    path = write_release(tmp_path / "release", 40, texts=6) / "test/candidates.jsonl"
    rows = [{**row, "genre": f"blog/{'abc'[n % 3]}"} for n, row in enumerate(lines(path))]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    options = ["--out", str(tmp_path / "pairs"), "--setting", "closed"]
    assert main(["pan", "pairs", str(tmp_path / "release"), *options]) == 0
    told = json.loads((tmp_path / "pairs/pairs.json").read_text())["release"]
    assert told == {"verified": False, "reason": NO_CHECKSUMS}


def test_style_says_whether_its_release_is_verified(tmp_path):
    folder = write_release(tmp_path / "release", 12)
    arguments = ["--model", "random", "--dataset", "release_retrieval", "--out", str(tmp_path / "style")]
    assert main(["style", "run", str(tmp_path), "--release", str(folder), *arguments]) == 0
    told = json.loads((tmp_path / "style/random/chunk_and_pool.json").read_text())["release"]
    assert told == {"verified": False, "reason": NO_CHECKSUMS}
    assert NO_CHECKSUMS in (tmp_path / "style/report/index.html").read_text()


def test_raven_says_whether_its_documents_are_of_a_verified_release(tmp_path):
    folder = write_release(tmp_path / "release", 2)
    write_documents(str(folder), tmp_path / "documents.parquet", 0)
    assert read_json(tmp_path / "release.json") == {"verified": False, "reason": NO_CHECKSUMS}
    write_sums(folder)
    write_digests(folder, tmp_path / DATA)
    write_documents(str(folder), tmp_path / "documents.parquet", 0, built=True)
    assert read_json(tmp_path / "release.json") == {"verified": True}
    (tmp_path / "table.csv").write_text("author,topic,text\na,b,c\n")
    write_documents(str(tmp_path / "table.csv"), tmp_path / "documents.parquet", 0)
    assert read_json(tmp_path / "release.json") == {}


def test_an_export_of_what_is_not_verified_says_so_and_has_no_checksums(release, tmp_path):
    _text_and_checksums(release)
    arguments = ["release", "export", str(release), "--form", "trec", "--with-tier-b", "--out", str(tmp_path / "trec")]
    assert main([*arguments, "--unverified"]) == 0
    export_public(opened(release, unverified=True), tmp_path / "public", ABOUT, sources_of())
    for out in (tmp_path / "trec", tmp_path / "public"):
        assert "**Not verified.**" in (out / "README.md").read_text()
        assert not (out / "SHA256SUMS").exists()


def test_a_file_that_a_bundle_names_and_lacks_is_told(published, public, tmp_path):
    change(public / "tier_b.json", lambda told: told["files"].update({"more/file": "0" * 64}))
    with pytest.raises(InputError, match="names more/file, which is not there"):
        rebuild(opened(public, unverified=True), published[0], tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_a_bundle_without_checksums_is_rebuilt_and_its_own_checksums_decide(published, public, tmp_path):
    (public / "SHA256SUMS").unlink()
    assert main(["release", "rebuild", str(public), "--raw", str(published[0]), "--out", str(tmp_path / "again")]) == 0
    assert contents(tmp_path / "again") == contents(published[1])


# --- JSON of strangers ---


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": ' * 100_000 + "1" + "}" * 100_000, "nested deeper"),
        ('{"a": ' + "[" * 40 + "]" * 40 + "}", "nested deeper"),
        ('{"a": ' + "9" * 5_000 + "}", "does not fit in 64 bits"),
        ('{"a": 18446744073709551616}', "does not fit in 64 bits"),
        ('{"a": 1e999}', "does not fit in 64 bits"),
        ('{"a": NaN}', "NaN is no number"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "the key 'c' comes twice"),
        ("[]", "expected a JSON object"),
        ('{"a": "\\ud800"}', ""),
        ("{", "cannot be read as JSON"),
    ],
)
def test_a_json_object_of_a_stranger_is_small_flat_and_unambiguous(tmp_path, text, problem):
    path = tmp_path / "manifest.json"
    path.write_text(text, encoding="utf-8")
    if not problem:
        assert read_foreign_json(path)
        return
    with pytest.raises(InputError, match=problem):
        read_foreign_json(path)


@pytest.mark.parametrize(
    "sums",
    ["no checksum\n", f"{'0' * 64}  a\n{'1' * 64}  a\n", f"\\{'0' * 64}  a\\nb\n"],
    ids=["form", "twice", "sign"],
)
def test_checksums_that_are_not_in_their_form_are_refused_by_line(release, sums):
    (release / "SHA256SUMS").write_text(sums)
    with pytest.raises(InputError, match=r"SHA256SUMS, line \d: expected 64"):
        open_verified(release, unverified=True)
