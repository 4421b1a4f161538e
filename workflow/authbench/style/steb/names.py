"""Name STEB's tasks and the score of each that its leaderboard uses."""

# STEB's names of our tasks, and the score of each that its board uses.
NAMES = {
    "clustering": "clustering",
    "all_to_all": "all_to_all_pair_classification",
    "predefined": "pre_defined_pair_classification",
    "order_alignment": "order_alignment",
    "retrieval": "retrieval",
    "probing": "probing",
}
FIGURES = {
    "clustering": "v_measure",
    "all_to_all": "auc",
    "predefined": "auc",
    "order_alignment": "distractor_acc_mean",
    "retrieval": "mrr",
    "probing": "average",
}
ACCURACY = "order_accuracy"  # order alignment's `acc_mean`; its distractor is separate
