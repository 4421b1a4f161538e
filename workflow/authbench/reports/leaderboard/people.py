"""Make the table of people: a row `people`, and each model on the pairs that people judged (`people.score`)."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from authbench.config.languages import language_name
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.core.presentation.numbers import NOTHING, decimals
from authbench.core.presentation.tables import Cell, Column, Row, Table
from authbench.core.storage.json_files import read_foreign_json
from authbench.core.words import listing, plural
from authbench.scoring.people.score import MEASURES, PEOPLE

_HEADINGS = {"auc": "AUC", "accuracy": "accuracy"}


def people_table(path: Path | None) -> list[Table]:
    """Return the table of people.json, if given. Raises InputError if the file is invalid."""
    if path is None:
        return []
    found = read_foreign_json(path, expected="people/people.json of a build with verdicts (people.verdicts)")
    if not isinstance(found, Mapping) or (lacking := {"judged", "drawn", "rows", "people", "agreement"} - found.keys()):
        raise InputError(
            f"{path}: is not what people said of pairs"
            + (f" (it lacks {listing(sorted(lacking))})" if isinstance(found, Mapping) else "")
            + ". Expected people/people.json of a build with verdicts (people.verdicts)."
        )
    languages = sorted(found["judged"])
    rows, data = [], []
    for row in found["rows"]:
        cells, values = [Cell(row["name"])], {"model": row["name"]}
        for measure in MEASURES:
            cell = row.get(measure, {})
            cells.append(_cell(cell))
            values |= {f"{measure}{end}": cell.get(key) for end, key in _ENDS}
            apart = row.get(f"{measure}_over_people", {})
            cells.append(_cell(apart, signed=True))
            values |= {f"{measure}_over_people{end}": apart.get(key) for end, key in _ENDS}
        for lang in languages:
            value = row.get("by_language", {}).get(lang, {}).get("auc")
            cells.append(Cell(decimals(value), value))
            values[f"auc_{lang}"] = value
        rows.append(Row(cells, "people" if row["name"] == PEOPLE else "models, on the same pairs"))
        data.append(values | {"pairs": row.get("pairs")})
    columns = [Column("row", words=True)]
    for measure in MEASURES:
        columns += [Column(_HEADINGS[measure], more_is_better=True), Column("over people", more_is_better=True)]
    columns += [Column(f"AUC, {lang} ({found['judged'][lang]})", more_is_better=True) for lang in languages]
    schema = {key: pl.Int64 if key == "pairs" else pl.String if key == "model" else pl.Float64 for key in data[0]}
    table = pl.DataFrame(data, schema=schema)
    return [Table("people", "People and models on the same pairs", columns, rows, table, _notes(found))]


_ENDS = (("", "value"), ("_low", "low"), ("_high", "high"))


def _cell(cell: JsonMapping, signed: bool = False) -> Cell:
    value = cell.get("value")
    if value is None:
        return Cell(NOTHING)
    text = decimals(value, signed=signed)
    if cell.get("low") is not None:
        text += f" [{decimals(cell['low'], signed=signed)}, {decimals(cell['high'], signed=signed)}]"
    return Cell(text, value)


def _notes(found: JsonMapping) -> list[str]:
    judged, drawn = sum(found["judged"].values()), sum(found["drawn"].values())
    agreed = f"; two of them agree on {found['agreement']:.0%} of the pairs" if found["agreement"] is not None else ""
    notes = [
        f"{plural(found['people'], 'person', 'people')} judged {judged} of {plural(drawn, 'pair')} of the pool "
        f"`matched`, half by one author{agreed}. AUC of how sure they are; a model says `same` above the median of its "
        "language. Intervals of 95 % over pairs."
    ]
    if without := [language_name(lang) for lang in sorted(found["drawn"].keys() - found["judged"].keys())]:
        notes.append(f"Nobody judged {listing(without)}.")
    notes += [f"{row['name']} is left out: {row['left_out']}." for row in found["rows"] if "left_out" in row]
    return notes
