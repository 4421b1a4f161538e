"""Render charts, tables and HTML pages for readers; modules that compute do not import this package."""
