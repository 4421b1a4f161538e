"""Claims about the four functions of the package, called as a user would."""

import doctest
import json
import shutil
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sound_release import write_sound

import authbench
from authbench.app import api
from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.release.format.release import Release


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a sound release in it."""
    folder = tmp_path_factory.mktemp("home")
    write_sound(folder / "release")
    return folder


@pytest.fixture
def here(home, monkeypatch):
    monkeypatch.chdir(home)
    return home


def test_the_examples_hold(here):
    found = doctest.testmod(api, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert (found.failed, found.attempted >= 12) == (0, True)


def test_a_notebook_shows_what_a_release_is(here):
    shown = authbench.load("release")._repr_html_()
    assert "<td>train, dev, test</td>" in shown and f"<td>{authbench.__version__}</td>" in shown
    shown = Release(here / "<b>", ("test",), {}, unverified="a & b")._repr_html_()
    assert "<td>&lt;b&gt;</td>" in shown and "a &amp; b" in shown


def test_importing_the_package_imports_nothing_else():
    named = "('polars', 'numpy', 'authbench.app.api')"
    code = f"import sys, authbench; print([name for name in {named} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert {"load", "check", "evaluate", "audit"} <= set(dir(authbench))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = authbench.nothing


def test_a_broken_release_is_told_with_ids(here, tmp_path):
    shutil.copytree("release", tmp_path / "release")
    path = tmp_path / "release/test/candidates.jsonl"
    first, *others = path.read_text(encoding="utf-8").splitlines(keepends=True)
    row = json.loads(first)
    path.write_text(json.dumps({**row, "content": row["content"] + " more"}) + "\n" + "".join(others), encoding="utf-8")
    broken = {violation.code: violation.ids for violation in authbench.check(tmp_path / "release")}
    assert any(row["candidate_id"] in ids for ids in broken.values())
    with pytest.raises(InputError, match="contradicts"):
        authbench.load(tmp_path / "release")
    assert authbench.load(tmp_path / "release", unverified=True).unverified


def test_pairs_whose_truth_is_not_that_of_the_release_are_refused(here, tmp_path):
    shutil.copytree("release", tmp_path / "release")
    path = tmp_path / "release/test/pairs.parquet"
    second = pl.int_range(pl.len()).over("group") == 1
    pl.read_parquet(path).with_columns(same=second).write_parquet(path)
    with pytest.raises(InputError, match="ground_truth.jsonl"):
        authbench.evaluate(authbench.load(tmp_path / "release", unverified=True), "random")


def test_scores_are_those_of_the_command(here, tmp_path):
    found = authbench.evaluate(authbench.load("release"), ["tfidf", "metadata"], out=tmp_path / "by function")
    command = ["evaluate", "release", "--model", "tfidf", "--model", "metadata", "--out", str(tmp_path / "by command")]
    assert main(command) == 0
    for name, scores in found.items():
        assert scores == json.loads((tmp_path / "by command" / name / "scores.json").read_bytes())
        assert scores["settings"]["seed"] == authbench.load("release").seed != 0


def test_the_results_of_a_function_make_a_leaderboard(here, tmp_path):
    def encode(texts):
        return np.array([[text.count(" "), text.count("a"), 1] for text in texts])

    authbench.evaluate("release", {"mine": encode, "tfidf": "tfidf"}, out=tmp_path)
    assert main(["leaderboard", str(tmp_path)]) == 0
    assert "| mine |" in (tmp_path / "leaderboard/overall.md").read_text()


@pytest.mark.parametrize(
    "encode",
    [
        lambda texts: [[1.0, 2.0]],
        lambda texts: [1.0] * len(texts),
        lambda texts: [["a"]] * len(texts),
        lambda texts: [[]] * len(texts),
        lambda texts: [[1.0], [1.0, 2.0]],
        lambda texts: [[float("nan")]] * len(texts),
        lambda texts: [[1e300]] * len(texts),
    ],
)
def test_a_function_that_gives_no_vectors_is_refused_by_its_name(here, encode):
    with pytest.raises(InputError, match="^mine returned|^mine raised"):
        authbench.evaluate("release", {"mine": encode})


@pytest.mark.parametrize("name", ["../mine", "", "random", "MINE", 1])
def test_a_function_is_not_called_for_a_name_that_no_results_can_have(here, tmp_path, name):
    asked = []
    with pytest.raises(InputError):
        authbench.evaluate("release", {"mine": asked.append, name: asked.append}, out=tmp_path / "out")
    assert (asked, list(tmp_path.iterdir())) == ([], [])


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("load", {"release": 1}),
        ("check", {"release": None}),
        ("check", {"release": "release", "settings": 1}),
        ("evaluate", {"release": 1, "models": "tfidf"}),
        *(
            ("evaluate", {"release": "release", "models": "tfidf", **one})
            for one in (
                {"models": 1},
                {"models": [1]},
                {"models": {"mine": 1}},
                {"seed": 2**64},
                {"seed": "1"},
                {"split": 1},
                {"dev": 1},
                {"out": 1},
                {"cache": 1},
            )
        ),
        *(
            ("audit", {"source": "release", **one})
            for one in ({"source": [1]}, {"source": 1}, {"scores": [1]}, {"seed": 2**64}, {"texts": 0}, {"columns": 1})
        ),
    ],
)
def test_an_argument_of_another_kind_is_told_by_its_name(here, call, given):
    with pytest.raises(InputError, match=f"^({'|'.join([*given, 'mine'])}): "):
        getattr(authbench, call)(**given)


def test_nothing_to_evaluate_and_unknown_names_are_told(here):
    with pytest.raises(InputError, match="nothing to evaluate"):
        authbench.evaluate("release", [])
    with pytest.raises(InputError, match="no_such_model"):
        authbench.evaluate("release", "no_such_model")
    with pytest.raises(InputError, match="no such folder"):
        authbench.load("nowhere")


def test_the_command_takes_the_seed_of_the_release(here, tmp_path):
    assert main(["evaluate", "release", "--model", "random", "--out", str(tmp_path)]) == 0
    stated = json.loads((here / "release/manifest.json").read_bytes())["config"]["seed"]
    assert json.loads((tmp_path / "random/scores.json").read_bytes())["settings"]["seed"] == stated != 0


def test_the_package_audits_after_any_other_call(here, tmp_path):
    authbench.load("release")
    found = authbench.audit("release", out=tmp_path / "audit")
    assert isinstance(found, api.Audit) and (tmp_path / "audit/index.html").is_file()
