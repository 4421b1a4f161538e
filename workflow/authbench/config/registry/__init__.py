"""Look up config entries by name or path: models, verifiers, style datasets and sources."""
