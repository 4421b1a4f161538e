"""Report a release: figures and an HTML page.

Read in this order: `facts` (metadata of all stages), `figures` (charts and rows of bars), `shortfalls` (rows of the
targets' bars), `page` (the HTML page), `removed` (the log of all removed documents), `verify` (draw all again and
compare).
"""
