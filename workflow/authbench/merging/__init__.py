"""Merge two releases into one: ids and splits stay, what the two have in common is settled, nothing vanishes.

Read in this order: `sides` and `settings` (what is read of each, and whether they fit), `settle` (which documents
stay), `contents` (queries, relations and pools of those), `bookkeeping` (manifest, funnel, statistics) and `run`.
"""
