"""Estimate the verifiers' run time before they start.

Each fold of a subset uses nearly all its texts for learning or testing, so time is assumed proportional to the
characters of the subsets' texts times the folds.
"""

from collections.abc import Iterable, Mapping

from authbench.core.json_values import JsonMapping
from authbench.core.words import plural

# CPU seconds per million characters of a fold, on the planted corpus (benchmarks/raven.py --stages).
PACE: Mapping[str, float] = {
    "naive": 1.5, "ppm": 0.6, "topicfit": 0.7, "stylometric": 0.3, "random": 0.3, "format": 0.2, "edges": 0.6,
    "content-words": 0.7, "punctuation": 0.2, "masked": 1.5,
}  # fmt: skip
START = 4.0  # CPU seconds to start a job


def expected(verifiers: Iterable[str], described: Mapping[str, JsonMapping], jobs: int = 0) -> str:
    """Return in words the expected CPU time, and the time on two cores; verifiers missing in PACE are listed.

    Args:
        described: subsets by name (`layout.write_subsets`), each with the `characters` of its folds.
    """
    names = list(verifiers)
    characters = sum(about["characters"] for about in described.values() if about["trained"])
    known = [name for name in names if name in PACE]
    unknown = [name for name in names if name not in PACE]
    seconds = sum(PACE[name] for name in known) * characters / 1e6 + START * jobs
    who = plural(len(known), "verifier")
    estimate = f"{who} will take some {_minutes(seconds)} of CPU time, {_minutes(seconds / 2)} on two cores"
    without = f", and {', '.join(unknown)} as long as they take" if unknown else ""
    return f"raven: {estimate if known else 'no verifier of known pace'}{without}."


def _minutes(seconds: float) -> str:
    """Return a duration in words.

    >>> _minutes(20), _minutes(130), _minutes(9000)
    ('1 minute', '3 minutes', '2.5 hours')
    """
    minutes = max(1, -int(-seconds // 60))
    if minutes > 90:
        return f"{seconds / 3600:.1f} hours"
    return plural(minutes, "minute")
