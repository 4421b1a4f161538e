"""Score the test pairs of every fold with a verifier, or write the folds for systems that are trained elsewhere."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from authbench.core.errors import InputError
from authbench.core.storage.atomic import atomic_folder
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns, write_parquet
from authbench.release.format.pan import write_pairs, write_truth
from authbench.scoring.verifiers import Bench, answer
from authbench.scoring.verifiers.requested import VerifierEntry
from authbench.suites.raven.documents import read_texts, with_texts
from authbench.suites.raven.folds import PARTS

ANSWERS = pl.Schema({"subset": pl.String, "fold": pl.Int64, "id": pl.String, "value": pl.Float64})
FOLDERS = dict(zip(PARTS, ("train", "calibration", "test"), strict=True))


def write_answers(
    documents: Path,
    metadata: Path,
    pairs: Sequence[Path],
    verifier: VerifierEntry,
    folds: Sequence[int],
    bench: Bench,
    path: Path,
) -> None:
    """Write a verifier's scores on the test pairs of these folds of subsets. Memory: the texts of a subset.

    Args:
        metadata: of all subsets, file of `write_subsets`.
        pairs: files of subsets, each with the subset's name.
        bench: contains the parent of the verifiers' folders.
    """
    described = read_json(metadata)
    answers = [pl.DataFrame(schema=ANSWERS)]
    for subset in pairs:
        drawn = read_columns([subset]).filter(pl.col("fold").is_in(list(folds)))
        texts = read_texts(
            documents, pl.concat([drawn["first"], drawn["second"]]), described[subset.stem]["most_characters"]
        )
        place = verifier.name if verifier.shares_vectors else f"{subset.stem}/{verifier.name}/{path.stem}"
        own = replace(bench, folder=bench.folder / place)
        for fold in folds:
            here = drawn.filter(pl.col("fold") == fold)
            train, held_out, test = (with_texts(here.filter(pl.col("part") == part), texts) for part in PARTS)
            if test.height:
                scores = answer(verifier, train, held_out, test, own)
                which = (pl.lit(subset.stem).alias("subset"), pl.lit(fold, pl.Int64).alias("fold"))
                answers.append(scores.select(*which, "id", "value"))
    write_parquet(pl.concat(answers), path)


def write_folds(run: Path, subset: str, out: Path) -> Sequence[str]:
    """Write the folds of a run's subset into the folder `out` atomically, as PAN's files; return a line for each.

    <out>/fold-<k>/train/pairs.jsonl, truth.jsonl          training pairs
    <out>/fold-<k>/calibration/pairs.jsonl, truth.jsonl    pairs for setting thresholds
    <out>/fold-<k>/test/pairs.jsonl, truth.jsonl           test pairs and their labels

    Memory: the texts of the subset.

    Args:
        run: the folder of a run, from `authbench raven run --out` or the workflow's `raven/`.
        subset: a subset with pairs, e.g. hits or random-0.

    Raises:
        InputError: `run` is not a run or lacks the subset; `out` exists.
    """
    if out.exists():
        raise InputError(f"{out}: is there already. Name a folder that is not.")
    documents, pairs = run / "documents.parquet", run / "pairs" / f"{subset}.parquet"
    if not documents.is_file():
        raise InputError(f"{run}: no documents.parquet here. Expected a folder that authbench raven run wrote.")
    if not pairs.is_file():
        known = ", ".join(sorted(path.stem for path in (run / "pairs").glob("*.parquet")))
        cure = f"Expected one of {known}." if known else "The run ended before it drew pairs: start it again."
        raise InputError(f"{run}: there is no subset {subset}. {cure}")
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
