"""Choose the content of tables: models, columns, precision, order and marks."""

from collections.abc import Sequence
from dataclasses import dataclass

from authbench.evaluation.scores import LEAST_AUTHORS
from authbench.leaderboard.choices import metrics_of
from authbench.leaderboard.tables import Metric

OVERALL = ("success@5", "recall@5", "ndcg@5", "mrr", "roc_auc", "eer")
SLICED = ("success@5", "eer")
BY_SCORE, BY_NAME = "score", "name"
IN_GROUP, IN_COLUMN = "group", "column"
DIGITS = 3


@dataclass(frozen=True)
class Choice:
    """Hold a reader's choice.

    Attributes:
        models: names, in any order; empty: all.
        metrics: keys of CHOICES: the columns of the overall table, and a table by slice for each; empty: the paper's.
        digits: decimals of scores.
        least: a slice with fewer query authors has counts and no scores.
        order: of models within a group, BY_SCORE (the first metric) or BY_NAME.
        marks: best and second best are marked IN_GROUP or IN_COLUMN.
    """

    models: Sequence[str] = ()
    metrics: Sequence[str] = ()
    digits: int = DIGITS
    least: int = LEAST_AUTHORS
    order: str = BY_SCORE
    marks: str = IN_GROUP

    def __post_init__(self) -> None:
        metrics_of(self.metrics)

    @property
    def overall(self) -> list[Metric]:
        return metrics_of(self.metrics or OVERALL)

    @property
    def sliced(self) -> list[Metric]:
        return metrics_of(self.metrics or SLICED)


DEFAULT = Choice()
