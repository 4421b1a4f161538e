"""Serve a person: the command line, the Python interface, the configuration as a whole, plans."""
