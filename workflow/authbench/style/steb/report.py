"""Make the tables of the protocol steb, from our results or from result folders in STEB's layout."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.errors import InputError
from authbench.leaderboard.tables import Metric, score_table
from authbench.presentation.files import write_table
from authbench.presentation.numbers import limits
from authbench.presentation.tables import Table, as_markdown
from authbench.storage.atomic import atomic_folder
from authbench.storage.json_files import write_plain_json
from authbench.style import sums
from authbench.style.entries import Dataset
from authbench.style.steb import board, layout
from authbench.style.steb.names import ACCURACY, FIGURES, NAMES
from authbench.style.tables import with_chance
from authbench.words import spaced

HEADINGS = {
    "clustering": "Clustering", "all_to_all": "All-to-all", "predefined": "Predefined",
    "order_alignment": "Order align.", "retrieval": "Retrieval", "probing": "Probing", "score": "Score",
    "study": "Object of study", "features": "Ling. features", "independence": "Content indep.",
}  # fmt: skip
BOARD = "leaderboard_data.json"
Limits = Mapping[tuple[str, str, str], Sequence[float]]  # by model, task and dataset
LIMITS_OF = {task: "distractor_interval" if task == "order_alignment" else "interval" for task in FIGURES}


def tables(
    models: Mapping[str, board.Figures],
    groups: Mapping[str, str],
    other_languages: Sequence[str] = (),
    intervals: Limits | None = None,
    chances: Mapping[sums.Key, float | None] | None = None,
) -> list[Table]:
    """Return the operational and the definitional score and a table per task, sorted as on STEB's board.

    Args:
        models: the scores of each model by task and dataset.
        groups: group by model.
        other_languages: datasets excluded from the operational score.
        intervals: of scores.
        chances: chance level by task and dataset, shown as the last row.
    """
    found, ends = [], intervals or {}
    known = {model: {key: ends.get((model, *key)) for key in own} for model, own in models.items()}
    for name, title, make, (frame, counts) in (
        (
            "steb_operational",
            "STEB's protocol: operational score",
            board.with_clusters_of(models, other_languages),
            board.operational(models, other_languages),
        ),
        (
            "steb_definitional",
            "STEB's protocol: definitional score",
            lambda others: board.definitional(others)[0],
            board.definitional(models),
        ),
    ):
        columns = [
            Metric(key, HEADINGS.get(key, spaced(key).capitalize()) + (f" ({counts[key]})" if key in counts else ""))
            for key in frame.columns
            if key != "model"
        ]
        if any(frame[column.key].is_not_null().any() for column in columns):
            spread = sums.intervals(make, models, known) if ends else {}
            beside = {place: (limits(*both), "") for place, both in spread.items()}
            table = score_table(name, title, columns, _grouped(frame, groups), beside=beside)
            found.append(with_chance(table, columns, sums.by_chance(make, models, chances) if chances else {}))
    for task in (*FIGURES, ACCURACY):
        datasets = sorted({dataset for figures in models.values() for kind, dataset in figures if kind == task})
        if datasets:
            cells = {name: [figures.get((task, name)) for figures in models.values()] for name in datasets}
            frame = pl.DataFrame({"model": list(models)} | cells)
            of, figure = ("order_alignment", "acc_mean") if task == ACCURACY else (task, FIGURES[task])
            beside = {
                (model, name): (limits(*ends.get((model, task, name), (None, None))), "")
                for model in models
                for name in datasets
            }
            title = f"STEB's protocol: {spaced(NAMES[of])}, {figure}"
            columns = [Metric(name, name) for name in datasets]
            table = score_table(f"steb_{task}", title, columns, _grouped(frame, groups), beside=beside)
            found.append(with_chance(table, columns, {name: (chances or {}).get((task, name)) for name in datasets}))
    return found


def _grouped(frame: pl.DataFrame, groups: Mapping[str, str]) -> pl.DataFrame:
    group = pl.Series("group", [groups[model] for model in frame["model"]], dtype=pl.String)
    return frame.select(group, *frame.columns)


def other_languages(datasets: Sequence[Dataset]) -> list[str]:
    """Return the datasets with texts in other languages than English; the operational score excludes them."""
    return [one.name for one in datasets if one.languages != ("en",)]


def write_board(folders: Sequence[Path], out: Path, datasets: Sequence[Dataset]) -> str:
    """Write the tables of results in STEB's layout; return the operational table in Markdown.

    Also write BOARD, in the format that STEB's page reads.

    Raises:
        InputError: no result has the figure of its task, or none can be read.
    """
    models = {model: layout.figures(metrics) for model, metrics in sorted(layout.read(*folders).items())}
    foreign = other_languages(datasets)
    made = tables(models, dict.fromkeys(models, "models"), foreign)
    if not made:
        expected = ", ".join(f"{FIGURES[task]} of {NAMES[task]}" for task in FIGURES)
        raise InputError(f"{', '.join(map(str, folders))}: no result has the figure of its task. Expected {expected}.")
    with atomic_folder(out) as folder:
        for table in made:
            write_table(folder, table)
        write_plain_json(folder / BOARD, board.as_board(models, foreign))
    return as_markdown(made[0])
