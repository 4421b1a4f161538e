"""Write the folds of a subset as PAN's files, for systems that are trained and run elsewhere.

<out>/fold-<k>/train/pairs.jsonl, truth.jsonl          training pairs
<out>/fold-<k>/calibration/pairs.jsonl, truth.jsonl    pairs for setting thresholds
<out>/fold-<k>/test/pairs.jsonl, truth.jsonl           test pairs and their labels
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from authbench.errors import InputError
from authbench.format.pan import write_pairs, write_truth
from authbench.raven.folds import PARTS
from authbench.raven.texts import read_texts, with_texts
from authbench.storage.atomic import atomic_folder
from authbench.storage.json_files import read_json
from authbench.storage.parquet import read_columns

FOLDERS = dict(zip(PARTS, ("train", "calibration", "test"), strict=True))


def write_folds(run: Path, subset: str, out: Path) -> Sequence[str]:
    """Write the folds of a run's subset into the folder `out` atomically; return a line for each.

    Memory: the texts of the subset.

    Args:
        run: the folder of a run, from `authbench raven --out` or the workflow's `raven/`.
        subset: a subset with pairs, e.g. hits or random-0.
        out: the folder; it must not exist.

    Raises:
        InputError: `run` is not a run or lacks the subset; `out` exists.
    """
    if out.exists():
        raise InputError(f"{out}: is there already. Name a folder that is not.")
    documents, pairs = run / "documents.parquet", run / "pairs" / f"{subset}.parquet"
    if not documents.is_file():
        raise InputError(f"{run}: no documents.parquet here. Expected a folder that authbench raven wrote.")
    if not pairs.is_file():
        known = ", ".join(sorted(path.stem for path in (run / "pairs").glob("*.parquet")))
        raise InputError(f"{run}: there is no subset {subset}. Expected one of {known}.")
    drawn = read_columns([pairs])
    cut = read_json(run / "subsets.json")[subset].get("most_characters")  # older runs have no limits
    texts = read_texts(documents, pl.concat([drawn["first"], drawn["second"]]), cut)
    lines = []
    with atomic_folder(out) as folder:
        for fold in drawn["fold"].unique().sort():
            counts = []
            for part, name in FOLDERS.items():
                here = with_texts(drawn.filter((pl.col("fold") == fold) & (pl.col("part") == part)), texts)
                write_pairs(here, folder / f"fold-{fold}" / name / "pairs.jsonl")
                write_truth(here, folder / f"fold-{fold}" / name / "truth.jsonl")
                counts.append(f"{here.height:,} {name}")
            lines.append(f"fold-{fold}: {', '.join(counts)}")
    return lines
