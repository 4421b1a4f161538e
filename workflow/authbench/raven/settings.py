"""Derive values from the settings of a RAVEN run."""

from authbench.settings.evaluate import Raven

PLANTED, RELEASE = "planted", "release"


def fold_parts(settings: Raven) -> dict[str, list[int]]:
    """Return the folds of each job by file name."""
    folds, size = settings["folds"], settings["folds_per_job"]
    parts = [list(range(start, min(start + size, folds))) for start in range(0, folds, size)]
    return {f"folds-{part[0]}-{part[-1]}": part for part in parts}
