"""Train a model once per seed and write what comes out.

<out>/curves.csv            loss, Success@5 and EER on the dev split, by seed and step
<out>/release.json          checksums of the splits, and whether their release is verified
<out>/<model>-seed-<k>/     the trained model, as sentence-transformers store one
<out>/<model>-seed-<k>.yaml its config entry: authbench evaluate --model <out>/<model>-seed-<k>.yaml
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import yaml

from authbench.evaluation.split import Split
from authbench.format.release import verification
from authbench.models.entries import ModelEntry, expect_trainable, with_tuned_checkpoint
from authbench.storage.atomic import atomic_folder, write_text
from authbench.storage.json_files import write_plain_json
from authbench.train.settings import TrainSettings
from authbench.train.tune import tune


def train(
    model: ModelEntry, learnt: Split, dev: Split, settings: TrainSettings, seeds: Sequence[int], out: Path
) -> pl.DataFrame:
    """Tune a model once per seed and return the CURVES of all seeds. Raises InputError if it cannot be tuned."""
    expect_trainable(model)
    tags = learnt.documents["source"].unique().to_list()
    curves = []
    for seed in seeds:
        name = f"{model.name}-seed-{seed}"
        with atomic_folder(out / name) as folder:
            curves.append(tune(model, learnt, dev, settings, seed, folder))
        write_text(out / f"{name}.yaml", _entry_text(model, name, tags))
    table = pl.concat(curves)
    write_text(out / "curves.csv", table.write_csv())
    checksums = {"learnt": learnt.checksum, "dev": dev.checksum}
    write_plain_json(out / "release.json", {**verification(learnt.unverified), "checksums": checksums})
    return table


def last_line(curves: pl.DataFrame) -> str:
    """Return in one line what training did for the dev split: means over the seeds, before and after."""
    ends = (
        curves.sort("seed", "step")
        .group_by("seed", maintain_order=True)
        .agg(
            *(pl.col(name).first().alias(f"{name} before") for name in ("success@5", "eer")),
            *(pl.col(name).last().alias(f"{name} after") for name in ("success@5", "eer")),
        )
    )
    mean = {name: float(np.mean(ends[name].to_numpy())) for name in ends.columns if name != "seed"}
    parts = [
        f"{heading} {mean[f'{name} before']:.3f} -> {mean[f'{name} after']:.3f}"
        for heading, name in (("S@5", "success@5"), ("EER", "eer"))
    ]
    return f"dev, mean of {ends.height} seeds: " + "  ".join(parts)


def _entry_text(model: ModelEntry, name: str, tags: Sequence[str]) -> str:
    """Return the config entry of a trained model: that of its origin, with its checkpoint, which is beside it."""
    entry = {
        "title": f"{model.title}, tuned",
        "group": model.group,
        "kind": model.kind,
        "trained_on": sorted({*model.trained_on, *tags}),
        "parameters": with_tuned_checkpoint(model, name).parameters.as_dict(),
    }
    return yaml.safe_dump(entry, allow_unicode=True, sort_keys=False)
