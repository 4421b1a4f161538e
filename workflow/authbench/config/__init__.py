"""Hold settings and entries: their types, defaults and bounds, and what plug-ins add."""
