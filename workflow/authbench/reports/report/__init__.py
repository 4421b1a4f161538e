"""Report a release: figures and an HTML page.

Read in this order: `facts` (metadata of all stages), `figures` (charts), `flow` and `shortfalls` (rows of the page's
bars), `page` (the HTML page), `removed` (the log of all removed documents), `verify` (draw all again and compare).
"""
