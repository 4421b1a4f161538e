"""Report a release: tables, figures, warnings, and an HTML page.

Read in this order: `facts` (metadata of all stages), `statistics` (tables), `figures` (charts), `flow` and `asked`
(rows of the page's bars), `warnings` (limits of the result), `page` (the HTML page), `removed` (the log of all removed
documents); `words` formats values.
"""
