"""Sections of the default settings, with changes."""

from authbench.config.registry.entries import default_settings


def section(name, **changes):
    """Return a section (`split.containment`: one within it) with other values for the keys that are named."""
    found = default_settings()
    for key in name.split("."):
        found = found[key]
    assert not changes.keys() - found.keys(), f"{name} has no {', '.join(changes.keys() - found.keys())}"
    return {**found, **changes}
