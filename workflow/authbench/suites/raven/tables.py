"""Make the tables of the RAVEN paper for a run.

Tables 1 to 11 of Sawatphol et al. 2024, from the metadata of the subsets (`layout.lay_out`) and the scores of all
folds. Spread is the sample standard deviation; Random pools the folds of all its seeds, which reproduces the paper's
figures. An asterisk marks a lower value with p < 0.05: in Student's unpaired t-test over folds, or between
correlations, whose pairs share folds, by the jackknife over folds.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.presentation.numbers import decimals, p_value, with_spread
from authbench.core.presentation.tables import Column, Table, plain_rows, without_empty_columns
from authbench.scoring.metrics.ranking import average_ranks
from authbench.scoring.metrics.significance import p_of_unpaired_means
from authbench.suites.raven.covariates import RATIO, SHARE, limits_in_words
from authbench.suites.raven.layout import MASKED
from authbench.suites.raven.results import MEASURES, Run
from authbench.suites.raven.stability import p_of_agreements
from authbench.suites.raven.subsets import MAIN, SHARED
from authbench.suites.raven.verdict import REFERENCES, SURE, not_comparable, shared_topics, shortcut_test

HEADINGS = {"auc": "AUC", "c@1": "c@1", "f0.5u": "F0.5u", "f1": "F1", "overall": "Overall"}


def all_tables(run: Run) -> list[Table]:
    """Return the tables in the paper's order that the run's settings include."""
    makers: tuple[Callable[[Run], Table | None], ...] = (
        _sizes, scores, _masked, _stability, _ranks, _most_alike, similarity, _stability_by_size, _cut_or_group,
        encoders, _shortcut, _covariates,
    )  # fmt: skip
    return [table for make in makers if (table := make(run)) is not None]


def _by_size(run: Run) -> list[tuple[int, str, list[JsonMapping]]]:
    """Return per number of topics the metadata of the HITS subset and of all random subsets."""
    found = []
    for size in sorted({int(about["topics"]) for about in run.facts.values()}):
        subsets = [about for about in run.facts.values() if about["topics"] == size]
        encoder = run.facts[MAIN]["encoder"]
        hits = [about for about in subsets if about["how"] == "hits" and about["encoder"] == encoder]
        found += [(size, "HITS", hits), (size, "Random", [about for about in subsets if about["how"] == "random"])]
    return [row for row in found if row[2]]


def _sizes(run: Run) -> Table:
    keys = ("documents", "train_pairs", "train_authors", "test_pairs", "test_authors", "authors_in_both")
    rows = []
    for size, how, subsets in _by_size(run):
        folds = [fold for about in subsets for fold in about["sizes"]]
        means = {key: float(np.mean([fold[key] for fold in folds])) for key in keys[1:]}
        rows.append(
            {"topics": size, "sampling": how, "documents": float(np.mean([a["documents"] for a in subsets]))} | means
        )
    shown = [[str(row["topics"]), str(row["sampling"]), *(f"{row[key]:,.0f}" for key in keys)] for row in rows]
    return paper_table(
        "table_1_sizes",
        "Table 1. Sizes",
        "Rounded means over folds, and over the seeds of Random. Those to learn from include those kept aside for "
        "calibration.",
        pl.DataFrame(rows),
        ["m", "Sampling", "Documents", "Train pairs", "Train authors", "Test pairs", "Test authors", "Authors in both"],
        shown,
        names=2,
    )


def scores(run: Run) -> Table:
    rows: list[JsonObject] = []
    shown: list[list[str]] = []
    best: set[tuple[int, int]] = set()
    values = {
        "HITS": {measure: run.of(MAIN, measure) for measure in MEASURES},
        "Random": {
            measure: np.concatenate([run.of(name, measure) for name in run.random()], axis=1) for measure in MEASURES
        },
    }
    for how, found in values.items():
        start = len(rows)
        for at, verifier in enumerate(run.verifiers):
            row: JsonObject = {"sampling": how, "verifier": verifier}
            cells = [how, verifier]
            for measure in MEASURES:
                mean, spread = mean_and_spread(found[measure][at])
                p = p_of_unpaired_means(values["HITS"][measure][at], values["Random"][measure][at])
                other = mean_and_spread(values["Random"][measure][at])[0]
                lower = how == "HITS" and p < SURE and mean < other
                row |= {measure: mean, f"{measure}_sd": spread} | ({f"{measure}_p": p} if how == "HITS" else {})
                cells.append(with_spread(mean, spread) + ("*" if lower else ""))
            rows.append(row)
            shown.append(cells)
        best |= highest([[row[measure] for measure in MEASURES] for row in rows[start:]], start, 2)
    return paper_table(
        "table_2_scores",
        f"Table 2. Scores at m = {run.facts[MAIN]['topics']}",
        "Means over folds ± their standard deviation; Overall is the mean of the four, as in 2020. Best in bold. "
        "* lower than on Random topics (p < 0.05, unpaired t-test).",
        pl.DataFrame(rows, infer_schema_length=None),
        ["Sampling", "Verifier", *HEADINGS.values()],
        shown,
        frozenset(best),
        names=2,
    )


def _masked(run: Run) -> Table | None:
    rows = [{"version": name, "text": text} for name, text in run.facts[MAIN].get("example", {}).items()]
    if not rows:
        return None
    data = pl.DataFrame(rows).sort("version", descending=True)
    return paper_table(
        "table_3_masked",
        "Table 3. What a verifier of topics sees",
        f"The beginning of a text, and the same without the {MASKED} most frequent words of the train texts, as "
        "verifiers of kind topicfit take it.",
        data,
        ["Version", "Text"],
        [[version.capitalize(), text] for version, text in data.iter_rows()],
        names=2,
    )


def _stability(run: Run) -> Table:
    random = run.random()
    named = {"HITS": [MAIN], **{f"R{seed}": [name] for seed, name in enumerate(random)}, "R avg": random}
    found = {name: run.agreements(subsets) for name, subsets in named.items()}
    return correlation_table(
        "table_4_stability",
        f"Table 4. Stability of rankings at m = {run.facts[MAIN]['topics']}",
        "Spearman's correlation of the ranking of verifiers, mean over pairs of folds; Avg.: the mean of the columns. "
        "Highest in bold. * lower than HITS (p < 0.05; variance by the jackknife over folds).",
        "Dataset",
        found,
        against="HITS",
    )


def _ranks(run: Run) -> Table:
    random = run.random()
    named = {"HITS": [MAIN], "R avg": random, **{f"R{seed}": [name] for seed, name in enumerate(random)}}
    rows: list[JsonObject] = []
    shown = []
    for name, subsets in named.items():
        values = [run.of(subset, "overall") for subset in subsets]
        found = np.concatenate([average_ranks(-one[:, ~np.isnan(one).any(axis=0)]) for one in values], axis=1)
        summaries = [mean_and_spread(row) for row in found]
        rows.append(
            {"dataset": name}
            | {verifier: mean for verifier, (mean, _) in zip(run.verifiers, summaries, strict=True)}
            | {f"{verifier}_sd": spread for verifier, (_, spread) in zip(run.verifiers, summaries, strict=True)}
        )
        shown.append([name, *(with_spread(mean, spread, 1, 2) for mean, spread in summaries)])
    best = {cell for at, row in enumerate(rows) for cell in lowest([row[name] for name in run.verifiers], at)}
    return paper_table(
        "table_5_ranks",
        "Table 5. Ranks by Overall",
        "Mean rank over folds ± standard deviation; less is better, the best of each row in bold.",
        pl.DataFrame(rows),
        ["Dataset", *run.verifiers],
        shown,
        frozenset(best),
    )


def _most_alike(run: Run) -> Table:
    rows = []
    for how, subsets in (("HITS", [MAIN]), ("Random", run.random())):
        pairs = {tuple(sorted((p["train"], p["test"]))): p for name in subsets for p in run.facts[name]["most_alike"]}
        listed = sorted(pairs.values(), key=lambda pair: (-pair["similarity"], pair["train"], pair["test"]))[:5]
        rows += [{"sampling": how, **pair} for pair in listed]
    return paper_table(
        "table_6_most_alike",
        "Table 6. Most similar train and test topics",
        "The five highest cosine similarities over all folds (and seeds); a pair of topics is listed once.",
        pl.DataFrame(rows),
        ["Sampling", "Train topic", "Test topic", "Similarity"],
        [[row["sampling"], row["train"], row["test"], f"{row['similarity']:.3f}"] for row in rows],
        names=3,
    )


def similarity(run: Run) -> Table:
    means: dict[int, JsonObject] = {}
    for size, how, subsets in _by_size(run):
        row = means.setdefault(size, {"topics": size})
        for key in ("mean", "max"):
            row[f"{key}_{how.lower()}"] = float(np.mean([value for a in subsets for value in a[f"{key}_similarity"]]))
    columns = ("mean_random", "mean_hits", "max_random", "max_hits")
    rows = [{"topics": row["topics"], **{name: row.get(name) for name in columns}} for row in means.values()]
    return paper_table(
        "table_7_similarity",
        "Table 7. Similarity of train and test topics",
        "Mean and maximum of each fold, means over folds (and seeds).",
        pl.DataFrame(rows),
        ["m", "Mean, Random", "Mean, HITS", "Max., Random", "Max., HITS"],
        [[str(row["topics"]), *(decimals(row[name]) for name in columns)] for row in rows],
    )


def _stability_by_size(run: Run) -> Table | None:
    subset_of = {
        str(size): about["name"] for size, how, facts in _by_size(run) if how == "HITS" for about in facts
        if about["trained"]
    }  # fmt: skip
    if len(subset_of) < 2:
        return None
    found = {size: run.agreements([name]) for size, name in subset_of.items()}
    return correlation_table(
        "table_8_stability_by_size",
        "Table 8. Stability of rankings by HITS with m topics",
        "As table 4; highest in bold.",
        "m",
        found,
    )


def _cut_or_group(run: Run) -> Table | None:
    if "group" not in run.facts:
        return None
    found = {"Cut": run.agreements([MAIN]), "Group": run.agreements(["group"])}
    return correlation_table(
        "table_9_cut_or_group",
        "Table 9. Stability of rankings: topics that HITS does not take are cut, or join the one they are most like",
        "As table 4; highest in bold. * lower than the other (p < 0.05; jackknife).",
        "Topics not taken",
        found,
        against="Cut",
        both_ways=True,
    )


def encoders(run: Run) -> Table | None:
    main = run.facts[MAIN]
    others = {str(about["encoder"]): name for name, about in run.facts.items() if name.startswith("hits-by-")}
    if not others:
        return None
    found = {encoder: run.agreements([name]) for encoder, name in {str(main["encoder"]): MAIN, **others}.items()}
    return correlation_table(
        "table_10_encoders",
        "Table 10. Stability of rankings by the vectors that HITS goes by",
        f"As table 4; highest in bold. * lower than {main['encoder']} (p < 0.05; jackknife).",
        "Topic vectors",
        found,
        against=str(main["encoder"]),
    )


def _shortcut(run: Run) -> Table:
    found = shortcut_test(run)
    rows = found.to_dicts()
    best = highest([[row["avg"]] for row in rows], 0, 3)
    best |= {(at, 4) for at, row in enumerate(rows) if row["place"] == 1}
    shown = [
        [
            row["verifier"],
            *(decimals(row[name]) for name in ("random", "hits", "avg", "diff")),
            str(row["place"]),
            *(p_value(row[name]) for name in ("p", "p_beyond")),
            row["verdict"],
        ]
        for row in rows
    ]
    reasons = not_comparable(run)
    because = f" Withheld here: {'; '.join(reasons)}." if reasons else ""
    if (shared := shared_topics(run)) > SHARED and not reasons:
        because = f" HITS takes {shared:.0%} of the random topics, too, so that no difference shown would say nothing."
    return paper_table(
        "table_11_shortcut",
        "Table 11. Topic shortcut test",
        "Overall on Random and on HITS, their mean (more is better), their absolute difference (less is better), and "
        "the place by it. p: of the difference (t-test over folds, corrected as folds share training texts). p beyond "
        f"style: of a loss greater than that of {' and '.join(REFERENCES)}, which see no content word (one-sided, the "
        "higher of the two). A verifier leans on topics where it scores lower on HITS and both are below 0.05."
        f"{because}",
        found,
        ["Verifier", "Random", "HITS", "Avg.", "Diff.", "Place", "p", "p beyond style", "Verdict"],
        shown,
        frozenset(best),
    )


def _covariates(run: Run) -> Table:
    numbers = ("characters", "test_pairs")
    rows: list[JsonObject] = []
    for how, subsets in (("HITS", [MAIN]), ("Random", run.random())):
        facts = [run.facts[name]["covariates"] for name in subsets]
        means = {key: float(np.mean([one[key] or 0 for one in facts])) for key in numbers}
        langs = sorted({lang for one in facts for lang in one["langs"]})
        shares = (f"{lang or '?'} {np.mean([one['langs'].get(lang, 0.0) for one in facts]):.2f}" for lang in langs)
        rows.append({"sampling": how, **means, "langs": " ".join(shares)})
    shown = [[row["sampling"], *(decimals(row[key], 0) for key in numbers), row["langs"]] for row in rows]
    limits = " and ".join(limits_in_words(run.facts[MAIN]))
    return paper_table(
        "covariates",
        "What the tested texts differ in beside their topics",
        "Mean characters of a text, test pairs of a fold, shares of languages. No verdict is given beyond a ratio of "
        f"{RATIO}, or where more than {SHARE:.0%} of the texts are in other languages."
        + (f" Verifiers are given {limits}, for both to be alike." if limits else ""),
        pl.DataFrame(rows),
        ["Sampling", "Characters", "Test pairs", "Languages"],
        shown,
    )


def correlation_table(
    name: str,
    title: str,
    note: str,
    heading: str,
    found: Mapping[str, Mapping[str, tuple[float, float]]],
    against: str | None = None,
    both_ways: bool = False,
) -> Table:
    """Return a row per key of `found` with the agreement of folds by each measure, and their mean.

    Args:
        found: agreements and their variances (`stability.agreement_of_folds`).
        against: the reference row; significantly lower values in other rows are marked.
        both_ways: also mark the reference row if it is significantly lower than the other.
    """
    rows, shown = [], []
    other = next((key for key in found if key != against), None)
    for key, values in found.items():
        rival = against if key != against else other if both_ways else None
        row: JsonObject = {heading.lower().replace(" ", "_"): key}
        cells = [key]
        for measure in MEASURES:
            mean = values[measure][0]
            row[measure] = mean
            mark = ""
            if rival is not None:
                row[f"{measure}_p"] = p_of_agreements(values[measure], found[rival][measure])
                lower = mean < found[rival][measure][0]
                mark = "*" if row[f"{measure}_p"] < SURE and lower else ""
            cells.append(decimals(mean) + mark)
        row["average"] = mean_and_spread(np.array([row[measure] for measure in MEASURES]))[0]
        rows.append(row)
        shown.append([*cells, decimals(row["average"])])
    best = highest([[row[measure] for measure in (*MEASURES, "average")] for row in rows], 0, 1)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return paper_table(name, title, note, frame, [heading, *HEADINGS.values(), "Avg."], shown, frozenset(best))


def paper_table(
    name: str,
    title: str,
    note: str,
    data: pl.DataFrame,
    headings: Sequence[str],
    shown: Sequence[Sequence[str]],
    best: frozenset[tuple[int, int]] = frozenset(),
    names: int = 1,
) -> Table:
    """Return a table whose first `names` columns are text; cells (row, column) in `best` are marked as best."""
    columns = [Column(heading, words=at < names) for at, heading in enumerate(headings)]
    table = Table(name, title, columns, plain_rows(shown, best), data, [note])
    return without_empty_columns(table, {"": "there is nothing to compare: too few verifiers, folds or seeds"})


def mean_and_spread(values: F64) -> tuple[float, float]:
    """Return mean and sample standard deviation, ignoring NaN; NaN if there are too few values."""
    known = values[~np.isnan(values)]
    return (
        float(known.mean()) if len(known) else float("nan"),
        float(known.std(ddof=1)) if len(known) > 1 else float("nan"),
    )


def highest(rows: Sequence[Sequence[float]], first_row: int, first_column: int) -> set[tuple[int, int]]:
    """Return the cells with the highest value of their column, compared to three decimals."""
    best = set()
    for column, values in enumerate(zip(*rows, strict=True)):
        known = [round(value, 3) for value in values if not np.isnan(value)]
        if len(known) > 1:
            top = max(known)
            best |= {
                (first_row + at, first_column + column) for at, value in enumerate(values) if round(value, 3) == top
            }
    return best


def lowest(values: Sequence[float], row: int) -> set[tuple[int, int]]:
    """Return the cells of a row (after its name) with its lowest value, compared to three decimals."""
    known = [round(value, 3) for value in values if not np.isnan(value)]
    return {(row, 1 + at) for at, value in enumerate(values) if known and round(value, 3) == min(known)}
