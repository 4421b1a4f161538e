"""Models that turn texts into vectors: their config entries, how each kind computes them, and the cache.

`open.open_model` opens the model of an entry (`entries`); `model` defines what a model can do.
"""
