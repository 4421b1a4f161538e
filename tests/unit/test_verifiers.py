"""Claims about verifiers: what they answer, and that nothing but pairs and seed decides it."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from shared_folders import oracle

from authbench.config.registry.load import list_entries, load_entry
from authbench.core.errors import InputError
from authbench.scoring.metrics.pan import evaluate
from authbench.scoring.verifiers import Bench, answer, encoder, naive, ppm, topicfit
from authbench.scoring.verifiers.naive import order_as_numpy_once_did
from authbench.scoring.verifiers.parameters import EncoderParameters, ExternalParameters
from authbench.scoring.verifiers.requested import VERIFIERS, VerifierEntry
from authbench.scoring.verifiers.texts import both_texts, distinct, languages
from authbench.scoring.verifiers.thresholds import GRID, Thresholds, overall_on_grid, rescale, search


def of_pairs(pairs, labels):
    first, second = zip(*pairs, strict=True)
    ids = [f"p{k:04d}" for k in range(len(pairs))]
    return pl.DataFrame({"id": ids, "text1": first, "text2": second, "same": [bool(label) for label in labels]})


def test_the_oracle_of_the_naive_cosine_holds():
    reference = oracle("naive_cosine")
    for case in reference["cases"]:
        pairs = of_pairs(case["pairs"], case["labels"])
        vectorizer = naive.fitted_vectorizer(both_texts(pairs), "char", case["ngram_size"], case["vocab_size"])
        found = naive.similarities(vectorizer, pairs)
        assert found == pytest.approx(np.array(case["similarities"]), abs=reference["tolerance"]), case["name"]
        for thresholds, expected in case["corrected"].items():
            corrected = rescale(found, Thresholds(*map(float, thresholds.split(","))))
            assert corrected == pytest.approx(np.array(expected), abs=1e-8), (case["name"], thresholds)
        if "grid_search" in case:
            chosen, truth = search(pairs["same"].to_numpy(), found), pairs["same"].to_numpy()
            expected = case["grid_search"]
            best = evaluate(truth, rescale(found, chosen))["overall"]
            assert round(best, 3) == expected["overall_rounded_3"], case["name"]
            assert chosen == pytest.approx((expected["p1"], expected["p2"])), case["name"]


def test_the_oracle_of_corrected_scores_holds():
    reference = oracle("naive_cosine")
    for case in reference["correct_scores_edges"]:
        corrected = rescale(np.array(case["scores"], float), Thresholds(case["p1"], case["p2"]))
        assert corrected == pytest.approx(np.array(case["expected"]), abs=reference["tolerance"])


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1).map(lambda x: round(x, 2))), min_size=1, max_size=60))
def test_the_grid_is_scored_as_the_measures_score(problems):
    truth, similarities = (np.array(column) for column in zip(*problems, strict=True))
    p1, p2 = np.array([GRID[3], GRID[20], GRID[60]]), np.array([GRID[5], GRID[90], GRID[61]])
    found = overall_on_grid(truth.astype(bool), similarities, p1, p2)
    for value, *thresholds in zip(found, p1, p2, strict=True):
        expected = evaluate(truth.astype(bool), rescale(similarities, Thresholds(*thresholds)))["overall"]
        assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_the_oracle_of_compression_holds():
    reference = oracle("compression")
    released = reference["tools"]["pan21_released_model"]
    for case in reference["cases"]:
        pair = of_pairs([(case["text1"], case["text2"])], [case["same"]])
        for order, expected in case["orders"].items():
            found = ppm.cross_entropies(pair, int(order))
            wanted = [expected["h_text2_given_text1"], expected["h_text1_given_text2"]]
            assert found[0] == pytest.approx(wanted, abs=reference["tolerance_cross_entropy"]), (case["name"], order)
            assert ppm.features(found)[0] == pytest.approx(
                expected["pan21_features"], abs=reference["tolerance_rounded"]
            )
        if "pan21_released_model_order5" in case:
            expected = case["pan21_released_model_order5"]
            weight = np.dot(ppm.features(ppm.cross_entropies(pair, 5))[0], released["coef"]) + released["intercept"]
            probability = np.array([1 / (1 + np.exp(-weight))])
            for name, value in expected.items():
                if name.startswith("answer_radius_"):
                    found = ppm.answers(probability, float(name.removeprefix("answer_radius_")))[0]
                    assert found == pytest.approx(value, abs=1e-3), (case["name"], name)


def plain_cross_entropy(known, asked, order):
    """The same by dictionaries, as the definition reads."""
    counts = {}
    for i, char in enumerate(known):
        for length in range(min(i, order) + 1):
            of_context = counts.setdefault(known[i - length : i], {})
            of_context[char] = of_context.get(char, 0) + 1
    total = 0.0
    for i, char in enumerate(asked):
        seen = [counts.get(asked[i - length : i], {}) for length in range(min(i, order), -1, -1)]
        p = next((own[char] / sum(own.values()) for own in seen if char in own), 1 / 256)
        total -= np.log2(p)
    return total / len(asked)


@given(st.text("ab c", min_size=1, max_size=40), st.text("ab d", min_size=1, max_size=40), st.integers(0, 6))
def test_compiled_compression_counts_as_dictionaries_do(one, other, order):
    found = ppm.cross_entropies(of_pairs([(one, other)], [True]), order)[0]
    assert found == pytest.approx([plain_cross_entropy(one, other, order), plain_cross_entropy(other, one, order)])


def test_a_text_of_nothing_costs_eight_bits_a_character():
    assert ppm.cross_entropies(of_pairs([("", "abc")], [True]), 5).tolist() == [[8.0, 8.0]]


WORDS = ("storm", "harbour", "lantern", "meadow", "copper", "violet", "anchor", "barley", "cinder", "willow")


def styled(count=60, seed=0):
    """Pairs of two authors who write alike but for their punctuation and favourite words; every text is different."""
    random = np.random.default_rng(seed)

    def text(author):
        own = [WORDS[author * 4 + k] for k in range(4)] if random.random() < 0.9 else list(WORDS)
        marks = ("; ", " - ", "... ")[author % 3]
        return marks.join(" ".join(random.choice(own, 4)) for _ in range(8))

    pairs, labels = [], []
    for _ in range(count):
        one = int(random.integers(2))
        same = bool(random.random() < 0.5)
        pairs.append((text(one), text(one if same else 1 - one)))
        labels.append(same)
    return of_pairs(pairs, labels)


QUICK_UNMASKING = {"rounds": 4, "features": 20, "folds": 2, "removed": 2, "chunk_trigrams": 50, "chunks": 6}
COMMAND = f"""{sys.executable} -c "
import json, sys
lines = open(sys.argv[1] + '/pairs.jsonl')
answers = [json.dumps({{'id': json.loads(line)['id'], 'value': 0.25}}) for line in lines]
open(sys.argv[2] + '/answers.jsonl', 'w').write(chr(10).join(answers))
" {{test}} {{out}}"""


@pytest.fixture
def own_pages(tmp_path):
    """A small verifier of every kind, as pages."""
    pages = {
        "unmasking": {"kind": "unmasking", "parameters": QUICK_UNMASKING},
        "tfidf": {"kind": "model", "parameters": {"model": "tfidf"}},
        "outside": {"kind": "external", "parameters": {"command": COMMAND}},
        "short": {"kind": "topicfit", "parameters": {"masked": 1}},
        "lambdag": {"kind": "lambdag", "parameters": {"order": 3, "references": 3, "mask": "none"}},
        "impostors": {"kind": "impostors", "parameters": {"rounds": 5}},
    }
    for name, page in pages.items():
        (tmp_path / f"{name}.yaml").write_text(json.dumps({"title": name} | page))
    return {name: str(tmp_path / f"{name}.yaml") for name in pages} | {
        name: name for name in ("naive", "ppm", "ensemble")
    }


def test_every_verifier_gives_scores_that_depend_on_pairs_and_seed_alone(own_pages, tmp_path):
    train, test = styled(12, 1), styled(6, 2)
    for name, asked in own_pages.items():
        verifier = load_entry(VERIFIERS, asked)
        found = answer(verifier, train, train, test, Bench(1, tmp_path / name))
        assert found["id"].to_list() == test["id"].to_list(), name
        assert found["value"].is_between(0, 1).all(), name
        again = answer(verifier, train, train, test.reverse(), Bench(1, tmp_path / f"{name} again"))
        assert found["value"].to_list() == again.reverse()["value"].to_list(), name


def test_baselines_tell_authors_apart_who_can_be_told_apart(tmp_path):
    train, test = styled(60, 1), styled(60, 2)
    for name in ("naive", "ppm", "ensemble", "topicfit"):
        found = answer(load_entry(VERIFIERS, name), train, train, test, Bench(1, tmp_path))
        score = evaluate(test["same"].to_numpy(), found["value"].to_numpy())
        assert score["auc"] > 0.8, name


def test_a_topic_fit_verifier_sees_no_masked_word(tmp_path):
    train = of_pairs(
        [("the cat and the dog", "the sun and the moon")] * 4 + [("cat dog", "cat dog")] * 4, [0] * 4 + [1] * 4
    )
    masked = topicfit.most_frequent(both_texts(train), 2)
    assert masked == {"the", "cat"} or len(masked) == 2
    assert topicfit.mask("The sun, THE moon", frozenset({"the"})) == "*** sun, *** moon"


def test_an_ensemble_is_the_mean_of_its_members(tmp_path):
    train, test = styled(30, 1), styled(10, 2)
    scores = {
        name: answer(load_entry(VERIFIERS, name), train, train, test, Bench(1, tmp_path))["value"].to_numpy()
        for name in ("naive", "ppm", "ensemble")
    }
    assert scores["ensemble"] == pytest.approx((scores["naive"] + scores["ppm"]) / 2)


@pytest.mark.parametrize("label", [True, False])
def test_pairs_of_one_class_teach_nothing_and_are_refused(tmp_path, label):
    pairs = styled(10).with_columns(same=pl.lit(label))
    with pytest.raises(InputError, match=f"none of the 10 pairs is {'by two authors' if label else 'by one author'}"):
        answer(load_entry(VERIFIERS, "naive"), pairs, pairs, pairs, Bench(1, tmp_path))


@cases
def test_a_command_that_fails_is_told(tmp_path, command, said):
    verifier = VerifierEntry("own", "own", "external", ExternalParameters(command, 600))
    pairs = styled(6, 3)
    with pytest.raises(InputError, match=said):
        answer(verifier, pairs, pairs, pairs, Bench(1, tmp_path))


def ends_within(seconds, process):
    """Return whether the process ends, or is left as a zombie, in that time: a killed process may take a moment."""
    status = Path(f"/proc/{process}/status")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if "\nState:\tZ" in status.read_text():
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def test_a_command_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path):
    command, child, pairs = f"sh -c 'sleep 600 & echo $! > {tmp_path}/child; wait'", tmp_path / "child", styled(6, 3)
    for limit in (0.5, 5, 60):  # on a busy machine the shell may need a while to start anything
        verifier = VerifierEntry("own", "own", "external", ExternalParameters(command, limit))
        with pytest.raises(InputError, match=f"not done after {limit} seconds"):
            answer(verifier, pairs, pairs, pairs, Bench(1, tmp_path))
        if child.exists() and child.read_text():
            break
    assert ends_within(60, int(child.read_text()))


def test_a_command_has_a_time_limit_unless_its_entry_says_another(tmp_path):
    entry = {"title": "x", "kind": "external", "parameters": {"command": "true"}}
    (tmp_path / "own.yaml").write_text(json.dumps(entry))
    assert load_entry(VERIFIERS, str(tmp_path / "own.yaml")).parameters.time_limit == 14_400


def test_a_verifier_that_is_not_there_is_told_with_the_nearest(tmp_path):
    with pytest.raises(InputError, match="did you mean 'naive'"):
        load_entry(VERIFIERS, "naiv")
    (tmp_path / "own.yaml").write_text("title: x\nkind: naive\nparameters: {ngram: 3}\n")
    with pytest.raises(InputError, match="ngram: unknown key"):
        load_entry(VERIFIERS, str(tmp_path / "own.yaml"))


def test_every_page_of_the_registry_is_a_verifier():
    for name in list_entries(VERIFIERS):
        assert load_entry(VERIFIERS, name).name == name


@cases
def test_sanity_rows_answer_pairs_too_and_know_a_habit_of_marks_if_they_see_it(name, least, most, tmp_path):
    train, test = styled(60, 3), styled(60, 4)
    found = answer(load_entry(VERIFIERS, name), train, train, test, Bench(1, tmp_path))
    assert found["value"].is_between(0, 1).all()
    assert least <= evaluate(test["same"].to_numpy(), found["value"].to_numpy())["auc"] <= most
    empty = of_pairs([("", ""), ("", "words")], [1, 0])
    assert answer(load_entry(VERIFIERS, name), train, train, empty, Bench(1, tmp_path)).height == 2


def test_models_that_look_at_no_text_are_refused(tmp_path):
    verifier = VerifierEntry("m", "m", "model", EncoderParameters("metadata", fine_tune=False))
    pairs = styled(6, 3)
    with pytest.raises(InputError, match="language or source"):
        answer(verifier, pairs, pairs, pairs, Bench(1, tmp_path))


def test_texts_too_short_to_count_leave_no_answer_or_a_reason(tmp_path):
    short = of_pairs([("a", "b"), ("a", "a")] * 4, [0, 1] * 4)
    with pytest.raises(InputError, match="Give longer texts"):
        answer(load_entry(VERIFIERS, "naive"), short, short, short, Bench(1, tmp_path))
    found = answer(load_entry(VERIFIERS, "ppm"), short, short, of_pairs([("", "")], [1]), Bench(1, tmp_path))
    assert found.height == 1


def test_a_sort_as_numpys_once_was_is_a_sort():
    random = np.random.default_rng(1)
    for size in (1, 17, 300, 2_000):
        values = random.integers(0, 20, size)
        order = order_as_numpy_once_did(values)
        assert sorted(order) == list(range(size))
        assert (np.diff(values[order]) >= 0).all()


def test_texts_that_pairs_join_are_one_authors():
    pairs = of_pairs([("a", "b"), ("b", "c"), ("d", "e"), ("a", "d")], [1, 1, 1, 0])
    texts, authors = encoder.texts_by_author(pairs)
    groups = {frozenset(text for text, own in zip(texts, authors, strict=True) if own == author) for author in authors}
    assert groups == {frozenset("abc"), frozenset("de")}


def test_a_model_that_learns_nothing_is_not_tuned(tmp_path):
    pairs = styled(6, 3)
    verifier = VerifierEntry("m", "m", "model", EncoderParameters("tfidf", fine_tune=True, batch=2))
    with pytest.raises(InputError, match="cannot be tuned"):
        answer(verifier, pairs, pairs, pairs, Bench(1, tmp_path))


def test_a_transformer_is_tuned_on_the_fold_where_asked(checkpoint, tmp_path):
    pytest.importorskip("datasets", reason="the extra `models` is not installed")
    told = {"checkpoint": str(checkpoint), "pooling": "mean", "max_tokens": 32}
    page = {"title": "tiny", "group": "embedding", "kind": "transformer", "parameters": told}
    (tmp_path / "tiny.yaml").write_text(json.dumps(page))
    train, test = styled(16, 3), styled(4, 4)
    found = {}
    for tuned in (False, True):
        parameters = {"model": str(tmp_path / "tiny.yaml"), "fine_tune": tuned, "batch": 2, "learning_rate": 1e-2}
        (tmp_path / "own.yaml").write_text(json.dumps({"title": "own", "kind": "model", "parameters": parameters}))
        bench = Bench(1, tmp_path / str(tuned))
        fitted = encoder.fit(train, load_entry(VERIFIERS, str(tmp_path / "own.yaml")).parameters, bench)
        found[tuned] = encoder.similarities(fitted, test)
    assert not np.allclose(found[False], found[True], atol=1e-4)


@pytest.mark.parametrize("name", ["content-words", "masked"])
def test_words_are_told_apart_within_the_language_of_a_pair(tmp_path, name):
    """A word is frequent in its own language, whatever the pairs in another say."""
    pairs = {}
    for lang in ("en", "de"):
        words = [lang + chr(97 + n // 26) + chr(97 + n % 26) for n in range(600)]  # more than are frequent
        drawn = np.random.default_rng(len(pairs)).integers(0, 600, (40, 60))
        texts = [" ".join(words[place] for place in row) for row in drawn]
        pairs[lang] = of_pairs([(texts[n], texts[n + 1]) for n in range(39)], [n % 2 for n in range(39)])
        pairs[lang] = pairs[lang].with_columns(id=pl.col("id") + lang, lang=pl.lit(lang))
    (tmp_path / "own.yaml").write_text(f"title: Own\nkind: model\nparameters: {{model: {name}, fine_tune: false}}\n")
    parameters = load_entry(VERIFIERS, str(tmp_path / "own.yaml")).parameters
    both = pl.concat(pairs.values())
    fitted = encoder.fit(both, parameters, Bench(1, tmp_path))
    assert fitted.reference["lang"].to_list().count("de") == fitted.reference["lang"].to_list().count("en")
    told = encoder.similarities(fitted, pairs["de"])
    untold = encoder.similarities(
        encoder.fit(both.drop("lang"), parameters, Bench(1, tmp_path)), pairs["de"].drop("lang")
    )
    assert not np.allclose(told, untold)
    if name == "content-words":
        alone = encoder.similarities(encoder.fit(pairs["de"], parameters, Bench(1, tmp_path)), pairs["de"])
        assert told == pytest.approx(alone, abs=1e-6)


def test_the_language_of_a_text_is_that_of_its_pairs_where_they_tell_it():
    pairs = of_pairs([("a", "b"), ("b", "c"), ("d", "d")], [1, 0, 1]).with_columns(lang=pl.Series(["en", None, None]))
    texts, _, _ = distinct(pairs)
    assert dict(zip(texts, languages(pairs, texts), strict=True)) == {"a": "en", "b": "en", "c": "", "d": ""}
    assert languages(pairs.drop("lang"), texts) == [""] * 4
