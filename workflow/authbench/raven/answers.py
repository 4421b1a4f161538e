"""Scores of a verifier on the test pairs of every fold, and how right they are."""

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from authbench.pan.metrics import OF_2020, brier, evaluate, overall
from authbench.raven.folds import PARTS
from authbench.verifiers import Bench, answer
from authbench.verifiers.entries import VerifierEntry

ANSWERS = pl.Schema({"fold": pl.Int64, "id": pl.String, "value": pl.Float64})
MEASURES = (*("auc", "c@1", "f0.5u", "f1"), "overall")  # in the order of the paper's tables


def answer_folds(
    verifier: VerifierEntry, pairs: pl.DataFrame, texts: pl.DataFrame, folds: Iterable[int], folder: Path, seed: int
) -> pl.DataFrame:
    """Return the scores on the test pairs of these folds, as ANSWERS.

    Args:
        pairs: as `folds.PAIRS`; a verifier learns from the train part and is calibrated on the calibrate part.
        texts: `id` and `content` of every text of the pairs.
        folder: the verifier's own, where vectors of texts serve all folds.
    """
    answers = []
    for fold in folds:
        here = pairs.filter(pl.col("fold") == fold)
        train, held_out, test = (with_texts(here.filter(pl.col("part") == part), texts) for part in PARTS)
        scores = answer(verifier, train, held_out, test, Bench(seed, folder)) if test.height else None
        if scores is not None:
            answers.append(scores.select(pl.lit(fold, pl.Int64).alias("fold"), "id", "value"))
    return pl.concat([pl.DataFrame(schema=ANSWERS), *answers])


def with_texts(pairs: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs as verifiers take them: id, text1, text2, same. Texts are shared, not copied."""
    place = pl.DataFrame({"id": texts["id"]}).with_row_index("place")
    rows = pairs
    for side, number in (("first", "one"), ("second", "two")):
        rows = rows.join(place.rename({"id": side, "place": number}), on=side, how="left", maintain_order="left")
    return pl.DataFrame(
        {
            "id": pairs["id"],
            "text1": texts["content"].gather(rows["one"]),
            "text2": texts["content"].gather(rows["two"]),
            "same": pairs["same"],
        }
    )


def fold_scores(pairs: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Return a row per fold: MEASURES (overall of 2020, as the paper's) and `brier`, `pairs` and `same` tested.

    A fold whose test pairs are all of one kind, or that has none, has no scores.
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
