"""What a reader chooses of the tables: models, columns, precision, order and marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from authbench.errors import InputError
from authbench.evaluation.scores import LEAST_AUTHORS
from authbench.leaderboard.tables import Metric
from authbench.metrics.ranking import CUTOFFS
from authbench.registry.entries import did_you_mean

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
OVERALL = ("success@5", "recall@5", "ndcg@5", "mrr", "roc_auc", "eer")
SLICED = ("success@5", "eer")
BY_SCORE, BY_NAME = "score", "name"
IN_GROUP, IN_COLUMN = "group", "column"
DIGITS = 3


@dataclass(frozen=True)
class Choice:
    """A reader's choice.

    Attributes:
        models: names, in no order; empty: all.
        metrics: keys of CHOICES, the columns of the overall table and a table by slice each; empty: the paper's.
        digits: decimals of scores.
        least: a slice with fewer query authors has counts and no scores.
        order: of models within a group, BY_SCORE (the first metric) or BY_NAME.
        marks: best and second best are those IN_GROUP or IN_COLUMN.
    """

    models: Sequence[str] = ()
    metrics: Sequence[str] = ()
    digits: int = DIGITS
    least: int = LEAST_AUTHORS
    order: str = BY_SCORE
    marks: str = IN_GROUP

    def __post_init__(self) -> None:
        for key in self.metrics:
            if key not in CHOICES:
                meant = did_you_mean(key, CHOICES) or "."
                raise InputError(f"There is no score {key!a:.60}{meant} Expected one of {', '.join(CHOICES)}.")

    @property
    def overall(self) -> list[Metric]:
        return [CHOICES[key] for key in self.metrics or OVERALL]

    @property
    def sliced(self) -> list[Metric]:
        return [CHOICES[key] for key in self.metrics or SLICED]


DEFAULT = Choice()
