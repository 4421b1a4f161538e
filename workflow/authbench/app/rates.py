"""Read the measured rates of builds (benchmarks/rates.yaml), and compute costs of other sizes from them.

`benchmarks/build.py --rates` measures builds of two sizes, and each release once more with few queries.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict, cast

from authbench.config.registry.entries import read_yaml
from authbench.config.settings.config import Config
from authbench.core.errors import InputError
from authbench.core.shipped import shipped

RATES = shipped("rates.yaml")
CHARS_PER_TOKEN = 4  # of English prose (4.2 in the open corpora); fewer in other scripts, whose chunks are shorter
TEXTS_OF_A_JOB = 2_000  # that one job scores
MOST_SCORE_JOBS = 1_000
REPLACED = 0.1  # at most this share of the texts scored in a round is toxic and replaced by others in the next

Point = tuple[float, float]


class RuleRate(TypedDict):
    """Hold the costs of a rule's jobs: seconds of CPU and of time, and peak MiB."""

    jobs: int
    cpu_s: float
    wall_s: float
    peak_mib: float


class FewQueries(TypedDict):
    """Hold the costs of a build's release with fewer queries: `scored` as `scored_share`."""

    scored: float
    rules: Mapping[str, RuleRate]
    disk_bytes: Mapping[str, int]


class MeasuredBuild(TypedDict):
    """Hold a measured build with its sizes, and its release with few queries."""

    documents: int
    characters: int
    released: int
    raw_bytes: int
    expanded_bytes: int
    text_mb: float
    shards: int
    wall_s: float
    rules: Mapping[str, RuleRate]
    disk_bytes: Mapping[str, float]
    scored: float
    few: FewQueries


class DetoxifyRate(TypedDict):
    """Hold the CPU seconds of Detoxify for a text, by its tokens, and peak MiB."""

    machine: str
    torch: str
    commit: str
    peak_mib: float
    cpu_s_by_tokens: Mapping[int, float]


class Rates(TypedDict):
    """Hold measured builds, and where they were measured (benchmarks/rates.yaml)."""

    machine: str
    versions: str
    commit: str
    cores: int
    sizes: Sequence[MeasuredBuild]
    detoxify: DetoxifyRate


def read_rates(path: Path = RATES) -> Rates:
    """Return the measured rates: machine, versions, commit, and costs of builds of at least two sizes.

    Raises:
        InputError: the file has fewer than two measured sizes.
    """
    rates = read_yaml(path)
    if len(rates.get("sizes", [])) < 2:
        raise InputError(f"{path}: expected `sizes` with two measured builds; write it by benchmarks/build.py --rates")
    return cast(Rates, rates)


def line(points: Sequence[Point], at: float) -> float:
    """Return the value at `at` of the line through the first and last point; falling costs stay at the last value."""
    (start, first), (end, last) = points[0], points[-1]
    if start == end:
        return last
    slope = (last - first) / (end - start)
    if slope < 0 and at > end:
        return last
    return max(last + slope * (at - end), 0.0)


def scored_share(settings: Config) -> float:
    """Return the share of the released texts that are queries of a split other than train, by the settings."""
    splits, sample = settings["split"]["splits"], settings["sample"]
    of_author = (sample["min_documents_per_author"] + sample["max_documents_per_author"]) / 2
    asked = settings["release"]["queries_per_author"]
    held_out = 1 - splits.get("train", 0) / sum(splits.values())
    return held_out * (1.0 if asked == "all" else min(1.0, asked / of_author))


def as_scored(size: MeasuredBuild, scored: float) -> MeasuredBuild:
    """Return a measured build whose release has this share of queries, between its costs with few and with many."""
    few = size["few"]
    at = min(max((scored - few["scored"]) / (size["scored"] - few["scored"]), 0.0), 1.0)

    def between(one: float, other: float) -> float:
        return one + at * (other - one)

    def mixed(least: RuleRate, most: RuleRate) -> RuleRate:
        cpu, wall, peak = (between(least[key], most[key]) for key in ("cpu_s", "wall_s", "peak_mib"))
        return RuleRate(jobs=most["jobs"], cpu_s=cpu, wall_s=wall, peak_mib=peak)

    rules = {rule: mixed(rate, size["rules"][rule]) for rule, rate in few["rules"].items()}
    disk = {name: between(held, size["disk_bytes"][name]) for name, held in few["disk_bytes"].items()}
    return {**size, "rules": {**size["rules"], **rules}, "disk_bytes": {**size["disk_bytes"], **disk}}


class Scoring(NamedTuple):
    """Hold what the jobs that score toxicity request of a cluster.

    `mb` and `minutes` are of each job, `batches` the number of jobs in each round. Texts that no round scored, because
    they replace toxic texts of the last round, are left to the selection, which takes `rest` minutes for them.
    """

    mb: float = 0
    minutes: float = 0
    batches: tuple[int, ...] = ()
    rest: float = 0


def request_to_score(documents: int | None, corpus_mb: float) -> Scoring:
    """Return the request of the jobs in which Detoxify scores `documents` texts, or the whole corpus (None).

    Each text counts as the longest measured text, at which Detoxify truncates.
    """
    known = read_rates()["detoxify"]
    tokens, seconds = max(known["cpu_s_by_tokens"].items())
    texts = corpus_mb * 1e6 / (tokens * CHARS_PER_TOKEN) if documents is None else documents
    jobs = score_jobs(texts)
    needed = texts * seconds / 60
    later = math.ceil(jobs * REPLACED)
    return Scoring(known["peak_mib"], needed / jobs, (jobs, later), needed * REPLACED**2)


def score_jobs(texts: float) -> int:
    """Return in how many jobs so many texts are scored, where a single job would take too long."""
    return min(max(1, math.ceil(texts / TEXTS_OF_A_JOB)), MOST_SCORE_JOBS)


def seconds_to_score(tokens: float, measured: Mapping[int, float]) -> float:
    """Return the CPU seconds in which Detoxify scores a text, which is truncated at the longest measured length."""
    lengths = sorted(measured)
    at = min(tokens, lengths[-1])
    place = max(1, next(index for index, length in enumerate(lengths) if length >= at))
    return line([(length, measured[length]) for length in lengths[place - 1 : place + 1]], at)
