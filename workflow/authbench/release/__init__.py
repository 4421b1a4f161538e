"""Read raw forms and releases, and check releases; no stage's code is used."""
