"""Write a leaderboard: the files that docs/evaluation.md lists, and `submissions.csv` if there are submissions."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import polars as pl

from authbench.core.presentation.files import write_table
from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.pages import environment, write_charts
from authbench.core.presentation.tables import as_text
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.release.format.release import Release
from authbench.reports.leaderboard import tables
from authbench.reports.leaderboard.collect import Result, by_headline, collect, outdated
from authbench.reports.leaderboard.figures import ALL_FACETS, charts, marks_by_group, shown_in_words
from authbench.reports.leaderboard.headline import basis, headline_tables, left_out, lengths_table, pools_table
from authbench.reports.leaderboard.hub import FOLDER, write_eval_results
from authbench.reports.leaderboard.pairwise import compare_pairs
from authbench.reports.leaderboard.people import people_table
from authbench.reports.leaderboard.topic import topic_table
from authbench.reports.leaderboard.verdict import SURE, verdict
from authbench.scoring.evaluation.joined import compare_results


class Edition(NamedTuple):
    """The benchmark's version, if the results do not state it, and its id on the Hugging Face hub, if any."""

    version: str = ""
    dataset: str | None = None


def write_leaderboard(
    folders: Sequence[Path],
    out: Path,
    pdf: bool = False,
    back: str = "",
    people: Path | None = None,
    edition: Edition | None = None,
    extra: Sequence[tables.Metric] = (),
    release: Release | None = None,
) -> str:
    """Write the leaderboard of the results in `folders`; return its finding and first table for a terminal.

    Args:
        people: people.json, the scores of people and models on the pairs that people judged.
        release: of the benchmark as it is now; the page and the text say if the results are of another edition.
    """
    edition, judged = edition or Edition(), people_table(people)
    with TemporaryDirectory() as unpacked:
        results = by_headline(collect(folders, Path(unpacked)))
        queries = [result.queries() for result in results]
    old = outdated(results, release) if release else ""
    comparison = compare_results([result.scores for result in results], queries)
    seed = results[0].scores["settings"]["seed"]
    pairs = compare_pairs(results, queries, seed)
    every, scores = tables.all_tables(results, pairs, extra), tables.every_score(results)
    headline = [*headline_tables(results, comparison, pairs), *topic_table(results, queries, seed)]
    measured = bool(headline) and headline[0].name == "headline_measured"
    whose = "authors with measured labels" if measured else "authors"
    finding = verdict(headline[0].data.to_dicts() if headline else [], whose)
    by_slice = tables.headline_slices(results, scores, comparison.gains)
    beside = [*judged, pools_table(results, comparison.unsolved), *filter(None, [lengths_table(results)])]
    drawn = charts(results, scores, comparison, pairs)
    page = _render(
        results,
        pairs,
        back=back,
        version=_versions(results) or edition.version,
        outdated=old,
        verdict=finding,
        measured=measured,
        headline=headline,
        overall_table=every[0],
        beside=beside,
        filtered=tables.every_slice(scores, comparison.gains, ALL_FACETS),
        files=[*by_slice, *every[1:]],
        pictures=drawn.overall,
        slice_pictures=[*drawn.headline, *drawn.slices],
    )
    with atomic_folder(out) as folder:
        for table in (*headline, *every, *by_slice, *beside):
            write_table(folder, table)
        write_text(folder / "gains.csv", as_csv(comparison.gains))
        write_plain_json(folder / "power.json", {"tests": comparison.tests, **comparison.power})
        write_text(folder / "scores.csv", as_csv(scores))
        write_text(folder / "pairwise.csv", as_csv(pairs))
        if submitted := [result.fields.as_dict() for result in results if result.fields]:
            write_text(folder / "submissions.csv", as_csv(pl.DataFrame(submitted)))
        if edition.dataset is not None:
            write_eval_results(folder / FOLDER, results, edition.dataset)
        write_charts(folder / "figures", drawn.all(), ("png", "pdf") if pdf else ("png",))
        write_text(folder / "index.html", page)
    return "\n\n".join(filter(None, (old, finding, as_text((*headline, every[0])[0], intervals=False))))


def _render(results: Sequence[Result], pairs: pl.DataFrame, **shown: object) -> str:
    """Return the HTML page; `pairs` are from `pairwise.compare_pairs`."""
    first = results[0].scores
    page = environment(marks=marks_by_group(results)).get_template("leaderboard.html.j2")
    return page.render(
        **shown,
        benchmark={"name": ""} | first["benchmark"],
        settings=first["settings"],
        versions=first["versions"],
        overall=first["overall"],
        expectation=first["overall"].get("random_expectation", {}),
        left_out=left_out(results),
        basis=basis(results),
        pictured_models=shown_in_words(len(results)),
        models=[result.scores["model"] for result in results],
        scripts=["sort.js", "filter.js"],
        doubtful=_doubtful(pairs),
        pairs=pairs.filter(pl.col("metric") == tables.ATTRIBUTION.key).height,
    )


def _versions(results: Sequence[Result]) -> str:
    """Return the versions of the benchmark that the results state; their splits are equal."""
    return ", ".join(sorted({version for one in results if (version := one.scores["benchmark"].get("version"))}))


def _doubtful(pairs: pl.DataFrame) -> list[dict[str, object]]:
    """Return the pairs whose difference in Success@5 may be chance (Holm's p of 0.05 or more), nearest first."""
    tested = pairs.filter((pl.col("metric") == tables.ATTRIBUTION.key) & (pl.col("p_holm") >= SURE))
    return tested.sort(pl.col("difference").abs(), "model", "other").to_dicts()
