"""Write a leaderboard.

headline.csv .md .tex        the headline scores with intervals and gains over the best shortcut
headline_macro.csv ...       the same as means over languages
gains.csv                    every gain, over all queries and by slice, with p and Holm's correction
power.json                   the smallest detectable differences
people.csv ...               people and models on the pairs that people judged, if any
pools.csv ..., lengths.csv   smaller pools and diagnostics; text lengths by length bucket
overall.csv .md .tex         every metric over all queries, with the gain over the best shortcut
by_<facet>_<metric>.csv ...  the same by language, genre and length
scores.csv                   a row per model, slice and metric, with intervals and counts
pairwise.csv                 differences between models, with p and Holm's correction
submissions.csv              name, model, command and contributor of each submission, if there are any
figures/*.svg                all models with intervals, small multiples by slice
eval_results/<model>/...     scores for the model's repository on the Hugging Face hub, if the benchmark is there
index.html                   the full leaderboard as an HTML page
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from authbench.evaluation.joined import compare_results
from authbench.leaderboard.collect import by_headline, collect
from authbench.leaderboard.figures import charts
from authbench.leaderboard.headline import headline_tables, lengths_table, pools_table, slice_tables
from authbench.leaderboard.hub import FOLDER, write_eval_results
from authbench.leaderboard.page import render
from authbench.leaderboard.pairwise import compare_pairs
from authbench.leaderboard.people import people_table
from authbench.leaderboard.tables import Metric, all_tables, every_score
from authbench.presentation.files import as_csv, write_table
from authbench.presentation.pages import write_charts
from authbench.presentation.tables import as_markdown
from authbench.storage.atomic import atomic_folder, write_text
from authbench.storage.json_files import write_plain_json


def write_leaderboard(
    folders: Sequence[Path],
    out: Path,
    pdf: bool = False,
    back: str = "",
    people: Path | None = None,
    version: str = "",
    dataset: str | None = None,
    extra: Sequence[Metric] = (),
) -> str:
    """Write the leaderboard of the results in `folders`; return its first tables in Markdown.

    Args:
        pdf: also write each figure as PDF.
        back: the link from the page to the run's index, if any.
        people: people.json, the scores of people and models on the pairs that people judged.
        version: of the benchmark, if known.
        dataset: the benchmark's id on the Hugging Face hub, if any.
        extra: additional columns of the overall table.
    """
    with TemporaryDirectory() as unpacked:
        results = by_headline(collect(folders, Path(unpacked)))
        queries = [result.queries() for result in results]
    comparison = compare_results([result.scores for result in results], queries)
    pairs = compare_pairs(results, queries, results[0].scores["settings"]["seed"])
    tables, scores = all_tables(results, pairs, extra), every_score(results)
    first = headline_tables(results, comparison, pairs)
    by_slice = slice_tables(results, comparison)
    beside = [*people_table(people), pools_table(results, comparison.unsolved), *filter(None, [lengths_table(results)])]
    drawn = charts(results, scores, comparison, pairs)
    with atomic_folder(out) as folder:
        for table in (*first, *tables, *by_slice, *beside):
            write_table(folder, table)
        write_text(folder / "gains.csv", as_csv(comparison.gains))
        write_plain_json(folder / "power.json", {"tests": comparison.tests, **comparison.power})
        write_text(folder / "scores.csv", as_csv(scores))
        write_text(folder / "pairwise.csv", as_csv(pairs))
        if submitted := [result.fields.as_dict() for result in results if result.fields]:
            write_text(folder / "submissions.csv", as_csv(pl.DataFrame(submitted)))
        if dataset is not None:
            write_eval_results(folder / FOLDER, results, dataset)
        write_charts(folder / "figures", drawn.all(), pdf)
        write_text(
            folder / "index.html",
            render(results, first, tables, by_slice, beside, drawn, pairs, back, version),
        )
    return "\n".join(as_markdown(table) for table in (*first[:1], tables[0]))
