"""Make a leaderboard's tables: all queries, and the slices of each facet."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import polars as pl

from authbench.config.languages import language_name
from authbench.config.plugins import plugin_key
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.presentation.numbers import NOTHING, decimals, limits
from authbench.core.presentation.tables import DAGGER, Cell, Column, Row, Table, places, without_empty_columns
from authbench.core.records import LENGTH_BUCKETS
from authbench.core.words import nearest, spaced
from authbench.models.entries import SANITY
from authbench.release.format.scores import cells_of
from authbench.reports.leaderboard.collect import Result, collect
from authbench.reports.leaderboard.headline import headline_scores
from authbench.reports.leaderboard.pairwise import letters_of
from authbench.reports.leaderboard.verdict import HEADINGS
from authbench.scoring.evaluation.headline import LEAST_QUERY_AUTHORS
from authbench.scoring.evaluation.released import HEADLINES
from authbench.scoring.evaluation.scores import LEAST_AUTHORS, MACRO
from authbench.scoring.evaluation.slices import SLICES
from authbench.scoring.metrics.ranking import CUTOFFS


@dataclass(frozen=True)
class Metric:
    """A score column: its key in scores.json, its heading, and whether more is better."""

    key: str
    heading: str
    more_is_better: bool = True


GAINS = (Metric("gain_success@5", "S@5 over shortcut"), Metric("gain_eer", "EER under shortcut"))
_EMPTY = {
    "EER, same language": "no query has negatives of its language",
    "EER, matched": "no query has negatives of its language, genre and length",
    **dict.fromkeys((gain.heading for gain in GAINS), "no shortcut was evaluated, or nothing else"),
}
_LETTERS = (
    "Models that share a letter do not differ more than chance might (approximate randomisation over queries, Holm's "
    "p of 0.05 or more over all pairs of models)."
)
_RANKING = {"success": "S", "recall": "R", "ndcg": "nDCG"}
_OF_PAIRS = {"": "", "_all": ", all negatives", "_same_language": ", same language"}
_OF_PAIRS |= {"_matched": ", matched", "_same_topic": ", same topic"}
# All scores available as table columns, by their key in scores.json.
CHOICES: Mapping[str, Metric] = {
    metric.key: metric
    for metric in (
        *(Metric(f"{name}@{k}", f"{heading}@{k}") for k in CUTOFFS for name, heading in _RANKING.items()),
        Metric("mrr", "MRR"),
        *(Metric(f"roc_auc{suffix}", f"ROC-AUC{words}") for suffix, words in _OF_PAIRS.items()),
        *(Metric(f"eer{suffix}", f"EER{words}", False) for suffix, words in _OF_PAIRS.items()),
    )
}
METRICS = tuple(
    CHOICES[key] for key in ("success@5", "recall@5", "ndcg@5", "mrr", "eer", "eer_same_language", "eer_matched")
)
ATTRIBUTION, VERIFICATION = METRICS[0], METRICS[4]
DRAWN = (*METRICS[:3], VERIFICATION)
OPENING = tuple(Metric(score, HEADINGS[score]) for score in HEADLINES)
ALL_TEXTS = "all texts"
SLICED = ("by_language", "by_source", "by_primary_genre", "by_length", "by_fame")
_ABOUT = {
    "by_fame": (
        "Classic: works that language models have read, so that a model may know the text. Familiar: measured, by the "
        "loss of a language model.",
    )
}
_SLICED = (
    f"In brackets the query authors; a slice with fewer than {LEAST_QUERY_AUTHORS} has no gain. Grey: no gain over the "
    "best shortcut whose 95 % interval excludes 0."
)
NAMES = 1  # columns before the scores
FACETS = ("by_language", "by_primary_genre", "by_genre", "by_length")


def all_tables(
    results: Sequence[Result], pairs: pl.DataFrame | None = None, extra: Sequence[Metric] = ()
) -> list[Table]:
    """Return the overall table, and tables of Success@5 and EER per facet (the paper's tables 8 to 14).

    Args:
        pairs: from `pairwise.compare_pairs`, for the letters of the overall table.
        extra: additional columns of the overall table.
    """
    found = [overall(results, pairs, extra)]
    for facet in FACETS:
        for metric in (ATTRIBUTION, VERIFICATION):
            table = _by_slice(results, facet, metric)
            if len(table.columns) > NAMES:
                found.append(table)
    return found


def overall(results: Sequence[Result], pairs: pl.DataFrame | None = None, extra: Sequence[Metric] = ()) -> Table:
    """Return every metric over all queries with its interval, and each model's gain over the best shortcut."""
    plugged = plugged_metrics(results)
    shown = list(dict.fromkeys([*METRICS, *plugged, *extra]))
    rows = [
        _described(result) | {metric.key: result.scores["overall"].get(metric.key) for metric in shown}
        for result in results
    ]
    best = {metric: best_shortcut(rows, metric) for metric in (ATTRIBUTION, VERIFICATION)}
    for gain, (metric, shortcut) in zip(GAINS, best.items(), strict=True):
        for row in rows:
            row[gain.key] = None
            if shortcut is not None and not row["shortcut"] and row[metric.key] is not None:
                row[gain.key] = (row[metric.key] - shortcut[metric.key]) * (1 if metric.more_is_better else -1)
    columns = (*shown, *GAINS)
    beside = _beside(results, rows, pairs)
    table = score_table("overall", "All queries", columns, _as_frame(rows, columns), _seen_by(results), beside)
    table = without_empty_columns(table, _EMPTY)
    if any(letters for _, letters in beside.values()):
        table = replace(table, notes=[*table.notes, _LETTERS])
    table = replace(table, notes=[*table.notes, *(f"{one.heading}: {about}" for one, about in plugged.items())])
    verified = pl.Series("verified", [not result.unverified for result in results], dtype=pl.Boolean)
    return replace(table, data=table.data.with_columns(verified), notes=[*table.notes, *unverified_notes(results)])


def plugged_metrics(results: Sequence[Result]) -> dict[Metric, str]:
    """Return the metrics of plug-ins in any result, and what each measures."""
    stated = {key: about for one in results for key, about in one.scores.get("metrics", {}).items()}
    return {metric: stated[metric.key] for metric in metrics_of(sorted(stated))}


def _beside(
    results: Sequence[Result], rows: Sequence[JsonMapping], pairs: pl.DataFrame | None
) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the interval by model and metric, and the letters for metrics compared pairwise."""
    same = {}
    for metric in METRICS:
        if pairs is None:
            continue
        known = [row for row in rows if row[metric.key] is not None]
        ranked = sorted(known, key=lambda row: (-row[metric.key], row["model"]))
        same[metric.key] = letters_of(pairs, metric.key, [row["model"] for row in ranked])
    return {
        (result.name, metric.key): (
            limits(*result.scores["overall"].get("intervals", {}).get(metric.key, (None, None))),
            same.get(metric.key, {}).get(result.name, ""),
        )
        for result in results
        for metric in METRICS
    }


def best_shortcut(rows: Sequence[JsonObject], metric: Metric) -> JsonObject | None:
    """Return the best shortcut with a score, if any."""
    known = [row for row in rows if row["shortcut"] and row[metric.key] is not None]
    return (max if metric.more_is_better else min)(known, key=lambda row: row[metric.key], default=None)


def score_table(
    name: str,
    title: str,
    metrics: Sequence[Metric],
    frame: pl.DataFrame,
    seen: Mapping[str, Sequence[str]] | None = None,
    beside: Mapping[tuple[str, str], tuple[str, str]] | None = None,
) -> Table:
    """Return models by scores, with each group's best and second marked; controls are not ranked.

    Args:
        frame: `group`, `model` and a column for each metric's key (null: no score).
        seen: models that may have been trained on some of the texts, with these texts' sources.
        beside: by model and metric the interval and the letters of a cell.
    """
    seen, beside = seen or {}, beside or {}
    groups = [None if group == SANITY else group for group in frame["group"]]
    placed = [places(groups, frame[metric.key].to_list(), metric.more_is_better) for metric in metrics]
    rows = []
    for number, row in enumerate(frame.iter_rows(named=True)):
        named = f"{row['model']} {DAGGER}" if row["model"] in seen else row["model"]
        cells = [
            Cell(
                decimals(row[metric.key], signed=metric in GAINS),
                row[metric.key],
                placed[at][number],
                False,
                *beside.get((row["model"], metric.key), ()),
            )
            for at, metric in enumerate(metrics)
        ]
        rows.append(Row([Cell(named), *cells], row["group"]))
    columns = [
        Column("model", words=True),
        *(Column(one.heading, more_is_better=one.more_is_better) for one in metrics),
    ]
    notes = [f"{DAGGER} {model} may have been trained on {', '.join(tags)}." for model, tags in seen.items()]
    return Table(name, title, columns, rows, frame.rename({one.key: one.heading for one in metrics}), notes)


def _by_slice(results: Sequence[Result], facet: str, metric: Metric) -> Table:
    """Return a metric in each slice of a facet that any model has a score for."""
    values: list[dict[str, float]] = []
    for result in results:
        cells = cells_of(result.scores, facet)
        values.append({name: cell[metric.key] for name, cell in cells.items() if cell.get(metric.key) is not None})
        if facet == "by_primary_genre":
            values[-1] |= {
                f"{name} (macro)": cell[MACRO][metric.key]
                for name, cell in cells.items()
                if cell[MACRO]["sub_genres"] > 1 and cell[MACRO].get(metric.key) is not None
            }
    names = sorted({name for value in values for name in value}, key=slice_order)
    columns = tuple(Metric(name, name, metric.more_is_better) for name in names)
    rows = [_described(result) | value for result, value in zip(results, values, strict=True)]
    what = facet.removeprefix("by_").replace("_", " ")
    name = f"{facet}_{metric.key.partition('@')[0]}"
    table = score_table(name, f"{metric.heading} by {what}", columns, _as_frame(rows, columns), _seen_by(results))
    return replace(table, notes=[*table.notes, *unverified_notes(results)])


def _seen_by(results: Sequence[Result]) -> dict[str, Sequence[str]]:
    return {result.name: result.seen for result in results if result.seen}


def unverified_notes(results: Sequence[Result]) -> list[str]:
    return [
        f"{one.name}: scores of a release that is not verified ({one.unverified})." for one in results if one.unverified
    ]


def every_score(results: Sequence[Result]) -> pl.DataFrame:
    """Return a row per model, slice and metric: value, 95 % interval, counts, and whether the release is verified."""
    rows, metrics = [], (*METRICS, *plugged_metrics(results))
    for result in results:
        parts = {"overall": {"all": result.scores["overall"]}} | {
            facet: cells_of(result.scores, facet) for facet in SLICES
        }
        for facet, cells in parts.items():
            for name, cell in cells.items():
                for metric in metrics:
                    if cell.get(metric.key) is not None:
                        value = (metric.key, cell[metric.key], *cell.get("intervals", {}).get(metric.key, (None, None)))
                        counted = (cell["queries"], cell["authors"], not result.unverified)
                        rows.append((result.group, result.name, facet, name, *value, *counted))
    for result, facet, name, score, head in headline_scores(results):
        value = (score, head["value"], head.get("low"), head.get("high"))
        counted = (head["queries"], head["authors"], not result.unverified)
        rows.append((result.group, result.name, facet, name, *value, *counted))
    schema = {
        "group": pl.String, "model": pl.String, "facet": pl.String, "slice": pl.String, "metric": pl.String,
        "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "queries": pl.Int64, "authors": pl.Int64,
        "verified": pl.Boolean,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def scores_of_pieces(out: Path, parts: Sequence[str], models: Sequence[str]) -> pl.DataFrame:
    """Return `every_score` of the results <out>/<part>/<model>, with the name of the part and its `candidates`."""
    tables = []
    for part in parts:
        results = collect([out / part / model for model in models])
        pool = pl.lit(results[0].scores["benchmark"]["candidates"], pl.Int64)
        tables.append(every_score(results).select(pl.lit(part).alias("part"), pool.alias("candidates"), pl.all()))
    return pl.concat(tables)


def without_gain(gains: pl.DataFrame) -> Callable[[JsonMapping], bool]:
    """Return whether the headline score of a row of `every_score` shows no gain over the best shortcut.

    Args:
        gains: of the comparison of the results. A gain is shown if its interval excludes 0.
    """
    judged = set(gains["model"])
    sure = set(gains.filter(pl.col("low") > 0).select("model", "facet", "slice", "score").rows())
    headline = {metric.key for metric in OPENING}
    return lambda row: (
        row["metric"] in headline
        and row["model"] in judged
        and (row["model"], row["facet"], row["slice"], row["metric"]) not in sure
    )


def headline_slices(results: Sequence[Result], scores: pl.DataFrame, gains: pl.DataFrame) -> list[Table]:
    """Return a table of models by slices for each facet and headline score.

    Args:
        scores: from `every_score`.
        gains: as of `without_gain`.
    """
    found, faint = [], without_gain(gains)
    for facet, metric in product(SLICED, OPENING):
        here = scores.filter(facet=facet, metric=metric.key)
        held = {(row["model"], row["slice"]): row for row in here.iter_rows(named=True)}
        authors = dict(here.select("slice", "authors").iter_rows())
        names = sorted(authors, key=slice_order)
        rows, data = [], []
        for result in results:
            own = {name: held[result.name, name] for name in names if (result.name, name) in held}
            data.append(_described(result) | {name: row["value"] for name, row in own.items()})
            shown = [
                Cell(decimals(one["value"]), one["value"], grey=faint(one)) if (one := own.get(name)) else Cell(NOTHING)
                for name in names
            ]
            rows.append(Row([Cell(result.name), *shown], result.group))
        columns = [Column("model", words=True)]
        columns += [Column(f"{name} ({authors[name]})", more_is_better=True) for name in names]
        title = f"{metric.heading}, by {spaced(facet.removeprefix('by_'))}"
        frame, notes = _as_frame(data, [Metric(name, name) for name in names]), [*_ABOUT.get(facet, ()), _SLICED]
        if names:
            found.append(Table(f"{facet}_{metric.key.replace('@', '_at_')}", title, columns, rows, frame, notes))
    return found


def every_slice(scores: pl.DataFrame, gains: pl.DataFrame, facets: Sequence[str]) -> Table:
    """Return a row per model and slice of at least LEAST_AUTHORS query authors, for a reader who filters.

    Args:
        scores: from `every_score`.
        gains: as of `without_gain`.
        facets: of the slices.
    """
    metrics = [one for one in (*OPENING, ATTRIBUTION, VERIFICATION) if one.key in set(scores["metric"])]
    shown = scores.filter(
        pl.col("authors") >= LEAST_AUTHORS, pl.col("metric").is_in([one.key for one in metrics]),
        pl.col("facet").is_in(["overall", *facets]),
    )  # fmt: skip
    found: dict[tuple[str, str, str, str], dict[str, Cell]] = {}
    faint = without_gain(gains)
    for row in shown.iter_rows(named=True):
        cell = Cell(decimals(row["value"]), row["value"], grey=faint(row), interval=limits(row["low"], row["high"]))
        found.setdefault((row["facet"], row["slice"], row["model"], row["group"]), {})[row["metric"]] = cell
    rows = [
        Row([Cell(model), Cell(_texts(facet, part)), *(cells.get(one.key, Cell(NOTHING)) for one in metrics)], group)
        for (facet, part, model, group), cells in sorted(
            found.items(), key=lambda one: ["overall", *facets].index(one[0][0])
        )
    ]
    columns = [Column("model", words=True), Column("texts", words=True, filtered=ALL_TEXTS)]
    columns += [Column(one.heading, more_is_better=one.more_is_better) for one in metrics]
    note = f"Slices of at least {LEAST_AUTHORS} query authors. Grey: no gain over the best shortcut is shown."
    return Table("slices", "Models by slice", columns, rows, shown, [note])


def _texts(facet: str, part: str) -> str:
    if facet == "overall":
        return ALL_TEXTS
    return f"{spaced(facet.removeprefix('by_').removeprefix('primary_'))}: {spaced(language_name(part))}"


def slice_order(name: str) -> tuple[int, str]:
    """Return a sort key: lengths in ascending order, everything else alphabetically."""
    return (LENGTH_BUCKETS.index(name) if name in LENGTH_BUCKETS else 0, name)


def _described(result: Result) -> dict[str, object]:
    return {"group": result.group, "model": result.name, "shortcut": result.shortcut}


def _as_frame(rows: Sequence[Mapping[str, object]], columns: Sequence[Metric]) -> pl.DataFrame:
    schema = {"group": pl.String, "model": pl.String, **{metric.key: pl.Float64 for metric in columns}}
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


def metrics_of(keys: Iterable[str]) -> list[Metric]:
    """Return the scores with these keys. Raises InputError for a key neither in CHOICES nor of a plug-in."""
    found = []
    for key in keys:
        if key.startswith(plugin_key("")):
            found.append(Metric(key, f"{key.removeprefix(plugin_key(''))} (plug-in)"))
            continue
        if key not in CHOICES:
            meant = nearest(key, CHOICES) or "."
            raise InputError(f"There is no score {key!a:.60}{meant} Expected one of {', '.join(CHOICES)}.")
        found.append(CHOICES[key])
    return found
