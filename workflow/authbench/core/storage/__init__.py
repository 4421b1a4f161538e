"""Store tables and raw files: checksums, atomic writes and free space on disk."""
