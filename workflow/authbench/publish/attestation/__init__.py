"""Attest how a release was made, in a statement that others can verify.

Read in this order: `statement` (inputs, code and environment of a release, and the digests of its files: an in-toto
Statement v1 with a predicate of SLSA Provenance v1, and its signatures: DSSE, ed25519), `reproduce` (rebuild the
release from the statement and raw files, and compare).
"""
