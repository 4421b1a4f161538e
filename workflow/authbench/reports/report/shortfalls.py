"""Compare requested and sampled numbers of documents, by language, genre and length class."""

import math
from collections.abc import Mapping, Sequence

from authbench.build.release.words import bar_width
from authbench.config.languages import language_name
from authbench.config.settings.sample import Sample
from authbench.core.records import LENGTH_BUCKETS
from authbench.core.words import count, decimal, listing, plural, spaced
from authbench.release.format.deviation import AllDocuments, Deviation, DeviationRow

NO_TARGET = "(no target)"  # the cell of genres without a share in the settings


def shortfalls(deviation: Deviation, sample: Sample) -> list[str]:
    """Return sentences on missed targets: by language, the reasons of misses above 5 %, and cells without documents.

    Args:
        deviation: sampling_deviation.json.
        sample: the section `sample` of the settings; each reason names the setting that causes it.
    """
    languages, cells = deviation["languages"], deviation["cells"]
    if languages and all(row["target"] is None for row in languages):
        return _without_shares(deviation["documents"]) + _without_documents(cells)
    short = [row for row in languages if _deficit(row) > 0]
    if not short and deviation.get("documents", {"target": 0})["target"] is None:
        sentences = ["Every language has its share."]
    elif not short:
        sentences = ["Every language has as many documents as asked for."]
    else:
        missing = plural(sum(map(_deficit, short)), "document")
        sentences = [f"{len(short)} of {plural(len(languages), 'language')} fell short, together by {missing}."]
    sentences += [
        f"{language_name(row['language'])} fell {count(_deficit(row))} short of {count(_target(row))}: "
        f"{cause(row, sample)}."
        for row in short
        if _deficit(row) > 0.05 * _target(row)
    ]
    left_open = sum(map(_deficit, languages))
    if isinstance(rule := deviation.get("shortfall"), Mapping) and left_open > 0:
        times = decimal(rule["fill_up_to"])
        sentences.append(
            f"{plural(left_open, 'document')} of all asked for {'is' if left_open == 1 else 'are'} left open: where one"
            f" language lacks texts, no other takes more than {times} times its own share (sample.shortfall)."
        )
    return sentences + _without_documents(cells)


def _without_shares(documents: AllDocuments) -> list[str]:
    """Return the sentences on all documents if no language has a target."""
    target, taken = documents["target"], documents["taken"]
    if target is None:
        return ["No number of documents was asked for: all are in that the rules for authors and texts allow."]
    if taken >= target:
        return [f"There are {count(taken)} documents of {count(target)} asked for; languages have no targets."]
    return [
        f"{plural(target - taken, 'document')} of {count(target)} asked for {'is' if target - taken == 1 else 'are'} "
        "lacking: no more were available; add sources (sources) or ask for fewer (sample.documents)."
    ]


def _without_documents(cells: Sequence[DeviationRow]) -> list[str]:
    """Return a sentence on each genre and length with a target and without documents."""
    nothing: dict[str, list[str]] = {}
    for cell in cells:
        if cell["target"] and not cell["available"]:
            nothing.setdefault(_cell_name(cell), []).append(language_name(cell["language"]))
    return [f"No document of {key} was available in {listing(langs)}." for key, langs in nothing.items()]


def _cell_name(cell: DeviationRow) -> str:
    if cell["key"] == NO_TARGET:
        return "genres without a target"
    return spaced(cell["key"])


def reason(row: DeviationRow) -> str:
    """Return why a target was missed: no documents, too few, or whole authors that did not fit."""
    if not row["available"]:
        return "no document was available"
    if row["available"] < _target(row):
        return f"only {count(row['available'])} {'were' if row['available'] != 1 else 'was'} available"
    return f"{count(row['available'])} were available, but only whole authors are taken"


def cause(row: DeviationRow, sample: Sample) -> str:
    """Return why a language missed its target, with the setting to change."""
    why, most, least = reason(row), sample.get("max_documents_per_author"), sample.get("min_documents_per_author")
    refused, filtered = row.get("refused") or {}, row.get("filtered", 0)
    beside = [
        *(f"{count(number)} more are by authors who may not enter ({spaced(key)})" for key, number in refused.items()),
        *([f"filters dropped {count(filtered)}"] if filtered else []),
    ]
    lost = f" ({'; '.join(beside)})" if beside else ""
    if not row["available"]:
        return f"{why}{lost}; add a source of it (sources) or take its share back (sample.languages)"
    if row["available"] >= _target(row):
        return f"{why}, of at most {most} documents (sample.max_documents_per_author)" if most else why
    held = row.get("held", 0)
    if held > row["available"] and most:
        back = ", which would have been enough" if held >= _target(row) else ""
        return (
            f"{why} of the {count(held)} in the pool{back}, as an author gives at most {most} "
            "(sample.max_documents_per_author)"
        )
    by = f", by authors with at least {least} documents (sample.min_documents_per_author)" if least else ""
    return f"{why}{by}{lost}; add sources (sources) or ask for fewer (sample.documents, sample.languages)"


def deviation_rows(deviation: Deviation) -> list[dict[str, object]]:
    """Return per language its target, the number taken, a bar, and the same for its genres and length classes."""
    return [
        {
            **row,
            "bar": _bullet(row),
            "verdict": _verdict(row),
            "cells": [
                {
                    **cell,
                    "key": _cell_name(cell),
                    "has_target": _has_target(cell),
                    "bar": _bullet(cell),
                    "verdict": _verdict(cell),
                }
                for cell in sorted(deviation["cells"], key=_cell_place)
                if cell["language"] == row["language"] and (cell["target"] is not None or cell["key"] != NO_TARGET)
            ],
            "has_target": _has_target(row),
        }
        for row in deviation["languages"]
    ]


def _cell_place(cell: DeviationRow) -> tuple[str, int, str]:
    key = cell["key"]
    return (cell["dimension"], LENGTH_BUCKETS.index(key) if key in LENGTH_BUCKETS else -(cell["target"] or 0), key)


def _has_target(row: DeviationRow) -> bool:
    return row["target"] is not None and row.get("key") != NO_TARGET


def _bullet(row: DeviationRow) -> dict[str, str]:
    """Return the widths, in percent, of the bar of documents taken and of the mark of the target."""
    if not _has_target(row):
        return {"taken": "0", "target": ""}
    widest = max(_target(row), row["taken"], 1)
    return {"taken": bar_width(row["taken"], widest), "target": bar_width(_target(row), widest)}


def _verdict(row: DeviationRow) -> str:
    if not _has_target(row):
        return "no target"
    deficit = _deficit(row)
    if deficit > 0:
        return f"{count(deficit)} short: {reason(row)}"
    return "met" if deficit == 0 else f"{count(-deficit)} over"


def _target(row: DeviationRow) -> int:
    return row["target"] or 0


def _deficit(row: DeviationRow) -> int:
    """Return how many documents a cell is short of its target; 0 without a target."""
    return row["deficit"] or 0


def bound_in_words(deviation: Deviation) -> str:
    """Return a sentence comparing the deviation with the least possible; empty if it was not computed."""
    bound = deviation.get("bound") or {}
    reached, least = bound.get("reached"), bound.get("least_deviation")
    cells = deviation.get("cells") or ()
    if reached is None or (cells and not any(map(_has_target, cells))):
        return ""
    missed = f"All genre and length targets together were missed by {decimal(reached)} documents"
    if least is None or not math.isfinite(least):
        return f"{missed}; how near any selection could have come was not computed."
    verdict = (
        "the data, not the selection, set the limit"
        if reached <= max(1.1 * least, least + 2)
        else f"the other {decimal(round(reached - least, 1))} are the selection's"
    )
    return f"{missed}. No selection of whole authors could have missed them by less than {decimal(least)}: {verdict}."
