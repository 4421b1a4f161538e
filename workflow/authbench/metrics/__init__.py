"""Measures and statistics, each declared once: ROC area, error rate, PAN's measures, rankings, intervals and tests."""
