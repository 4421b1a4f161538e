"""Say in a sentence what scores show, with the basis of the statement."""

from collections.abc import Callable, Mapping, Sequence

from authbench.core.json_values import JsonMapping
from authbench.models.entries import SANITY
from authbench.scoring.evaluation.released import S_AT_5

HEADINGS = {
    "auc_matched": "AUC matched",
    "auc_topic": "AUC topic",
    "auc_time": "AUC time",
    S_AT_5: "S@5 other work",
    "auc_topic_time": "AUC topic and time",
    "auc_adversarial": "AUC adversarial",
}
SURE = 0.05


def verdict(rows: Sequence[JsonMapping], whose: str = "authors") -> str:
    """Return whether a model is shown to recognise authors better than the best shortcut, by the first headline score.

    Controls (the group `sanity`) are not models.

    Args:
        rows: of headline.csv.
        whose: what the scores are means over.

    Returns:
        A sentence; empty without rows.
    """
    if not rows:
        return ""
    score = rows[0]["score"]
    models = [row for row in rows if row["score"] == score and row["group"] != SANITY and row["value"] is not None]
    if not models:
        return "Only controls were evaluated."
    tested = [row for row in models if row["gain_value"] is not None]
    sure = [row for row in tested if row["p_holm"] is not None and row["p_holm"] < SURE]
    proved = [row for row in sure if row["gain_value"] > 0]
    best = max(proved or tested or models, key=lambda row: row["value"])
    heading, value = HEADINGS.get(score, score), f"{best['value']:.3f}"
    authors = f"{best['authors']:,} {whose}"
    if not tested:
        return f"{best['model']} has {heading} {value} ({authors}); it was compared with no shortcut."
    gain = best["gain_value"]
    value += f", {abs(gain):.3f} {'below' if gain < 0 else 'above'} {best['against']} ({authors})"
    if not proved:
        return f"No gain over a shortcut is proved in {heading}. The best model, {best['model']}, has {value}."
    others = f"; {len(proved)} of {len(tested)} models prove a gain" if len(tested) > 1 else ""
    return f"{best['model']} recognises authors better than the best shortcut in {heading}: {value}{others}."


def over_controls(
    score: str, models: Mapping[str, float], controls: Mapping[str, float], p_of: Callable[[str, str], float | None]
) -> str:
    """Return in a sentence whether the model with the highest score is shown to exceed the best control.

    Args:
        models: scores by name, as `controls`.
        p_of: the p of the difference of two systems; None if it was not tested.
    """
    if not models:
        return f"No model has {score}."
    best = max(models, key=lambda name: models[name])
    value = f"{models[best]:.3f}"
    if not controls:
        return f"{best} has the highest {score}, {value}; it was compared with no control."
    other = max(controls, key=lambda name: controls[name])
    gain, p = models[best] - controls[other], p_of(best, other)
    value += f", {abs(gain):.3f} {'below' if gain < 0 else 'above'} {other}"
    if gain > 0 and p is None:
        return f"{best} has the highest {score}: {value}, the best control; no test was made."
    if gain > 0 and p is not None and p < SURE:
        return f"{best} exceeds the best control in {score}: {value}."
    return f"No model is shown to exceed the best control in {score}. {best} has {value}."
