"""Read the version of the package."""

VERSION = "1.0.0rc1"
