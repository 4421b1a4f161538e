"""Score a verifier's answers fold by fold."""

import polars as pl

from authbench.metrics.pan import OF_2020, brier, evaluate, overall

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
