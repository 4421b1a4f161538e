"""Sample in steps, from the reservoirs of shards to the selected documents."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.build.safety import Scorer, ScoreStore, score_texts
from authbench.build.sample.deviation import sampling_deviation
from authbench.build.sample.documents import (
    Selection,
    consult,
    languages_of,
    refuse_authors,
    select_documents,
    select_safely,
    set_length_bins,
)
from authbench.build.sample.reservoir import AUTHOR, LENGTH, keep_per_bucket, merge_tallies, trim_authors
from authbench.build.sample.targets import matching_pattern
from authbench.config.filter_rules import BUILT_IN
from authbench.config.settings.ingest import Authors
from authbench.config.settings.safety import Safety
from authbench.config.settings.sample import Sample
from authbench.core.arrays import BOOL, F64, I64, U32
from authbench.core.errors import InputError
from authbench.core.funnel import Counts, add_up, merge_counts
from authbench.core.identity import keyed_hashes
from authbench.core.json_values import JsonObject
from authbench.core.records import DOCUMENT, as_removed
from authbench.core.runtime.job import log
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns, read_numbered_rows
from authbench.release.format.deviation import Deviation

SELECTED = pl.Schema([*DOCUMENT.items(), ("toxicity", pl.Float64)])
PLACE = pl.Schema({"shard": pl.UInt16, "row": pl.UInt32})  # of a document in the tables of chunks
ASKED = pl.Schema([*PLACE.items(), ("batch", pl.UInt16)])
SCORED = pl.Schema([*PLACE.items(), ("score", pl.Float64)])
# The named columns of the documents at given places (rows of a frame with `shard, row`), in batches, with the index of
# each document's place as `at`.
Documents = Callable[[pl.DataFrame, Sequence[str]], Iterator[pl.DataFrame]]


@dataclass(frozen=True)
class Settings:
    """The sections of the configuration that a selection depends on."""

    sample: Sample
    authors: Authors
    safety: Safety
    splits: Mapping[str, float]
    seed: int

    @property
    def train_share(self) -> float:
        """The share of documents for training: of the split `train`, or of the first split if none has that name."""
        return self.splits.get("train", next(iter(self.splits.values()))) / sum(self.splits.values())


@dataclass(frozen=True)
class _Outcome:
    """Hold `selected` (SELECTED, sorted by doc_key), the toxic documents (REMOVED), and the tables for the report."""

    selected: pl.DataFrame
    toxic: pl.DataFrame
    counts: Counts
    deviation: Deviation
    facts: JsonObject


def stored_documents(paths: Sequence[str]) -> Documents:
    """Return a function that reads documents from the shards' Parquet files, a needed row group at a time."""

    def fetch(places: pl.DataFrame, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        numbered = places.select("shard", "row", at=pl.int_range(pl.len())).sort("shard", "row")
        for (shard,), part in numbered.group_by("shard", maintain_order=True):
            done = 0
            for found in read_numbered_rows(paths[int(shard)], part["row"].to_numpy(), columns):
                yield _alone(found).with_columns(part["at"].slice(done, found.height))
                done += found.height

    return fetch


def _alone(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a copy of the rows, which does not keep the row group they were taken from in memory."""
    return pl.DataFrame(rows.to_arrow(compat_level=pl.CompatLevel.oldest()))


@dataclass(frozen=True)
class _Pool:
    """Hold the documents that may be selected (`pool`), their authors, and what decides whether they are safe."""

    authors: pl.DataFrame
    pool: pl.DataFrame
    bounds: dict[str, object]
    exempt: BOOL
    earlier: Sequence[Counts]
    select: Callable[[NDArray[np.int8]], Selection]


def pool_of(
    reservoirs: Iterable[pl.DataFrame],
    tallies: Iterable[pl.DataFrame],
    lengths: pl.DataFrame,
    settings: Settings,
    earlier: Sequence[Counts] = (),
) -> _Pool:
    """Return the documents that may be selected, from the reservoirs of all shards (`reservoir.fill_reservoir`).

    Memory: some 310 bytes for each document of a reservoir, and at first 250 for each author of each shard. Raises
    InputError if no author may be selected, and reports which stages dropped the documents, by the counts of `earlier`
    stages.
    """
    rules = settings.sample
    merged, numbers = merge_tallies(tallies, rules["min_origins"])
    authors = refuse_authors(merged, settings.authors, rules)
    if authors["refused"].is_not_null().all():
        raise _nothing(
            earlier, dict(authors.group_by("refused").agg(pl.col("documents").sum()).sort("refused").iter_rows())
        )
    pool = trim_authors(admit(reservoirs, numbers, authors), rules["reservoir"], rules["spread"] == "prefer").drop(
        "rank"
    )
    pool, bounds = set_length_bins(pool, lengths, rules["length_bins"])
    if rules["documents"] is not None:
        pool = keep_per_bucket(pool, rules["documents"] + rules["window"])
    pool = pool.drop("task", "token_length")
    languages = languages_of(pool, rules)
    return _Pool(
        authors,
        pool,
        bounds,
        _exempt(pool["genre"], settings.safety["exempt_genres"]),
        earlier,
        lambda verdicts: select_documents(languages, verdicts, rules, settings.train_share),
    )


def read_pool(given: Any, settings: Settings) -> _Pool:
    """Return `pool_of` the files in a job's input."""
    return pool_of(
        (read_columns([path]) for path in given.reservoirs),
        (read_columns([path]) for path in given.authors),
        read_columns(given.lengths),
        settings,
        [read_json(path) for path in given.counts],
    )


def known_scores(paths: Iterable[str]) -> pl.DataFrame:
    """Return the scores in the files of all batches (SCORED)."""
    return pl.concat([pl.DataFrame(schema=SCORED), *(read_columns([path]) for path in paths)])


def ask_scores(of: _Pool, known: pl.DataFrame, safety: Safety, batches: int) -> pl.DataFrame:
    """Return the places of the texts whose scores a selection lacks (ASKED), in batches of equal size.

    Args:
        known: the scores that it has (SCORED).
    """
    _, rows = consult(of.select, _scores(of.pool, known), of.exempt, safety["threshold"], safety["scope"])
    lacking = of.pool[rows].select("shard", "row").cast(PLACE).sort("shard", "row")
    return lacking.with_columns(batch=(pl.int_range(pl.len()) * batches // pl.len()).cast(ASKED["batch"]))


def score_documents(
    places: pl.DataFrame, documents: Documents, scorers: Sequence[Scorer], store: ScoreStore
) -> pl.DataFrame:
    """Return the places with the toxicity of their texts (SCORED); what the store lacks is scored and stored."""
    log.info("safety: scoring %d texts", places.height)
    scores = np.empty(places.height)
    for texts in documents(places, ["lang", "content"]):
        scored = score_texts(scorers, texts["content"].to_list(), texts["lang"].to_list(), store)
        scores[texts["at"].to_numpy()] = [value for value, _ in scored]
    return places.select("shard", "row", score=pl.Series(scores)).cast(SCORED)


def sample(
    of: _Pool,
    documents: Documents,
    scorers: Sequence[Scorer],
    store: ScoreStore,
    settings: Settings,
    known: pl.DataFrame,
) -> _Outcome:
    """Select the documents of a benchmark; texts without a score in `known` (SCORED) are scored as needed.

    Memory: texts are read a row group at a time, but the selected texts are held, twice while they are sorted. Raises
    InputError as `pool_of` if no document can be selected.
    """
    authors, pool, exempt = of.authors, of.pool, of.exempt

    def score(rows: I64) -> F64:
        scored = score_documents(pool[rows], documents, scorers, store)["score"].to_numpy()
        store.save()
        return scored

    selection, scores = select_safely(
        of.select, score, _scores(pool, known), exempt, settings.safety["threshold"], settings.safety["scope"]
    )
    judged = pool.with_columns(
        pl.Series("chosen", selection.chosen),
        pl.Series("consulted", selection.consulted),
        pl.Series("toxicity", scores).fill_nan(None),
        pl.Series("exempt", exempt),
    ).with_columns(
        toxic=pl.col("consulted") & ~pl.col("exempt") & (pl.col("toxicity") > settings.safety["threshold"])
    )  # fmt: skip
    counts = _counts(authors, judged)
    if not selection.chosen.any():
        raise _nothing(of.earlier, reduce(add_up, (source["dropped"] for source in counts["sources"].values())))
    chosen = judged.filter("chosen")
    selected = _selected(chosen, documents)
    _check_authors(selected, authors["author_rank"].gather(selected["author"]), settings.seed)
    selected = selected.select(SELECTED.names()).cast(SELECTED).sort("doc_key")
    deviation = sampling_deviation(pool, selection, settings.sample, _refused(authors))
    works = selected.group_by("author_id").agg(pl.col("origin_id").n_unique())["origin_id"]
    facts = {
        "scorers": [{"identity": scorer.identity, "languages": sorted(scorer.languages)} for scorer in scorers],
        "toxicity_rates": _toxicity_rates(judged),
        "documents_scored": int(selection.consulted.sum()),
        "length_bounds": of.bounds,
        "fallback_authors": deviation["fallback_authors"],
        "one_origin_authors": works.eq(1).sum(),
    }
    log.info("selected %d of %d documents", selected.height, pool.height)
    return _Outcome(selected, _removed(judged.filter("toxic"), documents, settings), counts, deviation, facts)


def _scores(pool: pl.DataFrame, known: pl.DataFrame) -> F64:
    """Return the known scores of the documents, NaN for the others."""
    found = pool.select("shard", "row").cast(PLACE).join(known, on=["shard", "row"], how="left", maintain_order="left")
    return found["score"].fill_null(np.nan).to_numpy().copy()


def admit(reservoirs: Iterable[pl.DataFrame], numbers: Sequence[U32], authors: pl.DataFrame) -> pl.DataFrame:
    """Return the documents of admitted authors: `author` (row of `authors`), `shard`, `row`, and measures.

    Args:
        reservoirs: of each shard.
        numbers: for each shard the rows of its authors in `authors`, shape (authors of the shard,).
        authors: with `refused`, null for admitted authors.
    """
    admitted = authors["refused"].is_null()
    parts = []
    for shard, (reservoir, numbered) in enumerate(zip(reservoirs, numbers, strict=True)):
        author = pl.Series("author", numbered[reservoir["author"].to_numpy()])
        known = reservoir.with_columns(
            author,
            pl.lit(shard, pl.UInt16).alias("shard"),
            *(authors[name].gather(author) for name in ("lang", "source", "train_only")),
            pl.col("genre", "task").cast(pl.Categorical),
            pl.col("length_bucket").cast(LENGTH),
        )
        parts.append(known.filter(admitted.gather(author)))
    return pl.concat(parts)


def _exempt(genres: pl.Series, patterns: Sequence[str]) -> BOOL:
    fits = [genre for genre in genres.unique() if matching_pattern(genre, list(patterns)) is not None]
    return genres.cast(pl.String).is_in(fits).to_numpy()


def _selected(chosen: pl.DataFrame, documents: Documents) -> pl.DataFrame:
    """Return the chosen documents with their contents (SELECTED and `author`)."""
    known = chosen.select("author", "toxicity", "length_bucket")
    found = [batch.drop("length_bucket").hstack(known[batch["at"]]) for batch in documents(chosen, DOCUMENT.names())]
    return pl.concat(found)


def _check_authors(selected: pl.DataFrame, ranks: pl.Series, seed: int) -> None:
    """Raise InputError if a document is not by the author it was chosen for, or two authors share a hash."""
    names = selected.select(pl.concat_str(AUTHOR, separator="\x1f")).to_series()
    if not keyed_hashes(seed, "author", names).equals(ranks):
        raise InputError("Reservoirs and documents do not belong together; delete both, and let them be made anew")
    people = selected.select("author", *AUTHOR).unique().group_by("author").len()
    if (people["len"] > 1).any():
        raise InputError("Two authors share a hash of 64 bits; choose another `seed`")


def _refused(authors: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Return the number of documents by inadmissible authors, by language and reason."""
    found: dict[str, dict[str, int]] = {}
    rows = authors.drop_nulls("refused").group_by("lang", "refused").agg(pl.col("documents").sum())
    for lang, reason, number in rows.cast({"lang": pl.String}).sort("lang", "refused").iter_rows():
        found.setdefault(lang, {})[reason] = number
    return found


def _nothing(earlier: Iterable[Counts], refused: Mapping[str, int]) -> InputError:
    """Return the error of a selection without documents: where they were dropped, by the counts of earlier stages."""
    stages = merge_counts(earlier)
    numbers = Counter({("sample", reason): number for reason, number in refused.items()})
    for stage, counts in stages.items():
        for of_source in counts["sources"].values():
            numbers.update({(stage, reason): number for reason, number in of_source["dropped"].items()})
    read = sum(of_source["in"] for of_source in stages.get("ingest", {"sources": {}})["sources"].values())
    went = "; ".join(
        f"{number:,} {reason} ({_setting(stage, reason)})" for (stage, reason), number in numbers.most_common()
    )
    return InputError(
        f"Sampling leaves no document for a release. Of {read:,} records went: {went or 'none, as there were none'}. "
        "Give it more texts, or ask for less where these settings say."
    )


def _setting(stage: str, reason: str) -> str:
    """Return the setting, or the section of settings, that makes a stage drop documents for a reason."""
    if stage == "filter":
        return next((f"filter.{rule.setting}" for rule in BUILT_IN if rule.setting and rule.reason == reason), "filter")
    return {"sample": "sample, authors, safety"}.get(stage, stage.partition("_")[0])


def _counts(authors: pl.DataFrame, judged: pl.DataFrame) -> Counts:
    """Return the counts of the stage: every document by its source, and by its author's verdict or its own."""
    entered: Counter[str] = Counter()
    dropped: Counter[tuple[str, str]] = Counter()
    for source, refused, number in authors.group_by("source", "refused").agg(pl.col("documents").sum()).iter_rows():
        entered[source] += number
        if refused is not None:
            dropped[source, refused] += number
    kept = Counter(judged.filter("chosen")["source"])
    toxic = Counter(judged.filter("toxic")["source"])
    taken = judged.filter("chosen")["author"].unique()
    of_taken = dict(authors[taken].group_by("source").agg(pl.col("documents").sum()).iter_rows())
    toxic_of_taken = Counter(judged.filter("toxic", pl.col("author").is_in(taken.implode()))["source"])
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


def _toxicity_rates(judged: pl.DataFrame) -> list[dict[str, object]]:
    consulted = judged.filter("consulted").group_by("lang", "genre")
    return (
        consulted.agg(pl.len().alias("scored"), pl.col("toxic").sum().alias("dropped"))
        .cast({pl.Categorical: pl.String})
        .sort("lang", "genre")
        .to_dicts()
    )


def _removed(toxic: pl.DataFrame, documents: Documents, settings: Settings) -> pl.DataFrame:
    keys = pl.concat(
        [pl.DataFrame(schema={"doc_key": pl.String, "at": pl.Int64}), *documents(toxic, ["doc_key"])]
    ).sort("at")
    threshold = float(settings.safety["threshold"])
    named = toxic.with_columns(keys["doc_key"])
    return as_removed(named, "sample", pl.lit("toxic"), value="toxicity", threshold=threshold).sort("doc_key")
