"""Pass a release on: forms of others, merging, attesting, rebuilding, looking up."""
