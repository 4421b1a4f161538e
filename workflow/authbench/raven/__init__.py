"""RAVEN: how far verifiers rely on topics.

HITS (Sawatphol et al. 2024) takes the topics of a corpus that are least alike (`select`), from vectors of the topics
(`vectors`). RAVEN runs verifiers on folds by topic (`folds`) of such a subset and of random ones (`subsets`); a
verifier that loses on the first has leant on topics that train and test share (`stability`, `tables`).
"""
