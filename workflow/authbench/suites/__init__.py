"""Run the suites of others on a release: PAN, RAVEN, style."""
