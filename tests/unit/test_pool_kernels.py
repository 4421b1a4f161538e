"""The compiled loops of the build and of the check agree on which negatives a positive must have."""

import numpy as np
from examples import costly
from hypothesis import assume, given
from hypothesis import strategies as st

from authbench.build.release import pool_kernels as build
from authbench.release.checking import pool_kernels as check

TEXTS = st.lists(st.tuples(st.integers(10, 24), st.integers(-6, 0), st.integers(-2, 0)), min_size=24, max_size=48)


def problem_of(negatives, lengths, query, positive, measures, row, beside, close=0.0):
    """Return what the check finds in a group of these negatives, one author having the query and the positive."""
    n, none = len(lengths), np.full(1, -1)
    groups = check.Groups(np.zeros(1, np.int64), np.array([len(negatives)]), np.array(negatives, np.int32))
    if not negatives:
        groups = check.Groups(none, none, np.empty(0, np.int32))
    problems = np.zeros(1, np.int64)
    whole = np.zeros(n, np.int64), np.full(n, n)
    texts = check.Texts(
        lengths, np.ones(n, bool), *whole, np.arange(n), np.zeros(n + 1, np.int32), np.empty(0, np.int32)
    )
    pairs = check.Pairs(np.zeros(1, np.int64), lengths[[query]], np.array([positive]), *map(np.atleast_1d, measures))
    similar = check.Similarities(0, row[None], beside[None])
    check.check_near(similar, pairs, groups, texts, (close, close), True, 10, problems)
    return problems[0]


def made_negatives(lengths, query, positive, row, beside):
    """Return the negatives that the build finds, and the similarities of the positive."""
    n, measures = len(lengths), (float(row[positive]), float(beside[positive]) if len(beside) else 0.0)
    row[[query, positive]] = np.nan
    found, sizes = np.empty((1, 10), np.int64), np.zeros(1, np.int64)
    places = build.Places(np.zeros(n, np.int64), np.full(n, n), lengths, np.log(lengths), np.arange(n, dtype=np.uint64),
                          np.arange(n), np.empty(0, np.int64), np.zeros(n + 1, np.int64))  # fmt: skip
    own = [np.array([measure], np.float32) for measure in measures]
    build.find_near(query, np.array([positive]), *own, build.Similarities(0, row, beside), places,
                    build.Limits(1e-9, 10), build.Negatives(found, sizes))  # fmt: skip
    return found[0, : sizes[0]].tolist() if sizes[0] > 1 else [], measures


@given(TEXTS, st.booleans(), st.data())
@costly(80)
def test_a_group_that_rounding_decides_is_sound(texts, two, data):
    lengths, first, second = np.array(sorted(texts)).T.copy()
    query, positive = data.draw(st.permutations(range(len(lengths))))[:2]
    noise = np.random.default_rng(len(lengths)).uniform(-0.05, 0.05, (2, len(lengths)))
    row, beside = (noise + [first, second]).astype(np.float32)
    beside = beside if two else beside[:0]
    negatives, measures = made_negatives(lengths, query, positive, row, beside)
    assert problem_of(negatives, lengths, query, positive, measures, row, beside, close=0.1) == 0


@given(TEXTS, st.booleans(), st.data())
@costly(80)
def test_a_group_that_the_build_makes_is_sound_and_one_with_another_negative_is_not(texts, two, data):
    lengths, first, second = np.array(sorted(texts)).T.copy()
    n = len(lengths)
    query, positive = data.draw(st.permutations(range(n)))[:2]
    row, beside = first.astype(np.float32), second.astype(np.float32) if two else np.empty(0, np.float32)
    negatives, measures = made_negatives(lengths, query, positive, row, beside)
    given_texts = lengths, query, positive, measures, row, beside
    assert problem_of(negatives, *given_texts) == 0
    assume(negatives)
    assert problem_of([], *given_texts) == check.NO_GROUP
    assert problem_of(negatives[1:], *given_texts) in (check.UNBALANCED, check.MISCOUNTED)

    def kind(place):
        near, far = (np.sort([lengths[query], lengths[one]]) for one in (place, positive))
        apart = (
            row[place] - measures[0],
            beside[place] - measures[1] if two else 0.0,
            near[0] * far[1] - near[1] * far[0],
        )
        return tuple(np.sign(apart)), abs(apart[0])

    def pair_distances(places):
        """Return the greater difference of each pair of texts of opposite kinds, smallest first."""
        kinds = {}
        for signs, apart in map(kind, places):
            kinds.setdefault(signs, []).append(apart)
        opposite = [(kinds[signs], kinds.get(tuple(-sign for sign in signs), [])) for signs in kinds if any(signs)]
        return sorted(max(both) for pair in opposite for both in zip(*map(sorted, pair), strict=False))[::2]

    possible = [place for place in range(n) if not np.isnan(row[place])
                and lengths[positive] <= 2 * lengths[place] <= 4 * lengths[positive]]  # fmt: skip
    taken = pair_distances(negatives)
    assert taken == pair_distances(possible)[: len(taken)]
    gone = data.draw(st.sampled_from(negatives))
    for other in set(possible).difference(negatives):
        put = [other if place == gone else place for place in negatives]
        problem = problem_of(put, *given_texts)
        if kind(other)[0] != kind(gone)[0]:
            assert problem == check.UNBALANCED
        else:
            assert problem == (check.FARTHER if kind(other)[1] > kind(gone)[1] else 0)
