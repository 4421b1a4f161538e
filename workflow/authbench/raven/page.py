"""Write the report of a RAVEN run.

raven/report/index.html      every table and figure on one self-contained page
raven/report/table_*.csv .md .tex the paper's tables, in its order
raven/report/scores.csv      every measure of every subset, verifier and fold
raven/report/figures/*.svg   the figures
raven/report/release.json    whether the release is verified, if the documents are from a release
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from authbench.presentation.charts import Chart
from authbench.presentation.files import write_table
from authbench.presentation.pages import environment, pictures, write_charts
from authbench.presentation.spreadsheets import as_csv
from authbench.presentation.tables import Table, as_markdown
from authbench.raven.covariates import limits_in_words
from authbench.raven.figures import charts
from authbench.raven.results import Run
from authbench.raven.subsets import MAIN, SHARED
from authbench.raven.tables import all_tables
from authbench.raven.verdict import LEANS, not_comparable, shared_topics
from authbench.settings.evaluate import Raven
from authbench.storage.atomic import atomic_folder, write_text
from authbench.storage.json_files import write_plain_json


def write_report(run: Run, settings: Raven, out: Path, verification: dict[str, Any], back: str = "") -> str:
    """Write the report into the folder `out` atomically; return the shortcut table in Markdown.

    Args:
        run: the results.
        settings: the section `raven` of the configuration.
        out: the folder.
        verification: whether the release of the documents is verified; empty without a release.
        back: the link from the page to the run's index, if there is one.
    """
    tables = all_tables(run)
    drawn = charts(tables)
    with atomic_folder(out) as folder:
        for table in tables:
            write_table(folder, table)
        write_text(folder / "scores.csv", as_csv(run.scores))
        write_charts(folder / "figures", drawn)
        if verification:
            write_plain_json(folder / "release.json", verification)
        write_text(folder / "index.html", render(run, {**settings, **verification}, tables, drawn, back))
    return as_markdown(next(table for table in tables if table.name == "table_11_shortcut"))


def render(
    run: Run, settings: Mapping[str, object], tables: Sequence[Table], drawn: Sequence[Chart], back: str = ""
) -> str:
    """Return the page."""
    shortcut = next(table for table in tables if table.name == "table_11_shortcut").data
    return (
        environment()
        .get_template("raven.html.j2")
        .render(
            back=back,
            main=run.facts[MAIN],
            documents=settings["documents"],
            verifiers=run.verifiers,
            seeds=len(run.random()),
            leaning=shortcut.filter(shortcut["verdict"] == LEANS)["verifier"].to_list(),
            withheld=not_comparable(run),
            shared=shared_topics(run) if shared_topics(run) > SHARED else None,
            limits=limits_in_words(run.facts[MAIN]),
            settings=settings,
            tables=tables,
            pictures=pictures(drawn),
            unscored=_unscored(run),
        )
    )


def _unscored(run: Run) -> list[str]:
    """Return the folds without scores, in words."""
    missing = (
        run.scores.filter(run.scores["overall"].is_null()).select("subset", "fold").unique().sort("subset", "fold")
    )
    return [f"fold {fold} of {subset}" for subset, fold in missing.iter_rows()]
