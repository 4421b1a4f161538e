"""Draft the entry and the recipe of a user's own corpus from its files."""
