"""Make the tables of the protocol steb, from our results or from result folders in STEB's layout."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.presentation.files import write_table
from authbench.core.presentation.tables import Table, as_text
from authbench.core.storage.atomic import atomic_folder
from authbench.core.storage.json_files import write_plain_json
from authbench.core.words import spaced
from authbench.suites.style.entries import Dataset
from authbench.suites.style.steb import board, layout
from authbench.suites.style.steb.layout import ACCURACY, FIGURES, NAMES
from authbench.suites.style.tables import Scored, sum_table, task_table

BOARD = "leaderboard_data.json"
LIMITS_OF = {task: "distractor_interval" if task == "order_alignment" else "interval" for task in FIGURES}


def tables(scored: Scored, other_languages: Sequence[str] = ()) -> list[Table]:
    """Return the operational and the definitional score and a table per task, sorted as on STEB's board.

    `other_languages` are datasets that the operational score excludes.
    """
    frozen = board.with_clusters_of(scored.models, other_languages)
    shown = partial(board.operational, other_languages=other_languages)
    title = "STEB's protocol: {}".format
    found = [
        sum_table("steb_operational", title("operational score"), lambda models: (frozen(models), {}), scored, shown),
        sum_table("steb_definitional", title("definitional score"), board.definitional, scored),
    ]
    for task in (*FIGURES, ACCURACY):
        of, figure = ("order_alignment", "acc_mean") if task == ACCURACY else (task, FIGURES[task])
        found.append(task_table(f"steb_{task}", task, title(f"{spaced(NAMES[of])}, {figure}"), scored))
    return [table for table in found if any(cell.value is not None for row in table.rows for cell in row.cells[1:])]


def other_languages(datasets: Sequence[Dataset]) -> list[str]:
    """Return the datasets with texts in other languages than English; the operational score excludes them."""
    return [one.name for one in datasets if one.languages != ("en",)]


def write_board(folders: Sequence[Path], out: Path, datasets: Sequence[Dataset]) -> str:
    """Write the tables of results in STEB's layout; return the operational table for a terminal.

    Also write BOARD, in the format that STEB's page reads.

    Raises:
        InputError: no result can be read, or none has the score that its task requires.
    """
    models = {model: layout.figures(metrics) for model, metrics in sorted(layout.read(*folders).items())}
    foreign = other_languages(datasets)
    made = tables(Scored(models, dict.fromkeys(models, "models"), dict.fromkeys(models, {}), {}), foreign)
    if not made:
        expected = ", ".join(f"{FIGURES[task]} of {NAMES[task]}" for task in FIGURES)
        raise InputError(f"{', '.join(map(str, folders))}: no result has the figure of its task. Expected {expected}.")
    with atomic_folder(out) as folder:
        for table in made:
            write_table(folder, table)
        write_plain_json(folder / BOARD, board.as_board(models, foreign))
    return as_text(made[0])
