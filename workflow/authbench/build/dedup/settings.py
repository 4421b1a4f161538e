"""Compute the probabilities that follow from the settings of de-duplication."""

from collections.abc import Iterator
from math import ceil, comb
from typing import TypedDict

from authbench.config.settings.dedup import Comparison, Dedup
from authbench.core.errors import InputError

RECALL = 0.98  # the least expected share of pairs at the threshold that banding must find
PERMUTATIONS = 128  # the most, where bands are chosen
MOST_BANDS, MOST_PERMUTATIONS = 500, 4096  # of a configuration: they limit a signature, and a job's signing
SKETCH_BITS = 128  # the most: a sketch has one bit of each value of a signature
PART_MB = 4_000  # of raw text, for which one job links and one compares; each job reads all texts
SCREENED_OUT = 1e-7  # the most pairs at the threshold that a sketch may reject by chance


class _Config(TypedDict):
    dedup: Dedup


def dedup_problems(config: _Config) -> Iterator[str]:
    """Yield problems of the section `dedup` of a configuration."""
    dedup = config["dedup"]
    threshold, bands, rows = dedup["threshold"], dedup["bands"], dedup["rows"]
    if bands > MOST_BANDS or bands * rows > MOST_PERMUTATIONS:
        yield (
            f"dedup: {bands} bands of {rows} rows; expected at most {MOST_BANDS} bands and, multiplied, "
            f"{MOST_PERMUTATIONS} permutations. Set fewer bands or rows."
        )
        return
    try:
        problem = _weakness(threshold, bands, rows)
    except InputError as error:
        problem = f"dedup.threshold: {error}"
    if problem:
        yield problem


def band_recall(threshold: float, bands: int, rows: int) -> float:
    """Return the probability that two texts of similarity `threshold` agree in all rows of at least 1 band."""
    return float(1.0 - (1.0 - threshold**rows) ** bands)


def _weakness(threshold: float, bands: int, rows: int) -> str | None:
    """Return why bands would miss near copies and what to do, or None."""
    recall = band_recall(threshold, bands, rows)
    if recall >= RECALL:
        return None
    better = choose_bands(threshold)
    return (
        f"dedup: {bands} bands of {rows} rows find {recall:.1%} of the pairs at {threshold:g}, expected at least "
        f"{RECALL:.0%}. Set dedup.bands: {better[0]} and dedup.rows: {better[1]}, or more bands or fewer rows."
    )


def choose_bands(threshold: float, recall: float = 0.999, permutations: int = PERMUTATIONS) -> tuple[int, int]:
    """Return the bands and rows, of at most so many permutations, that reach `recall` with the fewest false candidates.

    Raises:
        InputError: so many permutations cannot find pairs at this threshold.
    >>> choose_bands(0.8), choose_bands(0.7)
    ((25, 5), (32, 4))
    """
    for rows in range(permutations, 0, -1):
        if band_recall(threshold, permutations // rows, rows) >= recall:
            return permutations // rows, rows
    raise InputError(
        f"Pairs that are only {threshold:g} similar cannot be found with {permutations} permutations; "
        "set the threshold to 0.06 or more."
    )


def _least_agreement(threshold: float, bits: int) -> int:
    """Return the least number of equal bits in two sketches of `bits` whose texts may be `threshold` similar.

    A bit of texts of similarity s agrees with probability (1 + s) / 2 (Li and König 2010, b-bit minwise hashing with b
    = 1). Of the pairs at the threshold, fewer than SCREENED_OUT agree in fewer bits.
    >>> _least_agreement(0.8, 125), _least_agreement(1.0, 125)
    (92, 125)
    """
    agree = (1 + threshold) / 2
    passed_over, bits_agreeing = 0.0, 0
    while bits_agreeing < bits:
        passed_over += comb(bits, bits_agreeing) * agree**bits_agreeing * (1 - agree) ** (bits - bits_agreeing)
        if passed_over > SCREENED_OUT:
            break
        bits_agreeing += 1
    return bits_agreeing


def most_apart(settings: Comparison) -> int:
    """Return how many bits the sketches of near copies may differ in."""
    bits = min(settings["bands"] * settings["rows"], SKETCH_BITS)
    return bits - _least_agreement(settings["threshold"], bits)


def part_count(raw_mb: float, bands: int) -> int:
    """Return the number of parts in which texts are compared: 1 per 4,000 MB of raw text, at most 1 per band."""
    return min(max(1, ceil(raw_mb / PART_MB)), bands)
