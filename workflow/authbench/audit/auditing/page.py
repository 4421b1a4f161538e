"""Render an audit as Markdown, and as an HTML page that loads no files and quotes no text of the dataset."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

from authbench.audit.auditing.claims import CLAIMS
from authbench.audit.auditing.published import Published
from authbench.audit.auditing.rows import LOWER_IS_BETTER, Measured, ScoreCell
from authbench.audit.auditing.run import Audit, AuditedDataset
from authbench.audit.auditing.standing import NOT_SEPARABLE, OPEN, SEPARABLE
from authbench.build.labels.decision import BY_CONSTRUCTION, EXPLAINED, in_words
from authbench.core.extras import absent
from authbench.core.presentation.numbers import decimals, limits, shown_difference
from authbench.core.presentation.pages import environment, write_charts
from authbench.core.presentation.palette import mark_of
from authbench.core.presentation.tables import Cell, Column, Row, Table, as_markdown, escaped_markdown, plain_rows
from authbench.core.printable import cut_short, printable
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.words import plural

if TYPE_CHECKING:
    from authbench.core.presentation.charts import Chart

HEADINGS = {
    "success@1": "S@1", "success@5": "S@5", "mrr": "MRR", "eer": "EER", "eer_same_language": "EER, one language",
    "auc_matched": "AUC, matched", "auc_topic": "AUC, topic", "auc_time": "AUC, time",
    "s@5_other_work": "S@5, in language",
    "pairs_auc": "AUC of pairs",
}  # fmt: skip
_SHOWN = 8  # ids of a finding on the page
_PUBLISHED = 60  # rows of published scores
_CHART = {"row": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}  # of a chart's data


def render(audit: Audit, drawn: Mapping[str, Sequence["Chart"]] = MappingProxyType({})) -> str:
    """Return the HTML page; `drawn`: the charts of each split, whose files are in figures/."""
    page = environment().get_template("audit.html.j2")
    return page.render(
        dataset=audit.dataset,
        verdict=verdict(audit),
        findings=_findings_table(audit),
        examples=_examples(audit),
        holds=[CLAIMS[finding.claim][1] for finding in audit.findings if not finding.cases],
        splits=[
            {
                "name": part.split, "about": part.about, "left_out": part.left_out, "pools": part.pools,
                "tables": [_rows_table(part)] if part.rows else [],
                "pictures": drawn.get(part.split, ()),
                "power": _power(part), "gains": _gains(part),
            }
            for part in audit.rows
        ],
        published=_published_table(audit),
        noise=_noise_table(audit),
        cleaned=None if audit.cleaned is None else audit.cleaned.as_dict(),
    )  # fmt: skip


def markdown(audit: Audit) -> str:
    """Return the page's tables as Markdown."""
    parts = [
        f"# Audit of {escaped_markdown(audit.dataset['name'])}",
        escaped_markdown(_size(audit.dataset)),
        *map(escaped_markdown, verdict(audit)),
    ]
    parts += [as_markdown(_findings_table(audit))]
    for part in audit.rows:
        parts += (
            [as_markdown(_rows_table(part))] if part.rows else [f"{escaped_markdown(part.split)}: {part.left_out[0]}."]
        )
    if audit.published:
        parts.append(as_markdown(_published_table(audit)))
    parts += [f"*{escaped_markdown(note)}*" for note in audit.dataset["notes"]]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _size(dataset: AuditedDataset) -> str:
    problems = f", {dataset['problems']:,} problems" if dataset["problems"] else ""
    return (
        f"{dataset['form']}: {dataset['documents']:,} texts of {dataset['authors']:,} authors{problems}; splits: "
        f"{', '.join(dataset['splits']) or 'none'}."
    )


def verdict(audit: Audit) -> list[str]:
    """Return the most important findings, in a sentence each."""
    lines = []
    leaks = [finding for finding in audit.broken if finding.kind == "leaks"]
    count = len({ident for finding in leaks for ident in finding.ids})
    unread = [case for finding in audit.broken if finding.claim == "unreadable_rows" for case in finding.cases]
    lines.append(
        f"{len(leaks)} claim{'s' if len(leaks) > 1 else ''} about leaks broken, by {count:,} texts or authors."
        if leaks
        else f"{len(unread):,} rows cannot be read and were not examined. No leak was found in the others."
        if unread
        else "No leak was found: no copy, no author in two splits, no order that tells authors."
        if audit.dataset["documents"]
        else "The dataset has no texts here: only its answers were examined."
    )
    if audit.dataset["documents"] and not any(part.rows for part in audit.rows):
        reasons = [reason for part in audit.rows for reason in part.left_out]
        few = f"{plural(audit.dataset['authors'], 'author')} here, and a score needs two, one of them with two texts"
        lines.append(f"Nothing was scored: {few if audit.dataset['authors'] < 2 else '; '.join(reasons)}.")
    for part in audit.rows:
        own = [row for row in part.rows if row["shortcut"]]
        for score in ("success@5", "pairs_auc", "auc_matched"):
            rows = [row for row in own if score in row["scores"]]
            if not rows:
                continue
            best = max(rows, key=lambda row: row["scores"][score]["value"])
            cell = best["scores"][score]
            how = {True: "above", False: "no surer than", None: "beside"}[cell["above_chance"]]
            lines.append(
                f"{part.split}: of the rows that read no style, {best['row']} has the best {HEADINGS[score]}, "
                f"{decimals(cell['value'])}, {how} chance ({decimals(cell['chance'])})."
            )
    worse = {one["model"] for one in audit.published if one["shortcuts_as_good"]}
    everybody = {one["model"] for one in audit.published if one["best_shortcut"]}
    if everybody:
        lines.append(f"{len(worse)} of {len(everybody)} published models are met by a row that reads no style.")
    for score, split in dict.fromkeys((one["score"], one["split"]) for one in audit.differences):
        of_score = [one for one in audit.differences if (one["score"], one["split"]) == (score, split)]
        for row, between in ((False, "of two published models"), (True, "of a model and a row that reads no style")):
            told = Counter(one["verdict"] for one in of_score if one["row"] == row)
            if told:
                lines.append(
                    f"{HEADINGS[score]}{f', {split}' if split else ''}: of {told.total():,} differences {between}, "
                    f"{told[SEPARABLE]:,} beyond chance, {told[NOT_SEPARABLE]:,} not, {told[OPEN]:,} open without the "
                    "scores of each query."
                )
    return lines


def _findings_table(audit: Audit) -> Table:
    rows = [
        Row(
            [
                Cell(CLAIMS[finding.claim][1]),
                Cell(finding.claim),
                Cell(f"{len(finding.cases):,}", len(finding.cases)),
                Cell(f"{len(finding.ids):,}", len(finding.ids)),
            ],
            finding.kind,
        )
        for finding in audit.broken
    ]
    columns = [Column("What is wrong", words=True), Column("Claim", words=True), Column("Cases"), Column("Ids")]
    data = pl.DataFrame({"claim": [finding.claim for finding in audit.broken]}, {"claim": pl.String})
    note = "Nothing is wrong." if not rows else f"{len(audit.findings) - len(rows)} other claims hold."
    return Table("findings", "Broken claims", columns, rows, data, (note,))


def _examples(audit: Audit) -> list[dict[str, object]]:
    found = []
    for finding in audit.broken:
        cases = [
            " = ".join(cut_short(ident) for ident in case.ids[:_SHOWN])
            + (" ..." if len(case.ids) > _SHOWN else "")
            + (f" ({printable(case.note)})" if case.note else "")
            for case in finding.cases[:_SHOWN]
        ]  # fmt: skip
        found.append({"claim": finding.claim, "about": CLAIMS[finding.claim][1], "cases": cases,
                      "more": max(0, len(finding.cases) - _SHOWN)})  # fmt: skip
    return found


def _rows_table(part: Measured) -> Table:
    names = [name for name in HEADINGS if any(name in row["scores"] for row in part.rows)]
    columns = [Column("Row", words=True), *(Column(HEADINGS[name], more_is_better=name not in LOWER_IS_BETTER)
                                            for name in names)]  # fmt: skip
    rows = [
        Row([Cell(row["row"]), *(_score(row["scores"].get(name)) for name in names)],
            "reads no style" if row["shortcut"] else "reads style") for row in part.rows
    ]  # fmt: skip
    chance = [
        next((row["scores"][name]["chance"] for row in part.rows if name in row["scores"]), None) for name in names
    ]
    rows.append(
        Row([Cell("chance", grey=True), *(Cell(decimals(value), value, grey=True) for value in chance)], "by chance")
    )
    data = pl.DataFrame({"row": [row["row"] for row in part.rows]})
    about = part.about
    of = f" of {about['of']:,}" if "of" in about else ""
    queries, authors = about.get("queries", 0), about.get("authors", 0)
    note = (
        f"{about['texts']:,}{of} texts; {queries:,} queries of {authors:,} authors. Grey: "
        "no surer than chance by the 95 % interval over authors."
    )
    return Table(f"rows_{part.split}", f"Sanity rows, {part.split}", columns, rows, data, (note,))


def _score(cell: ScoreCell | None) -> Cell:
    if cell is None:
        return Cell("–")
    interval = limits(cell["low"], cell["high"])
    return Cell(decimals(cell["value"]), cell["value"], grey=cell["above_chance"] is False, interval=interval)


def _charts(part: Measured) -> "list[Chart]":  # an audit without matplotlib has no pictures
    from authbench.core.presentation.plots import Value, value_bars

    charts = []
    for score in ("success@5", "pairs_auc", "auc_matched"):
        values = []
        for name, cell in ((row["row"], row["scores"][score]) for row in part.rows if score in row["scores"]):
            tip = f"{name}: {HEADINGS[score]} {decimals(cell['value'])}, by chance {decimals(cell['chance'])}"
            values.append(Value(name, cell["value"], mark_of(name), tip, cell["low"], cell["high"]))
        if values:
            title = f"{HEADINGS[score]} of the rows, {part.split}"
            values.sort(key=lambda value: -value.value)
            name = f"{score.replace('@', '_at_')}_{part.split}"
            chart = value_bars(name, title, "With 95 % intervals over authors.", values)
            data = pl.DataFrame([(one.label, one.value, one.low, one.high) for one in values], _CHART, orient="row")
            charts.append(replace(chart, data=data))
    return charts


def _power(part: Measured) -> list[tuple[str, str]]:
    return [
        (HEADINGS.get(score, score), shown_difference(cell["difference"]))
        for score, cell in part.power.items()
        if cell.get("difference") is not None
    ]


def _gains(part: Measured) -> list[str]:
    return [
        f"{gain['model']}, {HEADINGS[gain['score']]}: {decimals(gain['value'], signed=True)} over {gain['against']} "
        f"[{decimals(gain['low'], signed=True)}, {decimals(gain['high'], signed=True)}], p {decimals(gain['p_holm'])}"
        for gain in part.gains
        if gain["low"] is not None
    ]


def _published_table(audit: Audit) -> Table:
    shown = audit.published[:_PUBLISHED]
    rows = [
        Row(
            [
                Cell(cut_short(one["model"])),
                Cell(HEADINGS.get(one["score"], one["score"])),
                Cell("–" if one["best_shortcut"] is None else
                     f"{one['best_shortcut']['row']} {decimals(one['best_shortcut']['value'])}"),
                Cell(", ".join(one["shortcuts_as_good"]) or "none"),
                Cell(_not_told_apart(audit, one)),
                Cell("" if one["same_split"] else cut_short(str(one["split"]))),
                Cell(decimals(one["value"]), one["value"]),
            ]
        )
        for one in shown
    ]  # fmt: skip
    columns = [
        Column(heading, words=True)
        for heading in ("Model", "Score", "Best row", "Rows as good", "Not told apart from", "Of another split")
    ]
    columns.append(Column("Published"))
    more = len(audit.published) - len(shown)
    notes = [f"{more} more are in audit.json."] if more > 0 else []
    if any(one["verdict"] == OPEN for one in audit.differences):
        notes.append("?: the scores of each query would tell.")
    return Table("published", "Published scores beside rows that read no style", columns, rows, pl.DataFrame(), notes)


def _not_told_apart(audit: Audit, one: Published) -> str:
    """Return what a published score is not shown to differ from; `?`: the scores of each query would tell."""
    where = one["score"], one["split"]
    own = [row for row in audit.differences if (row["score"], row["split"]) == where]
    own = [row for row in own if one["model"] in (row["model"], not row["row"] and row["other"])]
    if not own:
        return "–"
    doubtful = [
        (row["other"] if row["model"] == one["model"] else row["model"]) + (" ?" if row["verdict"] == OPEN else "")
        for row in own if row["verdict"] != SEPARABLE
    ]  # fmt: skip
    named = ", ".join(map(cut_short, doubtful[:_SHOWN])) or "none"
    return named + (f" and {len(doubtful) - _SHOWN} more" if len(doubtful) > _SHOWN else "")


def _noise_table(audit: Audit) -> Table:
    rows = []
    for plain in (one.as_dict() for one in audit.noise):
        span = f"{decimals(plain['impurity'], 2)} [{decimals(plain['low'], 2)}, {decimals(plain['high'], 2)}]"
        decision = in_words(plain["decision"], plain["estimator"], plain["impurity"])
        names = (cut_short(plain["source"] or "all"), plain["estimator"], f"{plain['texts']:,}")
        rows.append((*names, "–" if plain["impurity"] is None else span, decision))
    columns = [Column("Source", words=True), Column("Estimator", words=True), Column("Texts"), Column("Impurity")]
    columns.append(Column("Decision", words=True))
    explained = [EXPLAINED] if any(row[-1] == BY_CONSTRUCTION for row in rows) else []
    return Table("noise", "Noise of labels", columns, plain_rows(rows), pl.DataFrame(), explained)


def write_audit(audit: Audit, out: Path, brief: bool = False) -> None:
    """Write the files into a folder, which is created if necessary; `brief`: without ids in audit.json."""
    out.mkdir(parents=True, exist_ok=True)
    write_plain_json(out / "audit.json", audit.as_dict(brief))
    write_text(out / "audit.md", markdown(audit))
    drawn = {} if absent("matplotlib") else {part.split: _charts(part) for part in audit.rows if part.rows}
    if drawn:
        write_charts(out / "figures", chain.from_iterable(drawn.values()))
    write_text(out / "index.html", render(audit, drawn))
