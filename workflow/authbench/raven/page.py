"""How is a run of RAVEN read in a browser, and in plain files?

raven/report/index.html      every table and picture on one page that loads nothing
raven/report/table_*.csv .md the paper's tables, in its order
raven/report/scores.csv      every measure of every subset, verifier and fold
raven/report/figures/*.svg   the pictures
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from authbench.leaderboard.formats import escaped_markdown
from authbench.raven.figures import pictures
from authbench.raven.subsets import MAIN
from authbench.raven.tables import Run, Table, all_tables
from authbench.report.template import environment
from authbench.storage.atomic import atomic_folder, write_text


def write_report(run: Run, settings: Mapping[str, Any], out: Path) -> str:
    """Write all of it to the folder `out`, whole; returned is the shortcut table in Markdown."""
    tables = all_tables(run)
    drawn = pictures(tables)
    with atomic_folder(out) as folder:
        for table in tables:
            write_text(folder / f"{table.name}.csv", table.rows.write_csv())
            write_text(folder / f"{table.name}.md", as_markdown(table))
        write_text(folder / "scores.csv", run.scores.write_csv())
        for name, (_, picture) in drawn.items():
            write_text(folder / "figures" / f"{name}.svg", picture)
        write_text(folder / "index.html", render(run, settings, tables, drawn))
    return as_markdown(next(table for table in tables if table.name == "table_11_shortcut"))


def render(run: Run, settings: Mapping[str, Any], tables: Sequence[Table], drawn: Mapping[str, tuple[str, str]]) -> str:
    shortcut = next(table for table in tables if table.name == "table_11_shortcut").rows
    return (
        environment()
        .get_template("raven.html.j2")
        .render(
            main=run.facts[MAIN],
            documents=settings["documents"],
            verifiers=run.verifiers,
            seeds=len(run.random()),
            leaning=shortcut.filter("leans_on_topics")["verifier"].to_list(),
            settings=settings,
            tables=tables,
            pictures=[(caption, Markup(picture)) for caption, picture in drawn.values()],
            unscored=unscored(run),
        )
    )


def unscored(run: Run) -> list[str]:
    """The folds without scores, in words."""
    missing = (
        run.scores.filter(run.scores["overall"].is_null()).select("subset", "fold").unique().sort("subset", "fold")
    )
    return [f"fold {fold} of {subset}" for subset, fold in missing.iter_rows()]


def as_markdown(table: Table) -> str:
    lines = [
        f"**{escaped_markdown(table.title)}**",
        "",
        f"| {' | '.join(map(escaped_markdown, table.headings))} |",
        "|" + " --- |" * len(table.headings),
    ]
    for row, cells in enumerate(table.shown):
        words = [escaped_markdown(cell) for cell in cells]
        lines.append(f"| {' | '.join(f'**{w}**' if (row, at) in table.best else w for at, w in enumerate(words))} |")
    return "\n".join([*lines, "", escaped_markdown(table.note)]) + "\n"
