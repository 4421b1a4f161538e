"""Keep the state from which a stopped training resumes.

    <folder>/made_with.json         identifies the training: checkpoints of another are removed
    <folder>/curve.json             its scores so far
    <folder>/checkpoint-<step>/     weights, optimiser, schedule and random states, as the trainer writes them

A checkpoint counts once its trainer_state.json, which is written last, can be read.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.storage.json_files import read_json, write_json

_CHECKPOINT = "checkpoint-"


def read_if_whole(path: Path) -> JsonObject | None:
    """Return the object that `write_json` wrote; None if the file is missing or was changed."""
    with suppress(InputError, OSError):
        return read_json(path)
    return None


class Unfinished:
    """Manage the folder of a training: create it if missing, and empty it if it holds another training's state."""

    def __init__(self, folder: Path, made_with: Mapping[str, object]) -> None:
        self.folder = folder
        stated = folder / "made_with.json"
        known = json.loads(json.dumps(made_with))
        if read_if_whole(stated) != known:
            self.remove()
            folder.mkdir(parents=True)
            write_json(stated, known)

    @classmethod
    def anew(cls, folder: Path) -> "Unfinished":
        """Return an empty folder for a training that does not resume."""
        if folder.exists():
            shutil.rmtree(folder)
        return cls(folder, {})

    def last_checkpoint(self) -> tuple[int, Path] | None:
        """Return the step and folder of the last complete checkpoint; None without a checkpoint."""
        for step, path in sorted(self._checkpoints(), reverse=True):
            with suppress(ValueError, OSError):
                state = json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
                if state["global_step"] == step and self.curve(step):
                    return step, path
        return None

    def curve(self, step: int) -> list[JsonObject]:
        """Return the rows up to a step; none if that step was not measured."""
        found = read_if_whole(self.folder / "curve.json") or {"rows": []}
        before = [row for row in found["rows"] if row["step"] <= step]
        return before if before and before[-1]["step"] == step else []

    def write_curve(self, rows: Sequence[Mapping[str, object]]) -> None:
        write_json(self.folder / "curve.json", {"rows": list(rows)})

    def remove(self) -> None:
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def _checkpoints(self) -> list[tuple[int, Path]]:
        named = [(path.name.removeprefix(_CHECKPOINT), path) for path in self.folder.glob(f"{_CHECKPOINT}*")]
        return [(int(step), path) for step, path in named if step.isdecimal()]
