"""LambdaG is what its authors' package computes, and the impostors method what its paper says."""

import numpy as np
import polars as pl
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.scoring.metrics.auc import auc
from authbench.scoring.verifiers import Bench, kind, lambdag
from authbench.scoring.verifiers.lambdag import mask_content
from authbench.scoring.verifiers.parameters import ImpostorsParameters, LambdagParameters
from authbench.scoring.verifiers.texts import drawn, references

WORDS = [f"w{number}" for number in range(40)]
ENDS = [". ", "! ", ".\n", "\n", "?? "]


def parameters(**changed):
    defaults = {
        "order": 4, "smoothing": "kneser_ney", "references": 5, "calibration": "logistic_regression",
        "basis": "tokens", "mask": "none", "population": 500, "calibration_pairs": 500,
    }  # fmt: skip
    return LambdagParameters(**defaults | changed)


def written(chance, author, size=60):
    """Return a text of an author, who prefers words and orders of words of their own."""
    preferred = np.random.default_rng(author).permutation(len(WORDS))
    parts = []
    for _ in range(size):
        parts.append(WORDS[preferred[min(int(chance.zipf(1.5)), len(WORDS)) - 1]])
        parts.append(" " if chance.random() < 0.85 else ENDS[chance.integers(len(ENDS))])
    return "".join(parts)


def pairs_of(authors, seed, count, size=60):
    chance = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        one, other = chance.choice(list(authors), 2, replace=False)
        other = one if number % 2 else other
        texts = [written(chance, int(author), size) for author in (one, other)]
        rows.append((f"p{number:03d}", *texts, bool(number % 2), f"a{one}", f"a{other}"))
    columns = ["id", "text1", "text2", "same", "author1", "author2"]
    return pl.DataFrame(rows, schema=columns, orient="row")


class Told:
    """Draws for the package what was drawn here."""

    def __init__(self, draws):
        self.draws = iter(draws)

    def choice(self, _count, size, replace):
        drawn_ = next(self.draws)
        assert len(drawn_) == size and not replace
        return drawn_


@cases
def test_scores_and_probabilities_are_those_of_the_published_package(smoothing, order, calibration, basis, monkeypatch):
    package = pytest.importorskip("lambdag", reason="the package lambdag, of the extra dev, is not installed")
    asked = parameters(order=order, smoothing=smoothing, calibration=calibration, basis=basis)
    train, test = pairs_of(range(8), 1, 12), pairs_of(range(20, 26), 2, 6)
    fitted = lambdag.fit(train, asked, Bench(7, None))
    seen = []
    own = lambdag.score

    def noting(grammar, known, text, pool, draws):
        seen.append(draws)
        return own(grammar, known, text, pool, draws)

    monkeypatch.setattr(lambdag, "score", noting)
    ready = lambdag.calibrate(fitted, train)
    scores, sizes = lambdag.scores(ready, test)
    probabilities = lambdag.probabilities(scores, sizes, calibration, ready.regression)
    draws = seen[-len(test) :]
    if calibration.startswith("logistic"):
        draws = seen[: len(train)] + draws

    theirs = package.LambdaGMethod(basis, order, smoothing, True, True, asked.references, calibration)
    split = [theirs._preprocess_text(text) for text in fitted.others.texts]
    place = np.concatenate([[0], np.cumsum([len(one) for one in split])])
    authors = fitted.others.owners
    author_texts = {}
    for text, author in zip(fitted.others.texts, authors, strict=True):
        author_texts.setdefault(f"author {author}", []).append(text)
    ordered = [at for name in author_texts for at in np.flatnonzero(authors == int(name.split()[1]))]

    def as_theirs(row, drawn_):
        """Return the drawn sentences by their numbers among those of other authors, as the package orders them."""
        own_authors = {fitted.others.known.get(row[side]) for side in ("text1", "text2")}
        numbers = np.concatenate(
            [np.arange(place[at], place[at + 1]) for at in ordered if authors[at] not in own_authors]
        )
        where = {int(number): at for at, number in enumerate(numbers)}
        return [[where[int(one)] for one in line] for line in drawn_]

    def problems(pairs):
        known = fitted.others.known
        return [
            (row["text1"], f"author {known.get(row['text1'])}", row["text2"], f"author {known.get(row['text2'])}")
            for row in pairs.iter_rows(named=True)
        ]

    rows = [*(train.rows(named=True) if calibration.startswith("logistic") else []), *test.rows(named=True)]
    told = [line for row, drawn_ in zip(rows, draws, strict=True) for line in as_theirs(row, drawn_)]
    theirs.random_gen = Told(told)
    theirs.fit(problems(train), author_texts, train["same"].cast(pl.Int8).to_list())
    expected, raw = theirs.predict_proba(problems(test), author_texts, return_scores=True)
    assert scores == pytest.approx(raw, abs=1e-9)
    assert probabilities == pytest.approx(expected[:, 1], abs=1e-9)


def test_lambdag_and_impostors_tell_authors_apart_who_write_otherwise():
    train, test = pairs_of(range(20), 1, 40, 150), pairs_of(range(40, 60), 2, 40, 150)
    truth, bench = test["same"].to_numpy(), Bench(1, None)
    ours = lambdag.calibrate(lambdag.fit(train, parameters(), bench), train)
    found = lambdag.predict(ours, test)
    assert auc(truth, found) > 0.9
    assert abs(np.mean(found) - 0.5) < 0.25
    asked = ImpostorsParameters(4, 500, 40, 0.5, 30, 10, 500, 500)
    steps = kind("impostors")
    found = steps.predict(steps.calibrate(steps.fit(train, asked, bench), train), test)
    assert auc(truth, found) > 0.9


def test_content_words_do_not_change_what_lambdag_sees():
    assert mask_content("The sun, at 5:30, didn't rise.", "en") == mask_content("The moon, at 7, didn't set.", "en")
    assert mask_content("The sun rose.", "en") != mask_content("A sun rose.", "en")
    assert mask_content("我们在2020年的时候。", "zh").split() == ["我", "们", "在", "#", "§", "的", "§", "§", "。"]
    asked = parameters(mask="function_words")
    assert lambdag.sentences_of("The Sun rose! Then it set.", "en", asked) == [
        ("the", "§", "§", "!"),
        ("then", "it", "§", "."),
    ]


def test_a_pair_without_a_sentence_has_no_answer_and_harms_no_other():
    train = pairs_of(range(8), 1, 12)
    test = pl.concat([train.head(2).with_columns(text2=pl.lit("")), pairs_of(range(20, 24), 2, 2)])
    ready = lambdag.calibrate(lambdag.fit(train, parameters(), Bench(1, None)), train)
    found = lambdag.predict(ready, test)
    assert found[:2].tolist() == [0.5, 0.5] and not (found[2:] == 0.5).any()
    assert found[2:].tolist() == lambdag.predict(ready, test.tail(2)).tolist()


def test_references_are_by_none_of_the_authors_of_a_pair():
    train = pairs_of(range(5), 1, 20)
    author_of = dict(zip([*train["text1"], *train["text2"]], [*train["author1"], *train["author2"]], strict=True))
    with_names, without = references(train, 1_000, 1), references(train.drop("author1", "author2"), 1_000, 1)
    for one, other in train.select("text1", "text2").iter_rows():
        own = {author_of[one], author_of[other]}
        kept = {author_of[with_names.texts[at]] for at in np.flatnonzero(with_names.others(one, other))}
        assert kept == set(author_of.values()) - own
        linked = {without.texts[at] for at in np.flatnonzero(without.others(one, other))}
        assert not linked & {one, other}
    assert len(references(train, 7, 1).texts) == 7
    assert set(references(train, 7, 1).texts) <= set(references(train, 8, 1).texts)


def test_a_part_of_the_pairs_keeps_both_classes_and_the_order():
    pairs = pairs_of(range(5), 1, 30).with_columns(same=pl.Series([number < 3 for number in range(30)]))
    part = drawn(pairs, 10, 1)
    assert part.height == 10 and part["same"].sum() == 1 and part["id"].is_sorted()
    assert drawn(pairs.reverse(), 10, 1)["id"].sort().to_list() == part["id"].to_list()


VECTORS = st.lists(st.integers(0, 3), min_size=4, max_size=4)


@settings(max_examples=50)
@given(VECTORS, VECTORS, st.lists(VECTORS, min_size=1, max_size=4))
def test_a_round_is_won_by_a_pair_that_is_more_alike_than_all_impostors(one, other, others):
    from authbench.scoring.verifiers.impostors_kernels import likeness, rounds_won

    def ruzicka(a, b):
        high = sum(map(max, a, b))
        return sum(map(min, a, b)) / high if high else 0.0

    table = np.array(others, float)
    rows = np.arange(len(others))
    assert likeness(np.array(one, float), table, rows) == pytest.approx([ruzicka(one, two) for two in others])
    parts = [[0, 1], [2, 3], [0, 1, 2, 3]]
    won = 0
    for part in parts:
        a, b = ([vector[at] for at in part] for vector in (one, other))
        won += ruzicka(a, b) > max(ruzicka(a, [two[at] for at in part]) for two in others)
    chosen = np.tile(rows, (1, 1))
    found = sum(
        rounds_won(np.array(one, float), np.array(other, float), table, chosen, np.array([part])) for part in parts
    )
    assert found == won
