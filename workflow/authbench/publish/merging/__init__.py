"""Merge two releases: ids and splits are kept, overlaps are resolved, and every removed document is listed.

Read in this order: `sides` (read both releases and check compatibility), `settle` (which documents are
kept), `contents` (their queries, relations and pools), `bookkeeping` (manifest, funnel, statistics) and `run`.
"""
