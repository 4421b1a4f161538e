"""How toxic is a text, and who says so?"""

import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cases import cases, read_cases
from hypothesis import given
from hypothesis import strategies as st
from shared_folders import DATA, skip_without_corpus

from authbench.build.safety import BATCH, ScoreStore, make_scorers, score_texts, text_digest
from authbench.build.safety.wordlist import ANY, LIST, WordListScorer, load_wordlist, read_word_lists
from authbench.core.errors import InputError
from authbench.core.records import LANGUAGES

WORDS = load_wordlist()


@dataclass
class Counting:
    """A scorer that says how often it was asked."""

    identity: str = "counting 1"
    languages: frozenset[str] = frozenset({"en"})
    value: float = 0.5
    asked: list[str] = field(default_factory=list)

    def score(self, texts, langs):
        self.asked.extend(texts)
        return [self.value] * len(texts)


def test_all_ten_languages_have_a_list_of_mild_and_of_severe_terms():
    assert WORDS.languages == set(LANGUAGES)
    for lang in LANGUAGES:
        severities = WORDS.lists[lang][0].values()
        assert any(s > 0.8 for s in severities) and any(0.2 < s < 0.7 for s in severities), lang


def test_every_term_of_every_list_is_found_in_a_text_of_its_language_at_its_severity_or_above():
    for lang, (terms, _) in WORDS.lists.items():
        for term, severity in terms.items():
            score, found = WORDS.explain(term.strip("*"), lang)
            assert score >= severity, (lang, term, found)


@cases
def test_innocent_text_that_looks_like_abuse_stays_below_the_threshold(lang, text):
    score, found = WORDS.explain(text, lang)
    assert score <= 0.8, found


@cases
def test_abuse_is_found_whatever_its_case_inflection_and_spacing(lang, text):
    assert WORDS.explain(text, lang)[0] > 0.8
    assert WORDS.explain(unicodedata.normalize("NFD", text), lang)[0] > 0.8


def test_a_list_speaks_only_for_its_own_language_and_the_common_one_for_all():
    scorer = WordListScorer({"fr": ({"bad": 0.9}, frozenset()), ANY: ({"worse": 1.0}, frozenset())})
    assert scorer.score(["bad", "bad", "worse", "worse"], ["fr", "en", "en", "fr"]) == [0.9, 0.0, 1.0, 1.0]


def test_the_most_severe_term_counts_and_an_innocent_occurrence_hides_only_itself():
    scorer = WordListScorer({"en": ({"ass*": 0.4, "hell": 0.9}, frozenset({"hell of a"}))})
    assert scorer.score(["assets", "an ass in hell", "hell of a day", "hell of a day in hell"], ["en"] * 4) == [
        0.4,
        0.9,
        0.0,
        0.9,
    ]


@given(st.text(max_size=60), st.sampled_from([*LANGUAGES, "other"]))
def test_a_score_is_a_number_from_zero_to_one_whatever_the_text(text, lang):
    assert 0.0 <= WORDS.score([text], [lang])[0] <= 1.0


def test_an_extra_list_adds_terms_and_changes_severities_and_the_identity_knows(tmp_path):
    extra = tmp_path / "mine.yaml"
    extra.write_text(
        "en: {terms: {0.95: [blorb*], 0: [faggot*]}, innocent: [blorb fish]}\nsw: {terms: {1: [mbaya]}}\n", "utf-8"
    )
    scorer = load_wordlist(extra)
    assert scorer.score(["BLORBING", "blorb fish", "faggot", "mbaya"], ["en", "en", "en", "sw"]) == [
        0.95,
        0.0,
        0.0,
        1.0,
    ]
    assert scorer.identity != WORDS.identity == load_wordlist().identity
    assert "sw" in scorer.languages


@cases
def test_a_wrong_list_is_refused_by_file_and_place(tmp_path, content, named):
    path = tmp_path / "mine.yaml"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=named) as problem:
        read_word_lists(path)
    assert str(path) in str(problem.value)


def test_a_missing_list_is_an_error_that_names_the_setting(tmp_path):
    with pytest.raises(InputError, match="safety.wordlist.extra"):
        load_wordlist(tmp_path / "none.yaml")


def test_scorers_come_from_the_settings_and_an_unknown_one_is_named():
    assert [s.identity for s in make_scorers({"scorers": ["wordlist"], "wordlist": {"extra": None}})] == [
        WORDS.identity
    ]
    with pytest.raises(InputError, match="'oracle'.*wordlist, detoxify"):
        make_scorers({"scorers": ["oracle"]})


def test_the_highest_score_counts_and_names_its_scorer():
    low, high = Counting("low", value=0.2), Counting("high", value=0.7)
    assert score_texts([low, high], ["a"], ["en"]) == [(0.7, "high")]
    assert score_texts([], ["a"], ["en"]) == [(0.0, "")]


def test_a_text_is_scored_once_however_often_it_is_asked_for(tmp_path):
    store, scorer = ScoreStore(tmp_path / "scores.parquet"), Counting()
    first = score_texts([scorer], ["a", "b", "a"], ["en"] * 3, store)
    store.save()
    again = ScoreStore(tmp_path / "scores.parquet")
    assert score_texts([scorer], ["a", "b", "c"], ["en"] * 3, again) == first[:2] + [(0.5, "counting 1")]
    assert scorer.asked == ["a", "b", "c"]
    score_texts([Counting("counting 2")], ["a"], ["en"], again)
    assert again.get("counting 2", [text_digest("en\x1fb")]) == [None]


def test_a_process_that_is_killed_ten_times_loses_at_most_a_batch_each_time(tmp_path):
    class Dying(Counting):
        def score(self, texts, langs):
            if len(self.asked) >= 2 * BATCH:
                raise KeyboardInterrupt
            return super().score(texts, langs)

    texts = [f"text {number}" for number in range(20 * BATCH + 7)]
    asked = []
    for _ in range(10):
        scorer = Dying()
        with pytest.raises(KeyboardInterrupt):
            score_texts([scorer], texts, ["en"] * len(texts), ScoreStore(tmp_path / "scores.parquet"))
        asked += scorer.asked
    assert len(asked) == len(set(asked)) == 20 * BATCH  # nothing that was scored is scored again
    scorer, store = Counting(), ScoreStore(tmp_path / "scores.parquet")
    score_texts([scorer], texts, ["en"] * len(texts), store)
    assert len(scorer.asked) == 7
    store.save()
    assert [path.name for path in tmp_path.iterdir()] == ["scores.parquet"]
    whole = ScoreStore(tmp_path / "whole.parquet")
    score_texts([Counting()], texts, ["en"] * len(texts), whole)
    whole.save()
    assert (tmp_path / "scores.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_equal_scores_are_equal_bytes_whatever_the_order_they_came_in(tmp_path):
    for name, order in (("one", "abc"), ("two", "cab")):
        store = ScoreStore(tmp_path / name)
        for text in order:
            store.put("s", [text_digest(text)], [0.5])
        store.save()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_broken_store_is_an_error_that_says_what_to_do(tmp_path):
    (tmp_path / "scores").write_text("no parquet")
    with pytest.raises(InputError, match="Delete it"):
        ScoreStore(tmp_path / "scores")


CLEAN = read_cases(Path(__file__))["CLEAN"]


@pytest.mark.parametrize("corpus", CLEAN)
def test_real_literature_and_reviews_are_hardly_ever_above_the_threshold(corpus):
    folder = DATA / corpus
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size][:80]
    if not files:
        skip_without_corpus(folder)
    lang, encoding, size = CLEAN[corpus]
    texts = (path.read_bytes().decode(encoding, "replace") for path in files)
    parts = [text[start : start + size] for text in texts for start in range(0, min(len(text), 60_000), size)]
    scores = WORDS.score(parts, [lang] * len(parts))
    assert sum(score > 0.8 for score in scores) <= max(1, 0.005 * len(scores))


def test_the_list_of_the_repository_reads_without_repetition():
    assert len(read_word_lists(LIST)) == len(LANGUAGES) + 1


@cases
def test_what_literature_says_innocently_is_below_the_threshold(lang, text):
    assert load_wordlist().score([text], [lang])[0] <= 0.7


@given(st.data())
def test_many_texts_are_scored_as_each_is_explained(data):
    langs = data.draw(st.lists(st.sampled_from([*LANGUAGES, "xx"]), max_size=5))
    terms = {lang: sorted(WORDS.lists.get(lang, WORDS.lists["en"])[0]) for lang in langs}
    piece = st.sampled_from([" ", "\n", "  ", "a", "_", "9", "й", "カ", "好", "\u0301", ".", "한"])
    texts = [
        "".join(data.draw(st.lists(st.one_of(piece, st.sampled_from(terms[lang])), max_size=6))).replace("*", "")
        for lang in langs
    ]
    assert WORDS.score(texts, langs) == [WORDS.explain(text, lang)[0] for text, lang in zip(texts, langs, strict=True)]
