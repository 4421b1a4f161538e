"""Does a model capture who wrote a text?

A split of a release asks (`split`); a model answers with vectors (`authbench.models`); the positives' ranks
(`retrieval`) give metrics (`metrics`), the scores of drawn pairs give error rates (`verification`), and both are
told for slices of the queries with intervals over authors (`scores`).
"""
