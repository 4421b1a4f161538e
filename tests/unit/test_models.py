"""Claims about the models of the registry and about scoring one."""

import hashlib
import json
import math
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest
from cases import cases, read_cases
from scipy.sparse import hstack
from scored_release import evaluated
from sklearn.feature_extraction.text import TfidfVectorizer
from split_folder import write_release

from authbench.app.cli import main
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.load import list_entries, load_entry
from authbench.core.errors import InputError
from authbench.core.function_words import read_function_words
from authbench.core.records import LANGUAGES
from authbench.models.entries import MODELS, evaluated_together
from authbench.models.function_words import frequencies
from authbench.models.lexical import ngram_vectors
from authbench.models.open import open_model
from authbench.models.parameters import parameters_of
from authbench.models.parts_of_speech import tagger
from authbench.scoring.evaluation.verification import NEGATIVES

ROOT = Path(__file__).parents[2]
ENTRIES = list_entries(MODELS)
TO_BE_FITTED = [name for name in ENTRIES if name.startswith("tfidf-")]  # on corpora that are not here
REGISTERED = [name for name in ENTRIES if name not in (*TO_BE_FITTED, "lisa")]  # lisa's code is the user's
OF_PAIRS = [name for name in REGISTERED if not load_entry(MODELS, name).parameters.embeds]  # test_calibrated.py
LIGHT = [name for name in REGISTERED if name not in OF_PAIRS and load_entry(MODELS, name).kind != "transformer"]


def documents(**columns):
    height = len(next(iter(columns.values())))
    usual = {"lang": "en", "source": "s", "genre": "blog", "content": "some words here", "token_length": 50}
    ids = [f"doc_{k:06d}" for k in range(height)]
    return pl.DataFrame({"id": ids, **{name: columns.get(name, [value] * height) for name, value in usual.items()}})


def vectors(name, table):
    found = open_model(load_entry(MODELS, name)).embed(table)
    return found if isinstance(found, np.ndarray) else found.toarray()


def test_entries_name_the_commit_of_their_checkpoint_or_say_that_it_is_not_known():
    pages = {name: (ROOT / f"config/models/{name}.yaml").read_text(encoding="utf-8") for name in REGISTERED}
    stated = {
        name: re.findall(r"^  revision: (\w+)(.*)$", page, re.M)
        for name, page in pages.items()
        if re.search(r"^  checkpoint: (?!package:)", page, re.M)
    }
    assert len(stated) > 80 and all(len(found) == 1 for found in stated.values())
    known = {name for name, [(commit, _)] in stated.items() if re.fullmatch("[0-9a-f]{40}", commit)}
    assert len(known) >= 40
    assert all("not known" in stated[name][0][1] and stated[name][0][0] == "null" for name in stated.keys() - known)


@pytest.mark.parametrize("name", LIGHT)
def test_every_registered_model_gives_unit_vectors_that_depend_on_no_order(name):
    chance = Random(4)
    texts = [" ".join(chance.choices(["night", "Day", "rain", "sun", "it's", "雨", "太陽"], k=12)) for _ in range(30)]
    table = documents(content=texts, token_length=[chance.randint(1, 900) for _ in texts])
    found = vectors(name, table)
    lengths = np.linalg.norm(found, axis=1)
    assert np.allclose(lengths[lengths > 0], 1.0, atol=1e-5)
    turned = vectors(name, table.reverse())[::-1]
    assert np.allclose(found @ found.T, turned @ turned.T, atol=1e-5)


def test_the_metadata_row_sees_no_word_and_tells_lengths_apart():
    table = documents(content=["one", "two", "three"], token_length=[100, 110, 900])
    found = vectors("metadata", table)
    same, near, far = (float(found[0] @ found[k]) for k in range(3))
    assert same == pytest.approx(1.0, abs=1e-5)
    assert far < near < same
    assert (found == vectors("metadata", table.with_columns(content=pl.lit("else")))).all()


def a_page_of_ngrams(folder, **parameters):
    parts = [{"analyzer": "word", "n": [1, 1]}]
    page = {
        "title": "mine",
        "group": "lexical",
        "kind": "ngrams",
        "parameters": {"parts": parts, "lower_case": True, "sublinear": False} | parameters,
    }
    (folder / "mine.yaml").write_text(json.dumps(page))
    return str(folder / "mine.yaml")


def test_ngrams_fitted_on_a_corpus_know_its_words_alone_and_name_it_by_its_hash(tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"content": "night and day"}\n{"content": "night and rain"}\n')
    page = a_page_of_ngrams(tmp_path, fit_on="corpus.jsonl")
    before = load_entry(MODELS, page).parameters.corpus_sha256
    assert before == hashlib.sha256(corpus.read_bytes()).hexdigest()
    found = vectors(page, documents(content=["day sun", "sun sun", "day moon"]))
    assert found.shape == (3, 4)
    assert found @ found.T == pytest.approx(np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]]))
    corpus.write_text('{"content": "sun"}\n')
    assert load_entry(MODELS, page).parameters.corpus_sha256 != before


@pytest.mark.parametrize(("text", "message"), [(None, "fit_on: there is no file corpus"), ("{}", "line 1: no content")])
def test_a_corpus_that_cannot_be_had_is_told(tmp_path, text, message):
    if text:
        (tmp_path / "corpus").write_text(text)
    with pytest.raises(InputError, match=message):
        vectors(a_page_of_ngrams(tmp_path, fit_on="corpus"), documents(content=["day"]))


def test_without_a_tagger_the_mixture_says_that_it_has_no_parts_of_speech():
    model = load_entry(MODELS, "ngram-mixture")
    has = [part.analyzer for part in model.parameters.parts]
    assert ("pos" in has) == (tagger() is not None) == ("left out" not in model.title)
    assert model.parameters.tagger == tagger()


def test_parts_of_speech_alone_tell_no_words_apart(tmp_path):
    if tagger() is None:
        pytest.skip("spaCy and en_core_web_sm are not installed")
    page = a_page_of_ngrams(tmp_path, parts=[{"analyzer": "pos", "n": [1, 2]}])
    texts = ["The old dog slept.", "The new cat jumped.", "Run!", "Der alte Hund schlief."]
    found = vectors(page, documents(content=texts, lang=["en", "en", "en", "de"]))
    assert found[0] @ found[1] == pytest.approx(1.0, abs=1e-5)
    assert found[0] @ found[2] < 0.9
    assert not found[3].any()


def test_function_words_are_counted_as_words_phrases_characters_and_endings():
    assert frequencies("Instead of the end, the END.", "en", ["the", "instead of", "en"]) == [2 / 6, 1 / 6, 0]
    assert frequencies("我的书是你的", "zh", ["的", "我的"]) == [2 / 6, 1 / 6]
    assert frequencies("나는 학교에서 왔다", "ko", ["-는", "-에서", "는"]) == [1 / 3, 1 / 3, 0]


def test_there_are_as_many_english_function_words_as_steb_counts_and_some_in_every_language():
    lists = read_function_words()
    assert tuple(sorted(lists)) == tuple(sorted(LANGUAGES))
    assert sum(" " not in word for word in lists["en"]) == 390
    assert sum(" " in word for word in lists["en"]) == 69
    assert all(len(words) >= 100 for words in lists.values())


def test_style_is_told_apart_where_no_word_is_shared():
    shouting = ["WHAT?! NO!!! OH MY... YES!!!", "STOP!!! HEY!!! WHY?! GO AWAY!!!"]
    quiet = ["it was late; the rain, as ever, fell on the roofs.", "they walked on, slowly; nobody spoke of home."]
    found = vectors("stylometric", documents(content=[*shouting, *quiet]))
    assert found[0] @ found[1] > 0.3 > found[0] @ found[2]


def test_sanity_rows_are_scored_in_one_job_unless_they_are_files_functions_or_networks():
    row = load_entry(MODELS, "edges")
    others = {"function": {"function": "own:encode"}, "vectors": {"file": "own.npz"}}
    given = {kind: replace(row, kind=kind, parameters=parameters_of(kind, held)) for kind, held in others.items()}
    network = replace(load_entry(MODELS, "all-minilm-l6-v2"), group="sanity")
    models = {"edges": row, "tfidf": load_entry(MODELS, "tfidf"), "network": network, **given}
    assert evaluated_together(models) == {"edges": row}


def test_a_page_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match=r"there is no file .*mine.yaml"):
        load_entry(MODELS, str(tmp_path / "mine.yaml"))


@cases
def test_a_page_that_is_no_model_is_told_in_words(tmp_path, page, message):
    (tmp_path / "mine.yaml").write_text(page)
    with pytest.raises(InputError, match=message):
        load_entry(MODELS, str(tmp_path / "mine.yaml"))


def test_evaluate_writes_scores_with_intervals_slices_and_chance_beside_them(tmp_path, capsys):
    release = write_release(tmp_path / "release", authors=44)
    evaluated(release, tmp_path / "out", "tfidf", "random")
    assert "tfidf: S@5 1.000" in capsys.readouterr().out
    scores = json.loads((tmp_path / "out/tfidf/scores.json").read_text())
    overall = scores["overall"]
    assert (overall["queries"], overall["authors"], overall["pool"]) == (44, 44, 131)
    assert overall["ndcg@5"] == overall["mrr"] == 1.0
    assert overall["eer"] == 0.0
    assert overall["random_expectation"]["success@1"] == pytest.approx(2 / 131)
    assert overall["within_language"]["pool"] == 65
    assert set(scores["by_language"]) == {"de", "en"}
    assert scores["by_language"]["de"]["queries"] == 22
    chance = json.loads((tmp_path / "out/random/scores.json").read_text())["overall"]
    assert chance["intervals"]["eer"][0] < 0.5 < chance["intervals"]["eer"][1]
    queries = pl.read_parquet(tmp_path / "out/tfidf/queries.parquet")
    assert queries["mrr"].mean() == overall["mrr"]
    pairs = pl.read_parquet(tmp_path / "out/tfidf/pairs.parquet")
    counts = dict(pairs["kind"].value_counts().iter_rows())
    assert counts == {"positive": 44 * 2} | dict.fromkeys(NEGATIVES, 44 * 50)


def test_too_few_authors_have_counts_and_no_score(tmp_path):
    release = write_release(tmp_path / "release", authors=5)
    assert main(["evaluate", str(release), "--model", "tfidf", "--out", str(tmp_path / "out")]) == 0
    overall = json.loads((tmp_path / "out/tfidf/scores.json").read_text())["overall"]
    assert (overall["queries"], overall["authors"]) == (5, 5)
    assert "mrr" not in overall


def test_two_runs_write_the_same_bytes(tmp_path):
    release = write_release(tmp_path / "release", authors=24)
    for out in ("one", "two"):
        main(["evaluate", str(release), "--model", "tfidf", "--out", str(tmp_path / out)])
    assert (tmp_path / "one/tfidf/scores.json").read_bytes() == (tmp_path / "two/tfidf/scores.json").read_bytes()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "test/queries.jsonl").unlink(), "queries.jsonl: there is no such file"),
        (lambda folder: (folder / "test/queries.jsonl").write_text(""), "queries.jsonl: lacks 5 ids"),
        (lambda folder: (folder / "test/queries.jsonl").write_text('{"query_id": "doc_000000"}\n'), "line 1: no lang"),
        (lambda folder: (folder / "test").rename(folder / "other"), "no such split"),
    ],
)
def test_a_release_that_lacks_something_is_told_and_nothing_is_written(tmp_path, refused, spoil, message):
    release = write_release(tmp_path / "release", authors=5)
    spoil(release)
    assert message in refused(["evaluate", str(release), "--model", "tfidf", "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", TO_BE_FITTED)
def test_a_model_of_a_corpus_that_is_not_here_says_where_to_put_it(name):
    path = ENTRIES[name]
    corpus = (path.parent / read_yaml(path)["parameters"]["fit_on"]).resolve()
    assert corpus.parent == ROOT / "resources/corpora"
    if corpus.is_file():
        pytest.skip(f"{corpus} is there")
    with pytest.raises(InputError, match=rf"{corpus.name}\. Expected candidates, or a file"):
        load_entry(MODELS, name)


# The rows of STEB's table 6 (appendix A) and the pages that are these models.
TABLE_6 = read_cases(Path(__file__))["TABLE_6"]
CAUSAL = {row for row in TABLE_6 if row.startswith(("GPT", "OPT", "Qwen2", "Qwen3-0", "Qwen3.5"))}
MASKED = {row for row in TABLE_6 if row.startswith(("BERT", "RoBERTa", "DeBERTa", "ModernBERT"))}


def test_lisa_runs_by_the_code_of_the_manual_and_says_what_is_missing_without_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="lisa: there is no such module"):
        load_entry(MODELS, "lisa")
    manual = (ROOT / "docs/style.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n( *# lisa.py.*?)```", manual, re.DOTALL)
    (tmp_path / "lisa.py").write_text(textwrap.dedent(code), encoding="utf-8")
    steb = tmp_path / "steb/models"
    steb.mkdir(parents=True)
    (steb / "__init__.py").touch()
    (steb.parent / "__init__.py").touch()
    (steb / "lisa_model.py").write_text(
        "import numpy as np\n"
        "class LISAModel:\n"
        "    def __init__(self, folder):\n"
        "        assert folder == 'lisa'\n"
        "    def embed_multiple(self, episodes, batch_size):\n"
        "        return np.array([[len(episode), len(episode[0]), 1.0] for episode in episodes])\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = vectors("lisa", documents(content=["abc", "abcdef"]))
    assert found == pytest.approx(np.array([[1, 3, 1], [1, 6, 1]]) / np.sqrt([[11], [38]]), abs=1e-6)


def test_the_models_of_steb_s_table_6_are_registered():
    assert set(TABLE_6.values()) <= set(ENTRIES)


def test_masked_models_are_pooled_by_the_mean_and_causal_ones_by_the_last_token():
    pooled = {row: load_entry(MODELS, TABLE_6[row]).parameters.pooling for row in CAUSAL | MASKED}
    assert {row for row, pooling in pooled.items() if pooling == "last"} == CAUSAL
    assert {row for row, pooling in pooled.items() if pooling == "mean"} == MASKED


def test_every_transformer_of_the_registry_reads_at_least_as_much_as_in_the_paper():
    entries = [load_entry(MODELS, name) for name in REGISTERED]
    models = [one for one in entries if getattr(one.parameters, "long_texts", "truncate") == "truncate"]
    assert not [one.name for one in models if getattr(one.parameters, "max_tokens", 512) < 512]
    assert [one.name for one in entries if one not in models] == ["luar-mud-mv"]


def test_centred_ngrams_compare_texts_less_the_mean_of_their_language():
    texts = ["abab cd", "abcd", "zzz", "xyxy z", "xyz", "no other", "cdab", "xzzy", "une autre", "zzz"]
    langs = ["en", "en", "de", "de", "de", "hi", "en", "de", "fr", "de"]
    documents = pl.DataFrame({"id": list(map(str, range(10))), "content": texts, "lang": langs})
    plain, centred = (open_model(load_entry(MODELS, name)) for name in ("char-ngram", "char-ngram-centred"))
    queries = np.array([6, 7, 8, 9, 5, 0], np.int32)
    expected = np.zeros((len(queries), 6))
    for lang in set(langs):
        of = [row for row in range(10) if langs[row] == lang]
        known = sum(row < 6 for row in of)
        compared = plain.compare(documents[of], known, np.arange(len(of), dtype=np.int32))
        rows = compared.queries.toarray().astype(float)
        rows -= compared.candidates.toarray().sum(axis=0) / max(known, 1)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-3)
        for place, query in enumerate(queries):
            if langs[query] == lang:
                expected[place, of[:known]] = rows[of.index(query)] @ rows[:known].T
    compared = centred.compare(documents, 6, queries)
    products = (compared.queries @ compared.candidates.T).toarray()
    assert products == pytest.approx(expected, abs=1e-5)
    assert abs(products).max() > 0.5 and (products[4] == 0).all()  # the only text in Hindi is its language's mean


def test_shapes_are_counted_as_scikit_learn_counts_texts_whose_words_are_a_letter():
    texts = ["Well - 12 cats, no?", "É, naïve!\n\nYes: 3.5", "他说：“好！”", "हिन्दी १२।", ""]
    documents = pl.DataFrame({"content": texts, "lang": ["en", "fr", "zh", "hi", "en"]})
    shapes = ["a - 0 a, a?", "a, a!\n\na: 0.0", "a：“a！”", "a 0।", ""]
    entry = parameters_of(
        "ngrams",
        {"parts": [{"analyzer": "char", "n": [1, 2]}, {"analyzer": "shape", "n": [1, 3], "weight": 0.5}],
         "lower_case": False, "sublinear": True},
    )  # fmt: skip
    parts = [
        TfidfVectorizer(analyzer="char", ngram_range=n, lowercase=False, sublinear_tf=True).fit_transform(read)
        for read, n in ((texts, (1, 2)), (shapes, (1, 3)))
    ]
    expected = hstack([parts[0], 0.5 * parts[1]]).toarray() / math.hypot(1, 0.5)
    assert ngram_vectors(documents, 5, entry, lambda: iter([])).toarray() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_centred_ngrams_of_few_texts_are_finite(count):
    documents = pl.DataFrame({"id": ["a", "b"], "content": ["", "a text"], "lang": ["en", "en"]})[:count]
    compared = open_model(load_entry(MODELS, "char-ngram-centred")).compare(documents, count, np.array([0], np.int32))
    assert np.isfinite((compared.queries @ compared.candidates.T).toarray()).all()
