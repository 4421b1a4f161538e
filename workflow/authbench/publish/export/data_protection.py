"""Write the data-protection sheet: the legal basis of publication, and the measured risk of re-identification.

A text is linked if the model ranks another text of its author before all texts of others. The sheet uses the given
result that links most texts.
"""

from collections.abc import Mapping
from pathlib import Path

from authbench.config.settings.publish import Publish
from authbench.core.json_values import JsonMapping
from authbench.core.presentation.pages import environment
from authbench.core.storage.json_files import read_foreign_json
from authbench.publish.export.citations import licence_table, source_facts
from authbench.publish.export.freeze import contact
from authbench.publish.export.responsible import documents_here
from authbench.release.format.release import Release
from authbench.reports.leaderboard.collect import expect_of_release, read_results

SHEET = "DATA_PROTECTION.md"
DATA = "data_protection.json"
_LINKED = "success@1"


def read_risk(results: Path, release: Release) -> dict[str, object] | None:
    """Return how well the best model of a folder of results links the texts of a release.

    Returns:
        `model`, `title`, `split`, numbers of `queries`, `authors` and `candidates`, and `linked`, the share of queries,
            with `low`, `high` (95 %, over authors) and `chance`; `same_language`, the share where only texts in the
            query's language compete; `sources`, the same for sources with enough queries; `complete`, whether all texts
            of the complete release were used, or only those in a public bundle. None if only shortcuts were scored, or
            no text could be linked.

    Raises:
        InputError: a model was scored on other texts.
    """
    found = list(read_results(results))
    for one in found:
        expect_of_release([one], release)
    scored = [one for one in found if not one.shortcut and _tells(one.scores["overall"])]
    if not scored:
        return None
    best = max(scored, key=lambda one: (one.scores["overall"][_LINKED], one.name))
    scores = best.scores
    sources = {tag: _linked(cell) for tag, cell in sorted(scores["by_source"].items()) if _tells(cell)}
    return {
        "model": best.name,
        "title": str(scores["model"].get("title", best.name)),
        "split": str(scores["benchmark"]["split"]),
        "candidates": int(scores["benchmark"]["candidates"]),
        **_linked(scores["overall"]),
        "same_language": float(scores["overall"]["within_language"][_LINKED]),
        "sources": sources,
        "complete": not release.withheld,
    }


def _tells(cell: JsonMapping) -> bool:
    """Return whether a cell has the share with its interval, as a model that gave scores of pairs only has not."""
    return _LINKED in cell.get("intervals", ())


def _linked(cell: JsonMapping) -> dict[str, object]:
    low, high = cell["intervals"][_LINKED]
    return {
        "queries": int(cell["queries"]),
        "authors": int(cell["authors"]),
        "linked": float(cell[_LINKED]),
        "low": float(low),
        "high": float(high),
        "chance": float(cell["random_expectation"][_LINKED]),
    }


def known_risk(folder: Path) -> dict[str, object] | None:
    """Return the risk that the sheet in a folder states; None if it states none."""
    if not (folder / DATA).is_file():
        return None
    risk = read_foreign_json(folder / DATA).get("risk")
    return risk if isinstance(risk, dict) else None


def data_protection(release: Release, about: Publish, risk: Mapping[str, object] | None) -> dict[str, object]:
    """Return the contents of the sheet as an object."""
    here = documents_here(release)
    sources = []
    for row in licence_table(release).iter_rows(named=True):
        documents = release.described if row["texts_here"] else release.absent
        own = documents.filter(documents["source"] == row["source"])
        sources.append(
            {
                "source": row["source"],
                "title": source_facts(release, row["source"])["title"],
                "licence": row["licence"],
                "texts_here": row["texts_here"],
                "documents": row["documents"],
                "authors": row["authors"],
                "kinds": sorted(set(own["author_kind"])),
                "legal_basis": source_facts(release, row["source"])["legal_basis"] or "Not stated.",
            }
        )
    return {
        "name": release.name,
        "version": about["version"],
        "controller": list(about["creators"]),
        "contact": contact(about),
        "documents": here.height,
        "authors": here["author_id"].n_unique(),
        "names_author": float(here["names_author"].mean() or 0.0),  # type: ignore[arg-type]
        "keyed_ids": bool(release.setting("ingest.author_key_env")),
        "with_date": 1 - here["date"].null_count() / max(here.height, 1),
        "sources": sources,
        "risk": dict(risk) if risk else None,
    }


def sheet(stated: Mapping[str, object]) -> str:
    """Return DATA_PROTECTION.md from the result of `data_protection`."""
    templates = environment(markdown=True)
    templates.filters |= {"percent": lambda share: f"{100 * share:.1f} %", "count": lambda number: f"{number:,}"}
    return str(templates.get_template("data_protection.md.j2").render(**stated))
