"""List all scores available as table columns, by their key in scores.json."""

from collections.abc import Iterable, Mapping

from authbench.errors import InputError
from authbench.leaderboard.tables import Metric
from authbench.metrics.ranking import CUTOFFS
from authbench.registry.values import did_you_mean

_RANKING = {"success": "S", "recall": "R", "ndcg": "nDCG"}
_OF_PAIRS = {"": "", "_all": ", all negatives", "_same_language": ", same language"}
_OF_PAIRS |= {"_matched": ", matched", "_same_topic": ", same topic"}
CHOICES: Mapping[str, Metric] = {
    metric.key: metric
    for metric in (
        *(Metric(f"{name}@{k}", f"{heading}@{k}") for k in CUTOFFS for name, heading in _RANKING.items()),
        Metric("mrr", "MRR"),
        *(Metric(f"roc_auc{suffix}", f"ROC-AUC{words}") for suffix, words in _OF_PAIRS.items()),
        *(Metric(f"eer{suffix}", f"EER{words}", False) for suffix, words in _OF_PAIRS.items()),
    )
}


def metrics_of(keys: Iterable[str]) -> list[Metric]:
    """Return the scores with these keys. Raises InputError if a key is not in CHOICES."""
    found = []
    for key in keys:
        if key not in CHOICES:
            meant = did_you_mean(key, CHOICES) or "."
            raise InputError(f"There is no score {key!a:.60}{meant} Expected one of {', '.join(CHOICES)}.")
        found.append(CHOICES[key])
    return found
