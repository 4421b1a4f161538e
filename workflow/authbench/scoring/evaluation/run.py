"""Score a model on a split, and write the results (docs/evaluation.md lists the files).

Every table of a leaderboard can be computed again from these files without the model; `evaluate.joined` adds to the
files in `own/` what depends on the results of other models.
"""

import platform
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import cast

import numpy as np
import polars as pl
import pyarrow as pa

from authbench.config.plugins import Metrics, plugin_key
from authbench.core.arrays import I32
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import atomic_folder, sha256_of_file
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.parquet import write_plain_parquet
from authbench.core.version import VERSION
from authbench.models import parameters
from authbench.models.entries import ModelEntry
from authbench.models.given_vectors import GivenVectors
from authbench.models.model import CPU, Model, VectorCache, Vectors
from authbench.models.open import open_model
from authbench.models.provenance import made_by
from authbench.release.format.release import verification
from authbench.release.format.scores import Benchmark, MatchedPairs, Scores, ScoringSettings
from authbench.scoring.evaluation.given import LISTED, expect_known, read_pairs, read_run
from authbench.scoring.evaluation.headline import (
    LEAST_DEV_AUTHORS,
    Authors,
    averaged_languages,
    headline,
    headlines_of_slices,
)
from authbench.scoring.evaluation.joined import OWN
from authbench.scoring.evaluation.listed import BEHIND, rank_listed, reasons, without_unknown
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.plugged import with_plugged
from authbench.scoring.evaluation.released import HEADLINES, POOLS, group_scores, success_of_other_work
from authbench.scoring.evaluation.retrieval import NEAREST, Ranking, cosine, rank
from authbench.scoring.evaluation.scores import per_query_values, summarise
from authbench.scoring.evaluation.split import Split
from authbench.scoring.evaluation.thresholds import matched_error_rates, query_normalised
from authbench.scoring.evaluation.verification import PER_QUERY, draw_negatives

RELEASED = "released"  # key of the scores of the released pairs in `Ranking.negatives`
LIBRARIES = ("numba", "numpy", "polars", "scikit-learn", "scipy")


def evaluate(
    model: ModelEntry,
    split: Split,
    seed: int,
    out: Path,
    cache: VectorCache,
    dev: Split | None = None,
    negatives: Mapping[str, Lists] | None = None,
    metrics: Metrics = (),
) -> Scores:
    """Score a model on a split and write the files; return the contents of own/scores.json.

    Args:
        seed: of drawn negatives and replicates.
        out: the folder of all models' results.
        dev: the split where shortcuts are compared, to select the best before `split` is scored; unused for other
            models.
        negatives: the result of `draw_negatives` for the split and seed; None: they are drawn here.
        metrics: of plug-ins, in addition to the library's.
    """
    negatives = draw_negatives(split, seed) if negatives is None else negatives
    model, opened, ranking = ranking_of(model, split, negatives, cache)
    ranking = with_plugged(ranking, split, metrics)
    table, left_out = _queries_table(split, ranking)
    result = {
        "model": model.as_dict(),
        "benchmark": benchmark_of(split),
        "made_by": made_by(model.parameters),
        "settings": settings_of(split, seed),
        "versions": {"authbench": VERSION, "python": platform.python_version()}
        | {library: version(library) for library in LIBRARIES}
        | {plugin_key(plugin.name): str(plugin) for plugin, _ in metrics},
        **({"metrics": {plugin_key(plugin.name): metric.about for plugin, metric in metrics}} if metrics else {}),
        **scores_of(split, ranking, negatives, table, seed, left_out),
    }
    if dev is not None and model.shortcut and opened:
        result["headline_on_dev"] = headline_on(opened, dev, seed)
    with atomic_folder(out / model.name) as folder:
        (folder / OWN).mkdir()
        write_plain_json(folder / OWN / "scores.json", result)
        write_plain_parquet(table, folder / OWN / "queries.parquet")
        write_plain_parquet(_pairs_table(split, ranking, negatives), folder / "pairs.parquet")
        write_plain_parquet(_released_table(split, ranking), folder / "released_pairs.parquet")
    return cast(Scores, result)


def benchmark_of(split: Split) -> Benchmark:
    """Return the statements of scores.json about the scored split."""
    return {
        "name": split.benchmark,
        "version": split.version,
        "split": split.name,
        "checksum": split.checksum,
        "candidates": split.candidates,
        "queries": len(split.asks),
        "pool_authors": split.pool_authors,
        "unmeasured_sources": None if split.unmeasured is None else list(split.unmeasured),
        **verification(split.unverified),
    }


def settings_of(split: Split, seed: int) -> ScoringSettings:
    """Return the statements of scores.json about the scoring settings."""
    return {"seed": seed, "negatives_per_query": PER_QUERY, "fitted_on": split.fitted_on}


def scores_of(
    split: Split,
    ranking: Ranking,
    negatives: Mapping[str, Lists],
    table: pl.DataFrame,
    seed: int,
    left_out: Mapping[str, str] | None = None,
) -> JsonObject:
    """Return the scores in scores.json, overall and by slice, from a ranking and its `queries_table`.

    `left_out` gives by headline score why it cannot be computed from the ranking.
    """
    authors = Authors.of(table, seed)
    result = {
        **summarise(split, ranking, negatives, authors, split.slices),
        "headline": headline(table, split.pool_authors, authors),
        "headline_left_out": {**(left_out or {}), **split.released.left_out},
        **({"left_out": lacking} if (lacking := reasons(split, ranking)) else {}),
        "matched_pairs": _matched_pairs(split, ranking, negatives, table, authors),
        "lengths": lengths_by_language(split),
    }
    for (facet, label), cells in headlines_of_slices(table, authors, split.slices).items():
        result[facet][label]["headline"] = cells
    return result


def headline_on(model: Model, split: Split, seed: int) -> dict[str, object]:
    """Return the name and checksum of a split, and a model's headline scores on it that have enough authors."""
    table = queries_table(split, ranked(model, split, {}))
    found = headline(table, split.pool_authors, Authors.of(table, seed))
    enough = [score for score in HEADLINES if score in found and found[score]["authors"] >= LEAST_DEV_AUTHORS]
    scores = {score: found[score]["value"] for score in enough}
    return {"split": split.name, "checksum": split.checksum, **scores}


def ranking_of(
    entry: ModelEntry, split: Split, negatives: Mapping[str, Lists], cache: VectorCache
) -> tuple[ModelEntry, Model | None, Ranking]:
    """Return the entry with the digest of its file or prompt, the model unless its results are given, and the ranking.

    Raises:
        InputError: the model, or the file with its results, cannot be used.
    """
    given = entry.parameters
    if isinstance(given, parameters.RunParameters | parameters.PairsParameters | parameters.PromptParameters):
        negatives = {**negatives, RELEASED: split.released.lists}
        if isinstance(given, parameters.RunParameters):
            return _with_digest(entry), None, rank_listed(read_run(Path(given.file), split), split, negatives)
        if isinstance(given, parameters.PairsParameters):
            entry, scores = _with_digest(entry), read_pairs(Path(given.file), split)
        else:
            from authbench.scoring.evaluation.prompted import prompted_scores

            entry, scores = prompted_scores(entry, split, cache.folder / "prompts")
        ranking = rank_listed(pl.DataFrame(schema=LISTED), split, negatives)
        return entry, None, replace(ranking, negatives={**ranking.negatives, RELEASED: scores})
    model = open_model(entry, cache)
    if isinstance(model, GivenVectors):
        expect_known(model.path, model.ids, split)
    return model.entry, model, ranked(model, split, negatives)


def _with_digest(entry: ModelEntry) -> ModelEntry:
    assert isinstance(entry.parameters, parameters.FileParameters)
    digest = sha256_of_file(entry.parameters.file)
    return replace(entry, parameters=replace(entry.parameters, file_sha256=digest))


def expect_usable(models: Iterable[ModelEntry], split: Split) -> None:
    """Raise InputError if a function cannot be imported, a file does not fit the split, or a prompt has no key."""
    for model in models:
        given = model.parameters
        if isinstance(given, parameters.RunParameters):
            read_run(Path(given.file), split)
        elif isinstance(given, parameters.PairsParameters):
            read_pairs(Path(given.file), split)
        elif isinstance(given, parameters.PromptParameters):
            from authbench.scoring.evaluation.prompted import expect_askable

            expect_askable(given, split)
        elif isinstance(given, parameters.VectorsParameters | parameters.FunctionParameters):
            opened = open_model(model)
            if isinstance(opened, GivenVectors):
                opened.embed(split.documents)
                expect_known(opened.path, opened.ids, split)


def ranked(model: Model, split: Split, negatives: Mapping[str, Lists]) -> Ranking:
    """Return the ranks of the positives by a model and the scores of the pairs, computed on the model's device."""
    negatives = {**negatives, RELEASED: split.released.lists}
    compared = model.compare(split.documents, split.candidates, split.asks, split.reference)
    if not isinstance(compared, Vectors):
        return rank(compared, split, negatives)
    if compared.device != CPU:
        from authbench.scoring.evaluation.device import rank_on

        return rank_on(compared.device, compared.queries, compared.candidates, split, negatives)
    scorer = cosine(compared.queries, compared.candidates)
    del compared  # of a sparse matrix, the scorer holds only the candidates' columns
    return rank(scorer, split, negatives)


def line(name: str, result: Scores) -> str:
    """Return a line with the overall scores of a model, with its headline scores if there are any."""
    overall = result["overall"]
    opening = "".join(
        f"{label} {result['headline'][score]['value']:.3f}  "
        for score, label in zip(HEADLINES, ("AUC matched", "AUC topic", "AUC time", "S@5 other work"), strict=True)
        if score in result["headline"]
    )
    if "pool" not in overall:
        return f"{name}: {opening}{overall['authors']} query authors are too few for a score; counts are in scores.json"
    shown = {"S@5": "success@5", "R@5": "recall@5", "nDCG@5": "ndcg@5", "EER": "eer", "EER matched": "eer_matched"}
    return f"{name}: {opening}" + "  ".join(
        f"{label} {overall[key]:.3f}" for label, key in shown.items() if overall.get(key) is not None
    )


def queries_table(split: Split, ranking: Ranking) -> pl.DataFrame:
    """Return a row per query: `id`, `author_id`, its slices and metrics, and the `nearest` candidates with `scores`."""
    return _queries_table(split, ranking)[0]


def _queries_table(split: Split, ranking: Ranking) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return `queries_table`, and the reason for each headline score that is left out."""
    values = per_query_values(split, ranking)
    stated, queries = split.released, len(split.asks)
    own = group_scores(stated, ranking.negatives[RELEASED], queries) | success_of_other_work(
        stated, split.positives, ranking.ranks["language"], ranking.sizes["language"]
    )
    own, left_out = without_unknown(own, split, ranking)
    table = pl.concat([split.queries.select("id", "author_id"), split.facets], how="horizontal").with_columns(
        *(pl.Series(name, value).fill_nan(None) for name, value in values.items() if ":" not in name),
        *(pl.Series(name, column).fill_nan(None) for name, column in own.items()),
        **_nearest_lists(split.documents["id"], ranking),
    )
    return table, left_out


def _nearest_lists(ids: pl.Series, ranking: Ranking) -> dict[str, pl.Series]:
    """Return for each query the ids of the `nearest` candidates and their `scores`, best first."""
    rows, best = ranking.nearest[:, :NEAREST], ranking.best[:, :NEAREST]
    there = (rows >= 0) & np.isfinite(best)
    ends = pa.array(np.concatenate([[0], np.cumsum(there.sum(axis=1))]))
    flat = {"nearest": ids.gather(rows[there]), "scores": pl.Series(best[there], dtype=pl.Float64)}
    return {
        name: pl.Series(name, pa.LargeListArray.from_arrays(ends, values.to_arrow()), pl.List(values.dtype))
        for name, values in flat.items()
    }


def _ids(split: Split) -> pl.Series:
    """Return the ids of the split's documents as categories: 4 bytes for each pair that names one, not 16."""
    ids = split.documents["id"]
    return ids.cast(pl.Enum(ids))


def _released_table(split: Split, ranking: Ranking) -> pl.DataFrame:
    """Return the released pairs with their `score`: `pool`, `group`, `query`, `candidate`, `same`."""
    ids, pairs = _ids(split), split.released.pairs
    return pairs.with_columns(
        query=ids.gather(split.asks[pairs["query"].to_numpy()]),
        candidate=ids.gather(pairs["candidate"]),
        score=pl.Series(ranking.negatives[RELEASED][split.released.place]).fill_nan(None),
    )


def lengths_by_language(split: Split) -> dict[str, dict[str, dict[str, float]]]:
    """Return by language and length bucket the number of texts and their median words, characters and tokens."""
    counted = (
        split.documents.group_by("lang", "length")
        .agg(
            texts=pl.len(),
            words=pl.col("content").str.count_matches(r"\S+").median(),
            characters=pl.col("content").str.len_chars().median(),
            tokens=pl.col("token_length").median(),
        )
        .sort("lang", "length")
    )
    found: dict[str, dict[str, dict[str, float]]] = {}
    for lang, bucket, *values in counted.iter_rows():
        found.setdefault(lang, {})[bucket] = dict(zip(counted.columns[2:], values, strict=True))
    return found


def _matched_pairs(
    split: Split, ranking: Ranking, negatives: Mapping[str, Lists], table: pl.DataFrame, authors: Authors
) -> MatchedPairs:
    scores = ranking.negatives[RELEASED]
    if not np.isfinite(scores).all():
        return {}
    kind = "same_language"
    normalised = query_normalised(split.released, scores, negatives[kind], ranking.negatives[kind])
    averaged = averaged_languages(table, POOLS["matched"], split.pool_authors)
    languages = {lang: (table["lang"] == lang).to_numpy() for lang in averaged}
    return matched_error_rates(split.released, scores, normalised, languages, authors)


def rank_column(pool: str) -> str:
    """Return the column of pairs.parquet with the ranks of positives within a pool.

    >>> rank_column("whole"), rank_column("language")
    ('rank', 'rank_language')
    """
    return "rank" if pool == "whole" else f"rank_{pool}"


def _known_ranks(ranks: I32) -> pl.Series:
    """Return known ranks; null for a positive that is outside the pool or not listed."""
    return pl.Series(ranks, dtype=pl.Int32).replace([0, BEHIND], [None, None])


def _pairs_table(split: Split, ranking: Ranking, negatives: Mapping[str, Lists]) -> pl.DataFrame:
    """Return a row per pair: `query`, `candidate`, `kind`, `score`, and for a positive its rank in each pool.

    `kind` is `positive`, or in NEGATIVES; a rank is null where a pool does not contain or does not list the positive.
    """
    ids = _ids(split)

    def rows(kind: str, pairs: Lists, scores: np.ndarray, ranks: Mapping[str, I32]) -> pl.DataFrame:
        nothing = pl.repeat(None, len(pairs.rows), dtype=pl.Int32, eager=True)
        of_pools = {
            rank_column(pool): _known_ranks(ranks[pool]) if pool in ranks else nothing for pool in ranking.ranks
        }
        return pl.DataFrame(
            {
                "query": ids.gather(split.asks[pairs.owners()]),
                "candidate": ids.gather(pairs.rows),
                "kind": pl.repeat(kind, len(pairs.rows), dtype=pl.Enum(["positive", *negatives]), eager=True),
                "score": pl.Series(scores, dtype=pl.Float64).fill_nan(None),
                **of_pools,
            },
            schema_overrides={rank_column(pool): pl.Int32 for pool in ranking.ranks},
        )

    return pl.concat(
        [
            rows("positive", split.positives, ranking.scores, ranking.ranks),
            *(rows(kind, pairs, ranking.negatives[kind], {}) for kind, pairs in negatives.items()),
        ]
    )
