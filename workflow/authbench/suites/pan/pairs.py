"""Build verification pairs in which topic does not reveal the answer.

As in the PAN overview (section 3), from any documents: the texts of a pair have different topics, and authors write on
two to six topics. In the open setting, the test set shares no authors or topics with the train sets; in the closed
setting, all are shared. The small train set is a subset of the large one.

A text is in at most 1 same-author pair, and different-author pairs consist of the same texts, so neither a text nor
an author reveals the answer. Random choices are hashes of identity. `violations` checks every set from `build`.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
import polars as pl

from authbench.config.settings.evaluate import Pairs
from authbench.core.errors import InputError
from authbench.core.identity import digest, keyed_hash, keyed_hashes, uniform
from authbench.release.format.columns import POOLS

YEARS = (2020, 2021, 2024, 2025)  # years of the reproduced evaluators
BY_TOPIC = ("open", "closed")
SETTINGS = (*BY_TOPIC, *POOLS)
PER_AUTHOR = 10  # maximum pairs per author


LEAST_TOPICS, MOST_TOPICS = 2, 6  # topics per author
DIVISIONS = 200  # candidate divisions of the topics
TRIES = 1_000  # candidate partners per text
LARGE, SMALL, TEST = "train-large", "train-small", "test"
Pair = tuple[int, int]  # rows of documents


def build(documents: pl.DataFrame, settings: Pairs, seed: int, per_author: int = PER_AUTHOR) -> dict[str, pl.DataFrame]:
    """Return the sets LARGE, SMALL and TEST, as `verifiers.PAIRS` with `doc1` and `doc2`, by id.

    `documents` as `documents.DOCUMENTS`; equal texts count once. Raises InputError if a set would be empty, and
    AssertionError if a set breaks a rule.
    """
    pool = _eligible(documents, seed)
    if settings["setting"] == "open":
        train, test = (same_author(part, per_author, seed) for part in _divided(pool, settings["test"], seed))
    else:
        train, test = _closed(pool, settings, seed, per_author)
    sets: dict[str, pl.DataFrame] = {}
    for name, pairs in ((LARGE, train), (TEST, test)):
        if name == TEST and settings["setting"] == "closed":
            pairs = _seen(pool, pairs, sets[LARGE])
        if not pairs:
            raise InputError(
                f"The {settings['setting']} setting leaves no pair by one author on two topics in the {name} set, of "
                f"{pool['author'].n_unique()} authors and {pool['topic'].n_unique()} topics. Expected more authors "
                f"with texts on several topics; try another column for topics, or the "
                f"{'closed' if settings['setting'] == 'open' else 'open'} setting."
            )
        others = different_authors(pool, pairs, round(len(pairs) * (1 - settings["same"]) / settings["same"]), seed)
        wanted = round(len(others) * settings["same"] / (1 - settings["same"]))
        sets[name] = as_table(pool, _in_order(pool, pairs, seed)[:wanted], others, seed)
        if not others:
            raise InputError(f"The {name} set has no two authors who write in one language on different topics.")
    sets[SMALL] = small_within(sets[LARGE], settings, seed)
    broken = violations(sets, settings)
    assert not broken, "\n".join(broken)
    return sets


def _eligible(documents: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return documents of authors with two or more topics, at most MOST_TOPICS by hash; equal texts once, sorted."""
    unique = documents.sort("id").unique("text", keep="first", maintain_order=True)
    topics = unique.select("author", "topic").unique(maintain_order=True)
    order = keyed_hashes(seed, "author's topic", topics["author"] + "\x1f" + topics["topic"])
    kept = (
        topics.with_columns(order.alias("order"))
        .sort("author", "order")
        .filter((pl.len().over("author") >= LEAST_TOPICS) & (pl.int_range(pl.len()).over("author") < MOST_TOPICS))
    )
    pool = unique.join(kept.select("author", "topic"), on=["author", "topic"], how="semi", maintain_order="left")
    if not pool.height:
        raise InputError(
            f"None of the {documents['author'].n_unique()} authors writes on {LEAST_TOPICS} topics. Expected some who "
            "do; name another column for topics."
        )
    return pool.with_row_index("row")


def _divided(pool: pl.DataFrame, share: float, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return documents of the train and of the test authors, on train and on test topics.

    Of DIVISIONS divisions of the topics by hash, the division that keeps most authors on the scarcer side, relative to
    `share`, is used. An author with two topics on both sides is assigned to a side by hash.
    """
    from scipy.sparse import csr_array

    pairs = pool.select("author", "topic").unique()
    authors, topics = (pairs[name].unique().sort() for name in ("author", "topic"))
    rows, columns = (
        pairs[name].replace_strict(known, np.arange(len(known)), return_dtype=pl.Int64).to_numpy()
        for name, known in (("author", authors), ("topic", topics))
    )
    writes = csr_array((np.ones(len(rows), np.int32), (rows, columns)), (len(authors), len(topics)))
    tested = np.array(
        [
            [
                uniform(seed, "topic", str(trial), topic) < 0.1 + 0.8 * uniform(seed, "share", str(trial))
                for topic in topics
            ]
            for trial in range(DIVISIONS)
        ],
        np.int32,
    ).T
    in_test, in_train = (np.asarray(writes @ side) >= LEAST_TOPICS for side in (tested, 1 - tested))
    either = np.array([uniform(seed, "author's side", author) < share for author in authors])[:, None]
    to_test = in_test & (~in_train | either)
    to_train = in_train & ~to_test
    kept = np.minimum(to_test.sum(axis=0) / share, to_train.sum(axis=0) / (1 - share))
    best = int(np.argmax(kept))
    parts = []
    for chosen, side in ((to_train[:, best], tested[:, best] == 0), (to_test[:, best], tested[:, best] == 1)):
        own = pl.col("author").is_in(authors.filter(pl.Series(chosen)).implode())
        parts.append(pool.filter(own & pl.col("topic").is_in(topics.filter(pl.Series(side)).implode())))
    return parts[0], parts[1]


def same_author(documents: pl.DataFrame, most: int, seed: int) -> list[Pair]:
    """Return same-author pairs on two topics, each text in at most 1 pair, at most `most` per author."""
    order = keyed_hashes(seed, "same author", documents["id"])
    sorted_ = (
        documents.select("row", "author", "topic").with_columns(order.alias("order")).sort("author", "order", "row")
    )
    pairs: list[Pair] = []
    for rows, topics in (
        sorted_.group_by("author", maintain_order=True).agg("row", "topic").select("row", "topic").rows()
    ):
        pairs += islice(_cross_topic(rows, topics), most)
    return pairs


def _cross_topic(rows: Sequence[int], topics: Sequence[str]) -> Iterator[Pair]:
    """Return each row with the next unused row on another topic."""
    waiting: deque[tuple[int, str]] = deque()  # all on one topic
    for row, topic in zip(rows, topics, strict=True):
        if waiting and waiting[0][1] != topic:
            yield waiting.popleft()[0], row
        else:
            waiting.append((row, topic))


def _closed(pool: pl.DataFrame, settings: Pairs, seed: int, per_author: int) -> tuple[list[Pair], list[Pair]]:
    """Return same-author pairs for train and test: a share goes to test by hash, but never an author's first pair.

    A test pair on a topic without train pairs stays in train.
    """
    authors, topics = pool["author"].to_list(), pool["topic"].to_list()
    pairs = same_author(pool, per_author, seed)
    first = dict.fromkeys(authors[one] for one, _ in pairs)
    train = [pair for pair in pairs if first.pop(authors[pair[0]], pair) is None]
    others = _in_order(pool, without(pairs, train), seed)
    wanted = max(1, round(settings["test"] * len(pairs)))
    known = {topics[row] for pair in [*train, *others[wanted:]] for row in pair}
    test = [pair for pair in others[:wanted] if known >= {topics[row] for row in pair}]
    return without(pairs, test), test


def _seen(pool: pl.DataFrame, pairs: Sequence[Pair], train: pl.DataFrame) -> list[Pair]:
    """Return the pairs with authors and topics that remain in train after balancing."""
    columns = [(pool[what].to_list(), set(both(train, what)[what].to_list())) for what in ("author", "topic")]
    return [pair for pair in pairs if all(values[row] in known for values, known in columns for row in pair)]


def without(pairs: Iterable[Pair], gone: Iterable[Pair]) -> list[Pair]:
    known = set(gone)
    return [pair for pair in pairs if pair not in known]


def _in_order(pool: pl.DataFrame, pairs: Iterable[Pair], seed: int) -> list[Pair]:
    ids = pool["id"].to_list()
    return sorted(pairs, key=lambda pair: (keyed_hash(seed, "order", *(ids[row] for row in pair)), pair))


def different_authors(pool: pl.DataFrame, same: Sequence[Pair], count: int, seed: int) -> list[Pair]:
    """Return up to `count` different-author pairs in the same language and on two topics, from the texts of `same`.

    In the first round, each text is in at most 1 pair; if more are requested, further rounds use other partners.
    """
    authors, topics, langs = (pool[name].to_list() for name in ("author", "topic", "lang"))
    ids = pool["id"].to_list()
    made: dict[Pair, None] = {}
    for turn in range(max(1, -(-count // max(1, len(same)))) + 1):
        before = len(made)
        rows = [
            sorted((pair[side] for pair in same), key=lambda row: (keyed_hash(seed, f"{turn}{side}", ids[row]), row))
            for side in (0, 1)
        ]
        partners: dict[str, list[int]] = {}
        for row in reversed(rows[1]):
            partners.setdefault(langs[row], []).append(row)
        for one in rows[0]:
            free = partners.get(langs[one], [])
            for back in range(1, min(len(free), TRIES) + 1):
                other = free[-back]
                if authors[one] != authors[other] and topics[one] != topics[other] and (one, other) not in made:
                    if len(made) < count:
                        made[one, free.pop(-back)] = None
                    break
        if len(made) in (before, count):
            break
    return list(made)


def as_table(pool: pl.DataFrame, same: Sequence[Pair], others: Sequence[Pair], seed: int) -> pl.DataFrame:
    """Return the pairs with their texts; a hash determines the first text and the order of rows."""
    ids = pool["id"].to_list()
    rows = []
    for is_same, pairs in ((True, same), (False, others)):
        for one, other in pairs:
            name = digest("pair", str(seed), *sorted([ids[one], ids[other]]))
            first, second = (one, other) if keyed_hash(seed, "first", name) & 1 else (other, one)
            rows.append((name, first, second, is_same))
    rows.sort()
    columns: dict[str, pl.Series] = {
        "id": pl.Series([row[0] for row in rows], dtype=pl.String),
        "same": pl.Series([row[3] for row in rows], dtype=pl.Boolean),
    }
    for side in (1, 2):
        part = pool[np.array([row[side] for row in rows], np.int64)]
        for new, old in (("text", "text"), ("topic", "topic"), ("author", "author"), ("doc", "id")):
            columns[f"{new}{side}"] = part[old]
        columns[f"lang{side}"] = part["lang"]
    lang = pl.when(pl.col("lang1") == pl.col("lang2")).then("lang1")
    return pl.DataFrame(columns).with_columns(lang=lang).drop("lang1", "lang2")


def small_within(large: pl.DataFrame, settings: Pairs, seed: int) -> pl.DataFrame:
    """Return a balanced share of the large set: first pairs with a new topic, then by hash."""
    ranked = large.with_columns(keyed_hashes(seed, "small", large["id"]).alias("order")).sort("order", "id")
    kept: list[str] = []
    for is_same in (True, False):
        part = ranked.filter(pl.col("same") == is_same)
        wanted, seen = max(1, round(part.height * settings["small"])), set[str]()
        first: list[str] = []
        rest: list[str] = []
        for ident, *topics in part.select("id", "topic1", "topic2").iter_rows():
            (rest if seen.issuperset(topics) else first).append(ident)
            seen.update(topics)
        kept += [*first, *rest][:wanted]
    return large.filter(pl.col("id").is_in(kept))


def violations(sets: Mapping[str, pl.DataFrame], settings: Pairs) -> list[str]:
    """Return all violated rules of the sets, in words."""
    broken = []
    by_topic = settings["setting"] in BY_TOPIC
    for name, pairs in sets.items():
        contradicts = (pl.col("author1") == pl.col("author2")) != pl.col("same")
        for what, wrong in (
            ("pairs whose truth is not that of their authors", contradicts),
            ("pairs on one topic", pl.lit(by_topic) & (pl.col("topic1") == pl.col("topic2"))),
            ("pairs of one text", (pl.col("doc1") == pl.col("doc2")) | (pl.col("text1") == pl.col("text2"))),
            ("pairs that come twice", pl.col("id").is_duplicated()),
        ):
            if count := pairs.filter(wrong).height:
                broken.append(f"{name}: {count} {what}")
        share = float(pairs["same"].cast(pl.Float64).mean() or 0.0)  # type: ignore[arg-type]
        if abs(share - settings["same"]) * pairs.height > 1.5:
            broken.append(f"{name}: a share of {share:.3f} by one author, not {settings['same']}")
        many = both(pairs, "author", "topic").unique().group_by("author").len().filter(pl.col("len") > MOST_TOPICS)
        if by_topic and many.height:
            broken.append(f"{name}: {many.height} authors on more than {MOST_TOPICS} topics")
        of_one = both(pairs.filter("same"), "author", "doc")["doc"]
        if of_one.is_duplicated().any():
            broken.append(f"{name}: a text stands in two pairs by one author")
    large, small, test = sets[LARGE], sets[SMALL], sets[TEST]
    if not set(small["id"]) <= set(large["id"]):
        broken.append("the small train set is not within the large one")
    for what in ("text", "doc", "author", "topic"):
        of_train, of_test = (set(both(pairs, what)[what]) for pairs in (large, test))
        if what == "topic" and not by_topic:
            continue
        if what in ("text", "doc") or settings["setting"] != "closed":
            if of_train & of_test:
                broken.append(f"test and train share {len(of_train & of_test)} {what}s")
        elif of_test - of_train:
            broken.append(f"{len(of_test - of_train)} {what}s of the test set are not in train")
    return broken


def both(pairs: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the named columns of the first texts, then of the second texts."""
    return pl.concat([pairs.select(**{name: f"{name}{side}" for name in columns}) for side in (1, 2)], how="vertical")
