"""Evaluate models and verifiers on a release: metrics, training, submissions, verdicts of people."""
