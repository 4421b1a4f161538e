"""Make the tables of headline scores: all queries, pools and detectable differences (`evaluate.headline`, `.gain`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import polars as pl

from authbench.config.languages import language_name
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.presentation.numbers import NO_DIFFERENCE, NOTHING, decimals, limits, shown_difference
from authbench.core.presentation.tables import Cell, Column, Row, Table, places, without_empty_columns
from authbench.core.records import LENGTH_BUCKETS
from authbench.core.storage.json_files import value_at
from authbench.core.words import spaced
from authbench.models.entries import SANITY
from authbench.release.format.scores import HeadlineCell, Scores, Unsolved, cells_of, headline_value
from authbench.reports.leaderboard.collect import Result
from authbench.reports.leaderboard.pairwise import letters_of
from authbench.reports.leaderboard.verdict import HEADINGS, SURE
from authbench.scoring.evaluation.gain import Comparison
from authbench.scoring.evaluation.headline import LEAST_POOL_AUTHORS, LEAST_QUERY_AUTHORS
from authbench.scoring.evaluation.released import HEADLINES, SCORES
from authbench.scoring.evaluation.slices import MEASURED, OVERALL, SLICES

WITHOUT_SPACES = ("zh", "ja")  # languages with text lengths in characters
_UNSOLVED = "unsolved"  # a pseudo-location in scores.json: its value comes from the comparison


def headline_tables(results: Sequence[Result], comparison: Comparison, pairs: pl.DataFrame) -> list[Table]:
    """Return the leaderboard's first table and the table of means over languages, if headline scores exist."""
    if not any(result.scores.get("headline") for result in results):
        return []
    reasons = {heading: why for score, why in left_out(results).items() if (heading := HEADINGS.get(score))}
    reasons |= {"gain": "no shortcut has such a score to compare with, or no model is anything else"}
    leading = [MEASURED] if any(map(_leads, results)) else []
    tables = [_overall(results, comparison, pairs, place, False) for place in (*leading, OVERALL)]
    tables.append(_overall(results, comparison, pairs, OVERALL, True))
    return [without_empty_columns(table, reasons) for table in tables]


def _leads(result: Result) -> bool:
    """Return whether enough authors are of sources with measured labels, and queries are of others."""
    cells = _part(result, MEASURED).get("headline", {}).values()
    enough = any(cell["authors"] >= LEAST_QUERY_AUTHORS for cell in cells)
    return enough and len(cells_of(result.scores, MEASURED[0])) > 1


def _part(result: Result, place: tuple[str, str]) -> Scores:
    """Return the scores of a slice, or of all queries."""
    facet, label = place
    return result.scores if place == OVERALL else cast(Scores, cells_of(result.scores, facet).get(label, {}))


def _overall(
    results: Sequence[Result], comparison: Comparison, pairs: pl.DataFrame, place: tuple[str, str], macro: bool
) -> Table:
    """Return value and gain of each headline score, as means over authors or over languages."""
    keys = ("macro", "macro_low", "macro_high") if macro else ("value", "low", "high")
    gains = _gains(comparison)
    groups = [None if result.group == SANITY else result.group for result in results]
    parts = [_part(result, place) for result in results]
    placed = {score: places(groups, [headline_value(part, score, keys[0]) for part in parts]) for score in HEADLINES}
    compared = place == OVERALL and not macro
    same = {score: letters_of(pairs, score, _ranked(results, score)) if compared else {} for score in HEADLINES}
    rows = []
    for number, result in enumerate(results):
        cells = [Cell(result.name)]
        for score in HEADLINES:
            cell: Mapping[str, object] = parts[number].get("headline", {}).get(score) or {}
            gain = gains.get((result.name, *place, score), {})
            cells.append(_with_interval(cell, keys, placed[score][number], same[score].get(result.name, "")))
            cells.append(_gain_cell(gain, keys, with_p=not macro))
        rows.append(Row(cells, result.group))
    columns = [Column("model", words=True)]
    for score in HEADLINES:
        columns += [Column(HEADINGS[score], more_is_better=True), Column("gain", more_is_better=True)]
    name, title = "headline", "Who wrote it: means over authors"
    notes = [_letters_note(same, pairs), *_chosen_notes(comparison), power_line(comparison), unmeasured_note(results)]
    if macro:
        name, title, notes = "headline_macro", "Means over languages", _macro_notes(results)
    elif place == MEASURED:
        name, title = "headline_measured", f"{title} of sources whose labels were measured"
        notes = ["In these sources few labels join texts by two people (statistics/labels.csv of the release)."]
    data = _headline_data(results, comparison, place)
    return Table(name, title, columns, rows, data, [note for note in notes if note])


def _headline_data(results: Sequence[Result], comparison: Comparison, place: tuple[str, str]) -> pl.DataFrame:
    """Return a row per model and headline score: value, macro and gain with intervals, p before and after Holm."""
    gains = _gains(comparison)
    beside = _gains(comparison, chosen=False)
    tests = comparison.gains.filter(pl.col("p_holm").is_not_null(), facet=place[0], slice=place[1]).height
    rows = []
    for result in results:
        for score in HEADLINES:
            cell = _part(result, place).get("headline", {}).get(score)
            if cell is None:
                continue
            gain, over = (given_cells.get((result.name, *place, score), {}) for given_cells in (gains, beside))
            rows.append(
                {"group": result.group, "model": result.name, "shortcut": result.shortcut, "score": score}
                | {
                    key: cell.get(key)
                    for key in ("value", "low", "high", "macro", "macro_low", "macro_high", "authors")
                }
                | {"against": gain.get("against"), "chosen_on": comparison.chosen[score][1] if gain else None}
                | {f"gain_{key}": gain.get(key) for key in ("value", "low", "high", "macro", "macro_low", "macro_high")}
                | {"p": gain.get("p"), "p_holm": gain.get("p_holm"), "tests": tests if gain else None}
                | {f"over_punctuation_{key}": over.get(key) for key in ("value", "low", "high")}
                | {"verified": not result.unverified}
            )
    words = dict.fromkeys(("group", "model", "score", "against", "chosen_on"), pl.String)
    others = {"shortcut": pl.Boolean, "verified": pl.Boolean, "authors": pl.Int64, "tests": pl.Int64}
    return pl.DataFrame(rows, schema={key: (words | others).get(key, pl.Float64) for key in (rows[0] if rows else {})})


def pools_table(results: Sequence[Result], unsolved: Mapping[str, Unsolved]) -> Table:
    """Return retrieval in the pools of the query's language, and of its language and source, with diagnostics."""
    columns = (
        ("S@5, whole pool", ("overall", "success@5"), True),
        ("S@5, in language", ("overall", "within_language", "success@5"), True),
        ("S@5, in language and source", ("overall", "within_language_source", "success@5"), True),
        ("S@5, unsolved", (_UNSOLVED, "value"), True),
        ("unsolved, by chance", (_UNSOLVED, "by_chance"), None),
        (HEADINGS["auc_topic_time"], ("headline", "auc_topic_time", "value"), True),
        (HEADINGS["auc_adversarial"], ("headline", "auc_adversarial", "value"), True),
        ("EER, matched pairs", ("matched_pairs", "eer", "value"), False),
        ("EER, threshold per language", ("matched_pairs", "eer_by_language", "value"), False),
        ("EER, the same, query-normalised", ("matched_pairs", "eer_by_language_normalised", "value"), False),
    )
    rows, data = [], []
    for result in results:
        found = {} if result.shortcut else {_UNSOLVED: unsolved.get(result.name)}  # for a shortcut 0 by construction
        stated = (value_at({**result.scores, **found}, place) for _, place, _ in columns)
        values = [float(value) if isinstance(value, int | float) else None for value in stated]
        rows.append(Row([Cell(result.name), *(Cell(decimals(value), value) for value in values)], result.group))
        data.append((result.group, result.name, *values))
    schema = {"group": pl.String, "model": pl.String, **{heading: pl.Float64 for heading, _, _ in columns}}
    headings = [Column("model", words=True), *(Column(name, more_is_better=more) for name, _, more in columns)]
    notes = [
        "Unsolved: the queries that no shortcut solves, beside what a random order scores on them; shortcuts, which "
        "solve none of them by definition, have no value.",
        "EER of the released matched pairs: at one threshold for all, and the mean over languages with one each.",
    ]
    title = "Smaller pools, unsolved queries, matched pairs"
    table = Table("pools", title, headings, rows, pl.DataFrame(data, schema=schema, orient="row"), notes)
    return without_empty_columns(table, {"": "these results do not state it, or too few authors are asked"})


def lengths_table(results: Sequence[Result]) -> Table | None:
    """Return the median text length by bucket and language; None if the results lack it."""
    lengths = next((result.scores["lengths"] for result in results if result.scores.get("lengths")), None)
    if lengths is None:
        return None
    measures = ("texts", "words", "characters", "tokens")
    rows, data = [], []
    for lang, buckets in lengths.items():
        unit = "characters" if lang in WITHOUT_SPACES else "words"
        cells = [Cell(language_name(lang)), Cell(unit)]
        for bucket in LENGTH_BUCKETS:
            cell = buckets.get(bucket)
            value = cell[unit] if cell else None
            cells.append(Cell(NOTHING if cell is None else f"{value:,.0f} ({cell['texts']:,.0f})", value))
            if cell:
                data.append((lang, bucket, *(float(cell[name]) for name in measures)))
        rows.append(Row(cells))
    columns = [Column("language", words=True), Column("unit", words=True)]
    columns += [Column(spaced(bucket)) for bucket in LENGTH_BUCKETS]
    schema = {"lang": pl.String, "bucket": pl.String, **dict.fromkeys(measures, pl.Float64)}
    table = pl.DataFrame(data, schema=schema, orient="row")
    note = "Buckets are of tokens (1-10, 11-100, 101-500, more); medians, in brackets the number of texts."
    return Table("lengths", "How long the texts of a bucket are", columns, rows, table, [note])


def power_line(comparison: Comparison) -> str:
    """Return the smallest detectable difference in words; empty without a comparison."""
    if not comparison.power:
        return ""
    parts, small, blind = [], set[str](), False
    for score, cell in comparison.power.items():
        found = {lang: one["difference"] for lang, one in cell["by_language"].items() if one["difference"]}
        by_language = ", ".join(f"{lang} {shown_difference(value)}" for lang, value in found.items())
        macro = f", macro {shown_difference(cell['macro'])}" if cell["macro"] is not None else ""
        parts.append(f"{HEADINGS[score]} {shown_difference(cell['difference'])}{macro} ({by_language})")
        small |= set(cell["not_supported"])
        blind |= NO_DIFFERENCE in parts[-1]
    line = (
        f"The smallest difference that this test shows at 80 % power, after Holm over {comparison.tests} tests: "
        f"{'; '.join(parts)}."
    )
    if blind:
        line += f" Where it is {NO_DIFFERENCE}, so few authors ask that no difference, however large, is shown."
    if small:
        line += f" Not supported, with under 100 query authors: {', '.join(sorted(small))}."
    return line


def unmeasured_note(results: Sequence[Result]) -> str:
    """Return in words the scored sources whose labels were not verified to be single persons; empty if none."""
    unmeasured = results[0].scores["benchmark"].get("unmeasured_sources", [])
    if unmeasured is None:
        return "The release does not state how often two texts of one label are by two people."
    if not unmeasured:
        return ""
    return f"How often two texts of one label are by two people is not measured in {', '.join(unmeasured)}."


def headline_scores(results: Sequence[Result]) -> Iterator[tuple[Result, str, str, str, HeadlineCell]]:
    """Yield result, facet, slice, score and cell of every headline score."""
    for result in results:
        for score, cell in result.scores.get("headline", {}).items():
            yield result, *OVERALL, score, cell
        for facet in SLICES:
            for name, part in cells_of(result.scores, facet).items():
                for score in SCORES:
                    if score in part.get("headline", {}):
                        yield result, facet, name, score, part["headline"][score]


def basis(results: Sequence[Result]) -> list[tuple[str, str]]:
    """Return on how many authors, queries and languages each headline score rests, and the share left out."""
    first = next((result.scores for result in results if result.scores.get("headline")), None)
    if first is None:
        return []
    whole, languages, rows = first["overall"], cells_of(first, "by_language"), []
    for score in (name for name in HEADLINES if name in first["headline"]):
        cell = first["headline"][score]
        scored = sum(score in part.get("headline", {}) for part in languages.values())
        authors = f"{cell['authors']:,} of {whole['authors']:,} authors, {scored} of {len(languages)} languages"
        rows.append((HEADINGS[score], f"{authors}, {1 - cell['queries'] / whole['queries']:.0%} of queries left out"))
    return rows


def left_out(results: Sequence[Result]) -> dict[str, str]:
    """Return by headline score why the split lacks it."""
    return dict(results[0].scores.get("headline_left_out", {}))


def _gains(comparison: Comparison, chosen: bool = True) -> dict[tuple[str, ...], JsonObject]:
    """Return gains over the chosen shortcuts, or over another row, by model, facet, slice, score."""
    against = {score: name for score, (name, _) in comparison.chosen.items()}
    return {
        (row["model"], row["facet"], row["slice"], row["score"]): row
        for row in comparison.gains.iter_rows(named=True)
        if (row["against"] == against.get(row["score"])) == chosen
    }


def _with_interval(cell: JsonMapping, keys: tuple[str, str, str], place: int, letters: str) -> Cell:
    value, low, high = (cell.get(key) for key in keys)
    return Cell(decimals(value), value, place, interval=limits(low, high), letters=letters)


def _gain_cell(gain: JsonMapping, keys: tuple[str, str, str], with_p: bool) -> Cell:
    value, low, high = (gain.get(key) for key in keys)
    if value is None:
        return Cell(NOTHING)
    sure = with_p and value > 0 and gain.get("p_holm") is not None and gain["p_holm"] < SURE
    text = f"{value:+.3f}" + (" *" if sure else "")
    return Cell(text, value, grey=low is None or low <= 0, interval=limits(low, high))


def _ranked(results: Sequence[Result], score: str) -> list[str]:
    values = {one.name: headline_value(one.scores, score) for one in results}
    known = {name: value for name, value in values.items() if value is not None}
    return sorted(known, key=lambda name: (-known[name], name))


def _letters_note(same: Mapping[str, Mapping[str, str]], pairs: pl.DataFrame) -> str:
    if not any(same.values()):
        return ""
    tested = max(pairs.group_by("metric").len()["len"])
    return (
        "Models that share a letter do not differ more than chance might (approximate randomisation over authors, "
        f"Holm's p of {SURE} or more over {tested} pairs of models)."
    )


def _chosen_notes(comparison: Comparison) -> list[str]:
    if not comparison.chosen:
        return ["No shortcut was evaluated, so there are no gains."]
    words = [
        f"{HEADINGS[score]} over {name} (best on {'the dev split' if on == 'dev' else on})"
        for score, (name, on) in comparison.chosen.items()
    ]
    tests = comparison.tests
    return [f"Gains: {'; '.join(words)}; 95 % intervals over authors, * p < {SURE} after Holm over {tests} tests."]


def _macro_notes(results: Sequence[Result]) -> list[str]:
    given_cells = results[0].scores.get("headline", {})
    words = [
        f"{HEADINGS[score]}: {', '.join(given_cells[score].get('languages', [])) or 'none'}"
        for score in HEADLINES
        if score in given_cells
    ]
    return [
        f"Over languages with at least {LEAST_QUERY_AUTHORS} query authors, and {LEAST_POOL_AUTHORS} in the pool. "
        + "; ".join(words)
        + "."
    ]
