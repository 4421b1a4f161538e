"""From reservoirs of shards to the selected documents: what happens in which order?"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.errors import InputError
from authbench.funnel import Counts, add_up
from authbench.job import log
from authbench.records import DOCUMENT, REMOVED
from authbench.safety import Scorer, ScoreStore, score_texts
from authbench.sample.deviation import sampling_deviation
from authbench.sample.documents import (
    Selection,
    order_pool,
    refuse_authors,
    select_documents,
    select_safely,
    set_length_bins,
)
from authbench.sample.reservoir import (
    AUTHOR,
    POOL_COLUMNS,
    keep_per_bucket,
    merge_tallies,
    rank_authors,
    trim_authors,
)
from authbench.sample.targets import matching_pattern
from authbench.tables import read_batches

COLUMNS = (*POOL_COLUMNS, "rank")
SELECTED = pl.Schema([*DOCUMENT.items(), ("toxicity", pl.Float64)])
# The documents (DOCUMENT) with these keys.
Documents = Callable[[pl.Series], pl.DataFrame]


@dataclass(frozen=True)
class Settings:
    """The sections of the configuration that a selection depends on."""

    sample: Mapping[str, Any]
    authors: Mapping[str, Any]
    safety: Mapping[str, Any]
    seed: int


@dataclass(frozen=True)
class Outcome:
    """`selected` (SELECTED, sorted by doc_key), what was too toxic (REMOVED), and the tables for the report."""

    selected: pl.DataFrame
    toxic: pl.DataFrame
    counts: Counts
    deviation: dict[str, Any]
    facts: dict[str, Any]


def stored_documents(paths: Sequence[str]) -> Documents:
    """Documents by key from Parquet files, read one row group at a time."""

    def fetch(keys: pl.Series) -> pl.DataFrame:
        wanted = pl.DataFrame({"doc_key": keys})
        found = [batch.join(wanted, on="doc_key", how="semi") for batch in read_batches(paths, DOCUMENT.names())]
        return pl.concat([pl.DataFrame(schema=DOCUMENT), *found]).sort("doc_key")

    return fetch


def sample(
    reservoirs: pl.DataFrame,
    tallies: pl.DataFrame,
    lengths: pl.DataFrame,
    documents: Documents,
    scorers: Sequence[Scorer],
    store: ScoreStore,
    settings: Settings,
) -> Outcome:
    """Select the documents of a benchmark from the shards' reservoirs (COLUMNS), tallies and length counts.

    Raises InputError where none can be selected, and says what became of them.
    """
    rules = settings.sample
    authors = refuse_authors(merge_tallies(tallies, rules["min_origins"]), settings.authors, rules)
    admitted = rank_authors(authors.filter(pl.col("refused").is_null()), settings.seed).select(*AUTHOR, "author_rank")
    if not admitted.height:
        raise _nothing(dict(authors.group_by("refused").agg(pl.col("documents").sum()).sort("refused").iter_rows()))
    pool = trim_authors(reservoirs, rules["reservoir"]).join(admitted, on=AUTHOR)
    pool, bounds = set_length_bins(pool, lengths, rules["length_bins"])
    pool = order_pool(keep_per_bucket(pool, rules["documents"] + rules["window"]))
    exempt = np.array(
        [matching_pattern(genre, settings.safety["exempt_genres"]) is not None for genre in pool["genre"]], np.bool_
    )
    exempt = exempt.reshape(pool.height)

    def score(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        keys = pool["doc_key"].gather(rows)
        texts = documents(keys)
        log.warning("safety: scoring %d texts", len(rows))
        scored = score_texts(scorers, texts["content"].to_list(), texts["lang"].to_list(), store)
        store.save()
        by_key = dict(zip(texts["doc_key"], (value for value, _ in scored), strict=True))
        return np.array([by_key[key] for key in keys], np.float64)

    selection, scores, rounds = select_safely(
        lambda verdicts: select_documents(pool, verdicts, rules),
        score,
        exempt,
        settings.safety["threshold"],
        settings.safety["scope"],
    )
    judged = pool.with_columns(
        pl.Series("chosen", selection.chosen),
        pl.Series("consulted", selection.consulted),
        pl.Series("toxicity", scores).fill_nan(None),
        pl.Series("exempt", exempt, dtype=pl.Boolean),
    ).with_columns(
        toxic=pl.col("consulted") & ~pl.col("exempt") & (pl.col("toxicity") > settings.safety["threshold"])
    )  # fmt: skip
    counts = _counts(authors, judged, selection)
    if not selection.chosen.any():
        raise _nothing(reduce(add_up, (source["dropped"] for source in counts["sources"].values())))
    chosen = judged.filter("chosen").select("doc_key", "toxicity", bucket="length_bucket")
    selected = (
        documents(chosen["doc_key"])
        .join(chosen, on="doc_key")
        .with_columns(length_bucket=pl.col("bucket"))
        .select(SELECTED.names())
        .sort("doc_key")
    )
    deviation = sampling_deviation(pool, selection, rules)
    facts = {
        "scorers": [{"identity": scorer.identity, "languages": sorted(scorer.languages)} for scorer in scorers],
        "toxicity_rates": _toxicity_rates(judged),
        "documents_scored": int(selection.consulted.sum()),
        "length_bounds": bounds,
        "fallback_authors": deviation["fallback_authors"],
        "one_origin_authors": selected.group_by("author_id")
        .agg(pl.col("origin_id").n_unique())["origin_id"]
        .eq(1)
        .sum(),
    }
    log.info("selected %d of %d documents in %d rounds", selected.height, pool.height, rounds)
    return Outcome(selected, _removed(judged, settings), counts, deviation, facts)


def _nothing(dropped: Mapping[str, int]) -> InputError:
    why = ", ".join(f"{reason} {number:,}" for reason, number in dropped.items()) or "none came this far"
    return InputError(
        f"Sampling leaves no document for a release. Documents by what became of them: {why}. "
        "Give it more texts, or ask for less in the sections sample, authors and safety of the configuration."
    )


def _counts(authors: pl.DataFrame, judged: pl.DataFrame, selection: Selection) -> Counts:
    """What became of every document that entered sampling, by source: an author's fate, then the document's own."""
    entered: Counter[str] = Counter()
    dropped: Counter[tuple[str, str]] = Counter()
    for source, refused, number in authors.group_by("source", "refused").agg(pl.col("documents").sum()).iter_rows():
        entered[source] += number
        if refused is not None:
            dropped[source, refused] += number
    kept = Counter(judged.filter("chosen")["source"])
    toxic = Counter(judged.filter("toxic")["source"])
    taken = judged.filter("chosen").select(AUTHOR).unique()
    by_author = authors.filter(pl.col("refused").is_null()).join(taken, on=AUTHOR, how="semi")
    of_taken = dict(by_author.group_by("source").agg(pl.col("documents").sum()).iter_rows())
    toxic_of_taken = Counter(judged.filter("toxic").join(taken, on=AUTHOR, how="semi")["source"])
    sources = {}
    for source in sorted(entered):
        reasons = {reason: number for (tag, reason), number in sorted(dropped.items()) if tag == source}
        beyond = of_taken.get(source, 0) - kept[source] - toxic_of_taken[source]
        rest = entered[source] - sum(reasons.values()) - kept[source] - toxic[source] - beyond
        reasons |= {"toxic": toxic[source], "beyond_documents_per_author": beyond, "author_not_needed": rest}
        sources[source] = {
            "in": entered[source],
            "kept": kept[source],
            "gained": 0,
            "dropped": {reason: number for reason, number in reasons.items() if number},
        }
    return {"stage": "sample", "sources": sources, "facts": {}}


def _toxicity_rates(judged: pl.DataFrame) -> list[dict[str, Any]]:
    consulted = judged.filter("consulted").group_by("lang", "genre")
    return (
        consulted.agg(pl.len().alias("scored"), pl.col("toxic").sum().alias("dropped")).sort("lang", "genre").to_dicts()
    )


def _removed(judged: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    return (
        judged.filter("toxic")
        .select(
            "source",
            "doc_key",
            stage=pl.lit("sample"),
            reason=pl.lit("toxic"),
            value=pl.col("toxicity"),
            threshold=pl.lit(float(settings.safety["threshold"])),
            detail=pl.lit(None, pl.String),
        )
        .select(REMOVED.names())
        .sort("doc_key")
    )
