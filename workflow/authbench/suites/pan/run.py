"""Read and evaluate a set of answers, and write the report.

scores.csv .md .tex       table 1: five measures, their mean, a chance row; systems.csv with non-answers
significance.csv .md      table 2; significance_holm, _auc, _brier, _overall; pairs_of_systems.csv with every p
data_sets.csv, teams.csv  table 3, by system and by team and year, if results of other datasets are given
answered_by_<system>.*    table 4: all systems on the problems that this system answers
topics.csv, topics.json   topic similarity of pairs and its influence on answers, if texts are given
figures/*.svg, index.html all results on a page
forensic.csv .md .tex     each system's likelihood ratio costs: Cllr, its minimum, and calibrated
likelihood_ratios.csv     each problem's, by system, calibrated on the other half; figures/tippett, figures/det
scores.json               each system's measures and their intervals; intervals.csv also has the meta system's
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import orjson
import polars as pl

from authbench.config.registry.checks import expect_distinct_names
from authbench.core.errors import InputError
from authbench.core.presentation.charts import Chart
from authbench.core.presentation.files import write_table
from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.numbers import decimals
from authbench.core.presentation.pages import write_charts
from authbench.core.presentation.palette import Mark, marks_of
from authbench.core.presentation.tables import Cell, Row, Table
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.words import did_you_mean
from authbench.release.format.pan import align, named, read_answers, read_pairs, read_truth
from authbench.reports.leaderboard.verdict import over_controls
from authbench.scoring.metrics.pan import MEASURES, OF_MACHINES
from authbench.suites.pan import compare
from authbench.suites.pan.compare import COMPARED, compare_all, matrix
from authbench.suites.pan.figures import det, non_answers, precision_recall, score_densities, tippett, topic_densities
from authbench.suites.pan.forensic import forensic_table, ratios_of
from authbench.suites.pan.page import DIGITS, measure_table, render
from authbench.suites.pan.topics import Influence, influence, topic_similarities

Bounds: TypeAlias = Mapping[str, Mapping[str, tuple[float, float] | None]]
ANSWERS = "answers.jsonl"
_OUTPUT, _SUFFIXES = "output", (".jsonl", ".ndjson", ".json", ".txt")
_RUN_OF_TIRA = re.compile(r"\d{4}(?:-\d{2}){5}")
HEADINGS = {"auc": "AUC", "c@1": "c@1", "f1": "F1", "f0.5u": "F0.5u", "brier": "Brier", "overall": "Overall"}


def name_systems(answers: Sequence[Path], named_by: Mapping[str, Sequence[str]] | None = None) -> dict[str, Path]:
    """Return each system's answer file, named by the file or its folder; files are not read.

    Args:
        answers: files, or folders with answers.jsonl or a single answer file.

    Raises:
        InputError: two systems share a name, an option names an unknown system, or a folder does not have exactly 1
            answer file.
    """
    paths: dict[str, Path] = {}
    for path in answers:
        if (name := _system_name(path)) in paths:
            raise InputError(f"{path}: there is a system '{name}' already. Give the file or its folder another name.")
        paths[name] = path
    for option, names in (named_by or {}).items():
        for name in names:
            if name not in paths:
                raise InputError(f"{option}: there are no answers of '{name}'{did_you_mean(name, paths)}")
    return {name: _answers_in(path) if path.is_dir() else path for name, path in paths.items()}


def read_systems(
    truth: Path,
    answers: Mapping[str, Path],
    baselines: Sequence[str] = (),
    published_2020: bool = False,
    year: int = 2021,
) -> tuple[compare.Systems, list[str]]:
    """Return each system's answers to the problems of a truth file, and notes for the reader.

    Args:
        truth: the file, or a folder with truth.jsonl.
    """
    problems = read_truth(truth / "truth.jsonl" if truth.is_dir() else truth)
    scores, notes = {}, []
    for name, file in answers.items():
        table = read_answers(file)
        scores[name] = align(problems["id"], table, str(file))
        outside = table.filter(~pl.col("value").is_between(0, 1))["id"]
        if len(outside):
            then = "PAN's Brier is 0 then" if year < OF_MACHINES else "they count as its ends, as PAN has it"
            notes.append(f"{name}: {len(outside)} scores are outside [0, 1] ({named(outside)}); {then}")
        if listed := int(table["listed"].sum()):
            notes.append(f"{name}: {listed} values stand in a list of one, and were taken out of it")
        if quoted := int(table["quoted"].sum()):
            notes.append(f"{name}: {quoted} values stand in quotation marks, and were read as numbers")
        missing = problems.filter(~pl.col("id").is_in(table["id"].implode()))["id"]
        if len(missing):
            share = f"{len(missing)} of {problems.height}"
            notes.append(f"{name}: {share} problems have no line and count as 0.5 ({named(missing)})")
    if problems["same"].n_unique() == 1:
        notes.append("All problems are of one class: the AUC is undefined and reported as 0, as PAN's evaluator does.")
    return compare.Systems(problems["id"], problems["same"].to_numpy(), scores, tuple(baselines), published_2020), notes


def _answers_in(folder: Path) -> Path:
    """Return a folder's answer file: answers.jsonl, there or in TIRA's `output`, or the only file of this type.

    Raises:
        InputError: there is no such file, or the choice is ambiguous.
    """
    for place in (folder, folder / _OUTPUT):
        if (place / ANSWERS).is_file():
            return place / ANSWERS
    found = sorted(file for place in (folder, folder / _OUTPUT) for file in place.glob("*") if file.suffix in _SUFFIXES)
    if len(found) == 1:
        return found[0]
    names = ", ".join(str(file.relative_to(folder)) for file in found[:5]) or "none"
    raise InputError(
        f"{folder}: there is no {ANSWERS}, and files that may hold answers are {names}. Expected {ANSWERS}; "
        "name the file itself if it is called otherwise."
    )


def _system_name(path: Path) -> str:
    """Return the name of a system: its file's, or its folder's for answers.jsonl.

    TIRA stores answers in <system>/<time of the run>/output.

    >>> _system_name(Path("runs/answers_gagala20-small.jsonl")), _system_name(Path("runs/naive/answers.jsonl"))
    ('answers_gagala20-small', 'naive')
    >>> _system_name(Path("runs/team/2020-06-01-10-00-00/output/answers.jsonl"))
    'team'
    """
    if not path.is_dir() and path.name != ANSWERS:
        return path.stem
    folder = (path if path.is_dir() else path.parent).resolve()
    if folder.name == _OUTPUT:
        folder = folder.parent
    return (folder.parent if _RUN_OF_TIRA.fullmatch(folder.name) else folder).name


def as_json(table: pl.DataFrame, bounds: Bounds) -> str:
    """Return each system's measures and their `intervals`; null if undefined."""
    measures = {
        row["system"]: {key: row[key] for key in HEADINGS}
        | {"intervals": {k: bounds[row["system"]][k] for k in HEADINGS}}
        for row in table.iter_rows(named=True)
    }
    return orjson.dumps(measures, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _headed(table: pl.DataFrame) -> pl.DataFrame:
    return table.select("system", *HEADINGS).rename(HEADINGS)


class Texts(NamedTuple):
    """The pairs of the problems, the number of topics and the seed; topics are learnt from `train`, if given."""

    pairs: Path
    topics: int
    seed: int
    train: Path | None


def write_report(
    systems: compare.Systems,
    out: Path,
    name: str,
    year: int = 2021,
    subsets: Sequence[str] = (),
    beside: Sequence[Path] = (),
    texts: Texts | None = None,
    back: str = "",
) -> None:
    """Write the files listed in this module's docstring; `name` is the dataset's name.

    Args:
        subsets: systems; each gets a table of the problems that it answers.
        texts: of the problems, for the influence of topics.
    """
    expect_distinct_names("--beside", "data sets", [name, *(path.resolve().name for path in beside)])
    others = {path.resolve().name: _read_results(path) for path in beside}
    table = compare.scores_table(systems, year)
    ordered = systems.only(table["system"])
    best = compare.leading(table, systems.baselines) or table["system"].to_list()
    differences = (
        compare_all(ordered.truth, ordered.scores, systems.published_2020, year, COMPARED) if table.height > 1 else None
    )
    every = compare.with_meta(systems)
    bounds = compare.bounds_of(every, year)
    shown = [scores_with_chance(every, table, year, bounds)]
    names = [*table["system"], *(name for name in every.scores if name == compare.META)]
    shown.append(forensic_table(every, names))
    if differences is not None:
        shown += _significance_tables(differences)
    for system in subsets or [system for system in best[:1] if (systems.scores[system] == 0.5).any()]:
        part = compare.where_answered(systems.only(best if system in best else [system, *best]), system, year)
        title = f"Where {system} answers"
        shown.append(measure_table(f"answered_by_{system}", title, _headed(part), baselines=systems.baselines))
    if beside:
        shown.append(measure_table("data_sets", "c@1 by data set", compare.by_data_set({**others, name: table})))
        teams = compare.by_team({**others, name: table})
        if teams.height:
            shown.append(measure_table("teams", "c@1 by team, data set and year", teams))
    ratios = ratios_of(every, [*best, *(one for one in names if one not in best)])
    marks = marks_of(systems.scores)
    drawn = _charts(ordered, table, best, marks)
    drawn += [
        tippett(ratios.select("id", "same", *best), marks),
        det({one: systems.scores[one] for one in best}, systems.truth, marks),
    ]
    silence = compare.silence_pays(table)
    found: Influence | None = None
    if texts is not None:
        found, similar, more = _influence_of_topics(systems, texts)
        drawn += more
    with atomic_folder(out) as folder:
        write_text(folder / "scores.json", as_json(table, bounds))
        write_text(folder / "systems.csv", as_csv(table))
        write_text(folder / "intervals.csv", as_csv(_as_rows(bounds)))
        write_text(folder / "likelihood_ratios.csv", as_csv(ratios))
        if differences is not None:
            write_text(folder / "pairs_of_systems.csv", as_csv(differences))
        for one in shown:
            write_table(folder, one)
        write_charts(folder / "figures", drawn)
        write_plain_json(folder / "non_answers.json", silence)
        if found is not None:
            write_plain_json(folder / "topics.json", found)
            write_text(folder / "topics.csv", as_csv(similar))
        facts = {
            "name": name,
            "year": year,
            "systems": len(systems.scores),
            "problems": len(systems.ids),
            "same": int(systems.truth.sum()),
            "finding": _finding(table, systems.baselines, differences),
        }
        page = render(facts, shown, drawn, silence, found, systems.baselines, back, marks)
        write_text(folder / "index.html", page)


def _finding(table: pl.DataFrame, baselines: Sequence[str], differences: pl.DataFrame | None) -> str:
    """Return in a sentence whether the best system is shown to exceed the best baseline in the overall score."""
    known = dict(table.drop_nulls("overall").select("system", "overall").rows())

    def p_of(one: str, other: str) -> float | None:
        pair = pl.concat_list("system", "other").list.sort() == sorted((one, other))
        found = [] if differences is None else differences.filter(pair, measure="overall")["p_holm"].to_list()
        return found[0] if found else None

    controls = {name: value for name, value in known.items() if name in baselines}
    return over_controls("overall score", {name: known[name] for name in known if name not in controls}, controls, p_of)


def scores_with_chance(every: compare.Systems, table: pl.DataFrame, year: int, bounds: Bounds) -> Table:
    """Return table 1 with intervals, then the meta system, if it exists, and the chance level."""
    rows = _headed(table)
    if compare.META in every.scores:
        rows = pl.concat([rows, _headed(compare.scores_table(every.only([compare.META]), year))])
    cells = {
        (system, HEADINGS[name]): own
        for system, found in bounds.items()
        for name, own in found.items()
        if own is not None
    }
    note = (
        "Intervals of 95 %, from the influence of each problem. The meta system is the mean of all but the baselines. "
        "By chance: what scores that are drawn evenly from 0 to 1 come to."
    )
    shown = measure_table("scores", "Scores", rows, note, bounds=cells, baselines=every.baselines)
    chances = compare.by_chance(every.truth, year)
    values = {heading: chances[name] for name, heading in HEADINGS.items()}
    last = Row(
        [Cell(compare.CHANCE, grey=True), *(Cell(decimals(one, DIGITS), one, grey=True) for one in values.values())]
    )
    data = pl.concat([rows, pl.DataFrame({"system": [compare.CHANCE], **values}, schema=rows.schema)])
    return replace(shown, rows=[*shown.rows, last], data=data)


def _as_rows(bounds: Bounds) -> pl.DataFrame:
    rows = [(system, name, *(own or (None, None))) for system, found in bounds.items() for name, own in found.items()]
    schema = {"system": pl.String, "measure": pl.String, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _significance_tables(pairs: pl.DataFrame) -> list[Table]:
    """Return the overview's table 2 without and with Holm's correction, and corrected tables of other measures."""
    signs = "= p of 0.05 or more, * below 0.05, ** below 0.01, *** below 0.001"
    note = f"Approximate randomisation, all swaps of answers added up. {signs}."
    shown = [
        measure_table("significance", "Which F1 differ", matrix(pairs), note),
        measure_table(
            "significance_holm", "Which F1 differ, by Holm's correction", matrix(pairs, corrected=True), note
        ),
    ]
    for measure, how in (
        ("auc", "DeLong's test"),
        ("brier", "Paired t-test"),
        ("overall", "Student's test of each problem's influence on the mean of all measures"),
    ):
        title = f"Which {HEADINGS[measure]} differ, by Holm's correction"
        note = f"{how}. {signs}, ? where a value is set and not measured."
        shown.append(measure_table(f"significance_{measure}", title, matrix(pairs, True, measure), note))
    return shown


def _charts(
    systems: compare.Systems, table: pl.DataFrame, best: Sequence[str], marks: Mapping[str, Mark]
) -> list[Chart]:
    scores = {name: systems.scores[name] for name in best}
    together = np.concatenate(list(scores.values()))
    mean = {compare.META: compare.meta(systems)} if len(systems.scores) > 1 else {}
    return [
        score_densities("scores_of_all", "Scores, all systems together", {"all": together}),
        score_densities("scores_of_each", "Scores of each system", scores, marks),
        precision_recall(scores | mean, systems.truth, list(mean), marks),
        non_answers(table, marks),
    ]


def _influence_of_topics(systems: compare.Systems, given: Texts) -> tuple[Influence, pl.DataFrame, list[Chart]]:
    """Return the `topics.influence` of the mean score, each pair's similarity, and the overview's figure 4."""
    texts, others = _pairs_of(given.pairs), None if given.train is None else _pairs_of(given.train)
    asked = systems.ids.to_frame("id").join(texts, on="id", how="left", maintain_order="left")
    if asked["text1"].null_count():
        lacking = asked.filter(pl.col("text1").is_null())["id"]
        raise InputError(f"{given.pairs}: has no texts of {len(lacking)} problems ({named(lacking)}).")
    similar, used = topic_similarities(asked, given.topics, given.seed, others)
    mean = compare.meta(systems)
    found = influence(systems.truth, mean, similar)
    found |= {"topics": used, "learnt_from": "train" if given.train else "test"}
    right = (mean > 0.5) == systems.truth
    sides = {"same author": systems.truth, "different authors": ~systems.truth}
    by_truth = {name: similar[side] for name, side in sides.items()}
    by_answer = {
        f"{name}, {how}": similar[side & kind & (mean != 0.5)]
        for name, side in sides.items()
        for how, kind in (("right", right), ("wrong", ~right))
    }
    table = pl.DataFrame({"id": systems.ids, "same": systems.truth, "similarity": similar, "mean_score": mean})
    drawn = [
        topic_densities("topics", "How alike the topics of a pair are", by_truth),
        topic_densities("topics_by_answer", "The same, by whether the mean score is right", by_answer),
    ]
    return found, table, drawn


def _pairs_of(path: Path) -> pl.DataFrame:
    return read_pairs(path / "pairs.jsonl" if path.is_dir() else path)


def _read_results(folder: Path) -> pl.DataFrame:
    path = folder / "scores.json"
    try:
        measures = orjson.loads(path.read_bytes())
        rows = [{"system": name, **{key: found[key] for key in HEADINGS}} for name, found in measures.items()]
    except (OSError, orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        raise InputError(
            f"{path}: cannot be read. Expected a folder that authbench pan evaluate --out wrote."
        ) from None
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys((*MEASURES, "overall"), pl.Float64))
