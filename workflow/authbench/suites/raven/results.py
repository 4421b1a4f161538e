"""Hold the data of all tables of a RAVEN run: metadata of each subset (`layout.lay_out`), and scores of all folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.json_values import JsonMapping
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns
from authbench.scoring.metrics.pan import OF_2020, brier, evaluate, overall
from authbench.suites.raven.stability import agreement_of_folds

MEASURES = (*("auc", "c@1", "f0.5u", "f1"), "overall")  # in the order of the paper's tables


def fold_scores(pairs: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Return a row per fold: MEASURES (overall of 2020, as in the paper), `brier`, and the tested `pairs` and `same`.

    A fold without test pairs of both kinds has no scores.
    """
    test = pairs.filter(pl.col("part") == "test").join(answers, on=["fold", "id"], how="left", maintain_order="left")
    rows = []
    for fold in pairs["fold"].unique().sort():
        here = test.filter(pl.col("fold") == fold)
        same = int(here["same"].sum())
        row = {"fold": fold, "pairs": here.height, "same": same}
        if 0 < same < here.height:
            truth, values = here["same"].to_numpy(), here["value"].fill_null(0.5).to_numpy()
            found = evaluate(truth, values)
            row |= found | {"overall": overall(found, OF_2020), "brier": brier(truth, values)}
        rows.append(row)
    schema = {"fold": pl.Int64, "pairs": pl.Int64, "same": pl.Int64}
    return pl.DataFrame(rows, schema={**schema, **dict.fromkeys((*MEASURES, "brier"), pl.Float64)})


Facts: TypeAlias = Mapping[str, JsonMapping]


@dataclass(frozen=True)
class Run:
    """Metadata of each subset, and fold scores: columns `subset`, `verifier`, `fold` and a column per measure."""

    facts: Facts
    scores: pl.DataFrame
    verifiers: Sequence[str]

    def of(self, subset: str, measure: str) -> F64:
        """Return the scores of a subset, shape (verifiers, folds); NaN where a fold has no score."""
        here = self.scores.filter(subset=subset).sort("fold").with_columns(pl.col(measure).fill_null(np.nan))
        return np.array([here.filter(verifier=verifier)[measure].to_numpy() for verifier in self.verifiers], np.float64)

    def random(self) -> list[str]:
        """Return the random subsets that verifiers ran on, by seed."""
        found = [(about["seed"], name) for name, about in self.facts.items() if about["how"] == "random"]
        return [name for _, name in sorted(found) if self.facts[name]["trained"]]

    def agreements(self, subsets: Sequence[str]) -> dict[str, tuple[float, float]]:
        """Return by measure how well each subset's scored folds agree on the ranking of verifiers, and its variance."""
        found = {}
        for measure in MEASURES:
            scores = [self.of(subset, measure) for subset in subsets]
            found[measure] = agreement_of_folds([one[:, ~np.isnan(one).any(axis=0)] for one in scores])
        return found


def read_run(facts: Path, pairs: Path, answers: Sequence[Path], verifiers: Sequence[str]) -> Run:
    """Return the metadata of all subsets and the scores of every verifier on every fold.

    Args:
        facts: subsets.json.
        pairs: the folder with a file for each subset that verifiers ran on.
        answers: files of `write_answers`, each in a folder named after its verifier.
    """
    metadata = read_json(facts)
    given = {name: read_columns([path for path in answers if path.parent.name == name]) for name in verifiers}
    tables = []
    for name in (name for name, about in metadata.items() if about["trained"]):
        drawn = read_columns([pairs / f"{name}.parquet"])
        for verifier in verifiers:
            said = given[verifier].filter(pl.col("subset") == name)
            who = (pl.lit(name).alias("subset"), pl.lit(verifier).alias("verifier"))
            tables.append(fold_scores(drawn, said).select(*who, pl.all()))
    return Run(metadata, pl.concat(tables), verifiers)
