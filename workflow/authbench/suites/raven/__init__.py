"""RAVEN: measure how far verifiers rely on topics.

HITS (Sawatphol et al. 2024) selects the least similar topics of a corpus (`subsets`), from topic vectors (`vectors`).
RAVEN runs verifiers on topic folds (`folds`) of such a subset and of random subsets. A verifier that scores
lower on the HITS subset relied on topics shared by train and test (`stability`, `tables`).
"""
