"""Select authors, with some of their documents, to meet a language's targets.

Whole authors are selected, in hash order: among the next `window` authors, the author whose documents are most needed
is taken, repeatedly, until the language has its documents. Need is the open share of two marginals, length and genre,
served together. If `draw` is `uniform`, what is open counts alike: authors, and the documents of an author, are then
taken in hash order among those that fill open targets.

The kernel works on flat arrays of a language, documents grouped by author, authors in hash order. It reads safety
verdicts only through `verdicts`, and records every verdict it reads. A run that read no unknown verdict equals the run
with full knowledge.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from authbench.config.settings.sample import Sample
from authbench.core.arrays import BOOL, I32, I64, U8, U32, U64
from authbench.core.runtime.jit import compiled

UNKNOWN, SAFE, TOXIC = 0, 1, 2
NO_TARGET = -1.0
NO_DAY = -(2**31)
# The added worth of a document of a second work, of a further work, written APART days or more from the author's other
# documents, or on another topic. The first outweighs a length or genre, the others do not.
SECOND_WORK, FURTHER_WORK, OTHER_TIME, OTHER_TOPIC = 1.0, 0.25, 0.125, 0.0625
APART = 30
# Flags of an author's document relative to the picked documents: it is picked or toxic; it shares a work with a picked
# document; it is written APART days or more from all of them; it is on another topic than all of them.
_USED, _KNOWN_WORK, _APART, _UNLIKE = np.uint8(1), np.uint8(2), np.uint8(4), np.uint8(8)


@dataclass(frozen=True)
class Pool:
    """Hold the documents of a language: `offsets[a]:offsets[a + 1]` are author a's, in the order of their reservoir.

    Documents with equal `origins` are from the same work; `lengths` and `genres` index the targets; a genre of -1 has
    no target. `preferred` marks documents from a source that their genre prefers. `days` are NO_DAY and `topics` 0 if
    unknown; `train_only` marks authors.
    """

    offsets: I64
    origins: U64
    lengths: U8
    genres: NDArray[np.int16]
    preferred: BOOL
    days: I32
    topics: U32
    train_only: BOOL


def fallback_documents(sample: Sample) -> int | None:
    """Return the fewest documents of an author that suffice where a language falls short; None if not applicable."""
    return None if sample["documents"] is None else sample["fallback_documents_per_author"]


def select_authors(
    pool: Pool,
    verdicts: NDArray[np.int8],
    length_targets: I64,
    genre_targets: I64,
    target: int,
    settings: Sample,
    train_target: int,
) -> tuple[BOOL, BOOL]:
    """Choose documents of whole authors until there are `target`; return (chosen, consulted), flags per document.

    No author gives fewer than `min_documents_per_author` documents or `min_origins` works. If authors run out before
    the target is met, authors with `fallback_documents` are admitted too. At most `train_target` documents are by
    authors who are `train_only`.

    Args:
        pool: the documents of a language.
        verdicts: shape (documents,), of safety.
        length_targets: shape (lengths,), documents wanted of each.
        genre_targets: shape (genres,), likewise.
        target: documents in total.
        settings: the section `sample`.
        train_target: maximum number of documents of authors who are `train_only`.

    Returns:
        Two of shape (documents,).
    """
    chosen = np.zeros(len(pool.lengths), np.bool_)
    consulted = np.zeros(len(pool.lengths), np.bool_)
    lengths_open, genres_open = length_targets.astype(np.float64), genre_targets.astype(np.float64)
    length_scale, genre_scale = np.maximum(lengths_open, 1.0), np.maximum(genres_open, 1.0)
    spread = settings["spread"] == "prefer"
    for minimum in (settings["min_documents_per_author"], fallback_documents(settings)):
        if minimum is not None and chosen.sum() < target:
            _fill(
                pool.offsets, pool.origins, pool.lengths, pool.genres, pool.preferred, pool.days, pool.topics,
                pool.train_only, verdicts, chosen, consulted, lengths_open, genres_open, length_scale, genre_scale,
                target, train_target, minimum, settings["max_documents_per_author"], settings["window"],
                settings["min_origins"], spread, settings.get("draw") == "uniform",
            )  # fmt: skip
    return chosen, consulted


@compiled
def _fill(
    offsets, origins, lengths, genres, preferred, days, topics, train_only, verdicts, chosen, consulted,
    lengths_open, genres_open, length_scale, genre_scale, target, train_target, minimum, maximum, window, min_origins,
    spread, uniform,
):  # fmt: skip
    authors = len(offsets) - 1
    start = authors  # of a ring of undecided authors: `following` gives the next, and `start` after the last
    following, preceding = np.full(authors + 1, start), np.full(authors + 1, start)
    supply = np.zeros(2, np.int64)  # documents of undecided authors: testable authors, and the others
    taken, trained, largest = 0, 0, 0
    for author in range(authors):
        size = offsets[author + 1] - offsets[author]
        largest = max(largest, size)
        already = 0
        for document in range(offsets[author], offsets[author + 1]):
            already += chosen[document]
        taken += already
        if train_only[author]:
            trained += already
        if already == 0 and size >= minimum:
            supply[int(train_only[author])] += min(size, maximum)
            _insert(author, preceding[start], start, following, preceding)
    picks = np.empty(maximum, np.int64)
    best_picks = np.empty(maximum, np.int64)
    state = np.empty(largest, np.uint8)
    length_need, genre_need = np.empty(len(lengths_open)), np.empty(len(genres_open))
    while target - taken >= minimum:
        need_all = supply[0] + min(supply[1], train_target - trained) <= target - taken
        best, best_score, best_count = -1, -1e300, 0
        seen = 0
        author = following[start]
        while author != start and seen < window:
            count, score = 0, 0.0
            most = min(maximum, train_target - trained) if train_only[author] else maximum
            if most >= minimum:
                count, score = _pick(
                    offsets[author], offsets[author + 1], origins, lengths, genres, preferred, days, topics, verdicts,
                    consulted, lengths_open, genres_open, length_scale, genre_scale,
                    target - taken, minimum, most, min_origins, spread, uniform, need_all, picks, state,
                    length_need, genre_need,
                )  # fmt: skip
            if count < minimum:
                supply[int(train_only[author])] -= min(offsets[author + 1] - offsets[author], maximum)
                _remove(author, following, preceding)
            else:
                seen += 1
                if score > best_score:
                    best, best_score, best_count = author, score, count
                    for place in range(count):
                        best_picks[place] = picks[place]
            author = following[author]
        if best < 0:
            break
        for place in range(best_count):
            document = best_picks[place]
            chosen[document] = True
            lengths_open[lengths[document]] -= 1
            if genres[document] >= 0:
                genres_open[genres[document]] -= 1
        taken += best_count
        if train_only[best]:
            trained += best_count
        supply[int(train_only[best])] -= min(offsets[best + 1] - offsets[best], maximum)
        _remove(best, following, preceding)


@compiled
def _insert(author, before, after, following, preceding):
    following[before], preceding[author] = author, before
    following[author], preceding[after] = after, author


@compiled
def _remove(author, following, preceding):
    following[preceding[author]] = following[author]
    preceding[following[author]] = preceding[author]


@compiled
def _pick(
    start, end, origins, lengths, genres, preferred, days, topics, verdicts, consulted,
    lengths_open, genres_open, length_scale, genre_scale, remaining, minimum, maximum, min_origins, spread, uniform,
    need_all, picks, state, length_need, genre_need,
):  # fmt: skip
    """Fill `picks` with an author's most needed safe documents; return their number (0: too few works) and mean worth.

    `state` has room for a byte per document, `length_need` and `genre_need` for the need of each.
    """
    state = state[: end - start]
    state[:] = 0
    if spread:
        for document in range(start, end):
            state[document - start] = _APART * (days[document] != NO_DAY) + _UNLIKE * (topics[document] != 0)
    for length in range(len(lengths_open)):
        length_need[length] = _need(lengths_open[length], length_scale[length], uniform)
    for genre in range(len(genres_open)):
        genre_need[genre] = _need(genres_open[genre], genre_scale[genre], uniform)
    worth_sum = 0.0
    count, works = 0, 0
    limit = min(maximum, remaining)
    while limit > minimum and 0 < remaining - limit < minimum:
        limit -= 1
    while count < limit:
        best, best_worth, best_need = -1, -1e300, -1e300
        other_work = limit - count <= min_origins - works
        new_work = SECOND_WORK if works == 1 else FURTHER_WORK
        for document in range(start, end):
            known = state[document - start]
            if known & _USED or (other_work and known & _KNOWN_WORK):
                continue
            worth = length_need[lengths[document]]
            if genres[document] >= 0:
                worth += genre_need[genres[document]]
            else:
                worth += NO_TARGET
            if preferred[document]:
                worth += 1.0
            need = worth
            if spread and count:
                unlike = 0.0 if known & _KNOWN_WORK else new_work
                worth += unlike + OTHER_TIME * ((known & _APART) != 0) + OTHER_TOPIC * ((known & _UNLIKE) != 0)
            if worth > best_worth:
                best, best_worth, best_need = document, worth, need
        if best < 0 or (count >= minimum and works >= min_origins and best_need <= 0 and not need_all):
            break
        consulted[best] = True
        if verdicts[best] == TOXIC:
            state[best - start] |= _USED
            continue
        works += (state[best - start] & _KNOWN_WORK) == 0
        _note(best, start, end, origins, days, topics, state)
        picks[count] = best
        count += 1
        worth_sum += best_worth
        length, genre = lengths[best], genres[best]
        length_picked, genre_picked = 0.0, 0.0
        for place in range(count):
            length_picked += lengths[picks[place]] == length
            genre_picked += genres[picks[place]] == genre
        length_need[length] = _need(lengths_open[length] - length_picked, length_scale[length], uniform)
        if genre >= 0:
            genre_need[genre] = _need(genres_open[genre] - genre_picked, genre_scale[genre], uniform)
    while count > minimum and 0 < remaining - count < minimum:
        count -= 1
    if _works(origins, picks, count) < min_origins:
        return 0, 0.0
    if 0 < remaining - count < minimum:
        worth_sum -= count
    return count, worth_sum / max(count, 1)


@compiled
def _need(wanted, scale, uniform):
    """Return how much more of a length or genre is needed; uniformly, all that are wanted are needed alike."""
    if uniform:
        return 1.0 if wanted > 0 else 0.0
    return wanted / scale


@compiled
def _note(picked, start, end, origins, days, topics, state):
    """Record in the `state` of each document how it resembles the picked document."""
    state[picked - start] |= _USED
    for document in range(start, end):
        known = state[document - start]
        if origins[document] == origins[picked]:
            known |= _KNOWN_WORK
        day = days[picked]
        if known & _APART and day != NO_DAY and abs(np.int64(day) - days[document]) < APART:
            known ^= _APART
        if known & _UNLIKE and topics[document] == topics[picked]:
            known ^= _UNLIKE
        state[document - start] = known


@compiled
def _has_work(origins, picks, count, document):
    """Return whether any of the first `count` picks is from the document's work."""
    found = False
    for place in range(count):
        found |= origins[picks[place]] == origins[document]
    return found


@compiled
def _works(origins, picks, count):
    """Return the number of works among the first `count` picks."""
    works = 0
    for place in range(count):
        works += not _has_work(origins, picks, place, picks[place])
    return works
