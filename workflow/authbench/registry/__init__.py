"""Config entries: models, verifiers, style datasets and sources, looked up by name or path."""
