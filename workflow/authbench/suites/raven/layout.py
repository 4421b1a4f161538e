"""Lay out subsets: their topics, folds and pairs, and the similarity of train and test topics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import polars as pl

from authbench.config.settings.evaluate import Subsets, TopicLimits
from authbench.core.arrays import F64
from authbench.core.identity import keyed_hash, keyed_hashes
from authbench.core.storage.json_files import write_json
from authbench.core.storage.parquet import write_parquet
from authbench.scoring.verifiers import topicfit
from authbench.suites.raven.covariates import comparable_limit, describe, strata, text_facts
from authbench.suites.raven.documents import KEYS, read_texts
from authbench.suites.raven.folds import fold_pairs, topics_tested
from authbench.suites.raven.subsets import MAIN, Subset, Taken, Topics, plan, similarities, take_all
from authbench.suites.raven.vectors import read_topics, usable_keys

MASKED = 500  # most frequent words, the default of verifiers of kind topicfit
WORDS, CHARACTERS = 12, 120  # maximum length of the example


def masked_example(documents: Path, pairs: pl.DataFrame, seed: int, cut: int | None) -> dict[str, str]:
    """Return the beginning of a tested text, `original`, and the input of `topicfit`, `masked`.

    The most frequent words of the first fold's train texts are masked; texts are truncated to `cut` characters. Memory:
    the texts of a fold.
    """
    fold = pairs.filter(pl.col("fold") == 0)
    learnt = fold.filter(pl.col("part") == "train").select(pl.concat_list("first", "second").explode())["first"]
    tested = fold.filter(pl.col("part") == "test")["first"].unique().sort()
    if tested.is_empty():
        return {}
    chosen = min(tested, key=lambda ident: (keyed_hash(seed, "masked example", ident), ident))
    wanted = pl.concat([learnt, pl.Series([chosen])])
    text = dict(read_texts(documents, wanted, cut, ("id", "content")).iter_rows())
    frequent = topicfit.most_frequent([text[ident] for ident in learnt], MASKED)
    original = " ".join(text[chosen].split()[:WORDS])[:CHARACTERS]
    return {"original": original, "masked": topicfit.mask(original, frequent)}


MOST_ALIKE = 5
LEARNT = ("train", "calibrate")


def write_subsets(
    documents: Path,
    topics: Mapping[str, Path],
    settings: Subsets,
    limits: TopicLimits,
    seed: int,
    metadata: Path,
    pairs: Path,
) -> dict[str, dict[str, object]]:
    """Lay out every subset, write the metadata to `metadata`, and return them.

    Args:
        topics: the file of `write_topics` by encoder name; the first encoder measures similarity.
        metadata: file to write, with the topics of each subset in order of selection (`order`), their HITS scores
            (`leakage`), folds, sizes, the total characters of all folds (`characters`), and the limits on a topic's
            texts and a text's characters (`most_texts`, `most_characters`; None: no limit).
        pairs: folder to write, a file for each subset that verifiers run on.
    """
    keys = usable_keys(documents, limits, seed).select(KEYS).join(text_facts(documents), on="id", how="left")
    vectors = {name: read_topics(path) for name, path in topics.items()}
    taken = take_all(settings, vectors, seed, strata(keys) if settings["match"] else ())
    most: dict[str, int | None] = {"most_texts": None, "most_characters": None}
    if settings["match"]:
        keys, most = _alike(keys, settings, taken, seed)
    described = {}
    for subset in plan(settings):
        facts, drawn = lay_out(subset, taken[subset.name], keys, vectors[next(iter(topics))], settings["folds"], seed)
        described[subset.name] = facts | most
        if subset.name == MAIN:
            described[MAIN]["example"] = masked_example(documents, drawn, seed, most["most_characters"])
        if subset.trained:
            write_parquet(drawn, pairs / f"{subset.name}.parquet")
    write_json(metadata, described)
    return described


def _alike(
    documents: pl.DataFrame, settings: Subsets, taken: Mapping[str, Taken], seed: int
) -> tuple[pl.DataFrame, dict[str, int | None]]:
    """Return the documents and the limits that match HITS and random topics (`covariates`)."""

    def sides() -> Iterator[pl.DataFrame]:
        random = [subset.name for subset in plan(settings) if subset.how == "random" and subset.trained]
        for names in ([MAIN], random):
            yield pl.concat(_of_topics(documents, taken[name][0]).with_columns(subset=pl.lit(name)) for name in names)

    texts = comparable_limit(*(side.group_by("subset", "topic").len()["len"] for side in sides()))
    documents = documents if texts is None else _drawn(documents, texts, seed)
    characters = comparable_limit(*(side["characters"] for side in sides()))
    documents = documents.with_columns(pl.min_horizontal("characters", pl.lit(characters)))
    return documents, {"most_texts": texts, "most_characters": characters}


def _drawn(documents: pl.DataFrame, most: int, seed: int) -> pl.DataFrame:
    """Return at most `most` documents of each topic: two per author, then two more, with authors ordered by hash.

    The order of authors is the same in every topic, which preserves same-author pairs within and across topics.
    """
    hashed = [
        keyed_hashes(seed, purpose, documents[key])
        for purpose, key in (("authors drawn", "author"), ("texts drawn", "id"))
    ]
    place = pl.struct("own", "author_hash", "author", "id_hash", "id").rank("ordinal").over("topic")
    return (
        documents.with_columns(author_hash=hashed[0], id_hash=hashed[1])
        .with_columns(own=(pl.struct("id_hash", "id").rank("ordinal").over("topic", "author") - 1) // 2)
        .filter(place <= most)
        .select(documents.columns)
    )


def _of_topics(documents: pl.DataFrame, members: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    return documents.filter(pl.col("topic").is_in([topic for joined in members.values() for topic in joined]))


def lay_out(
    subset: Subset, taken: Taken, documents: pl.DataFrame, described_by: Topics, folds: int, seed: int
) -> tuple[dict[str, object], pl.DataFrame]:
    """Return the metadata of a subset for the tables, and its pairs (`folds.PAIRS`).

    Args:
        documents: `id`, `author`, `topic`, `lang`, `characters` of all selectable topics.
        described_by: the topics and vectors that measure similarity.

    Raises:
        InputError: the subset or a fold of it cannot be made.
    """
    members, scores = taken
    pairs = fold_pairs(subset.name, documents, members, folds, seed)
    tests = topics_tested(members, folds, seed)
    here = _of_topics(documents, members)
    metadata = {
        **asdict(subset),
        "members": members,
        "order": list(members),
        "folds": tests,
        "documents": here.height,
        "characters": folds * int(here["characters"].cast(pl.Int64).sum()),
        "leakage": scores,
        "covariates": describe(pairs, documents),
        "sizes": _sizes(pairs, documents),
        **likeness(list(members), tests, *described_by),
    }
    return metadata, pairs


def _sizes(pairs: pl.DataFrame, documents: pl.DataFrame) -> list[dict[str, int]]:
    """Return for each fold the pairs and authors of its train and test parts, and the authors in both."""
    author = documents.select("id", "author")
    learns = pl.col("part").is_in(LEARNT)
    texts = pl.concat([pairs.join(author, left_on=side, right_on="id", how="left") for side in ("first", "second")])
    found = []
    for fold in pairs["fold"].unique().sort():
        row: dict[str, int] = {}
        here, who = pairs.filter(pl.col("fold") == fold), texts.filter(pl.col("fold") == fold)
        authors = {}
        for part, inside in (("train", learns), ("test", ~learns)):
            own, authors[part] = here.filter(inside), set(who.filter(inside)["author"])
            row |= {f"{part}_pairs": own.height, f"{part}_same": int(own["same"].sum())}
            row[f"{part}_authors"] = len(authors[part])
        found.append(row | {"authors_in_both": len(authors["train"] & authors["test"])})
    return found


def likeness(
    taken: Sequence[str], tests: Sequence[Sequence[str]], names: Sequence[str], vectors: F64
) -> dict[str, object]:
    """Return the cosine similarity of each fold's train and test topics, of the subset's topics `taken`.

    Mean and maximum per fold, and the most similar pairs of topics over all folds without repetition.
    """
    place = {name: row for row, name in enumerate(names)}
    alike = similarities(vectors[[place[topic] for topic in taken]])
    at = {topic: row for row, topic in enumerate(taken)}
    means, most = [], []
    pairs: dict[tuple[str, ...], tuple[str, str, float]] = {}
    for test in tests:
        inside = np.zeros(len(taken), bool)
        inside[[at[topic] for topic in test]] = True
        across = alike[~inside][:, inside]
        means.append(float(across.mean()))
        most.append(float(across.max()))
        train = np.flatnonzero(~inside)
        for flat in np.argsort(-across, axis=None, kind="stable")[:MOST_ALIKE]:
            row, column = divmod(int(flat), across.shape[1])
            one, other = taken[train[row]], taken[np.flatnonzero(inside)[column]]
            pairs.setdefault(tuple(sorted((one, other))), (one, other, float(across[row, column])))
    listed = sorted(pairs.values(), key=lambda pair: (-pair[2], pair[:2]))[:MOST_ALIKE]
    return {
        "mean_similarity": means,
        "max_similarity": most,
        "most_alike": [{"train": one, "test": other, "similarity": value} for one, other, value in listed],
    }
