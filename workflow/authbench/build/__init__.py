"""Make a release from raw corpora, a package a stage."""
