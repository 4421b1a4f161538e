"""Examine any dataset with author labels, and a text of disputed authorship."""
