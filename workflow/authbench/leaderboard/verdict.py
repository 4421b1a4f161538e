"""Say in a sentence what the headline scores show, with the basis of the statement."""

from collections.abc import Mapping, Sequence
from typing import Any

from authbench.evaluation.released import S_AT_5
from authbench.models.entries import SANITY

HEADINGS = {
    "auc_matched": "AUC matched",
    "auc_topic": "AUC topic",
    "auc_time": "AUC time",
    S_AT_5: "S@5 other work",
    "auc_topic_time": "AUC topic and time",
    "auc_adversarial": "AUC adversarial",
}
SURE = 0.05


def verdict(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return whether a model is shown to recognise authors better than the best shortcut, by the first headline score.

    Controls (the group `sanity`) are not models.

    Args:
        rows: of headline.csv, numbers or their text; a missing value is None or empty.

    Returns:
        A sentence; empty without rows.
    """
    if not rows:
        return ""
    score = rows[0]["score"]
    models = [
        row for row in rows if row["score"] == score and row["group"] != SANITY and row["value"] not in (None, "")
    ]
    if not models:
        return "Only controls were evaluated."
    tested = [row for row in models if row["gain_value"] not in (None, "")]
    sure = [row for row in tested if row["p_holm"] not in (None, "") and float(row["p_holm"]) < SURE]
    proved = [row for row in sure if float(row["gain_value"]) > 0]
    best = max(proved or tested or models, key=lambda row: float(row["value"]))
    heading, value = HEADINGS.get(score, score), f"{float(best['value']):.3f}"
    authors = f"{float(best['authors']):,.0f} authors"
    if not tested:
        return f"{best['model']} has {heading} {value} ({authors}); it was compared with no shortcut."
    gain = float(best["gain_value"])
    value += f", {abs(gain):.3f} {'below' if gain < 0 else 'above'} {best['against']} ({authors})"
    if not proved:
        return f"No gain over a shortcut is proved in {heading}. The best model, {best['model']}, has {value}."
    others = f"; {len(proved)} of {len(tested)} models prove a gain" if len(tested) > 1 else ""
    return f"{best['model']} recognises authors better than the best shortcut in {heading}: {value}{others}."
