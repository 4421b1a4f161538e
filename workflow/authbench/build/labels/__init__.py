"""Labels: measure, where a source allows it, whether an author label's texts are by a single person.

Read in this order: `estimators` (the probability that two texts of a label are by two people), `count` (a shard's
counts), `judge` (the decision on each source and label), `shared` (texts known under two labels).
"""
