"""Charts, tables and HTML pages for readers; no module that computes imports this package."""
