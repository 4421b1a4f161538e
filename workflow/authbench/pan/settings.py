"""Settings of PAN's verification task and their defaults."""

from dataclasses import dataclass

from authbench.format.columns import POOLS

TOPIC = "topic"  # the column of documents that holds topics
TOPIC_MODEL = 150  # topics of the model that shows whether answers follow topics (the overview's section 7.1.3)

YEARS = (2020, 2021, 2024, 2025)  # of the evaluators that are followed
BY_TOPIC = ("open", "closed")
SETTINGS = (*BY_TOPIC, *POOLS)


@dataclass(frozen=True)
class PairSettings:
    """How pairs are made.

    Args:
        setting: `open` (authors and topics of the test set are not in train) or `closed` (all are); or a pool of pairs
            that a release states: `matched`, `topic_matched`, `topic_adversarial`.
        test: share of the authors in the test set; in the closed setting, of their pairs; not with a pool.
        same: share of pairs by one author.
        small: size of the small train set, as a share of the large one.
        per_author: pairs by one author at most.
    """

    setting: str = "open"
    test: float = 0.2
    same: float = 0.5
    small: float = 0.2
    per_author: int = 10
