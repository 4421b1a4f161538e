"""Compute measures and statistics: ROC area, error rate, PAN's measures, rankings, intervals and tests."""
