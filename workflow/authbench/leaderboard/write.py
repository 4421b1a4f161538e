"""Write a leaderboard.

overall.csv .md .tex         every metric over all queries, with the gain over the best shortcut
by_<facet>_<metric>.csv ...  the same by language, genre and length
scores.csv                   a row per model, slice and metric, with intervals and counts
pairwise.csv                 differences between models, with p and Holm's correction
figures/*.svg                bars over all models, dots by language and length
index.html                   all of it as one HTML page
"""

from collections.abc import Sequence
from pathlib import Path

from authbench.leaderboard.collect import collect
from authbench.leaderboard.figures import charts
from authbench.leaderboard.page import render
from authbench.leaderboard.pairwise import compare_pairs
from authbench.leaderboard.tables import all_tables, every_score
from authbench.presentation.pages import write_charts
from authbench.presentation.tables import as_markdown, write_table
from authbench.storage.atomic import atomic_folder, write_text


def write_leaderboard(folders: Sequence[Path], out: Path, pdf: bool = False) -> str:
    """Write the leaderboard of the results in `folders`; return its overall table in Markdown.

    Args:
        pdf: whether each figure is written as a PDF too.
    """
    results = collect(folders)
    tables, scores = all_tables(results), every_score(results)
    drawn = charts(scores)
    pairs = compare_pairs(results, results[0].scores["settings"]["seed"])
    with atomic_folder(out) as folder:
        for table in tables:
            write_table(folder, table)
        write_text(folder / "scores.csv", scores.write_csv())
        write_text(folder / "pairwise.csv", pairs.write_csv())
        write_charts(folder / "figures", drawn, pdf)
        write_text(folder / "index.html", render(results, tables, drawn, pairs))
    return as_markdown(tables[0])
