"""Measure whether an embedding captures style independently of topic.

An entry in config/style (`entries`) defines how files become rows (`rows`, `steps`). Tasks (`tasks`, `clustering`,
`pairs`, `order`, `retrieval`, `probing`) score a model's vectors (`vectors`) on these rows, and `scores` aggregates the
results. Tasks and aggregates follow STEB (Rivera Soto, Wegmann and Aggazzotti).
"""
