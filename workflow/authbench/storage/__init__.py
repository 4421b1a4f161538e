"""Tables, checksums, atomic writes, raw files and free space on disk."""
