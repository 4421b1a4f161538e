"""Train models, once per seed, and write the results.

<out>/<model>-seed-<k>/            the trained model in sentence-transformers' format
<out>/<model>-seed-<k>.yaml        its config entry: authbench evaluate --model <out>/<model>-seed-<k>.yaml
<out>/<model>-seed-<k>.json        its inputs and settings, and its scores during training (`curve`)
<out>/<model>-seed-<k>.unfinished/ checkpoints, until it is finished
<out>/curves.csv                   loss and scores by model, seed, step, split and slice
<out>/release.json                 checksums of the splits, and whether their release is verified
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl
import yaml

from authbench.config.settings.evaluate import Training
from authbench.core.errors import InputError
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.storage.json_files import read_json, write_json, write_plain_json
from authbench.core.version import VERSION
from authbench.models.entries import ModelEntry, expect_trainable, with_tuned_checkpoint
from authbench.models.parameters import TransformerParameters
from authbench.models.provenance import decided_by
from authbench.release.format.release import verification
from authbench.scoring.evaluation.slices import OVERALL
from authbench.scoring.evaluation.split import Split
from authbench.scoring.train.planned import tuned_name
from authbench.scoring.train.records import CURVES, MEASURED
from authbench.scoring.train.tune import precision_of, tune
from authbench.scoring.train.unfinished import Unfinished, read_if_whole


def train(
    models: Sequence[ModelEntry],
    learnt: Split,
    watched: Sequence[Split],
    settings: Training,
    seeds: Sequence[int],
    draws: int,
    out: Path,
) -> pl.DataFrame:
    """Tune models once per seed and return the CURVES of all. Raises InputError if a model cannot be tuned.

    The `watched` splits are scored during training, on pairs drawn with the random seed `draws`: the release's.
    """
    for model in models:
        expect_trainable(model)
    records = [train_one(model, learnt, watched, settings, seed, draws, out) for model in models for seed in seeds]
    checksums = {"learnt": learnt.checksum} | {split.name: split.checksum for split in watched}
    write_plain_json(out / "release.json", {**verification(learnt.unverified), "checksums": checksums})
    return write_curves_of(records, out / "curves.csv")


def train_one(
    model: ModelEntry, learnt: Split, watched: Sequence[Split], settings: Training, seed: int, draws: int, out: Path
) -> Path:
    """Tune a model for one seed and return its JSON file; existing results of the same training are reused.

    Raises:
        InputError: it cannot be tuned, or has diverged.
    """
    expect_trainable(model)
    name = tuned_name(model.name, seed)
    record, folder = out / f"{name}.json", out / name
    made_with = _made_with(model, learnt, watched, settings, seed, draws)
    known = read_if_whole(record) or {}
    if folder.is_dir() and (out / f"{name}.yaml").is_file() and known.get("made_with") == made_with:
        return record
    record.unlink(missing_ok=True)  # it would vouch for the next weights if this training is killed at its end
    unfinished = Unfinished(out / f"{name}.unfinished", made_with)
    try:
        with atomic_folder(folder) as aside:
            curve = tune(model, learnt, watched, settings, seed, draws, unfinished, aside)
    except InputError:  # it would end the same way
        unfinished.remove()
        raise
    write_text(out / f"{name}.yaml", _entry_text(model, name, seed, learnt.documents["source"].unique().to_list()))
    stated = {"made_with": made_with, "release": verification(learnt.unverified)}
    write_json(record, stated | {"model": model.name, "seed": seed, "curve": curve})
    unfinished.remove()
    return record


def write_curves_of(records: Iterable[Path], path: Path) -> pl.DataFrame:
    """Write the CURVES of trainings to a CSV file, and return them."""
    rows = [
        {"model": found["model"], "seed": found["seed"], **row}
        for found in map(read_json, records)
        for row in found["curve"]
    ]
    table = pl.DataFrame(rows, schema=CURVES).sort("model", "seed", "step", maintain_order=True)
    write_text(path, table.write_csv())
    return table


def last_lines(curves: pl.DataFrame) -> list[str]:
    """Return a line per model and split on the effect of training: means over the seeds, before and after."""
    ends = (
        curves.filter(facet=OVERALL[0])
        .group_by("model", "seed", "split", maintain_order=True)
        .agg(
            *(pl.col(name).first().alias(f"{name} before") for name in MEASURED),
            *(pl.col(name).last().alias(f"{name} after") for name in MEASURED),
        )
    )
    means = ends.group_by("model", "split", maintain_order=True).agg(pl.exclude("seed").mean(), seeds=pl.len())
    return [
        f"{row['model']}, {row['split']}, mean of {row['seeds']} seeds: "
        + "  ".join(
            f"{heading} {row[f'{name} before']:.3f} -> {row[f'{name} after']:.3f}"
            for name, heading in MEASURED.items()
            if row[f"{name} before"] is not None and row[f"{name} after"] is not None
        )
        for row in means.iter_rows(named=True)
    ]


def _made_with(
    model: ModelEntry, learnt: Split, watched: Sequence[Split], settings: Training, seed: int, draws: int
) -> dict[str, object]:
    """Return everything that determines the result of a training, as plain values."""
    assert isinstance(model.parameters, TransformerParameters)
    return {
        "model": model.as_dict(),
        "checkpoint": decided_by(model.parameters),
        "settings": {**settings, "precision": precision_of(model, settings)},
        "seed": seed,
        "learnt": learnt.checksum,
        "watched": [split.checksum for split in watched],
        "draws": draws,
        "authbench": VERSION,
    }


def _entry_text(model: ModelEntry, name: str, seed: int, tags: Sequence[str]) -> str:
    """Return the config entry of a trained model: its origin's, with its checkpoint in the same folder."""
    entry = {
        "title": f"{model.title}, tuned with seed {seed}",
        **({"size": model.size} if model.size else {}),
        "group": model.group,
        "kind": model.kind,
        "trained_on": sorted({*model.trained_on, *tags}),
        "parameters": with_tuned_checkpoint(model, name).parameters.as_dict(),
    }
    return yaml.safe_dump(entry, allow_unicode=True, sort_keys=False)
