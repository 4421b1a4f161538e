"""Write the curves of trainings as TensorBoard's event files, by the extra `tensorboard`.

    <model>-seed-<k>/<split>/events.out.tfevents.0.authbench

Tags are `<score>`, and `<score>/<facet>/<slice>` for slices and for the loss of batches. A file states neither time nor
machine: equal curves give equal bytes.
"""

from pathlib import Path

import polars as pl

from authbench.core.storage.atomic import atomic_folder
from authbench.scoring.evaluation.slices import OVERALL
from authbench.scoring.train.planned import tuned_name
from authbench.scoring.train.records import MEASURED

_FILE = "events.out.tfevents.0.authbench"


def write_events(curves: pl.DataFrame, out: Path) -> None:
    """Write the CURVES into a folder, which is replaced; tensorboard --logdir shows it."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    with atomic_folder(out) as folder:
        for (model, seed, split), rows in curves.group_by("model", "seed", "split", maintain_order=True):
            place = folder / tuned_name(str(model), int(str(seed))) / str(split)
            place.mkdir(parents=True)
            with (place / _FILE).open("wb") as handle:
                writer = RecordWriter(handle)
                writer.write(Event(file_version="brain.Event:2").SerializeToString())
                for row in rows.iter_rows(named=True):
                    under = "" if row["facet"] == OVERALL[0] else f"/{row['facet']}/{row['slice']}"
                    values = [
                        Summary.Value(tag=f"{score}{under}", simple_value=row[score])
                        for score in MEASURED
                        if row[score] is not None
                    ]
                    writer.write(Event(step=row["step"], summary=Summary(value=values)).SerializeToString())
