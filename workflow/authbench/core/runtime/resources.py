"""Compute the memory and time that a job requests of a cluster.

    memory  = (SNAKEMAKE_MB + base + per_mb * input + per_corpus_mb * corpus) * 2 ** (attempt - 1)      MB
    time    = (base + per_mb * input) * 2 ** (attempt - 1)                                              minutes

`input` is the raw text in MB (10^6 bytes) that a job processes: of a source, a shard, or the whole corpus. It is
taken from the raw files and not from a job's inputs, which do not yet exist when consecutive jobs are submitted
together. `corpus` is the raw text of all sources, because some jobs on a shard look things up in a list of all.
"""

import math
from collections.abc import Iterable, Mapping

SNAKEMAKE_MB = 400  # of the two processes that start a job's script and wait for it


def memory_mb(base: float, grown: float, attempt: int) -> int:
    """Return the MB to request for a script that takes `base` for any input and `grown` for this input."""
    return math.ceil((SNAKEMAKE_MB + base + grown) * (1 << (attempt - 1)))


def share_of(splits: Mapping[str, float], named: Iterable[str]) -> float:
    """Return the share of the documents in the named splits, by the percentages of all splits."""
    return sum(splits[name] for name in named) / 100


def released_mb(documents: int | None, kb_of_each: float) -> float:
    """Return the MB that so many released documents take; 0 where no number is asked for, so that the input decides."""
    return (documents or 0) * kb_of_each / 1e3


def minutes(base: float, grown: float, attempt: int) -> int:
    """Return the minutes to request, likewise."""
    return math.ceil((base + grown) * (1 << (attempt - 1)))
