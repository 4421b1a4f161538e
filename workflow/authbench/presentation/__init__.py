"""Charts, tables and pages for readers; nothing that computes imports this package."""
