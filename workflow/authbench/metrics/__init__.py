"""Measures and statistics, each declared once: ROC area, error rate, rankings, intervals, tests and ranks."""
