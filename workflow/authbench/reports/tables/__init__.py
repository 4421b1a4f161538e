"""Make the tables and figures of a paper, for any release and any evaluated models.

The content of a release (`documents`, `composition`, `sources`) and the scores of models on it (`scores`) become tables
and charts (`figures`), which `write` writes as CSV, Markdown, LaTeX, SVG and PDF, with an HTML page.
"""
