"""Tables and figures of a paper, for any release and any evaluated models.

What a release holds (`documents`, `composition`, `sources`, `examples`) and what models score on it (`cells`, `scores`)
become tables and charts (`figures`), which `write` writes as CSV, Markdown, LaTeX, SVG and PDF, with an HTML page.
"""
