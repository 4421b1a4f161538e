"""Handle submissions: the result of a model on a release in a file, which others check without the model.

`archive` writes it and reads it as untrusted, `validate` checks it against the release and recomputes its scores.
"""
