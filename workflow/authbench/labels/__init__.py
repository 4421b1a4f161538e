"""Labels: whether the texts of one author label are by one person, measured where a source allows it.

Read in this order: `estimators` (the probability that two texts of a label are by two people), `count` (what a shard
tells of them), `judge` (the decision on each source and label), `shared` (texts known under two labels).
"""
