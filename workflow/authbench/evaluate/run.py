"""Score one model on one split, and write the results.

    <out>/<model>/scores.json      scores, overall and by slice
    <out>/<model>/queries.parquet  every metric of every query, and its best candidates
    <out>/<model>/pairs.parquet    the score of every positive and negative pair

Every table of a leaderboard can be computed again from these without the model.
"""

import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench import __version__
from authbench.evaluate.retrieval import NEAREST, Ranking, cosine, rank
from authbench.evaluate.scores import per_query_values, summarise
from authbench.evaluate.split import Lists, Split
from authbench.evaluate.verification import PER_QUERY, draw_negatives
from authbench.format.release import verification
from authbench.metrics.ranking import NAMES as RANKING_MEASURES
from authbench.models.entries import ModelEntry
from authbench.models.model import CPU, Model, VectorCache, Vectors
from authbench.models.open import open_model
from authbench.storage.atomic import atomic_folder
from authbench.storage.json_files import write_plain_json
from authbench.storage.parquet import write_plain_parquet

LIBRARIES = ("numba", "numpy", "polars", "scikit-learn", "scipy")


def evaluate(model: ModelEntry, split: Split, seed: int, out: Path, cache: VectorCache) -> dict[str, Any]:
    """Score a model on a split and write the three files; return what scores.json holds."""
    negatives = draw_negatives(split, seed)
    ranking = ranked(open_model(model, cache), split, negatives)
    result = {
        "model": model.as_dict(),
        "benchmark": {
            "split": split.name,
            "checksum": split.checksum,
            "candidates": split.candidates,
            "queries": len(split.asks),
            **verification(split.unverified),
        },
        "settings": {"seed": seed, "negatives_per_query": PER_QUERY},
        "versions": {"authbench": __version__, "python": platform.python_version()}
        | {library: version(library) for library in LIBRARIES},
        **summarise(split, ranking, negatives, seed),
    }
    with atomic_folder(out / model.name) as folder:
        write_plain_json(folder / "scores.json", result)
        write_plain_parquet(queries_table(split, ranking), folder / "queries.parquet")
        write_plain_parquet(pairs_table(split, ranking, negatives), folder / "pairs.parquet")
    return result


def ranked(model: Model, split: Split, negatives: Mapping[str, Lists]) -> Ranking:
    """Return where the positives rank by a model, computed on the device that it names."""
    compared = model.compare(split.documents, split.candidates, split.asks)
    if not isinstance(compared, Vectors):
        return rank(compared, split, negatives)
    if compared.device != CPU:
        from authbench.evaluate.device import rank_on

        return rank_on(compared.device, compared.queries, compared.candidates, split, negatives)
    return rank(cosine(compared.queries, compared.candidates), split, negatives)


def line(name: str, result: Mapping[str, Any]) -> str:
    """Return the overall scores of a model, in one line."""
    overall = result["overall"]
    if "mrr" not in overall:
        return f"{name}: {overall['authors']} query authors are too few for a score; counts are in scores.json"
    shown = {"S@5": "success@5", "R@5": "recall@5", "nDCG@5": "ndcg@5", "EER": "eer", "EER matched": "eer_matched"}
    return f"{name}: " + "  ".join(f"{label} {overall[key]:.3f}" for label, key in shown.items() if key in overall)


def queries_table(split: Split, ranking: Ranking) -> pl.DataFrame:
    """Return a row per query: `id`, `author_id`, its metrics, and the `nearest` candidates with their `scores`."""
    ids = split.documents["id"]
    values = per_query_values(split, ranking)
    near = [
        [
            (ids[int(row)], float(score))
            for row, score in zip(rows, best, strict=True)
            if row >= 0 and np.isfinite(score)
        ]
        for rows, best in zip(ranking.nearest[:, :NEAREST], ranking.best[:, :NEAREST], strict=True)
    ]
    return split.queries.select("id", "author_id").with_columns(
        *(pl.Series(name, values[name]).fill_nan(None) for name in (*RANKING_MEASURES, "pool")),
        nearest=pl.Series([[ident for ident, _ in pairs] for pairs in near], dtype=pl.List(pl.String)),
        scores=pl.Series([[score for _, score in pairs] for pairs in near], dtype=pl.List(pl.Float64)),
    )


def pairs_table(split: Split, ranking: Ranking, negatives: Mapping[str, Lists]) -> pl.DataFrame:
    """Return a row per pair: `query`, `candidate`, `kind` (`positive`, or of NEGATIVES), `score`, a positive's rank."""
    ids = split.documents["id"]

    def rows(kind: str, pairs: Lists, scores: np.ndarray, ranks: np.ndarray | None) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "query": ids.gather(split.asks[pairs.owners()]),
                "candidate": ids.gather(pairs.rows),
                "kind": pl.repeat(kind, len(pairs.rows), eager=True),
                "score": scores,
                "rank": ranks if ranks is not None else pl.repeat(None, len(pairs.rows), dtype=pl.Int32, eager=True),
            },
            schema_overrides={"rank": pl.Int32},
        )

    return pl.concat(
        [
            rows("positive", split.positives, ranking.scores, ranking.ranks["whole"]),
            *(rows(kind, pairs, ranking.negatives[kind], None) for kind, pairs in negatives.items()),
        ]
    )
