"""Write sheets of pairs for people to judge, with texts and pair names, but without ids or answers."""

import json
from pathlib import Path

import polars as pl

from authbench.build.labels.estimators import proportion_interval
from authbench.config.languages import language_name
from authbench.core.identity import digest
from authbench.core.presentation.pages import environment
from authbench.core.presentation.sheets import Choice, Sheet
from authbench.core.storage.atomic import write_text
from authbench.scoring.people.verdicts import SUREST
from authbench.scoring.review.difference import shown

RIGHT = 0.75  # share of right verdicts for which the index states the interval
SURE = {1: "a guess", 2: "rather", SUREST: "sure"}


def choices() -> list[Choice]:
    """Return the verdicts, from surely two people to surely the same person; keys in that order."""
    levels = [(False, sure) for sure in sorted(SURE, reverse=True)] + [(True, sure) for sure in sorted(SURE)]
    return [
        Choice(
            str(key),
            f"{'same' if same else 'different'}, {SURE[sure]}",
            json.dumps({"same": same, "sure": sure}),
            "good" if same else "two",
            f"{'the same person' if same else 'two people'}: {SURE[sure]}",
        )
        for key, (same, sure) in enumerate(levels, start=1)
    ]


def write_pair_sheets(folder: Path, name: str, drawn: pl.DataFrame, per_language: int) -> None:
    """Write `index.html` and a sheet per language.

    Args:
        drawn: DRAWN; only `pair`, `lang` and the two texts are used.
    """
    # Browsers store verdicts on an earlier build's pairs separately.
    store = f"authbench pairs {name} {digest(*drawn['pair'].sort())[:8]}"
    shared = {"name": name, "sheet": Sheet(store, "pair", f"pairs-{name}.jsonl", choices())}
    pages = environment()
    sheets = []
    for (lang,), part in drawn.sort("lang", "pair").group_by("lang", maintain_order=True):
        entries = [
            {"key": pair, "lang": lang, "texts": (shown(query), shown(candidate))}
            for pair, query, candidate in part.select("pair", "query", "candidate").iter_rows()
        ]
        low, high = proportion_interval(RIGHT * len(entries), len(entries))
        sheet = {"lang": lang, "language": language_name(str(lang)), "entries": entries, "within": (high - low) / 2}
        write_text(folder / f"{lang}.html", pages.get_template("pairs.html.j2").render(**shared, **sheet))
        sheets.append(sheet)
    index = pages.get_template("pairs_index.html.j2")
    write_text(folder / "index.html", index.render(**shared, sheets=sheets, per_language=per_language, right=RIGHT))
