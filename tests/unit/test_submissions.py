"""Claims about submissions: what is packed, what is refused, and which forged numbers are found."""

import hashlib
import io
import json
import zipfile

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import cases
from scored_release import evaluated, write_scored_release

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.scoring.submissions.archive import FILES, unpacked

FIELDS = ["--contributor", "Us", "--model", "https://example.org/model"]


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A release, and the results of two models on it."""
    folder = tmp_path_factory.mktemp("scored")
    release = write_scored_release(folder / "release", 24)
    evaluated(release, folder / "out", "random", "tfidf", options=["--seed", "3"])
    for name in ("random", "tfidf"):
        file = folder / f"packed/{name}.zip"
        file.parent.mkdir(exist_ok=True)
        assert main(["publish", "submit", str(folder / "out" / name), "--out", str(file), *FIELDS]) == 0
    return folder


def members(file):
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path, held):
    """Pack members with fresh checksums, as somebody would who forges them."""
    described = json.loads(held["submission.json"])
    described["sha256"] = {name: hashlib.sha256(held[name]).hexdigest() for name in described["sha256"]}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**held, "submission.json": json.dumps(described).encode()}.items():
            archive.writestr(name, content)
    return path


def verdict(file, scored, capsys):
    capsys.readouterr()
    status = main(["publish", "validate", str(file), "--release", str(scored / "release")])
    told = capsys.readouterr()
    return status, told.out + told.err


@pytest.mark.parametrize("name", ["random", "tfidf"])
def test_what_was_packed_stands_and_all_of_its_scores_are_computed_anew(scored, capsys, name):
    status, told = verdict(scored / f"packed/{name}.zip", scored, capsys)
    assert status == 0
    numbers = int(told.split("Computed anew: ")[1].split(" ")[0].replace(",", ""))
    stated = json.loads((scored / f"out/{name}/own/scores.json").read_bytes())
    computed = {key: value for key, value in stated.items() if key.startswith(("overall", "by_", "headline"))}
    computed.pop("headline_on_dev", None)

    def count(value):
        if isinstance(value, dict):
            return sum(map(count, value.values()))
        return 1

    assert numbers >= count(computed) - len(["cuts_in_ties.10"])


def test_the_same_result_gives_the_same_bytes_which_no_clock_decides(scored, tmp_path):
    command = ["publish", "submit", str(scored / "out/tfidf/scores.json"), *FIELDS]
    for place in ("one.zip", "two.zip"):
        assert main([*command, "--out", str(tmp_path / place)]) == 0
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert (tmp_path / "one.zip").read_bytes() == (scored / "packed/tfidf.zip").read_bytes()
    held = members(tmp_path / "one.zip")
    assert tuple(held) == FILES
    described = json.loads(held["submission.json"])
    assert described["contributor"] == "Us" and described["versions"]["authbench"]
    assert described["command"].startswith("authbench evaluate RELEASE_DIR --model tfidf --split test --seed 3")


def test_a_field_that_nobody_filled_is_named(scored, tmp_path, capsys):
    assert main(["publish", "submit", str(scored / "out/tfidf"), "--out", str(tmp_path / "bare.zip")]) == 0
    assert "--contributor" in capsys.readouterr().err
    status, told = verdict(tmp_path / "bare.zip", scored, capsys)
    assert status == 0 and "nobody has filled the field contributor" in told


@pytest.mark.parametrize("place", ["out", "nowhere"])
def test_what_is_no_result_of_one_model_is_refused(scored, tmp_path, refused, place):
    told = refused(["publish", "submit", str(scored / place), "--out", str(tmp_path / "x.zip")])
    assert "Expected the folder of a model" in told
    assert ("e.g." in told) == (place == "out")


def forged_scores(*path, value=0.987):
    def forge(held):
        scores = json.loads(held["scores.json"])
        cell = scores
        for key in path[:-1]:
            cell = cell[key]
        assert path[-1] in cell
        cell[path[-1]] = value
        held["scores.json"] = json.dumps(scores).encode()

    return forge


def forged_table(name, change):
    def forge(held):
        table = change(pl.read_parquet(io.BytesIO(held[name])))
        kept = io.BytesIO()
        table.write_parquet(kept)
        held[name] = kept.getvalue()

    return forge


def better(column, value=1.0):
    return lambda table: table.with_columns(pl.lit(value, table.schema[column]).alias(column))


def first_ranks(column):
    return lambda table: table.with_columns(pl.when(pl.col(column).is_not_null()).then(1).alias(column).cast(pl.Int32))


def raised(table):
    """Give every positive a higher score."""
    return table.with_columns(score=pl.when(pl.col("kind") == "positive").then(0.999).otherwise("score"))


def expect_found(forge, message, scored, tmp_path, capsys):
    held = members(scored / "packed/tfidf.zip")
    forge(held)
    status, told = verdict(packed(tmp_path / "forged.zip", held), scored, capsys)
    assert status == 1, told
    assert message in told
    assert "refused" in told


@cases
def test_a_forged_number_is_found(scored, tmp_path, capsys, place, value, message):
    expect_found(forged_scores(*place, value=value), message, scored, tmp_path, capsys)


@pytest.mark.parametrize(
    ("forge", "message"),
    [
        (forged_table("queries.parquet", better("success@5", 0.5)), "queries.parquet: success@5 of"),
        (forged_table("queries.parquet", better("auc_matched", 0.5)), "queries.parquet: auc_matched of"),
        (forged_table("queries.parquet", better("s@5_other_work", 0.0)), "queries.parquet: s@5_other_work of"),
        (forged_table("queries.parquet", better("lang", "xx")), "queries.parquet: lang of"),
        (forged_table("queries.parquet", lambda table: table[1:]), "The split has 96"),
        (forged_table("queries.parquet", lambda table: pl.concat([table[1:], table[1:2]])), "queries are not those"),
        (forged_table("queries.parquet", lambda table: table.drop("nearest")), "column nearest is absent"),
        (
            forged_table("queries.parquet", lambda table: table.with_columns(nearest=pl.col("nearest").list.reverse())),
            "has scores that differ by",
        ),
        (forged_table("pairs.parquet", first_ranks("rank")), "of the scores given are higher"),
        (forged_table("pairs.parquet", first_ranks("rank_language")), "rank_language of its positive"),
        (forged_table("pairs.parquet", raised), "has scores that differ by"),
        (forged_table("pairs.parquet", lambda table: pl.concat([table[:-1], table[:1]])), "are not there once"),
        (forged_table("pairs.parquet", better("score", float("nan"))), "are not numbers"),
        (forged_table("released_pairs.parquet", better("score")), "auc_matched of"),
        (forged_table("released_pairs.parquet", lambda table: table[1:]), "released_pairs.parquet"),
    ],
)  # fmt: skip
def test_a_forged_table_is_found(scored, tmp_path, capsys, forge, message):
    expect_found(forge, message, scored, tmp_path, capsys)


@pytest.fixture(scope="module")
def of_a_run(scored):
    """The submission of a run that ranks ten candidates of each query."""
    near = pl.read_parquet(scored / "out/tfidf/queries.parquet").select("id", "nearest", "scores")
    lines = [
        f"{query} Q0 {candidate} {place} {score} run"
        for query, candidates, scores in near.iter_rows()
        for place, (candidate, score) in enumerate(zip(candidates, scores, strict=True), 1)
    ]
    (scored / "few.trec").write_text("\n".join(lines) + "\n")
    command = ["evaluate", str(scored / "release"), "--run", str(scored / "few.trec"), "--seed", "3"]
    assert main([*command, "--out", str(scored / "runs")]) == 0
    assert main(["publish", "submit", str(scored / "runs/few"), "--out", str(scored / "few.zip"), *FIELDS]) == 0
    return scored / "few.zip"


def test_a_run_of_few_candidates_stands_with_the_scores_that_it_tells(of_a_run, scored, capsys):
    status, told = verdict(of_a_run, scored, capsys)
    assert status == 0, told
    assert "which scores it leaves out" in told


def made_up_headline(held):
    scores = json.loads(held["scores.json"])
    scores["headline"]["auc_matched"] = {"value": 0.9, "authors": 24, "queries": 96}
    held["scores.json"] = json.dumps(scores).encode()


@pytest.mark.parametrize(
    ("forge", "message"),
    [
        (forged_scores("overall", "success@1"), "overall.success@1 is 0.987"),
        (made_up_headline, "headline.auc_matched"),
        (forged_table("queries.parquet", better("success@1", 0.5)), "success@1 of"),
        (forged_table("queries.parquet", better("auc_matched", 0.5)), "auc_matched of"),
    ],
)
def test_what_a_run_does_not_tell_cannot_be_made_up(of_a_run, scored, tmp_path, capsys, forge, message):
    held = members(of_a_run)
    forge(held)
    status, told = verdict(packed(tmp_path / "forged.zip", held), scored, capsys)
    assert status == 1 and message in told, told


def test_a_rank_that_is_left_out_of_a_complete_ranking_raises_no_score(scored, tmp_path, capsys):
    held = members(scored / "packed/random.zip")
    worst = pl.col("rank") == pl.col("rank").max()
    forged_table("pairs.parquet", lambda table: table.with_columns(rank=pl.when(worst).then(None).otherwise("rank")))(
        held
    )
    scores = json.loads(held["scores.json"])
    scores["overall"]["success@5"] += 0.1
    held["scores.json"] = json.dumps(scores).encode()
    status, told = verdict(packed(tmp_path / "forged.zip", held), scored, capsys)
    assert status == 1 and "overall.success@5" in told


def test_a_submission_of_another_release_is_refused(scored, tmp_path, capsys):
    write_scored_release(tmp_path / "release", 25)
    capsys.readouterr()
    file = str(scored / "packed/tfidf.zip")
    assert main(["publish", "validate", file, "--release", str(tmp_path / "release")]) == 1
    assert "another checksum" in capsys.readouterr().out


def link(info):
    info.external_attr = 0o120777 << 16


def hostile(path, held, name=None, compress=zipfile.ZIP_STORED, change=lambda info: None, more=()):
    with zipfile.ZipFile(path, "w") as archive:
        for number, (member, content) in enumerate([*held.items(), *more]):
            info = zipfile.ZipInfo(name if name and number == 1 else member)
            info.compress_type = compress
            if number == 1:
                change(info)
            archive.writestr(info, content)
    return path


BOMB = b"\0" * (8 << 20)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ({"name": "../../scores.json"}, "it holds '../../scores.json'"),
        ({"name": "/etc/scores.json"}, "it holds '/etc/scores.json'"),
        ({"name": "own/scores.json"}, "it holds 'own/scores.json'"),
        ({"change": link}, "is a link"),
        ({"compress": zipfile.ZIP_DEFLATED}, "is compressed"),
        ({"more": [("bomb.parquet", BOMB)]}, "it holds 'bomb.parquet'"),
        ({"more": [("scores.json", b"{}")]}, "it holds 'scores.json'"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_hostile_archive_is_refused_before_anything_of_it_is_written(scored, tmp_path, made, message):
    file = hostile(tmp_path / "hostile.zip", members(scored / "packed/tfidf.zip"), **made)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="hostile.zip") as told, unpacked(file):
        pass
    assert message in str(told.value)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda held: held.pop("pairs.parquet"), "lacks pairs.parquet"),
        (lambda held: held.update({"scores.json": b"{}"}), "is not the file that was packed"),
        (lambda held: held.update({"submission.json": b"[" * 100_000}), "cannot be read as JSON"),
        (lambda held: held.update({"submission.json": b'{"format": 2}'}), "its format is 2"),
        (lambda held: held.update({"submission.json": b" " * (65 << 20)}), "more than 67,108,864"),
    ],
)
def test_a_damaged_archive_is_told(scored, tmp_path, change, message):
    held = members(scored / "packed/tfidf.zip")
    change(held)
    with pytest.raises(InputError, match=message) as told, unpacked(hostile(tmp_path / "damaged.zip", held)):
        pass
    assert str(told.value).startswith(str(tmp_path / "damaged.zip"))


def test_what_is_no_archive_is_told(scored, tmp_path, capsys):
    (tmp_path / "no.zip").write_bytes(b"PK\3\4 no archive")
    status, told = verdict(tmp_path / "no.zip", scored, capsys)
    assert status == 2 and "cannot be read as a submission" in told


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("scores.json", b'{"model": {}}', "is required"),
        ("scores.json", b"{", "cannot be read as JSON"),
        ("pairs.parquet", b"PAR1 and no more PAR1", "cannot be read as Parquet"),
        ("released_pairs.parquet", None, "column score of released_pairs.parquet is absent"),
    ],
)
def test_files_that_are_not_what_they_should_be_are_told(scored, tmp_path, capsys, name, content, message):
    held = members(scored / "packed/tfidf.zip")
    if content is None:
        forged_table(name, lambda table: table.drop("score"))(held)
    else:
        held[name] = content
    status, told = verdict(packed(tmp_path / "broken.zip", held), scored, capsys)
    assert status == 2 and message in told and f"authbench: {tmp_path / 'broken.zip'}" in told
    assert main(["leaderboard", str(tmp_path / "broken.zip"), "--out", str(tmp_path / "board")]) == 2
    assert f"authbench: {tmp_path / 'broken.zip'}" in capsys.readouterr().err


def test_a_column_or_a_key_that_is_there_twice_is_refused(scored, tmp_path, capsys):
    held = members(scored / "packed/tfidf.zip")
    table = pl.read_parquet(io.BytesIO(held["pairs.parquet"])).to_arrow()
    kept = io.BytesIO()
    pq.write_table(table.append_column("score", table["score"]), kept)
    status, told = verdict(packed(tmp_path / "twice.zip", {**held, "pairs.parquet": kept.getvalue()}), scored, capsys)
    assert status == 2 and "column score of pairs.parquet is there twice" in told
    doubled = held["scores.json"].replace(b'"overall":', b'"overall": {}, "overall":', 1)
    status, told = verdict(packed(tmp_path / "key.zip", {**held, "scores.json": doubled}), scored, capsys)
    assert status == 2 and "the key 'overall' comes twice" in told


def test_a_table_of_many_constant_columns_is_refused(scored, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("authbench.scoring.submissions.archive.MOST_BYTES", 8 << 20)
    held = members(scored / "packed/tfidf.zip")
    rows, kept = 100_000, io.BytesIO()
    column = pa.array(np.zeros(rows, np.int8)).dictionary_encode()
    pq.write_table(pa.table([column] * 100, [f"c{k}" for k in range(100)]), kept, row_group_size=rows)
    status, told = verdict(packed(tmp_path / "wide.zip", {**held, "pairs.parquet": kept.getvalue()}), scored, capsys)
    assert status == 2 and "would expand to" in told


def test_a_folder_of_submissions_makes_the_board_of_their_folders(scored, tmp_path):
    assert main(["leaderboard", str(scored / "out"), "--out", str(tmp_path / "plain")]) == 0
    assert main(["leaderboard", str(scored / "packed"), "--out", str(tmp_path / "board")]) == 0
    for table in ("overall.csv", "headline.csv", "gains.csv", "pairwise.csv", "scores.csv"):
        assert (tmp_path / "board" / table).read_bytes() == (tmp_path / "plain" / table).read_bytes(), table
    listed = pl.read_csv(tmp_path / "board/submissions.csv")
    assert listed.columns == ["name", "model", "command", "contributor"]
    assert sorted(listed["name"]) == ["random", "tfidf"]


def test_a_submission_stands_beside_results_under_the_name_that_its_maker_gave(scored, tmp_path):
    file = tmp_path / "mine.zip"
    assert main(["publish", "submit", str(scored / "out/tfidf"), "--name", "mine", "--out", str(file), *FIELDS]) == 0
    assert main(["leaderboard", str(scored / "out"), str(file), "--out", str(tmp_path / "board")]) == 0
    assert sorted(pl.read_csv(tmp_path / "board/overall.csv")["model"]) == ["mine", "random", "tfidf"]


def test_a_name_that_would_leave_the_board_is_refused(scored, tmp_path, refused):
    command = ["publish", "submit", str(scored / "out/tfidf"), "--out", str(tmp_path / "x.zip")]
    assert main([*command, "--name", "../up"]) == 2
    held = members(scored / "packed/tfidf.zip")
    described = json.loads(held["submission.json"]) | {"name": "../up"}
    held["submission.json"] = json.dumps(described).encode()
    (tmp_path / "in").mkdir()
    packed(tmp_path / "in/x.zip", held)
    assert "names the model '../up'" in refused(["leaderboard", str(tmp_path / "in"), "--out", str(tmp_path / "board")])
