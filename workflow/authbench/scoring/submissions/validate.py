"""Check a submission against the release, and recompute its scores.

Recomputed from the scores and ranks of pairs, with the code of an evaluation: every metric of every query, the areas
over the released pairs, error rates, means, intervals and the headline scores, overall and by slice. Ranks are checked
against the bounds set by the submitted scores. Accepted as stated, because the files lack their inputs: ranks within
these bounds, ties at the tenth candidate, a shortcut's scores on dev, and the description of the model. A consistent
submission with invented scores is not detected: that takes the model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import polars as pl

from authbench.config.plugins import PlugIn, RankMetric, find_plugin, load_metric, plugin_key
from authbench.config.registry.entries import problems_in_words
from authbench.core.errors import InputError
from authbench.core.shipped import shipped
from authbench.core.storage.json_files import read_foreign_json
from authbench.core.version import VERSION
from authbench.release.format.names import name_problem
from authbench.release.format.scores import Cell, Scores, part_of
from authbench.scoring.evaluation.plugged import with_plugged
from authbench.scoring.evaluation.released import SCORES as SCORES_OF_QUERIES
from authbench.scoring.evaluation.retrieval import NEAREST, Ranking
from authbench.scoring.evaluation.run import benchmark_of, queries_table, scores_of, settings_of
from authbench.scoring.evaluation.split import Split
from authbench.scoring.evaluation.verification import draw_negatives
from authbench.scoring.metrics.ranking import NAMES as RANKING_MEASURES
from authbench.scoring.metrics.ranking import chance_adjusted
from authbench.scoring.submissions.archive import QUERIES, SCORES, Submission
from authbench.scoring.submissions.ranking import contradictions, read_ranking

TOLERANCE = 1e-5  # of recomputed numbers, possibly by other versions of libraries
_MOST_PROBLEMS = 20  # reported of a kind
_STATED = ("model", "benchmark", "made_by", "settings", "versions", "metrics", "headline_on_dev")
_NOT_OF_QUERIES = ("nearest", "scores")
_SCORED = frozenset({*RANKING_MEASURES, *SCORES_OF_QUERIES})  # may be missing from a ranking of some candidates
_REASONS = ("headline_left_out", "left_out")
_ALL_NEGATIVES = ("eer_all", "roc_auc_all")


@dataclass(frozen=True)
class Verdict:
    """Hold the outcome of a validation.

    Attributes:
        problems: why the submission is rejected; empty if it is accepted.
        computed: how many numbers of scores.json, and how many values of queries.parquet, were recomputed.
        stated: what was accepted as stated.
    """

    problems: tuple[str, ...]
    computed: tuple[int, int] = (0, 0)
    stated: tuple[str, ...] = ()


def read_scores(submission: Submission) -> Scores:
    """Return the scores of a submission. Raises InputError if they are malformed, or names would do harm."""
    scores = read_foreign_json(submission.folder / SCORES)
    problem = problems_in_words(scores, shipped("schemas/scores.schema.yaml"))
    if not problem and (found := name_problem(scores["model"]["name"])):
        problem = f"the model's name: {found}"
    if problem:
        raise InputError(f"{submission.file}: {SCORES}: {problem}.")
    return cast(Scores, scores)


def validate(submission: Submission, split: Split) -> Verdict:
    """Check a submission against its stated split of a release."""
    try:
        scores = read_scores(submission)
        if of_another := list(_of_another(scores, split)):
            return Verdict(tuple(of_another))
        negatives = draw_negatives(split, scores["settings"]["seed"])
        ranking, queries = read_ranking(submission, split, negatives)
        ranking = with_plugged(ranking, split, list(_plugged(scores)))
        found, partial = queries_table(split, ranking), ranking.depths is not None
        problems = [*_some(contradictions(ranking, split, negatives)), *_some(_other_values(queries, found, partial))]
        again = scores_of(split, ranking, negatives, found, scores["settings"]["seed"])
        again["overall"] |= _over_all_negatives(scores["overall"], again["overall"], split, ranking)
        compared: list[str] = []
        problems += _some(_differing({key: scores.get(key) for key in again}, again, "", compared, partial))
        known = {*again, *_STATED, *(["left_out"] if partial else [])}
        problems += [f"{SCORES}: has {key}, which no evaluation gives" for key in scores if key not in known]
    except InputError as problem:
        return Verdict((str(problem).replace(f"{submission.folder}/", ""),))
    values = sum(found[name].len() - found[name].null_count() for name in _computed_columns(found))
    stated = [*(["EER and ROC-AUC over all negatives"] if "eer_all" in again["overall"] else [])]
    stated += ["ranks as far as the given scores leave them open"]
    if partial:
        stated.append("which scores it leaves out, as it ranks some candidates only")
    if "headline_on_dev" in scores:
        stated.append("scores on dev")
    made_with = scores["versions"].get("authbench")
    if made_with != VERSION:
        stated.append(f"made with authbench {made_with!a:.20}, and this is {VERSION}")
    return Verdict(tuple(problems), (len(compared), values), tuple(stated))


def _plugged(scores: Scores) -> Iterator[tuple[PlugIn, RankMetric]]:
    """Yield the metrics of plug-ins. Raises InputError unless the stated code of each is installed."""
    for key in scores.get("metrics", {}):
        name, stated = key.removeprefix(plugin_key("")), scores["versions"].get(key)
        installed = str(find_plugin("metrics", name))
        if installed != stated:
            raise InputError(f"{SCORES}: {key} is a metric of {stated!a:.200}, and {installed} is installed")
        yield load_metric(name)


def _over_all_negatives(stated: Cell, found: Cell, split: Split, ranking: Ranking) -> Cell:
    """Return the stated scores over all negatives, as far as they are possible, with the values that follow from them.

    The scores of all negatives are not packed; their number of pairs is known.
    """
    rates = {key: stated.get(key) for key in _ALL_NEGATIVES}
    if ranking.depths is not None or "pool" not in found or None in rates.values():
        return {}
    if not all(isinstance(rate, int | float) and 0 <= rate <= 1 for rate in rates.values()):
        return {}
    sizes = ranking.sizes["whole"][split.positives.lengths() > 0]
    whole = rates | {"pairs_all": int(sizes.sum())}
    return whole | {"chance_adjusted": chance_adjusted({**found, **whole})}


def _of_another(scores: Scores, split: Split) -> Iterator[str]:
    """Yield in what respects the scores are of another split, or were made differently."""
    seed = scores["settings"]["seed"]
    for part, own in (("benchmark", benchmark_of(split)), ("settings", settings_of(split, seed))):
        for key, value in own.items():
            given = part_of(scores, part).get(key)
            if key not in ("name", "version", "verified", "reason") and given != value:
                yield f"its {part} has another {key}: {given!a:.80}. The release has {value!a:.80}."


def _some(problems: Iterator[str]) -> list[str]:
    """Return the first problems of a kind, and how many more there are."""
    found = list(problems)
    more = [f"and {len(found) - _MOST_PROBLEMS} more like that"] if len(found) > _MOST_PROBLEMS else []
    return found[:_MOST_PROBLEMS] + more


def _computed_columns(found: pl.DataFrame) -> list[str]:
    return [name for name in found.columns if name not in _NOT_OF_QUERIES]


def _other_values(stated: pl.DataFrame, found: pl.DataFrame, partial: bool) -> Iterator[str]:
    """Yield where queries.parquet differs from the values that its scores and ranks give."""
    for name in _computed_columns(found):
        if stated.schema.get(name) != found.schema[name]:
            yield f"{QUERIES}: column {name} is {stated.schema.get(name, 'absent')}. Expected {found.schema[name]}."
            continue
        one, other = stated[name], found[name]
        if partial and name in _SCORED and one.null_count() == len(one):
            continue
        if found.schema[name].is_float():
            near = ((one - other).abs() <= TOLERANCE).fill_null(False) | (one.is_null() & other.is_null())
        else:
            near = one.eq_missing(other)
        for row in (~near).arg_true():
            yield f"{QUERIES}: {name} of {found['id'][row]} is {one[row]!a:.40}; computed anew it is {other[row]!a:.40}"


def _differing(stated: object, found: object, place: str, compared: list[str], partial: bool) -> Iterator[str]:
    """Yield the differences of scores.json from recomputed values; add the place of each number to `compared`.

    A `partial` ranking may leave out scores, which are then absent or null.
    """
    if isinstance(found, Mapping):
        if not isinstance(stated, Mapping):
            yield f"{SCORES}: {place} is {stated!a:.40}"
            return
        keys: Sequence[str] = [*found, *(key for key in stated if key not in found)]
        for key in keys:
            if partial and (stated.get(key) is None or key in _REASONS):
                continue
            if place.endswith("cuts_in_ties") and key == f"{NEAREST}":
                continue
            inner = f"{place}.{key}" if place else key
            if key not in stated or key not in found:
                has, lacks = ("it", "its files") if key in stated else ("its files", "it")
                yield f"{SCORES}: {inner}: {has} gives one, and {lacks} none"
            else:
                yield from _differing(stated[key], found[key], inner, compared, partial)
    elif isinstance(found, bool) or not isinstance(found, int | float):
        if stated != found and not (isinstance(found, list | tuple) and _near_lists(stated, found)):
            yield f"{SCORES}: {place} is {stated!a:.40}; computed anew it is {found!a:.40}"
        compared.append(place)
    else:
        compared.append(place)
        if not _near(stated, found):
            yield f"{SCORES}: {place} is {stated!a:.40}; computed anew it is {found:.6f}"


def _near(one: Any, other: Any) -> bool:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
    return numbers and abs(one - other) <= TOLERANCE * max(1.0, abs(other))


def _near_lists(one: object, other: Sequence[object]) -> bool:
    """Return whether lists are equal, numbers up to rounding."""
    return (
        isinstance(one, list)
        and len(one) == len(other)
        and all(mine == theirs or _near(mine, theirs) for mine, theirs in zip(one, other, strict=True))
    )
