"""Write the report of a case: index.html, case.json with every figure, figures/tippett.svg and figures/det.svg."""

from pathlib import Path

import polars as pl

from authbench.audit.case.population import FIRST, HELD, NEAR, SECOND
from authbench.audit.case.ratios import SCALE, WORST, Ratio, Validation, verbal
from authbench.audit.case.run import Report
from authbench.core.json_values import JsonObject
from authbench.core.presentation.charts import Chart
from authbench.core.presentation.numbers import decimals, limits
from authbench.core.presentation.pages import environment, write_charts
from authbench.core.presentation.palette import marks_of
from authbench.core.presentation.tables import Cell, Column, Row, Table
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.suites.pan.figures import det, tippett

_DARKEST = 0.75  # opacity of the piece that weighs most


def write_report(report: Report, out: Path) -> None:
    charts = _charts(report)
    with atomic_folder(out) as place:
        write_plain_json(place / "case.json", report.as_dict())
        write_charts(place / "figures", charts)
        write_text(place / "index.html", render(report, charts))


def render(report: Report, charts: list[Chart]) -> str:
    parts = report.about["parts"]
    name, (validation, ratio) = next(iter(report.weighed.items()))
    page = environment(marks=marks_of(report.weighed)).get_template("case.html.j2")
    return page.render(
        name=name,
        answer=in_words(validation, ratio),
        about=report.about,
        language=report.material.language,
        notes=report.material.notes,
        texts=_texts_table(report),
        learns=parts[FIRST],
        swaps=parts[SECOND],
        held=parts[HELD],
        near=f"{NEAR:.0%}",
        worst=WORST,
        results=_results_table(report),
        uncalibrated=[name for name, (found, _) in report.weighed.items() if not found.calibrated],
        level=[name for name, (found, _) in report.weighed.items() if found.level],
        most=round(10 ** validation.bounds[1]),
        furthest=validation.bounds[1],
        scale=[(f"{least:,.0f}", words) for least, words in reversed(SCALE)],
        pictures=charts,
        tokens=_coloured(report),
    )


def in_words(validation: Validation, ratio: Ratio) -> str:
    """Return the result of a verifier in a phrase."""
    if not validation.calibrated:
        return "not calibrated"
    low, high = ratio.interval or (ratio.value, ratio.value)
    ends = dict.fromkeys([verbal(low), verbal(high)])
    return verbal(ratio.value) + ("" if len(ends) == 1 else f" (interval: {' to '.join(ends)})")


def _charts(report: Report) -> list[Chart]:
    [first, *_] = report.weighed.values()
    pairs, truth = first[0].pairs, first[0].pairs["same"].to_numpy()
    ratios = {name: found.pairs["log10_lr"] for name, (found, _) in report.weighed.items()}
    marks = marks_of(ratios)
    scores = {name: column.to_numpy() for name, column in ratios.items()}
    return [tippett(pairs.select("id", "same").with_columns(**ratios), marks), det(scores, truth, marks)]


def _texts_table(report: Report) -> Table:
    columns = [Column("Text", words=True), Column("Role", words=True), Column("Characters"), Column("Words"),
               Column("Language"), Column("Quoted"), Column("SHA-256", words=True)]  # fmt: skip
    rows = [
        Row([Cell(one.name), Cell(one.role), Cell(f"{one.characters:,}", one.characters),
             Cell(f"{one.words:,}", one.words), Cell(f"{one.language} {decimals(one.probability, 2)}"),
             Cell(f"{one.quoted:.0%}", one.quoted), Cell(one.sha256)])
        for one in report.material.texts
    ]  # fmt: skip
    return Table("texts", "Texts", columns, rows, pl.DataFrame())


def _results_table(report: Report) -> Table:
    wrong = ("Cllr", "Cllr min", "misleads, one author", "misleads, two authors")
    columns = [
        Column("Verifier", words=True),
        Column("log10 LR"),
        Column("by either quarter"),
        *(Column(heading, more_is_better=False) for heading in wrong),
        Column("Verbal equivalent", words=True),
    ]
    rows = [_result(name, *found) for name, found in report.weighed.items()]
    return Table("results", "Results", columns, rows, pl.DataFrame())


def _result(name: str, found: Validation, ratio: Ratio) -> Row:
    def shares(kind: str) -> Cell:
        wrong, far = found.misleading[kind]
        return Cell(f"{wrong:.1%}", wrong, interval=f"{far:.1%} beyond 1")

    value = decimals(ratio.value, 2, signed=True) + (" (bound)" if ratio.bounded else "")
    return Row([
        Cell(name),
        Cell(value, ratio.value, interval=limits(*(ratio.interval or (None, None)))),
        Cell(" and ".join(decimals(one, 2, signed=True) for one in ratio.halves)),
        Cell(decimals(found.cllr), found.cllr, interval=limits(*(found.cllr_interval or (None, None)))),
        Cell(decimals(found.cllr_min), found.cllr_min, interval=limits(*(found.cllr_min_interval or (None, None)))),
        shares("one author"),
        shares("two authors"),
        Cell(in_words(found, ratio)),
    ])  # fmt: skip


def _coloured(report: Report) -> list[JsonObject]:
    """Return the pieces of the questioned text: `text`, `side` and the opacity of its colour."""
    most = max((abs(weight) for _, weight in report.tokens), default=0.0) or 1.0
    return [
        {"text": piece, "side": "same" if weight > 0 else "other", "share": round(_DARKEST * abs(weight) / most, 2)}
        for piece, weight in report.tokens
    ]
