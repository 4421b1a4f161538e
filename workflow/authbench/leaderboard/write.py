"""What does a leaderboard leave on disk?

overall.csv .md .tex         every metric over all queries, with the gain over the best shortcut
by_<facet>_<metric>.csv ...  the same by language, genre and length
scores.csv                   a row per model, slice and metric, with intervals and counts
pairwise.csv                 differences between models, with p and Holm's correction
figures/*.svg                bars over all models, dots by language and length
index.html                   all of it on one page
"""

from collections.abc import Sequence
from pathlib import Path

from authbench.leaderboard.collect import collect
from authbench.leaderboard.formats import as_latex, as_markdown
from authbench.leaderboard.page import pictures, render
from authbench.leaderboard.pairwise import compare_pairs
from authbench.leaderboard.tables import Table, all_tables, every_score
from authbench.storage.atomic import atomic_folder, write_text


def write_leaderboard(folders: Sequence[Path], out: Path) -> str:
    """Write the leaderboard of the results in `folders`, whole; returned is its overall table in Markdown."""
    results = collect(folders)
    tables, scores = all_tables(results), every_score(results)
    pairs = compare_pairs(results, results[0].scores["settings"]["seed"])
    with atomic_folder(out) as folder:
        for table in tables:
            write_table(folder, table)
        write_text(folder / "scores.csv", scores.write_csv())
        write_text(folder / "pairwise.csv", pairs.write_csv())
        for name, (_, picture) in pictures(scores).items():
            write_text(folder / "figures" / f"{name}.svg", picture)
        write_text(folder / "index.html", render(results, tables, scores, pairs))
    return as_markdown(tables[0])


def write_table(folder: Path, table: Table) -> None:
    """Write a table as CSV, Markdown and LaTeX."""
    headed = table.rows.rename({metric.key: metric.heading for metric in table.columns})
    write_text(folder / f"{table.name}.csv", headed.write_csv())
    write_text(folder / f"{table.name}.md", as_markdown(table))
    write_text(folder / f"{table.name}.tex", as_latex(table))
