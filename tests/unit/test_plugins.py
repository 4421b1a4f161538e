"""What packages of others add: found by name, imported only then, stated with version and digest, told where wrong."""

import json
import re
import shutil
import sys
from pathlib import Path

import polars as pl
import pytest
from cases import cases
from defaults import section
from plugged import PLUGINS, forget, install
from published import ABOUT, opened, publish
from read_content import read_content
from scored_release import write_scored_release

from authbench.app.cli import main
from authbench.app.config_checks import CHECKS
from authbench.build.filter.decide import apply_filters, beside
from authbench.build.filter.measure import measure_texts
from authbench.build.filter.settings import filter_problems
from authbench.build.release.statement import versions_for
from authbench.config.filter_rules import filter_rules
from authbench.config.plugins import find_plugin, identities, load_filter, load_metric, measured, plugin_problems
from authbench.config.registry.entries import default_settings
from authbench.config.registry.load import load_entry
from authbench.config.registry.readers import make_reader, plugins_of
from authbench.config.registry.sources import SOURCES
from authbench.config.settings.publish import FORMS
from authbench.core.errors import InputError
from authbench.models.open import open_model
from authbench.models.requested import load_model
from authbench.publish.attestation.reproduce import reproduce
from authbench.publish.attestation.statement import CODE, code_digest
from authbench.publish.export import run
from authbench.publish.export.run import export
from authbench.release.checking.settings import check_settings, loosest
from authbench.release.reading.rows import BadRow
from authbench.scoring.review.sheets import measures
from authbench.scoring.verifiers import Bench, answer
from authbench.scoring.verifiers.requested import VerifierEntry, load_verifier

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/plug-ins.md"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages on the path of Python."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    forget()
    yield folder
    forget()


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return publish(tmp_path_factory.mktemp("made"))[1]


def test_the_examples_of_the_guide_are_the_packages_tested_here():
    there = "\n".join(path.read_text(encoding="utf-8") for path in PLUGINS.glob("*/*.*"))
    examples = re.findall(r"^```(?:python|toml)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert examples and [example for example in examples if example.strip() not in there] == []


def test_the_digest_is_of_the_whole_package_and_nothing_is_imported_for_it(site):
    module = install("titles", site)
    first = find_plugin("exports", "titles")
    assert (first.package, first.version, first.target) == ("authbench-titles", "1.0", "titles:write")
    module.write_text(module.read_text() + "\n# changed\n")
    assert find_plugin("exports", "titles").code_sha256 != first.code_sha256
    module.unlink()
    (site / "titles").mkdir()
    for name in ("__init__.py", "words.txt"):
        (site / "titles" / name).write_text("")
    inside = find_plugin("exports", "titles").code_sha256
    (site / "titles/words.txt").write_text("a list")
    assert find_plugin("exports", "titles").code_sha256 != inside
    assert "titles" not in sys.modules


def test_a_name_that_is_missing_misspelt_or_twice_there_is_told(site):
    install("titles", site)
    (problem,) = plugin_problems("publish.forms", "exports", ["beir", "titels"], FORMS)
    assert "publish.forms" in problem and "did you mean 'titles'?" in problem
    config = {**default_settings(), "publish": {"forms": ["titles", "berr"]}}
    assert [problem for check in CHECKS for problem in check(config) if "'beir'" in problem]
    shutil.copytree(site / "authbench_titles-1.0.dist-info", site / "other-2.dist-info")
    (site / "other-2.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 2\n")
    with pytest.raises(InputError, match=r"(?=.*authbench-titles 1\.0)(?=.*other 2)"):
        find_plugin("exports", "titles")
    (site / "titles.py").unlink()
    shutil.rmtree(site / "other-2.dist-info")
    with pytest.raises(InputError, match="titles of authbench-titles 1.0"):
        identities("exports", ["titles"])


def test_the_names_of_forms_are_stated_once_more_for_the_settings():
    assert set(FORMS) == set(run.FORMS)


def test_a_form_of_a_plug_in_is_written_and_its_code_stated(site, release, tmp_path):
    install("titles", site)
    export(opened(release), "beir", tmp_path / "beir", ABOUT, True)
    assert "titles" not in sys.modules
    export(opened(release), "titles", tmp_path / "out", ABOUT, True)
    assert (tmp_path / "out/test.txt").read_text().startswith("doc_")
    assert "test.txt" in (tmp_path / "out/SHA256SUMS").read_text()
    graph = {one["@id"]: one for one in json.loads((tmp_path / "out/ro-crate-metadata.json").read_text())["@graph"]}
    stated = graph[graph["#export"]["instrument"]["@id"]]
    assert (stated["softwareVersion"], stated["sha256"]) == ("1.0", find_plugin("exports", "titles").code_sha256)


def test_a_form_that_fails_or_writes_nothing_is_told_by_its_package(site, release, tmp_path):
    module = install("titles", site)
    with pytest.raises(InputError, match=r"broken of authbench-titles 1\.0 raised KeyError: .*titles\.py, line"):
        export(opened(release), "broken", tmp_path / "out", ABOUT, True)
    del sys.modules["titles"]
    module.write_text("def write(folder, release, about):\n    pass  # a module of another size\n")
    with pytest.raises(InputError, match=r"titles of authbench-titles 1\.0 wrote no file"):
        export(opened(release), "titles", tmp_path / "out", ABOUT, True)
    assert not (tmp_path / "out").exists()


# Filters


THRESHOLDS = {**section("filter"), "plugins": {"shouting": 0.5}}
TEXTS = pl.Series(["HELLO there", "LOUD AND CLEAR", "42"])


def decided(settings):
    """The reason, value and threshold of each text that goes, by its key."""
    documents = pl.DataFrame({"doc_key": ["a", "b", "c"], "lang": "en", "content": TEXTS})
    numbers = measure_texts(documents, ["en"]).with_columns(
        measured(*load_filter("shouting"), TEXTS, documents["lang"])
    )
    others = {"source": "s", "genre": "news", "task": "t", "token_length": 10}
    documents = documents.with_columns(**{name: pl.lit(value) for name, value in others.items()})
    found = apply_filters(beside(documents, numbers), settings)
    mine = found.filter(pl.col("reason") == "shouting")
    return list(mine.select("doc_key", "reason", "value", "threshold").iter_rows())


def test_a_filter_drops_what_is_beyond_its_threshold_and_nothing_that_it_cannot_measure(site):
    module = install("shouting", site)
    assert decided(THRESHOLDS) == [("b", "shouting", 1.0, 0.5)]
    assert decided({**THRESHOLDS, "plugins": {}}) == []
    module.write_text(module.read_text().replace('"above"', '"below" '))
    del sys.modules["shouting"]
    assert decided({**THRESHOLDS, "plugins": {"shouting": 1.0}}) == [("a", "shouting", 0.5, 1.0)]


def test_a_sheet_for_review_shows_the_measurement_and_its_side(site):
    install("shouting", site)
    told = measures({"lang": "en", "plugins.shouting": 0.25}, filter_rules(THRESHOLDS))
    assert ("plugins.shouting", "0.25", "goes above 0.5") in told


@cases
def test_a_filter_that_returns_no_number_for_each_text_is_told(site, body, said):
    module = install("shouting", site)
    tail = module.read_text().partition("\n\n\nSHOUTING")[2]
    module.write_text(
        f"from authbench.config.plugins import TextFilter\n\n\n"
        f"def measure(texts, languages):\n    {body}\n\n\nSHOUTING{tail}"
    )
    with pytest.raises(InputError, match=rf"shouting of authbench-shouting 1\.2 {re.escape(said)}.*Expected measure"):
        measured(*load_filter("shouting"), TEXTS, pl.Series(["en"] * 3))


@cases
def test_an_unusable_filter_is_a_problem_of_the_settings(site, line, said):
    module = install("shouting", site)
    module.write_text(f"{module.read_text()}\n{line}\n")
    config = {**default_settings(), "filter": THRESHOLDS}
    (problem,) = filter_problems(config)
    assert problem.startswith("filter.plugins") and said in problem


def test_a_merged_release_has_the_filters_that_both_releases_had():
    one, other = ({"filter": {"plugins": plugins}} for plugins in ({"a": 1.0, "b": 2.0}, {"b": 2.0, "c": 3.0}))
    assert loosest(one, other, ["filter"])["filter"]["plugins"] == {"b": 2.0}


def test_settings_without_a_filter_that_was_granted_are_looser():
    granted = {"filter": {"plugins": {"shouting": 0.5}}}
    for plugins, codes in (({}, 1), ({"shouting": 0.6}, 1), ({"shouting": 0.5, "other": 1.0}, 0)):
        found = [one.id for one in check_settings({"filter": {"plugins": plugins}}, granted)]
        assert found == ["filter.plugins"] * codes


def test_verify_names_a_filter_whose_code_is_another_one(site, tmp_path):
    install("shouting", site)
    config = {"name": "x", "safety": {"scorers": []}, "filter": {"plugins": {"shouting": 0.5}}}
    code = {"name": CODE, "digest": {"sha256": code_digest()}}
    given = {"config": config, "sources": {}, "skipped_sources": []}
    stated = {**versions_for(config), "filter.plugins.shouting": "authbench-shouting 1.1, code 0"}
    statement = {
        "subject": [{"name": "manifest.json", "digest": {"sha256": "0"}}],
        "predicate": {
            "buildDefinition": {"externalParameters": given, "resolvedDependencies": [code]},
            "runDetails": {"builder": {"version": stated}},
        },
    }

    def build(folder, arguments):
        (folder / "results/x/release").mkdir(parents=True)
        return 0, ""

    found = reproduce(statement, tmp_path, build)
    (note,) = [reason for reason in found.reasons if "perhaps" in reason]
    assert found.status == 1 and str(find_plugin("filters", "shouting")) in note and "authbench-shouting 1.1" in note


# Readers


def read_subtitles(folder, content, **options):
    reader = make_reader({"format": "plugin", "name": "subtitles", "options": options})
    return read_content(folder / "film.srt", content.encode("utf-16" if options else "utf-8"), reader, 60)


def test_a_reader_of_a_plug_in_yields_records_and_accounts_for_each(site, tmp_path):
    install("subtitles", site)
    film = f"1\n00:01\nHello.\n\n2\n\n\n3\n00:02\n{'x' * 60}"
    for options in ({}, {"encoding": "utf-16"}):
        rows, units = read_subtitles(tmp_path, film, **options)
        assert rows[0] == {"number": "1", "time": "00:01", "text": "Hello."}
        assert [one.position for one in rows if isinstance(one, BadRow)] == ["record 2", "record 3"]
        assert (units.found, units.records, units.bad) == (3, 1, 2)


@pytest.mark.parametrize(
    "body", ["yield 1", "yield None", "yield {1: 'text'}", "yield {}['text']", "return 1", "raise SystemExit"]
)
def test_a_reader_that_fails_is_named_with_its_package(site, tmp_path, body):
    module = install("subtitles", site)
    module.write_text(f"def read(stream, options):\n    {body}\n")
    with pytest.raises(InputError) as told:
        read_subtitles(tmp_path, "1\n00:01\nHello.")
    assert "subtitles of authbench-subtitles 0.1" in str(told.value)


def test_a_source_whose_reader_is_not_installed_is_refused_before_anything_runs(site, tmp_path):
    entry = (ROOT / "config/sources/douban.yaml").read_text(encoding="utf-8")
    path = tmp_path / "films.yaml"
    path.write_text(re.sub("^reader:.*$", "reader: {format: plugin, name: subtitles}", entry, flags=re.M))
    with pytest.raises(InputError) as told:
        load_entry(SOURCES, str(path))
    assert "reader.name" in str(told.value)
    install("subtitles", site)
    assert plugins_of(load_entry(SOURCES, str(path)).entry["reader"]) == ["subtitles"]
    assert versions_for(default_settings(), ["subtitles"])["reader.subtitles"] == str(
        find_plugin("readers", "subtitles")
    )


# Models


def test_a_model_of_a_plug_in_is_scored_with_its_package_and_digest_stated(site, tmp_path):
    module = install("endings", site)
    write_scored_release(tmp_path / "release", 12)
    command = ["evaluate", str(tmp_path / "release"), "--out", str(tmp_path / "scores"), "--model", "endings"]
    assert main(command) == 0
    stated = json.loads((tmp_path / "scores/endings/scores.json").read_text())["model"]["parameters"]
    plugin = find_plugin("models", "endings")
    assert (stated["package"], stated["code_sha256"]) == ("authbench-endings 0.3", plugin.code_sha256)
    module.write_text("import nowhere")
    with pytest.raises(InputError, match=r"endings \(endings:encode\) of authbench-endings 0\.3 cannot be imported"):
        open_model(load_model("endings"))
    module.write_text("def encode(texts):\n    return 'nothing'\n")
    with pytest.raises(InputError, match=r"endings \(endings:encode\) of authbench-endings 0\.3 returned"):
        open_model(load_model("endings")).embed(pl.DataFrame({"content": ["a"]}))
    with pytest.raises(InputError, match="did you mean 'endings'"):
        load_model("ending")


# Metrics


PRECISION = "plugins.average_precision"


def score(site, *more):
    """Score a model with the metric; return the status and the folder of results."""
    folder = site.parent
    if not (folder / "release").is_dir():
        write_scored_release(folder / "release", 24)
    arguments = ["evaluate", str(folder / "release"), "--out", str(folder / "scores"), "--metric", "average_precision"]
    return main([*arguments, *(more or ["--model", "tfidf"])]), folder / "scores"


def test_a_metric_is_computed_overall_and_by_slice_and_in_every_pool(site):
    install("precision", site)
    status, out = score(site, "--model", "tfidf", "--model", "random")
    assert status == 0
    scores = json.loads((out / "tfidf/scores.json").read_text())
    plugin = find_plugin("metrics", "average_precision")
    assert scores["versions"][PRECISION] == str(plugin)
    assert scores["metrics"] == {PRECISION: load_metric("average_precision")[1].about}
    pairs = pl.read_parquet(out / "tfidf/pairs.parquet").filter(kind="positive")
    for cell, rank in ((scores["overall"], "rank"), (scores["overall"]["within_language"], "rank_language")):
        ranks = pairs.drop_nulls(rank).group_by("query").agg(pl.col(rank).sort())[rank]
        found = [sum((n + 1) / rank for n, rank in enumerate(of_query)) / len(of_query) for of_query in ranks]
        assert cell[PRECISION] == pytest.approx(sum(found) / len(found))
    low, high = scores["overall"]["intervals"][PRECISION]
    assert low < scores["overall"][PRECISION] < high
    assert PRECISION in scores["by_source"]["s"] and PRECISION in pl.read_parquet_schema(out / "tfidf/queries.parquet")
    assert main(["leaderboard", str(out)]) == 0
    board, table = (out / "leaderboard").glob("index.html"), pl.read_csv(out / "leaderboard/overall.csv")
    assert dict(table.select("model", "average_precision (plug-in)").iter_rows())["tfidf"] == pytest.approx(
        scores["overall"][PRECISION]
    )
    assert scores["metrics"][PRECISION].replace("'", "&#39;") in next(board).read_text()
    listed = pl.read_csv(out / "leaderboard/scores.csv").filter(model="tfidf", metric=PRECISION)
    assert {"overall", "by_source"} <= set(listed["facet"])
    tables = ["tables", str(out / "tfidf"), str(out / "random"), "--metric", PRECISION]
    assert main([*tables, "--out", str(out / "tables")]) == 0
    assert "average_precision (plug-in)" in (out / "tables/index.html").read_text()


def test_a_list_that_lacks_a_positive_gives_no_value_of_a_metric(site):
    install("precision", site)
    _, out = score(site)
    first = pl.col("nearest", "scores").list.first()
    rows = pl.read_parquet(out / "tfidf/queries.parquet").select("id", first).iter_rows()
    run = "".join(f"{query} Q0 {candidate} 1 {value} x\n" for query, candidate, value in rows)
    (site.parent / "short.run").write_text(run)
    assert score(site, "--run", str(site.parent / "short.run"))[0] == 0
    scores = json.loads((out / "short/scores.json").read_text())
    assert scores["overall"][PRECISION] is None and "not every positive" in scores["left_out"][PRECISION]


@cases
def test_a_metric_that_fails_is_told_by_its_package(site, capsys, line, said):
    module = install("precision", site)
    module.write_text(f"{module.read_text()}\n{line}\n")
    assert score(site)[0] == 2
    assert f"average_precision of authbench-precision 2.0 {said}" in capsys.readouterr().err


def test_a_metric_that_is_not_installed_is_a_problem_of_the_settings(site):
    config = default_settings()
    config = {**config, "evaluate": {**config["evaluate"], "metrics": ["average_precision"]}}
    assert [problem for check in CHECKS for problem in check(config) if "evaluate.metrics" in problem]
    install("precision", site)
    assert [problem for check in CHECKS for problem in check(config) if "evaluate.metrics" in problem] == []


def test_a_submission_is_computed_again_with_the_code_that_it_states_only(site, capsys):
    module = install("precision", site)
    _, out = score(site)
    packed, release = out / "tfidf.zip", site.parent / "release"
    about = ["--contributor", "Us", "--model", "https://example.org/model"]
    assert main(["publish", "submit", str(out / "tfidf"), "--out", str(packed), *about]) == 0
    validate = ["publish", "validate", str(packed), "--release", str(release)]
    assert main(validate) == 0
    module.write_text("raise SystemExit('imported, though the submission states other code')\n")
    forget()
    capsys.readouterr()
    assert main(validate) == 1
    assert str(find_plugin("metrics", "average_precision")) in "".join(capsys.readouterr())


def test_results_of_two_editions_of_a_metric_are_not_compared(site):
    module = install("precision", site)
    _, out = score(site)
    module.write_text(f"{module.read_text()}\n# changed\n")
    score(site, "--model", "random")
    assert main(["leaderboard", str(out)]) == 2


# Verifiers


def pairs_of(marks):
    """Pairs of texts, and whether both are by one author."""
    rows = [{"id": str(n), "text1": one, "text2": other, "same": same} for n, (one, other, same) in enumerate(marks)]
    return pl.DataFrame(rows)


LEARNT = pairs_of([("a!", "b!", True), ("a!!", "b.", False)])


def test_a_verifier_of_a_plug_in_learns_and_answers(site, tmp_path):
    install("endings", site)
    verifier = load_verifier("same_endings")
    plugin = find_plugin("verifiers", "same_endings")
    assert verifier.as_dict()["parameters"] == {
        "plugin": "same_endings",
        "package": "authbench-endings 0.3",
        "code_sha256": plugin.code_sha256,
    }
    found = answer(VerifierEntry.from_dict(verifier.as_dict()), LEARNT, LEARNT, LEARNT.drop("same"), Bench(1, tmp_path))
    assert found["value"].to_list() == pytest.approx([1.0, 0.5])
    (tmp_path / "mine.yaml").write_text("title: Mine\nkind: plugin\nparameters: {plugin: same_endings}\n")
    assert load_verifier(str(tmp_path / "mine.yaml")).parameters == verifier.parameters
    with pytest.raises(InputError, match="did you mean 'same_endings'"):
        load_verifier("same_ending")


@cases
def test_a_verifier_that_fails_is_told_by_its_package(site, tmp_path, line, said):
    module = install("endings", site)
    module.write_text(f"{module.read_text()}\n\n{line}\n")
    with pytest.raises(InputError, match=rf"same_endings of authbench-endings 0\.3 {said}.*Expected an object"):
        answer(load_verifier("same_endings"), LEARNT, LEARNT, LEARNT, Bench(1, tmp_path))
