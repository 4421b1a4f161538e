"""Every command works from a wheel, in an environment of what it declares, from a folder without a checkout."""

import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from audited import rows, write_csv
from hub_cache import put_into_cache
from installed import build_wheel, install
from published import PAGES, contents, documents_of, prose, write_raw, write_whole
from sound_release import write_sound

from authbench.release.format.release import open_release
from authbench.scoring.evaluation.split import read_split

ROOT = Path(__file__).parents[2]
OWN_FIELDS = {"text": "letter", "author": "writer", "id": "nr", "lang": {"const": "en"}, "genre": {"const": "blog"}}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    return install(wheel, tmp_path_factory.mktemp("installed"), "build")


@pytest.fixture(scope="module")
def base(wheel, tmp_path_factory):
    return install(wheel, tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published") / "raw"
    write_raw(folder)
    return folder


@pytest.fixture(scope="module")
def release(raw):
    write_whole(raw.parent / "release", documents_of(raw, raw.parent / "work"))
    return raw.parent / "release"


@pytest.fixture(scope="module")
def scores(installed, release):
    (installed.here / "config/models").mkdir(parents=True)
    shutil.copyfile(ROOT / "config/models/tfidf.yaml", installed.here / "config/models/mine.yaml")
    told = installed.told("evaluate", release, "--model", "tfidf", "--model", "mine", "--out", "scores")
    assert "tfidf" in told
    return installed.here / "scores"


def test_the_wheel_holds_each_file_that_the_repository_links_to(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name.removeprefix("authbench/core/shipped/") for name in archive.namelist() if "/shipped/" in name}
    shipped = ROOT / "workflow/authbench/core/shipped"
    links = [link for pattern in ("*", "project/*", "project/workflow/*") for link in shipped.glob(pattern)]
    links = [link for link in links if link.is_symlink()]
    places = [path for link in links for path in ([link] if link.is_file() else sorted(link.rglob("*")))]
    files = {path.relative_to(ROOT / "workflow/authbench/core/shipped").as_posix() for path in places if path.is_file()}
    files = {name for name in files if "__pycache__" not in name and "/." not in name}
    assert len(files) > 300
    assert packed == files | {"__init__.py"}


def test_sources_lists_all_that_are_shipped(installed):
    shown = {line.split()[0] for line in installed.told("sources", "list").splitlines()[1:]}
    assert {path.stem for path in (ROOT / "config/sources").glob("*.yaml")} <= shown


def test_plan_knows_the_measured_rates(installed):
    assert "all, one after another" in installed.told(
        "plan", "--documents", "1e6", "--mean-chars", "2000", "--cores", "4"
    )


def test_check_measures_a_release_by_the_shipped_rules(installed, tmp_path):
    write_sound(tmp_path / "release")
    assert json.loads(installed.told("check", tmp_path / "release", "--json"))["sound"]
    (tmp_path / "release/funnel.csv").write_text("source,stage,reason,documents\n", encoding="utf-8")
    assert installed.run("check", tmp_path / "release").returncode == 1


def test_evaluate_and_leaderboard_compare_a_shipped_model_and_an_own_one(installed, scores):
    assert sorted(path.parent.name for path in scores.glob("*/scores.json")) == ["mine", "tfidf"]
    installed.told("leaderboard", scores)
    page = (scores / "leaderboard/index.html").read_text(encoding="utf-8")
    assert "tfidf" in page and "</html>" in page


def test_a_function_vectors_and_a_run_are_scored_without_an_entry(installed, release):
    split = read_split(open_release(release), "test")
    ids = split.documents["id"].to_list()
    encode = "import numpy as np\ndef encode(texts):\n    return np.array([[len(t), t.count('a'), 1] for t in texts])\n"
    (installed.here / "own_encoder.py").write_text(encode, encoding="utf-8")
    texts = split.documents["content"].to_list()
    np.savez(installed.here / "own.npz", ids=ids, vectors=[[len(text), text.count("a"), 1] for text in texts])
    asked = [(ids[query], [one for one in range(split.candidates) if one != query]) for query in split.asks]
    lines = [f"{query} Q0 {ids[one]} 0 {-one} own\n" for query, others in asked for one in others]
    (installed.here / "own.run").write_text("".join(lines), encoding="utf-8")
    for given in (("--model", "own_encoder:encode"), ("--vectors", "own.npz"), ("--run", "own.run", "--name", "run")):
        installed.told("evaluate", release, *given, "--out", "given")
    found = {
        path.parent.name: json.loads(path.read_text()) for path in (installed.here / "given").glob("*/scores.json")
    }
    assert sorted(found) == ["own", "own_encoder.encode", "run"]
    assert found["own"]["overall"] == found["own_encoder.encode"]["overall"]
    installed.told("leaderboard", "given")
    assert "there is no such module" in installed.refusal("evaluate", release, "--model", "none:x", "--out", "n")


def test_a_result_is_packed_and_held_to_the_release(installed, release, scores):
    packed = installed.here / "submissions/tfidf.zip"
    packed.parent.mkdir()
    installed.told("publish", "submit", scores / "tfidf", "--contributor", "Us", "--model", "tfidf", "--out", packed)
    assert "tfidf" in installed.told("publish", "validate", packed, "--release", release)
    installed.told("leaderboard", packed.parent, "--release", release)
    page = (packed.parent / "leaderboard/index.html").read_text(encoding="utf-8")
    assert (
        "tfidf" in page and "another edition" not in page and (packed.parent / "leaderboard/submissions.csv").exists()
    )
    broken = installed.here / "broken.zip"
    broken.write_bytes(packed.read_bytes()[:-200])
    assert "broken.zip" in installed.refusal("publish", "validate", broken, "--release", release)


def test_a_corpus_of_ones_own_is_read_by_the_rules_of_the_package(installed):
    """As docs/adding-a-source.md says, in a folder without a checkout; the rest of a build is that of every other."""
    (installed.here / "config/sources").mkdir(parents=True, exist_ok=True)
    entry = {**PAGES["letters"], "files": ["*.csv"], "reader": {"format": "csv"}, "fields": OWN_FIELDS}
    (installed.here / "config/sources/own.yaml").write_text(yaml.safe_dump(entry), encoding="utf-8")
    (installed.here / "mine.yaml").write_text("name: mine\nsources: [own]\n", encoding="utf-8")
    (installed.here / "resources/raw/own").mkdir(parents=True)
    rows = "".join(f"{number},writer {number % 7},{prose(number, 40)}\n" for number in range(35))
    (installed.here / "resources/raw/own/posts.csv").write_text(f"nr,writer,letter\n{rows}", encoding="utf-8")
    counts = "results/mine/ingest/own/counts.json"
    installed.told("build", counts, "--configfile", "mine.yaml", "--cores", "1")
    found = json.loads((installed.here / counts).read_text(encoding="utf-8"))
    assert found["sources"]["own"]["kept"] == 35
    planned = installed.run("build", "--configfile", "mine.yaml", "--dry-run", "--quiet", "host")
    assert planned.returncode == 0 and "rule write_release:" in planned.stdout + planned.stderr
    assert "sampel: unknown key" in installed.run("build", "--config", "sampel=1").stderr


def test_style_scores_a_model_on_a_release(installed, release):
    datasets = ("--dataset", "release_retrieval", "--release", release)
    installed.told("style", "run", ".", "--model", "tfidf", *datasets, "--out", "style")
    assert "</html>" in (installed.here / "style/report/index.html").read_text(encoding="utf-8")


def test_verifiers_answer_pairs_and_are_scored(installed):
    rows = [
        {"author": f"a{author}", "topic": f"t{topic}", "text": prose((author, topic), 150)}
        for author in range(24)
        for topic in range(4)
    ]
    documents = installed.here / "documents.jsonl"
    documents.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    installed.told("pan", "pairs", "documents.jsonl", "--out", "pairs", "--setting", "closed")
    data = ("--train", "pairs/train-small", "--test", "pairs/test")
    installed.told("pan", "run", *data, "--verifier", "naive", "--out", "answers")
    answers = ("--truth", "pairs/test", "--answers", "answers/naive")
    assert "naive" in installed.told("pan", "evaluate", *answers, "--out", "pan")
    assert "</html>" in (installed.here / "pan/index.html").read_text(encoding="utf-8")


def test_raven_finds_which_verifiers_follow_topics(installed):
    sizes = ("--topics", "4", "--folds", "2", "--seeds", "1", "--sizes", "--encoder", "tfidf")
    installed.told("raven", "run", "planted", "--verifier", "naive", *sizes, "--out", "raven")
    assert "</html>" in (installed.here / "raven/report/index.html").read_text(encoding="utf-8")


def test_own_sources_are_listed_and_a_bundle_of_theirs_is_rebuilt(installed, release, raw):
    own = installed.here / "config/sources"
    own.mkdir(parents=True, exist_ok=True)
    for tag, entry in PAGES.items():
        (own / f"{tag}.yaml").write_text(yaml.safe_dump(entry), encoding="utf-8")
    shown = {line.split()[0] for line in installed.told("sources", "list").splitlines()}
    assert {*PAGES, "blog_authorship"} <= shown
    installed.told("release", "export", release, "--form", "public", "--out", "public")
    installed.told("release", "rebuild", "public", "--raw", raw, "--out", "again")
    assert contents(installed.here / "again") == contents(release)


def test_export_writes_a_card(installed, release):
    installed.told("release", "export", release, "--form", "huggingface", "--with-tier-b", "--out", "huggingface")
    assert (installed.here / "huggingface/README.md").read_text(encoding="utf-8").startswith("---")


def test_a_release_does_not_differ_from_itself(installed, release):
    installed.told("release", "diff", release, release)


def test_compiled_code_lies_in_the_users_cache(installed, scores):
    assert list(installed.cache.glob("authbench/compiled/evaluation/*/*.nbc"))
    package = next(installed.python.parents[1].glob("lib/*/site-packages/authbench"))
    assert not list(package.rglob("*.nb[ci]"))


def test_without_extras_releases_are_checked_audited_and_scored(base, release):
    write_sound(base.here / "sound")
    assert "not checked: figures and report" in base.told("check", "sound")
    audited = base.run("audit", release, "--out", "audit")
    assert audited.returncode == 0 and "pip install 'authbench[plots]'" in audited.stderr
    page = (base.here / "audit/index.html").read_text(encoding="utf-8")
    assert "</html>" in page and "<svg" not in page
    base.told("evaluate", release, "--model", "tfidf", "--out", "scores")
    assert (base.here / "scores/tfidf/scores.json").is_file()
    assert "pip install 'authbench[plots]'" in base.refusal("leaderboard", "scores")
    assert "pip install 'authbench[build]'" in base.refusal("build", "--cores", "1")


def test_without_extras_a_dataset_in_the_cache_of_the_hub_is_audited_and_scored(base, tmp_path):
    (tmp_path / "posts").mkdir()
    write_csv(tmp_path / "posts/train.csv", rows(8, 4))
    put_into_cache(base.cache / "huggingface/hub", "owner/posts", tmp_path / "posts")
    base.told("audit", "hf:owner/posts", "--out", "of-the-hub")
    found = json.loads((base.here / "of-the-hub/audit.json").read_text(encoding="utf-8"))
    assert found["dataset"]["documents"] == 32
    base.told("evaluate", "hf:owner/posts", "--model", "tfidf", "--out", "scores-of-the-hub")
    scored = json.loads((base.here / "scores-of-the-hub/tfidf/scores.json").read_text(encoding="utf-8"))
    assert (scored["benchmark"]["queries"], scored["benchmark"]["verified"]) == (32, False)


@pytest.mark.parametrize(
    ("extra", "arguments"),
    [
        ("models", ("evaluate", "RELEASE", "--model", "bge-m3", "--out", "none")),
        ("models", ("evaluate", "RELEASE", "--model", "BAAI/bge-m3", "--out", "none")),
        ("models", ("train", "RELEASE", "--model", "bge-m3", "--watch", "test", "--out", "none")),
        ("acquire", ("sources", "acquire", "arxiv")),
    ],
)
def test_a_missing_extra_is_one_line_that_names_it(installed, release, extra, arguments):
    said = installed.run(*(str(release) if one == "RELEASE" else one for one in arguments))
    assert said.returncode == 2
    assert f"pip install 'authbench[{extra}]'" in said.stderr
    assert "Traceback" not in said.stderr
